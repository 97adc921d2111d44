# make demo: see topics.  make test: the tests.  make check: format, lint, types, imports, docs.
# make test-all: the tests, with every case of those of which `make test` takes a sample.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NEWER := pyproject.toml $(shell find src -name '*.py' -o -name '*.j2' -o -name '*.js' -o -name '*.css' -o -name '*.txt')

# a process for every core, four at most (WORKERS=0: one, as plain pytest); tests/conftest.py says what stays together
WORKERS ?= logical
WORKERS_OF_PYTEST := -n $(WORKERS) --maxprocesses 4 --dist loadgroup --no-loadscope-reorder
PYTEST := $(BIN)/python -m pytest $(WORKERS_OF_PYTEST)

.PHONY: demo test test-all test-kernels test-baseline check lint docs package golden mutations audit bench bench-texts bench-coherence bench-hdp bench-open bench-streams bench-hdp-streams bench-spark \
	bench-queries bench-starts bench-ngrams bench-grammars bench-concepts bench-alignment reproduce-mr-lda reproduce-hdp reproduce-open-vocabulary reproduce-stream \
	reproduce-ngrams reproduce-grammars-mcmc reproduce-grammars-online reproduce-trees reproduce-stm \
	reproduce-topic-ngrams reproduce-translation clean

demo: $(VENV)/installed
	$(BIN)/stickbreaker demo --out demo --overwrite

# TESTS="tests/cli -k resume": only these; KIND=ngrams (topics, grammars, syntax): those of a kind, without browser and Spark
KIND_TESTS = tests/$(KIND) tests/estimators tests/kernels -m "not slow and not browser and not spark"
test: $(VENV)/developing build/compiled
	$(if $(KIND),STICKBREAKER_BRIEF=1) $(PYTEST) $(if $(KIND),$(KIND_TESTS)) $(TESTS)

test-all: $(VENV)/developing build/compiled
	STICKBREAKER_EXHAUSTIVE=1 $(PYTEST) $(TESTS)

# the kernels once more as plain Python: what the compiler hides (bounds, types) shows here
test-kernels: $(VENV)/developing
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m kernels -p no:cacheprovider

# what computes floats, once more with the instructions of the oldest processors (tests/baseline.py): kernels, models,
# engines, runs. Laws compare runs of one process with each other, which last digits do not change.
BASELINE_TESTS := tests/kernels tests/engines tests/learning tests/topics/kernels tests/topics/model tests/topics/evaluation \
	$(wildcard tests/topics/test_*.py) tests/ngrams/model tests/ngrams/test_ngram.py tests/grammars/model \
	tests/grammars/test_grammars.py tests/syntax/kernels tests/syntax/model tests/translation tests/estimators/test_conventions.py
test-baseline: $(VENV)/developing build/compiled-baseline
	$(BIN)/python -m tests.baseline -m pytest $(WORKERS_OF_PYTEST) \
		-m "not slow and not spark and not browser" -k "not TestLaws" $(or $(TESTS),$(BASELINE_TESTS))

# records the bytes of the golden runs anew: for changes that are meant to change numbers
golden: $(VENV)/developing
	$(BIN)/python -m tests.golden.runs

# changes of a sign or factor, one after another, each of which some tests must notice (half an hour)
mutations: $(VENV)/developing
	$(BIN)/python -m tests.mutations

# numba keeps what it has compiled: done here once, workers that begin side by side find it
build/compiled: $(VENV)/developing $(shell find src -name '*.py' | xargs grep -l njit)
	$(BIN)/python -m tests.compile
	mkdir -p build && touch $@

# the demo's report, one of each kind of model and a notebook, which the docs show: half a minute
build/reports-made: docs/make_reports.py build/compiled $(NEWER)
	$(BIN)/python -W ignore docs/make_reports.py build/reports
	touch $@

build/compiled-baseline: $(VENV)/developing $(shell find src -name '*.py' | xargs grep -l njit)
	$(BIN)/python -m tests.baseline -m tests.compile
	mkdir -p build && touch $@

check: lint docs

lint: $(VENV)/developing
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

# FULL=1: every size and corpus, three seeds (twenty hours); MALLET=path/to/bin/mallet: that program too
bench: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks.lda $(if $(MALLET),--mallet $(MALLET))
	$(BIN)/python -m benchmarks.coherence
	$(BIN)/python -m benchmarks.raw_texts
	$(BIN)/python -m benchmarks.starts
	$(BIN)/python -m benchmarks.queries

# a part of `make bench`: coherence and diversity of topics' words beside NMF's, some minutes
bench-coherence: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks.coherence

# the HDP beside gensim's and tomotopy's on two corpora; FULL=1: three seeds
bench-hdp: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks.hdp

# open vocabularies beside a closed one and river, and a stream whose words never end; FULL=1: the whole stream
bench-open: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks.open_vocabulary

# streams in order of time and sorted by kind, beside river, scikit-learn and gensim; FULL=1: all sizes, three seeds
bench-streams: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks.streams

