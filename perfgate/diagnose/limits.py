"""The thresholds of the rules, read from the file that holds them all."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from perfgate.config.typed_yaml import read_typed
from perfgate.core.errors import UnusableError

NAME = "rules.yaml"


class _RuleFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    rules: dict[str, dict[str, float]]


@cache
def shipped_limits() -> dict[str, dict[str, float]]:
    """Limits by rule as the package ships them.

    Raises:
        UnusableError: the file of the package is damaged.
    """
    return read_limits(files("perfgate.diagnose").joinpath(NAME).read_bytes(), f"perfgate/diagnose/{NAME}")


def read_limits(data: bytes, path: str) -> dict[str, dict[str, float]]:
    """Limits by rule out of a file of this form.

    Raises:
        UnusableError: broken YAML, or a limit that is no number, with file:line:column.
    """
    return read_typed(data, path, _RuleFile, UnusableError).value.rules
