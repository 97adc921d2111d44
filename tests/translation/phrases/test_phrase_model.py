"""Features of phrases by their definitions, and the options of sentences by a function that looks slowly."""

import math
from collections import Counter

import numpy as np
import pytest
from tests.oracle.phrase_pairs import lexical_weight
from tests.oracle.sentence_options import PhraseOptions, sentence_options
from tests.oracle.topic_lexicon import Lexicon, reversed_sentences
from tests.tiers import sampled
from tests.translation.planted_bitexts import random_bitext, sentences_of_bitext
from tests.translation.planted_phrases import lexicon_of, options_by_phrase, phrase_model, phrase_of

from stickbreaker.translation.lexicon.directed_lexicon import Strengths
from stickbreaker.translation.phrases.phrase_model import MIXTURE, PLAIN, UNKNOWN
from stickbreaker.translation.sentence_pairs import Pair

pytestmark = pytest.mark.kernels
STRENGTHS = Strengths(0.7, 3.0)
HERE = np.array([0.2, 0.5, 0.3])  # topic shares of a document


def case(seed, place, n_topics=3, **options):
    bitext, links, shares = random_bitext(seed, 8, n_topics)
    return phrase_model(lexicon_of(bitext, links, shares, STRENGTHS), place, **options)


def oracles(lexicon):
    """The lexicons of both directions in plain Python, and p of words without a link on the target side and
    on the source side."""
    sentences = sentences_of_bitext(lexicon.bitext, lexicon.links)
    shares = dict(zip(lexicon.bitext.names, lexicon.shares.tolist(), strict=True))
    words, nulls = lexicon.bitext.words, []
    ways = (sentences, words[1]), (reversed_sentences(sentences), words[0])
    for lines, own in ways:
        alone = Counter(own)  # one is added to each
        for _, _, second, links in lines:
            alone.update(word for place, word in enumerate(second) if place not in {j for _, j in links})
        nulls.append({word: n / alone.total() for word, n in alone.items()})
    return [Lexicon(lines, shares, own, *STRENGTHS) for lines, own in ways], nulls


def weights_by_hand(model, option, shares):
    """log of the lexical weights of a translation in both directions, by the shares of a document or None."""
    source, target, links = phrase_of(model, option)
    lexicons, nulls = oracles(model.lexicon)
    backwards = {(t, s) for s, t in links}
    found = []
    for words, others, own, lexicon, null in (
        (target, source, backwards, lexicons[0], nulls[0]),
        (source, target, links, lexicons[1], nulls[1]),
    ):

        def p(word, other, lexicon=lexicon):
            return lexicon.p(word, other) if shares is None else lexicon.p_document(word, other, shares)

        found.append(lexical_weight(words, others, own, p, null.__getitem__))
    return np.array(found)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_features_are_those_of_their_definitions(tmp_path, seed):
    model = case(seed, tmp_path)
    options = np.arange(model.table.n_options)
    found, everywhere = model.features_of(options, HERE), model.features_of(options, None)
    assert found.shape == everywhere.shape == (len(options), len(PLAIN + MIXTURE))
    np.testing.assert_array_equal(found[:, :2], model.table.scores.log_p(options))
    assert (found[:, 4] == 1.0).all()
    np.testing.assert_array_equal(found[:, :5], everywhere[:, :5])  # topics change two features alone
    assert not everywhere[:, 5:].any()
    for option in options.tolist():
        plain, adapted = (weights_by_hand(model, option, shares) for shares in (None, HERE))
        np.testing.assert_allclose(found[option, 2:4], plain, rtol=1e-9)
        np.testing.assert_allclose(found[option, 5:], adapted - plain, rtol=1e-6, atol=1e-12)
    assert np.abs(found[:, 5:]).max() > 0.01
    some = options[::-3]  # in any order
    np.testing.assert_allclose(model.features_of(some, HERE), found[some], rtol=1e-12, atol=1e-14)


