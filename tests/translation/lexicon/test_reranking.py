"""Scores of candidates by loops, and the order that they give."""

import math

import numpy as np
import pytest
from tests.oracle.topic_lexicon import Lexicon
from tests.tiers import sampled
from tests.translation.planted_bitexts import random_bitext, sentences_of_bitext
from tests.translation.planted_phrases import lexicon_of

from stickbreaker.ngrams.nbest_lists import Candidate, with_feature
from stickbreaker.translation.lexicon import reranking
from stickbreaker.translation.lexicon.directed_lexicon import Strengths
from stickbreaker.translation.lexicon.reranking import FEATURE, lexical_scores, reranked

STRENGTHS = Strengths(0.7, 3.0)


def by_loops(oracle, words, source, candidate, shares):
    """log p of a candidate by IBM's model 1 without its null word and its lengths (Brown et al. 1993,
    equation 17), by the topics of a document."""
    if not source:
        return 0.0
    known = [[word if word in own else None for word in side] for side, own in zip(
        (source, candidate), words, strict=True)]  # fmt: skip
    return sum(
        math.log(sum(oracle.p_document(e, f, shares) for f in known[0]) / len(source)) for e in known[1]
    )


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_scores_are_those_of_loops(monkeypatch, seed):
    monkeypatch.setattr(reranking, "AT_ONCE", 4)
    bitext, links, shares = random_bitext(seed, 6)
    lexicon = lexicon_of(bitext, links, shares, STRENGTHS)
    sentences = sentences_of_bitext(bitext, links)
    by_name = dict(zip(bitext.names, shares.tolist(), strict=True))
    oracle = Lexicon(sentences, by_name, bitext.words[1], *STRENGTHS)
    draw = np.random.default_rng(seed)
    vocabularies = [[*own, "neu"] for own in bitext.words]
    sources, candidates = [], []
    for number in range(10):
        sources.append([str(w) for w in draw.choice(vocabularies[0], draw.integers(0 if number else 3, 5))])
        candidates.append(
            [[str(w) for w in draw.choice(vocabularies[1], draw.integers(0, 5))] for _ in range(number % 4)]
        )
    own_shares = draw.dirichlet(np.ones(3), 10)
    texts = [" ".join(words).upper() for words in sources]  # which are read as they are written
    lists = [[" ".join(words) for words in own] for own in candidates]
    found = lexical_scores(lexicon, texts, lists, own_shares)
    assert [len(own) for own in found] == [len(own) for own in candidates]
    for row, (source, own) in enumerate(zip(sources, candidates, strict=True)):
        wanted = [by_loops(oracle, bitext.words, source, words, own_shares[row]) for words in own]
        assert found[row].tolist() == pytest.approx(wanted)


def test_no_sentence_has_no_score():
    bitext, links, shares = random_bitext(0)
    lexicon = lexicon_of(bitext, links, shares, STRENGTHS)
    assert lexical_scores(lexicon, [], [], np.zeros((0, 3))) == []
    (none,) = lexical_scores(lexicon, ["f1"], [[]], np.ones((1, 3)) / 3)
    assert none.shape == (0,)


def test_candidates_are_in_order_of_their_weighted_features():
    lists = [
        [
            Candidate(0, "a", {"LM": (-1.0,), "TM": (0.0, 2.0)}, -9.0, ("0-0",)),
            Candidate(0, "b", {"LM": (-3.0,), "TM": (0.0, 1.0)}, -9.0, ()),
            Candidate(0, "c", {"LM": (-1.0,), "TM": (0.0, 2.0)}, -9.0, ()),
        ],
        [],
    ]
    scored = with_feature(lists, FEATURE, [np.array([-1.0, 0.0, -1.0]), np.zeros(0)])
    assert [*scored[0][0].features] == ["LM", "TM", "TopicLexicon"]
    ranked = reranked(scored, np.array([1.0, 7.0, 0.5, 4.0]))
    assert [(one.text, one.score) for one in ranked[0]] == [("b", -2.5), ("a", -4.0), ("c", -4.0)]
    assert (ranked[0][1].rest, ranked[1]) == (("0-0",), [])
