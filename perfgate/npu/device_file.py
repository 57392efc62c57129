"""Device files: YAML in, one frozen `Device` out, with the mark, note and place of every value.

A value is `[value, mark, note]` or a bare value (then assumed). `base: name` inherits what is left out.
A key that no cost formula reads is an error, since a misspelt rate would otherwise change nothing in silence.
"""

from __future__ import annotations

from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

import msgspec
import yaml

from perfgate.core.device import Device, Mark, Source
from perfgate.core.errors import UsageError
from perfgate.npu.device_check import check_value

if TYPE_CHECKING:
    from collections.abc import Sequence

BUILT_IN = Path(__file__).parent / "devices"
_OWN_KEYS = ("name", "soc_versions")  # say which machine this is, so a base does not hand them on
_COMPUTED = ("sources", "digest")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is ten times faster where it exists


class DeviceError(UsageError):
    """A device file that is absent, or holds a key or value that means nothing."""


class Leaf(msgspec.Struct, frozen=True):
    """One value of a file before inheritance is resolved."""

    value: Any
    source: Source


def list_devices(search: Sequence[Path] = ()) -> tuple[str, ...]:
    """Names of all devices that `load_device` finds, sorted."""
    folders = (*search, BUILT_IN)
    return tuple(sorted({path.stem for folder in folders for path in folder.glob("*.yaml")}))


def load_device(name: str, *, search: Sequence[Path] = ()) -> Device:
    """The device of this name; folders of `search` come before the built-in ones.

    Raises:
        DeviceError: no such file, a key or value that does not fit, a missing value, or a circle of bases.
    """
    leaves = _load_leaves(name, tuple(search), ())
    return _build(leaves, name)


def soc_device(soc_version: str, *, search: Sequence[Path] = ()) -> str:
    """Name of the device that stands for a chip, as `--soc_version` names it.

    Raises:
        DeviceError: no device, or several, list this chip.
    """
    known = {name: load_device(name, search=search).soc_versions for name in list_devices(search)}
    found = [name for name, versions in known.items() if soc_version in versions]
    if len(found) == 1:
        return found[0]
    what = f"several devices stand for {soc_version!r}" if found else f"no device stands for {soc_version!r}"
    chips = ", ".join(version for versions in known.values() for version in versions)
    remedy = "name the device in the suite" if found else f"known chips are {chips}"
    raise DeviceError(what, "--soc_version", remedy)


def device_digest(device: Device) -> str:
    """SHA-256 over the values, without notes, marks and places."""
    bare = msgspec.structs.replace(device, sources={}, digest="")
    return sha256(msgspec.json.encode(bare, order="deterministic")).hexdigest()


def _load_leaves(name: str, search: tuple[Path, ...], chain: tuple[str, ...]) -> dict[str, Leaf]:
    path = _find(name, search, chain)
    if name in chain:
        raise DeviceError(f"base devices form a circle {[*chain, name]}", str(path), "remove one `base:`")
    root = _compose(path)
    leaves: dict[str, Leaf] = {}
    base = ""
    for key_node, value_node in root.value:
        if key_node.value == "base":
            base = str(value_node.value)
    if base:
        inherited = _load_leaves(base, search, (*chain, name))
        leaves = {key: leaf for key, leaf in inherited.items() if key not in _OWN_KEYS}
    leaves.update(_flatten(root, Device, "", path))
    return leaves


def _find(name: str, search: tuple[Path, ...], chain: tuple[str, ...]) -> Path:
    for folder in (*search, BUILT_IN):
        path = folder / f"{name}.yaml"
        if path.is_file():
            return path
    known = list_devices(search)
    guess = _did_you_mean(name, known)
    where = f"base of {chain[-1]!r}" if chain else "devices"
    raise DeviceError(f"unknown device {name!r}", where, f"{guess}known are {', '.join(known)}")


def _compose(path: Path) -> yaml.MappingNode:
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DeviceError(f"not YAML, {error.problem}", f"{path}:{line}", "mend the syntax") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise DeviceError("not YAML text", str(path), "save the file as UTF-8 YAML") from error
    if not isinstance(root, yaml.MappingNode):
        raise DeviceError("a device file is a mapping", f"{path}:1", "write `key: [value, mark, note]` lines")
    return root


def _flatten(node: yaml.MappingNode, struct: type[Any], prefix: str, path: Path) -> dict[str, Leaf]:
    hints = _hints(struct)
    leaves: dict[str, Leaf] = {}
    for key_node, value_node in node.value:
        key, place = str(key_node.value), f"{path}:{key_node.start_mark.line + 1}"
        dotted = f"{prefix}{key}"
        if dotted == "base":
            continue
        if key not in hints or dotted in _COMPUTED:
            guess = _did_you_mean(key, tuple(hints))
            raise DeviceError(f"unknown key {dotted!r}", place, f"{guess}known are {', '.join(hints)}")
        if dotted in leaves or any(known.startswith(f"{dotted}.") for known in leaves):
            raise DeviceError(f"key {dotted!r} stands twice", place, "keep one of them")
        if not _is_struct(hints[key]):
            leaves[dotted] = _leaf(value_node, hints[key], dotted, place)
        elif isinstance(value_node, yaml.MappingNode):
            leaves.update(_flatten(value_node, hints[key], f"{dotted}.", path))
        else:
            raise DeviceError(f"{dotted!r} is a group of values", place, "indent its keys under it")
    return leaves


