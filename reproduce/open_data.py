"""The streams, their dictionaries, and the reference by which words are known to keep company."""

import gzip
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reproduce.texts import DATA, DICTIONARY, TEXTS, rows

from stickbreaker import Analysis, Corpus

ANALYSIS = Analysis(stemming=True)  # small letters, English stop words, Snowball's English stems
MINIBATCHES = {"20 Newsgroups": (155, 310), "de-news": (140, 245)}
TOPICS = {"20 Newsgroups": 50, "de-news": 10}


class Stream(NamedTuple):
    """Documents in order as lists of tokens, and the words of a dictionary; of some streams, each
    document's label and whether it belongs to the part that a classifier learns from."""

    name: str
    documents: list[list[str]]
    dictionary: tuple[str, ...]
    labels: tuple[str, ...] = ()
    train: tuple[bool, ...] = ()

    def minibatches(self, size: int) -> Iterator[list[list[str]]]:
        """The documents, in minibatches of that size.

        >>> [len(part) for part in Stream("toy", [["a"]] * 5, ()).minibatches(2)]
        [2, 2, 1]
        """
        for start in range(0, len(self.documents), size):
            yield self.documents[start : start + size]

    def learned_from(self) -> "Stream":
        """The documents that the classifier learns from, alone."""
        kept = [place for place, train in enumerate(self.train) if train]
        return self._replace(
            documents=[self.documents[place] for place in kept],
            labels=tuple(self.labels[place] for place in kept),
            train=(True,) * len(kept),
        )


def newsgroups() -> Stream:
    """All postings by date, their bodies alone; the dictionary is Debian's American English."""
    postings = sorted(rows("20 Newsgroups, whole"), key=lambda posting: (posting["date"], posting["id"]))
    words = DICTIONARY.read_text(encoding="utf-8").split()
    return Stream(
        "20 Newsgroups",
        analysed([posting["text"] for posting in postings]),
        tuple(dict.fromkeys(token for line in analysed(words) for token in line)),
        tuple(posting["label"] for posting in postings),
        tuple(posting["split"] == "train" for posting in postings),
    )


def de_news() -> Stream:
    """News of five years, stemmed by those who passed them on; their dictionary."""
    words = (DATA / TEXTS["de-news"][1]).read_text(encoding="utf-8").split()
    documents = [row["text"].split() for row in rows("de-news")]
    return Stream("de-news", documents, tuple(dict.fromkeys(words)))


def stream_of(name: str) -> Stream:
    """The stream of that name."""
    return newsgroups() if name == "20 Newsgroups" else de_news()


def wikipedia() -> Corpus:
    """The paragraphs of WikiText-2, analysed as the postings are."""
    lines: list[str] = []
    for name in TEXTS["WikiText-2"]:
        with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
            lines += [line.replace("<unk>", " ") for line in map(str.strip, file) if line]
    return Corpus.from_tokens(analysed([line for line in lines if not line.startswith("= ")]))


def analysed(texts: Sequence[str]) -> list[list[str]]:
    """The tokens of texts that may enter a vocabulary.

    >>> analysed(["The cats don't purr"])
    [['cat', 'purr']]
    """
    lists = [ANALYSIS.analyse(text).words for text in texts]
    words = list(dict.fromkeys(word for line in lists for word in line))
    kept = {word for word, fits in zip(words, ANALYSIS.eligible(words).tolist(), strict=True) if fits}
    return [[word for word in line if word in kept] for line in lists]
