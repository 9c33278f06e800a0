# The two commands: `make demo` and `make test`. Both need only Python 3.11 or newer, pip and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
COMPILED := hatch_build.py $(wildcard src/pinakes/*/*.c)

.PHONY: demo test check browser format clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Pinakes needs Python 3.11 or newer; name one with make PYTHON=…" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml $(COMPILED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	touch $@

$(VENV)/.tested: $(VENV)/.installed pyproject.toml $(COMPILED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all,dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/pinakes demo --into pinakes-demo

test: demo $(VENV)/.tested check browser
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

# Tests of pages drive a real browser; where there is none they say so and are skipped. Root gets Debian's.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; fi

check: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.tested
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) pinakes-demo build dist
