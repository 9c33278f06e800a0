# The two commands: `make demo` and `make test`. Both need only Python 3.11 or newer, pip and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check format clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Pinakes needs Python 3.11 or newer; name one with make PYTHON=…" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	touch $@

$(VENV)/.tested: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all,dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/pinakes demo --into pinakes-demo

test: demo $(VENV)/.tested check
	$(BIN)/python -m pytest

check: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.tested
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) pinakes-demo build dist
