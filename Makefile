# `make demo` and `make test` need only Python 3.11 or newer, git and make. The rest is installed once in ~/.cache/editahead
# (or EDITAHEAD_CACHE), for all checkouts; .venv refers to it.
# EDITS=F.jsonl.zst FILES=300 SEED=7 make eval
# PYTHON=/path/to/python3.12 make test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENVIRONMENT := PYTHON="$(PYTHON)" tools/environment/environment
ELSEWHERE := benchmark or fuzz or editors or ratchet or engine or llama_cpp
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
  --custom-compile-command "make lock"
PACKAGES := cli lsp workspace serving inference retrieval prompts programs training evals

FILES ?= 300
SEED ?= 7

# Without bytecode files, each start of a server compiles all modules: seconds instead of one, and half a minute for vLLM.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help demo demo-engine check check-all test test-slow extension engine-environment engine-test llama-cpp llama-cpp-test lint format bench fuzz-long fuzz-growing \
  kill-long clients-long packages site accessibility extras release-environment eval baseline docs changelog lock clean for-run for-test

help:
	@echo "make demo    watch the server predict a short editing session, and the model where it is installed"
	@echo "make demo-engine  the same in Neovim, with a real vLLM on the CPU: 2.5 GB in the cache, then three minutes"
	@echo "make test    under three minutes: all tests that are quick"
	@echo "make check   make lint and make test"
	@echo "make check-all  the slow tests, too: all but benchmarks, the long fuzz test and those in editors; 15 minutes"
	@echo "make engine-test  tests with a real vLLM, on the CPU: Linux on x86-64, 2.5 GB in the cache"
	@echo "make llama-cpp-test  tests with a real llama.cpp, which it builds: Linux on x86-64, ten minutes once"
	@echo "make extension  the extension for VS Code, dist/editahead.vsix; needs npm"
	@echo "make packages  what a release publishes, built and checked in dist/packages"
	@echo "make site    the site, build/site, with all links checked"
	@echo "make accessibility  axe-core's checks of the site in Chromium, and pictures of its first page; needs npm and Chromium"
	@echo "make extras  resolve each extra of the package, for all platforms; needs the package index"
	@echo "make lint    ruff, mypy, the layers, the wording, the complexity, the ignores"
	@echo "make format  let ruff lay out the code"
	@echo "make bench   how fast it is"
	@echo "make fuzz-long  random input of all kinds for FUZZ_HOURS=24; stop it at any time, it goes on from there"
	@echo "make fuzz-growing  what takes more than linear time, as one dimension of its input grows; GROWING_ONLY=PATTERN of functions"
	@echo "make kill-long  kill -9 at random moments, KILLS=1000 times; it goes on from where it was stopped"
	@echo "make clients-long  CLIENTS=50 clients of one server for MINUTES=60"
	@echo "make eval    how good it is; EDITS=FILE.jsonl.zst [FILES=300] [SEED=7]"
	@echo "make baseline raise tests/baseline.json to what is measured now; LOWER=1 lets it be less"
	@echo "make docs    make the generated parts of the documentation again"
	@echo "make changelog  show what the fragments in changes/ add to CHANGELOG.md"
	@echo "make lock    pin the newest versions of all dependencies in requirements/; needs uv"
	@echo "make clean   remove .venv and everything that was generated; the cache, ~/.cache/editahead, remains"

demo: for-run
	@$(BIN)/editahead demo
	@if $(BIN)/python tools/demo/model_demo.py --check; then \
	  $(MAKE) --no-print-directory for-test && PYTHONPATH=tests/support $(BIN)/python tools/demo/model_demo.py; fi

demo-engine: engine-environment
	@PYTHONPATH=tests/support $(VENV)/engine/bin/python tools/demo/engine_demo.py

check: lint test

check-all: check test-slow

test: for-test
	@$(BIN)/python -m pytest -n 2 -m "not (slow or $(ELSEWHERE))" --hypothesis-profile=quick --durations=10

# Properties have ten examples in `make test`, and all here.
test-slow: for-test
	@$(BIN)/python -m pytest -n 2 -m "(slow or hypothesis) and not ($(ELSEWHERE))" --durations=10

