from pathlib import Path

import pytest

from perfgate.compiler.config import BufferMode, CompileConfig
from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.program import Unhandled
from perfgate.compiler.shape_flags import DynamicKind
from perfgate.compiler.switches import Fusion
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting

PLACE = "convert.sh:7:5"


def config(**flags: str | None) -> CompileConfig:
    return CompileConfig.from_settings(
        [Setting(name=f"--{n}", value=v, place=PLACE) for n, v in flags.items()]
    )


def test_no_flag_gives_the_documented_defaults() -> None:
    # SIMULATOR section 3: native layout spreads, allow_fp32_to_fp16, l2_optimize, everything else off.
    found = CompileConfig.from_settings([])
    assert found == CompileConfig()
    assert (found.layout, found.precision, found.buffer_mode) == ("", PrecisionMode.ALLOW_FP16, BufferMode.L2)
    assert not any((found.single_stream, found.small_channel, found.quantise, found.dynamic))


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("precision_mode", "allow_fp32_to_fp16"),
        ("buffer_optimize", "l2_optimize"),
        ("enable_single_stream", "false"),
        ("enable_small_channel", "0"),
        ("input_format", "NCHW"),
        ("quantize", "none"),
    ],
)
def test_a_flag_that_says_its_default_equals_an_absent_one(flag: str, value: str) -> None:
    assert config(**{flag: value}) == CompileConfig()


def test_the_bare_layout_and_a_layout_by_operator() -> None:
    assert config(optypelayout="NHWC").layout == "NHWC"
    found = config(optypelayout="Conv:NCHW,Resize:NHWC")
    assert (found.layout, found.type_layouts) == ("", {"Conv": "NCHW", "Resize": "NHWC"})


def test_both_precision_flags_together_are_refused() -> None:
    with pytest.raises(UsageError, match=r"precision_mode.*exclude each other.*convert\.sh:7:5"):
        config(precision_mode="force_fp16", precision_mode_v2="fp16")


def test_two_kinds_of_dynamic_shapes_are_refused() -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        config(dynamic_batch_size="1,2", dynamic_dims="1,2;3,4")


@pytest.mark.parametrize(
    ("value", "mode"),
    [
        ("fp16", PrecisionMode.FP16),
        ("origin", PrecisionMode.ORIGIN),
        ("mixed_bfloat16", PrecisionMode.MIXED_BF16),
    ],
)
def test_the_newer_precision_words_mean_the_older_modes(value: str, mode: PrecisionMode) -> None:
    assert config(precision_mode_v2=value).precision is mode


def test_a_repeated_flag_takes_the_last_value_and_says_so() -> None:
    settings = [
        Setting(name="--optypelayout", value="NHWC", place="a.sh:1:1"),
        Setting(name="--optypelayout", value="NCHW", place="a.sh:2:1"),
    ]
    found = CompileConfig.from_settings(settings)
    assert found.layout == "NCHW"
    assert found.notes == ("--optypelayout at a.sh:2:1 replaces the one at a.sh:1:1",)


def test_an_unknown_flag_is_kept_with_its_place() -> None:
    found = config(sparsity="1")
    assert found.unhandled == (Unhandled("--sparsity", PLACE, "its effect is not modelled"),)


def test_flags_that_only_name_files_are_neither_modelled_nor_unhandled() -> None:
    assert config(model="a.onnx", output="a", framework="5", log="info") == CompileConfig()


def test_keys_of_a_mapping_mean_what_the_flags_mean() -> None:
    keys = [Setting(name="optypelayout", value="NHWC"), Setting(name="disable_passes[0]", value="cse"),
            Setting(name="disable_passes[1]", value="fusion")]  # fmt: skip
    flags = [Setting(name="--optypelayout", value="NHWC"), Setting(name="--disable_pass", value="cse,fusion")]
    assert CompileConfig.from_settings(keys) == CompileConfig.from_settings(flags)


