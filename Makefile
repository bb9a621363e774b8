# Every target has one line of help: plain `make` prints them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
# Which Pythons test-pythons uses, beside that of .venv.
PYTHONS ?= $(filter-out $(notdir $(realpath $(BIN)/python)),python3.11 python3.12 python3.13 python3.14)
# Which of the fast tests test-pythons runs: all, or those of make check, which uses the default runtime of the template.
PYTHON_TESTS ?=
CHECKED_ON_OTHER_PYTHON := tests/test_modules.py tests/base tests/golang
# Which Lambda the layers are built for.
RUNTIME ?= python3.13
ARCHITECTURE ?= arm64
# Which stack to deploy, dev or prod, and parameters that differ from samconfig.toml, as NAME=VALUE.
STAGE ?= dev
OVERRIDES ?=
# A signing profile of AWS Signer, for stacks with CodeSigningConfigArn.
SIGNING_PROFILE ?=
SAMPLE ?= istio
# How many comparisons make oracle-istio does, and the seed of its settings and pods.
PODS ?= 5000
SEED ?= 1
PAIRS ?= 100000
# How many seeds simulate runs, from which one on; SEED and SCRIPT select one run.
SEEDS ?= 200
FIRST ?= 0
SIMULATED = $(if $(filter-out file,$(origin SEED)),--seed $(SEED)) $(if $(SCRIPT),--script $(SCRIPT)) $(if $(TRACE),--trace) \
	$(if $(EVENTS),--events) $(if $(SHRINK),--shrink) $(if $(COVERAGE),--coverage $(COVERAGE)) $(if $(DEFECT),--defect $(DEFECT))
# How many clusters simulate-fleet has, for how long, and for how many pods a simulated one stands.
CLUSTERS ?= 300
HOURS ?= 168
SAMPLE ?= 1
# Options of scripts/aws_check.py.
CHECKS ?=
# Packages to upgrade in the lock files: all, or names.
UPGRADE ?=
# Where OSV records are, and the ids of those that do not apply.
ADVISORIES ?=
IGNORE ?=
# The tag to release, and the Lambdas to build layers for; without them, a snapshot, and all Lambdas.
TAG ?=
TARGETS ?=
# Which targets of the layers e2e-builds builds: all, or checked, those of make check.
BUILDS ?= all
# How long fuzz and soak run, which harnesses of fuzz, and whether both write their table to docs/reliability.md.
SECONDS ?= 60
HARNESS ?=
WRITE ?=
# Programs with many dependencies have separate environments.
TOOLS := .tools
SAM := $(TOOLS)/sam/bin
BENCH := $(TOOLS)/bench/bin
# pip installs only wheels of a lock file, with the hashes there, and CHECK reports what is missing. The project needs no
# download.
INSTALL_LOCK := tools/install_lock.py
INSTALL_PROJECT := -m pip install --quiet --disable-pip-version-check --no-user --no-index --no-deps --no-build-isolation --editable
CHECK = $(1) -m pip check --quiet || $(1) -m pip check

CONFIG_ENV_dev := default
CONFIG_ENV_prod := prod
CONFIG_ENV = $(or $(CONFIG_ENV_$(STAGE)),$(error STAGE: got "$(STAGE)"; use dev or prod))
# Some tests wait for servers: one process more than processors.
WORKERS = $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

# On the command line, --parameter-overrides replaces those of samconfig.toml: both are given.
STAGE_OVERRIDES = $(or $(shell $(PYTHON) scripts/stage_overrides.py $(CONFIG_ENV) $(OVERRIDES)),$(error the parameters of stage $(STAGE) are not valid))
SIGNING = $(if $(SIGNING_PROFILE),--signing-profiles Webhook=$(SIGNING_PROFILE) Watch=$(SIGNING_PROFILE) Guard=$(SIGNING_PROFILE) \
	Probe=$(SIGNING_PROFILE) Cleanup=$(SIGNING_PROFILE) Rotation=$(SIGNING_PROFILE) \
	DependenciesLayer=$(SIGNING_PROFILE) EngineLayer=$(SIGNING_PROFILE))

