from perfgate.compiler.routes import RouteTable
from perfgate.compiler.workgraph import WorkValue
from perfgate.core.device import Position, Via
from perfgate.graph.ir import Tensor
from tests.graphs import GPU, device


def value(*shape: int, dtype: str = "float16") -> WorkValue:
    return WorkValue(Tensor("t", shape, dtype))


def via(source: str, target: str, position: Position, *shape: int, on: str = "ascend-310p-like") -> Via:
    return RouteTable(device(on)).find(value(*shape), source, target, position).via


def test_the_table_of_the_blocked_machine() -> None:
    # SIMULATOR section 5; 16 x 16 fp16 is 512 B per channel, 17 x 12 is 408 B, not a multiple of 32.
    aligned, odd = (8, 1280, 16, 16), (8, 1280, 17, 12)
    assert via("NHWC", "NC1HWC0", Position.PORT, *odd) is Via.DMA
    assert via("NHWC", "NC1HWC0", Position.PORT, 1, 3, 8, 8) is Via.KERNEL
    assert via("NCHW", "NC1HWC0", Position.PORT, *aligned) is Via.KERNEL
    assert via("NCHW", "NC1HWC0", Position.PORT, *odd) is Via.HOST
    assert via("NCHW", "NC1HWC0", Position.EDGE, *odd) is Via.KERNEL
    assert via("NCHW", "NHWC", Position.PORT, *odd, on=GPU) is Via.KERNEL


def test_the_stride_between_two_aligned_ones_names_both() -> None:
    table = RouteTable(device())
    facts = table.missed_alignment(value(1, 32, 25, 41), "NCHW", "NC1HWC0")
    assert facts == {"stride": 1025, "alignment": 16, "nearest": 1024, "pad_to": 1040, "route": "host"}
    # 204 lies between 192 and 208, closer to 208; fp32 halves the elements of a block.
    assert table.missed_alignment(value(1, 32, 17, 12), "NCHW", "NC1HWC0")["nearest"] == 208
    assert table.missed_alignment(value(1, 32, 17, 12, dtype="float32"), "NCHW", "NC1HWC0")["alignment"] == 8


def test_a_stride_below_one_block_names_the_block() -> None:
    facts = RouteTable(device()).missed_alignment(value(1, 32, 1, 5), "NCHW", "NC1HWC0")
    assert (facts["nearest"], facts["pad_to"]) == (16, 16)


def test_layouts_that_no_row_mentions_have_no_alignment() -> None:
    assert RouteTable(device()).missed_alignment(value(1, 32, 5, 5), "NCHW", "ODD") == {"route": "host"}


def test_a_slow_route_says_which_alignment_the_better_one_above_it_wants() -> None:
    table = RouteTable(device())
    slow = table.find(value(1, 32, 25, 41), "NCHW", "NHWC", Position.EDGE)
    assert slow.efficiency < 1
    facts = table.passed_over(value(1, 32, 25, 41), slow, "NCHW", "NHWC")
    assert facts == {"stride": 1025, "alignment": 16, "nearest": 1024, "pad_to": 1040, "route": "kernel"}
    best = table.find(value(1, 32, 32, 32), "NCHW", "NHWC", Position.EDGE)
    assert table.passed_over(value(1, 32, 32, 32), best, "NCHW", "NHWC") == {}
