"""Device files: values with their sources, inheritance, and every mistake named with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.device import HOST_ROUTE, Device, Mark, Position, Stride, Via
from perfgate.npu.device_file import DeviceError, list_devices, load_device, soc_device

if TYPE_CHECKING:
    from pathlib import Path

# Peak fp16 TFLOP/s and int8 TOP/s of SIMULATOR section 6: cores * MACs per cycle * 2 * MHz.
PEAKS = {
    "ascend-310p-like": (70.8, 141.6),
    "ascend-910b-like": (363.7, 727.4),
    "a100-like": (311.9, 623.7),
    "orin-like": (42.6, 85.2),
}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def load_text(folder: Path, text: str) -> Device:
    write(folder, "mine", text)
    return load_device("mine", search=[folder])


def test_there_are_four_built_in_devices() -> None:
    assert list_devices() == tuple(sorted(PEAKS))


@pytest.mark.parametrize("name", sorted(PEAKS))
def test_computed_peaks_equal_the_published_ones(name: str) -> None:
    device = load_device(name)
    half, eighth = PEAKS[name]
    assert device.peak_macs_per_second("float16") * 2e-12 == pytest.approx(half, abs=0.1)
    assert device.peak_macs_per_second("int8") * 2e-12 == pytest.approx(eighth, abs=0.1)


@pytest.mark.parametrize("name", sorted(PEAKS))
def test_every_number_carries_a_mark_and_its_place(name: str) -> None:
    sources = load_device(name).sources
    assert {"freq_mhz", "dram.gb_s", "matrix.m", "launch.compiled_us", "routes"} <= sources.keys()
    assert all(source.place.rpartition(":")[2].isdigit() for source in sources.values())
    assert sources["launch.compiled_us"].mark is Mark.ASSUMED


def test_dram_bandwidth_of_the_910b_is_32_bytes_per_cycle_and_core() -> None:
    device = load_device("ascend-910b-like")
    assert 32 * device.freq_mhz * device.cores.matrix / 1000 == pytest.approx(device.dram.gb_s, abs=1)


def test_a_base_hands_on_what_a_file_leaves_out(tmp_path: Path) -> None:
    device = load_text(tmp_path, "base: ascend-310p-like\ndram:\n  gb_s: [100, A, halved]\n")
    base = load_device("ascend-310p-like")
    assert device.name == "mine"
    assert device.dram.gb_s == 100
    assert device.dram.gb == base.dram.gb
    assert device.routes == base.routes
    assert device.soc_versions == ()  # says which chip it is, so it is not inherited
    assert device.sources["dram.gb_s"].note == "halved"
    assert device.digest != base.digest


def test_a_new_note_does_not_change_the_digest(tmp_path: Path) -> None:
    one = load_text(tmp_path, "base: a100-like\nfreq_mhz: [1000, A, one reason]\n")
    other = load_text(tmp_path, "base: a100-like\nfreq_mhz: [1000, P, another]\n")
    assert one.digest == other.digest


def test_a_bare_value_counts_as_assumed(tmp_path: Path) -> None:
    device = load_text(tmp_path, "base: a100-like\nfreq_mhz: 1000\n")
    assert device.sources["freq_mhz"].mark is Mark.ASSUMED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("base: a100-like\nfreq_mzh: 1000\n", "mine.yaml:2: did you mean 'freq_mhz'?"),
        ("base: a100-like\ndram:\n  gbs: 3\n", "mine.yaml:3: did you mean 'gb_s'?"),
        ("base: a100-like\nfreq_mhz: fast\n", "mine.yaml:2"),
        ("base: a100-like\nfreq_mhz: [1000, P, a, b]\n", "write `[value, mark, note]`"),
        ("base: a100-like\nfreq_mhz: [1000, X]\n", "unknown mark 'X'"),
        ("base: a100-like\nfreq_mhz: 0\n", "give a number above 0"),
        ("base: a100-like\nfreq_mhz: -5\n", "give a number from 0"),
        ("base: a100-like\ndram:\n  gb_s: .nan\n", "give a number from 0"),
        ("base: a100-like\nefficiency:\n  dram: 1.5\n", "give a share from 0 to 1"),
        ("base: a100-like\ndram: 5\n", "'dram' is a group of values"),
        ("base: a100-like\nroutes:\n  - {between: [NCHW, NHWC], vai: kernel}\n", "did you mean 'via'?"),
        ("base: a100-like\nroutes: none\n", "'routes' is a list"),
        ("base: a100-like\nroutes:\n  - {between: [NCHW, NHWC], via: kernel, efficiency: 2}\n", "efficiency"),
        ("base: a100-like\nfreq_mhz: 1\nfreq_mhz: 2\n", "stands twice"),
        ("base: a100-like\ndigest: abc\n", "unknown key 'digest'"),
        ("base: nothing-like\n", "unknown device 'nothing-like'"),
        ("base: mine\n", "circle"),
        ("name: other\nbase: a100-like\n", "names itself 'other'"),
        ("freq_mhz: 1000\n", "missing values native_layout"),
        ("- 1\n", "a device file is a mapping"),
        ("a: [1\n", "not YAML"),
        ("base: a100-like\nfreq_mhz: !!python/object:int 1\n", "mine.yaml:2: write a number"),
        ("base: a100-like\nfreq_mhz: 2024-13-45\n", "mine.yaml:2: write a number"),
        ("base: a100-like\ndram:\n  energy: link\n", "mine.yaml:3: use one of hbm, lpddr, ddr"),
    ],
)
def test_a_mistake_in_a_file_is_one_line_with_place_and_remedy(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(DeviceError) as caught:
        load_text(tmp_path, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(DeviceError, match="did you mean 'a100-like'"):
        load_device("a100-lik")


def test_a_chip_finds_its_device() -> None:
    assert soc_device("Ascend310P3") == "ascend-310p-like"
    with pytest.raises(DeviceError, match="known chips are"):
        soc_device("Ascend999")


@pytest.mark.parametrize(
    ("channel_stride", "position", "via"),
    [
        # 34 x 24 x 2 B = 1,632 B is 51 blocks of 32 B; 17 x 12 x 2 B = 408 B is 12.75 (SIMULATOR section 5).
        (1632, Position.PORT, Via.KERNEL),
        (408, Position.PORT, Via.HOST),
        (408, Position.EDGE, Via.KERNEL),
    ],
)
def test_the_stride_decides_between_device_kernel_and_host(
    channel_stride: int, position: Position, via: Via
) -> None:
    device = load_device("ascend-310p-like")
    route = device.find_route("NCHW", "NC1HWC0", {Stride.CHANNEL: channel_stride}, position)
    assert route.via is via


def test_a_route_works_in_both_directions_and_the_first_match_wins() -> None:
    device = load_device("ascend-310p-like")
    aligned = device.find_route("NC1HWC0", "NHWC", {Stride.PIXEL: 64}, Position.PORT)
    padded = device.find_route("NHWC", "NC1HWC0", {Stride.PIXEL: 6}, Position.PORT)
    assert (aligned.via, padded.via) == (Via.DMA, Via.KERNEL)
    assert device.find_route("NHWC", "ND", {}, Position.EDGE) == HOST_ROUTE


@pytest.mark.parametrize("name", ["a100-like", "orin-like", "ascend-910b-like"])
def test_only_the_310p_ever_goes_over_the_host(name: str) -> None:
    device = load_device(name)
    for stride in (2, 6, 408, 1632):
        strides = {Stride.CHANNEL: stride, Stride.PIXEL: stride}
        for position in (Position.PORT, Position.EDGE):
            assert device.find_route("NCHW", device.native_layout, strides, position).via is not Via.HOST