# HDP topics of planted and real streams, that open and close: about ten minutes; FULL=1: three seeds, two starts
bench-hdp-streams: $(VENV)/developing
	$(BIN)/python -m benchmarks.hdp_streams

# LDA on Spark beside MLlib's, on local[2]: some hours; QUICK=1: a small corpus, to see that all of it works
bench-spark: $(VENV)/developing
	$(BIN)/python -m benchmarks.spark

# corpora built of raw texts, and from these to topics in one command, beside scikit-learn and gensim; five minutes
bench-texts: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks.raw_texts

# a part of `make bench`: imports, first compilation, commands on a finished model, large tables; five minutes
bench-starts: $(VENV)/developing
	$(BIN)/python -m benchmarks.starts

# the last part of `make bench`: one text, one row, one sentence, beside gensim, scikit-learn and KenLM; ten minutes
bench-queries: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	-$(BIN)/python -m pip install --quiet kenlm
	$(BIN)/python -m benchmarks.queries

# language models beside KenLM, where that can be installed; KENLM=path/to/bin: its lmplz too
bench-ngrams: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet kenlm
	$(BIN)/python -m benchmarks.ngrams $(if $(KENLM),--kenlm $(KENLM))

# adaptor grammars: sweeps, sentences by how much is remembered, learning online, cutting text compared with
# sentencepiece; PY_CFG=path/to/py-cfg: that program too
bench-grammars: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet sentencepiece
	$(BIN)/python -m benchmarks.grammars $(if $(PY_CFG),--py-cfg $(PY_CFG))

# passes and sweeps over concepts beside those of the closed vocabulary
bench-concepts: $(VENV)/developing
	$(BIN)/python -m benchmarks.concepts

# word alignment beside Thot's, German to English: some ten minutes, most of them Thot's
bench-alignment: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet 'sil-thot>=3.5'
	$(BIN)/python -m benchmarks.alignment

# the tables and figures of chapter 3 of the thesis, beside the paper's; FULL=1: more seeds, whole corpora
reproduce-mr-lda: $(VENV)/developing
	$(BIN)/python -m reproduce.mr_lda $(PARTS)

# Figure 2 of the paper on split-merge inference for the HDP, and its claims; PARTS="bars prior": only these parts;
# FULL=1: the paper's sizes and more seeds (days)
reproduce-hdp: $(VENV)/developing
	$(BIN)/python -m reproduce.hdp $(PARTS)

# Table 7.1 and Figures 7.3 to 7.6 of the thesis: an open vocabulary beside fixed ones; PARTS="denews": only this
# part; FULL=1: the paper's grids and five seeds (a day)
reproduce-open-vocabulary: $(VENV)/developing
	-$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	$(BIN)/python -m reproduce.open_vocabulary $(PARTS)

# Pitman-Yor language models beside Kneser-Ney on Brown and the Penn Treebank; PARTS="brown": only this part;
# FULL=1: more splits and orders, and NIPS
reproduce-ngrams: $(VENV)/developing
	$(BIN)/python -m reproduce.ngrams $(PARTS)

# topic n-gram models beside models without topics and unigram rescaling on Brown; PARTS="brown": only this part; FULL=1:
# the paper's sweeps, three splits, longer contexts, NIPS and WikiText-2 (three days)
reproduce-topic-ngrams: $(VENV)/developing
	$(BIN)/python -m reproduce.topic_ngrams $(PARTS)

# syntactic topics and their limits on a planted language, the Treebank's sample, EWT and Sequoia; PARTS="sample": only
# this part; FULL=1: more sweeps
reproduce-stm: $(VENV)/developing
	$(BIN)/python -m reproduce.stm $(PARTS)

# adaptor grammars by Markov chain Monte Carlo on Brent's corpus and Chinese; PARTS="brent": only this part; FULL=1:
# more seeds and sweeps, and the whole of CTB6
reproduce-grammars-mcmc: $(VENV)/developing
	$(BIN)/python -m reproduce.grammars $(PARTS)

# adaptor grammars online, by hybrid inference, on Brent's corpus, Chinese and de-news; PARTS="brent": only this part;
# FULL=1: more seeds, sweeps and passes
reproduce-grammars-online: $(VENV)/developing
	$(BIN)/python -m reproduce.grammars_online $(PARTS)

# LDA, pLDA, tLDA and ptLDA (chapter 5 of the thesis): pages that find their other side; PARTS="manuals": only this
# part; FULL=1: every way of inference on all pages
reproduce-trees: $(VENV)/developing
	$(BIN)/python -m reproduce.trees $(PARTS)

# topics as domains of translation (chapter 5 of the thesis), five sets of German and English; PARTS="lexicons": only this
# part; FULL=1: every model by every way of inference, five seeds, Chinese
reproduce-translation: $(VENV)/developing
	$(BIN)/python -m reproduce.translation $(PARTS)

# a model of unbounded words and topics learns on Spark from 20 Newsgroups by date; FULL=1: all posts
reproduce-stream: $(VENV)/developing
	$(BIN)/python -m reproduce.arriving

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

clean:
	rm -rf $(VENV) build dist demo bench-results reproduce-results
