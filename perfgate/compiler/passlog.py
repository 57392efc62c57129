"""The pass log: every decision of every pass, applied or refused, in deterministic order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.pass_entry import PassEntry

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkNode
    from perfgate.core.device import Device

_PS_PER_US = 1_000_000


class PassLog:
    """Collects entries; `benefit` follows from bytes and kernels saved on the given device.

    The estimate counts DRAM time of the bytes and launches of the kernels; overlap is ignored, so it is an
    upper bound of the gain.
    """

    __slots__ = ("_ps_per_kernel", "_ps_per_megabyte", "entries")

    def __init__(self, device: Device) -> None:
        self.entries: list[PassEntry] = []
        self._ps_per_kernel = int(device.launch.compiled_us * _PS_PER_US)
        # 1 MB at 1 GB/s takes 1 ms, that is 1e9 ps.
        self._ps_per_megabyte = int(1_000_000_000 / device.dram.gb_s)

    def applied(  # noqa: PLR0913 - keywords only beyond the third, all with defaults
        self,
        pass_name: str,
        node: WorkNode,
        reason: str,
        *,
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
        saved: tuple[int, int] = (0, 0),
        details: dict[str, int | str] | None = None,
    ) -> None:
        """A change that was made; `saved` is (bytes, kernels) per execution, negative when it costs."""
        size, kernels = saved
        estimate = kernels * self._ps_per_kernel + size * self._ps_per_megabyte // 1_000_000
        self.entries.append(
            PassEntry(
                pass_name, node.where, before or (node.label,), after, reason,
                applied=True, bytes_saved=size, kernels_saved=kernels, estimated_ps=estimate,
                details=details or {},
            )
        )  # fmt: skip

    def refused(  # noqa: PLR0913 - the last two have defaults
        self,
        pass_name: str,
        node: WorkNode,
        code: str,
        sentence: str,
        before: tuple[str, ...] = (),
        *,
        details: dict[str, int | str] | None = None,
    ) -> None:
        """A candidate that was left alone, with the reason code and a sentence."""
        labels = before or (node.label,)
        reason = f"{code}: {sentence}"
        self.entries.append(
            PassEntry(
                pass_name, node.where, labels, labels, reason, applied=False, details=details or {}
            )
        )  # fmt: skip

    def no_route(
        self, pass_name: str, node: WorkNode, change: str, facts: dict[str, int | str], size: int
    ) -> None:
        """A conversion that no device route covers makes a round trip over the host, `size` bytes in all."""
        written = ", ".join(f"{key}: {value}" for key, value in facts.items())
        reason = f"no-route: {change} fits no route of the device ({written})"
        estimate = -size * self._ps_per_megabyte // 1_000_000
        labels = (node.label,)
        self.entries.append(
            PassEntry(
                pass_name, node.where, labels, labels, reason,
                applied=False, bytes_saved=-size, kernels_saved=-3, estimated_ps=estimate, details=facts,
            )
        )  # fmt: skip

    def note(self, pass_name: str, where: str, reason: str, *, applied: bool = False) -> None:
        """An entry about the program as a whole."""
        self.entries.append(PassEntry(pass_name, where, (), (), reason, applied))
