"""Scopes of two programs under common names, and the smallest scope that both of them have."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.diagnose.nodes import NodeList

LEAST_ALIKE = 0.5  # of the operator types of two scopes, before one counts as the other under a new name


def parents(scope: str) -> Iterable[str]:
    """The scope itself, then all that contain it, "" (everything) last."""
    while scope:
        yield scope
        scope = scope.rpartition(".")[0]
    yield ""


def scopes_with_parents(scopes: Iterable[str]) -> set[str]:
    """All paths that hold something."""
    return {parent for scope in set(scopes) for parent in parents(scope)}


def smallest_shared(scope: str, known: set[str]) -> str:
    """The scope, or the nearest of its parents, that the other side has as well."""
    return next(parent for parent in parents(scope) if parent in known or not parent)


def renamed_prefixes(left: NodeList, right: NodeList) -> tuple[tuple[str, str], ...]:
    """Scopes that have another name on the right as a whole, most used first: `model.unet` is now `unet`.

    Paths that only one side has vote: those with a common end that is unique on the other side, if what lies
    in them is alike. A block that moved from one scope to another is no new name: both scopes still exist.
    """
    gone, new = _types_of_unshared(left, right), _types_of_unshared(right, left)
    known = scopes_with_parents(left.scopes), scopes_with_parents(right.scopes)
    by_end: dict[str, list[str]] = defaultdict(list)
    for scope in new:
        for end in _ends(scope):
            by_end[end].append(scope)
    votes: Counter[tuple[str, str]] = Counter()
    for scope, types in gone.items():
        end = next((end for end in _ends(scope) if end in by_end), "")
        if end and len(by_end[end]) == 1 and _are_alike(types, new[by_end[end][0]]):
            prefixes = _without(scope, end), _without(by_end[end][0], end)
            if prefixes[0] not in known[1] - {""} and prefixes[1] not in known[0] - {""}:
                votes[prefixes if all(prefixes) else _with_word(prefixes, end)] += 1
    return tuple(prefixes for prefixes, _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])))


def rename(scope: str, prefixes: Iterable[tuple[str, str]], known: set[str]) -> str:
    """The name on the right: by the first prefix that leads to a known scope."""
    for old, new in prefixes:
        if scope == old or scope.startswith(f"{old}."):
            target = new + scope[len(old) :]
            if target in known:
                return target
    return scope


def _types_of_unshared(nodes: NodeList, others: NodeList) -> Mapping[str, Counter[str]]:
    shared = set(others.scopes)
    types: dict[str, Counter[str]] = {}
    for scope, (op, *_) in zip(nodes.scopes, nodes.kinds, strict=True):
        if scope not in shared:
            types.setdefault(scope, Counter())[op] += 1
    return types


def _ends(scope: str) -> Iterable[str]:
    """Ends of the path from longest to shortest."""
    while scope:
        yield scope
        scope = scope.partition(".")[2]


def _without(scope: str, end: str) -> str:
    return scope[: len(scope) - len(end)].rstrip(".")


def _with_word(prefixes: tuple[str, str], end: str) -> tuple[str, str]:
    """Where one side has no prefix, the first word that follows says which paths are meant."""
    word = end.partition(".")[0]
    return f"{prefixes[0]}.{word}".lstrip("."), f"{prefixes[1]}.{word}".lstrip(".")


def _are_alike(types: Counter[str], others: Counter[str]) -> bool:
    return (types & others).total() >= LEAST_ALIKE * max(types.total(), others.total())
