from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.backends.command import CommandBackend
from perfgate.backends.launch import Launch, Reading
from perfgate.backends.protocol import Request
from perfgate.core.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from perfgate.core.record import Run

LATENCY = Reading(metric="latency", unit="s", factor=1e-3, regex=r"took (\S+) ms")
FILE = Reading(metric="latency", unit="s", pointer="/t", file="out.json")


@pytest.fixture
def ask(tmp_path: Path) -> Request:
    return Request(benchmark="b", device="here", root=str(tmp_path), samples=5, place="p.yaml:4:5")


def launch(code: str, *readings: Reading, **more: object) -> Launch:
    return msgspec.structs.replace(Launch(argv=(sys.executable, "-c", code), readings=readings), **more)


def measured(ask: Request, what: Launch, **change: object) -> Run:
    return CommandBackend().open(msgspec.structs.replace(ask, launch=what, **change)).measure(0)


def refusal(ask: Request, what: Launch, **change: object) -> str:
    with pytest.raises(UsageError) as caught:
        measured(ask, what, **change)
    assert "\n" not in str(caught.value)
    return str(caught.value)


COUNTED = """
import pathlib
path = pathlib.Path("launches")
number = len(path.read_text()) + 1 if path.exists() else 1
path.write_text("x" * number)
"""


def launches(ask: Request) -> int:
    return len((Path(ask.root) / "launches").read_text())


def test_without_metrics_the_wall_time_of_each_launch_is_a_sample(ask: Request) -> None:
    run = measured(ask, launch(COUNTED))
    assert len(run.samples["latency"]) == len(run.samples["cpu_time"]) == 5
    assert len(run.warmup["latency"]) == 1
    assert launches(ask) == 6
    assert min(run.samples["latency"]) > 0


def test_a_single_value_makes_one_sample_of_each_launch(ask: Request) -> None:
    run = measured(ask, launch(COUNTED + "print('took', number, 'ms')", LATENCY))
    assert run.warmup["latency"] == pytest.approx((1e-3,))
    assert run.samples["latency"] == pytest.approx((2e-3, 3e-3, 4e-3, 5e-3, 6e-3))


def test_a_command_that_reports_all_samples_at_once_runs_once(ask: Request) -> None:
    code = COUNTED + "for t in range(1, 8): print('took', t, 'ms')"
    run = measured(ask, launch(code, LATENCY))
    assert run.samples["latency"] == pytest.approx([t * 1e-3 for t in range(1, 8)])
    assert (run.warmup, launches(ask)) == ({}, 1)


def test_a_command_that_reports_a_few_samples_runs_until_there_are_enough(ask: Request) -> None:
    run = measured(ask, launch(COUNTED + "print('took 1 ms took 2 ms')", LATENCY))
    assert len(run.samples["latency"]) == 6
    assert launches(ask) == 1 + 3


def test_a_warm_up_of_a_count_is_that_many_launches(ask: Request) -> None:
    assert measured(ask, launch(COUNTED), warmup=0).warmup == {}
    assert launches(ask) == 5
    assert len(measured(ask, launch(COUNTED), warmup=2).warmup["latency"]) == 2
    assert launches(ask) == 5 + 7


def test_a_throughput_of_the_process_is_the_inverse_of_its_time(ask: Request) -> None:
    run = measured(ask, launch(""), metrics=("throughput",))
    assert run.samples["throughput"] == pytest.approx([1 / value for value in run.samples["latency"]])


def test_folder_and_environment_are_those_of_the_suite(ask: Request) -> None:
    (Path(ask.root) / "deploy").mkdir()
    code = "import os; print('took', len(os.path.basename(os.getcwd())) + int(os.environ['MORE']), 'ms')"
    what = launch(code, LATENCY, folder="deploy", environment={"MORE": "4"})
    assert measured(ask, what).samples["latency"][0] == pytest.approx(10e-3)


def test_python_is_the_one_of_the_gates_own_environment(
    ask: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.prefix == sys.base_prefix:
        pytest.skip("these tests run outside a virtual environment")
    monkeypatch.setenv("PATH", os.defpath)
    what = Launch(argv=("python", "-c", "import sys; print(sys.prefix); sys.exit(9)"), exit_code=1)
    assert f"its last words: {sys.prefix}" in refusal(ask, what)


def test_another_exit_code_can_be_the_expected_one(ask: Request) -> None:
    assert measured(ask, launch("import sys; sys.exit(3)", exit_code=3)).samples["latency"]
    assert "ended with exit code 0" in refusal(ask, launch("", exit_code=3))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('no such engine')", "ended with exit code 1, its last words: no such engine"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("print('took long')", "ended with exit code 0, its last words: took long; no match of"),
        ("print('took nan ms')", "latency is nan; want finite values above 0"),
    ],
)
def test_a_failure_names_benchmark_command_exit_code_and_last_words(
    ask: Request, code: str, words: str
) -> None:
    message = refusal(ask, launch(code, LATENCY))
    assert words in message
    assert message.startswith("b, run 0: ")
    assert " -c " in message
    assert "p.yaml:4:5" in message


