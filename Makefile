# Everybody: gate test check demo bench. Maintainers: conformance acceptance selftest-real corpus golden size.
# Each target sets up .venv by itself; UV or a package cache only makes that faster.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: gate test check bench demo conformance acceptance selftest-real corpus golden size clean

gate: .venv/.ready
	$(BIN)/pytest --perfgate $(ARGS)

test: .venv/.ready
	$(BIN)/pytest tests -n 2 $(ARGS)

check: .venv/.ready
	$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/mypy && $(BIN)/pytest -q tests/architecture

bench: .venv/.ready
	$(BIN)/python -m tests.benchmarks.speed

demo: .venv/.ready
	$(BIN)/python -m tests.benchmarks.demo

conformance: .venv/.ready
	$(BIN)/python -m tests.benchmarks.conformance $(DATA)

acceptance: .venv/.ready
	$(BIN)/python -m tests.benchmarks.acceptance_statistics $(SERIES)

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

clean:
	rm -rf .venv .perfgate
