"""Figures 8.3, 8.4: topics of words of any spelling by a grammar, compared with LDA with open words, on
de-news."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side
from reproduce.texts import texts

from stickbreaker import LDA, AdaptorGrammar, Corpus, Online, VocabularyRule
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators import model_runs
from stickbreaker.grammars.document_shares import choices_of
from stickbreaker.grammars.learner import GRAMMARS
from stickbreaker.grammars.text_symbols import word_reader
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.evolution import Evolution
from stickbreaker.topics.evaluation.coherence import npmi

DOCUMENTS, FEWER, TOPICS, BATCH = 2200, 500, 5, 50
PASSES, FULL_PASSES = (1, 2), (1, 2, 5, 10)
SWEEPS, VARIATIONAL = (50, 200), (5, 20)  # of MCMC, passes of VARIATIONAL; the second with FULL=1
KAPPAS, TAUS = (0.5, 0.6, 0.7, 0.8, 0.9), (1.0, 16.0, 64.0, 256.0)  # with FULL=1
SEEDS = 3
TEN = 10
FIFTH = 5  # each fifth word of a document is left out and predicted
MOMENTS = 8  # of the table of one topic
ONLINE, LDA_OPEN = "grammar, ONLINE", "LDA with open words, ONLINE"


class Plan(NamedTuple):
    """What is learned, and how."""

    name: str
    passes: int
    seed: int
    inference: str
    documents: int
    kappa: float = 0.6
    tau0: float | None = None  # None: 1 for grammars, 64 for LDA


class Run(NamedTuple):
    """Topics that were found."""

    name: str
    passes: int
    seed: int
    documents: int
    coherence: float  # mean NPMI of the ten first words of each topic, in the documents themselves
    different: int  # how many of the ten first words of all topics are different ones
    held_out: float | None  # nats per word left out, where documents have shares of their own
    words: list[list[str]]
    seconds: float
    moments: list[tuple[int, int, list[str]]]  # (steps, documents seen, words) of a grammar's first topic


def documents(n: int | None = None) -> list[str]:
    """A sample of the documents, in their order."""
    found = texts("de-news")
    chosen = sorted(stream(0, "de-news sample").permutation(len(found))[: n or DOCUMENTS].tolist())
    return [found[number] for number in chosen]


def parts(n: int) -> tuple[list[list[str]], list[list[str]]]:
    """The words of documents that are learned from, and those left out that occur among them."""
    split = [text.split() for text in documents(n)]
    learned = [[w for at, w in enumerate(own) if at % FIFTH != FIFTH - 1] for own in split]
    known = {word for own in learned for word in own}
    return learned, [[word for word in own[FIFTH - 1 :: FIFTH] if word in known] for own in split]


def learn(plan: Plan) -> Run:
    """One run."""
    learned, left_out = parts(plan.documents)
    text = Corpus.from_tokens(learned, rule=VocabularyRule(1, 1.0))
    start = time.perf_counter()
    moments: list[tuple[int, int, list[str]]] = []
    held_out: float | None = None
    if plan.inference == "lda":
        rates = plan.kappa, 64.0 if plan.tau0 is None else plan.tau0
        model = LDA(
            TOPICS, words="open", inference="hybrid", schedule=Online(BATCH, *rates), alpha=0.1,
            max_iter=plan.passes, random_state=plan.seed, n_jobs=1,
        ).fit(learned)  # fmt: skip
        seconds = time.perf_counter() - start
        words = model.top_words(TEN, by="probability")
        both = [[*own, *more] for own, more in zip(learned, left_out, strict=True)]
        total = model.score(both) * sum(map(len, both)) - model.score(learned) * sum(map(len, learned))
        held_out = total / sum(map(len, left_out))
    else:
        grammar, evolution = learn_in_directory(grammar_of(plan), text)
        seconds = time.perf_counter() - start
        moments = first_topic(evolution)
        words = [
            ["".join(one.text) for one in grammar.subtrees(f"Topic{number}")[:TEN]]
            for number in range(1, TOPICS + 1)
        ]
        if plan.inference == "hybrid":
            held_out = predicted(grammar, learned, left_out)
    coherence = coherence_of(words, text)
    different = len({word for own in words for word in own})
    return Run(
        plan.name, plan.passes, plan.seed, plan.documents, coherence, different, held_out, words, seconds,
        moments,
    )  # fmt: skip


def grammar_of(plan: Plan) -> AdaptorGrammar:
    """The grammar before it has learned."""
    settings: dict[str, Any] = {}
    if plan.inference == "hybrid":
        online = Online(BATCH, plan.kappa, 1.0 if plan.tau0 is None else plan.tau0, total="seen")
        settings = {"schedule": online, "refine_every": 100}
    return AdaptorGrammar(
        "topic", n_topics=TOPICS, inference=plan.inference, max_iter=plan.passes, random_state=plan.seed,
        n_jobs=1, **settings,
    )  # fmt: skip


def predicted(model: AdaptorGrammar, learned: list[list[str]], left_out: list[list[str]]) -> float:
    """Nats per word left out, by the shares of topics of the words learned from."""
    words = sorted({word for own in learned for word in own})
    rows = {word: row for row, word in enumerate(words)}
    grammar = model.learned_.model
    opened, reader = grammar.parser.opened, word_reader(words, grammar.compiled.terminals, None)
    offsets = np.concatenate([[0], np.cumsum([len(own) for own in learned])])
    given = np.array([rows[word] for own in learned for word in own], np.int32)
    numbers = np.arange(len(learned))
    sentences = reader.read(Sequences(offsets, given, offsets[:-1]), documents=numbers)
    gamma = choices_of(opened, sentences, numbers).gamma
    shares = gamma / gamma.sum(axis=1, keepdims=True)
    by_topic = np.exp(opened.nats_by_rule(reader.letters, reader.starts))
    places = np.array([rows[word] for own in left_out for word in own])
    owners = np.repeat(numbers, [len(own) for own in left_out])
    return float(np.log((by_topic[places] * shares[owners]).sum(axis=1)).mean())


def learn_in_directory(model: AdaptorGrammar, text: Corpus) -> tuple[AdaptorGrammar, Evolution]:
    """The grammar that was learned, and the snapshots of its run, which are kept on disk alone."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model_runs.begin(GRAMMARS, model.settings, text.write(Path(folder) / "corpus"), path)
        model_runs.resume(path, every=1e9, threads=1)
        return AdaptorGrammar.load(path), ModelDirectory(path).evolution()