def test_a_command_that_hangs_is_ended_at_its_time(ask: Request) -> None:
    # longer than any test may take: only the limit ends it
    told = refusal(ask, launch("import time; time.sleep(600)"), timeout=0.5)
    assert re.search(r"was ended after \d+(\.\d+)? s", told)  # how late the end is noticed is the machine's


def test_a_compile_job_over_its_time_or_memory_is_a_failure_of_infrastructure(ask: Request) -> None:
    hangs, takes = launch("import time; time.sleep(600)"), launch("bytearray(4 << 30)")
    for what, change in ((hangs, {"timeout": 0.5}), (takes, {"memory_limit": 1 << 30})):
        with pytest.raises(InfrastructureError):
            measured(ask, what, **change)
    assert "ended with exit code 1, over its limit of 1.07 GB" in refusal(ask, takes, memory_limit=1 << 30)
    with pytest.raises(UsageError) as caught:
        measured(ask, launch("raise SystemExit(3)"))
    assert not isinstance(caught.value, InfrastructureError)  # that one is the command's own


def test_a_missing_program_is_named(ask: Request) -> None:
    assert "no-such-tool cannot be started, no such file" in refusal(ask, Launch(argv=("no-such-tool",)))


def test_a_shell_has_no_say_in_it(ask: Request) -> None:
    code = "import sys; print('took', len(sys.argv[1]), 'ms')"
    what = msgspec.structs.replace(
        launch(code, LATENCY), argv=(sys.executable, "-c", code, "$(touch hacked); *")
    )
    assert measured(ask, what).samples["latency"][0] == pytest.approx(len("$(touch hacked); *") * 1e-3)
    assert not (Path(ask.root) / "hacked").exists()


WRITES = "import json, pathlib; pathlib.Path('out.json').write_text(json.dumps({'t': [1, 2, 3, 4, 5]}))"


def test_a_report_file_is_read_and_what_was_not_there_before_is_removed(ask: Request) -> None:
    assert measured(ask, launch(WRITES, FILE)).samples["latency"] == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert list(Path(ask.root).iterdir()) == []


def test_a_report_file_of_the_user_stays(ask: Request) -> None:
    (Path(ask.root) / "out.json").write_text("{}")
    assert measured(ask, launch(WRITES, FILE)).samples["latency"] == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert (Path(ask.root) / "out.json").exists()


def test_yesterdays_report_is_not_taken_for_todays(ask: Request) -> None:
    (Path(ask.root) / "out.json").write_text('{"t": [1, 1, 1, 1, 1]}')
    assert "it did not write 'out.json'" in refusal(ask, launch("print('done')", FILE))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("pass", "'out.json' cannot be read, no such file"),
        ("open('out.json', 'w').write('{\"t\": [1, ')", "no JSON for latency"),
        ("import os; os.mkdir('out.json')", "is no regular file"),
        ("import os; os.mkfifo('out.json')", "is no regular file"),
        ("import os; os.symlink('/etc/hostname', 'out.json')", "is no regular file"),
    ],
)
def test_a_report_that_cannot_be_used_is_named(ask: Request, code: str, words: str) -> None:
    assert words in refusal(ask, launch(code, FILE))


def test_a_report_outside_the_repository_is_refused_before_anything_runs(ask: Request) -> None:
    outside = msgspec.structs.replace(FILE, file="../out.json")
    assert "'../out.json' is not in the repository" in refusal(ask, launch(COUNTED, outside))
    assert not (Path(ask.root) / "launches").exists()
    assert "folder '..' is not in the repository" in refusal(ask, launch("", folder=".."))


def test_other_arguments_or_another_source_are_another_ruler(ask: Request) -> None:
    def protocol(what: Launch) -> dict[str, str]:
        return CommandBackend().open(msgspec.structs.replace(ask, launch=what)).describe().protocol

    base = Launch(argv=("bench", "--iterations", "100"), readings=(LATENCY,))
    change = msgspec.structs.replace
    found = [
        protocol(item)
        for item in (
            base,
            change(base, argv=("bench", "--iterations", "10")),
            change(base, environment={"FAST": "1"}),
            change(base, readings=(change(LATENCY, regex=r"best (\S+) ms"),)),
            change(base, readings=(change(LATENCY, factor=1.0),)),
        )
    ]
    assert found[0]["command"] == "bench --iterations 100"
    assert len({tuple(sorted(item.items())) for item in found}) == 5
