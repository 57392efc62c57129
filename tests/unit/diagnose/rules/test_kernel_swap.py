from __future__ import annotations

import pytest

from perfgate.diagnose.rules.kernel_swap import RULE
from tests.diagnose_sides import compare, found, side, signals_of
from tests.hand_profiles import MS, kernel, operator, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "ascend-910b-like"])
def test_smaller_buffers_force_smaller_tiles(device: str) -> None:
    before = side("resnet50", device=device)
    after = side("resnet50", device=device, edits={"buffers.l1_kb": 32, "buffers.l0c_kb": 4})
    signals = compare(before, after)
    suspect = found(RULE, signals)[0]
    assert suspect.operator is not None
    assert suspect.operator.op == "Conv"
    assert " tile " in suspect.sentence
    assert suspect.cost >= 0.9 * signals.delta


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_work_that_moved_to_the_host_is_named(device: str) -> None:
    before, after = (side("detector", preset, device=device) for preset in ("full", "host_suppression"))
    suspect = found(RULE, compare(before, after))[0]
    assert ": another kernel, device -> host, " in suspect.sentence
    assert suspect.operator is not None
    assert suspect.operator.name.startswith("Detector.suppression")
    assert suspect.remedies[0].title == "move the work back to the device"


def test_another_size_or_type_is_no_choice_of_kernel() -> None:
    plain = side("resnet50", "tiny")
    assert found(RULE, compare(plain, plain)) == []
    assert (
        found(RULE, compare(plain, side("resnet50", "tiny", flags={"--precision_mode": "force_fp32"}))) == []
    )
    assert found(RULE, compare(plain, side("resnet50", "tiny", sizes={"batch": 4}))) == []


@pytest.mark.parametrize(("added", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_another_kernel_counts_from_one_per_cent_of_the_latency(added: int, count: int) -> None:
    old = kernel(1, 50 * MS, variant="winograd")
    new = kernel(1, 50 * MS + added, variant="direct")
    before = profile(98 * MS, operators=(operator(1, 50 * MS),), kernels=(old,))
    after = profile(100 * MS, operators=(operator(1, 50 * MS + added),), kernels=(new,))
    suspects = found(RULE, signals_of(before, after))
    assert len(suspects) == count
    assert all("another kernel, winograd -> direct" in item.sentence for item in suspects)