# The make of macOS, 3.81, has no such option.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

export SAM_CLI_TELEMETRY := 0
# Without bytecode files, each process of the tests compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-fast test-pages test-all test-long check format lint types contracts template corpus conformance oracle-istio bench bench-istio bench-kube bench-stages \
	e2e-aws e2e-builds e2e-kube e2e-live e2e-playground playground site build deploy delete aws-check lock audit release clean fuzz soak \
	check-tests check-pages check-aws test-pythons workflows

help: ## Print this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.done ## Make .venv with all that the engine, its tests and the scripts need

.venv/.done: .venv/.demo pyproject.toml packaging/requirements/dev.txt
	@$(PYTHON) $(INSTALL_LOCK) packaging/requirements/dev.txt --python $(BIN)/python
	@$(BIN)/python $(INSTALL_PROJECT) .
	@$(call CHECK,$(BIN)/python)
	@touch $@

# The part of the environment that the demo needs. Its versions are those of packaging/requirements/dev.txt. pip and the build of the
# project take longer than the demo: make setup adds both.
.venv/.demo: packaging/requirements/demo.txt
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { \
	  echo "podgraft needs Python 3.11 or later: name one, such as make demo PYTHON=python3.13" >&2; exit 1; }
	@echo "creating .venv with what the demo needs; make setup adds the rest"
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip .venv
	@$(PYTHON) $(INSTALL_LOCK) packaging/requirements/demo.txt --python $(BIN)/python
	@$(BIN)/python tools/link_project.py
	@touch $@

$(TOOLS)/%/.done: packaging/requirements/%.txt
	@$(PYTHON) -m venv --without-pip $(TOOLS)/$*
	@$(PYTHON) $(INSTALL_LOCK) $< --python $(TOOLS)/$*/bin/python --check
	@touch $@

# The benchmarks run in the fastest Python of the machine.
$(TOOLS)/bench/.done: packaging/requirements/dev.txt pyproject.toml tools/fastest_python.py
	@$$($(PYTHON) tools/fastest_python.py) -m venv --without-pip $(TOOLS)/bench
	@$(PYTHON) $(INSTALL_LOCK) packaging/requirements/dev.txt --python $(BENCH)/python
	@$(BENCH)/python $(INSTALL_PROJECT) .
	@$(call CHECK,$(BENCH)/python)
	@touch $@

demo: .venv/.demo ## Inject a pod over HTTPS on this machine and show what happened (SAMPLE=istio)
	@$(BIN)/python -m podgraft demo $(SAMPLE)

# The targets of make check that run tests.
RECORDED := test test-pages e2e-aws e2e-builds e2e-playground
$(RECORDED): export TEST_TARGET = $@

test: setup ## Run the test suite without the long tests
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not long"

test-fast: setup ## Run the fast tests of every package
	@$(MAKE) --no-print-directory --jobs 2 $(SYNC) test-fast-1 test-fast-2

# Two processes without xdist: for short tests, its reports and the second collection take longer than the tests.
test-fast-%:
	@$(BIN)/python -m pytest -q -p no:xdist --fast --part $*/2

# Each Python that the package supports and PATH has, beside that of .venv. make check runs a part of the tests: CI has one Python,
# and there it takes no time. It runs the packages in which Python's versions differ most, and imports all modules.
test-pythons: setup ## Run the fast tests on each installed Python (PYTHONS="python3.12 ..." PYTHON_TESTS="tests/kube ...")
	@for python in $(PYTHONS); do \
	  $$python -c "" 2>/dev/null || { echo "$$python: not found, so skipped"; continue; }; \
	  echo "$$python:"; \
	  [ -e $(TOOLS)/$$python/.done ] || { $$python -m venv --without-pip $(TOOLS)/$$python && \
	    $(PYTHON) $(INSTALL_LOCK) packaging/requirements/dev.txt --python $(TOOLS)/$$python/bin/python && \
	    $(TOOLS)/$$python/bin/python $(INSTALL_PROJECT) . && touch $(TOOLS)/$$python/.done; } || exit 1; \
	  $(TOOLS)/$$python/bin/python -m pytest -q -p no:xdist --fast $(PYTHON_TESTS) || exit 1; \
	done

