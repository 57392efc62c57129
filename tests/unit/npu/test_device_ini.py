"""Platform INI files: facts become a device, everything else stays the base's."""

from __future__ import annotations

import pytest

from perfgate.core.device import Mark
from perfgate.npu.device_file import DeviceError, load_device
from perfgate.npu.device_ini import import_ini

BASE = load_device("ascend-310p-like")
TEXT = """\
[version]
SoC_version=MyChip
[SoCInfo]
ai_core_cnt=10
vector_core_cnt=5
memory_size=17179869184
l2_size=8388608
ccpu_cnt=1
[AICoreSpec]
cube_freq=1000
cube_m_size=16
cube_n_size=8
cube_k_size=32
vec_calc_size=128
l0_a_size=65536
l1_size=524288
[AICoreMemoryRates]
ddr_read_rate=20
ddr_write_rate=16
l2_read_rate=100
ub_to_ddr_rate=48
"""


def test_numbers_of_the_file_replace_those_of_the_base() -> None:
    device = import_ini(TEXT, "my.ini", BASE).device
    assert device.name == "MyChip"
    assert (device.cores.matrix, device.cores.vector, device.freq_mhz) == (10, 5, 1000)
    assert (device.matrix.m, device.matrix.n, device.matrix.k) == (16, 8, 32)
    assert device.matrix.macs_per_cycle == 4096  # 16 * 8 * 32
    assert device.dram.gb == 16  # 17,179,869,184 B
    assert device.l2.mb == 8  # 8,388,608 B
    assert (device.buffers.l0a_kb, device.buffers.l1_kb) == (64, 512)
    assert (device.rates.l2_read, device.rates.ub_dram) == (100, 48)


def test_dram_rate_is_the_slower_direction_times_clock_and_cores() -> None:
    # 16 B per cycle and core * 1,000 MHz * 10 cores = 160 GB/s.
    assert import_ini(TEXT, "my.ini", BASE).device.dram.gb_s == pytest.approx(160)


def test_what_the_file_does_not_hold_comes_from_the_base() -> None:
    device = import_ini(TEXT, "my.ini", BASE).device
    assert (device.launch, device.link, device.routes) == (BASE.launch, BASE.link, BASE.routes)
    assert device.digest != BASE.digest
    assert device.sources["freq_mhz"].mark is Mark.PUBLISHED
    assert device.sources["launch.compiled_us"].mark is Mark.ASSUMED


def test_keys_that_mean_nothing_are_listed() -> None:
    assert import_ini(TEXT, "my.ini", BASE).unread == ("SoCInfo.ccpu_cnt",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ai_core_cnt=3\n", "no section header"),
        ("[a]\nai_core_cnt\n", "my.ini:2"),
        ("[a]\nai_core_cnt=many\n", "ai_core_cnt is 'many'"),
        ("[a]\nai_core_cnt=0\n", "give a number above 0"),
        ("[a]\nl2_read_rate=inf\n", "give a number above 0"),
        ("[a]\nai_core_cnt=8.9\n", "give a whole number"),
        ("[a]\nl0_a_size=512\n", "give 1024 bytes or more"),
        ("[a]\nother=1\n", "no key of a platform INI"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(DeviceError) as caught:
        import_ini(text, "my.ini", BASE)
    assert message in str(caught.value)
