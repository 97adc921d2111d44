"""Syntactic topics and their two limits on treebanks: texts, splits, runs."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from reproduce.texts import DATA, TEXTS

from stickbreaker import Corpus, SyntacticTopics, VocabularyRule
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.corpus import Document, ReadingOptions
from stickbreaker.syntax.model.ordered_trees import OrderedTrees
from stickbreaker.syntax.sentence_scores import halves, word_scores
from stickbreaker.syntax.tree_words import TreeWords

MODELS = {"STM": None, "ITIC": "itic", "HDP": "hdp"}
TOPICS = 32
TEST_SHARE = 37 / 199  # of the treebank sample's documents


class Split(NamedTuple):
    """Documents to learn from and documents to score."""

    train: list[Document]
    test: list[Document]


class Plan(NamedTuple):
    """A run: of which text and split, by which model, and how its words are prepared."""

    text: str
    number: int
    model: str
    sweeps: int
    min_documents: int = 2
    unknown: str = "blank"


class Run(NamedTuple):
    """What came of a plan: nats and known words of each test document, and by tag; `own`: nats where each
    document's shares are drawn from the sentences that are scored, as the paper has it."""

    plan: Plan
    nats: list[float]
    words: list[int]
    by_tag: dict[str, tuple[float, int]]
    own: float
    own_words: int
    topics: int
    vocabulary: int
    seconds: float
    bound: float | None = None  # in nats per word; None of a chain, which has none
    found: list[tuple[float, str, float, list[int], list[str]]] | None = None  # see `topics_found`

    @classmethod
    def from_json(cls, record: Sequence[Any]) -> "Run":
        """A run as JSON keeps it."""
        return cls(Plan(*record[0]), *record[1:])

    @property
    def perplexity(self) -> float:
        """Perplexity of the even-numbered sentences, given the others of their document."""
        return float(np.exp(-np.sum(self.nats) / np.sum(self.words)))

    @property
    def own_perplexity(self) -> float:
        """Perplexity of all sentences, with shares drawn from themselves."""
        return float(np.exp(-self.own / self.own_words))


def documents_of(files: Sequence[str]) -> list[Document]:
    """The documents of treebanks, with their trees."""
    corpus = Corpus.build(
        [str(DATA / file) for file in files], reading=ReadingOptions(trees=True), all_words=True
    )
    return [one for block in range(len(corpus.block_sizes)) for one in corpus.documents(block)]


def split_of(text: str, number: int) -> Split:
    """The documents of a text in two parts: by chance, or as its files have them."""
    files = TEXTS[text]
    if len(files) > 1:
        return Split(documents_of(files[:1]), documents_of(files[1:]))
    documents = documents_of(files)
    order = stream(number, "parts of the treebank").permutation(len(documents))
    n_test = round(TEST_SHARE * len(documents))
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    return Split([documents[d] for d in train], [documents[d] for d in test])


def corpora_of(plan: Plan) -> tuple[Corpus, Corpus]:
    """Documents to learn from and documents to score, by the words of the first."""
    split = split_of(plan.text, plan.number)
    train = Corpus.from_documents(split.train, rule=VocabularyRule(plan.min_documents, 1.0))
    test = Corpus.from_documents(split.test, rule=VocabularyRule(1, 1.0))
    return train, test.with_vocabulary(train.vocabulary)


def learn(plan: Plan) -> Run:
    """Learn and score."""
    train, test = corpora_of(plan)
    start = time.process_time()
    model = SyntacticTopics(
        TOPICS, limit=MODELS[plan.model], unknown=plan.unknown, max_iter=plan.sweeps,
        random_state=plan.number, n_jobs=1,
    ).fit(train)  # fmt: skip
    seconds = time.process_time() - start
    scores = scored(test, model.learned_.samples, model.learned_.words, model.seed_)
    found = topics_found(model) if plan.model == "STM" and plan.number == 0 else None
    used, words = len(model.learned_.topics_in_use), len(train.vocabulary)
    return Run(plan, *scores, used, words, seconds, found=found)


