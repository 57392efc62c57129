from perfgate.compiler.partial_order import OrderIndex, PartialOrder
from perfgate.compiler.program import Access, Kernel, KernelKind


def kernel(index: int, reads: tuple[int, ...], writes: int, *dependencies: int) -> Kernel:
    return Kernel(
        index, f"k{index}", "Exp", KernelKind.VECTOR, "Exp", "float16", 0, dependencies,
        tuple(Access(buffer, 1) for buffer in reads), (Access(writes, 1),),
    )  # fmt: skip


# 0 -> 1 -> 3 and 0 -> 2 -> 3: kernel n writes buffer n.
DIAMOND = [kernel(0, (), 0), kernel(1, (0,), 1, 0), kernel(2, (0,), 2, 0), kernel(3, (1, 2), 3, 1, 2)]


def test_a_kernel_comes_after_all_its_ancestors_and_nobody_else() -> None:
    order = PartialOrder(DIAMOND, frozenset())
    assert order.all_before((0, 1, 2), 3)
    assert not order.all_before((1,), 2)
    assert order.before(3).tolist() == [True, True, True, False, False]


def test_branches_may_be_alive_together_and_what_is_used_up_may_not() -> None:
    order = PartialOrder(DIAMOND, frozenset())
    index = OrderIndex(order, [0, 1, 2, 3], [order.users((buffer,)) for buffer in range(4)])
    index.add(0, (0, 10))
    index.add(1, (10, 20))
    assert index.overlapping(2) == [(0, 10), (10, 20)]  # its operand, and the other branch
    assert index.overlapping(3) == [(10, 20)]  # buffer 0 is used up by both branches


def test_what_outlives_the_program_is_never_free() -> None:
    order = PartialOrder(DIAMOND, frozenset({0}))
    index = OrderIndex(order, [0, 3], [order.users((0,)), order.users((3,))])
    index.add(0, (0, 10))
    assert index.overlapping(1) == [(0, 10)]
