from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.bisection.answer import Answer, Ending
from perfgate.report.bisect_output import BisectFailure, BisectOutput
from perfgate.report.bisect_summary import bisect_summary, commits_url
from tests.unit.report.test_bisect_text import CULPRIT, FINDING, NAMED, PARENT, REPORT

if TYPE_CHECKING:
    from perfgate.report.bisect_text import BisectReport

JOB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/nets"}
LINK = f"[`a3f8d2c`](https://github.com/acme/nets/commit/{NAMED.commit})"


def summary(
    report: BisectReport, environment: dict[str, str] = JOB, failures: tuple[BisectFailure, ...] = ()
) -> str:
    return bisect_summary(BisectOutput(results=(report,), failures=failures, exit_code=0), environment)


def test_the_culprit_is_a_link_with_effect_setting_and_cost() -> None:
    assert summary(REPORT) == (
        "### 🎯 perfgate bisect: `sd3/unet[d]` `latency`\n"
        "\n"
        "1000 commits, `g` to `b`\n"
        "\n"
        f"- **culprit** {LINK} `use NCHW for the exporter` by `J. Doe`, posterior > 99.9 %, confirmed\n"
        "- effect **+314 %** (+309 % to +320 %) 2.10 s → 8.70 s\n"
        "- setting `scripts/compile.sh:14   --optypelayout=NHWC -> NCHW`\n"
        "- cost: 13 builds (1 failed) and 2 clean rebuilds, 20 launches, 96 samples, 58 s; "
        "journal in the cache, id 7c1d\n"
        "\n"
    )


@pytest.mark.parametrize(
    "environment",
    [
        {},
        JOB | {"GITHUB_REPOSITORY": "acme/nets) [click](https://evil.example"},
        JOB | {"GITHUB_SERVER_URL": "javascript:alert(1)"},
    ],
)
def test_without_a_known_repository_nothing_is_linked(environment: dict[str, str]) -> None:
    assert commits_url(environment) == ""
    assert "](" not in summary(REPORT, environment)


def test_foreign_text_stays_in_a_code_span() -> None:
    named = msgspec.structs.replace(NAMED, subject="`</code>` @team [x](y)", author="<img>")
    culprit = msgspec.structs.replace(CULPRIT, suspects=(named,))
    report = msgspec.structs.replace(REPORT, findings=(msgspec.structs.replace(FINDING, culprit=culprit),))
    assert r"`\x60</code>\x60 @team [x](y)` by `<img>`" in summary(report)


def test_a_range_and_an_undecided_set_list_their_commits() -> None:
    culprit = msgspec.structs.replace(CULPRIT, suspects=(PARENT, NAMED))
    finding = msgspec.structs.replace(FINDING, culprit=culprit)
    text = summary(msgspec.structs.replace(REPORT, findings=(finding,)))
    assert "- **one of 2 commits**, the others cannot be built: [`b001da4`]" in text
    answer = Answer(ending=Ending.UNDECIDED, left=(NAMED,), reason="the budget is spent")
    text = summary(msgspec.structs.replace(REPORT, findings=(), answer=answer))
    assert "- **undecided**: `the budget is spent`" in text
    assert f"- the culprit is among these with 99 %: {LINK}" in text


def test_a_benchmark_that_was_not_searched_is_said() -> None:
    failure = BisectFailure(benchmark="b[d]", error="the bad end cannot be measured", exit_code=2)
    text = summary(REPORT, JOB, (failure,))
    assert "### ❌ perfgate bisect: `b[d]`\n\n- `the bad end cannot be measured` (exit 2)\n" in text
