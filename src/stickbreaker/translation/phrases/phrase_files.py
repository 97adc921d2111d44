"""Phrase tables as lines of text for Moses, with the lexical weights of all documents or of one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.corpus.shards import entries_between
from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.phrases.phrase_model import PhraseModel
from stickbreaker.translation.sentence_tokens import escaped

AT_ONCE = 1 << 15  # source phrases
BETWEEN = " ||| "


class _Line(NamedTuple):
    """A translation of a source phrase."""

    target: str
    scores: list[float]  # p(f | e), its lexical weight, p(e | f), its lexical weight
    links: int  # as bits
    counts: list[int]  # c(e), c(f), c(f, e)


def phrase_table_lines(model: PhraseModel, shares: Array | None, min_p: float = 0.0) -> Iterator[str]:
    """Lines "source ||| target ||| scores ||| links ||| counts" of translations of which p(e | f) is `min_p`
    or more, in the order of their bytes, as Moses wants them.

    The scores are p(f | e), the lexical weight of f given e, p(e | f) and that of e given f; with topic
    shares (topics,) the lexical weights are those of a document with them. Counts are c(e), c(f), c(f, e).
    Tokens are escaped as by Moses's escape-special-chars.perl.
    """
    model, table = replace(model, adapts=shares is not None), model.table
    source, target = ([escaped(word) for word in words] for words in model.lexicon.bitext.words)
    used = np.flatnonzero(np.diff(table.starts) > 0)
    words, lengths = table.source_of(used)
    spelled = [
        " ".join(source[word] for word in row[:n])
        for row, n in zip(words.tolist(), lengths.tolist(), strict=True)
    ]
    order = sorted(range(len(used)), key=lambda row: (spelled[row] + BETWEEN).encode())
    for start in range(0, len(order), AT_ONCE):
        rows = order[start : start + AT_ONCE]
        for row, found in zip(rows, _translations(model, used[rows], target, shares, min_p), strict=True):
            for one in found:
                scores = " ".join(f"{p:.6g}" for p in one.scores)
                links, counts = _links(one.links), " ".join(map(str, one.counts))
                yield BETWEEN.join((spelled[row], one.target, scores, links, counts))


def _translations(
    model: PhraseModel, phrases: NDArray[np.int64], words: list[str], shares: Array | None, min_p: float
) -> Iterator[list[_Line]]:
    """The translations of each source phrase, in the order of their bytes; `words` are the target's."""
    table = model.table
    after, options = entries_between(table.starts[phrases], table.starts[phrases + 1])
    features = model.features_of(options, shares)
    lexical = features[:, 2:4] + features[:, 5:7] if model.adapts else features[:, 2:4]
    scores = np.exp(np.column_stack([features[:, 1], lexical[:, 1], features[:, 0], lexical[:, 0]]))
    counts = np.stack([one[options] for one in (table.target_counts, table.source_counts, table.counts)], 1)
    ends, places = entries_between(table.offsets[options], table.offsets[options + 1])
    numbers = table.target_words[places].tolist()
    lines = [
        _Line(" ".join(words[number] for number in numbers[first:last]), *rest)
        for first, last, *rest in zip(
            ends[:-1].tolist(),
            ends[1:].tolist(),
            scores.tolist(),
            table.links[options].tolist(),
            counts.tolist(),
            strict=True,
        )
    ]
    for first, last in zip(after[:-1].tolist(), after[1:].tolist(), strict=True):
        likely = (one for one in lines[first:last] if one.scores[2] >= min_p)
        yield sorted(likely, key=lambda one: (one.target + BETWEEN).encode())


def _links(mask: int) -> str:
    """Links as Moses writes them, source-target.

    >>> _links(0b1000001)
    '0-0 1-1'
    """
    pairs = (divmod(bit, MOST) for bit in range(MOST * MOST) if mask >> bit & 1)
    return " ".join(f"{source}-{target}" for source, target in pairs)
