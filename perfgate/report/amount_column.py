"""A column of whole-number amounts: one unit, three significant digits of the total, parts that add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Steps of each unit of an attribution: how many of it make one of the printed unit.
_STEPS = {
    "ps": ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps")),
    "B": ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B")),
    "nJ": ((10**9, "J"), (10**6, "mJ"), (10**3, "uJ"), (1, "nJ")),
}
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class AmountColumn:
    """How the amounts of one column are printed: `factor` amounts are one `unit`, with `decimals` digits."""

    factor: int
    unit: str
    decimals: int

    @property
    def step(self) -> int:
        """The amount that one unit in the last place stands for; at least one."""
        return max(1, self.factor // int(10**self.decimals))

    def text(self, amount: int, *, signed: bool = False) -> str:
        """`1.81 s` or `+1.81 s`."""
        return self._of_steps(round_half_up(amount, self.step), signed=signed)

    def parts(self, amounts: Sequence[int], total: int) -> list[str]:
        """Signed texts whose printed sum is the printed total: largest remainder."""
        return [self._of_steps(steps, signed=True) for steps in largest_remainder(amounts, total, self.step)]

    def _of_steps(self, steps: int, *, signed: bool) -> str:
        value = steps * self.step / self.factor
        sign = "+" if signed and value >= 0 else ""
        return f"{sign}{value:.{self.decimals}f} {self.unit}"


def amount_column(unit: str, scale: int) -> AmountColumn:
    """The column whose largest amount is `scale`, with three significant digits of it."""
    size = abs(scale)
    factor, name = next((step for step in _STEPS[unit] if size >= step[0]), _STEPS[unit][-1])
    whole = len(str(size // factor)) if size >= factor else 1
    return AmountColumn(factor, name, 0 if factor == 1 else max(0, _DIGITS - whole))


def largest_remainder(amounts: Sequence[int], total: int, step: int) -> list[int]:
    """Whole steps for each amount that sum to the rounded total; the largest remainders get what is left.

    `total` is the sum of the amounts; each result is the amount in steps rounded down or up.
    """
    floors = [amount // step for amount in amounts]
    missing = round_half_up(total, step) - sum(floors)
    order = sorted(range(len(amounts)), key=lambda index: (-(amounts[index] % step), index))
    for index in order[: max(0, missing)]:
        floors[index] += 1
    return floors


def round_half_up(amount: int, step: int) -> int:
    """The nearest whole number of steps; halves go away from zero."""
    steps = (2 * abs(amount) + step) // (2 * step)
    return steps if amount >= 0 else -steps
