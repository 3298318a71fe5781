# `make demo` and `make test` need only Python 3.11 or newer, git and make; the rest they install in .venv.
# EDITS=F.jsonl.zst FILES=300 SEED=7 make eval
# PYTHON=/path/to/python3.12 make test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
PACKAGES := lsp inference prompts training evals

FILES ?= 300
SEED ?= 7

.DELETE_ON_ERROR:
.PHONY: help demo demo-engine test extension engine-test lint format bench eval baseline docs changelog clean

help:
	@echo "make demo    watch the server predict a short editing session"
	@echo "make demo-engine  the same in Neovim, with a real vLLM on the CPU: 2.5 GB in .venv/engine, then three minutes"
	@echo "make test    all tests but benchmarks, the long fuzz test and those in editors"
	@echo "make engine-test  tests with a real vLLM, on the CPU: Linux on x86-64, 2.5 GB in .venv/engine"
	@echo "make extension  the extension for VS Code, dist/editahead.vsix; needs npm"
	@echo "make lint    ruff, mypy, the layers, the wording"
	@echo "make format  let ruff lay out the code"
	@echo "make bench   how fast it is"
	@echo "make eval    how good it is; EDITS=FILE.jsonl.zst [FILES=300] [SEED=7]"
	@echo "make baseline raise tests/baseline.json to what is measured now; LOWER=1 lets it be less"
	@echo "make docs    make the generated parts of the documentation again"
	@echo "make changelog  show what the fragments in changes/ add to CHANGELOG.md"
	@echo "make clean   remove .venv and everything that was generated"

demo: $(VENV)/for-demo
	@$(BIN)/editahead demo

demo-engine:
	@PYTHON="$(PYTHON)" tests/engine/setup-cpu.sh $(VENV)/engine
	@$(VENV)/engine/bin/python tests/support/engine_demo.py

test: $(VENV)/for-test
	@$(BIN)/python -m pytest -n 2 -m "not benchmark and not fuzz and not editors and not ratchet and not engine"

extension: $(BIN)/python
	@rm -rf dist && $(PIP) wheel --no-deps -w dist .
	@cd editors/vscode && npm ci --silent --ignore-scripts && npm run --silent build && \
	  npm run --silent package -- "$(CURDIR)"/dist/*.whl && mv dist/editahead.vsix "$(CURDIR)/dist/"

engine-test:
	@PYTHON="$(PYTHON)" tests/engine/setup-cpu.sh $(VENV)/engine
	@editors/testing/get-debian-tool.sh $(VENV)/nginx sid nginx nginx || test $$? = 3
	@PATH="$(CURDIR)/$(VENV)/nginx/bin:$$PATH" $(VENV)/engine/bin/python -m pytest tests/engine

lint: $(VENV)/for-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python docs/tools/check_wording.py

format: $(VENV)/for-test
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

bench: $(VENV)/for-test
	@$(BIN)/python -m pytest tests/benchmarks -m benchmark -s

eval: $(VENV)/for-demo
	@test -n "$(EDITS)" || { echo "Name a file of edits: make eval EDITS=FILE.jsonl.zst" >&2; exit 1; }
	@$(BIN)/editahead eval --edits "$(EDITS)" --files $(FILES) --seed $(SEED)

baseline: $(VENV)/for-test
	@$(BIN)/python tests/support/ratchet.py $(if $(LOWER),--lower)

docs: $(VENV)/for-demo
	@$(BIN)/python docs/make_picture.py docs/demo.svg
	@$(BIN)/python docs/make_schema.py docs

changelog: $(VENV)/for-test
	@$(BIN)/towncrier build --draft --version Unreleased

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find $(PACKAGES) tests docs -name __pycache__ -prune -exec rm -rf {} +

# The stamps: what is installed is installed until pyproject.toml changes.

$(VENV)/for-demo: pyproject.toml | $(BIN)/python
	@echo "installing Editahead in $(VENV) ..."
	@$(PIP) install -e .
	@touch $@

$(VENV)/for-test: pyproject.toml | $(BIN)/python
	@echo "installing Editahead and what its tests need in $(VENV) ..."
	@$(PIP) install -e '.[dev]'
	@touch $(VENV)/for-demo $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Editahead needs Python 3.11 or newer; name it so: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
