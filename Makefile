# make play      venv, install, serve the packaged board and print the address
# make test      venv, install with test extras, a Chromium if there is none, lint, types, every test
# make torture   the long forms of the tests that search (kills, simulations, faults, load); NAMES="kill vopr" for some
# PYTHON=...     another interpreter (3.11 or later); VENV=... another place for the virtual environment

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: play test lint types tests bench torture clean

play: $(VENV)/.installed
	$(BIN)/scramble

test: lint types tests

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-test: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	$(BIN)/python -m tests.browser.install
	touch $@ $(VENV)/.installed

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

tests: $(VENV)/.installed-test
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(VENV)/.installed-test
	$(BIN)/python -m tests.bench

torture: $(VENV)/.installed-test
	$(BIN)/python -m tests.torture $(NAMES)

clean:
	rm -rf $(VENV) build dist .coverage* .hypothesis .mypy_cache .ruff_cache