def first_topic(evolution: Evolution) -> list[tuple[int, int, list[str]]]:
    """The ten first words of the first topic at some moments, more of them early."""
    every = evolution.moments
    places = np.unique(np.linspace(0, len(every) - 1, min(MOMENTS, len(every))).round().astype(int))
    chosen = [every[place] for place in places.tolist()]
    return [(one.step, one.documents, [word for word, _ in one.top().get(0, ())[:TEN]]) for one in chosen]


def coherence_of(words: list[list[str]], text: Corpus) -> float:
    """Mean NPMI of topics' words, by how many documents have both."""
    scores = []
    for own in words:
        rows = text.vocabulary.lookup(own)
        rows = rows[rows >= 0]
        if len(rows) > 1:
            blocks = (text.bags(block) for block in range(len(text.block_sizes)))
            scores.append(float(npmi(np.array([rows]), blocks, len(text.vocabulary)).mean))
    return float(np.mean(scores)) if scores else -1.0


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    found = f"{run.different} different words, NPMI {run.coherence:.3f}, {run.seconds:.0f} s"
    return f"de-news, {run.documents} documents, {run.name}, {run.passes} passes, seed {run.seed}: {found}"


def plans(full: bool) -> list[Plan]:
    """All runs: MCMC and VARIATIONAL learn from fewer documents, as do others to compare with."""
    fewer = min(FEWER, DOCUMENTS)
    kinds = (ONLINE, "hybrid"), (LDA_OPEN, "lda")
    seeds, passes = range(SEEDS), FULL_PASSES if full else PASSES
    found = [Plan("grammar, MCMC", SWEEPS[full], seed, "mcmc", fewer) for seed in seeds]
    found += [Plan("grammar, VARIATIONAL", VARIATIONAL[full], seed, "mean-field", fewer) for seed in seeds]
    for name, inference in kinds:
        found += [Plan(name, passes[-1], seed, inference, fewer) for seed in seeds]
        found += [Plan(name, n, seed, inference, DOCUMENTS) for n in reversed(passes) for seed in seeds]
    grid = [(kappa, tau0) for kappa in KAPPAS for tau0 in TAUS] if full else []
    name = "grammar, ONLINE, κ = {}, τ = {:g}"
    return found + [
        Plan(name.format(kappa, tau0), 2, 0, "hybrid", DOCUMENTS, kappa, tau0) for kappa, tau0 in grid
    ]


