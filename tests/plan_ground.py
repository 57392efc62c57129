"""A repository in memory, as a plan sees it: files by path, and the benchmark of its suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UsageError
from perfgate.measure.benchmark import CompileSource, RuntimeSource
from perfgate.plan.setting_edit import Ground
from tests.diagnoses import BENCHMARK, DEVICE
from tests.records import make_benchmark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.measure.benchmark import Benchmark

CONVERT, RUNTIME = "deploy/convert.sh", "deploy/runtime_config.yaml"
SCRIPT = """\
#!/bin/sh
atc --framework=5 --model=sd_unet.onnx --output=sd_unet \\
    --precision_mode=force_fp16 \\
    --optypelayout=NCHW
"""
FILES = {CONVERT: SCRIPT.encode(), RUNTIME: b"# pools\nmemory_pool: 1.5GB  # per device\n"}


def benchmark(compiled: CompileSource | None = None, runtime: RuntimeSource | None = None) -> Benchmark:
    """The benchmark of the incident, with its sources."""
    return msgspec.structs.replace(
        make_benchmark(BENCHMARK, DEVICE),
        compile=compiled or CompileSource(path=CONVERT),
        runtime=runtime or RuntimeSource(path=RUNTIME),
    )


def ground(
    files: Mapping[str, bytes] = FILES,
    item: Benchmark | None = None,
    before: Mapping[str, bytes] | None = None,
) -> Ground:
    """The ground of these files; `before` are those of the baseline's commit."""

    def read(path: str) -> bytes:
        if path not in files:
            raise UsageError("the file is missing", path, "correct the path, or add the file")
        return files[path]

    return Ground(read=read, read_before=(before or {}).get, benchmark=item or benchmark(), files={})
