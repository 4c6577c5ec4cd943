# Set-up is part of every target: a virtual environment in .venv, exact versions from requirements.lock. uv installs
# them in seconds; where it cannot reach its index, pip does, with the settings that pip has on the machine.
PYTHON ?= python3
PROFILE ?=
BASE ?= main
VENV := .venv
READY := $(VENV)/.ready
PACKAGES := --editable ".[pipeline,dask,dev]" --constraint requirements.lock
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup repro plan review test lint format params lock audit clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## install everything into .venv (the other targets do it when needed)

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12"; exit 1; }
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --constraint requirements.lock uv
	$(VENV)/bin/uv pip install --quiet --compile-bytecode --python $(VENV)/bin/python $(PACKAGES) || \
		$(VENV)/bin/python -m pip install --quiet $(PACKAGES)
	@touch $@

repro: $(READY) ## run the pipeline; PROFILE=smoke|quick|paper picks a profile (default: as params.yaml says)
	$(if $(PROFILE),python -m stages.tools.params profile=$(PROFILE))
	dvc repro || { python -m stages.tools.recover && dvc repro; }

plan: $(READY) ## say how long a run takes, without running it; PROFILE=smoke|quick|paper (default: quick)
	@python -m stages.tools.plan $(if $(PROFILE),profile=$(PROFILE))

review: $(READY) ## print the comment of a pull request; BASE=main is what to compare with
	@python -m stages.tools.review base=$(BASE) $(if $(LINKS),links=$(LINKS))

test: $(READY) ## run the tests
	python -m pytest -n auto --dist loadgroup

lint: $(READY) ## check style and types
	ruff check
	ruff format --check
	mypy

format: $(READY) ## rewrite the sources in the project's style
	ruff check --fix
	ruff format

params: $(READY) ## compose conf/ into params.yaml anew
	python -m stages.tools.params

lock: $(READY) ## resolve requirements.lock anew
	uv pip compile pyproject.toml --all-extras --universal --fork-strategy fewest --python-version 3.11 \
		--no-header --no-annotate --upgrade --output-file requirements.lock

audit: $(READY) ## look up the locked packages among the known vulnerabilities (needs a network)
	uv tool run pip-audit@2.10.1 --requirement requirements.lock --no-deps --disable-pip --strict

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .dvc/cache .dvc/tmp
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
