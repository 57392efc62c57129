"""Options of the plugin, read from the command line and their ini twins, each checked by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import UsageError
from perfgate.core.units import read_duration
from perfgate.gate.policy_file import percentage
from perfgate.measure.benchmark import DEFAULT_TIMEOUT
from perfgate.pytest_plugin.asked import overruled_base
from perfgate.pytest_plugin.entry import OPTIONS
from perfgate.workflow.options import DEFAULT_BASELINES, GateOptions, baselines_folder
from perfgate.workflow.page_files import require_bokeh

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = {name: choices for name, _, choices, _ in OPTIONS if choices is not None}
_NAMES = frozenset(("device", *(name.replace("-", "_") for name, *_ in OPTIONS)))


def read_options(config: pytest.Config) -> GateOptions:
    """Command line before ini before default.

    Raises:
        pytest.UsageError: a value that cannot be read; names the option or the ini key with its file.
    """
    try:
        return _Reader(config).options()
    except UsageError as problem:
        raise pytest.UsageError(f"perfgate: {problem}") from None


class _Reader:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def options(self) -> GateOptions:
        """All options of one session."""
        min_effect = self._text("min-effect")
        return GateOptions(
            root=self.config.rootpath,
            baselines=baselines_folder(
                self._text("baselines") or DEFAULT_BASELINES, self._where("baselines")
            ),
            base=None if overruled_base(self.config) else self._text("base"),
            devices=tuple(
                self.config.getoption("perfgate_device") or self.config.getini("perfgate_device") or ()
            ),
            runs=self._count("runs", least=1),
            seed=self._count("seed", least=0) or 0,
            min_effect=None
            if min_effect is None
            else percentage(min_effect, self._where("min-effect"), UsageError),
            inconclusive=self._word("inconclusive"),
            new=self._word("new"),
            measure_in_spite=self._word("on-guardrail") == "measure",
            keep_records=self._path("records"),
            json_file=self._path("json"),
            markdown_file=self._path("markdown"),
            sarif_file=self._path("sarif"),
            html_file=self._page(),
            timeout=self._duration("timeout") or DEFAULT_TIMEOUT,
            profile=self._word("profile") or "regressed",
        )

    def _text(self, name: str) -> str | None:
        option: str | None = self.config.getoption(f"perfgate_{name.replace('-', '_')}")
        if option is not None:
            return option
        ini: str | None = self.config.getini(f"perfgate_{name.replace('-', '_')}")
        return ini or None

    def _where(self, name: str) -> str:
        """The option, or the ini key with its file, as the user wrote it."""
        key = f"perfgate_{name.replace('-', '_')}"
        if self.config.getoption(key) is not None or self.config.inipath is None:
            return f"--perfgate-{name}"
        return f"{key} in {self.config.inipath.name}"

    def _count(self, name: str, *, least: int) -> int | None:
        text = self._text(name)
        if text is None:
            return None
        if not text.isdecimal() or int(text) < least or int(text) > 2**31:
            raise UsageError(
                f"{text!r} is no whole number", self._where(name), f"want one of at least {least}"
            )
        return int(text)

    def _duration(self, name: str) -> float | None:
        text = self._text(name)
        seconds = None if text is None else read_duration(text)
        if text is not None and seconds is None:
            raise UsageError(f"{text!r} is no time", self._where(name), "write it like `90 s`")
        return seconds

    def _word(self, name: str) -> str | None:
        text = self._text(name)
        if text is not None and text not in _WORDS[name]:
            raise UsageError(f"unknown value {text!r}", self._where(name), f"want {', '.join(_WORDS[name])}")
        return text

    def _page(self) -> Path | None:
        path = self._path("html")
        if path is not None:
            require_bokeh(self._where("html"))
        return path

    def _path(self, name: str) -> Path | None:
        text = self._text(name)
        return None if text is None else self.config.invocation_params.dir / text


def unknown_ini_keys(path: Path | None) -> tuple[str, ...]:
    """One line for each `perfgate_*` key of the ini file that nobody reads, with the nearest name.

    pytest has no public list of the keys that are there, so the text is looked through.
    """
    if path is None:
        return ()
    text = path.read_text(encoding="utf-8", errors="replace")
    keys = dict.fromkeys(re.findall(r"^\s*\"?perfgate_(\w+)\"?\s*=", text, re.MULTILINE))
    return tuple(
        f"perfgate: unknown ini key perfgate_{key} in {path.name}: {did_you_mean(key, _NAMES)}"
        for key in keys
        if key not in _NAMES
    )