@pytest.mark.parametrize(
    ("flag", "value", "expected"),
    [
        ("optypelayout", "NCWH", "NHWC, NCHW, NC1HWC0"),
        ("optypelayout", "Conv:XY", "Op:layout"),
        ("optypelayout", None, "NHWC"),
        ("precision_mode", "fp8", "force_fp16"),
        ("buffer_optimize", "l3", "l2_optimize"),
        ("enable_single_stream", "maybe", "true or false"),
        ("input_shape", "data", "name:d,d"),
        ("input_shape", "data:1,x", "name:d,d"),
        ("dynamic_batch_size", "4", "2 to 100"),
        ("dynamic_batch_size", "4,4", "2 to 100"),
        ("dynamic_batch_size", "0,1", "1 or more"),
        ("dynamic_image_size", "1,2,3;4,5,6", "height,width"),
        ("disable_pass", "vectorise", "constant_folding"),
        ("quantize", "int4", "int8"),
        ("output_type", "FP7", "FP16"),
        ("op_precision_mode", "Conv:high_precision,Add:low", "high_performance"),
    ],
)
def test_a_bad_value_is_one_error_that_names_flag_place_and_what_is_expected(
    flag: str, value: str | None, expected: str
) -> None:
    with pytest.raises(UsageError) as caught:
        config(**{flag: value})
    assert f"--{flag}" in caught.value.what
    assert caught.value.where == PLACE
    assert expected in caught.value.remedy


def test_shapes_are_read_with_colons_in_names_and_open_dimensions() -> None:
    assert config(input_shape="a:b:1,3;c:-1,2").input_shapes == {"a:b": (1, 3), "c": (-1, 2)}


def test_dynamic_shapes_keep_their_kind_and_order() -> None:
    dynamic = config(dynamic_image_size="8,8;4,4").dynamic
    assert dynamic is not None
    assert (dynamic.kind, dynamic.choices) == (DynamicKind.IMAGE, ((8, 8), (4, 4)))


def test_a_switch_file_turns_fusions_off_and_keeps_unknown_names(tmp_path: Path) -> None:
    file = tmp_path / "switch.json"
    file.write_text('{"Switch": {"UBFusion": {"ConvAddResidual": "off", "Magic": "off"}}}')
    found = config(fusion_switch_file=str(file))
    assert found.fusion_off == {Fusion.CONV_ADD}
    assert [item.what for item in found.unhandled] == ["fusion 'Magic'"]


def test_a_file_beside_the_script_is_found(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "op.cfg").write_text("Conv=high_precision\n")
    setting = Setting(name="--op_precision_mode", value="op.cfg", place=f"{tmp_path}/deploy/c.sh:1:1")
    assert CompileConfig.from_settings([setting]).precise_ops == {"Conv"}


def test_a_missing_file_is_one_error_with_name_and_place() -> None:
    with pytest.raises(UsageError, match=r"no such file 'nowhere\.json': convert\.sh:7:5"):
        config(fusion_switch_file="nowhere.json")


@pytest.mark.parametrize("flag", ["fusion_switch_file", "insert_op_conf"])
def test_an_empty_path_names_no_file(flag: str) -> None:
    assert config(**{flag: ""}) == CompileConfig()


def test_exclusions_of_quantisation_are_a_list() -> None:
    assert config(quantize="int8", exclude="a, b").quantise_exclude == {"a", "b"}


def test_a_precision_that_no_device_has_is_unhandled_not_an_error() -> None:
    found = config(precision_mode_v2="mixed_hif8")
    assert [item.what for item in found.unhandled] == ["--precision_mode_v2"]
    assert found.precision is PrecisionMode.ALLOW_FP16


def test_the_case_of_a_layout_does_not_matter() -> None:
    assert config(optypelayout="nchw").layout == "NCHW"
    assert config(optypelayout="Conv:nhwc").type_layouts == {"Conv": "NHWC"}
