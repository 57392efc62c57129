"""Import of a CANN-style platform INI: facts of a chip in, a device on top of a base out.

Only numbers are read; launch, link, routes and energy come from the base, because the file does not hold
them. Case of keys does not matter. Keys that mean nothing here are listed, not dropped.
"""

from __future__ import annotations

from configparser import ConfigParser, MissingSectionHeaderError, ParsingError
from configparser import Error as IniError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfgate.core.device import GIB, KIB, MIB, Device, Mark, Source
from perfgate.npu.device_change import change_device
from perfgate.npu.device_file import DeviceError

if TYPE_CHECKING:
    from collections.abc import Mapping

_GRANULES = ("cube_m_size", "cube_n_size", "cube_k_size")
_RATES = {
    "l2_read_rate": "rates.l2_read", "l2_write_rate": "rates.l2_write", "l1_to_l0_a_rate": "rates.l1_l0a",
    "l1_to_l0_b_rate": "rates.l1_l0b", "l0_c_to_ub_rate": "rates.l0c_ub", "ub_to_l2_rate": "rates.ub_l2",
    "ub_to_ddr_rate": "rates.ub_dram", "ub_to_l1_rate": "rates.ub_l1",
}  # fmt: skip
_SIZES = {
    "l0_a_size": ("buffers.l0a_kb", KIB), "l0_b_size": ("buffers.l0b_kb", KIB),
    "l0_c_size": ("buffers.l0c_kb", KIB), "l1_size": ("buffers.l1_kb", KIB),
    "ub_size": ("buffers.vector_kb", KIB), "memory_size": ("dram.gb", GIB),
}  # fmt: skip
_COUNTS = {
    "ai_core_cnt": "cores.matrix", "vector_core_cnt": "cores.vector", "cube_freq": "freq_mhz",
    "cube_m_size": "matrix.m", "cube_n_size": "matrix.n", "cube_k_size": "matrix.k",
    "vec_calc_size": "vector.bytes_per_cycle",
}  # fmt: skip
_DRAM_RATES = ("ddr_rate", "ddr_read_rate", "ddr_write_rate")
_READ = {"soc_version", "l2_size", *_RATES, *_SIZES, *_COUNTS, *_DRAM_RATES}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedDevice:
    """The device and the keys of the file that nothing here reads, as `section.key`."""

    device: Device
    unread: tuple[str, ...]


def import_ini(text: str, place: str, base: Device) -> ImportedDevice:
    """A device with the numbers of a platform INI, and everything else from `base`.

    DRAM GB/s = bytes per cycle and core * MHz * cores; the slower of two rates counts.

    Raises:
        DeviceError: not an INI, a value that is no positive number, or no key that is known.
    """
    sections = _parse(text, place)
    values = {key: value for section in sections.values() for key, value in section.items()}
    if not _READ & values.keys():
        remedy = f"known are {', '.join(sorted(_READ))}"
        raise DeviceError("no key of a platform INI", place, remedy)
    changes = _changes(values, place, base)
    unread = tuple(
        f"{name}.{key}" for name, section in sections.items() for key in section if key not in _READ
    )
    device = change_device(base, changes, Source(Mark.PUBLISHED, "platform INI", place))
    return ImportedDevice(device=device, unread=unread)


def _parse(text: str, place: str) -> dict[str, dict[str, str]]:
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except MissingSectionHeaderError as error:
        raise DeviceError("no section header", f"{place}:{error.lineno}", "start with `[version]`") from error
    except ParsingError as error:
        line = error.errors[0][0] if error.errors else 1
        raise DeviceError("not a `key=value` line", f"{place}:{line}", "mend the line") from error
    except IniError as error:
        raise DeviceError("not an INI file", place, str(error).splitlines()[0].lower()) from error
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _changes(values: Mapping[str, str], place: str, base: Device) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for key, dotted in _COUNTS.items():
        if key in values:
            changes[dotted] = _whole(values, key, place)
    for key, dotted in _RATES.items():
        if key in values:
            changes[dotted] = _number(values, key, place)
    for key, (dotted, unit) in _SIZES.items():
        if key in values:
            changes[dotted] = _units(values, key, place, unit)
    if "l2_size" in values:
        changes["l2.mb"] = _number(values, "l2_size", place) / MIB
    if all(key in values for key in _GRANULES):
        m, n, k = (changes[_COUNTS[key]] for key in _GRANULES)
        changes["matrix.macs_per_cycle"] = m * n * k
    changes |= _dram_rate(values, place, changes, base)
    if "soc_version" in values:
        name = values["soc_version"].strip()
        changes["name"], changes["soc_versions"] = name, [name]
    return changes


def _dram_rate(
    values: Mapping[str, str], place: str, changes: Mapping[str, Any], base: Device
) -> dict[str, float]:
    rates = [_number(values, key, place) for key in _DRAM_RATES if key in values]
    if not rates:
        return {}
    mhz = changes.get("freq_mhz", base.freq_mhz)
    cores = changes.get("cores.matrix", base.cores.matrix)
    return {"dram.gb_s": min(rates) * mhz * cores / 1000}


def _whole(values: Mapping[str, str], key: str, place: str) -> int:
    number = _number(values, key, place)
    if not number.is_integer():
        raise DeviceError(f"{key} is {values[key]!r}", place, "give a whole number")
    return int(number)


def _units(values: Mapping[str, str], key: str, place: str, unit: int) -> int:
    """Whole units of a size in bytes; 0 would say that the machine has no such memory."""
    units = int(_number(values, key, place) // unit)
    if not units:
        raise DeviceError(f"{key} is {values[key]!r}", place, f"give {unit} bytes or more")
    return units


def _number(values: Mapping[str, str], key: str, place: str) -> float:
    try:
        number = float(values[key])
    except ValueError as error:
        raise DeviceError(f"{key} is {values[key]!r}", place, "give a number") from error
    if not 0 < number < float("inf"):
        raise DeviceError(f"{key} is {values[key]!r}", place, "give a number above 0")
    return number
