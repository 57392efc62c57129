"""Hostile names become one readable line."""

from __future__ import annotations

from perfgate.report.html.shown import LONGEST, shown


def test_an_ordinary_name_stays_as_it_is() -> None:
    assert shown("UNet.mid_block.resnet.1.conv2") == "UNet.mid_block.resnet.1.conv2"


def test_hidden_signs_are_written_out() -> None:
    assert shown("a\x00b\u202ec\n") == r"a\x00b\u202ec\n"


def test_a_long_name_keeps_both_ends_and_the_bound() -> None:
    text = shown("start." + "x" * 10_000 + ".end")
    assert len(text) == LONGEST
    assert text.startswith("start.")
    assert text.endswith(".end")


def test_a_name_of_hidden_signs_only_keeps_the_bound_after_writing_them_out() -> None:
    assert len(shown("\u202e" * 10_000)) == LONGEST


def test_markup_is_left_to_whoever_writes_it_into_a_page() -> None:
    assert shown("</script>{{x}}@{x}") == "</script>{{x}}@{x}"
