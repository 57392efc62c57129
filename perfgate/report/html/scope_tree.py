"""The model as a tree of scopes: what can be opened and closed in the data-flow view."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.report.html.material import full_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.report.html.material import PageOperator

DEEPEST = 16  # scopes of a path; a name that was made to have more keeps the rest as its last word
WIDEST = 100  # children of a scope; more are put into runs, so that any model has something to close


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A scope or an operator (its page's index, -1 for a scope); `path` is its full name.

    `name` is what it is called inside its parent. Parents stand before their children.
    """

    name: str
    path: str
    parent: int
    operator: int
    operators: tuple[int, ...]
    children: tuple[int, ...] = ()

    @property
    def is_scope(self) -> bool:
        """Can be opened."""
        return bool(self.children)


@dataclass(slots=True)
class _Branch:
    """A scope that is being collected; members are scopes and operators in the order of the model."""

    word: str
    operator: int = -1
    scopes: dict[str, _Branch] = field(default_factory=dict)
    members: list[_Branch] = field(default_factory=list)

    def scope(self, word: str) -> _Branch:
        found = self.scopes.get(word)
        if found is None:
            found = self.scopes[word] = _Branch(word)
            self.members.append(found)
        return found


def scope_tree(operators: Sequence[PageOperator], title: str) -> tuple[Part, ...]:
    """All operators that exist now below part 0, which is the whole model and is called `title`.

    A scope with one member is that member, under both names. A scope with more than a hundred members gets
    runs of them as scopes.
    """
    root = _Branch(title)
    for index, operator in enumerate(operators):
        if operator.after is None:
            continue
        words = full_name(operator.row).split(".")
        *scopes, leaf = words[:DEEPEST] + ([".".join(words[DEEPEST:])] if len(words) > DEEPEST else [])
        branch = root
        for word in scopes:
            branch = branch.scope(word)
        branch.members.append(_Branch(leaf, index))
    root.members = [_joined(member) for member in root.members]
    prefix = ""
    if len(root.members) == 1 and root.members[0].members:
        prefix, root.members = root.members[0].word, root.members[0].members
    root.members = _in_runs(root.members, operators)
    return _parts(root, prefix)


def ancestors(parts: Sequence[Part], index: int) -> tuple[int, ...]:
    """The scopes that hold a part, the whole model first."""
    found = []
    while parts[index].parent >= 0:
        index = parts[index].parent
        found.append(index)
    return tuple(reversed(found))


def visible_parts(parts: Sequence[Part], opened: Iterable[int]) -> tuple[int, ...]:
    """What is seen when these scopes are open, in the order of the model."""
    is_open = frozenset(opened)
    found, waiting = [], [0]
    while waiting:
        part = waiting.pop()
        if part in is_open and parts[part].is_scope:
            waiting.extend(reversed(parts[part].children))
        else:
            found.append(part)
    return tuple(found)


def _joined(branch: _Branch) -> _Branch:
    branch.members = [_joined(member) for member in branch.members]
    if len(branch.members) == 1:
        only = branch.members[0]
        only.word = f"{branch.word}.{only.word}"
        return only
    return branch


def _in_runs(members: list[_Branch], operators: Sequence[PageOperator]) -> list[_Branch]:
    for member in members:
        member.members = _in_runs(member.members, operators)
    if len(members) <= WIDEST:
        return members
    size = math.ceil(math.sqrt(len(members)))
    runs = []
    for start in range(0, len(members), size):
        run = members[start : start + size]
        first, last = (operators[_end(run[place], place)].row.number for place in (0, -1))
        runs.append(_Branch(f"#{first} to #{last}", members=run))
    return runs


def _end(branch: _Branch, place: int) -> int:
    """The first (0) or last (-1) operator below a branch."""
    while branch.members:
        branch = branch.members[place]
    return branch.operator


def _parts(root: _Branch, prefix: str) -> tuple[Part, ...]:
    order, parents = [root], [-1]
    children: list[list[int]] = [[]]
    for place, branch in enumerate(order):  # grows while it is walked
        for member in branch.members:
            children[place].append(len(order))
            order.append(member)
            parents.append(place)
            children.append([])
    paths = [prefix] * len(order)
    for place in range(1, len(order)):
        above = paths[parents[place]]
        paths[place] = f"{above}.{order[place].word}" if above else order[place].word
    paths[0] = prefix or root.word
    below: list[list[int]] = [[branch.operator] if branch.operator >= 0 else [] for branch in order]
    for place in range(len(order) - 1, 0, -1):
        below[parents[place]] += below[place]
    return tuple(
        Part(
            name=branch.word,
            path=paths[place],
            parent=parents[place],
            operator=branch.operator,
            operators=tuple(sorted(below[place])),
            children=tuple(children[place]),
        )
        for place, branch in enumerate(order)
    )
