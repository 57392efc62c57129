# Everybody: gate test check demo bench. Maintainers: docs docs-check browser downstream coverage conformance acceptance kills selftest-real corpus golden size.
# Each target sets up .venv by itself; UV or a package cache only makes that faster.
PYTHON ?= python3
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of interpreters: each would compile perfgate anew
FLOOR := 97  # percent of lines and branches of what judges; the goal is 100

.PHONY: gate test docs docs-check browser downstream coverage check bench demo conformance acceptance kills selftest-real corpus golden size clean

gate: .venv/.ready
	$(BIN)/pytest --perfgate $(ARGS)

test: .venv/.ready
	$(BIN)/pytest tests -n 2 --dist worksteal $(ARGS)

docs: .venv/.ready
	$(BIN)/python -m tests.documentation

docs-check: .venv/.ready
	$(BIN)/pytest -q -n 2 tests/documentation tests/e2e/test_documentation.py tests/e2e/test_walkthroughs.py $(ARGS)

browser: .venv/.ready
	$(BIN)/pip install --quiet --group browser
	$(BIN)/pytest -q tests/browser $(ARGS)

downstream: .venv-oldest/.ready
	PERFGATE_COLD_START=1 .venv-oldest/bin/pytest -n 2 tests/contract tests/e2e/test_gate.py tests/e2e/test_plugin_manners.py tests/downstream $(ARGS)

coverage: .venv/.ready
	$(BIN)/pytest -q tests -n 2 --cov --cov-report= $(ARGS)
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --fail-under=$(FLOOR) --include='perfgate/core/*,perfgate/gate/*,perfgate/baseline/*,perfgate/guardrails/*'

check: .venv/.ready
	$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/mypy && $(BIN)/pytest -q tests/architecture

bench: .venv/.ready
	$(BIN)/python -m tests.benchmarks.speed

demo: .venv/.ready
	$(BIN)/python -m tests.benchmarks.demo

scenarios: .venv/.ready
	$(BIN)/python -m tests.benchmarks.scenarios $(DIR)

calibrate: .venv/.ready
	$(BIN)/python -m tests.benchmarks.calibrate $(ARGS)

conformance: .venv/.ready
	$(BIN)/python -m tests.benchmarks.conformance $(DATA)

acceptance: .venv/.ready
	$(BIN)/python -m tests.benchmarks.acceptance_statistics $(SERIES)
	$(BIN)/python -m tests.benchmarks.acceptance_bisection

kills: .venv/.ready
	PERFGATE_KILLS=100 $(BIN)/pytest tests/e2e/test_bisect_interrupted.py $(ARGS)

selftest-real: .venv/.ready
	$(BIN)/python -m tests.benchmarks.selftest_real $(SETS)

corpus: .venv/.ready
	$(BIN)/python -m tests.benchmarks.corpus $(DIR)

golden: .venv/.ready
	$(BIN)/python -m tests.golden

size: .venv/.ready
	@for package in perfgate/*/; do echo "$$(cat $$(find $$package -name '*.py') | wc -l) $$package"; done | sort -rn

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'  # the first that installs dependency groups
	$(BIN)/pip install --quiet --editable '.[ort]' --group dev
	@touch .venv/.ready

.venv-oldest/.ready: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv .venv-oldest && .venv-oldest/bin/pip install --quiet --upgrade 'pip>=25.1'
	.venv-oldest/bin/pip install --quiet --constraint .ci/oldest.txt --editable . --group dev
	@touch .venv-oldest/.ready

clean:
	rm -rf .venv .venv-oldest .perfgate
