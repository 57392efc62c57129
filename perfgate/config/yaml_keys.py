"""The leaves of a YAML file: aliases followed, merges resolved, repeated keys kept and named."""

from __future__ import annotations

from perfgate.config.key_paths import MAX_NODES, BrokenTextError, KeyTree, Leaf, PathPart
from perfgate.config.yaml_load import YamlNode, load_yaml


def yaml_keys(text: str) -> KeyTree:
    """The leaves of all documents in document order; a value behind an alias is placed at its anchor."""
    loaded = load_yaml(text)
    walk = _Walk(text)
    broken = loaded.broken
    try:
        for document in loaded.documents:
            walk.visit(document, ())
    except BrokenTextError as error:
        broken = error
    return KeyTree(leaves=tuple(walk.leaves), repeated=tuple(walk.repeated), broken=broken)


class _Walk:
    """Collects leaves and counts steps, since few aliases can stand for very many values."""

    __slots__ = ("_noted", "_steps", "_text", "leaves", "repeated")

    def __init__(self, text: str) -> None:
        self._text = text
        self._steps = 0
        self._noted: set[int] = set()
        self.leaves: list[Leaf] = []
        self.repeated: list[tuple[str, int]] = []

    def visit(self, node: YamlNode, path: tuple[PathPart, ...]) -> None:
        self._steps += 1
        if self._steps > MAX_NODES:
            raise BrokenTextError(f"its aliases stand for more than {MAX_NODES} values", node.start)
        if node.kind == "scalar":
            self.leaves.append(_leaf(node, path))
            return
        seen: set[str] = set()
        for key, value in node.pairs:
            name = self._name(key)
            if name in seen and key.start not in self._noted:
                self.repeated.append((name, key.start))
                self._noted.add(key.start)
            seen.add(name)
            self.visit(value, (*path, name))
        for index, item in enumerate(node.items):
            self.visit(item, (*path, index))

    def _name(self, key: YamlNode) -> str:
        """The text of a key; of a key that is itself a collection, the text as written."""
        return key.text if key.kind == "scalar" else self._text[key.start : key.end].strip()


def _leaf(node: YamlNode, path: tuple[PathPart, ...]) -> Leaf:
    kind = node.scalar_type
    text = node.text.lower() if kind == "bool" else node.text
    return Leaf(path=path, type=kind, text=text, start=node.start, end=node.end)