def _leaf(node: yaml.Node, kind: Any, dotted: str, place: str) -> Leaf:  # noqa: ANN401 - a type hint as a value
    try:
        raw = _plain(node)
    except (yaml.YAMLError, ValueError) as error:  # a tag nobody knows, a date that is none
        raise DeviceError(f"{dotted!r} is no plain value", place, "write a number, text or list") from error
    if get_origin(kind) is tuple:
        value, source = _list_value(raw, kind.__args__[0], dotted, place)
    else:
        value, source = _marked_value(raw, dotted, place)
    try:
        value = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise DeviceError(
            f"{dotted!r} does not fit, {str(error).lower()}", place, "correct the value"
        ) from error
    problem = check_value(dotted, value)
    if problem:
        raise DeviceError(f"{dotted!r} is {value!r}", place, problem)
    return Leaf(value, source)


def _marked_value(raw: Any, dotted: str, place: str) -> tuple[Any, Source]:  # noqa: ANN401 - YAML values
    if not isinstance(raw, list):
        return raw, Source(Mark.ASSUMED, "", place)
    if len(raw) not in (2, 3):
        raise DeviceError(f"{dotted!r} has {len(raw)} parts", place, "write `[value, mark, note]`")
    return raw[0], Source(_mark(raw[1], dotted, place), str(raw[2]) if len(raw) == 3 else "", place)  # noqa: PLR2004 - with a note


def _list_value(raw: Any, item: type[Any], dotted: str, place: str) -> tuple[Any, Source]:  # noqa: ANN401 - YAML values
    if not isinstance(raw, list):
        raise DeviceError(f"{dotted!r} is a list", place, "write one item a line, each after `- `")
    if not _is_struct(item):
        return raw, Source(Mark.PUBLISHED, "", place)
    known = (*_hints(item), "mark", "note")
    notes, values, marks = [], [], []
    for entry in raw:
        if not isinstance(entry, dict):
            raise DeviceError(f"an item of {dotted!r} is a mapping", place, f"keys are {', '.join(known)}")
        for key in entry:
            if key not in known:
                guess = _did_you_mean(str(key), known)
                raise DeviceError(
                    f"unknown key {key!r} in {dotted!r}", place, f"{guess}known are {', '.join(known)}"
                )
        marks.append(_mark(entry.get("mark", "A"), dotted, place))
        notes.append(str(entry.get("note", "")))
        values.append({key: value for key, value in entry.items() if key not in ("mark", "note")})
    return values, Source(marks[0] if marks else Mark.ASSUMED, "; ".join(filter(None, notes)), place)


def _mark(raw: Any, dotted: str, place: str) -> Mark:  # noqa: ANN401 - YAML values
    try:
        return Mark(raw)
    except ValueError as error:
        remedy = "P published, D derived, A assumed, C calibrated"
        raise DeviceError(f"unknown mark {raw!r} of {dotted!r}", place, remedy) from error


def _build(leaves: dict[str, Leaf], name: str) -> Device:
    missing = [key for key in _required(Device, "") if key not in leaves and key != "name"]
    if missing:
        remedy = "add them, or inherit them with `base: NAME`"
        raise DeviceError(f"missing values {', '.join(missing)}", f"device {name!r}", remedy)
    nested: dict[str, Any] = {"name": name}
    for dotted, leaf in leaves.items():
        *groups, key = dotted.split(".")
        target = nested
        for group in groups:
            target = target.setdefault(group, {})
        target[key] = msgspec.to_builtins(leaf.value)
    if nested["name"] != name:
        where = leaves["name"].source.place
        raise DeviceError(f"the file of {name!r} names itself {nested['name']!r}", where, "make them equal")
    device = msgspec.convert(nested, Device)
    sources = {dotted: leaf.source for dotted, leaf in sorted(leaves.items())}
    return msgspec.structs.replace(device, sources=sources, digest=device_digest(device))


def _required(struct: type[Any], prefix: str) -> list[str]:
    keys: list[str] = []
    hints = _hints(struct)
    for field in msgspec.structs.fields(struct):
        if not field.required:
            continue
        kind = hints[field.name]
        if _is_struct(kind):
            keys += _required(kind, f"{prefix}{field.name}.")
        else:
            keys.append(f"{prefix}{field.name}")
    return keys


def _plain(node: yaml.Node) -> Any:  # noqa: ANN401 - YAML values
    return yaml.constructor.SafeConstructor().construct_document(node)


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"did you mean {close[0]!r}? " if close else ""


def _is_struct(kind: Any) -> bool:  # noqa: ANN401 - a type hint as a value
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _hints(struct: type[Any]) -> dict[str, Any]:
    return get_type_hints(struct)
