# PYTHON=...     another interpreter (3.11 or later); VENV=... another place for the virtual environment
# JOBS=...       number of test processes; 0: pytest runs the tests in its own process
# NAMES=...      tests of `make torture`, for example "kill vopr"; PORT=... port of `make play` and `make demo`, instead of 8080

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8080
JOBS ?= 3
BIN = $(VENV)/bin

# The tests start hundreds of processes. If the environment forbids bytecode files, each process compiles the whole
# package again. This takes as much processor time as all its imports.
unexport PYTHONDONTWRITEBYTECODE

# The tools that check the pages, if Node is installed. Their versions are fixed here; the virtual environment has them.
TYPESCRIPT = 7.0.2
BIOME = 2.6.8
NODE = $(VENV)/node-typescript-$(TYPESCRIPT)-biome-$(BIOME)
NODE_BIN = $(abspath $(NODE))/node_modules/.bin

# The tests of a module run in one process, because they share servers. tests/conftest.py starts the longest modules first.
# On two processors, three processes are faster than two, because many tests wait for time limits of servers.
PYTEST = pytest --numprocesses $(JOBS) --dist loadscope --no-loadscope-reorder

# Seconds on two quiet processors with an ordinary Chromium. `make test` prints them beside the measured times.
export BUDGETS = lint=25 unit=40 system=70 browsers=70 conform=90 searches=35

.PHONY: help play demo quick test lint client types tests unit coverage bench torture docs clean

play: $(VENV)/.bundled ## install, serve games to open in the browser, and print the address
	$(BIN)/scramble serve --port $(PORT)

demo: $(VENV)/.bundled ## install, serve games with bots that already play, and print the address
	$(BIN)/scramble serve --demo --in-memory --port $(PORT)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
	@awk '/^$$/ { exit } { sub(/^# /, ""); print }' Makefile

quick: ## lint, types and unit tests
	@$(MAKE) --no-print-directory --jobs 3 --output-sync lint types unit

test: $(VENV)/.installed-test $(VENV)/.bundled ## lint, types and every test; installs the tools, and a Chromium if it is missing
	@began=$$(date +%s) && $(MAKE) --no-print-directory --jobs 2 --output-sync lint types && \
	    export LINT_S=$$(($$(date +%s) - began)) && $(MAKE) --no-print-directory tests

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-test: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	$(BIN)/python -m tests.system.browser.install
	touch $@ $(VENV)/.installed

# One script and one style sheet for each page. Without Deno or npm's registry the pages are served without bundles.
$(VENV)/.bundled: $(VENV)/.installed scramble/bundling.py $(shell find client -name '*.js' -o -name '*.css' -o -name '*.html' -o -name '*.woff2')
	$(BIN)/python -c 'import deno' 2>/dev/null || \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bundles]' || true
	$(BIN)/python -m scramble.bundling
	! $(BIN)/python -c 'from scramble.bundling import are_current; exit(not are_current())' || touch $@

lint: $(VENV)/.installed-test ## format and lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache
	@$(MAKE) --no-print-directory client

client:
	@! LC_ALL=C.UTF-8 grep -rnE --exclude-dir='*words' --include='*.js' --include='*.css' --include='*.html' '.{121}' client docs/examples tests/unit/client
	@if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'; then \
	    echo 'client/: format, lint and types are left out: they need Node 18 or later, and npm'; \
	elif ! test -d $(NODE)/node_modules && ! npm install --loglevel=error --no-save --no-audit --no-fund \
	        --prefix $(NODE) typescript@$(TYPESCRIPT) @biomejs/biome@$(BIOME) >/dev/null; then \
	    echo 'client/: format, lint and types are left out: npm could not install TypeScript and Biome'; \
	else \
	    (set -x; cd client && $(NODE_BIN)/biome ci . ../docs/examples ../tests/unit/client && $(NODE_BIN)/tsc && \
	        for tests in ../docs/examples/*/tests; do $(NODE_BIN)/tsc --project $$tests || exit 1; done); \
	fi

types: $(VENV)/.installed-test ## mypy --strict
	$(BIN)/mypy

tests: $(VENV)/.installed-test $(VENV)/.bundled ## every test
	$(BIN)/$(PYTEST) tests

unit: $(VENV)/.installed-test ## unit tests
	$(BIN)/$(PYTEST) tests/unit

# Browser tests and search tests are not measured: measuring would double their time, and the other tests cover the same code.
coverage: $(VENV)/.installed-test ## unit and system tests without browsers, with coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m $(PYTEST) tests/unit tests/system --ignore tests/system/browser
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(VENV)/.installed-test $(VENV)/.bundled ## measure
	$(BIN)/python -m tests.bench

torture: $(VENV)/.installed-test ## the long forms of the tests that search; takes hours
	$(BIN)/python -m tests.search.torture $(NAMES)

$(VENV)/.installed-docs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ $(VENV)/.installed

# Zensical's --strict stops on a broken link or anchor. griffe only warns of an invalid docstring, so `grep` looks for warnings.
docs: $(VENV)/.installed-docs ## the documentation as a site in build/site; warnings are errors
	rm -rf build/pages build/site
	mkdir -p build/pages/client build/pages/docs
	cp *.md build/pages
	cp client/README.md build/pages/client
	cp -R docs build/pages
	rm build/pages/docs/images/*.py
	$(BIN)/zensical build --strict --clean >$(VENV)/docs.log 2>&1 || { cat $(VENV)/docs.log; exit 1; }
	! grep -E '^(griffe|mkdocstrings|autorefs|WARNING)' $(VENV)/docs.log
	@echo "build/site is ready; to read it: $(BIN)/python -m http.server --directory build/site"

clean: ## remove all files that the other targets have made
	rm -rf $(VENV) build dist .cache .coverage* .hypothesis .mypy_cache .ruff_cache
