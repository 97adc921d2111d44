"""The texts of the topic n-grams' reproduction: Brown, NIPS and, in place of the BNC, WikiText-2."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from reproduce import ngram_texts
from reproduce.ngram_runs import Sizes, sizes_of
from reproduce.ngram_texts import PAPER, PROTOTYPE, Split, document, masked, split_of, split_sentences
from reproduce.texts import TEXTS

from stickbreaker import Corpus
from stickbreaker.corpus import Document
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.ngrams.model.topic_documents import MarkedDocuments, marked
from stickbreaker.ngrams.word_numbers import Base, WordNumbers

PAPERS = 1_500, 50  # of NIPS, to learn from and to score
SENTENCES = 100  # of a document, where a text is cut into such
BROWN, NIPS, WIKITEXT = "Brown", "NIPS", "WikiText-2"


class Text(NamedTuple):
    """A split as models take it: what is learned from, and what is scored, by the words of the former."""

    split: Split
    train: Corpus
    test: Corpus

    @property
    def numbers(self) -> WordNumbers:
        """The words that models know."""
        return WordNumbers.of(self.train.vocabulary, self.split.min_count, spelled=False)

    def sizes(self) -> Sizes:
        """What the paper's table 1 says of a text."""
        return sizes_of(self.split, self.train, {"test": self.test})

    def documents(self) -> MarkedDocuments:
        """The documents to score, with the ends of sentences."""
        return marked_documents(self.test, self.numbers)


@lru_cache(maxsize=1)
def text_of(name: str, number: int) -> Text:
    """A text by its name. number: of Brown's split, the last two documents of each genre, then by seed."""
    if name == BROWN:
        split = ngram_texts.brown(range(number), PROTOTYPE)[number]
    elif name == NIPS:
        split = ngram_texts.nips(*PAPERS, seed=number)
    else:
        split = wikitext()
    train, parts = split.corpora()
    return Text(split, train, parts["test"])


def wikitext() -> Split:
    """The text to learn from and the text to score of WikiText-2, each cut every 100 sentences."""
    train, _, test = (cut_every(ngram_texts.lines_of(file), SENTENCES) for file in TEXTS[WIKITEXT])
    return split_of(WIKITEXT, PAPER, train, test)


def cut_every(lines: list[str], size: int) -> list[Document]:
    """Documents of that many sentences, from paragraphs; headings are left out.

    >>> [found.tokens for found in cut_every([" = A = ", " B c . D in 1990 . ", "", " E . "], 2)]
    [['B', 'c', '.', 'D', 'in', '#', '.'], ['E', '.']]
    """
    paragraphs = [line.split() for line in lines if not line.strip().startswith("= ")]
    sentences = [each for tokens in paragraphs for each in split_sentences(masked(tokens))]
    starts = range(0, len(sentences), size)
    return [document(start // size, sentences[start : start + size]) for start in starts]


def marked_documents(corpus: Corpus, numbers: WordNumbers) -> MarkedDocuments:
    """The documents of a corpus with the ends of sentences, all words even at the base."""
    text = Sequences.join([corpus.sequences(block) for block in range(len(corpus.block_sizes))])
    words, base = numbers.numbered(text.words), Base.even(numbers)
    return marked(words, text.starts.astype(np.int64), text.offsets, numbers.end, base.log_p)
