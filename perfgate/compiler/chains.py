"""Chains of elementwise operators become one vector kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.opclass import ELEMENTWISE
from perfgate.compiler.switches import Fusion
from perfgate.compiler.workgraph import share_kernel

if TYPE_CHECKING:
    from perfgate.compiler.fusion import Fuser
    from perfgate.compiler.workgraph import WorkNode
    from perfgate.core.device import Device

MOST_OPS = 16  # SIMULATOR section 4


def most_live_values(device: Device) -> int:
    """Operands and result that one chain may keep in the vector buffer.

    Each needs two tiles (one is filled while the other is used) long enough to hide the DMA latency: latency
    times the core's share of the DRAM rate.
    """
    tile = device.dma.latency_ns * device.dram.gb_s / device.cores.vector
    return max(3, int(device.buffers.vector_bytes / (2 * tile)))  # two operands and a result always fit


def fuse_chains(fuser: Fuser, device: Device) -> None:
    """Grow chains in topological order: a node with one elementwise user takes it in, up to the limits."""
    limit = most_live_values(device)
    is_off = Fusion.ELEMENTWISE in fuser.off
    for node in fuser.work.slots[:]:
        if node is None or node.slot < 0 or node.op not in ELEMENTWISE or node.epilogue:
            continue
        while True:
            user = _next_user(fuser, node)
            if user is None:
                break
            if is_off:
                fuser.refuse(
                    node, user, "switched-off", f"{Fusion.ELEMENTWISE} is off in the fusion switch file"
                )
                break
            if not _fits(fuser, node, user, limit):
                break
            fuser.take(node, user, node.outputs[0], f"{user.op} joins the chain")


def _next_user(fuser: Fuser, node: WorkNode) -> WorkNode | None:
    inner = node.outputs[0]
    users = inner.consumers
    if not users:
        return None
    if inner.is_output or users.count(users[0]) != len(users):
        user = next((other for other in users if other.op in ELEMENTWISE and not other.epilogue), None)
        if user is not None and user.sources[0].is_estimated is False:
            code = "graph-output" if inner.is_output else "multi-consumer"
            fuser.refuse(node, user, code, f"{inner.name} must be written for its {len(users)} users")
        return None
    user = users[0]
    is_member = user.op in ELEMENTWISE and not user.epilogue and share_kernel(user, node)
    return user if is_member else None


def _fits(fuser: Fuser, node: WorkNode, user: WorkNode, limit: int) -> bool:
    inner = node.outputs[0]
    if user.outputs[0].shape != inner.shape:
        fuser.refuse(node, user, "shape-change", f"{list(inner.shape)} becomes {list(user.outputs[0].shape)}")
        return False
    if len(node.epilogue) + 1 >= MOST_OPS:
        fuser.refuse(node, user, "buffer-too-small", f"the chain holds {MOST_OPS} operators already")
        return False
    live = len(node.inputs) + len(user.inputs)  # operands of both without the inner value, plus the result
    if live > limit:
        fuser.refuse(
            node, user, "buffer-too-small", f"{live} live values, the vector buffer holds tiles of {limit}"
        )
        return False
    return True
