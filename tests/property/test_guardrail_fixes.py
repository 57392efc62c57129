"""Fixes over the commands corpus: every offered diff applies with git, mends, and changes no other fact."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfgate.config.facts import Certainty, FileFacts, Flag, Value
from perfgate.core.finding import Answer
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.fix import fixes_of
from perfgate.guardrails.tree import facts_of_tree, reader_for
from perfgate.report.github_annotations import github_lines
from perfgate.report.guard_text import render_text
from tests.guard_facts import TODAY, rules

if TYPE_CHECKING:
    from perfgate.guardrails.evaluation import Evaluation

ROOT = Path(__file__).parents[1] / "data" / "commands" / "files"
FILES = {str(path.relative_to(ROOT)): path.read_bytes() for path in sorted(ROOT.rglob("*")) if path.is_file()}
RULES = {
    "missing": "atc: require --optypelayout=NHWC\ntrtexec: require --memPoolSize=workspace:1024\n",
    "wrong": "atc: require --input_format=ND\nxla: require --xla_gpu_autotune_level=4\n",
    "forbidden": "atc: forbid --log\ntrtexec: [forbid --fp16, forbid --verbose]\nxla: forbid --xla_dump_to\n",
    "keys": "runtime: require tea_cache=true stream.priority=low\n",
}


def judged(text: str, files: dict[str, bytes]) -> tuple[Evaluation, tuple[FileFacts, ...]]:
    loaded = rules(text)
    tree = facts_of_tree(files, loaded)
    return evaluate(loaded, tree, today=TODAY), tree


@pytest.mark.parametrize("name", RULES)
def test_offered_diffs_apply_and_mend_what_they_say(name: str, tmp_path: Path) -> None:
    before, _ = judged(RULES[name], FILES)
    found = fixes_of(before, FILES, reader_for(before.rules))
    assert found.files  # the corpus holds places that are certain
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)  # noqa: S607 - the tool under test
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=tmp_path, input=found.diff, check=True)  # noqa: S607 - the same
    mended = {path: (tmp_path / path).read_bytes() for path in FILES}
    assert {path: data for path, data in mended.items() if data != FILES[path]} == dict(found.files)
    after, _ = judged(RULES[name], mended)
    failed = [
        f for f in before.findings if f.answer is Answer.FAIL and f.fingerprint and f.rule in _ids(before)
    ]
    left = [f for f in after.findings if f.answer is Answer.FAIL and f.fingerprint and f.rule in _ids(before)]
    assert len(left) == len(found.refused) < len(failed)
    assert {f.span.path for f in left} == {item.place.rsplit(":", 2)[0] for item in found.refused}


def _ids(evaluation: Evaluation) -> set[str]:
    return {rule.id for rule in evaluation.rules.rules}


@pytest.mark.parametrize("name", ["wrong", "forbidden"])
def test_no_diff_touches_a_flag_that_is_not_certain(name: str) -> None:
    before, tree = judged(RULES[name], FILES)
    found = fixes_of(before, FILES, reader_for(before.rules))
    _, after = judged(RULES[name], FILES | dict(found.files))
    for old, new in zip(tree, after, strict=True):
        for one, other in zip(old.commands, new.commands, strict=True):
            assert _uncertain(one.flags) == _uncertain(other.flags)
            assert one.open is other.open
            assert not one.open or len(one.flags) == len(other.flags)


def _uncertain(flags: tuple[Flag, ...]) -> list[tuple[str, Value, str]]:
    return [
        (flag.name, flag.value, flag.presence) for flag in flags if flag.certainty is not Certainty.CERTAIN
    ]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_mark_changes_no_finding(mark: bytes) -> None:
    plain, _ = judged(RULES["missing"] + RULES["wrong"], FILES)
    marked, _ = judged(
        RULES["missing"] + RULES["wrong"],
        {path: mark + data.removeprefix(mark) for path, data in FILES.items()},
    )
    assert [(f.rule, f.span, f.message) for f in marked.findings] == [
        (f.rule, f.span, f.message) for f in plain.findings
    ]


def test_every_output_of_the_corpus_is_printable_lines() -> None:
    evaluation, _ = judged("\n".join(RULES.values()), FILES)
    text = render_text(evaluation, FILES)
    assert all(sign.isprintable() or sign in "\n\t" for sign in text)
    assert all(line.isprintable() and line.startswith("::") for line in github_lines(evaluation.findings))
