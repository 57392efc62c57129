from __future__ import annotations

import msgspec

from perfgate.core.execution_profile import summarise
from perfgate.core.record import Hotspot, ProfileSummary, Record
from perfgate.diagnose.attribute import attribute_latency
from perfgate.diagnose.critical import critical_path
from perfgate.diagnose.matched import match_operators
from perfgate.diagnose.summary_profile import REST, profile_of_summary
from tests.diagnose_sides import profile_of, side
from tests.records import make_record


def spot(number: int, total_ps: int, copied: int = 0) -> Hotspot:
    return Hotspot(
        number=number, name=f"net.op{number}", op="Conv", scope=f"net.op{number}", total_ps=total_ps,
        copied_bytes=copied, copies=bool(copied),
    )  # fmt: skip


def summary(total_ps: int, *spots: Hotspot, **parts: int) -> ProfileSummary:
    return ProfileSummary(total_ps=total_ps, parts=parts, operators=spots, digest="d")


def record(kept: ProfileSummary | None, iterations: str = "28") -> Record:
    made = make_record("net", profile=kept)
    return msgspec.structs.replace(
        made, ruler=msgspec.structs.replace(made.ruler, protocol={"iterations": iterations})
    )


def test_what_the_summary_leaves_out_is_one_operator_so_the_times_add_up() -> None:
    found = profile_of_summary(
        record(summary(1000, spot(3, 600, copied=64), spot(1, 300), compute=900, wait=7))
    )
    assert found is not None
    assert [(row.name, row.total_ps) for row in found.operators] == [
        (REST, 100),
        ("net.op1", 300),
        ("net.op3", 600),
    ]
    assert critical_path(found).wait == 0
    assert (found.application.total_ps, found.application.iterations) == (1000, 28)
    assert found.application.copied_bytes == 64
    assert (found.parts.compute_ps, found.parts.wait_ps, found.parts.sync_ps) == (900, 7, 0)


def test_a_full_summary_has_no_rest() -> None:
    found = profile_of_summary(record(summary(900, spot(3, 600), spot(1, 300))))
    assert found is not None
    assert REST not in {row.name for row in found.operators}


def test_no_summary_and_operators_that_overlapped_give_no_profile() -> None:
    assert profile_of_summary(record(None)) is None
    assert profile_of_summary(record(summary(899, spot(3, 600), spot(1, 300)))) is None


def test_a_protocol_that_names_no_number_of_steps_counts_as_one() -> None:
    for text in ("0", "many", "-3", ""):
        found = profile_of_summary(record(summary(900, spot(1, 900)), iterations=text))
        assert found is not None
        assert found.application.iterations == 1


def test_the_rest_is_told_apart_from_the_time_that_no_operator_caused() -> None:
    # Operator -1 is the program's own work, which a summary may keep as well.
    before = profile_of_summary(record(summary(1000, spot(-1, 500), spot(1, 300))))
    after = profile_of_summary(record(summary(1900, spot(-1, 900), spot(1, 700))))
    assert before is not None
    assert after is not None
    found = attribute_latency(before, after, match_operators(before, after)[0], (1000, 1900))
    assert sum(row.delta for row in found.rows) == found.total == 900


def test_a_summary_of_the_simulator_compared_with_itself_loses_nothing() -> None:
    whole = profile_of(side("resnet50", "tiny", flags={"--optypelayout": "NCHW"}))
    found = profile_of_summary(record(summarise(whole), iterations="1"))
    assert found is not None
    assert sum(row.total_ps for row in found.operators) == whole.application.total_ps
