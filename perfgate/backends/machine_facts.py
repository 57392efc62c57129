"""What a wall-clock time depends on: the fields that must match, and notes (STATISTICS section 12)."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

RUN_QUEUE = "/proc/thread-self/schedstat"  # as in measure/child.py, which imports nothing of perfgate


def machine_facts(runtime_version: str) -> dict[str, str]:
    """The context of a timed record; `runtime_version` names what executes, such as `CPython 3.11.7`.

    The processor count is that of this process's affinity; clock, load and host are notes.
    """
    return {
        "cpu_model": _cpu_model(),
        "cpu_count": str(_cpu_count()),
        "os_release": _os_release(),
        "runtime_version": runtime_version,
        "host": platform.node(),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "",
    }


def accelerator_facts(root: Path = Path("/")) -> dict[str, str]:
    """Accelerators and their driver, as far as the driver's own files below `root` tell."""
    found = {}
    cards = sorted(root.glob("proc/driver/nvidia/gpus/*/information"))
    models = [_field(_text(card), "Model") for card in cards]
    version = re.search(r"Kernel Module\s+(?:for \S+\s+)?(\S+)", _text(root / "proc/driver/nvidia/version"))
    if version:
        found = {"driver": f"nvidia {version[1]}"}
    ascend = _field(_text(root / "usr/local/Ascend/driver/version.info"), "Version", "=")
    if ascend:
        found = {"driver": f"ascend {ascend}"}
        models = ["Ascend"] * len(list(root.glob("dev/davinci[0-9]*")))
    if models:
        counted = {name: models.count(name) for name in dict.fromkeys(models)}
        found["accelerator"] = ", ".join(f"{count} x {name}" for name, count in counted.items())
    return found


def clock_name() -> str:
    """What a timed latency is on this system; records of different clocks are not comparable."""
    return "wall less run queue" if Path(RUN_QUEUE).exists() else "wall"


def python_version() -> str:
    """`CPython 3.11.7`."""
    return f"{platform.python_implementation()} {platform.python_version()}"


def python_label() -> str:
    """The environment of Python code, as records name it: `linux-x86_64-cp311`.

    Python's minor version is part of it, since a matrix of versions keeps a baseline for each; the processor
    is not, so that another processor is said and not taken for another benchmark.
    """
    major, minor, _ = platform.python_version_tuple()
    name = {"CPython": "cp", "PyPy": "pp"}.get(platform.python_implementation(), "py")
    return f"{system_label()}-{name}{major}{minor}"


def system_label() -> str:
    """`linux-x86_64`."""
    return f"{platform.system()}-{platform.machine()}".lower()


def _cpu_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_model() -> str:
    """The processor's own name; of the system's description where it has none."""
    text = _text(Path("/proc/cpuinfo"))
    for name in ("model name", "Model", "Hardware", "CPU part"):
        value = _field(text, name)
        if value:
            return value
    return platform.processor() or platform.machine()


def _text(path: Path) -> str:
    """What a file of the system says; "" where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _field(text: str, name: str, sign: str = ":") -> str:
    """The first value of a name in lines `name: value`."""
    for line in text.splitlines():
        key, found, value = line.partition(sign)
        if found and key.strip() == name:
            return value.strip()
    return ""


def _os_release() -> str:
    """Distribution and version; the kernel's patch level is none of a time's business."""
    try:
        found = platform.freedesktop_os_release()
    except OSError:
        return f"{platform.system()} {platform.release().partition('-')[0]}".lower()
    return f"{found.get('ID', 'linux')} {found.get('VERSION_ID', '')}".strip()