workflows: ## Check the workflows of CI and of a release with actionlint, which Go builds
	@[ -x $(TOOLS)/actionlint/actionlint ] || command -v go >/dev/null || { echo "workflows: go not found; install it (Go 1.26 or later)" >&2; exit 1; }
	@[ -x $(TOOLS)/actionlint/actionlint ] || GOBIN="$(CURDIR)/$(TOOLS)/actionlint" go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.8
	@$(TOOLS)/actionlint/actionlint

test-all: setup ## Run the test suite with the long tests
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

test-pages: setup ## Run the long tests of pages, scripts, and secrets
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m long tests/docs tests/scripts tests/secrecy

test-long: setup ## Run the test suite with the long tests and all generated examples
	@LONG_TESTS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

fuzz: setup ## Fuzz the claims of tests/fuzz (SECONDS=60 HARNESS="..." WRITE=1; PODGRAFT_FUZZ_GO=1 asks Go)
	@cd tests && PYTHONPATH=../tools ../$(BIN)/python -m fuzz --seconds $(SECONDS) $(addprefix --harness ,$(HARNESS)) $(if $(WRITE),--write-docs)

simulate: setup ## Run podgraft in a world that a seed decides (SEEDS=200 FIRST=0; SEED=123 [TRACE=1 EVENTS=1 SHRINK=1]; SCRIPT=FILE; DEFECT=D1; COVERAGE=1)
	@PYTHONPATH=tests nice $(BIN)/python -m simulation --seeds $(SEEDS) --first $(FIRST) $(SIMULATED)

simulate-fleet: setup ## Run 300 clusters for a week, and print what happens to their pods (CLUSTERS=300 HOURS=168 SAMPLE=1; WRITE=1: and 3,000)
	@PYTHONPATH=tests nice $(BIN)/python -m simulation.fleet --clusters $(CLUSTERS) --hours $(HOURS) --sample $(SAMPLE) $(if $(WRITE),--write-docs)

simulate-defects: setup ## Plant each defect, and print which law finds it at which seed (WRITE=1)
	@PYTHONPATH=tests nice $(BIN)/python -m simulation --defects $(if $(WRITE),--write-docs)

review-pairs: setup ## Compare reviews in a used process with those in a fresh one (PAIRS=100000)
	@PODGRAFT_REVIEW_PAIRS=$(PAIRS) $(BIN)/python -m pytest -q -n $(WORKERS) tests/service/http/test_review_pairs.py

soak: $(TOOLS)/bench/.done ## Load serve and the handler at 70 % (SECONDS=60 for each phase, WRITE=1)
	@$(BENCH)/python tools/soak.py --seconds $(SECONDS) $(if $(WRITE),--write-docs)

# The tests, and beside them the deployments and builds. CI has 25 minutes: it runs the commands of all pages, and two targets
# of the layers. Run make test-all and make e2e-builds before a release.
# At the end, a table shows which tests were skipped: each must have run in another target, or be in tests/may_skip.txt.
check: export TEST_OUTCOMES = $(CURDIR)/build/outcomes
check: lint contracts setup ## Run everything that CI runs
	@rm -rf "$(TEST_OUTCOMES)"
	@$(MAKE) --no-print-directory --jobs 3 $(SYNC) WORKERS=2 check-tests check-pages check-aws
	@$(BIN)/python tools/check_skips.py "$(TEST_OUTCOMES)" $(RECORDED)

check-tests:
	@for target in types test "simulate SEEDS=60"; do $(MAKE) --no-print-directory $$target || exit 1; done

