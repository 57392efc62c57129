"""The public face is small and on purpose."""

from __future__ import annotations

import perfgate

PUBLIC = ["__version__"]


def test_exported_names_are_these() -> None:
    assert sorted(perfgate.__all__) == PUBLIC
    assert all(hasattr(perfgate, name) for name in perfgate.__all__)
