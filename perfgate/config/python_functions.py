"""Functions and methods of Python's library that make text, lists and tables out of others."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.python_eval import environment, joined_tables
from perfgate.config.python_texts import (
    brace_formatted,
    changed,
    joined_by,
    path_joined,
    shell_joined,
    shell_quoted,
    split_as_shell,
    split_at_blanks,
)
from perfgate.config.python_values import (
    Entry,
    Item,
    Items,
    PythonValue,
    Table,
    Text,
    Unknown,
    items_of,
    known_text,
    named,
    replaceable,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names
    from perfgate.config.spans import Placed

_CHANGES: dict[str, Callable[[str], str]] = {
    "strip": str.strip,
    "rstrip": str.rstrip,
    "lstrip": str.lstrip,
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capitalize": str.capitalize,
}
_SAME = {"encode", "decode", "copy", "resolve", "absolute", "expanduser", "as_posix", "__str__", "tolist"}


def library_value(evaluator: Evaluator, node: ast.Call, names: Names, full_name: str) -> PythonValue | None:
    """The value of a call of the standard library, or None when it is not one that is known here."""
    function = _FUNCTIONS.get(full_name)
    return function(evaluator, node, names) if function else None


def method_value(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue:
    """The value of a method call on a value that is known here."""
    unknown = Unknown(source=evaluator.source(node))
    if not isinstance(node.func, ast.Attribute):
        return unknown
    whole = evaluator.value(node.func.value, names)
    method = node.func.attr
    if isinstance(whole, Table):
        return _table_method(evaluator, node, names, whole) or unknown
    if method in _SAME and not isinstance(whole, Unknown):
        return whole
    if isinstance(whole, Text):
        return _text_method(evaluator, node, names, whole) or unknown
    return unknown


def _arguments(evaluator: Evaluator, node: ast.Call, names: Names) -> list[PythonValue]:
    values: list[PythonValue] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            values += [item.value for item in items_of(evaluator.value(argument.value, names))]
        else:
            values.append(named(evaluator.value(argument, names)))
    return values


def keywords(evaluator: Evaluator, node: ast.Call, names: Names) -> Table:
    """The keyword arguments of a call as a table; each key is placed at its name."""
    result = Table()
    for keyword in node.keywords:
        value = evaluator.value(keyword.value, names)
        if keyword.arg is None:
            more = value if isinstance(value, Table) else Table(is_open=True)
        else:
            start, _ = evaluator.code.extent(keyword)
            place = evaluator.code.text.cut(start, start + len(keyword.arg))
            more = Table(entries=(Entry(key=place, value=named(value)),))
        result = joined_tables(result, more)
    return result


def _text_method(evaluator: Evaluator, node: ast.Call, names: Names, text: Text) -> PythonValue | None:
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    place = evaluator.code.place(node)
    if method == "format":
        by_name = {entry.key.text: entry.value for entry in keywords(evaluator, node, names).entries}
        return brace_formatted(text, _arguments(evaluator, node, names), by_name, place)
    if method == "join" and node.args:
        return joined_by(text, evaluator.value(node.args[0], names), place)
    if method == "split" and not node.args:
        return split_at_blanks(text, place)
    known = [value.known for value in _arguments(evaluator, node, names) if isinstance(value, Text)]
    texts = [part for part in known if part is not None]
    return _changed_text(text, method, texts, place) if len(texts) == len(node.args) else None


def _changed_text(text: Text, method: str, texts: list[str], place: Placed) -> PythonValue | None:
    if method == "split" and texts == [" "]:
        return split_at_blanks(text, place)
    if method == "split" and text.known is not None and len(texts) == 1 and texts[0].strip():
        return _split_by(text, texts[0])
    if method in _CHANGES and not texts:
        return changed(text, _CHANGES[method], place)
    if method in {"replace", "removeprefix", "removesuffix", "strip", "rstrip", "lstrip"} and texts:
        return changed(text, lambda written: str(getattr(written, method)(*texts)), place)
    return None


def _split_by(text: Text, separator: str) -> PythonValue | None:
    only = text.atoms[0].text if len(text.atoms) == 1 else None
    if only is None:
        return None
    items: list[Item] = []
    position = 0
    for part in only.text.split(separator):
        place = only.cut(position, position + len(part))
        items.append(Item(value=known_text(place), place=place))
        position += len(part) + len(separator)
    return Items(items=tuple(items))


def _table_method(evaluator: Evaluator, node: ast.Call, names: Names, table: Table) -> PythonValue | None:
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method == "copy":
        return table
    if method in {"get", "setdefault", "pop"} and node.args:
        return _looked_up(evaluator, node, names, table)
    if table.is_open or table.is_environment:
        return None
    return _listed(table, method, evaluator.code.place(node))


def _listed(table: Table, method: str, place: Placed) -> PythonValue | None:
    """`items()`, `keys()` or `values()` of a table that is known in full."""
    keys = [Item(value=known_text(entry.key), place=entry.key) for entry in table.entries]
    values = [Item(value=entry.value, place=place) for entry in table.entries]
    if method == "keys":
        return Items(items=tuple(keys))
    if method == "values":
        return Items(items=tuple(values))
    if method != "items":
        return None
    pairs = (Items(items=pair) for pair in zip(keys, values, strict=True))
    return Items(items=tuple(Item(value=pair, place=place) for pair in pairs))


def _looked_up(evaluator: Evaluator, node: ast.Call, names: Names, table: Table) -> PythonValue | None:
    key = evaluator.key(node.args[0], names)
    if key is None:
        return None
    is_watched = table.is_environment and key.text in key.source.watch.variables
    found = None if is_watched else table.get(key.text)
    if found is not None:
        return found
    default = evaluator.value(node.args[1], names) if len(node.args) > 1 else None
    if isinstance(default, Text) and not default.is_none:
        return replaceable(Text(atoms=tuple(replace(atom, source=key.text) for atom in default.atoms)))
    return Unknown(source=key.text)


def _environment_value(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    return _looked_up(evaluator, node, names, environment(names)) if node.args else None


def _as_text(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    return replace(text_of(evaluator.value(node.args[0], names)), kind="str") if node.args else None


def _as_list(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    if not node.args:
        return Items(items=())
    return Items(items=items_of(evaluator.value(node.args[0], names)))


def _chained(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    return Items(
        items=tuple(item for argument in node.args for item in items_of(evaluator.value(argument, names)))
    )


def _as_table(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    result = keywords(evaluator, node, names)
    for argument in node.args[:1]:
        value = evaluator.value(argument, names)
        result = joined_tables(value if isinstance(value, Table) else Table(is_open=True), result)
    return result


def _path(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    if not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    parts = [(evaluator.value(argument, names), evaluator.code.place(argument)) for argument in node.args]
    if len(parts) == 1:
        return parts[0][0]
    return path_joined(parts, evaluator.code.place(node).cut(0, 0))


def _shell_split(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    if not node.args:
        return None
    return split_as_shell(text_of(evaluator.value(node.args[0], names)), evaluator.code.place(node.args[0]))


def _shell_join(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    if not node.args:
        return None
    return shell_joined(evaluator.value(node.args[0], names), evaluator.code.place(node.args[0]))


def _shell_quote(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    if not node.args:
        return None
    return shell_quoted(text_of(evaluator.value(node.args[0], names)), evaluator.code.place(node.args[0]))


def _found_program(evaluator: Evaluator, node: ast.Call, names: Names) -> PythonValue | None:
    """`shutil.which("atc")` is a path that ends in the name."""
    return named(evaluator.value(node.args[0], names)) if node.args else None


_SAME_TEXT = (
    *("str", "os.fspath", "os.fsdecode", "os.path.abspath", "os.path.expanduser"),
    *("textwrap.dedent", "inspect.cleandoc"),  # a shell does not mind blanks before a command
)
_FUNCTIONS: Mapping[str, Callable[[Evaluator, ast.Call, Names], PythonValue | None]] = (
    dict.fromkeys(("os.getenv", "os.environ.get"), _environment_value)
    | dict.fromkeys(_SAME_TEXT, _as_text)
    | dict.fromkeys(("list", "tuple", "copy.copy", "copy.deepcopy"), _as_list)
    | dict.fromkeys(("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "os.path.join"), _path)
    | dict.fromkeys(("shutil.which", "distutils.spawn.find_executable"), _found_program)
    | dict.fromkeys(("subprocess.list2cmdline", "shlex.join"), _shell_join)
    | {
        "dict": _as_table,
        "itertools.chain": _chained,
        "shlex.split": _shell_split,
        "shlex.quote": _shell_quote,
    }
)