# e2e-playground also builds the site, if there is a browser.
check-pages:
	@for target in e2e-playground test-pages "e2e-builds BUILDS=checked"; do $(MAKE) --no-print-directory $$target || exit 1; done
	@command -v npm >/dev/null && command -v chromium >/dev/null || $(MAKE) --no-print-directory site

check-aws: template
	@$(MAKE) --no-print-directory test-pythons PYTHONS="$(filter $(RUNTIME),$(PYTHONS))" PYTHON_TESTS="$(CHECKED_ON_OTHER_PYTHON)"
	@! command -v go >/dev/null || $(MAKE) --no-print-directory workflows
	@$(MAKE) --no-print-directory e2e-aws

format: setup ## Write the house format
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

lint: setup ## Check format and lint
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .

types: setup ## Check types, strictly
	@$(BIN)/pyright --warnings

contracts: setup ## Check that imports go one way
	@$(BIN)/lint-imports

template: $(TOOLS)/sam/.done $(TOOLS)/checkov/.done ## Check the AWS template: SAM, cfn-lint, checkov
	@$(SAM)/sam validate --lint --region eu-central-1
	@$(SAM)/cfn-lint template.yaml
	@sed '/^  GradualDeployment:/,/Default:/s/"false"/"true"/' template.yaml >.template-gradual.yaml
	@$(SAM)/sam validate --lint --region eu-central-1 --template .template-gradual.yaml; \
		status=$$?; rm .template-gradual.yaml; exit $$status
	@$(TOOLS)/checkov/bin/checkov --file template.yaml --compact --quiet --skip-download

corpus: setup ## Build Istio's cases from a clone (ISTIO=folder TAGS="1.30.3 ...")
	@$(BIN)/python tools/corpus.py "$(ISTIO)" $(TAGS)

conformance: setup ## Run Istio's cases, release by release (PODGRAFT_CORPUS, else .corpus)
	@$(BIN)/python tools/istio_conformance.py

oracle-istio: setup ## Compare with Istio's own injector (ISTIO=folder RELEASE=1.30.3 PODS=5000 SEED=1 CLONES="folder ...")
	@$(BIN)/python tools/oracle_istio.py "$(ISTIO)" "$(RELEASE)" --pods $(PODS) --seed $(SEED) $(addprefix --clone ,$(CLONES))

bench: $(TOOLS)/bench/.done $(TOOLS)/ministack/.done ## Measure cold start, reviews, growth, throughput and memory, each against a baseline
	@PYTHONPATH=tools $(BENCH)/python -m bench

bench-istio: $(TOOLS)/bench/.done ## Measure reviews beside Istio's own injector (ISTIO=folder RELEASE=1.30.3 CLONES="folder ...")
	@$(BENCH)/python tools/bench_istio.py "$(ISTIO)" "$(RELEASE)" $(addprefix --clone ,$(CLONES))

bench-stages: $(TOOLS)/bench/.done ## Measure the stages of a review beside Istio's own injector (ISTIO=folder RELEASE=1.30.3 CLONES="folder ...")
	@$(BENCH)/python tools/bench_stages.py "$(ISTIO)" "$(RELEASE)" $(addprefix --clone ,$(CLONES))

bench-kube: $(TOOLS)/bench/.done ## Measure what a webhook adds at kube-apiserver (ISTIO=folder RELEASE=1.30.3 CLONES="folder ...")
	@$(BENCH)/python tools/bench_kube.py "$(ISTIO)" "$(RELEASE)" $(addprefix --clone ,$(CLONES))

e2e-aws: setup $(TOOLS)/sam/.done $(TOOLS)/ministack/.done ## Deploy to an AWS on loopback and review through it
	@PODGRAFT_E2E_TOOLS="$(CURDIR)/$(TOOLS)" $(BIN)/python -m pytest -q tests/e2e/aws

e2e-builds: setup ## Build the layers for every runtime and architecture, and look into them (BUILDS=checked builds two)
	@PODGRAFT_E2E_BUILDS=$(BUILDS) $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/e2e/builds

