"""The catalogue: names, values and constraints of the compilers' flags."""

from __future__ import annotations

import pytest

from perfgate.config.catalogue import catalogue_of
from perfgate.config.programs import PROGRAMS


@pytest.mark.parametrize("program", [program.name for program in PROGRAMS])
def test_every_program_has_a_catalogue_whose_names_fit_its_dialect(program: str) -> None:
    catalogue = catalogue_of(program)
    assert catalogue.program == program
    assert all(name.startswith("-") for name in catalogue.flags)
    assert set(catalogue.aliases.values()) <= set(catalogue.flags)


@pytest.mark.parametrize("program", ["atc", "trtexec"])
def test_constraints_and_synonyms_name_flags_that_exist(program: str) -> None:
    catalogue = catalogue_of(program)
    named = {name for names in catalogue.synonyms.values() for name in names}
    for rule in catalogue.constraints:
        named.update(
            rule.require, rule.forbid, rule.at_most_one, rule.all_or_none, rule.no_effect, rule.values
        )
        named.update(name for name in rule.when if name != "has")
        named.update(value for name, value in rule.when.items() if name == "has")
        for name, values in rule.values.items():
            assert not catalogue.flags[name].values or set(values) <= set(catalogue.flags[name].values)
    assert named <= set(catalogue.flags)
    assert len({rule.id for rule in catalogue.constraints}) == len(catalogue.constraints)


def test_onnx_models_take_no_nhwc_input() -> None:
    by_id = {rule.id: rule for rule in catalogue_of("atc").constraints}
    rule = by_id["atc-format-onnx"]  # atc_flags.yaml of the reference data
    assert rule.when == {"--framework": "5"}
    assert "NHWC" not in rule.values["--input_format"]


def test_an_unknown_program_has_an_empty_catalogue() -> None:
    assert catalogue_of("nobody").flags == {}
    assert not catalogue_of("nobody").complete
