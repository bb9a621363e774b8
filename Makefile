# Every target is one line of help: plain `make` prints them.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup test check format lint types contracts

help: ## Print this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  \033[36m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml requirements.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --requirement requirements.txt
	@$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

setup: $(STAMP) ## Make .venv with everything that is needed

test: setup ## Run the whole test suite
	@$(BIN)/python -m pytest -q -n auto

format: setup ## Write the house format
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

lint: setup
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .

types: setup
	@$(BIN)/pyright

contracts: setup
	@$(BIN)/lint-imports

check: lint types contracts test ## Everything that CI runs
