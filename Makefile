# `make demo` and `make test` need only Python 3.11 or newer, git and make. The rest is installed once in ~/.cache/editahead
# (or EDITAHEAD_CACHE), for all checkouts.
# PYTHON=/path/to/python3.12 make test

export PYTHON ?= python3
BIN := .venv/bin
UV := tools/environment/uv
RELEASE := UV_PROJECT_ENVIRONMENT=.venv/release $(UV) run --frozen --quiet --only-group release
ELSEWHERE := benchmark or fuzz or editors or ratchet or engine or llama_cpp
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
  --custom-compile-command "make lock" --upgrade

# Without bytecode files, each start of a server compiles all modules: seconds instead of one, and half a minute for vLLM.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help demo test check lint format bench live-models docs site packages extension lock clean for-run for-test

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1 \2/p' Makefile | while read -r make name text; do printf 'make %-11s %s\n' "$$name" "$$text"; done

demo: for-run ## watch the server predict a short editing session, and the model where it is installed; ENGINE=1: a real vLLM
ifdef ENGINE
	@tools/environment/get-vllm.sh .venv/engine
	@PYTHONPATH=tests/support .venv/engine/bin/python tools/demo/engine_demo.py
else
	@$(BIN)/editahead demo
	@if $(BIN)/python tools/demo/model_demo.py --check; then \
	  $(MAKE) --no-print-directory for-test && PYTHONPATH=tests/support $(BIN)/python tools/demo/model_demo.py; fi
endif

# Properties have ten examples, and all with ALL=1.
test: for-test ## all tests that are quick: under three minutes; ALL=1: the slow ones, too, 15 minutes
	@$(BIN)/python -m pytest -n 2 --durations=10 -o faulthandler_exit_on_timeout=true \
	  $(if $(ALL),-m "not ($(ELSEWHERE))",-m "not (slow or $(ELSEWHERE))" --hypothesis-profile=quick)

check: for-test ## make lint and make test at the same time; ALL=1: with all tests that need no editor and no model server
	@$(MAKE) --no-print-directory --keep-going --jobs=2 lint test

# mypy takes longest. Each of them prints what it found when it is done.
LINTS := mypy "ruff check ." "ruff format --check --quiet ." lint-imports \
  $(patsubst %,"python tools/lint/check_%.py",wording complexity ignores)

lint: for-test ## ruff, mypy, the layers, the wording, the complexity, the ignores
	@printf '$(BIN)/%s\n' $(LINTS) | xargs -P 2 -I '{}' sh -c '{}'

format: for-test ## let ruff lay out the code
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

bench: for-test ## how fast it is
	@$(BIN)/python -m pytest tests/benchmarks -m benchmark -s --durations=10

live-models: for-test ## ask MODEL=NAME of the catalogue on a server of this machine, and write its row; URL=http://127.0.0.1:8080
	@$(BIN)/python tools/measure/live_model.py $(MODEL) $(if $(URL),--url $(URL)) $(if $(KEY),--key $(KEY))

docs: for-test ## make the generated parts of the documentation again
	@$(BIN)/python tools/docs/make_picture.py docs/demo.svg
	@$(BIN)/python tools/docs/make_schema.py docs
	@$(BIN)/python tools/docs/make_man.py
	@$(BIN)/python tools/docs/make_plans.py docs/measurements/plans.md
	@$(BIN)/python tools/docs/list_packages.py ARCHITECTURE.md
	@$(BIN)/python tools/docs/make_figures.py docs

site: ## the site, build/site, with all links checked
	@NO_MKDOCS_2_WARNING=1 $(RELEASE) mkdocs build --strict --quiet
	@$(RELEASE) python tools/docs/check_site.py build/site

packages: ## what a release publishes, built and checked in dist/packages
	@$(RELEASE) python tools/release/check_packages.py dist/packages

extension: ## the extension for VS Code, dist/editahead.vsix; needs npm
	@rm -rf dist && $(UV) build --quiet --wheel --out-dir dist
	@editors/vscode/install.sh
	@cd editors/vscode && npm run --silent build && \
	  npm run --silent package -- "$(CURDIR)"/dist/*.whl && mv dist/editahead.vsix "$(CURDIR)/dist/"
	@echo "The extension is dist/editahead.vsix. To install it: code --install-extension dist/editahead.vsix"

lock: ## pin the newest versions of all dependencies
	@$(UV) lock --quiet --upgrade
	@$(UV) export --quiet --frozen --no-default-groups --group build --no-emit-project --no-annotate --no-header -o requirements/run.txt
	@echo uv | $(LOCK) -o requirements/uv.txt -
	@$(LOCK) --group test --override requirements/engine-cpu-without.txt -o requirements/engine-cpu.txt \
	  requirements/engine-cpu.in pyproject.toml

clean: ## remove .venv and everything that was generated; the cache remains
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name node_modules -prune -o -name __pycache__ -prune -exec rm -rf {} +

# What runs Editahead, and what its tests need, too: an environment with the second is good for the first.

for-run:
	@$(UV) sync --frozen --quiet $(if $(wildcard $(BIN)/pytest),,--no-default-groups)

for-test:
	@$(UV) sync --frozen --quiet
