"""Baselines that tests owe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import UsageError
from perfgate.core.machine import TEST
from perfgate.measure.benchmark import Benchmark
from perfgate.pytest_plugin.decision import absent_tests, measured_tests
from perfgate.pytest_plugin.hold import HeldItem
from perfgate.pytest_plugin.scope import Scope
from tests.records import make_record

if TYPE_CHECKING:
    from perfgate.core.record import Record

NODE = "tests/t.py::test_x"


def of_test(nodeid: str = NODE, device: str = "dev") -> Record:
    return msgspec.structs.replace(make_record(nodeid, device=device), context={TEST: nodeid})


def scope(
    *,
    selected: tuple[str, ...] = (),
    deselected: tuple[str, ...] = (),
    paths: tuple[str, ...] = (),
    narrowed: bool = False,
) -> Scope:
    return Scope(
        selected=frozenset(selected),
        deselected=frozenset(deselected),
        timed=(),
        paths=paths,
        is_narrowed=narrowed,
    )


def absent(
    found: Scope,
    *,
    measured: tuple[str, ...] = (),
    silent: dict[str, str] | None = None,
    devices: tuple[str, ...] = (),
) -> tuple[dict[str, str], bool]:
    record = of_test()
    return absent_tests({record.key: record}, measured, found, silent=silent or {}, devices=devices)


KEY = of_test().key


def test_a_measured_baseline_is_owed_nothing() -> None:
    assert absent(scope(selected=(NODE,)), measured=(KEY,)) == ({}, False)


@pytest.mark.parametrize("path", [".", "tests", "tests/t.py", NODE])
def test_a_test_that_the_paths_cover_and_is_not_there_is_gone(path: str) -> None:
    assert absent(scope(paths=(path,))) == ({KEY: f"its test is gone: {NODE}"}, False)


@pytest.mark.parametrize("path", ["other", "tests/t.pyx", "tests/t.py::test_xy", "tests/t.py::test"])
def test_a_test_outside_the_paths_belongs_to_another_run(path: str) -> None:
    assert absent(scope(paths=(path,))) == ({}, True)


def test_a_deselected_test_belongs_to_another_run_and_so_does_one_that_an_option_hides() -> None:
    assert absent(scope(deselected=(NODE,), paths=(".",))) == ({}, True)
    assert absent(scope(paths=(".",), narrowed=True)) == ({}, True)


def test_a_selected_test_without_a_measurement_says_why() -> None:
    found = scope(selected=(NODE,), paths=(".",))
    assert absent(found) == ({KEY: "its test passed and did not measure it"}, False)
    assert absent(found, silent={NODE: "its test was skipped: no GPU"}) == (
        {KEY: "its test was skipped: no GPU"},
        False,
    )
    assert absent(found, silent={NODE: ""}) == ({}, False)  # its own report is red


def test_a_device_that_is_not_asked_for_makes_the_verdict_partial() -> None:
    assert absent(scope(selected=(NODE,)), devices=("other",)) == ({}, True)


def test_baselines_of_suites_are_no_business_of_tests() -> None:
    record = make_record("resnet")
    assert absent_tests({record.key: record}, (), scope(paths=(".",)), silent={}, devices=()) == ({}, False)


def test_one_name_for_two_measurements_is_refused_with_both_tests() -> None:
    benchmark = Benchmark(
        name="decode",
        device="dev",
        backend="simulated",
        place="t.py:1:1",
        runs=1,
        samples=5,
        noise="",
        metrics=(),
        test=NODE,
    )
    content = {"benchmark": msgspec.to_builtins(benchmark), "record": msgspec.to_builtins(of_test())}
    held = [
        HeldItem(nodeid=nodeid, keys=("decode[dev]",), failures={}, reports=(), measured=(content,))
        for nodeid in (NODE, "tests/u.py::test_y")
    ]
    with pytest.raises(UsageError, match=r"decode\[dev\] is measured twice.*test_x and tests/u\.py::test_y"):
        measured_tests(held, {})
    with pytest.raises(UsageError, match="a suite and"):
        measured_tests(held[:1], {"decode[dev]"})
