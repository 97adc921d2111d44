# make demo: see topics.  make test: the tests.  make check: format, lint, types, imports, docs.
# make test-all: all that `make test` leaves out, too.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NEWER := pyproject.toml $(shell find src -name '*.py' -o -name '*.j2' -o -name '*.js' -o -name '*.css' -o -name '*.txt')
WITH_KERNELS := $(shell find src -name '*.py' | xargs grep -l njit)

unexport PYTHONDONTWRITEBYTECODE

# a process for every core, four at most (WORKERS=0: one, as plain pytest); tests/conftest.py says what stays together
WORKERS ?= logical
WORKERS_OF_PYTEST := -n $(WORKERS) --maxprocesses 4 --dist loadgroup --no-loadscope-reorder

.PHONY: demo test test-all check lint docs package golden mutations audit bench reproduce \
	clean

demo: $(VENV)/installed
	$(BIN)/stickbreaker demo --out demo --overwrite

# TESTS="tests/cli -k resume": only these; KIND=ngrams (topics, grammars, syntax): those of a kind and what it stands on;
# TIER=changed: with Spark and browser, and more where files changed since the last whole run, as .ci/run does
KIND_TESTS = tests/$(KIND) tests/estimators tests/kernels
test: $(VENV)/developing $(if $(TIER),$(VENV)/spark) build/compiled
	STICKBREAKER_TIER=$(or $(TIER),first) $(BIN)/python -m pytest $(WORKERS_OF_PYTEST) $(if $(KIND),$(KIND_TESTS)) $(TESTS)

# every test with all its cases, kernels as plain Python, the oldest processors, mutations, the audit: some three hours;
# PARTS="tests kernels": only these
test-all: $(VENV)/spark build/compiled build/compiled-baseline docs
	$(BIN)/python -m tests.whole_run $(PARTS)

# records the bytes of the golden runs anew: for changes that are meant to change numbers
golden: $(VENV)/developing
	$(BIN)/python -m tests.golden.runs

# changes of a sign or factor, one after another, each of which some tests must notice (an hour)
mutations: $(VENV)/developing
	$(BIN)/python -m tests.mutations

# numba keeps what it has compiled: done here once, workers that begin side by side find it
build/compiled: $(VENV)/developing $(WITH_KERNELS)
	$(BIN)/python -m tests.compile
	mkdir -p build && touch $@

# the demo's report, one of each kind of model and a notebook, which the docs show: half a minute
build/reports-made: docs/make_reports.py build/compiled $(NEWER)
	$(BIN)/python -W ignore docs/make_reports.py build/reports
	touch $@

# the kernels of golden runs, with the instructions of the oldest processors
build/compiled-golden: $(VENV)/developing $(WITH_KERNELS)
	$(BIN)/python -m tests.baseline -m tests.compile topics ngrams
	mkdir -p build && touch $@

build/compiled-baseline: $(VENV)/developing $(WITH_KERNELS)
	$(BIN)/python -m tests.baseline -m tests.compile
	mkdir -p build && touch $@

check: lint docs

lint: $(VENV)/spark
	$(BIN)/ruff format --check src tests audit benchmarks reproduce examples docs
	$(BIN)/ruff check src tests audit benchmarks reproduce examples docs
	$(BIN)/basedpyright
	$(BIN)/lint-imports

docs: $(VENV)/developing build/reports-made
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs

# what a package index gets, and whether it can show the description
package: $(VENV)/developing
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

# faults: kills, altered and hostile files, full disks, two at once, any bytes; PARTS="kills flips": only these parts
audit: $(VENV)/developing
	$(BIN)/python -m audit --minutes $(or $(MINUTES),60) --seed $(or $(SEED),0) $(if $(PARTS),--parts "$(PARTS)")

# WHAT=hdp: this benchmark; WHAT=list: the names, what each does, how long it takes, what FULL=1, MALLET=... add;
# without WHAT: lda, coherence, texts, starts and queries, an hour and a half. Packages that it needs are installed.
bench: $(VENV)/developing
	$(BIN)/python -m benchmarks --install $(WHAT)

# the tables and figures of a paper, measured again: WHAT=syntax; PARTS="sample ewt": only these parts; FULL=1: larger;
# without WHAT: the names, what each does, how long it takes
reproduce: $(VENV)/developing
	$(BIN)/python -m reproduce --install $(WHAT) $(if $(WHAT),$(PARTS))

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "stickbreaker needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(BIN)/python $(NEWER)
	test -e $(VENV)/developing || $(BIN)/python -m pip install --quiet .
	touch $@

# with the packages that golden runs were recorded with; NEWEST=1: with the newest
$(VENV)/developing: $(BIN)/python pyproject.toml tests/golden/packages.txt
	$(BIN)/python -m pip install --quiet --editable '.[dev]' \
		$(if $(NEWEST),--upgrade --upgrade-strategy eager,--constraint tests/golden/packages.txt)
	touch $@ $(VENV)/installed

# Spark, which is large: for its tests, and for types
$(VENV)/spark: $(VENV)/developing
	$(BIN)/python -m pip install --quiet --editable '.[spark]' $(if $(NEWEST),,--constraint tests/golden/packages.txt)
	touch $@

clean:
	rm -rf $(VENV) build dist demo bench-results reproduce-results
