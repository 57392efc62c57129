"""The seam of the page: what every view hands in, and what the page's script understands of it.

A view is tables and a drawing of the same numbers. The drawing is a Bokeh layout made of columns that Python
computed; `assets/report.js` finds in it, by name and tag, what it has to drive. `View.walk` are columns with
one row per thing that can be selected, in reading order:

- `op` (index of the page's operator, -1 for none);
- optional `label` (what the bar below the view says of it); without it the rows of the first table are those
  of the walk, and the bar says what stands there;
- optional `x0`, `x1`, `y0`, `y1` (its box, for the outline of the selected thing and for drilling down),
  `up`, `down`, `left`, `right` (rows that the arrow keys lead to, -1 for none), `parent` (row, for breadcrumb
  and Esc), `name` (its short text in breadcrumb and box, else the row's first cell; `inside` where the box
  has another), `act` (index into `View.actions`, run by click or Enter, -1 for none), `copy` (text that a
  click copies), `around` (how many of its own widths stay visible on either side when a row is zoomed to).

In the drawing:

- a source with a column `row`: clicking one of its glyphs selects that row of the walk, and the mouse over it
  shows as plain text the column `tip`, or the row's `label`: no Bokeh tooltip ever holds a name;
- the plot named `main`: zoomed into a selected box; its `x_range` is what `brushes` sets;
- the sources `cursor` (columns `x0`, `x1`, `y0`, `y1`: where the outline is put) and `labels` (`x`, `y`,
  `text`: filled with the `name` of each box that is wide enough), from `drawing.add_cursor` and `add_labels`;
- renderers tagged `{"detail": [least, most]}`: shown while one pixel of `main` is at least `least` and less
  than `most` units wide, so that a far view draws few merged bars;
- a range tagged `{"scale": f}`: kept at `f` times the x range of `main`, for a second axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bokeh.models import LayoutDOM

MAIN = "main"
CURSOR = "cursor"
LABELS = "labels"
WALK = "walk"

Columns = dict[str, "Sequence[float] | Sequence[str]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A view's numbers as text: what a screen reader, a printer or a test reads.

    `rows` hold one text per column of `header`; the first is the row's own header. `keys` sort a column, one
    row of numbers or texts per row; without them the texts do. `operators` are indices of the page's
    operators by row, -1 for none.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[float | str, ...], ...] = ()
    operators: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A property of a named model of the drawing put to a value; `glyph.left` reaches into a renderer.

    A field of a source is `{"field": "share_left"}`, as in Bokeh's own JSON. The model `walk` is the walk
    itself, and its paths are the names of columns: what can be selected moves with the drawing.
    """

    model: str
    path: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A button: its word, and what it puts."""

    label: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A group of which one option holds; the first does at the start, and the drawing already shows it."""

    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Swatch:
    """A colour of the drawing and what it means."""

    colour: str
    text: str
    is_hatched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One tab of the page. `name` is the word of its address (`#flame`), `title` that of its tab.

    `hint` says in a line what is drawn and what mouse and keys do. `draw` imports Bokeh, so it is called
    when the page is written and by tests of the drawing only. `brushes` names the view whose `main` plot
    takes the x range selected in this one.
    """

    name: str
    title: str
    hint: str
    tables: tuple[Table, ...]
    draw: Callable[[], LayoutDOM]
    walk: Columns
    choices: tuple[Choice, ...] = ()
    actions: tuple[Option, ...] = ()
    buttons: tuple[Option, ...] = ()
    brushes: str = ""
    legend: tuple[Swatch, ...] = ()
    notes: tuple[str, ...] = ()
