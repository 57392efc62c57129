from pathlib import Path

import pytest

from perfgate.compiler.flag_values import read_beside
from perfgate.compiler.op_precision import OpPrecision, parse_op_precision
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting


def parsed(value: str, root: Path = Path()) -> OpPrecision:
    return parse_op_precision(
        Setting(name="--op_precision_mode", value=value, place="c.sh:1:1"), read_beside(root)
    )


def test_pairs_in_the_command_name_operators() -> None:
    assert parsed("Softmax:high_precision,Exp:high_performance").ops == {"Softmax"}


def test_a_file_has_sections_for_operators_and_nodes(tmp_path: Path) -> None:
    (tmp_path / "op.ini").write_text(
        "[ByOpType]\nSoftmax=high_precision\n[ByNodeName]\nblock.3=high_precision # why\n"
    )
    found = parsed("op.ini", tmp_path)
    assert found.ops == {"Softmax"}
    assert found.nodes == {"block.3"}


def test_lines_that_change_no_cost_are_unhandled(tmp_path: Path) -> None:
    (tmp_path / "op.ini").write_text("[Other]\nConv=enable_hi_float_32_execution\n")
    assert [item.place for item in parsed("op.ini", tmp_path).unhandled] == ["op.ini:1", "op.ini:2"]


def test_a_line_without_a_mode_is_one_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "op.ini").write_text("Conv=fast\n")
    with pytest.raises(UsageError, match=r"op\.ini:1"):
        parsed("op.ini", tmp_path)
