"""A hostile benchmark name in every place where perfgate writes: text there, and nothing else.

Comments, summaries and annotations have their own goldens (tests/golden); here a repository really has such a
benchmark, and every face and file of a run is looked at.
"""

from __future__ import annotations

import json
import unicodedata
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.project import Project, Result

SIGNS = (
    "` | \n <img src=x onerror=alert(1)> @org/team #123 ](http://evil.example) \u202eover "
    "<!-- perfgate:linux --> \x1b[31m \x07 \x9b31m \x00 ]]> & \u2028 '\" \U000e0001"
)
QUOTED = json.dumps(f"evil {SIGNS}").replace(r"\udb40\udc01", r"\U000e0001")  # YAML has no surrogate pairs
ENTRY = f"  - {{name: {QUOTED}, model: zoo:resnet50, devices: [ascend-310p-like]}}\n"
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def is_clean(text: str) -> bool:
    """No control, format or separator sign besides the line ends of the text itself."""
    return not [sign for sign in text if sign != "\n" and unicodedata.category(sign) in HIDDEN]


def inert(done: Result) -> str:
    assert "Traceback" not in done.text
    assert "INTERNALERROR" not in done.text
    assert is_clean(done.out), ascii(done.out)
    assert is_clean(done.err), ascii(done.err)
    return done.out


@pytest.fixture
def hostile(project: Project) -> Project:
    """The repository with one benchmark more, whose name is as bad as names get."""
    with (project.folder / "perf_models.yaml").open("a", encoding="utf-8") as file:
        file.write(ENTRY)
    project.commit("a benchmark")
    return project


def test_the_command_line_shows_it_as_text(hostile: Project) -> None:
    for arguments in (
        ("check", "--markdown", "r.md", "--sarif", "r.sarif", "--json", "r.json"),
        ("record", "-o", "records"),
        ("check", "-k", "nothing like it"),
        ("-v", "doctor"),
    ):
        inert(hostile.perfgate(*arguments))
    report = json.loads((hostile.folder / "r.json").read_text(encoding="utf-8"))
    assert f"evil {SIGNS}" in {item["benchmark"] for item in report["verdicts"]}  # whole, for machines
    assert is_clean((hostile.folder / "r.json").read_text(encoding="utf-8"))
    json.loads((hostile.folder / "r.sarif").read_text(encoding="utf-8"))
    assert is_clean((hostile.folder / "r.md").read_text(encoding="utf-8"))


def test_a_baseline_of_it_has_a_plain_file_name_and_is_listed_as_text(hostile: Project) -> None:
    done = hostile.perfgate("baseline", "update", "--reason", f"because {SIGNS.replace(chr(0), '')}")
    assert done.code == 0, done.text
    inert(done)
    (file,) = (hostile.folder / "baselines").rglob("evil*.json")
    assert file.name.isascii()
    assert " " not in file.name
    for arguments in (("baseline", "list"), ("baseline", "show", "evil"), ("baseline", "diff")):
        inert(hostile.perfgate(*arguments))
    hostile.commit("accepted")
    hostile.git("update-ref", "refs/remotes/origin/main", "HEAD")
    hostile.replace("perf_models.yaml", ENTRY, "")
    for gone in (hostile.perfgate("check"), hostile.pytest("-rA", "-v")):
        assert gone.code == 1, gone.text
        inert(gone)


@pytest.mark.parametrize("arguments", [("-rA", "-v"), ("-n", "2", "-rA"), ("--collect-only", "-q")])
def test_pytest_shows_it_as_text_and_its_files_are_well_formed(
    hostile: Project, arguments: tuple[str, ...]
) -> None:
    files = ("--junitxml", "junit.xml", "--perfgate-markdown", "r.md", "--perfgate-sarif", "r.sarif")
    done = hostile.pytest(*arguments, *files, "--perfgate-new", "fail")
    assert done.code == (0 if "-q" in arguments else 1), done.text
    inert(done)
    if "-q" in arguments:
        return
    tree = ET.parse(hostile.folder / "junit.xml")  # noqa: S314 - our own file
    assert any("evil" in case.attrib["name"] for case in tree.iter("testcase"))
    assert is_clean((hostile.folder / "junit.xml").read_text(encoding="utf-8"))
    assert is_clean((hostile.folder / "r.md").read_text(encoding="utf-8"))
    json.loads((hostile.folder / "r.sarif").read_text(encoding="utf-8"))


def test_names_of_devices_files_flags_and_commits_are_text_too(project: Project) -> None:
    name = "deploy/evil \x1b[31m \u202e.sh"
    project.write({name: "atc --model=a.onnx --optypelayout=\x1b]0;x\x07\n"})
    project.replace("perf_models.yaml", "[ascend-310p-like, ascend-910b-like]", '["ascend\\e[31m\\a"]')
    rule = "atc_convert: require --optypelayout=NHWC"
    for done in (
        project.perfgate("check"),
        project.perfgate("guard"),
        project.perfgate("guard", "--sarif", "-"),
        project.perfgate("guard", "explain", f"{name}:1"),
        project.perfgate("guard", "explain", name),
        project.perfgate("guard", name + "x"),
        project.perfgate("check", "--json", "-"),
        project.pytest("-rA"),
    ):
        inert(done)
    project.commit("evil \x1b[31m \x9b31m subject")
    inert(project.perfgate("guard", "add", rule, "--replay", "2"))