def measure_all(full: bool) -> dict[str, Any]:
    """All runs, and one topic on the way."""
    return {"documents": DOCUMENTS, "runs": side_by_side(plans(full), learn, summary)}


def told_apart(moments: list[tuple[int, int, list[str]]]) -> list[tuple[int, int, str]]:
    """The same with words in a line each, those in bold that are new since the moment before."""
    found: list[tuple[int, int, str]] = []
    before: set[str] | None = None
    for step, seen, words in moments:
        new = set() if before is None else set(words) - before
        found.append((step, seen, " ".join(f"**{word}**" if word in new else word for word in words)))
        before = set(words)
    return found


def section(data: dict[str, Any]) -> Section:
    """Coherence over passes, and the topics."""
    runs = [Run(*held) for held in data["runs"]]
    last = max((run for run in runs if run.name == ONLINE), key=lambda run: (run.documents, run.passes))
    ordered = sorted(runs, key=lambda run: (-run.documents, run.name, run.passes, run.seed))
    return Section(
        "Topics",
        [
            f"Documents of de-news, {TOPICS} topics, {BATCH} documents per minibatch. First words are the "
            "ten that a topic uses most, or finds most probable, in all models (not those by relevance). "
            f"Different words: of the {TOPICS * TEN} first words of all topics. Words left out: each fifth "
            "of a document, if it occurs elsewhere, predicted from the other words of the document, in "
            "nats per word; the grammar predicts by mean shares of topics, LDA by log p of all words less "
            "log p of those learned from. NPMI: mean over pairs of a topic's first words, by the documents "
            "themselves (the paper counts in Wikipedia, which is not to be had here); it varies over seeds "
            "as much as between models. MCMC and VARIATIONAL have a symbol for each document, with nothing "
            "to predict words left out by, and learn from fewer documents.",
            Table(
                ("", "documents", "passes", "seed", "different words", "words left out", "NPMI", "s"),
                [[run.name, f"{run.documents:,}", run.passes, run.seed, run.different,
                  "–" if run.held_out is None else f"{run.held_out:.3f}", f"{run.coherence:.3f}",
                  f"{run.seconds:.0f}"] for run in ordered],
            ),
            Table(
                ("topic", "first words, grammar"),
                [[number, " ".join(own)] for number, own in enumerate(last.words, 1)],
            ),
            "Topic 1 of this grammar on its way (figure 8.4), at some of the snapshots of its run; in bold "
            "are words that were not among the ten at the moment before.",
            Table(
                ("minibatch", "documents", "first words, grammar"),
                [[f"{step:,}", f"{seen:,}", own] for step, seen, own in told_apart(last.moments)],
            ),
        ],
    )  # fmt: skip
