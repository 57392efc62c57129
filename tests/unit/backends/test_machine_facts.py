from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.backends import machine_facts as facts
from perfgate.core.machine import MUST_MATCH
from perfgate.measure import child

if TYPE_CHECKING:
    import pytest


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_context_names_machine_and_runtime() -> None:
    found = facts.machine_facts("CPython 3.99")
    assert found["runtime_version"] == "CPython 3.99"
    assert all(found[name] for name in ("cpu_model", "cpu_count", "os_release", "host"))
    assert int(found["cpu_count"]) >= 1


def test_load_and_host_are_no_reason_to_refuse_a_comparison() -> None:
    assert set(facts.machine_facts("")) - set(MUST_MATCH) == {"host", "load"}


def test_the_kernels_patch_level_is_no_part_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert platform.release() not in facts.machine_facts("")["os_release"]

    def missing() -> dict[str, str]:
        raise OSError

    monkeypatch.setattr(platform, "freedesktop_os_release", missing)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "release", lambda: "6.1.9-23-generic")
    assert facts.machine_facts("")["os_release"] == "linux 6.1.9"


def test_a_python_label_tells_minor_versions_apart_and_not_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    monkeypatch.setattr(platform, "python_implementation", lambda: "CPython")
    labels = []
    for version in (("3", "11", "1"), ("3", "11", "7"), ("3", "12", "0")):
        monkeypatch.setattr(platform, "python_version_tuple", lambda version=version: version)
        labels.append(facts.python_label())
    assert labels == ["linux-amd64-cp311", "linux-amd64-cp311", "linux-amd64-cp312"]
    monkeypatch.setattr(platform, "python_implementation", lambda: "PyPy")
    assert facts.python_label() == "linux-amd64-pp312"


def test_a_host_without_accelerators_says_nothing_of_them(tmp_path: Path) -> None:
    assert facts.accelerator_facts(tmp_path) == {}


def test_nvidia_cards_are_counted_and_their_driver_is_named(tmp_path: Path) -> None:
    # Both files as the driver's own documentation shows them.
    version = (
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC\n"
    )
    write(tmp_path, "proc/driver/nvidia/version", version)
    for number in (1, 2):
        card = "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 55\n"
        write(tmp_path, f"proc/driver/nvidia/gpus/0000:0{number}:00.0/information", card)
    assert facts.accelerator_facts(tmp_path) == {
        "accelerator": "2 x NVIDIA A100-SXM4-40GB",
        "driver": "nvidia 535.104.05",
    }


def test_the_open_nvidia_driver_is_named_too(tmp_path: Path) -> None:
    text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build\n"
    write(tmp_path, "proc/driver/nvidia/version", text)
    assert facts.accelerator_facts(tmp_path) == {"driver": "nvidia 550.54.14"}


def test_ascend_devices_are_counted_and_their_driver_is_named(tmp_path: Path) -> None:
    write(tmp_path, "usr/local/Ascend/driver/version.info", "Version=23.0.3\nascendhal_version=7.35\n")
    for name in ("davinci0", "davinci1", "davinci_manager"):
        write(tmp_path, f"dev/{name}", "")
    assert facts.accelerator_facts(tmp_path) == {"accelerator": "2 x Ascend", "driver": "ascend 23.0.3"}


def test_the_clock_is_named_by_what_the_measured_process_can_read() -> None:
    assert facts.RUN_QUEUE == child.RUN_QUEUE
    assert facts.clock_name() == ("wall less run queue" if Path(child.RUN_QUEUE).exists() else "wall")
