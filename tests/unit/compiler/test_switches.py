import json

import pytest

from perfgate.compiler.switches import SECTION_OF, Fusion, parse_switches
from perfgate.core.errors import UsageError


def off(**sections: dict[str, str]) -> frozenset[Fusion]:
    return parse_switches(json.dumps({"Switch": sections}), "switch.json", "c.sh:1:1").off


def test_every_fusion_has_a_section() -> None:
    assert set(SECTION_OF) == set(Fusion)


@pytest.mark.parametrize("name", ["ALL", "All", "all"])
def test_all_turns_off_its_own_section_only(name: str) -> None:
    assert off(UBFusion={name: "off"}) == {f for f, s in SECTION_OF.items() if s == "UBFusion"}


def test_a_single_entry_beats_all_whatever_the_order() -> None:
    for entries in ({"ALL": "off", "ConvAddResidual": "on"}, {"ConvAddResidual": "on", "ALL": "off"}):
        found = off(UBFusion=entries)
        assert Fusion.CONV_ADD not in found
        assert Fusion.CONV_ACTIVATION in found


@pytest.mark.parametrize(
    "name", ["ConvBatchNorm", "ConvBatchnormFusionPass", "conv_batch_norm_fusion", "ConvBatchNormPass"]
)
def test_the_endings_and_cases_of_toolkits_mean_the_same_fusion(name: str) -> None:
    assert off(GraphFusion={name: "off"}) == {Fusion.CONV_BATCH_NORM}


def test_what_means_nothing_is_unhandled() -> None:
    found = parse_switches('{"Switch": {"GraphFusion": {"Magic": "off"}, "Other": {}}}', "s.json", "c.sh:1:1")
    assert [item.what for item in found.unhandled] == ["fusion 'Magic'", "fusion section 'Other'"]


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"GraphFusion": {}}', '{"Switch": {"GraphFusion": {"ALL": "maybe"}}}']
)
def test_another_form_is_one_error_that_names_the_file(text: str) -> None:
    with pytest.raises(UsageError, match=r"s\.json"):
        parse_switches(text, "s.json", "c.sh:1:1")
