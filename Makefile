# Needs only make and Python 3.11 or later with its venv module; everything else is installed
# into $(VENV), in the versions that constraints.txt names.
#
#   make lab          open JupyterLab on the start page
#   make test         run every check there is
#   make nightly      random scenarios and damaged files, far more of them than in a test run
#   make api          ask the service for programs at random for ten minutes, by Schemathesis
#   make mutants      small damages to the core: which of them do the tests not notice?
#   make format       put the code into its canonical form
#   make typescript   check the types of the front end's modules; needs node
#   make lighthouse   ask Lighthouse about the pages of the app; needs npm and Chromium
#   make reveal       bring the files that show slides again; needs npm
#   make site         write the app as a site that needs no server, to build/site; needs npm
#   make cheat-sheet  print the page of docs/workshop as PDF; needs Chromium
#   make notebooks    run the notebooks again and keep what they print
#   make pictures     draw the pictures of notebooks and of README again
#   make design-pictures  draw the pictures of docs/design.md again; needs Chromium
#   make constraints  refresh the pinned versions
#   make clean        remove what these made
#
# Variables: PYTHON (python3), VENV (.venv), PYTEST_ARGS (more arguments for pytest),
# ROOMS (those that make mutants damages), WORKERS (processes that run tests).

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=
# Tests in a browser or on a pretended cluster wait for most of their time.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 2)')
ROOMS ?= scheduler quota queues multikueue whatif

BIN := $(abspath $(VENV))/bin
# So that whatever a tool starts is the one in the environment.
export PATH := $(BIN):$(PATH)
export JUPYTER_PLATFORM_DIRS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Some machines ask for it; hundreds of processes would then compile the same modules.
unexport PYTHONDONTWRITEBYTECODE

INSTALL = $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab test nightly api mutants format typescript lighthouse reveal site cheat-sheet notebooks pictures design-pictures constraints clean

help:
	@sed -n 's/^#   //p' Makefile

lab: $(VENV)/.lab
	$(BIN)/kueuelab lab

# The one place where it says what a test run is.
test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder --nbval --nbval-current-env $(PYTEST_ARGS)

nightly: $(VENV)/.test
	KUEUELAB_INPUTS=200000 KUEUELAB_SCENARIOS=20000 KUEUELAB_WORLDS=50000 KUEUELAB_ACTIONS=100 \
		$(BIN)/pytest $(PYTEST_ARGS) tests/fuzz

api: $(VENV)/.test
	KUEUELAB_API_SECONDS=600 $(BIN)/pytest -s $(PYTEST_ARGS) tests/unit/service/test_api_fuzz.py

mutants: $(VENV)/.mutants
	status=0; for room in $(ROOMS); do \
		$(BIN)/python tests/mutation/run.py $$room || status=1; \
	done; exit $$status

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The one place that says which compiler. Users need neither it nor node.
typescript:
	npx --yes --package typescript@5.9.3 tsc --project kueuelab/frontend
	npx --yes --package typescript@5.9.3 tsc --project kueuelab/app/front

# The one place that says which Lighthouse.
lighthouse: $(VENV)/.lab
	$(BIN)/python benchmarks/lighthouse.py npx --yes --package lighthouse@12.8.2 lighthouse

# Slides open without a network: what shows them is in the package.
REVEAL := kueuelab/workshop/slides/reveal
reveal:
	mkdir -p build/reveal
	cd build/reveal && npm pack --silent reveal.js@5.2.1 && tar -xzf reveal.js-5.2.1.tgz
	cd build/reveal/package && cp dist/reset.css dist/reveal.css dist/reveal.js plugin/notes/notes.js LICENSE \
		$(abspath $(REVEAL))/
	rm -rf build/reveal

# Python for browsers: kueuelab/app/site.py names the version.
PYODIDE := build/pyodide/package.json
$(PYODIDE): kueuelab/app/site.py
	rm -rf build/pyodide
	mkdir -p build/pyodide
	cd build/pyodide && npm pack --silent pyodide@$$(sed -n 's/^PYODIDE_VERSION.*"\(.*\)"/\1/p' ../../$<)
	cd build/pyodide && tar --strip-components=1 -xzmf pyodide-*.tgz && rm pyodide-*.tgz

# What prepares the memory of Python: from Node.js 24 on, a page that works hears what it is asked.
NODE := build/node/node_modules/.bin
$(NODE)/node:
	npm install --silent --no-save --prefix build/node node@24

site: $(VENV)/.lab $(PYODIDE) $(NODE)/node
	PATH="$(abspath $(NODE)):$$PATH" $(BIN)/kueuelab studio --static build/site

cheat-sheet:
	python3 docs/workshop/cheat_sheet.py

notebooks: $(VENV)/.test
	$(BIN)/python tests/refresh_notebooks.py

pictures: $(VENV)/.test
	$(BIN)/python tests/notebooks/pictures.py

design-pictures: $(VENV)/.test
	$(BIN)/python tests/browser/design_pictures.py

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kueuelab needs Python 3.11 or later; say which with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.lab: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) '.[lab,sweep]'
	@touch $@

$(VENV)/.test: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) '.[test,live]'
	@touch $@ $(VENV)/.lab

$(VENV)/.mutants: $(VENV)/.test
	$(INSTALL) '.[mutants]'
	@touch $@

# From 4.25 on, jsonschema makes grammars for 1.5 s whenever Jupyter or pytest starts; from 3 on,
# soupsieve wants Python 3.11.5, and Debian 12 has 3.11.2.
constraints:
	$(PYTHON) -m venv --clear build/constraints
	build/constraints/bin/python -m pip install --quiet --editable '.[lab,live,sweep,dask,serve,mcp,test,mutants]' 'jsonschema<4.25' \
		'soupsieve<3'
	{ sed -n '/^#/p' constraints.txt; \
	  build/constraints/bin/python -m pip freeze --exclude-editable; } > build/constraints.txt
	mv build/constraints.txt constraints.txt
	rm -rf build/constraints

clean:
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find kueuelab tests -name __pycache__ -type d -prune -exec rm -rf {} +
