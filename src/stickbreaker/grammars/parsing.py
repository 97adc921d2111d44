"""Parsing and segmentation of texts with a learned grammar."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.grammars.model.grammar_sentences import BOUNDARY, Sentences
from stickbreaker.grammars.model.sentence_parser import DRAWS, Parse
from stickbreaker.grammars.model.trees import Tree, tree_of
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.grammars.text_symbols import TextLines

HOW = ("best", "samples", "minimum-risk")


class ParsedSentence(NamedTuple):
    """A parsed sentence: its log p, and one or several of its trees.

    document: the index of its text; symbols: its number of symbols; nats: its log p in nats (-inf: it cannot
    be parsed); tree_nats: log p of each tree; new_symbols: how many symbols are unseen in training.
    """

    document: int
    symbols: int
    nats: float
    trees: tuple[Tree, ...]
    tree_nats: tuple[float, ...]
    new_symbols: int = 0


class SegmentedText(NamedTuple):
    """The pieces that a text was cut into, its number of new symbols, and whether all of it can be parsed."""

    pieces: list[str]
    new_symbols: int
    parsed: bool


def parsed(
    model: TextGrammar, texts: Iterable[str], how: str = "best", n: int = 1, seed: int = 0
) -> Iterator[ParsedSentence]:
    """Parse the sentences of texts one by one; the parameters are those of `AdaptorGrammar.parse`.

    Raises UserError for an unknown `how`.
    """
    if how not in HOW:
        raise UserError(f"how={how!r}", remedy="how is " + ", ".join(f'"{one}"' for one in HOW))
    n_trees = 1 if how == "best" else n if how == "samples" else DRAWS
    lines, grammar = model.lines_of(texts), model.parser.opened.grammar
    sentences = model.sentences_in(lines.content)
    symbols, unknown = _symbols_of(model, lines), sentences.unknown().tolist()
    for number, parse in enumerate(model.parses_of(sentences, n_trees, best=how == "best", seed=seed)):
        text = None if symbols is None else symbols[sentences.starts[number] : sentences.starts[number + 1]]
        trees = [tree_of(values, grammar, text) for values in _each(parse)]
        nats = parse.tree_nats.tolist()
        if how == "minimum-risk" and trees:
            chosen = _least_risk(trees)
            trees, nats = [trees[chosen]], [nats[chosen]]
        document = int(sentences.documents[number])
        size = len(sentences[number])
        yield ParsedSentence(document, size, parse.nats, tuple(trees), tuple(nats), unknown[number])


def _symbols_of(model: TextGrammar, lines: TextLines) -> list[str] | None:
    """The symbols of all sentences, concatenated, as the texts spell them, to be the leaves of trees.

    Punctuation that ends sentences (BOUNDARY) is left out. None for the grammar "topic", whose sentences are
    words.
    """
    if model.has_topics:
        return None
    inside = model.numbers_read[lines.content.words] != BOUNDARY
    return list(itertools.compress(itertools.chain.from_iterable(lines.tokens), inside))


def segmented_texts(
    model: TextGrammar,
    texts: Iterable[str],
    nonterminal: str | None = None,
    seed: int = 0,
    n_trees: int = DRAWS,
) -> Iterator[SegmentedText]:
    """Cut each text into pieces: see `AdaptorGrammar.segment`.

    n_trees: how many trees to draw for a sentence. Raises UserError for a grammar whose sentences are words.
    """
    if model.has_topics:
        raise UserError("the grammar topic reads words, so there is nothing to segment", remedy="see rules")
    lines = model.lines_of(texts)
    sentences = model.sentences_in(lines.content)
    begins = np.ones(len(lines.content.words) + 1, np.bool_)
    found = cuts_of(model, sentences, nonterminal, seed, n_trees)
    inside = found.shares > 0.5
    inside[sentences.starts[:-1]] = True
    begins[:-1][model.numbers_read[lines.content.words] != BOUNDARY] = inside
    n = len(lines.tokens)
    new_symbols = np.bincount(sentences.documents, sentences.unknown(), n).astype(np.int64).tolist()
    unparsed = np.bincount(sentences.documents, ~found.parsed, n)
    for place, (tokens, start) in enumerate(zip(lines.tokens, lines.content.offsets.tolist(), strict=False)):
        places = [*np.flatnonzero(begins[start : start + len(tokens)]).tolist(), len(tokens)]
        pieces = [model.join(tokens[at:end]) for at, end in itertools.pairwise(places)]
        yield SegmentedText(pieces, new_symbols[place], not unparsed[place])


class Cuts(NamedTuple):
    """For some sentences, the probability of a cut before each symbol, and whether each can be parsed."""

    shares: Array  # symbols of all sentences: probability of a cut before each
    parsed: NDArray[np.bool_]  # sentences


def cuts_of(
    model: TextGrammar,
    sentences: Sentences,
    nonterminal: str | None = None,
    seed: int = 0,
    n_trees: int = DRAWS,
) -> Cuts:
    """The probability, before each terminal of sentences, that a subtree of a symbol begins or ends there.

    For training sentences it is a share of the chain's samples, if it stored any; for others, of `n_trees`
    drawn trees. It is 0 in a sentence that cannot be parsed. Equal sentences have equal cuts. nonterminal:
    the symbol; None: as in `AdaptorGrammar.segment`.
    """
    symbol = model.symbol_number(nonterminal)
    first: dict[bytes, int] = {}  # the first sentence with each content
    numbers = range(len(sentences.documents))
    alike = np.array([first.setdefault(sentences[number].tobytes(), number) for number in numbers], np.int64)
    known = known_cuts(model, symbol, set(first))
    drawn = np.zeros(len(alike), np.bool_)
    drawn[[number for content, number in first.items() if content not in known]] = True
    starts, sizes = sentences.starts, sentences.sizes
    shares, parsed = np.zeros(len(sentences.letters)), np.ones(len(alike), np.bool_)
    for content, own in known.items():
        start = starts[first[content]]
        shares[start : start + len(own)] = own
    inside = np.repeat(drawn, sizes)
    shares[inside], parsed[drawn] = model.drawn_cuts(sentences.take(drawn), symbol, n_trees, seed=seed)
    shifts = starts[alike] - starts[:-1]
    return Cuts(shares[np.arange(len(shares)) + np.repeat(shifts, sizes)], parsed[alike])


def known_cuts(model: TextGrammar, symbol: int, contents: set[bytes]) -> dict[bytes, Array]:
    """For training sentences, the share of the chain's samples in which a symbol cuts before each terminal.

    contents: sentences as bytes of their terminal numbers (int32), which are also the keys of the result;
    those that are not training sentences are left out. Equal training sentences are averaged. The result is
    empty if there are no samples, or if the symbol is not adapted.
    """
    params, place = model.params, int(model.compiled.symbols.adapted[symbol])
    kept = int(params["kept"].values)
    if kept == 0 or place < 0:
        return {}
    letters = np.asarray(params["letters"].values, np.int32)
    cuts = np.asarray(params["cuts"].values)[place]
    lengths = np.asarray(params["lengths"].values)
    ends = np.cumsum(lengths)
    sizes = [len(content) // letters.itemsize for content in contents]
    found: dict[bytes, Array] = {}
    times: Counter[bytes] = Counter()
    for number in np.flatnonzero(np.isin(lengths, sizes)).tolist():
        part = slice(ends[number] - lengths[number], ends[number])
        content = letters[part].tobytes()
        if content in contents:
            found[content] = found.get(content, 0.0) + cuts[part] / kept
            times[content] += 1
    return {content: sums / times[content] for content, sums in found.items()}


def _each(parse: Parse) -> Iterator[NDArray[np.int32]]:
    for start, end in zip(parse.starts[:-1].tolist(), parse.starts[1:].tolist(), strict=True):
        yield parse.rules[start:end]


def _least_risk(trees: list[Tree]) -> int:
    """The index of the tree with minimum risk among sampled trees of a sentence.

    It maximises the sum of (share of trees with the span) - 1/2 over the tree's labelled spans.
    """
    parts = [set(tree.spans()) for tree in trees]
    times = Counter(part for own in parts for part in own)
    gains = [sum(times[part] / len(trees) - 0.5 for part in own) for own in parts]
    return int(np.argmax(gains))
