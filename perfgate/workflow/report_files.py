"""The report files of a finished run, for every face: JSON, Markdown, SARIF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate import __version__
from perfgate.core.codec import readable_json
from perfgate.report.check_report import check_report
from perfgate.report.sarif import sarif_log
from perfgate.report.step_summary import summary_text
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from perfgate.workflow.guarding import GuardRun
    from perfgate.workflow.options import GateOptions


def write_report_files(options: GateOptions, value: dict[str, Any], guard: GuardRun) -> None:
    """Write what the options ask for, before any exit status is set; `value` is `checking.json_value`.

    Raises:
        UsageError: a file cannot be written.
    """
    if options.json_file is not None:
        write_text_file(options.json_file, readable_json(value))
    if options.markdown_file is not None:
        write_text_file(options.markdown_file, summary_text(check_report(value, "this run")))
    if options.sarif_file is not None:
        write_text_file(options.sarif_file, readable_json(sarif_log(guard.evaluation, __version__)))
