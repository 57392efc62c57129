"""Several benchmarks in one bisection, and what a GitHub job shows of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]  # ships no types

from perfgate.workflow.json_schemas import schema_of
from tests.bisect_world import BENCHMARK, SUITE, World, script
from tests.e2e.bisect_command import Bisection, culprits
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = """\
  - name: broken
    model: zoo:sd_unet
    preset: tiny
    compile: {from: deploy/absent.sh, command: atc}
"""


def test_an_error_in_one_benchmark_does_not_end_the_others(tmp_path: Path) -> None:
    history = History()
    good = history.commit("start", {"perf_models.yaml": SUITE + BROKEN, "deploy/convert.sh": script()})
    history.commit("other", {"src/a.py": "A = 1\n"})
    flip = history.commit("flip", {"deploy/convert.sh": script("NCHW")})
    bad = history.commit("more", {"src/a.py": "A = 2\n"})
    repository, marks = history.write(tmp_path / "repository")
    bisection = Bisection(World(repository, marks[good], marks[bad], marks[flip]), tmp_path / "cache")
    page = tmp_path / "summary.md"
    done = bisection.run(
        *("-b", "broken", "-b", BENCHMARK, "--json", "-"),
        GITHUB_STEP_SUMMARY=str(page),
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_REPOSITORY="acme/nets",
    )
    assert done.code == 2, done.text
    assert "perfgate: broken[ascend-310p-like] was not searched, the good end cannot be measured" in done.err
    output = json.loads(done.out)
    jsonschema.validate(output, schema_of("bisect"), cls=jsonschema.Draft202012Validator)
    (report,) = output["results"]
    (failure,) = output["failures"]
    assert culprits(report) == [marks[flip]]
    assert report["exit_code"] == 0
    assert failure["benchmark"] == "broken[ascend-310p-like]"
    assert failure["exit_code"] == output["exit_code"] == 2
    shown = page.read_text(encoding="utf-8")
    assert f"](https://github.com/acme/nets/commit/{marks[flip]})" in shown
    assert "### ❌ perfgate bisect: `broken[ascend-310p-like]`" in shown
