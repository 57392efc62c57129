from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.backends.protocol import Request
from perfgate.backends.python import PythonBackend, timed_protocol
from perfgate.core.errors import InfrastructureError, UsageError
from perfgate.core.machine import RESOLUTION

if TYPE_CHECKING:
    from perfgate.core.record import Run

SOURCE = """\
import os, sys, time

def work():
    return sum(range(500))

class Parser:
    @staticmethod
    def parse():
        return work()

async def fetch():
    return work()

def coroutine():
    return fetch()

def fails():
    raise ValueError("no such row")

def exits():
    sys.exit(0)

def dies():
    os.kill(os.getpid(), 9)

def hangs():
    time.sleep(600)

def takes():
    return bytearray(4 << 30)

def prints():
    sys.stdout.write("x" * 4_000_000)
    sys.stderr.write("y" * 4_000_000)

def moves():
    import locale, tempfile
    os.chdir(tempfile.gettempdir())
    locale.setlocale(locale.LC_ALL, "C")
    sys.stdout.close()

OWNER = os.getpid()

def forks():
    if os.getpid() == OWNER and os.fork():
        os.wait()

def seed():
    print(hash("text"))
    raise ValueError(hash("text"))
"""


@pytest.fixture
def request_for(tmp_path: Path) -> Request:
    (tmp_path / "jobs.py").write_text(SOURCE)
    return Request(benchmark="b", device="here", root=str(tmp_path), samples=5, warmup=0, place="p.yaml:1:1")


def measured(request: Request, call: str, **change: object) -> Run:
    return PythonBackend().open(msgspec.structs.replace(request, call=call, **change)).measure(0)


def refusal(request: Request, call: str, **change: object) -> str:
    with pytest.raises(UsageError) as caught:
        measured(request, call, **change)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("call", ["jobs:work", "jobs:Parser.parse", "jobs:fetch"])
def test_functions_methods_and_coroutines_are_timed(request_for: Request, call: str) -> None:
    run = measured(request_for, call)
    assert len(run.samples["latency"]) == len(run.samples["cpu_time"]) == 5
    assert min(run.samples["latency"]) > 0
    assert run.samples["peak_memory"][0] > 1 << 20  # an interpreter alone is larger than a MiB


@pytest.mark.parametrize("call", ["", "jobs", "jobs:", ":work", "jobs:work()", "my jobs:work", "jobs;work"])
def test_what_names_no_function_is_refused_before_anything_runs(request_for: Request, call: str) -> None:
    assert "names no function" in refusal(request_for, call)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("jobs:missing", "AttributeError: module 'jobs' has no attribute 'missing'"),
        ("nowhere:work", "ModuleNotFoundError: No module named 'nowhere'"),
        ("jobs:fails", "jobs:fails failed, ValueError: no such row (jobs.py:18)"),
        ("jobs:coroutine", "jobs:coroutine returned coroutine; nothing was timed"),
        ("jobs:exits", "run 0 of jobs:exits ended with exit code 0"),
        ("jobs:dies", "run 0 of jobs:dies was ended by SIGKILL"),
    ],
)
def test_a_failure_names_the_function_and_what_happened(request_for: Request, call: str, words: str) -> None:
    message = refusal(request_for, call)
    assert words in message
    assert "p.yaml:1:1" in message


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_function_over_its_memory_is_a_failure_of_infrastructure(request_for: Request) -> None:
    with pytest.raises(InfrastructureError, match="MemoryError"):
        measured(request_for, "jobs:takes", memory_limit=1 << 30)
    with pytest.raises(InfrastructureError, match="was ended after"):
        measured(request_for, "jobs:hangs", timeout=1.0)
    with pytest.raises(UsageError) as caught:
        measured(request_for, "jobs:fails", memory_limit=1 << 30)
    assert not isinstance(caught.value, InfrastructureError)


def test_a_function_that_hangs_is_ended_at_its_time(request_for: Request) -> None:
    assert "jobs:hangs was ended after 1.0 s" in refusal(request_for, "jobs:hangs", timeout=1.0)


@pytest.mark.parametrize("call", ["jobs:prints", "jobs:moves"])
def test_a_function_may_print_move_and_close_its_output(request_for: Request, call: str) -> None:
    assert len(measured(request_for, call).samples["latency"]) == 5


@pytest.mark.skipif(not hasattr(sys, "getdlopenflags"), reason="forks")
def test_a_forked_copy_does_not_answer(request_for: Request) -> None:
    assert len(measured(request_for, "jobs:forks").samples["latency"]) == 5


def test_every_run_has_a_hash_seed_of_its_own_that_repeats(request_for: Request) -> None:
    first, again = refusal(request_for, "jobs:seed"), refusal(request_for, "jobs:seed")
    other_seed = refusal(request_for, "jobs:seed", seed=1)
    session = PythonBackend().open(msgspec.structs.replace(request_for, call="jobs:seed"))
    with pytest.raises(UsageError) as caught:
        session.measure(1)
    assert first == again
    assert len({first, other_seed, str(caught.value)}) == 3


def test_no_byte_code_is_left_beside_the_sources(request_for: Request) -> None:
    measured(request_for, "jobs:work")
    assert [path.name for path in Path(request_for.root).iterdir()] == ["jobs.py"]


def test_the_coarsest_step_of_the_clock_is_kept(request_for: Request) -> None:
    session = PythonBackend().open(msgspec.structs.replace(request_for, call="jobs:work"))
    assert RESOLUTION not in session.describe().context
    session.measure(0)
    step = float(session.describe().context[RESOLUTION])
    session.resolution = 1.0
    session.measure(1)
    assert 0 < step < float(session.describe().context[RESOLUTION]) == 1.0


def test_row_19_the_garbage_collector_is_part_of_the_protocol() -> None:
    assert timed_protocol(20, None).items() >= {"samples": "20", "warmup": "auto", "gc": "on"}.items()
    assert timed_protocol(20, None, is_collected=False)["gc"] == "off"
