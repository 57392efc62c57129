"""What a user can ask of a gate run, from the command line, an ini file or the plugin's options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError
from perfgate.measure.benchmark import DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_BASELINES = "baselines"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """`None` means: what the suite, the policy or git says.

    `devices` empty means all of the suite. `measure_in_spite` measures benchmarks that break a guardrail
    (the run stays red). `keep_records` is the folder the records are written to,
    `cache` one for compiled programs, `timeout` the seconds that one run of a timed pytest test may take,
    `profile` says whose whole profiles lie beside kept records: `none`, `regressed` or `all`.
    `policy_file` is read in place of the working tree's; base's holds as well. `against` is a revision to
    measure beside the working tree instead of reading its baselines; `set_up` builds both. `explains`: the
    worst regressions get a diagnosis. `html_file`: the page of the worst regression.
    """

    root: Path
    baselines: str = DEFAULT_BASELINES
    base: str | None = None
    devices: tuple[str, ...] = ()
    runs: int | None = None
    seed: int = 0
    min_effect: float | None = None
    inconclusive: str | None = None
    new: str | None = None
    measure_in_spite: bool = False
    keep_records: Path | None = None
    json_file: Path | None = None
    markdown_file: Path | None = None
    sarif_file: Path | None = None
    html_file: Path | None = None
    cache: Path | None = None
    timeout: float = DEFAULT_TIMEOUT
    profile: str = "regressed"
    policy_file: Path | None = None
    against: str | None = None
    set_up: tuple[str, ...] = ()
    explains: bool = True


def baselines_folder(text: str, where: str) -> str:
    """The folder of the baselines as it begins their paths: without `./` and a slash at the end.

    Raises:
        UsageError: it is not inside the repository; `where` names the option.
    """
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts:
        raise UsageError(f"{text!r} leaves the repository", where, "name a folder inside it")
    return str(path)
