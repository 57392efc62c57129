"""Hostile and broken rule files: one line that names the place, in bounded time, never a traceback."""

from __future__ import annotations

import resource

import pytest

from perfgate.core.errors import UnusableError
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from tests.guard_facts import only_rule

BOMB = b"a: &a [x,x]\n" + b"".join(b"k%d: &k%d [*a,*a]\n" % (n, n) for n in range(30))
CPU_SECONDS = 10.0  # generous on a slow machine; the files below take under a second each


def refused(data: bytes) -> UnusableError:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with pytest.raises(UnusableError) as caught:
        load_rules([RuleSource(path="guardrails.yaml", text=data)])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < CPU_SECONDS
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2_000
    assert caught.value.where.startswith("guardrails.yaml")
    return caught.value


HOSTILE = {
    "alias bomb": (BOMB, "alias"),
    "brackets": (b"[" * 100_000, "nested too deeply"),
    "indentation": (b"".join(b" " * n + b"a:\n" for n in range(200)), "nested too deeply"),
    "keys": (b"{" + b",".join(b"k%d: 1" % n for n in range(100_000)) + b"}", "more than 50000 entries"),
    "rules": (b"".join(b"atc: require --f%d\n" % n for n in range(2_001)), "at most 2000"),
    "size": (b"x" * 50_000_000, "too large"),
    "binary": (bytes(range(256)) * 10, "not UTF-8"),
    "zero byte": (b"atc: require --f=A\0\n", "sign that YAML forbids"),
    "latin-1": ("atc: require --f=Größe\n".encode("latin-1"), "not UTF-8"),
    "documents": (b"atc: require --f=A\n---\natc: forbid --g\n", "second document"),
    "tag": (b"atc: !!python/name:os.system x\n", "tag"),
    "open quote": (b"atc: 'require --f\n", "not YAML"),
    "tab": (b"\tatc: require --f\n", "not YAML"),
    "braces": (b"atc: require " + b"--f=" + b"{" * 500_000 + b"\n", "no flag"),
    "quotes": (b"atc: require " + b'--a."' * 99_999 + b"\n", "no flag"),
    "complex key": (b"? [atc]\n: require --f\n", "not a text"),
    "conflict": (b"<<<<<<< HEAD\natc: require --f\n=======\n", "not YAML"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_with_one_line(name: str) -> None:
    data, part = HOSTILE[name]
    assert part in str(refused(data))


def test_place_of_a_byte_that_is_not_utf8_is_named() -> None:
    assert refused(b"atc: require --f\n# gr\xf6sse\n").where == "guardrails.yaml:2:5"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffatc: require --f=A\n",
        "atc: require --f=A\r\n",
        "\ufeffatc: require --f=A\r\n# end\r\n",
        "atc: require --f=A",
    ],
)
def test_byte_order_mark_and_line_ends_change_nothing(text: str) -> None:
    plain = only_rule("atc: require --f=A\n")
    assert only_rule(text) == plain


def test_texts_keep_their_meaning() -> None:
    rule = only_rule("rules: [{id: a, target: atc, values: {--f: [no, 017, 1:30, 1e3, 2027-01-01]}}]")
    assert "('no', '017', '1:30', '1e3', '2027-01-01')" in str(rule.body)
