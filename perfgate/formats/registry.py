"""The formats by name, and which one a file is of: told by what it holds, never by its name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.series import Results

AUTO = "auto"
# Asked in this order: the ones whose mark is hardest to mistake first.
_MODULES = {
    "pytest-benchmark": "pytest_benchmark",
    "google-benchmark": "google_benchmark",
    "hyperfine": "hyperfine",
    "asv": "asv",
    "jmh": "jmh",
    "trtexec": "trtexec",
    "onnxruntime-profile": "onnxruntime_profile",
    "criterion": "criterion",
    "cargo-criterion": "cargo_criterion",
    "go-test": "go_test",
    "msprof": "msprof",
    "mlperf": "mlperf",
    "github-action-benchmark": "github_action",
    "custom-smaller": "custom_smaller",
    "custom-bigger": "custom_bigger",
    "bencher": "bencher",
}
NAMES = tuple(_MODULES)


class Format(Protocol):
    """A module of this package that reads one format."""

    def recognises(self, document: Document) -> bool:
        """The document is of this format, judged by what it holds."""

    def read(self, document: Document) -> Results:
        """Everything in the document.

        Raises:
            UnusableError: the document is not what the format says, with the place.
        """


def reader(name: str) -> Format:
    """The reader of a format, imported when it is asked for."""
    module = importlib.import_module(f"perfgate.formats.{_MODULES[name]}")
    return cast("Format", module)  # a contract test reads every module


def recognise(document: Document) -> str:
    """The name of the document's format.

    Raises:
        UsageError: none knows it.
    """
    for name in NAMES:
        if reader(name).recognises(document):
            return name
    remedy = f"name a result file of {', '.join(NAMES)}, or say which with --format"
    raise UsageError("of no format that is known here", document.path, remedy)
