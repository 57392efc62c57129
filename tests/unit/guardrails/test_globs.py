from __future__ import annotations

import pytest

from perfgate.guardrails.globs import any_path_matches, expand_braces, path_matches


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**", "a/b.sh", True),
        ("deploy/**", "deploy/a/b.sh", True),
        ("deploy/**", "deployed/a.sh", False),
        ("deploy/", "deploy/a.sh", True),
        ("./deploy/*", "deploy/a.sh", True),
        ("deploy/*", "deploy/a/b.sh", False),
        ("**/runtime_config.{yaml,json}", "runtime_config.json", True),
        ("**/runtime_config.{yaml,json}", "x/y/runtime_config.yaml", True),
        ("**/runtime_config.{yaml,json}", "runtime_config.toml", False),
        ("*.sh", "a/b.sh", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a?.sh", "ab.sh", True),
        ("a{.sh", "a{.sh", True),
        ("a.sh", "A.sh", False),
    ],
)
def test_path(pattern: str, path: str, fits: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert path_matches(pattern, path) is fits


def test_no_pattern_fits_everything() -> None:
    assert any_path_matches((), "a")
    assert not any_path_matches(("b", "c"), "a")


def test_braces_choose() -> None:
    assert expand_braces("{a,b}.{x,y}") == ("a.x", "a.y", "b.x", "b.y")


def test_many_stars_take_bounded_time() -> None:
    assert not path_matches("*a" * 200 + "b", "a" * 2_000)  # a backtracking matcher would not end
