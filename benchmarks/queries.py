"""Time of queries: topics of one text, of one row of a matrix, of many short texts; the score of a sentence.

`make bench WHAT=queries` asks ours, gensim and scikit-learn for the topics of texts that they have not seen,
and ours and KenLM (which reads our ARPA file) for the log probability of sentences: some ten minutes.
Programs take turns, query by query, so that other work on the machine slows all of them alike. CPU
milliseconds of the whole process, one thread: the median, and what one query in a hundred exceeds. All
programs learn from the same reviews of IMDb and have the same vocabulary; sentences are from the Penn
Treebank. No setting of ours was chosen on either. The tables are printed row by row and kept in
bench-results/.
"""

import argparse
import gzip
import importlib.util
import itertools
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.corpora import kept_tokens, matrix_of
from benchmarks.harness import Report, Row, options, run
from numpy.typing import NDArray
from reproduce.texts import DATA, TEXTS, read_rows
from scipy.sparse import csr_matrix, random_array
from threadpoolctl import threadpool_limits

from stickbreaker import HDP, LDA, Analysis, Corpus, NgramModel, VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.ngrams.arpa import write_arpa

TRAIN, TEST = 0, -1  # parts of a corpus
TRAINING, TOPICS, PASSES = 4_000, 50, 5
LENGTH, QUERIES = 300, 1_000  # characters of a text; texts, one by one
SHORT, MANY = 100, 10_000  # characters of a short text; texts at once
SENTENCES, SWEEPS = 1_500, 20
REPEATS = 5  # times that a query of many is asked
OWN, GENSIM, SKLEARN, KENLM = "stickbreaker", "gensim", "scikit-learn", "KenLM"
COLUMNS = ("query", "program", "p50 ms", "p99 ms", "p50 of ours is", "p99 of ours is")
Ask = Callable[[Any], Any]


