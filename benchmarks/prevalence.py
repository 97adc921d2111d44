"""Does a prior by metadata predict the words of documents better than one prior for all, or than tomotopy's?

    python -m benchmarks.prevalence posts.jsonl.gz --formula "gender + age" --topics 20 --seeds 10 \
        --out prevalence.runs.jsonl

Documents are cut to `--words` tokens, and a fifth of them are held out. Some words of each are observed, and
the others predicted (document completion) by models that were learned with the formula and without, and by
the Dirichlet-multinomial regression of tomotopy, if it is installed, for which each value of a field (or
period of a walk) is a label. All have the same vocabulary and scorer: topics and priors are those that each
program learned, and a document's shares are inferred from these in one way. Each run adds a line to the file
of `--out`, and a run that is there is not repeated.
"""

import argparse
import gzip
import importlib
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker import LDA, Corpus, VocabularyRule
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation.completion import completion_score, split_halves, unigram_score
from stickbreaker.topics.formula_coding import Coding, learn_coding, metadata_of
from stickbreaker.topics.model.priors.prevalence_terms import alphas_of

SHARES = (0.0, 0.1, 0.5)  # of a document's words that are observed
ROUNDS = 50  # of inference of a document's shares
SWEEPS = 500  # of tomotopy
Array = NDArray[np.float64]


class Documents(NamedTuple):
    """Documents to learn from, and held-out ones with the same vocabulary."""

    train: Corpus
    test: Corpus


class Learned(NamedTuple):
    """What a program has learned: word probabilities (topics × words), and alpha of held-out documents."""

    topics: Array
    alphas: Array


def documents_in(file: Path, number: int, words: int, needed: tuple[str, ...]) -> Documents:
    """Some documents of a file, in random order; those without a field of the formula are left out."""
    with gzip.open(file, "rt") as lines:
        records = [json.loads(line) for line in lines]
    records = [one for one in records if all(one.get(name) not in (None, "") for name in needed)]
    order = np.random.default_rng(0).permutation(len(records))[:number].tolist()
    texts = [" ".join(str(records[i]["text"]).split()[: 2 * words]) for i in order]  # half are stop words
    metadata = [{name: records[i][name] for name in needed} for i in order]
    cut, rule = len(texts) * 4 // 5, VocabularyRule(min_documents=5)
    train = Corpus.from_texts(texts[:cut], metadata=metadata[:cut], rule=rule)
    test = Corpus.from_texts(texts[cut:], metadata=metadata[cut:], vocabulary=train.vocabulary)
    return Documents(train, test)


def all_of(corpus: Corpus) -> Bags:
    return Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])


def ours(formula: str | None, inference: str) -> Callable[[Documents, int, int, Coding], Learned]:
    """Learns by this library, with the formula or without."""

    def learn(given: Documents, topics: int, seed: int, _: Coding) -> Learned:
        model = LDA(topics, prevalence=formula, inference=inference, random_state=seed, n_jobs=1)
        model.fit(given.train)
        coefficients = model.learned_.model.documents.coefficients(model.params_)
        coding, n = model.learned_.model.covariates, given.test.n_documents
        if coding is None or coefficients is None:
            return Learned(model.topic_word_, np.tile(model.alpha_, (n, 1)))
        rows = np.concatenate([coding.of(given.test, block) for block in range(len(given.test.block_sizes))])
        return Learned(model.topic_word_, alphas_of(rows, coefficients, model.alpha_))

    return learn


def tomotopy_dmr(given: Documents, topics: int, seed: int, coding: Coding) -> Learned:
    """Learns by tomotopy's DMRModel, one worker, its defaults."""
    tomotopy = importlib.import_module("tomotopy")
    model, spelled = tomotopy.DMRModel(k=topics, seed=seed), given.train.vocabulary.words
    labels = labels_of(given.train, coding)
    for words, own in zip(tokens_of(all_of(given.train)), labels, strict=True):
        if words:
            model.add_doc([spelled[w] for w in words], multi_metadata=own)
    model.train(SWEEPS, workers=1)
    found = np.full((topics, len(spelled)), 1e-12)
    columns = given.train.vocabulary.lookup(list(model.used_vocabs))
    for k in range(topics):
        found[k, columns] = model.get_topic_word_dist(k)
    seen = {one for own in labels for one in own}
    alphas = [
        model.get_topic_prior("", [one for one in own if one in seen])
        for own in labels_of(given.test, coding)
    ]
    return Learned(found / found.sum(axis=1, keepdims=True), np.array(alphas, np.float64))


