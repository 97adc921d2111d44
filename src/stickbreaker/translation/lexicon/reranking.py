"""Reranking of any system's translations by the probability of their words given a document's topics."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.ngrams.nbest_lists import Candidate
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.sentence_tokens import tokens_of

FEATURE = "TopicLexicon"
AT_ONCE = 256  # sentences


def lexical_scores(
    lexicon: TopicLexicon, sources: Sequence[str], candidates: Sequence[Sequence[str]], shares: Array
) -> list[Array]:
    """log p(candidate | source, d) in nats of each sentence's candidate translations, by the lexicon alone:

        sum over words e of log (1 / I) sum over words f of p(e | f, d),      f = f_1 .. f_I

    This is IBM model 1 without null word and lengths (Brown et al. 1993, equation 17). Returns an array
    (candidates,) per sentence. `shares` (sentences × topics): of each sentence's document d. For a source
    without words, all candidates get 0, as does a candidate without words.
    """
    found: list[Array] = []
    for start in range(0, len(sources), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        found += _scores_of_some(lexicon, sources[part], candidates[part], shares[part])
    return found


def _scores_of_some(
    lexicon: TopicLexicon, sources: Sequence[str], candidates: Sequence[Sequence[str]], shares: Array
) -> list[Array]:
    codes = (lexicon.bitext.source, lexicon.bitext.target)
    known, known_targets = lexicon.numbers
    tokens = [
        [[known_targets.get(t, -1) for t in tokens_of(one, codes[1])] for one in own] for own in candidates
    ]
    words: list[NDArray[np.int64]] = []
    distinct: list[NDArray[np.int64]] = []
    for source, own in zip(sources, tokens, strict=True):
        words.append(np.array([known.get(token, -1) for token in tokens_of(source, codes[0])], np.int64))
        distinct.append(np.unique(np.array([e for one in own for e in one], np.int64)))
    sizes = np.array([len(f) * len(e) for f, e in zip(words, distinct, strict=True)])
    first = np.concatenate([np.repeat(f, len(e)) for f, e in zip(words, distinct, strict=True)])
    second = np.concatenate([np.tile(e, len(f)) for f, e in zip(words, distinct, strict=True)])
    of = np.repeat(np.arange(len(sources)), sizes)
    p = lexicon.forward.p_adapted(first, second, shares[of])
    found: list[Array] = []
    for own, f, e, part in zip(tokens, words, distinct, np.split(p, np.cumsum(sizes)[:-1]), strict=True):
        if not len(f):
            found.append(np.zeros(len(own)))
            continue
        log_p = np.log(part.reshape(len(f), len(e)).mean(axis=0)) if len(e) else np.zeros(0)
        found.append(np.array([log_p[np.searchsorted(e, one)].sum() for one in own]))
    return found


def reranked(lists: Sequence[Sequence[Candidate]], weights: Array) -> list[list[Candidate]]:
    """The candidates of each sentence sorted by weights · features, the highest first; ties keep their order.

    The copies that are returned have this product as their score.
    """
    ranked: list[list[Candidate]] = []
    for candidates in lists:
        scores = [float(np.dot(weights, one.values)) for one in candidates]
        order = sorted(range(len(candidates)), key=lambda i: (-scores[i], i))
        ranked.append([candidates[i]._replace(score=scores[i]) for i in order])
    return ranked