def test_words_of_several_links_and_of_none(tmp_path):
    """Koehn, Och and Marcu 2003, figure 3: the mean over the links of a word; the null word without one."""
    from stickbreaker.translation.alignment.aligned_words import links_of
    from stickbreaker.translation.bitext import Bitext

    pairs = [Pair("f1 f2 f3", "e1 e2 e3", "a"), Pair("f1", "e1", "b"), Pair("f3", "e2", "c")]
    bitext = Bitext.of(pairs, "de", "en")
    links = links_of([[(0, 0), (1, 1), (2, 1)], [(0, 0)], []])
    model = phrase_model(lexicon_of(bitext, links, np.ones((3, 1)), STRENGTHS), tmp_path)
    options = options_by_phrase(model)["f1", "f2", "f3"]
    (option,) = [one for one in options.tolist() if len(phrase_of(model, one)[1]) == 3]
    (p_e, p_f), (null, _) = oracles(model.lexicon)
    assert null == {"e1": 1 / 5, "e2": 2 / 5, "e3": 2 / 5}  # e2 and e3 are once without a link
    forward = p_e.p("e1", "f1") * (p_e.p("e2", "f2") + p_e.p("e2", "f3")) / 2 * null["e3"]
    backward = p_f.p("f1", "e1") * p_f.p("f2", "e2") * p_f.p("f3", "e2")
    found = model.features_of(np.array([option]), None)[0, 2:4]
    assert found.tolist() == pytest.approx([math.log(forward), math.log(backward)])


def test_one_topic_adds_nothing(tmp_path):
    model = case(4, tmp_path, n_topics=1)
    features = model.features_of(np.arange(model.table.n_options), np.ones(1))
    np.testing.assert_allclose(features[:, 5:], 0.0, atol=1e-12)


def test_models_without_topics_have_fewer_features(tmp_path):
    model = case(4, tmp_path, adapts=False)
    options = np.arange(model.table.n_options)
    found = model.features_of(options, HERE)
    assert found.shape[1] == len(model.option_features) == len(model.decoder_weights().options) == len(PLAIN)
    np.testing.assert_array_equal(found, case(4, tmp_path).features_of(options, HERE)[:, :5])
    assert model.features == (*PLAIN, "language_model", "words", "distortion")


def rows(options):
    """Options as a sorted list of (begin, end, words, features)."""
    return sorted(
        (b, e, options.words[slice(*options.offsets[row : row + 2])].tolist(), options.features[row].tolist())
        for row, (b, e) in enumerate(zip(options.begins.tolist(), options.ends.tolist(), strict=True))
    )


@pytest.mark.parametrize("adapts", [True, False])
@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_options_are_those_of_a_slow_search(tmp_path, seed, adapts):
    model = case(seed, tmp_path, adapts=adapts)
    rng = np.random.default_rng(seed)
    known = [*model.lexicon.bitext.words[0], "new", "other"]
    sentences = [[str(word) for word in rng.choice(known, n)] for n in (0, 1, 1, 4, 7, 12)]
    by_phrase, table = options_by_phrase(model), model.table

    def find(phrase):
        if phrase not in by_phrase:
            return None
        own = by_phrase[phrase]
        words = [table.target_words[slice(*table.offsets[option : option + 2])] for option in own]
        offsets = np.cumsum([0, *map(len, words)])
        features = model.features_of(own, HERE)
        return PhraseOptions(offsets, np.concatenate(words).astype(np.int64), features)

    passed = np.array([UNKNOWN] * 4 + [1.0] + [0.0] * (2 * adapts))
    for tokens, found in zip(sentences, model.options_of(sentences, HERE), strict=True):
        wanted = sentence_options(tokens, find, 5, len(model.lexicon.bitext.words[1]), passed)
        assert (found.n, found.longest, found.passed) == (len(tokens), wanted.longest, wanted.passed)
        for one, other in zip(rows(found.options), rows(wanted.options), strict=True):
            assert one[:3] == other[:3]
            assert one[3] == pytest.approx(other[3], abs=1e-12)


def test_documents_of_no_sentence_and_of_strange_words(tmp_path):
    model = case(1, tmp_path)
    assert model.options_of([], HERE) == []
    (strange,) = model.options_of([["x", "y", "x"]], HERE)
    n_words = len(model.lexicon.bitext.words[1])
    assert strange.passed == ("x", "y")
    assert strange.options.words.tolist() == [n_words, n_words + 1, n_words]
    assert strange.options.features[:, :4].tolist() == [[UNKNOWN] * 4] * 3
