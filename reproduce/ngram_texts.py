"""The texts of the language models' reproduction: Brown, the Penn Treebank and NIPS, cut into sentences."""

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import regex
from reproduce.texts import DATA, TEXTS, rows

from stickbreaker import Corpus, VocabularyRule
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Document
from stickbreaker.ngrams.word_numbers import UNKNOWN

NUMBER = "#"
A_NUMBER = regex.compile(r"[^\p{L}]*\p{N}[^\p{L}]*+")  # digits, and no letters
TOKEN = regex.compile(r"\p{L}+(?:['’-]\p{L}+)*|\p{N}+(?:[.,]\p{N}+)*|[^\s\p{L}\p{N}]")
ENDS = {".", "!", "?"}  # of a sentence, if a text is not cut into sentences
MIN_COUNT = 4  # of a known word, as in the paper
ALL_WORDS = VocabularyRule(min_documents=1, max_share=1.0)


class Reading(NamedTuple):
    """How a text is read: in lower case or not; `both`: the words of held-out documents count too when it is
    said which words are known."""

    name: str
    lower: bool
    both: bool


PAPER = Reading("paper", lower=False, both=True)
PROTOTYPE = Reading("prototype", lower=True, both=True)
LIBRARY = Reading("library", lower=False, both=False)
READINGS = (PAPER, PROTOTYPE, LIBRARY)


class Split(NamedTuple):
    """Documents to learn from, those to score by the name of their part, and how often a known word occurs in
    the former."""

    name: str
    reading: str
    train: list[Document]
    parts: dict[str, list[Document]]
    min_count: int

    def corpora(self) -> tuple[Corpus, dict[str, Corpus]]:
        """All as corpora, those to score seen through the words of the first."""
        train = Corpus.from_documents(self.train, rule=ALL_WORDS)
        parts = {name: Corpus.from_documents(part, rule=ALL_WORDS) for name, part in self.parts.items()}
        return train, {name: part.with_vocabulary(train.vocabulary) for name, part in parts.items()}


def document(number: int, sentences: Iterable[Sequence[str]]) -> Document:
    """A document of tokens with the places where its sentences begin.

    >>> document(0, [["A", "cat", "."], [], ["Two", "."]]).sentences
    [0, 3]
    """
    tokens: list[str] = []
    starts: list[int] = []
    for sentence in filter(None, sentences):
        starts.append(len(tokens))
        tokens += sentence
    return Document(str(number), tokens=tokens, sentences=starts)


def masked(tokens: Iterable[str]) -> list[str]:
    """Tokens with `#` for those that are numbers.

    >>> masked(["In", "1963", "$2.5", "1960s", "."])
    ['In', '#', '#', '1960s', '.']
    """
    return [NUMBER if A_NUMBER.fullmatch(token) else token for token in tokens]


def brown(seeds: Sequence[int], reading: Reading) -> list[Split]:
    """Two documents of each genre to score, the others to learn from: the last two, then by seed."""
    read = rows("Brown")
    documents = [document(number, _sentences(row["text"], reading)) for number, row in enumerate(read)]
    labels = [row["label"] for row in read]
    held_out = {"last two": last_two(labels)} | {f"seed {seed}": random_two(labels, seed) for seed in seeds}
    splits: list[Split] = []
    for name, places in held_out.items():
        train = [each for place, each in enumerate(documents) if place not in set(places)]
        splits.append(split_of(name, reading, train, [documents[place] for place in places]))
    return splits


def _sentences(text: str, reading: Reading) -> list[list[str]]:
    return [masked(line.split()) for line in (text.lower() if reading.lower else text).split("\n")]


def split_of(name: str, reading: Reading, train: list[Document], test: list[Document]) -> Split:
    """A split whose unknown words are marked, or are left to the model, which knows the words of `train`."""
    if not reading.both:
        return Split(name, reading.name, train, {"test": test}, MIN_COUNT)
    learned = Counter(token for each in train for token in each.tokens or ())
    counts = learned + Counter(token for each in test for token in each.tokens or ())
    known = {token for token in learned if counts[token] >= MIN_COUNT}
    train, test = ([_marked(each, known) for each in part] for part in (train, test))
    return Split(name, reading.name, train, {"test": test}, 1)


def _marked(document: Document, known: set[str]) -> Document:
    """The document with `<unk>` for words that are not known."""
    return replace(document, tokens=[t if t in known else UNKNOWN for t in document.tokens or ()])


def last_two(labels: Sequence[str]) -> list[int]:
    """Places of the last two documents of each label.

    >>> last_two(["a", "b", "a", "a", "b"])
    [1, 2, 3, 4]
    """
    return sorted(place for places in _by_label(labels) for place in places[-2:])


def random_two(labels: Sequence[str], seed: int) -> list[int]:
    """Places of two documents of each label, drawn by a seed.

    >>> len(random_two(["a"] * 5 + ["b"] * 9, seed=1))
    4
    """
    generator = stream(seed, "held-out documents")
    drawn = [generator.choice(places, 2, replace=False).tolist() for places in _by_label(labels)]
    return sorted(place for two in drawn for place in two)


def _by_label(labels: Sequence[str]) -> list[list[int]]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        places[label].append(place)
    return list(places.values())


def treebank() -> Split:
    """The Penn Treebank's own three parts."""
    train, valid, test = [
        [document(0, (line.split() for line in lines_of(file)))] for file in TEXTS["Penn Treebank"]
    ]
    return Split("Penn Treebank", "its own", train, {"valid": valid, "test": test}, 1)


def lines_of(file: str) -> list[str]:
    """The lines of a text."""
    with gzip.open(DATA / file, "rt", encoding="utf-8") as text:
        return text.read().split("\n")


def nips(train: int, test: int, seed: int = 0) -> Split:
    """Papers to learn from and to score, drawn from all; a token . ! or ? ends a sentence."""
    papers = rows("NIPS")
    places = stream(seed, "held-out papers").permutation(len(papers))[: train + test].tolist()
    drawn = [
        document(number, split_sentences(masked(TOKEN.findall(papers[place]["text"]))))
        for number, place in enumerate(places)
    ]
    return split_of("NIPS", PAPER, drawn[:train], drawn[train:])


def split_sentences(tokens: Iterable[str]) -> Iterable[list[str]]:
    """Tokens cut behind each `.`, `!` and `?`.

    >>> list(split_sentences(["a", ".", "b", "?", "c"]))
    [['a', '.'], ['b', '?'], ['c']]
    """
    sentence: list[str] = []
    for token in tokens:
        sentence.append(token)
        if token in ENDS:
            yield sentence
            sentence = []
    if sentence:
        yield sentence
