from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.diagnose.rules.imbalance import RULE
from tests.diagnose_sides import compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, profile

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.graph.ir import Graph


@pytest.mark.parametrize(("device", "cores"), [("ascend-310p-like", 8), ("ascend-910b-like", 24)])
def test_a_product_cut_along_its_depth_leaves_all_cores_but_one_without_work(device: str, cores: int) -> None:
    """1536 x 1024 x 1536 and 16 x 16 x 9,437,184 are equally many products; the second is a single tile."""
    before, after = (
        drawn_profile(_product(*sizes), side(device=device))
        for sizes in ((1536, 1024, 1536), (16, 9_437_184, 16))
    )
    suspect = found(RULE, signals_of(before, after))[0]
    assert f"100 % of the work on 1 of {cores}" in suspect.sentence
    assert suspect.operator is not None
    assert suspect.operator.name == "y"


def _product(rows: int, depth: int, columns: int) -> Graph:
    """Operands and result stay on the device, so the link does not count."""
    draw = Drawing()
    return draw.graph(draw.matmul(draw.input("x", rows, depth), "y", columns), resident='["x", "y"]')


def test_equal_sides_are_silent() -> None:
    same = side("resnet50", "tiny")
    assert found(RULE, compare(same, same)) == []


def _cores(*busy: int) -> Profile:
    engines = {f"gpu{number}": time for number, time in enumerate(busy)}
    return profile(max(busy), busy_ps=engines, kernels=(), operators=())


@pytest.mark.parametrize(("least", "count"), [(40, 1), (51, 0)])
def test_like_engines_are_uneven_when_one_works_less_than_half_as_long_as_another(
    least: int, count: int
) -> None:
    before, after = _cores(70 * MS, 70 * MS), _cores(100 * MS, least * MS)
    suspects = found(RULE, signals_of(before, after))
    assert len(suspects) == count
    assert all(
        item.sentence.startswith("gpus share the work unevenly: gpu0 is busy for") for item in suspects
    )
