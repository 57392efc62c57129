from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.baseline.slug import MAX_LENGTH, baseline_path, slug

# The longest name that common file systems take is 255 bytes; 80 + 9 + the ending stays far below.
LONGEST = MAX_LENGTH + 9


def test_a_plain_name_stays_itself() -> None:
    assert slug("sd_unet") == "sd_unet"
    assert str(baseline_path("sd_unet", "ascend-310p-like")) == "ascend-310p-like/sd_unet.json"


@pytest.mark.parametrize(
    "name", ["A", "a/b:c*?", "x" * 300, "CON", "nul", "com1.x", "..", ".", "", "a b", "名前"]
)
def test_a_folded_name_carries_a_digest(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9._-]*-[0-9a-f]{8}", slug(name))
    assert not slug(name).startswith(".")


def test_equal_folds_do_not_collide() -> None:
    names = ["a/b", "a:b", "a b", "A-B", "a-b"]
    assert len({slug(name) for name in names}) == len(names)


@given(st.text(max_size=400), st.text(max_size=400))
def test_different_names_have_different_slugs_valid_everywhere(left: str, right: str) -> None:
    for name in (left, right):
        assert re.fullmatch(r"[a-z0-9_-][a-z0-9._-]*", slug(name))
        assert len(slug(name)) <= LONGEST
    assert (slug(left) == slug(right)) == (left == right)
