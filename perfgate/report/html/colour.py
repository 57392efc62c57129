"""Colours of the page: changes from faster to slower, heat, and a few categories; readable without hue.

Orange and blue lie apart in the three common colour deficiencies. Each step of a change is at least three
times lighter or darker than its neighbour, so that a print in grey shows how much; hatching and a sign say
which way.
"""

from __future__ import annotations

# From much faster to much slower, by relative change; `LIMITS` lie between them.
CHANGES = ("#032568", "#2a6ff8", "#ececec", "#bc6706", "#402302")
CHANGE_WORDS = ("faster by 20 % or more", "faster", "within 1 %", "slower", "slower by 20 % or more")
LIMITS = (-0.2, -0.01, 0.01, 0.2)
SAME = CHANGES[2]
NEW = "#5c2d91"  # an operator that has no before
GONE = "#6b6b6b"  # one that has no after
# Share of the whole latency: under 2 %, 2-10, 10-25, over 25 %. Four steps cannot lie 3:1 apart between white
# and black, so bars of these classes have an outline, and the class stands in the text as well.
HEAT = ("#f6e3b4", "#e39a3b", "#b3441b", "#4d0d0d")
HEAT_WORDS = ("under 2 %", "2 to 10 %", "10 to 25 %", "over 25 % of the latency")
HEAT_LIMITS = (0.02, 0.10, 0.25)
# How busy something is, in five steps from hardly to fully; the numbers stand in tips and table.
SHADES = ("#f3ecd8", "#e5c07a", "#d08a2e", "#a04a16", "#561608")
# Categories with no order, such as engines and copy routes; each is also named beside its use.
CATEGORIES = ("#0072b2", "#b35900", "#00694d", "#8a4a72", "#3d3d3d", "#7a6a00")
SAFE, WARNING, DANGER = "#00694d", "#b35900", "#8f1d1d"
HATCHED, PLAIN = "right_diagonal_line", "blank"


def change_class(before: float, after: float) -> int:
    """Index into `CHANGES`; what is new counts as much slower."""
    if before <= 0:
        return 4 if after > 0 else 2
    return sum(after > before * (1 + limit) for limit in LIMITS)


def change_colour(before: float, after: float) -> str:
    """The colour of a change: blue is faster, orange slower, grey within 1 %, violet new."""
    return NEW if before <= 0 < after else CHANGES[change_class(before, after)]


def is_faster(before: float, after: float) -> bool:
    """What is hatched, for eyes and prints that see no hue."""
    return change_class(before, after) < CHANGES.index(SAME)


def change_hatch(before: float, after: float) -> str:
    """The pattern of one glyph by its change, where glyphs are few: Bokeh makes a canvas for each."""
    return HATCHED if is_faster(before, after) else PLAIN


def change_sign(before: float, after: float) -> str:
    """`+` slower, `-` faster, `=` within 1 %, `new` without a before: what colour says, in a word."""
    if before <= 0:
        return "new" if after > 0 else "="
    return "--=++"[change_class(before, after)]


def heat_colour(share: float) -> str:
    """The colour of a share of the latency."""
    return HEAT[sum(share > limit for limit in HEAT_LIMITS)]
