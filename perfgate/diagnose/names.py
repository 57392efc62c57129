"""Names of operators without the parts that a compiler or an exporter makes up anew on every run."""

from __future__ import annotations

import re

COPY_MARK = "_copy_"

# `conv_token_94` and `conv_copy_12` (inference engines), `conv2d::123` (torch's scripts), `Conv2D-op45`
# (MindSpore), `Reorder #3` (ours for nodes that a runtime puts in). `conv2` is a name that somebody chose.
_COUNTER = re.compile(r"(?:_token_|_copy_|::| #|-op)\d+$")
_AFTER_TYPE = re.compile(r"_\d+$")


def plain_leaf(leaf: str, op: str) -> str:
    """The last word of an operator's path without generated parts; "" when nothing else is left.

    A number behind the operator's own type counts as generated, as exporters write it: `block.Conv_17` of
    type Conv is `Conv`. `conv_17` is left alone, since modules are called so.
    """
    while leaf and leaf[-1].isdigit():
        shorter = _COUNTER.sub("", leaf)
        if shorter == leaf:
            shorter = _AFTER_TYPE.sub("", leaf)
            if shorter == leaf or not _is_type(shorter, op):
                break
        leaf = shorter
    return leaf


def _is_type(word: str, op: str) -> bool:
    """The word is the type, or ends in it as a word of its own: `trans_Cast` and Cast."""
    return op != "" and (word == op or (word.endswith(op) and not word[-len(op) - 1].isalnum()))


def plain_scope(scope: str) -> str:
    """A scope path with every word free of generated counters."""
    if not any(mark in scope for mark in ("_token_", "_copy_", "::", " #", "-op")):
        return scope
    return ".".join(_COUNTER.sub("", word) for word in scope.split("."))
