"""What a wall-clock time depends on: the fields that must match, and notes (STATISTICS section 12)."""

from __future__ import annotations

import os
import platform
from pathlib import Path


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
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    for name in ("model name", "Model", "Hardware", "CPU part"):
        for line in lines:
            if line.partition(":")[0].strip() == name:
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _os_release() -> str:
    """Distribution and version; the kernel's patch level is none of a time's business."""
    try:
        found = platform.freedesktop_os_release()
    except OSError:
        return f"{platform.system()} {platform.release().partition('-')[0]}".lower()
    return f"{found.get('ID', 'linux')} {found.get('VERSION_ID', '')}".strip()
