"""The post-mortem: all sections in their order, filled from values, empty ones kept for their owner."""

from __future__ import annotations

import datetime as dt
import re

import msgspec
from markdown_it import MarkdownIt

from perfgate.core.diagnosis import Commit, Diagnosis, Effect, Evidence
from perfgate.plan.incident import Event, GuardrailProof, Incident
from perfgate.plan.post_mortem import TODO, post_mortem
from tests.diagnoses import cause, diagnosis
from tests.validations import validation

SECTIONS = [
    "Summary",
    "Impact",
    "Timeline",
    "Root cause",
    "Why nothing stopped it",
    "Fix and validation",
    "Guardrail added",
    "Follow-ups",
    "Reproduce",
]
COMMIT = Commit(
    commit="a3f8d2c" + "0" * 33,
    subject="tidy convert flags",
    author="Ada",
    date="2026-11-10T08:00:00+00:00",
    relation="bisection",
    probability=0.998,
)
FOUND = msgspec.structs.replace(
    cause(),
    commit=COMMIT,
    evidence=(Evidence(step=4, label="behaviour", text="3 copies per step"),),
    effects=(
        Effect(
            benchmark="sd_unet",
            device="ascend-310p-like",
            metric="latency",
            before=2.23,
            after=9.13,
            relative=3.09,
        ),
    ),
)


def hour(number: int) -> dt.datetime:
    return dt.datetime(2026, 11, 10, number, tzinfo=dt.UTC)


FULL = Incident(
    name="sd3 layout",
    diagnosis=diagnosis(causes=(FOUND,), before="3f2c1ab", after="a3f8d2c"),
    events=(
        Event(name="baseline", when=hour(1), what="`3f2c1ab`"),
        Event(name="culprit", when=hour(8), what="`a3f8d2c`"),
        Event(name="detection", when=None),
        Event(name="fix", when=hour(20)),
    ),
    barriers=("there were no guardrails",),
    validation=validation(),
    proof=GuardrailProof(
        line="atc_convert: require --optypelayout=NHWC",
        culprit="commit a3f8d2c",
        rejected=("deploy/convert.sh:4:5: must be NHWC",),
        accepted=2,
    ),
    reproduce=("perfgate diagnose --at a3f8d2c",),
    versions=(("perfgate", "0.1.0"), ("seed", "0")),
)


def section(page: str, title: str) -> str:
    return page.partition(f"\n## {title}\n\n")[2].partition("\n\n## ")[0]


def test_the_sections_stand_in_their_order() -> None:
    page = post_mortem(FULL)
    assert page.startswith("# Post-mortem: sd3 layout\n")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == SECTIONS


def test_the_summary_is_two_sentences_with_numbers() -> None:
    first, second = section(post_mortem(FULL), "Summary").splitlines()
    assert (
        first == "`sd_unet[ascend-310p-like]`: `latency` went from 2.23 s to 9.13 s (+309 %, plus is worse)."
    )
    assert second == (
        "The cause, with a confidence of 0.95, is `--optypelayout` `NHWC` -> `NCHW` at "
        "`deploy/convert.sh:4:5`, from commit `a3f8d2c` `tidy convert flags` (bisection, probability 0.998)."
    )


def test_impact_counts_the_hours_from_culprit_to_fix() -> None:
    text = section(post_mortem(FULL), "Impact")
    assert "baseline `3f2c1ab`, bad since `a3f8d2c`" in text
    assert "hours: 12.0 from the culprit to the fix" in text  # 8:00 to 20:00
    assert "`latency` +309 %" in text


def test_what_nobody_recorded_has_no_time() -> None:
    text = section(post_mortem(FULL), "Timeline")
    assert f"| {TODO} | detection |" in text
    assert "| 2026-11-10 08:00 | culprit | `a3f8d2c` |" in text


def test_the_root_cause_has_its_frequency_and_proof() -> None:
    text = section(post_mortem(FULL), "Root cause")
    assert "confidence: 0.95 (right in 201 of 212 planted faults with this score)" in text
    assert "proof: simulated again without it: 2.23 s, 100.0 % of the delta recovers" in text
    assert "`behaviour`: `3 copies per step`" in text


def test_the_table_of_the_validation_is_repeated() -> None:
    text = section(post_mortem(FULL), "Fix and validation")
    assert re.search(r"`latency` +\| +9.13 s \| +2.24 s \| +-75.5 % \| improved", text)


def test_the_guardrail_shows_the_run_that_rejects_the_culprit() -> None:
    text = section(post_mortem(FULL), "Guardrail added")
    assert "added to `guardrails.yaml`" in text
    assert "`commit a3f8d2c`: rejected\n  - `deploy/convert.sh:4:5: must be NHWC`" in text
    assert "accepted, holds for 2" in text


def test_an_empty_section_is_kept_for_its_owner() -> None:
    bare = Diagnosis(benchmark="b", device="d", focus=diagnosis().focus, before="", after="")
    page = post_mortem(Incident(name="x", diagnosis=bare))
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == SECTIONS
    assert {title for title in SECTIONS if TODO in section(page, title)} == set(SECTIONS) - {"Timeline"}


def test_an_unlikely_cause_is_called_a_suspect() -> None:
    found = diagnosis(causes=(cause(0.3),))
    text = section(post_mortem(Incident(name="x", diagnosis=found)), "Root cause")
    assert text.startswith("No cause was found; the strongest suspect, 0.30, is")


def test_hostile_names_stay_text() -> None:
    name = "<script>alert(1)</script> [x](javascript:1) `a` # b"
    hostile = msgspec.structs.replace(FOUND, sentence=f"{name}\n# heading", commit=None)
    page = post_mortem(Incident(name=name, diagnosis=diagnosis(causes=(hostile,))))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    assert "<script" not in html
    assert "javascript:1" in html
    assert "href" not in html
    assert re.findall(r"<h1>(.*?)</h1>", html, re.DOTALL) == [
        "Post-mortem: &lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:1) `a` # b"
    ]
    assert len(re.findall("<h2>", html)) == len(SECTIONS)


def test_equal_facts_give_equal_bytes() -> None:
    assert post_mortem(FULL) == post_mortem(FULL)
