"""Documents translated by phrases: sentences of all lengths, BLEU, and weights that are tuned."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.translation.planted_bitexts import DOMAINS, planted_pairs, straight_links
from tests.translation.planted_phrases import phrase_model

from stickbreaker.core.errors import UserError
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.bleu import Reference, corpus_bleu
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.one_side import SourceText
from stickbreaker.translation.pairwise_ranking import learn_weights
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS
from stickbreaker.translation.phrases.token_documents import in_order, source_documents, token_documents
from stickbreaker.translation.phrases.translating import (
    TokenDocument,
    _mixed,
    translate_documents,
    tune,
)
from stickbreaker.translation.sentence_pairs import Pair

MONEY, PARK = np.array([1.0, 0.0]), np.array([0.0, 1.0])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Phrases of a bitext of two domains, translated by topics."""
    bitext = Bitext.of(planted_pairs(), "de", "en")
    lexicon = TopicLexicon.learn(bitext, links=straight_links(bitext))
    return phrase_model(lexicon, tmp_path_factory.mktemp("model"), topic_lexical=1.0)


def best(model, sentences, shares=None, **options):
    (found,) = translate_documents(model, [TokenDocument(sentences, shares)], **options)
    return [own[0].words if own else None for own in found]


def test_a_word_is_translated_as_in_its_document(model):
    sentences = [["bank"], ["die", "bank"], ["gericht", "leiter"]]
    assert best(model, sentences, MONEY) == [("bank",), ("die", "bank"), ("court", "manager")]
    assert best(model, sentences, PARK) == [("bench",), ("die", "bench"), ("dish", "ladder")]


def test_sentences_without_a_word_have_no_translation_and_change_no_other(model):
    sentences = [[], ["kredit"], [], [], ["zins", "bank"], ["baum"], []]
    alone = [best(model, [sentence], MONEY)[0] for sentence in sentences]
    assert best(model, sentences, MONEY) == alone
    assert alone == [None, ("loan",), None, None, ("interest", "bank"), ("tree",), None]
    assert translate_documents(model, []) == []
    assert translate_documents(model, [TokenDocument([], MONEY)]) == [[]]


def test_words_that_the_table_does_not_have_pass_through(model):
    words = ["völlig", "neu", "kredit", "völlig"]
    assert best(model, [words], MONEY) == [("völlig", "neu", "loan", "völlig")]
    (found,) = translate_documents(model, [TokenDocument([words], MONEY)], 3)
    assert all({"völlig", "neu"} <= {*one.words} for one in found[0])


@pytest.mark.parametrize("n", [1, 256, 257, 300, 600])
def test_sentences_of_any_length_are_translated_whole(model, n):
    words = (["kredit", "zins", "neu"] * n)[:n]
    english = ({"kredit": "loan", "zins": "interest", "neu": "neu"}[word] for word in words)
    (found,) = translate_documents(model, [TokenDocument([words], MONEY)], 2)
    assert found[0][0].words == tuple(english)
    weights = np.array([model.weights[name] for name in model.features])
    for one in found[0]:
        assert one.score == pytest.approx(weights @ one.features)
    assert len(found[0]) <= (1 if n > 256 else 2)


def test_a_long_sentence_is_cut_after_punctuation(model):
    words = ["kredit"] * 200 + [","] + ["zins"] * 99
    wanted = ("loan",) * 200 + (",",) + ("interest",) * 99
    assert best(model, [words, ["baum"]], MONEY) == [wanted, ("tree",)]


def test_threads_change_nothing(model):
    draw = np.random.default_rng(0)
    words = [*model.lexicon.bitext.words[0], "neu"]
    documents = [
        TokenDocument([[str(w) for w in draw.choice(words, draw.integers(0, 9))] for _ in range(4)], shares)
        for shares in (MONEY, PARK, None, MONEY / 2 + PARK / 2) * 2
    ]
    one, four = (translate_documents(model, documents, 5, threads) for threads in (1, 4))
    for first, second in zip(one, four, strict=True):
        for a, b in zip(first, second, strict=True):
            assert [(x.words, x.score) for x in a] == [(x.words, x.score) for x in b]


# documents


def test_documents_of_a_bitext_have_their_references(model):
    pairs = [
        Pair("Kredit!", "Loan!", "a", "money"),
        Pair("Baum", "Tree", "b", "park"),
        Pair("Zins", "Interest", "a", "money"),
    ]
    bitext = Bitext.of(pairs, "de", "en")
    documents, references = token_documents(model.lexicon, bitext)
    assert [one.sentences for one in documents] == [[["kredit", "!"], ["zins"]], [["baum"]]]
    assert [one.shares.tolist() for one in documents] == [[1.0, 0.0], [0.0, 1.0]]
    assert references == [[["loan", "!"], ["interest"]], [["tree"]]]
    order = in_order(bitext.document_of.tolist(), references)
    assert order == [["loan", "!"], ["tree"], ["interest"]]


