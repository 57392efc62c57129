"""`guard --fix`: every offered diff applies with git, mends the finding and changes no other fact."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from perfgate.config.read import read
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.fix import Fixes, fixes_of, with_edits
from perfgate.guardrails.tree import facts_of_tree
from tests.guard_facts import TODAY, rules

if TYPE_CHECKING:
    from pathlib import Path

RULE = "atc: require --input_format=ND\n"
FORBID = "atc: forbid --log\n"


def fixes(rule: str, files: dict[str, bytes]) -> Fixes:
    loaded = rules(rule)
    evaluation = evaluate(loaded, facts_of_tree(files, loaded), today=TODAY)
    return fixes_of(evaluation, files, read)


def fixed(rule: str, path: str, text: str) -> str:
    """The mended file; it must satisfy the rule."""
    found = fixes(rule, {path: text.encode()})
    assert found.refused == ()
    ((_, data),) = found.files
    loaded = rules(rule)
    after = evaluate(loaded, facts_of_tree({path: data}, loaded), today=TODAY)
    assert [outcome.answer for outcome in after.outcomes] == ["pass"] * len(after.outcomes)
    return data.decode()


RUN = "jobs:\n  a:\n    steps:\n      - run: |\n          atc --model=m \\\n            --output=o\n"
SHELL = "atc --model=m \\\n    --input_format=NCHW \\\n    --output=o\necho done\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.sh", SHELL, SHELL.replace("NCHW", "ND")),
        ("a.sh", "atc --input_format='NCHW' --model=m\n", "atc --input_format='ND' --model=m\n"),
        ("a.sh", 'atc --input_format="NCHW" --model=m\n', 'atc --input_format="ND" --model=m\n'),
        ("a.sh", "atc --input_format NCHW --model=m\n", "atc --input_format ND --model=m\n"),
        ("a.sh", "F=NCHW\natc --input_format=$F\n", "F=ND\natc --input_format=$F\n"),
        (
            "a.py",
            'import subprocess\nsubprocess.run(["atc", "--model=m", "--input_format=NCHW"])\n',
            'import subprocess\nsubprocess.run(["atc", "--model=m", "--input_format=ND"])\n',
        ),
        (
            ".github/workflows/c.yml",
            "jobs:\n  a:\n    steps:\n      - run: atc --model=m --input_format=NCHW\n",
            "jobs:\n  a:\n    steps:\n      - run: atc --model=m --input_format=ND\n",
        ),
    ],
)
def test_wrong_value_is_replaced_in_place(path: str, before: str, after: str) -> None:
    assert fixed(RULE, path, before) == after


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.sh", "atc --model=m\n", "atc --model=m --input_format=ND\n"),
        ("a.sh", "atc --model=m > log 2>&1\n", "atc --model=m --input_format=ND > log 2>&1\n"),
        (
            "a.sh",
            "atc --model=m \\\n\t--output=o\n",
            "atc --model=m \\\n\t--output=o \\\n\t--input_format=ND\n",
        ),
        (
            "a.py",
            'import subprocess\nsubprocess.run(["atc", "--model=m"], check=True)\n',
            'import subprocess\nsubprocess.run(["atc", "--model=m", "--input_format=ND"], check=True)\n',
        ),
        (
            "a.py",
            "import subprocess as s\ns.run([\n    'atc',\n    '--model=m',\n])\n",
            "import subprocess as s\ns.run([\n    'atc',\n    '--model=m',\n    '--input_format=ND',\n])\n",
        ),
        (
            "docker-compose.yml",
            "services:\n  c:\n    command:\n      - atc\n      - --model=m\n",
            "services:\n  c:\n    command:\n      - atc\n      - --model=m\n      - --input_format=ND\n",
        ),
        (
            ".github/workflows/c.yml",
            RUN,
            RUN.replace("=o", "=o \\\n            --input_format=ND"),
        ),
    ],
)
def test_missing_flag_is_added_in_the_style_of_its_neighbours(path: str, before: str, after: str) -> None:
    assert fixed(RULE, path, before) == after


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.sh", "atc --log=debug --model=m\n", "atc --model=m\n"),
        ("a.sh", "atc --model=m --log=debug\n", "atc --model=m\n"),
        ("a.sh", "atc --model=m \\\n  --log=debug \\\n  --output=o\n", "atc --model=m \\\n  --output=o\n"),
        ("a.sh", "atc --model=m \\\n  --log=debug\necho\n", "atc --model=m\necho\n"),
        (
            "a.py",
            'import subprocess\nsubprocess.run(["atc", "--log=debug", "--model=m"])\n',
            'import subprocess\nsubprocess.run(["atc", "--model=m"])\n',
        ),
        (
            "a.py",
            'import subprocess\nsubprocess.run(["atc", "--model=m", "--log=debug"])\n',
            'import subprocess\nsubprocess.run(["atc", "--model=m"])\n',
        ),
        (
            "a.py",
            'import subprocess\nsubprocess.run([\n    "atc",\n    "--log=debug",\n    "--model=m",\n])\n',
            'import subprocess\nsubprocess.run([\n    "atc",\n    "--model=m",\n])\n',
        ),
    ],
)
def test_forbidden_flag_is_deleted_with_its_blank(path: str, before: str, after: str) -> None:
    assert fixed(FORBID, path, before) == after


def test_key_of_a_runtime_file_is_replaced() -> None:
    text = '{"stream": {"priority": "low"}, "tea_cache": false}\n'
    rule = "runtime: require stream.priority=high tea_cache=true\n"
    after = '{"stream": {"priority": "high"}, "tea_cache": true}\n'
    assert fixed(rule, "deploy/runtime_config.json", text) == after


def test_a_value_that_needs_quotes_is_written_where_quotes_are() -> None:
    rule = "atc: \"require --input_shape='x:1;y:2'\"\n"
    assert fixed(rule, "a.sh", 'atc --input_shape="x:4;y:2"\n') == 'atc --input_shape="x:1;y:2"\n'


def test_two_findings_of_one_file_are_mended_together() -> None:
    text = "atc --model=a --input_format=NCHW\natc --model=b --log=info\n"
    after = "atc --model=a --input_format=ND\natc --model=b --input_format=ND\n"
    assert fixed(RULE + FORBID, "a.sh", text) == after


@pytest.mark.parametrize("text", [SHELL.replace("\n", "\r\n"), "\ufeff" + SHELL, "# größer\n" + SHELL])
def test_line_ends_and_byte_order_mark_are_kept(text: str) -> None:
    ((_, data),) = fixes(RULE, {"a.sh": text.encode()}).files
    assert data == text.replace("NCHW", "ND").encode()


@pytest.mark.parametrize(
    ("rule", "text", "reason"),
    [
        (RULE, "atc --model=m --input_format=${F:-NCHW}\n", "maybe"),
        (RULE, 'if x; then F=NCHW; else F=ND; fi\natc --input_format="$F"\n', "maybe"),
        (RULE, "if x; then E=--input_format=NCHW; fi\natc --model=m $E\n", "maybe"),
        (RULE, 'atc --input_format=NCHW "$@"\n', "more arguments"),
        ("atc: require --input_format={ND,NHWC}\n", "atc --model=m\n", "several values"),
        ("atc: \"require --output='a b'\"\n", "atc --model=m\n", "quotes"),
        ("trtexec: require --fp16=x\n", "trtexec --onnx m.onnx\n", "may be its value"),
        ("torch_compile: require mode=max\n", "", ""),
    ],
)
def test_what_is_not_certain_is_refused_with_the_reason(rule: str, text: str, reason: str) -> None:
    found = fixes(rule, {"a.sh": text.encode()})
    assert found.diff == b""
    assert (reason in str(found.refused[0])) if reason else found.refused == ()


def test_file_that_is_not_tracked_is_left_alone() -> None:
    loaded = rules(RULE)
    evaluation = evaluate(loaded, facts_of_tree({"a.sh": b"atc --model=m\n"}, loaded), today=TODAY)
    assert [str(item) for item in fixes_of(evaluation, {}, read).refused] == [
        "a.sh:1:1: atc/require/--input_format: no fix: the file is not tracked"
    ]


def test_git_applies_the_diff(tmp_path: Path) -> None:
    files = {
        "deploy/my convert.sh": SHELL.encode(),
        "deploy/win.sh": SHELL.replace("\n", "\r\n").encode(),
        "end.sh": b"atc --model=m",  # no line feed at the end
        "größe.sh": "# größe\natc --model=m\n".encode("latin-1"),
        "build.py": b"import os\nos.system('atc --model=m --input_format=NCHW')\n",
    }
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    found = fixes(RULE, files)
    assert found.refused == ()
    assert [path for path, _ in found.files] == sorted(files)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)  # noqa: S607 - the tool under test
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=found.diff, check=True)  # noqa: S607 - the same
    for path, data in found.files:
        assert (tmp_path / path).read_bytes() == data


def test_edits_are_offered_with_the_findings_where_they_are_certain() -> None:
    files = {"a.sh": b'atc --model=m --input_format=NCHW\natc --model=m "$@" --input_format=NCHW\n'}
    loaded = rules(RULE)
    evaluation = evaluate(loaded, facts_of_tree(files, loaded), today=TODAY)
    found = [finding for finding in with_edits(evaluation, files, read).findings if finding.found]
    assert [finding.edits[0].text if finding.edits else None for finding in found] == ["ND", None]
    # `atc --model=m --input_format=` has 29 characters, so the value stands in columns 30 to 33
    assert (found[0].edits[0].place.column, found[0].edits[0].place.end_column) == (30, 34)


@pytest.mark.parametrize(
    ("rule", "text", "reason"),
    [
        (
            RULE,
            "atc --input_format=NCHW --input_format=NHWC --model=m\n",
            "",
        ),  # the last one counts and is mended
        (
            "trtexec: require --sparsity=force",
            "trtexec --sparsity=disable --sparsity=enable\n",
            "several times",
        ),
        ("atc: require --input_format=ND", "atc --model=m --input_format=\n", "no value to replace"),
        (FORBID, 'atc --model=m --log="a\nb"\n', "several lines"),
        ("iree: forbid --x", "iree-compile --x\n", ""),
        (RULE, "if x; then E=--log=info; fi\natc --model=m $E\n", "other flags"),
        ("rules: [{id: g, target: atc, at_most_one: [--a, --b]}]", "atc --a=1 --b=1\n", "several values"),
    ],
)
def test_more_places_that_are_mended_or_refused(rule: str, text: str, reason: str) -> None:
    found = fixes(rule, {"a.sh": text.encode()})
    assert (reason in str(found.refused[0])) if reason else found.refused == ()
    assert bool(found.diff) is not bool(reason)


def test_value_of_the_author_is_written_where_the_rule_leaves_a_choice() -> None:
    body = "values: {--input_format: [ND, NHWC]}, fix: {set: {--input_format: ND}}"
    rule = f"rules: [{{id: r, target: atc, {body}}}]"
    assert fixed(rule, "a.sh", "atc --input_format=NCHW\n") == "atc --input_format=ND\n"


def test_missing_key_of_a_runtime_file_is_refused() -> None:
    found = fixes("runtime: require tea_cache=true", {"runtime_config.json": b'{"a": 1}'})
    assert [item.reason for item in found.refused] == ["where to add it is not certain"]


def test_file_whose_encoding_cannot_hold_the_value_is_left_alone() -> None:
    data = "# größe\natc --model=m\n".encode("latin-1")
    found = fixes('atc: "require --output=模型"', {"a.sh": data})
    assert [item.reason for item in found.refused] == ["the file's encoding cannot hold the value"]


@pytest.mark.parametrize("path", ['a"b.sh', "a\\b.sh", "a\nb.sh", "a\udcff.sh"])
def test_name_that_git_would_quote_is_left_alone(path: str) -> None:
    found = fixes(RULE, {path: b"atc --model=m\n"})
    assert [item.reason for item in found.refused] == ["the file's name needs quotes"]


def test_waived_place_is_left_alone() -> None:
    text = b"atc --model=m --input_format=NCHW\n"
    loaded = rules(RULE)
    before = evaluate(loaded, facts_of_tree({"a.sh": text}, loaded), today=TODAY)
    waiver = (
        f"waivers: [{{rule: atc/require/--input_format, path: a.sh, owner: o, expires: 2027-01-15,"
        f" fingerprint: {before.outcomes[0].findings[0].fingerprint}, reason: v1 models end in March}}]\n"
    )
    assert fixes(RULE + waiver, {"a.sh": text}).diff == b""


def test_program_alone_in_a_list_gets_no_flag() -> None:
    found = fixes(RULE, {"a.py": b'import subprocess\nsubprocess.run(["atc"])\n'})
    assert [item.reason for item in found.refused] == ["it stands in a list without flags"]


def test_program_alone_on_a_line_gets_the_flag_behind_it() -> None:
    assert fixed(RULE, "a.sh", "atc\n") == "atc --input_format=ND\n"
