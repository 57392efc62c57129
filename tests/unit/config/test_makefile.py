"""Makefiles; the values of the first test are what GNU Make 4 gave to stand-ins that record arguments."""

from __future__ import annotations

from tests.unit.config.described import facts_of

TEXT_FUNCTIONS = """\
MODEL := swan
SHAPE = "x:1,3;y:1"
DIR = out/$(MODEL)
FLAGS = --framework=5 --input_shape=$(SHAPE) \\
	--output=$(DIR)/m # said behind
LIST := --a=1 --b=2
define RUN
atc $(1) --model=$(2).onnx
trtexec --onnx=$(2).onnx
endef
NAMES := heron.onnx swan.onnx
all:
	@atc $(FLAGS)
	-@atc $(LIST) $(addprefix --c=,3) --z="$(NAMES:.onnx=.om)" --k=a\\#b $(subst a,b,--x=aa)
	$(call RUN,$(LIST),ibis)
	+cd /tmp && atc --dollar='$$HOME' ; trtexec --onnx=$(firstword $(NAMES))
"""


def test_values_are_what_make_hands_to_the_shell() -> None:
    assert facts_of("Makefile", TEXT_FUNCTIONS) == [
        "8:1 atc --a=1 --b=2 --model=ibis.onnx",
        "9:1 trtexec --onnx=ibis.onnx",
        "13:3 atc --framework=5 --input_shape=x:1,3;y:1 --output=out/swan/m",
        "14:4 atc --a=1 --b=2 --c=3 --z=heron.om swan.om --k=a#b --x=bb",
        "16:14 atc --dollar=$HOME",
        "16:38 trtexec --onnx=heron.onnx",
    ]


def test_conditionals_are_open_and_the_last_state_counts_in_recipes() -> None:
    text = (
        "x:\n\tatc --a=$(CHIP) $(OPTS)\n"
        "ifeq ($(EDGE),1)\nCHIP = A\nelse ifdef S\nCHIP = B\nelse\nCHIP = C\nendif\n"
        "OPTS = --one=1\nifdef D\nOPTS += --two=2\nendif\n"
    )
    assert facts_of("Makefile", text) == ["2:2 atc ~--a={A|B|C} --one=1 ~--two=2"]


def test_values_of_a_target_reach_its_own_recipe_surely_and_others_maybe() -> None:
    text = "OPTS = --a=1\ndebug: OPTS += --b=2\ndebug: x\n\tatc $(OPTS)\nx:\n\tatc $(OPTS)\n"
    assert facts_of("Makefile", text) == ["4:2 atc --a=1 --b=2", "6:2 atc --a=1 ~--b=2"]


def test_a_default_can_be_replaced_and_an_undefined_word_opens_the_command() -> None:
    text = "F ?= NCHW\nx:\n\tatc --f=$(F) --u=$(U) $(EXTRA)\n"
    assert facts_of("Makefile", text) == ["3:2 atc ~--f=NCHW --u=? ..."]


def test_only_exported_variables_are_settings() -> None:
    text = "XLA_FLAGS = --a=1\nTF_XLA_FLAGS := --b=1\nexport TF_XLA_FLAGS\nx:\n\tatc\n"
    assert facts_of("Makefile", text) == ["2:1 TF_XLA_FLAGS set --b=1", "5:2 atc"]


def test_a_quiet_prefix_from_a_variable_is_no_part_of_the_program() -> None:
    assert facts_of("Makefile", "Q := @\nx: ; $(Q)atc --a=1\n") == ["2:10 atc --a=1"]


def test_another_shell_is_said_and_not_read() -> None:
    assert facts_of("Makefile", "SHELL := pwsh\nx:\n\tatc --a=1\n") == ["3:2 note unsupported-shell"]
