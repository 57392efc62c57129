from __future__ import annotations

import pytest

from perfgate.core.pass_entry import PassEntry
from perfgate.diagnose.rules.alignment import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, operator, profile

NCHW = {"--optypelayout": "NCHW"}


def test_a_map_of_25_by_41_misses_the_alignment_and_is_to_be_padded_to_1040() -> None:
    """As in the source document. 32 B are 16 elements of fp16, and 65 times 16 are 1,040."""
    suspects = found(
        RULE, compare(side("odd_stride", "even", flags=NCHW), side("odd_stride", "odd", flags=NCHW))
    )
    assert len(suspects) == 1
    assert (
        "stride 1025 is no multiple of 16, nearest 1024: 2 conversions run on the host"
        in suspects[0].sentence
    )
    assert suspects[0].operator is not None
    assert suspects[0].operator.name == "Net.layers.0.conv"
    assert suspects[0].remedies[0].title == "pad the stride to 1040"
    assert suspects[0].remedies[1].settings[0].value == "NC1HWC0"


def test_an_aligned_map_is_silent_and_so_is_a_fault_that_was_there_before() -> None:
    wider = side("odd_stride", "even", flags=NCHW, sizes={"width": 48})
    assert found(RULE, compare(side("odd_stride", "even", flags=NCHW), wider)) == []
    odd = side("odd_stride", "odd", flags=NCHW)
    assert found(RULE, compare(odd, odd)) == []


def test_another_device_file_with_a_stricter_table_moves_the_limit() -> None:
    """A stride of 1,024 elements is aligned to 32 B, and not to 4,096 B."""
    machine = side("odd_stride", "even", flags=NCHW)
    routes = [
        {"between": ["NCHW", "NC1HWC0"], "via": "kernel", "stride": "channel", "multiple": 4096},
        {"between": ["NCHW", "NC1HWC0"], "via": "kernel", "efficiency": 0.125},
    ]
    strict = side("odd_stride", "even", flags=NCHW, edits={"routes": _Routes(routes)})
    suspect = found(RULE, compare(machine, strict))[0]
    assert "stride 1024 is no multiple of 2048, nearest 2048" in suspect.sentence
    assert "on the device, by a slower way" in suspect.sentence


class _Routes(list[dict[str, object]]):
    """A table that can be part of a cached side."""

    def __hash__(self) -> int:  # type: ignore[override] # a list has none; this one never changes
        return hash(str(self))


@pytest.mark.parametrize(("added", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_a_slow_conversion_counts_from_one_per_cent_of_the_latency(added: int, count: int) -> None:
    details: dict[str, int | str] = {
        "stride": 1025, "alignment": 16, "nearest": 1024, "pad_to": 1040, "route": "host",
    }  # fmt: skip
    entry = PassEntry("layout", "", ("Conv net.op1",), (), "no-route: x", applied=False, details=details)
    before = profile(98 * MS, operators=(operator(1, 50 * MS),))
    slow = operator(1, 50 * MS + added, copies=2, copies_ps=added)
    after = profile(100 * MS, operators=(slow,), pass_log=(entry,))
    assert len(found(RULE, signals_of(before, after))) == count


def test_without_a_baseline_a_round_trip_over_the_host_is_told() -> None:
    assert len(found(RULE, alone(side("odd_stride", "odd", flags=NCHW)))) == 1
    assert found(RULE, alone(side("odd_stride", "even", flags=NCHW))) == []