extension: for-run
	@rm -rf dist && $(BIN)/python -m hatchling build -t wheel -d dist
	@editors/vscode/install.sh
	@cd editors/vscode && npm run --silent build && \
	  npm run --silent package -- "$(CURDIR)"/dist/*.whl && mv dist/editahead.vsix "$(CURDIR)/dist/"
	@echo "The extension is dist/editahead.vsix. To install it: code --install-extension dist/editahead.vsix"

engine-environment:
	@$(ENVIRONMENT) engine-cpu $(VENV)/engine tools/environment/setup-cpu.sh

engine-test: engine-environment
	@tools/environment/get-debian-tool.sh $(VENV)/nginx sid nginx nginx || test $$? = 3
	@PATH="$(CURDIR)/$(VENV)/nginx/bin:$$PATH" $(VENV)/engine/bin/python -m pytest --durations=10 tests/engine

llama-cpp:
	@tools/environment/get-llama-cpp.sh $(VENV)/llama-cpp

llama-cpp-test: llama-cpp for-test
	@$(BIN)/python -m pytest --durations=10 -m llama_cpp tests/llama_cpp

packages: release-environment
	@$(VENV)/release/bin/python tools/release/check_packages.py dist/packages

site: release-environment
	@NO_MKDOCS_2_WARNING=1 $(VENV)/release/bin/python -m mkdocs build --strict --quiet
	@$(VENV)/release/bin/python tools/docs/check_site.py build/site

accessibility: site for-test
	@axe=$$(tools/environment/cached axe-core-4.13.0 npm install --silent --ignore-scripts axe-core@4.13.0 --prefix) && \
	  PYTHONPATH=tests/support $(BIN)/python tools/docs/check_accessibility.py build/site \
	  "$$axe/node_modules/axe-core/axe.min.js" build/pictures

extras: release-environment
	@for extra in $$(sed -n '/^\[project.optional-dependencies\]/,/^\[project.scripts\]/s/^\([a-z]*\) = \[.*/\1/p' pyproject.toml); do \
	  needs=$$($(VENV)/release/bin/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
	    --extra $$extra pyproject.toml) || exit 1; \
	  echo "$$extra: $$(echo "$$needs" | wc -l) packages"; done

release-environment:
	@$(ENVIRONMENT) release $(VENV)/release

lint: for-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/lint/check_wording.py
	@$(BIN)/python tools/lint/check_complexity.py
	@$(BIN)/python tools/lint/check_ignores.py

format: for-test
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

fuzz-long: for-test
	@PYTHONPATH=tests/support $(BIN)/python tools/campaigns/fuzz_long.py

fuzz-growing: for-test
	@PYTHONPATH=tests/support $(BIN)/python tools/campaigns/growing_fuzz.py

kill-long: for-test
	@PYTHONPATH=tests/support $(BIN)/python tools/campaigns/kill_long.py

clients-long: for-test
	@PYTHONPATH=tests/support $(BIN)/python tools/campaigns/clients_long.py

bench: for-test
	@$(BIN)/python -m pytest tests/benchmarks -m benchmark -s --durations=10

eval: for-run
	@test -n "$(EDITS)" || { echo "Name a file of edits: make eval EDITS=FILE.jsonl.zst" >&2; exit 1; }
	@$(BIN)/editahead eval --edits "$(EDITS)" --files $(FILES) --seed $(SEED)

baseline: for-test
	@$(BIN)/python tests/support/quality_baseline.py $(if $(LOWER),--lower)

docs: for-test
	@$(BIN)/python tools/docs/make_picture.py docs/demo.svg
	@$(BIN)/python tools/docs/make_schema.py docs
	@$(BIN)/python tools/docs/make_man.py docs/man
	@$(BIN)/python tools/docs/list_packages.py ARCHITECTURE.md
	@$(BIN)/python tools/docs/make_figures.py docs

changelog: for-test
	@$(BIN)/towncrier build --draft --version Unreleased

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find $(PACKAGES) tests docs -name __pycache__ -prune -exec rm -rf {} +

# What runs Editahead, and what its tests need, too: an environment with the second is good for the first.

for-run:
	@$(ENVIRONMENT) $(if $(findstring dev-,$(file <$(VENV)/made)),dev,run) $(VENV)

for-test:
	@$(ENVIRONMENT) dev $(VENV)

lock:
	@$(LOCK) --upgrade --extra dev --extra dev-team --extra search --extra team -o requirements/dev.txt pyproject.toml
	@echo hatchling | $(LOCK) --upgrade -o requirements/run.txt pyproject.toml -
	@printf '%s\n' hatchling twine check-wheel-contents mkdocs-material cyclonedx-bom uv | \
	  $(LOCK) --upgrade -o requirements/release.txt pyproject.toml -
	@echo pip-audit | $(LOCK) --upgrade -o requirements/audit.txt -
	@$(LOCK) --upgrade --extra dev --override requirements/engine-cpu-without.txt -o requirements/engine-cpu.txt \
	  requirements/engine-cpu.in pyproject.toml
