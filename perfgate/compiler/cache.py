"""The compile cache: programs by the content they were compiled from.

The key covers graph, configuration (also what is unhandled), runtime keys, device and package version. A file
is believed only when its content has the hash that stands in its first line and belongs to the key asked for.
That finds damage and mix-ups; whoever may write to the folder can still forge a program.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from perfgate import __version__
from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.program import Program

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.runtime import RuntimeConfig
    from perfgate.core.device import Device
    from perfgate.graph.ir import Graph

_log = logging.getLogger(__name__)
_FORMAT = 2  # of the stored file
_encoder = msgspec.json.Encoder(order="deterministic")  # sets have no order of their own
_decoder = msgspec.json.Decoder(Program)


class CachedProgram(NamedTuple):
    """A program, and whether it came out of the cache."""

    program: Program
    is_hit: bool


def cache_key(graph: Graph, config: CompileConfig, runtime: RuntimeConfig, device: Device) -> str:
    """SHA-256 of all that a program depends on, in hex; the graph's digest covers how it was loaded."""
    bound = [(name, graph.tensors[name].shape) for name in graph.inputs]
    parts = (
        _FORMAT,
        __version__,
        graph.name,
        graph.digest,
        bound,
        graph.metadata,
        config,
        runtime,
        device.name,
        device.digest,
    )
    return hashlib.sha256(_encoder.encode(parts)).hexdigest()


class CompileCache:
    """A folder of compiled programs; several processes may use it at once."""

    __slots__ = ("_folder",)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Program | None:
        """The stored program; None when there is none or its file is damaged."""
        path = self._folder / f"{key}.json"
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, _, payload = content.partition(b"\n")
        if hashlib.sha256(payload).hexdigest().encode() != digest:
            _log.warning("damaged compile cache file %s: compiled again", path)
            return None
        try:
            program = _decoder.decode(payload)
        except msgspec.MsgspecError:
            _log.warning("unreadable compile cache file %s: compiled again", path)
            return None
        if program.digest != key:
            _log.warning("compile cache file %s holds another program: compiled again", path)
            return None
        return program

    def put(self, key: str, program: Program) -> None:
        """Store a program; the file appears whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        payload = _encoder.encode(program)
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".unfinished-")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
        Path(name).replace(self._folder / f"{key}.json")


def compile_cached(
    graph: Graph, config: CompileConfig, runtime: RuntimeConfig, device: Device, *, cache: CompileCache
) -> CachedProgram:
    """Compile, or take the program of an equal compilation; a hit does not compile at all.

    Raises:
        OutOfMemoryError: as `compile_graph`.
    """
    key = cache_key(graph, config, runtime, device)
    program = cache.get(key)
    if program is not None:
        return CachedProgram(program, is_hit=True)
    program = compile_graph(graph, config, runtime, device)
    program = msgspec.structs.replace(program, digest=key)
    cache.put(key, program)
    return CachedProgram(program, is_hit=False)
