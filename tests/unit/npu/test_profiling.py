"""Exact metrics and levels of a profile, on programs small enough to add up by hand."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.compiler.program import Access, KernelKind
from perfgate.core.execution_profile import summarise
from perfgate.core.metric import KNOWN_METRICS, Kind
from perfgate.core.pass_entry import PassEntry
from perfgate.npu.device_file import load_device
from perfgate.npu.operator_rows import intensity_class
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from tests.graphs import Drawing, compiled
from tests.programs import make_kernel, make_program, matmul

DEVICE = load_device("ascend-310p-like")
COPY = 1 << 20
PROGRAM = make_program(
    [
        make_kernel(0, KernelKind.H2D, link_bytes=COPY, reads=(), writes=(Access(0, COPY),)),
        make_kernel(
            1, KernelKind.VECTOR, [0], vector_work=COPY, reads=(Access(0, COPY),), writes=(Access(1, COPY),)
        ),
        make_kernel(2, KernelKind.D2H, [1], link_bytes=COPY, implicit=True, owner=1, reads=(), writes=()),
        make_kernel(3, KernelKind.HOST, [2], elements=COPY // 2, implicit=True, owner=1, reads=(), writes=()),
        make_kernel(4, KernelKind.H2D, [3], link_bytes=COPY, implicit=True, owner=1, reads=(), writes=()),
        make_kernel(5, KernelKind.D2H, [4], link_bytes=COPY // 2, owner=1, reads=(), writes=()),
    ]
)


def test_exact_metrics_have_the_known_names() -> None:
    exact = build_profile([Phase(execution=simulate(PROGRAM, DEVICE))]).exact
    known = {name for name, metric in KNOWN_METRICS.items() if metric.kind is Kind.EXACT}
    assert set(exact) == known - {"deadline_misses", "skew", "branch_latency"}  # those of pipelines


def test_the_artefact_is_the_weights_as_the_program_stores_them() -> None:
    draw = Drawing()
    draw.matmul(draw.input("x", 64, 64), "out", 64)
    exact = build_profile([Phase(execution=simulate(compiled(draw.graph("out")), DEVICE))]).exact
    assert exact["artefact_bytes"] == 64 * 64 * 2  # one matrix of halves; the input is not carried


def test_copies_count_both_directions_and_every_iteration() -> None:
    exact = build_profile([Phase(execution=simulate(PROGRAM, DEVICE), times=10)]).exact
    assert exact["copied_bytes"] == 10 * 2 * COPY
    assert exact["io_bytes"] == 10 * (COPY + COPY // 2)
    assert exact["kernel_count"] == 10  # launches on the device; copies and host work are none
    assert exact["programs"] == 1


def test_cycles_are_the_whole_time_at_the_devices_clock() -> None:
    profile = build_profile([Phase(execution=simulate(PROGRAM, DEVICE), times=2)])
    assert profile.exact["cycles"] == profile.application.total_ps * 1080 // 1_000_000


def test_an_operator_owns_the_copies_its_need_caused() -> None:
    profile = build_profile([Phase(execution=simulate(PROGRAM, DEVICE))])
    rows = {row.number: row for row in profile.operators}
    assert (rows[1].copies, rows[1].copied_bytes) == (2, 2 * COPY)
    assert rows[1].bound == "host"  # 524,288 elements at 10 ns are 5.2 ms, the copies 0.1 ms each
    assert rows[1].copies_ps < rows[1].total_ps  # the explicit copy of the result is not one of them
    assert rows[0].copies == 0
    assert [hotspot.number for hotspot in summarise(profile).operators] == [1, 0]


def test_kernels_and_copies_name_their_operator_by_its_number_in_the_model() -> None:
    # A model whose constants are nodes of their own: its operators are numbers 239 and following.
    owners = tuple(msgspec.structs.replace(owner, number=owner.number + 239) for owner in PROGRAM.owners)
    profile = build_profile(
        [Phase(execution=simulate(msgspec.structs.replace(PROGRAM, owners=owners), DEVICE))]
    )
    assert [row.owner for row in profile.kernels] == [239, 239, 240, 240, 240, 240]
    assert [row.owner for row in profile.copies] == [239, 240, 240, 240]
    assert {row.number for row in profile.operators} == {239, 240}


def test_memory_names_the_program_it_is_of() -> None:
    small, large = (
        Phase(execution=simulate(make_program([matmul(0, side, side, side)]), DEVICE)) for side in (64, 512)
    )
    assert build_profile([small, large]).hardware.memory.program == 1
    assert build_profile([large, small]).hardware.memory.program == 0


def test_phases_with_the_same_operator_are_one_row() -> None:
    first = simulate(make_program([matmul(0, 64, 64, 64)]), DEVICE)
    both = build_profile([Phase(execution=first, times=2), Phase(execution=first, times=3)])
    assert len(both.operators) == 1
    assert both.operators[0].kernels == 5
    assert both.operators[0].total_ps == 5 * first.makespan_ps
    assert both.exact["programs"] == 2


@pytest.mark.parametrize(
    ("intensity", "name"), [(0.99, "memory"), (1.0, "balanced"), (10.0, "balanced"), (10.01, "compute")]
)
def test_intensity_has_three_classes(intensity: float, name: str) -> None:
    assert intensity_class(intensity) == name


def test_the_ridge_is_that_of_the_device() -> None:
    # 70.8 TFLOP/s over 204.8 GB/s is 346 FLOP per byte; a cube of side n has 2 * n / 6: 1,365 and 171.
    large, small = (
        build_profile([Phase(execution=simulate(make_program([matmul(0, side, side, side)]), DEVICE))])
        for side in (4096, 512)
    )
    assert large.operators[0].is_above_ridge
    assert not small.operators[0].is_above_ridge
    assert small.operators[0].intensity == pytest.approx(2 * 512 / 6)


def test_the_pass_log_is_counted_by_pass() -> None:
    merged = PassEntry("cse", "", (), (), "", applied=True)
    refused = PassEntry("fusion", "", (), (), "", applied=False)
    program = msgspec.structs.replace(PROGRAM, pass_log=(merged, merged, refused))
    graph = build_profile([Phase(execution=simulate(program, DEVICE))]).graph
    assert graph.passes == {"cse": (2, 0), "fusion": (0, 1)}
    assert (graph.duplicates, graph.fused_operators) == (2, 0)


def test_an_estimated_operator_shows_its_share() -> None:
    kernel = make_kernel(0, KernelKind.VECTOR, vector_work=4096, is_estimated=True)
    profile = build_profile([Phase(execution=simulate(make_program([kernel]), DEVICE))])
    assert profile.application.estimated_share == 1.0


def test_an_execution_without_a_phase_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one phase"):
        build_profile([])


def test_a_program_without_kernels_has_a_profile_of_nothing() -> None:
    profile = build_profile([Phase(execution=simulate(make_program([]), DEVICE))])
    assert profile.application.total_ps == 0
    assert profile.operators == ()


def test_flows_are_the_bytes_one_operator_reads_of_what_another_wrote() -> None:
    # Kernel 1 of owner 1 reads the buffer that kernel 0 of owner 0 wrote; weights come from outside.
    program = make_program(
        [
            make_kernel(0, KernelKind.VECTOR, reads=(Access(2, 64),), writes=(Access(0, COPY),)),
            make_kernel(
                1,
                KernelKind.VECTOR,
                [0],
                owner=1,
                reads=(Access(0, COPY), Access(2, 32)),
                writes=(Access(1, 8),),
            ),
            make_kernel(2, KernelKind.VECTOR, [1], owner=1, reads=(Access(1, 8),), writes=()),
        ]
    )
    profile = build_profile([Phase(execution=simulate(program, DEVICE), times=3)])
    assert [(row.source, row.target, row.size) for row in profile.flows] == [
        (-1, 0, 3 * 64), (-1, 1, 3 * 32), (0, 1, 3 * COPY),
    ]  # fmt: skip


def test_a_fused_operator_names_all_nodes_that_its_kernel_runs() -> None:
    drawing = Drawing()
    source = drawing.input("x", 1, 16, 8, 8)
    drawing.add("Relu", [drawing.conv(source, "block.conv", 32)], "block.relu")
    program = compiled(drawing.graph("block.relu"))
    profile = build_profile([Phase(execution=simulate(program, DEVICE))])
    conv = next(row for row in profile.operators if row.op == "Conv")
    assert [(node.name, node.op, node.shape) for node in conv.sources] == [
        ("block.conv", "Conv", (1, 32, 8, 8)), ("block.relu", "Relu", (1, 32, 8, 8)),
    ]  # fmt: skip
    assert (conv.shape, conv.dtype, conv.scope) == ((1, 32, 8, 8), "float16", "model.block.conv")
    assert profile.pass_log == program.pass_log
    assert profile.machine is not None
    assert (profile.machine.digest, profile.machine.sources) == (DEVICE.digest, {})