def topics_found(model: SyntacticTopics) -> list[tuple[float, str, float, list[int], list[str]]]:
    """For each topic in use, the largest first: share of the words, commonest tag and its share, which topics
    most stand below it (by their places in this list), words."""
    rows, places = [], {k: place for place, k in enumerate(model.learned_.topics_in_use)}
    words, tags = model.top_words(8), model.topic_tags_
    for k in model.learned_.topics_in_use:
        tag = int(tags[k].argmax())
        below = [places[i] for i in np.argsort(-model.head_topics_[k])[:3].tolist() if i in places]
        rows.append((float(model.topic_shares_[k]), model.tags_[tag], float(tags[k, tag]), below, words[k]))
    return rows


class Learned(Protocol):
    """Whatever predicts the words of trees, as `LearnedSyntax` does."""

    def log_words(
        self, trees: OrderedTrees, owners: NDArray[np.int64], seen: OrderedTrees, seed: int, threads: int = 1
    ) -> Array:
        """(nodes,) log p of each node's word."""
        ...


class Scores(NamedTuple):
    """The scores of a run."""

    nats: list[float]
    words: list[int]
    by_tag: dict[str, tuple[float, int]]
    own: float
    own_words: int


def scored(test: Corpus, learned: Learned, tree_words: TreeWords, seed: int) -> Scores:
    """Test documents by a model."""
    nats, words = np.zeros(test.n_documents), np.zeros(test.n_documents, np.int64)
    tags: dict[str, list[float]] = {}
    own = own_words = first = 0
    for block, size in enumerate(test.block_sizes):
        trees = test.trees(block)
        scores = word_scores(trees, learned, tree_words, seed)
        nats[first : first + size] = np.bincount(scores.documents, scores.nats, size)
        words[first : first + size] = np.bincount(scores.documents, minlength=size)
        first += size
        for k, name in enumerate(trees.tag_names):
            held = tags.setdefault(name, [0.0, 0])
            held[0] += float(scores.nats[scores.tags == k].sum())
            held[1] += int((scores.tags == k).sum())
        half = halves(trees)
        predicted = tree_words.ordered(half.predicted)
        of_own = learned.log_words(predicted, half.owners, tree_words.ordered(trees), seed)
        known = half.predicted.words[predicted.tokens] >= 0
        own, own_words = own + float(of_own[known].sum()), own_words + int(known.sum())
    by_tag = {name: (a, b) for name, (a, b) in tags.items() if b}
    return Scores(nats.tolist(), words.tolist(), by_tag, own, own_words)


def summary(run: Run) -> str:
    """A line about a run."""
    plan = run.plan
    return (
        f"{plan.text}, {plan.number}, {plan.model}: perplexity {run.perplexity:.1f}, {run.topics} topics, "
        f"{run.seconds:.0f} s"
    )


def difference(one: Sequence[Run], other: Sequence[Run]) -> tuple[float, float]:
    """How many nats per word `other` is worse, as a mean over splits, and the standard error of that over
    documents. Runs are paired: each pair is on the same documents. Seeds of one split are averaged by
    document first; splits count as independent, though they share some documents."""
    by_split: dict[tuple[int, ...], list[Array]] = {}
    for a, b in zip(one, other, strict=True):
        by_split.setdefault(tuple(a.words), []).append(np.array(a.nats) - np.array(b.nats))
    means, variances, runs = [], [], []
    for counts, lost_by_seed in by_split.items():
        words, lost = np.array(counts, float), np.mean(lost_by_seed, axis=0)
        mean = lost.sum() / words.sum()
        rest = lost - mean * words
        means.append(mean)
        variances.append(len(words) / (len(words) - 1) * (rest**2).sum() / words.sum() ** 2)
        runs.append(len(lost_by_seed))
    weights = np.array(runs) / sum(runs)
    return float(weights @ means), float(np.sqrt((weights**2) @ variances))
