"""Ordinary functions whose work the environment can raise: a real slow-down, not a scaled number."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections import Counter

TEXT = " ".join(f"word{number % 97} {number}" for number in range(2000))
RECORDS = json.dumps([{"id": number, "name": f"n{number}", "values": [number] * 5} for number in range(60)])


def _times(name: str, count: int) -> int:
    """`count`, or as many more as `WORK_<name>` says."""
    return round(count * float(os.environ.get(f"WORK_{name}", "1")))


def add() -> int:
    """Integer arithmetic in the interpreter loop."""
    return sum(number * number for number in range(_times("add", 4000)))


def parse() -> int:
    """JSON to objects."""
    return sum(len(json.loads(RECORDS)) for _ in range(_times("parse", 20)))


def search() -> int:
    """A regular expression over text."""
    return sum(len(re.findall(r"word(1\d) (\d+)", TEXT)) for _ in range(_times("search", 10)))


def count() -> int:
    """Words into a dictionary of counts."""
    return sum(len(Counter(TEXT.split())) for _ in range(_times("count", 10)))


def order() -> int:
    """Sorting with a key in Python."""
    return sum(sorted(range(500), key=lambda number: -number)[7] for _ in range(_times("order", 20)))


def digest() -> str:
    """Hashing in C."""
    state = hashlib.sha256()
    for _ in range(_times("digest", 40)):
        state.update(TEXT.encode())
    return state.hexdigest()


def squeeze() -> int:
    """Compression in C."""
    return sum(len(zlib.compress(TEXT.encode(), 1)) for _ in range(_times("squeeze", 10)))


def build() -> int:
    """Strings joined and split."""
    return sum(
        len("".join(f"{number}," for number in range(200)).split(",")) for _ in range(_times("build", 20))
    )