e2e-kube: setup ## Feed the real kube-apiserver's admission plugins (needs Go)
	@$(BIN)/python tools/e2e_kube.py

e2e-live: setup $(TOOLS)/sam/.done $(TOOLS)/ministack/.done ## Run the commands for live clusters with a real kube-apiserver and etcd (needs Go and kubectl)
	@PODGRAFT_E2E_TOOLS="$(CURDIR)/$(TOOLS)" $(BIN)/python tools/e2e_live.py

playground: setup ## Build the web playground (needs npm)
	@$(BIN)/python tools/build_playground.py

$(TOOLS)/browser/.done: tests/e2e/playground/package.json tests/e2e/playground/package-lock.json
	@mkdir -p $(@D) && cp $^ $(@D)/
	@cd $(@D) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

e2e-playground: setup ## Use the playground in Chromium (needs Chromium, Node.js, and npm; skips without)
	@if command -v npm >/dev/null && command -v chromium >/dev/null; then \
		$(MAKE) --no-print-directory $(TOOLS)/browser/.done site; fi
	@PODGRAFT_E2E_TOOLS="$(CURDIR)/$(TOOLS)" PODGRAFT_E2E_PLAYGROUND=1 $(BIN)/python -m pytest -q tests/e2e/playground

site: setup $(TOOLS)/docs/.done ## Build the documentation site, and check its links (with npm, also the playground)
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory playground; \
		else echo "the site has no playground: npm is missing"; fi
	@NO_MKDOCS_2_WARNING=1 $(TOOLS)/docs/bin/mkdocs build --quiet --strict
	@$(BIN)/python tools/check_site.py build/site --address https://podgraft.dev/

build: $(TOOLS)/sam/.done ## Build function and layers (RUNTIME=python3.13 ARCHITECTURE=arm64)
	@MAKEFLAGS= PYTHON="$(CURDIR)/$(SAM)/python" PODGRAFT_RUNTIME=$(RUNTIME) PODGRAFT_ARCHITECTURE=$(ARCHITECTURE) $(SAM)/sam build \
		--parameter-overrides Runtime=$(RUNTIME) Architecture=$(ARCHITECTURE)

deploy: build ## Build and deploy a stack (STAGE=dev OVERRIDES="NAME=VALUE ...")
	@$(SAM)/sam deploy --config-env $(CONFIG_ENV) --parameter-overrides \
		Runtime=$(RUNTIME) Architecture=$(ARCHITECTURE) \
		$$($(SAM)/python scripts/deployment_attempt.py $(CONFIG_ENV)) $(STAGE_OVERRIDES) $(SIGNING)

aws-check: setup $(TOOLS)/sam/.done ## Run ten checks in an account of AWS, and delete what they made (CHECKS=--list)
	@$(BIN)/python scripts/aws_check.py $(CHECKS)

delete: $(TOOLS)/sam/.done ## Delete a stack, after a question (STAGE=dev)
	@$(SAM)/sam delete --config-env $(CONFIG_ENV)

lock: $(TOOLS)/lock/.done ## Write the lock files of all packages (UPGRADE=all or UPGRADE="package ...")
	@$(PYTHON) tools/lock.py --uv $(TOOLS)/lock/bin/uv $(if $(UPGRADE),--upgrade $(UPGRADE))

audit: setup ## Compare all locked packages with OSV records (ADVISORIES=path IGNORE="ID ...")
	@$(BIN)/python tools/audit.py "$(ADVISORIES)" $(if $(IGNORE),--ignore $(IGNORE))

release: setup ## Build all files of a release, with SBOMs and provenance, into dist (TAG=v1.2.3 TARGETS="python3.13-arm64 ...")
	@$(BIN)/python tools/release.py $(if $(TAG),--tag $(TAG)) $(if $(TARGETS),--target $(TARGETS))

clean: ## Remove what the targets made
	@rm -rf .venv $(TOOLS) .aws-sam .oracle build .pytest_cache .ruff_cache .hypothesis
