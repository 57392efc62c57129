"""A page in a browser: what it asked for, what it said, and what its Bokeh models are."""

from __future__ import annotations

from typing import Any

_VIOLATIONS = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""
_MAIN = "Bokeh.documents.map((one) => one.get_model_by_name('main')).filter((one) => one).at(-1)"
_PLACE = """
([x, y]) => {
  const main = Bokeh.documents.map((one) => one.get_model_by_name("main")).filter((one) => one).at(-1);
  const drawn = Bokeh.index.find_one(main);
  const box = drawn.el.getBoundingClientRect();
  const inner = drawn.frame.bbox;
  const share = (value, range) => (value - range.start) / (range.end - range.start);
  return [
    box.left + inner.left + share(x, main.x_range) * inner.width,
    box.top + inner.top + (1 - share(y, main.y_range)) * inner.height,
  ];
}
"""
_TABLES = """
(view) => [...document.querySelectorAll(`#panel-${view} table`)].map((table) =>
  [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent)))
"""


class OpenedPage:
    """Drives one page; every request, console message and error of it is kept."""

    def __init__(self, page: Any, address: str) -> None:  # noqa: ANN401 - Playwright's page
        self.page = page
        self.address = address
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.add_init_script(_VIOLATIONS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda said: self.messages.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.messages.append(f"error: dialog {dialog.message}"))

    def go(self, view: str) -> None:
        """Open a view by its address and wait until it is drawn; "" is the first."""
        self.page.goto(f"{self.address}#{view}" if view else self.address)
        name = view.partition("/")[0]
        self.page.wait_for_selector(f"html[data-ready={name}]" if name else "html[data-ready]")

    def complaints(self) -> list[str]:
        """Warnings, errors and violations of the policy, and requests for anything but the file."""
        loud = [text for text in self.messages if text.startswith(("warning", "error", "assert"))]
        foreign = [url for url in self.requests if url.partition("#")[0] != self.address]
        violations: list[str] = self.page.evaluate("window.violations")
        return [*loud, *foreign, *violations]

    def until(self, expression: str) -> None:
        """Wait for something to be true; Playwright's own way needs `eval`, which the page forbids."""
        for _ in range(500):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never true: {expression}")

    def text(self, selector: str) -> str:
        """The text of an element."""
        found: str = self.page.inner_text(selector)
        return found

    def range(self) -> tuple[float, float]:
        """What the last built main plot shows along x."""
        start, end = self.page.evaluate(f"[{_MAIN}.x_range.start, {_MAIN}.x_range.end]")
        return start, end

    def click_at(self, x: float, y: float) -> None:
        """Click into the last built main plot at a place in its data."""
        self.page.mouse.click(*self.page.evaluate(_PLACE, [x, y]))

    def point_at(self, x: float, y: float) -> None:
        """Move the mouse there, in two steps as a hand does."""
        place = self.page.evaluate(_PLACE, [x, y])
        self.page.mouse.move(place[0] - 5, place[1] - 2)
        self.page.mouse.move(*place)

    def tables(self, view: str) -> list[list[list[str]]]:
        """The cells of a view's tables as they stand in the page, headers first."""
        found: list[list[list[str]]] = self.page.evaluate(_TABLES, view)
        return found