def test_documents_of_a_source_keep_sentences_without_a_word(model):
    text = SourceText(["Bank", "", "Bank"], ["Bank\n", "Bank"], [DOMAINS[1], "?"], [0, 0, 1])
    documents = source_documents(model.lexicon, text)
    assert [one.sentences for one in documents] == [[["bank"], []], [["bank"]]]
    assert [one.shares.tolist() for one in documents] == [[0.0, 1.0], [0.5, 0.5]]


# BLEU

tokens = st.lists(st.sampled_from("abc"), max_size=8)


@given(st.lists(st.tuples(tokens, tokens), min_size=1, max_size=6))
def test_bleu_is_sacrebleus(pairs):
    sacrebleu = pytest.importorskip("sacrebleu")
    found, wanted = ([pair[side] for pair in pairs] for side in range(2))
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    texts = [" ".join(words) for words in found], [" ".join(words) for words in wanted]
    bleu = corpus_bleu(found, [Reference.of(words) for words in wanted])
    assert 100 * bleu == pytest.approx(metric.corpus_score(texts[0], [texts[1]]).score)


def test_bleu_by_hand():
    """Matches of 4, 2, 1 and 1 n-grams... of a translation of five words, whose reference has six."""
    found, wanted = ["a", "b", "c", "d", "x"], ["a", "b", "c", "d", "e", "f"]
    precisions, reference = (4 / 5, 3 / 4, 2 / 3, 1 / 2), Reference.of(wanted)
    assert corpus_bleu([found], [reference]) == pytest.approx(np.prod(precisions) ** 0.25 * np.exp(1 - 6 / 5))
    assert corpus_bleu([wanted], [reference]) == 1.0
    assert corpus_bleu([[]], [reference]) == corpus_bleu([], []) == 0.0


# tuning


@pytest.mark.long("tunes a decoder")
def test_tuning_learns_to_use_topics(model):
    dev = Bitext.of(planted_pairs(6, seed=3, first=30), "de", "en")
    documents, references = token_documents(model.lexicon, dev)
    begun = replace(model, weights=FIRST_WEIGHTS)
    shown = []
    history = tune(begun, documents, references, rounds=3, progress=shown.append)
    assert shown == history
    assert len(history) == 3
    assert history[0].weights == FIRST_WEIGHTS
    assert history[0].bleu < 0.6 < 0.9 < history[-1].bleu
    assert all(0.9 < one.length < 1.1 for one in history)
    assert history[-1].weights["topic_lexical"] > 0.0
    again = tune(begun, documents, references, rounds=3, threads=1)
    assert again == history
    reverse = [one.weights["lexical_reverse"] for one in history]
    assert (
        0.0 <= reverse[-1] <= reverse[0]
    )  # an English word has one translation: no candidates differ in this
    without = tune(replace(begun, adapts=False), documents, references, rounds=3)
    assert max(one.bleu for one in without) < 0.7
    assert without[-1].weights["topic_lexical"] == 0.0


def test_features_that_differ_by_rounding_or_hardly_are_not_learned():
    draw = np.random.default_rng(0)
    features = [draw.normal(0.0, (1.0, 1e-13, 1e-3), (30, 3)) for _ in range(20)]
    quality = [own @ (1.0, 1e13, 1e3) for own in features]
    weights = learn_weights(features, quality)
    assert weights[1] == 0.0
    assert weights[2] / weights[0] == pytest.approx(1e3, rel=0.3)
    assert learn_weights(features, quality, least_scale=0.01).tolist() == [1.0, 0.0, 0.0]


def test_weights_before_and_after_are_mixed_by_what_they_move():
    features = [np.array([[1.0, 0.001], [-1.0, -0.001]])]
    mixed = _mixed(np.array([1.0, 0.0]), np.array([0.001, 1.0]), features)  # which move scores as far
    assert mixed.tolist() == pytest.approx([0.5 * 1.0 + 0.5 * 0.5, 0.5 * 500.0])


def test_nothing_to_tune_by_is_refused_in_a_line(model):
    documents, references = [TokenDocument([["neu"]], MONEY)], [[["new"]]]
    with pytest.raises(
        UserError, match="no two candidates of a sentence differ in features, and by"
    ) as caught:
        tune(model, documents, references)
    assert "\n" not in str(caught.value)
    with pytest.raises(UserError):
        tune(model, [TokenDocument([[]], MONEY)], [[["new"]]])
    assert tune(model, documents, references, rounds=1)[0].bleu == 0.0
