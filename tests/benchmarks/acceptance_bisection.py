"""The acceptance table of the bisection: a thousand commits, simulated, with every kind of trouble.

    python -m tests.benchmarks.acceptance_bisection [--share .1] [--seed N] [--rows TEXT]

Each row prints shares in percent of its trials, builds and samples (mean, 95th percentile), what misses its
target, and beside it a plain bisection with 30 samples a commit and a Mann-Whitney test. Exit 1 on a miss.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from concurrent.futures import ProcessPoolExecutor

from tests.benchmarks.acceptance_statistics import say
from tests.benchmarks.bisection_rows import ROWS, Row
from tests.benchmarks.bisection_trial import Trial, figures, missed, run_trial

CALIBRATED = 0.5  # percent wrong among named ones


def main(arguments: list[str]) -> int:
    """Print the table; 1 when something misses its target."""
    parser = argparse.ArgumentParser(prog="acceptance_bisection")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31))
    parser.add_argument("--rows", default="")
    options = parser.parse_args(arguments)
    say(f"seed {options.seed}, {options.share:g} of the trials")
    misses = named = wrong = 0
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as workers:
        for number, row in enumerate(ROWS):
            if options.rows not in row.name:
                continue
            count = max(1, round(row.trials * options.share))
            jobs = [(number, options.seed * 100_003 + number * 10_007 + trial) for trial in range(count)]
            trials = list(workers.map(_run_job, jobs, chunksize=4))
            found = figures(trials)
            failures = missed(row.targets, found)
            misses += bool(failures)
            say(row_line(row, trials, found, failures))
            if not row.is_effect:
                named += sum(trial.named for trial in trials)
                wrong += sum(trial.named - trial.real for trial in trials)
    share = 100 * wrong / max(named, 1)
    misses += share > CALIBRATED
    say(f"calibration: {wrong} of {named} named ones are wrong, {share:.2f} % (target {CALIBRATED} %)")
    say("every row meets its targets" if not misses else f"{misses} rows miss (seed {options.seed})")
    return 1 if misses else 0


def _run_job(job: tuple[int, int]) -> Trial:
    number, seed = job
    return run_trial(ROWS[number], seed)


def row_line(row: Row, trials: list[Trial], found: dict[str, float], failures: list[str]) -> str:
    """One row of the table."""
    culprits = ""
    if trials[0].true > 1:
        culprits = f"  a real one {found['real']:.0f}, all {found['all']:.0f}"
    if row.jobs > 1:
        culprits = f"  wall {found['wall']:.2f} of serial"
    if row.metric != "latency":
        culprits = f"  built at most {found['searchbuilds']:.0f} before the clean rebuilds"
    return (
        f"{row.name:22} {len(trials):4} trials  exact {found['exact']:5.1f}  wrong {found['wrong']:4.1f}  "
        f"undecided {found['undecided']:5.1f}  builds {found['builds']:4.1f} / {found['builds95']:2.0f}  "
        f"samples {found['samples']:4.0f} / {found['samples95']:4.0f}{culprits}  "
        f"[plain: exact {found['plain']:3.0f}, {found['plain_samples']:3.0f} samples]  "
        + ("MISSED " + ", ".join(failures) if failures else "met")
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
