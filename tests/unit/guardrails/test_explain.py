"""`guard explain`: a rule with all it matched, a place with all that was read there; `guard test`."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.examples import run_examples
from perfgate.guardrails.explain import explain_place, explain_rule
from perfgate.guardrails.strictness import effective
from perfgate.guardrails.tree import facts_of_tree, reader_for
from tests.guard_facts import TODAY, rules

FILES = {
    "a.sh": b'L=NCHW\natc --model=m.onnx \\\n  --optypelayout=$L --soc_version="$SOC"\n',
    "b.sh": b"atc --mode=6 --om=x.om\n",
    "deploy/runtime_config.json": b'{"tea_cache": true}',
}
RULES = """\
atc_convert: require --optypelayout=NHWC
rules: [{id: soc, target: atc, require: {--soc_version: null}, when: {has: --model}, message: why not}]
latency: <=33ms
"""
LOADED = rules(RULES)
FACTS = facts_of_tree(FILES, LOADED)
EVALUATION = evaluate(LOADED, FACTS, today=TODAY)


def test_rule_is_told_in_words_with_origin_matches_and_answers() -> None:
    assert explain_rule(EVALUATION, "atc_convert/require/--optypelayout") == (
        "atc_convert/require/--optypelayout (error)\n"
        "  asks:   calls of atc with (--model or --singleop or arguments that the file does not show) and"
        " not (--mode seen and not (--mode=0)): --optypelayout must be NHWC\n"
        "  from:   guardrails.yaml:1:22\n"
        "  answer: fail over 1 matched\n"
        "    a.sh:2:1: atc: fail\n"
        "      3:3: --optypelayout=NCHW, must be NHWC\n"
    )


def test_rule_is_found_by_its_key_and_says_why_it_exists() -> None:
    text = explain_rule(EVALUATION, "guardrails.yaml::soc")
    assert "why:    why not" in text
    assert "when --model" in text
    assert "answer: pass over 1 matched" in text


def test_rule_on_a_metric_is_not_evaluated_here() -> None:
    assert "needs a measurement" in explain_rule(EVALUATION, "latency/budget/max")


def test_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="one of soc"):
        explain_rule(EVALUATION, "sco")


def test_place_shows_each_value_with_its_derivation() -> None:
    text = explain_place(EVALUATION, FACTS, "a.sh", 3)
    assert "call of atc (gflags) at a.sh:2:1" in text
    assert "--optypelayout=NCHW (certain)" in text
    assert "--soc_version=$SOC (unknown; $SOC is not known in this file)" in text
    assert "rule atc_convert/require/--optypelayout: fail" in text


def test_place_of_a_key() -> None:
    text = explain_place(EVALUATION, FACTS, "deploy/runtime_config.json", 1)
    assert "key tea_cache = true (bool)" in text


@pytest.mark.parametrize(("path", "line"), [("a.sh", 99), ("none.sh", 1)])
def test_place_where_nothing_was_read(path: str, line: int) -> None:
    with pytest.raises(UsageError, match="nothing was read"):
        explain_place(EVALUATION, FACTS, path, line)


EXAMPLES = """\
rules:
  - id: layout
    target: atc_convert
    require: {--optypelayout: NHWC}
    paths: [deploy/**]
    examples:
      valid: ["atc --framework=5 --model=m --optypelayout=NHWC", "atc --mode=6 --om=x"]
      invalid: ["atc --framework=5 --model=m", "atc --model=m --optypelayout=NHWC"]
  - id: cache
    target: runtime
    require: {tea_cache: "true"}
    examples: {valid: ["tea_cache: true"], invalid: ["tea_cache: yes"]}
  - id: torch
    target: torch_compile
    forbid: [fullgraph]
    examples: {invalid: ["import torch\\ntorch.compile(m, fullgraph=True)"]}
"""


def test_examples_are_read_and_judged_like_files() -> None:
    loaded = rules(EXAMPLES)
    outcomes = run_examples(loaded, reader_for(loaded))
    assert [outcome.is_right for outcome in outcomes] == [True, True, True, False, True, True, True]
    assert str(outcomes[3]) == (
        "guardrails.yaml:8:48: layout: the rule answers pass, the example says fail: "
        "atc --model=m --optypelayout=NHWC"
    )


def test_place_of_a_setting_and_of_remarks() -> None:
    files = {"a.sh": b"export XLA_FLAGS='--a=1 --a=2'\nexport ASCEND_GLOBAL_LOG_LEVEL=3\n"}
    loaded = rules("xla: require --a=2")
    tree = facts_of_tree(files, loaded)
    evaluation = evaluate(loaded, tree, today=TODAY)
    text = explain_place(evaluation, tree, "a.sh", 1)
    assert "set of XLA_FLAGS at a.sh:1:8" in text
    assert "--a=1 (certain; overridden by a later one)" in text
    assert "repeated-flag: " in text
    assert "set of ASCEND_GLOBAL_LOG_LEVEL = 3 at" in explain_place(evaluation, tree, "a.sh", 2)


def test_conditions_and_candidates_are_named() -> None:
    files = {"a.sh": b"for f in A B; do atc --x=$f; done\nif y; then Z=--z; fi\natc $Z\n"}
    loaded = rules("atc: require --x")
    tree = facts_of_tree(files, loaded)
    evaluation = evaluate(loaded, tree, today=TODAY)
    assert "--x=A|B (maybe; one of A, B" in explain_place(evaluation, tree, "a.sh", 1)
    assert "--z (maybe; under a condition)" in explain_place(evaluation, tree, "a.sh", 3)


def test_long_lists_of_matches_are_counted() -> None:
    files = {"a.sh": b"atc --x=1\n" * 60}
    loaded = rules("atc: require --x")
    text = explain_rule(evaluate(loaded, facts_of_tree(files, loaded), today=TODAY), "atc/require/--x")
    assert text.endswith("and 10 more\n")


def test_base_rule_says_where_it_comes_from() -> None:
    combined, _ = effective(rules("atc: require --x"), rules("aoe: require --x"))
    assert "(of the base commit)" in explain_rule(evaluate(combined, [], today=TODAY), "atc/require/--x")
