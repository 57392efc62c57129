"""10,000 mutated record, policy and suite files: refused in one line, or read as exactly what they say."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.store import decode_record, encode_record
from perfgate.core.errors import PerfgateError
from perfgate.gate.policy_file import load_policy
from perfgate.measure.suite import load_suite
from tests.e2e.project import SUITE
from tests.records import make_record

if TYPE_CHECKING:
    from collections.abc import Callable

TODAY = dt.date(2026, 11, 29)
POLICY = """\
version: 1
policy:
  - {match: "*", min_effect: 1%, equivalence: 3%, on_inconclusive: warn, on_missing: fail}
  - {match: "sd*", metric: latency, limit: "<=33ms", alpha: 0.05, bootstrap_veto: true}
full_suite: ci
waivers: [{benchmark: a, metric: latency, up_to: 15%, owner: "@a", reason: r, expires: 2026-12-31}]
"""
INSERTIONS = (
    b"NaN",
    b"1e999",
    b"\x00",
    b"\xff",
    b"{",
    b"[",
    b"]",
    b"}",
    b'"',
    b":",
    b"&a ",
    b"*a",
    b"!!x ",
    b"\n",
    b"-",
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to four edits: a byte changed, a stretch cut or doubled, something inserted, the end cut off."""
    content = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(content) + 1)
        end = min(len(content), place + rng.randint(1, 40))
        kind = rng.randrange(5)
        if kind == 0 and place < len(content):
            content[place] = rng.randrange(256)
        elif kind == 1:
            del content[place:end]
        elif kind == 2:
            content[place:place] = content[place:end]
        elif kind == 3:
            content[place:place] = rng.choice(INSERTIONS)
        else:
            del content[place:]
    return bytes(content)


def refusals(read: Callable[[bytes], object], data: bytes, count: int, seed: int) -> int:
    """How many mutations were refused; anything but a refusal in one line is an error of ours."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    messages: list[str] = []
    for _ in range(count):
        content = mutated(data, rng)
        try:
            read(content)
        except PerfgateError as problem:
            messages.append(str(problem))
    assert [text for text in messages if "\n" in text] == []
    return len(messages)


def test_a_mutated_record_is_refused_or_says_the_same() -> None:
    record = make_record("a", exact={"cycles": 1000.0, "peak_memory": 2.0})
    data = encode_record(record).encode()

    def read(content: bytes) -> None:
        assert decode_record(content, "baselines/dev/a.json") == record, content

    # White space between tokens may change without a change of meaning; everything else has to be noticed.
    assert refusals(read, data, 4000, 20261129) > 3800


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda content: load_policy(content, "perfgate.yaml", today=TODAY), POLICY),
        (lambda content: load_suite(content, "perf_a.yaml"), SUITE),
    ],
    ids=["policy", "suite"],
)
def test_a_mutated_yaml_file_is_refused_in_one_line_or_read(
    read: Callable[[bytes], object], text: str
) -> None:
    assert refusals(read, text.encode(), 3000, 20261129) > 1500
