"""Lexicons as lines of text for other programs."""

from collections.abc import Iterator

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.core.spreadsheets import text_cell
from stickbreaker.translation.lexicon.directed_lexicon import DirectedLexicon
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon


def probabilities(lexicon: DirectedLexicon, shares: Array | None) -> Array:
    """The probability of all linked word pairs (pairs): p(e | f), or p(e | f, d) if topic shares (topics,) of
    a document d are given."""
    words, translations = lexicon.counts.words, lexicon.counts.translations
    if shares is None:
        return lexicon.p_plain(words, translations)
    return lexicon.p_adapted(words, translations, np.broadcast_to(shares, (len(words), len(shares))))


def table_lines(lexicon: TopicLexicon, shares: Array | None, min_p: float) -> Iterator[str]:
    """The lines of a table of word pairs for spreadsheets: a heading, then a tab-separated row per pair.

    Columns: source, target, links, p(target | source), p(source | target); most frequent source words first,
    then most probable translations. Pairs with p(target | source) below `min_p` are left out. shares
    (topics,): of a document, to which p is adapted; None: not adapted.
    """
    source, target = lexicon.bitext.words
    forward, backward = lexicon.forward, lexicon.backward
    p = probabilities(forward, shares)
    rows = backward.counts.rows_of(forward.counts.translations, forward.counts.words)
    reverse = probabilities(backward, shares)[rows]
    yield "\t".join(
        (lexicon.bitext.source, lexicon.bitext.target, "links", "p_target_of_source", "p_source_of_target")
    )
    for row in np.lexsort((forward.counts.translations, -p, forward.counts.words)).tolist():
        if p[row] >= min_p:
            first, second = source[forward.counts.words[row]], target[forward.counts.translations[row]]
            figures = f"{forward.pair_counts[row]:.0f}\t{p[row]:.6f}\t{reverse[row]:.6f}"
            yield f"{text_cell(first)}\t{text_cell(second)}\t{figures}"


def moses_lines(lexicon: TopicLexicon, shares: Array | None, min_p: float, side: int) -> Iterator[str]:
    """Lines "e f p(e | f)" in the format of Moses's lexical tables, for p of at least `min_p`.

    side: 0 for the target given the source (lex.f2e), 1 for the source given the target (lex.e2f). shares
    (topics,): of a document, to which p is adapted; None: not adapted.
    """
    one = (lexicon.forward, lexicon.backward)[side]
    words, translations = lexicon.bitext.words[side], lexicon.bitext.words[1 - side]
    p = probabilities(one, shares)
    for row in np.flatnonzero(p >= min_p).tolist():
        yield f"{translations[one.counts.translations[row]]} {words[one.counts.words[row]]} {p[row]:.7f}"
