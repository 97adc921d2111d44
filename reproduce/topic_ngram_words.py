"""What can be shown of a topic n-gram model: words of no topic, contexts by share of topics, phrases."""

from typing import Any

import numpy as np
from reproduce.ngram_texts import ALL_WORDS
from reproduce.pages import Table
from reproduce.topic_ngram_texts import Text, marked_documents

from stickbreaker import Corpus, TopicNgramModel
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.ngrams.model.contexts import context_words
from stickbreaker.ngrams.model.topic_documents import word_topics
from stickbreaker.ngrams.word_numbers import END

PLACE = 2 / 3  # of the text learned from: where the document lies that is shown
WORDS = 70  # of it
FREQUENT = 100  # words
CONTEXTS = 1_000  # those with the most words, which are looked at
EACH = 8  # contexts, words or phrases of a kind


def shown(model: TopicNgramModel, text: Text) -> dict[str, Any]:
    """All that there is to show of a fitted model, as JSON keeps it."""
    found: dict[str, Any] = {"phrases": phrases(model)}
    if model.learned_.model.switches is not None:
        found |= {"contexts": contexts(model), "shares": shares_of_contexts(model).tolist()}
    if model.prior == "switching":
        found |= {"passage": passage(model, text), "words": words(model)}
    return found


def passage(model: TopicNgramModel, text: Text) -> list[tuple[str, float]]:
    """The beginning of a document that was learned from: words, and the chance that each is of a topic."""
    document = text.split.train[int(PLACE * len(text.split.train))]
    corpus = Corpus.from_documents([document], rule=ALL_WORDS).with_vocabulary(text.train.vocabulary)
    documents, held = marked_documents(corpus, model.learned_.numbers), model.learned_.model
    chances = np.mean([word_topics(held, documents, n).sum(axis=1) for n in range(held.n_samples)], axis=0)
    names = model.words_
    return [
        (plainly(names[word]), float(chance))
        for word, chance in zip(documents.words[:WORDS].tolist(), chances, strict=False)
    ]


def words(model: TopicNgramModel) -> dict[str, Any]:
    """How often words are of a topic: of the most frequent ones (least and most), of these together, and of
    all others."""
    counts = model.learned_.model.word_topics
    totals, names = counts.sum(axis=1), model.words_
    frequent = descending(totals, min(FREQUENT, len(totals)))
    rest = np.setdiff1d(np.arange(len(totals)), frequent)
    shares = 1.0 - counts[:, 0] / np.maximum(totals, 1.0)
    order = frequent[np.argsort(shares[frequent], kind="stable")].tolist()
    return {
        "least": [(plainly(names[word]), float(shares[word])) for word in order[:EACH]],
        "most": [(plainly(names[word]), float(shares[word])) for word in order[::-1][:EACH]],
        "frequent": _share(counts, frequent),
        "others": _share(counts, rest) if len(rest) else None,
    }


def plainly(word: str) -> str:
    """A word without what marks text up on a page.

    >>> plainly("``"), plainly("<unk>")
    ('“', '‹unk›')
    """
    return word.replace("``", "“").replace("''", "”").replace("<", "‹").replace(">", "›")


def _share(counts: Array, rows: Any) -> float:
    return float(1.0 - counts[rows, 0].sum() / max(counts[rows].sum(), 1.0))


def shares_of_contexts(model: TopicNgramModel) -> Array:
    """How many of the longest contexts that have the most words have which share of topics, by tenths."""
    restaurants = _contexts(model)
    held = model.learned_.model.switches
    assert held is not None
    return np.histogram(held.mean(axis=0)[restaurants], 10, (0.0, 1.0))[0]


def contexts(model: TopicNgramModel) -> dict[str, list[tuple[str, float]]]:
    """The longest contexts, of those with the most words, whose share of topics is least, in the middle, and
    most: their words, and the mean share of the samples."""
    held = model.learned_.model
    assert held.switches is not None
    restaurants, shares = _contexts(model), held.switches.mean(axis=0)
    order = restaurants[np.argsort(shares[restaurants], kind="stable")]
    middle = max(0, int(np.searchsorted(shares[order], 0.5)) - EACH // 2)
    symbols, names = context_words(held.contexts), [*model.words_[:-1], "<s>"]
    assert model.words_[-1] == END
    parts = {"least": order[:EACH], "middle": order[middle : middle + EACH], "most": order[::-1][:EACH]}
    return {
        name: [
            (plainly(" ".join(names[w] for w in symbols[row][::-1].tolist() if w >= 0)), float(shares[row]))
            for row in part.tolist()
        ]
        for name, part in parts.items()
    }


def _contexts(model: TopicNgramModel) -> Any:
    """The longest contexts that have the most words, by the last sample."""
    held = model.learned_.model
    part = slice(*held.cells[-2:].tolist())
    at = held.contexts.restaurants[held.slots[part].astype(np.int64)]
    sizes = np.bincount(at, held.customers[part].astype(np.float64), len(held.contexts.depths))
    sizes[held.contexts.depths < held.contexts.depths.max()] = 0.0
    best = descending(sizes, min(CONTEXTS, len(sizes)))
    return best[sizes[best] > 0.0]


def phrases(model: TopicNgramModel) -> list[tuple[int, float, list[str]]]:
    """The topics with the most words: number, share of all words, phrases."""
    found, shares = model.top_phrases(EACH), model.topic_shares_
    largest = descending(shares, min(EACH, len(shares))).tolist()
    return [(topic, float(shares[topic]), found[topic]) for topic in largest]


def passage_line(found: list[tuple[str, float]]) -> str:
    """A passage whose words have the tenths of their chance behind them.

    >>> passage_line([("the", 0.04), ("images", 0.97)])
    'the⁰ images⁹'
    """
    return " ".join(f"{word}{'⁰¹²³⁴⁵⁶⁷⁸⁹'[min(9, int(10 * chance))]}" for word, chance in found)


def contexts_table(found: dict[str, list[tuple[str, float]]]) -> Table:
    """The paper's table 3."""
    rows = []
    for name, each in found.items():
        values = [value for _, value in each]
        told = f"{min(values):.2f} to {max(values):.2f}" if values else "–"
        rows.append([name, told, ", ".join(context for context, _ in each)])
    return Table(("share of topics", "from, to", "contexts"), rows)


def phrases_table(found: list[tuple[int, float, list[str]]]) -> Table:
    """The paper's table 4."""
    rows = [[topic, f"{100 * share:.1f} %", ", ".join(each)] for topic, share, each in found]
    return Table(("topic", "of all words", "phrases"), rows)
