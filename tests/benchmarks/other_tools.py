"""Time that other tools need for a network perfgate also runs; each in its own process, where installed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

_TIMEOUT_S = 300
_ONNX_TOOL = """\
import sys, time, onnx_tool
start = time.process_time()
model = onnx_tool.Model(sys.argv[1])
model.graph.shape_infer()
model.graph.profile()
print("CPU", (time.process_time() - start) * 1000)
"""
_SCALE_SIM = """\
import time
from scalesim.scale_sim import scalesim
tool = scalesim(save_disk_space=True, verbose=False, config="c.cfg", topology="t.csv", layout="l.csv",
                input_type_gemm=True)
start = time.process_time()
tool.run_scale(top_path="out")
print("CPU", (time.process_time() - start) * 1000)
"""
_SCALE_SIM_CONFIG = """\
[general]
run_name = run
[architecture_presets]
ArrayHeight = 32
ArrayWidth = 32
IfmapSramSzkB = 256
FilterSramSzkB = 256
OfmapSramSzkB = 128
IfmapOffset = 0
FilterOffset = 10000000
OfmapOffset = 20000000
Dataflow = ws
Bandwidth = 64
ReadRequestBuffer = 64
WriteRequestBuffer = 64
[layout]
IfmapCustomLayout = False
FilterCustomLayout = False
IfmapSRAMBankBandwidth = 10
IfmapSRAMBankNum = 10
IfmapSRAMBankPort = 2
FilterSRAMBankBandwidth = 10
FilterSRAMBankNum = 10
FilterSRAMBankPort = 2
[sparsity]
SparsitySupport = false
[run_presets]
InterfaceBandwidth = CALC
UseRamulatorTrace = False
"""


def onnx_tool_ms(model: Path) -> str:
    """Shape inference and counting of one model, in words."""
    if find_spec("onnx_tool") is None:
        return "not installed"
    return _cpu_ms([sys.executable, "-c", _ONNX_TOOL, str(model)], Path.cwd())


def scale_sim_ms() -> str:
    """One matrix product of 196 x 256 x 256 on a 32 x 32 array, in words."""
    if find_spec("scalesim") is None:
        return "not installed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "c.cfg").write_text(_SCALE_SIM_CONFIG, encoding="ascii")
        (folder / "t.csv").write_text("Layer,M,N,K,\nlayer,196,256,256,\n", encoding="ascii")
        factors = ",".join(["1"] * 6 + [str(order) for order in (*range(6), *range(8))])
        (folder / "l.csv").write_text(f"Layer,factors,\nlayer,{factors},\n", encoding="ascii")
        return _cpu_ms([sys.executable, "-c", _SCALE_SIM], folder)


def _cpu_ms(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and the texts above
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return f"more than {_TIMEOUT_S} s"
    times = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("CPU ")]
    if times:
        return f"{float(times[0]):.1f} ms"
    reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    return f"did not run ({reason})"