def measure(report: Report, args: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")  # texts without known words
    threadpool_limits(1)  # waiting threads use CPU seconds too
    if report.has("IMDb"):
        topics(report)
    if report.has("Penn Treebank"):
        sentences(report)


def topics(report: Report) -> None:
    """Topics of texts and of rows."""
    note = f"Learned from {TRAINING:,} reviews of IMDb, {TOPICS} topics (HDP: as many as it finds), defaults."
    report.section("Topics", f"{note} Texts of {LENGTH} characters, one after another.", COLUMNS)
    corpus = Corpus.from_texts(reviews(TRAIN, TRAINING))
    texts = [text[:LENGTH] for text in reviews(TEST, QUERIES)]
    lda = LDA(TOPICS, max_iter=PASSES, tol=0.0, n_jobs=1, random_state=0).fit(corpus)
    hdp = HDP(max_iter=PASSES, tol=0.0, n_jobs=1, random_state=0).fit(corpus)
    words, counts = corpus.vocabulary.words, matrix_of(corpus)
    askers: dict[str, Ask] = {OWN: lambda text: lda.transform([text])}
    askers |= peers(words, counts, corpus)
    compare(report, "LDA, one text", askers, texts)
    compare(report, "HDP, one text", {OWN: lambda text: hdp.transform([text])}, texts)
    rows = [counts[row] for row in range(min(QUERIES, corpus.n_documents))]
    compare(report, f"LDA, one row, {len(words):,} columns", of_rows(lda, counts), rows)
    wide = csr_matrix(random_array((1_000, 100_000), density=2e-4, rng=0) * 5.0)
    other = LDA(TOPICS, max_iter=2, tol=0.0, n_jobs=1, random_state=0).fit(wide)
    compare(report, "LDA, one row, 100,000 columns", of_rows(other, wide), [wide[row] for row in range(300)])
    starts = (0, 200, 400, 600)
    every = [text[at : at + SHORT] for text in reviews(TEST, MANY // len(starts)) for at in starts]
    at_once = {OWN: lda.transform, **peers(words, counts, corpus, at_once=True)}
    compare(report, f"LDA, {len(every):,} texts of {SHORT} characters", at_once, [every] * REPEATS)


def peers(
    words: Sequence[str], counts: csr_matrix, corpus: Corpus, *, at_once: bool = False
) -> Mapping[str, Ask]:
    """Functions that return topics of one text, or of a list of texts, by gensim and by scikit-learn."""
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(vocabulary=words)
    sklearn = LatentDirichletAllocation(TOPICS, max_iter=PASSES, random_state=0).fit(counts)
    found: dict[str, Ask] = {
        SKLEARN: lambda given: sklearn.transform(vectorizer.transform(given if at_once else [given]))
    }
    if importlib.util.find_spec("gensim") is None:
        return found
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel
    from gensim.utils import simple_preprocess

    dictionary = Dictionary([list(words)])
    analysis = corpus.analysis
    assert isinstance(analysis, Analysis)
    tokens = kept_tokens(reviews(TRAIN, TRAINING), analysis)
    bags = [dictionary.doc2bow(line) for line in tokens]
    gensim = LdaModel(bags, TOPICS, dictionary, passes=PASSES, random_state=0, eval_every=None)

    def bag(text: str) -> list[tuple[int, int]]:
        return dictionary.doc2bow(simple_preprocess(text))

    if at_once:
        found[GENSIM] = lambda texts: gensim.inference([bag(text) for text in texts])
    else:
        found[GENSIM] = lambda text: gensim.get_document_topics(bag(text), minimum_probability=0.0)
    return found


def of_rows(lda: LDA, counts: csr_matrix) -> Mapping[str, Ask]:
    """Functions that return topics of one row of a matrix."""
    from sklearn.decomposition import LatentDirichletAllocation

    sklearn = LatentDirichletAllocation(TOPICS, max_iter=2, random_state=0).fit(counts)
    return {OWN: lda.transform, SKLEARN: sklearn.transform}


def sentences(report: Report) -> None:
    """Log probabilities of sentences."""
    note = "Penn Treebank, a trigram model with the mean of ten samples; KenLM has its last sample as ARPA."
    report.section("Sentences", f"{note} Sentences are given as tokens, and as texts.", COLUMNS)
    rule = VocabularyRule(min_documents=1, max_share=1.0)
    analysis = analysis_of_all_words(Analysis(sentences="line"), "spaced")
    model = NgramModel(3, min_count=2, max_iter=SWEEPS, random_state=0)
    model.fit(Corpus.from_texts(read_lines(TRAIN)[:20_000], analysis=analysis, rule=rule))
    test = [line.split() for line in read_lines(TEST)]
    what = f"{len(test):,} sentences, {sum(map(len, test)):,} tokens"
    one: dict[str, Ask] = {OWN: lambda line: model.score_sentences([line])}
    text: dict[str, Ask] = {OWN: lambda line: model.score_sentences([" ".join(line)])}
    every: dict[str, Ask] = {OWN: model.score_sentences}
    texts: dict[str, Ask] = {OWN: lambda lines: model.score_sentences([" ".join(line) for line in lines])}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "model.arpa"
        write_arpa(model.learned_.model, model.learned_.base, path)
        if importlib.util.find_spec("kenlm") is None:
            report.say("MISSING: KenLM is not installed (pip install kenlm)")
        else:
            kenlm = importlib.import_module("kenlm").Model(str(path))
            one[KENLM] = text[KENLM] = lambda line: kenlm.score(" ".join(line))
            every[KENLM] = texts[KENLM] = lambda lines: [kenlm.score(" ".join(line)) for line in lines]
        compare(report, "a sentence, as tokens", one, test[:SENTENCES])
        compare(report, "a sentence, as text", text, test[:SENTENCES])
        compare(report, f"{what}, as tokens", every, [test] * REPEATS)
        compare(report, f"{what}, as texts", texts, [test] * REPEATS)


def compare(report: Report, query: str, askers: Mapping[str, Ask], queries: Sequence[Any]) -> None:
    """A row for each program, after each has been asked a few of the queries."""
    times: dict[str, list[float]] = {name: [] for name in askers}
    for given in queries[:20]:
        for ask in askers.values():
            ask(given)
    for number, given in enumerate(queries):
        names = list(askers)
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.process_time()
            askers[name](given)
            times[name].append(1e3 * (time.process_time() - start))
    ours = figures(times[OWN])
    for name, own in times.items():
        found = figures(own)
        ratios = [None, None] if name == OWN else [f"{a / b:.2f}×" for a, b in zip(ours, found, strict=True)]
        values = (query, name, *(f"{value:.3f}" for value in found), *ratios)
        row: Row = dict(zip(COLUMNS, values, strict=True))
        report.row(row)


def figures(times: Sequence[float]) -> NDArray[np.float64]:
    """The median, and the time that one in a hundred exceeds."""
    return np.percentile(times, (50, 99))


def reviews(place: int, most: int) -> list[str]:
    """The first reviews of the a part."""
    return [row["text"] for row in itertools.islice(read_rows(DATA / TEXTS["IMDb"][place]), most)]


def read_lines(place: int) -> list[str]:
    """The sentences of a part of the Penn Treebank."""
    with gzip.open(DATA / TEXTS["Penn Treebank"][place], "rt") as file:
        return [line.strip() for line in file if line.strip()]


if __name__ == "__main__":
    run("queries", "Single queries", options(__doc__), measure)
