"""Example sentences of the report: sentence pairs in which a word is linked, cut to a length that can be
shown, with the linked words marked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickbreaker.pages.text_values import clean, cut_short, one_line, rounded
from stickbreaker.pages.views import Styled, Text
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.sentence_tokens import token_spans

LONGEST_PIECE = 400  # characters that the page has of a piece
MOST_CHARACTERS = 120  # of a sentence
USUAL_WORDS = 12  # of a sentence that is read quickly
FEW_WORDS = 4  # of a sentence that says little
NO_EXAMPLE = -1  # in place of the number of an example
BOUNDARY = 15  # characters in which a space is looked for, so that no word is cut


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and its translation with marked words. Each is a list of pieces, alternately unmarked and
    marked, the first unmarked (it may be empty)."""

    source: Sequence[str]
    target: Sequence[str]

    def lines(self, languages: Sequence[str]) -> list[Text]:
        """The sentence and its translation as texts of a view. languages: the codes of both."""
        return [
            Styled(
                [
                    Styled(text, "marked") if place % 2 else text
                    for place, text in enumerate(cut_short(clean(piece), LONGEST_PIECE) for piece in side)
                    if text
                ],
                "sentence",
                language=one_line(code),
            )
            for side, code in zip((self.source, self.target), languages, strict=True)
        ]


class Examples:
    """Collects examples for the report, and numbers them from 0; their sentences are read at the end, all at
    once.

    An example is an occurrence of a source word that has a link. If the same one is added twice, it keeps its
    number.
    """

    def __init__(self, lexicon: TopicLexicon) -> None:
        self.lexicon = lexicon
        linked = lexicon.linked
        self._order = np.argsort(linked.source, kind="stable")
        self._starts = np.searchsorted(
            linked.source[self._order], np.arange(len(lexicon.bitext.words[0]) + 1)
        )
        self._numbers: dict[int, int] = {}  # of the links, by the place of their source word

    def __len__(self) -> int:
        return len(self._numbers)

    def links_of(self, word: int) -> NDArray[np.int64]:
        """The links of a source word (by number), as indices into `lexicon.linked`."""
        return self._order[self._starts[word] : self._starts[word + 1]]

    def in_topic(self, word: int, translation: int, topic: int) -> int:
        """Add an example of a word with a translation, from a document with a large share of a topic; returns
        its number.

        A sentence that is neither short nor long is preferred. The word and the translation must be linked
        somewhere.
        """
        linked, links = self.lexicon.linked, self.links_of(word)
        links = links[linked.target[links] == translation]
        tenths = np.round(10.0 * self.lexicon.shares[linked.document[links], topic])
        lengths = self.lexicon.bitext.sides[0].lengths[linked.pair[links]]
        order = np.lexsort((links, np.abs(lengths - USUAL_WORDS), -tenths, lengths < FEW_WORDS))
        return self._add(int(links[order[0]]))

    def in_document(self, word: int, translation: int, document: int) -> int:
        """Add an example of a word from a document, with the given translation if the document has it;
        returns its number.

        The document must have a link of the word.
        """
        linked, links = self.lexicon.linked, self.links_of(word)
        links = links[linked.document[links] == document]
        return self._add(int(links[np.lexsort((links, linked.target[links] != translation))[0]]))

    def _add(self, link: int) -> int:
        return self._numbers.setdefault(int(self.lexicon.linked.source_place[link]), len(self._numbers))

    def sentences(self) -> list[Example]:
        """Read the sentences of all examples, in the order of their numbers, with the source word and all
        target words that it is linked with marked."""
        bitext, linked = self.lexicon.bitext, self.lexicon.linked
        places = np.array(list(self._numbers), np.int64)
        pairs = np.searchsorted(bitext.sides[0].offsets, places, side="right") - 1
        links = np.flatnonzero(np.isin(linked.source_place, places))
        targets: dict[int, list[int]] = {int(place): [] for place in places}
        for source, target in zip(
            linked.source_place[links].tolist(), linked.target_place[links].tolist(), strict=True
        ):
            targets[source].append(target)
        order = np.argsort(pairs, kind="stable").tolist()  # a block of texts is read once
        texts = dict(zip(order, bitext.texts(pairs[order].tolist()), strict=True))
        codes = (bitext.source, bitext.target)
        return [
            Example(*(
                _marked(text, code, np.asarray(marked) - side.offsets[pair], int(side.lengths[pair]))
                for text, code, side, marked in zip(
                    texts[number], codes, bitext.sides, ([place], targets[place]), strict=True
                )
            ))
            for number, (place, pair) in enumerate(zip(places.tolist(), pairs.tolist(), strict=True))
        ]  # fmt: skip


def _marked(text: str, language: str, tokens: NDArray[np.int64], n_tokens: int) -> list[str]:
    """A sentence, cut short, as unmarked and marked pieces (`cut_pieces`); tokens: the positions of those to
    mark.

    Nothing is marked if the text does not have `n_tokens` tokens, since the positions would then be wrong.
    """
    written, spans = token_spans(text, language)
    marks = [spans[token] for token in sorted(tokens.tolist())] if len(spans) == n_tokens else []
    return cut_pieces(written, marks)


def cut_pieces(text: str, marks: Sequence[tuple[int, int]], most: int = MOST_CHARACTERS) -> list[str]:
    """About `most` characters of a text around the first mark, as a list of pieces, alternately unmarked and
    marked; the first and the last are unmarked.

    marks: (begin, end) of each, ascending.

    >>> cut_pieces("the old bank of the river", [(8, 12)], 16)
    ['… old ', 'bank', ' of …']
    """
    start, end = 0, len(text)
    if len(text) > most:
        first, last = marks[0] if marks else (0, 0)
        start = max(0, min(first - most // 3, len(text) - most))
        end = start + most
        space = text.find(" ", start, min(first, start + BOUNDARY)) if start else -1
        start = space + 1 if space >= 0 else start
        space = text.rfind(" ", max(min(last, end), end - BOUNDARY), end) if end < len(text) else -1
        end = space if space >= 0 else end
    pieces, at = ["… " if start else ""], start
    for first, last in marks:
        first, last = max(first, at), min(last, end)
        if first < last:
            pieces[-1] += text[at:first]
            pieces += [text[first:last], ""]
            at = last
    pieces[-1] += text[at:end] + (" …" if end < len(text) else "")
    return pieces


def probability(p: float) -> str:
    """A probability with two digits after the point.

    >>> probability(0.123), probability(0.001), probability(float("nan"))
    ('0.12', '<0.01', '0')
    """
    return f"{p:.2f}" if p >= 0.005 else "<0.01" if p > 0.0 else "0"


def short(value: float) -> float:
    """A number rounded to three significant digits; 0 if it is not finite."""
    return rounded(value, 3) or 0.0