def labels_of(corpus: Corpus, coding: Coding) -> list[list[str]]:
    """The labels of each document: its values of the fields, and the periods of walks."""
    metadata = [row for block in range(len(corpus.block_sizes)) for row in metadata_of(corpus, block)]
    labels = [[f"{name}={row.get(name)}" for name in coding.fields_of_columns] for row in metadata]
    for term in coding.level_terms:
        for own, code in zip(labels, term.codes(metadata).astype(int).tolist(), strict=True):
            own.append(f"{term}={term.names[code]}" if code >= 0 else f"{term}=")
    return labels


def tokens_of(bags: Bags) -> list[list[int]]:
    spans = zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True)
    return [np.repeat(bags.words[a:b], bags.counts[a:b].astype(int)).tolist() for a, b in spans]


def shares_of(bags: Bags, alphas: Array, topics: Array) -> Array:
    """E[theta] of documents (documents × topics), the topics fixed, by collapsed inference of their words'
    topics (CVB0, Asuncion et al. 2009), with which every program here scores higher than by mean-field.
    """
    found = np.empty_like(alphas)
    for d, alpha in enumerate(alphas):
        here = slice(int(bags.offsets[d]), int(bags.offsets[d + 1]))
        words, counts = topics[:, bags.words[here]], bags.counts[here].astype(np.float64)
        of_words = _normalised(alpha[:, None] * words)  # topics × words: of one token of each word
        for _ in range(ROUNDS if len(counts) else 0):
            held = of_words @ counts
            of_words = _normalised((alpha[:, None] + held[:, None] - of_words) * words)
        weights = alpha + of_words @ counts
        found[d] = weights / weights.sum()
    return found


def _normalised(weights: Array) -> Array:
    return weights / np.maximum(weights.sum(axis=0), 1e-300)


def scores_of(learned: Learned, test: Bags) -> list[float]:
    """Nats per predicted word, for each share of words that are observed."""
    found: list[float] = []
    for share in SHARES:
        observed, rest = split_halves(test, share)
        theta = shares_of(observed, learned.alphas, learned.topics)
        found.append(completion_score(rest, theta, learned.topics).nats_per_word)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--formula", required=True)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--inference", default="mean-field")
    parser.add_argument("--programs", nargs="+", default=["prevalence", "none", "tomotopy"])
    parser.add_argument("--out", type=Path, default=Path("prevalence.runs.jsonl"))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    needed = _fields(asked.formula)
    given = documents_in(asked.file, asked.documents, asked.words, needed)
    blocks = range(len(given.train.block_sizes))
    coding = learn_coding(asked.formula, [row for block in blocks for row in metadata_of(given.train, block)])
    programs = {
        "prevalence": ours(asked.formula, asked.inference),
        "none": ours(None, asked.inference),
        "tomotopy": tomotopy_dmr,
    }
    about = [asked.file.parent.name, asked.formula, asked.topics, given.train.n_documents, asked.words]
    lines = asked.out.read_text().splitlines() if asked.out.exists() else []
    runs = {json.dumps(run["run"]): run for run in map(json.loads, lines)}
    test = all_of(given.test)
    for seed in range(asked.seeds):
        for name in asked.programs:
            key = json.dumps([*about, name if name == "tomotopy" else f"{name}, {asked.inference}", seed])
            if key in runs:
                continue
            start = time.process_time()
            learned = programs[name](given, asked.topics, seed, coding)
            seconds = round(time.process_time() - start, 1)
            runs[key] = {"run": json.loads(key), "scores": scores_of(learned, test), "seconds": seconds}
            with asked.out.open("a") as file:
                file.write(json.dumps(runs[key]) + "\n")
    rest, counts = split_halves(test, 0.5)[1], np.maximum(given.train.vocabulary.tokens, 0.5)
    print(f"unigrams: {unigram_score(rest, counts / counts.sum()).nats_per_word:.4f} nats per word")
    _print([run for run in runs.values() if run["run"][:5] == about])


def _fields(formula: str) -> tuple[str, ...]:
    from stickbreaker.topics.formula_grammar import read_formula

    terms = read_formula(formula, prior=True)
    return tuple(sorted({name for term in terms for factor in term for name in factor.fields}))


def _print(runs: list[dict[str, object]]) -> None:
    """A table: of each program, mean and range of the scores over seeds, and CPU seconds of a run."""
    print(f"| program | seeds | {' | '.join(f'observed {share}' for share in SHARES)} | CPU seconds |")
    print("|---" * (len(SHARES) + 3) + "|")
    for name in dict.fromkeys(str(run["run"][5]) for run in runs):  # type: ignore[index]
        own = [run for run in runs if run["run"][5] == name]  # type: ignore[index]
        scores = np.array([run["scores"] for run in own])
        cells = [f"{column.mean():.3f} ({column.min():.3f} to {column.max():.3f})" for column in scores.T]
        seconds = np.mean([float(str(run["seconds"])) for run in own])
        print(f"| {name} | {len(own)} | {' | '.join(cells)} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
