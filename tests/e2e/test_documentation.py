"""Every command and every file shown in the README and in docs/ works as shown."""

from __future__ import annotations

import datetime as dt
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfgate.config.typed_yaml import read_typed
from perfgate.core.errors import UsageError
from perfgate.gate.policy_file import load_policy
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.measure.suite import load_suite
from tests.documentation.links import pages
from tests.documentation.walkthrough import starts
from tests.e2e.warm_start import run_command
from tests.planted.scenario import Scenario
from tests.repositories import Repository, clean_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = pages()
PROGRAMS = Path(sys.executable).parent
# Commands that set everything up are run by CI itself; running them here would run these tests again.
RUN_BY_CI = {"make gate", "make test", "make check"}
EXPECTED_FAILURES = {"--perfgate-on-guardrail measure"}  # shown as what a red gate looks like


def blocks(language: str, among: Iterable[Path] = PAGES) -> Iterator[tuple[str, str]]:
    for page in among:
        for match in re.finditer(
            rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            yield f"{page.name}:{page.read_text('utf-8')[: match.start()].count(chr(10)) + 1}", match[1]


def shown_commands() -> list[tuple[str, str]]:
    """The commands that stand alone; pages that are followed as a whole have `test_walkthroughs.py`."""
    return [
        (place, line.removeprefix("$ "))
        for place, text in blocks("console", [page for page in PAGES if starts(page) is None])
        for line in text.splitlines()
        if line.startswith("$ ")
    ]


COMMANDS = [item for item in shown_commands() if item[1] not in RUN_BY_CI]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed state of this repository, with this environment as its `.venv`."""
    folder = tmp_path_factory.mktemp("docs") / "perfgate"
    if not (ROOT / ".git").exists():
        pytest.skip("the tests run from an archive, not from a git clone: there is no commit to try")
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], env=clean_environment(), check=True)
    (folder / ".venv").symlink_to(Path(sys.prefix))
    return folder


def test_the_setup_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    shown = {command.split()[1] for _, command in shown_commands() if command.startswith("make ")}
    assert {"gate", "test"} <= shown <= targets


@pytest.mark.parametrize(("place", "command"), COMMANDS, ids=[command for _, command in COMMANDS])
def test_a_shown_command_works(clone: Path, place: str, command: str) -> None:
    expected = {0}
    if any(words in command for words in EXPECTED_FAILURES):
        script = clone / "perfgate/zoo/suite/convert_sd_unet.sh"
        script.write_text(script.read_text().replace("--optypelayout=NHWC", "--optypelayout=NCHW"))
        expected = {1}
    environment = clean_environment(PERFGATE_CACHE=str(clone.parent / "cache"))
    words = shlex.split(command)
    if words[0] == ".venv/bin/perfgate":  # the clone's `.venv` is this environment, so it can run warm
        done = run_command([str(PROGRAMS / "perfgate"), *words[1:]], clone, environment, seconds=120)
    else:
        done = subprocess.run(words, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    subprocess.run(["git", "checkout", "-q", "."], cwd=clone, env=clean_environment(), check=True)
    assert done.returncode in expected, f"{place}: {done.stdout}{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr


YAML_BLOCKS = list(blocks("yaml"))


@pytest.mark.parametrize(("place", "text"), YAML_BLOCKS, ids=[place for place, _ in YAML_BLOCKS])
def test_a_shown_file_is_one_that_perfgate_takes(place: str, text: str) -> None:
    if "benchmarks:" in text:
        assert load_suite(text.encode(), "perf_models.yaml"), place
    elif "policy:" in text:
        assert load_policy(text.encode(), "perfgate.yaml", today=dt.date(2026, 11, 29)).rules, place
    elif "plant:" in text:
        assert read_typed(text.encode(), "fault.yaml", Scenario, UsageError).value.plants, place
    else:
        found = load_rules([RuleSource(path="guardrails.yaml", text=text.encode())])
        assert found.sources == ("guardrails.yaml",), place


def test_the_newcomers_own_repository_reaches_a_first_verdict(tmp_path: Path) -> None:
    suite = next(text for _, text in blocks("yaml") if "models/detector.onnx" in text)
    rule = next(text for _, text in blocks("yaml") if "atc_convert" in text)
    repository = Repository(tmp_path / "mine")
    from perfgate.zoo.catalogue import build  # noqa: PLC0415 - only this test builds a model

    repository.commit(
        "start",
        {
            "perf_models.yaml": suite,
            "guardrails.yaml": rule,
            "models/detector.onnx": build("sd_unet", "tiny").SerializeToString(),
            "deploy/convert.sh": "atc --framework=5 --model=detector.onnx --output=d --optypelayout=NHWC\n",
            "deploy/runtime_config.yaml": "pinned_memory: true\n",
        },
    )
    perfgate = str(PROGRAMS / "perfgate")
    codes = []
    for arguments in (["check"], ["baseline", "update", "--reason", "first baselines"]):
        done = subprocess.run(
            [perfgate, *arguments],
            cwd=repository.folder,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        codes.append(done.returncode)
    assert codes == [11, 0]  # nothing to compare with yet; then accepted
    repository.commit("accept")
    done = subprocess.run(
        [perfgate, "check"],
        cwd=repository.folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 unchanged" in done.stdout


def test_the_shown_tests_run_with_and_without_the_gate(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "mine")
    repository.commit(
        "start",
        {"tests/test_perf.py": next(text for _, text in blocks("python") if "perfgate.testing" in text)},
    )
    pytest_program = str(PROGRAMS / "pytest")
    for arguments, code, word in (
        ([], 0, "5 passed"),
        (["--perfgate", "--perfgate-runs", "2", "-p", "no:randomly"], 11, "6 new"),
    ):
        done = subprocess.run(
            [pytest_program, *arguments],
            cwd=repository.folder,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert word in done.stdout
