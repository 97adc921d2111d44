"""Translations by a language model with topics: words whose translation only the other language tells."""

from dataclasses import replace

import numpy as np
import pytest
from tests.translation.planted_bitexts import BOTH, neutral_pairs, straight_links

from stickbreaker import TopicNgramModel
from stickbreaker.corpus import Analysis, Corpus, VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.decoding.topic_backoff_model import TopicBackoffModel
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.learning_phrases import learn_phrases
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS
from stickbreaker.translation.phrases.saved_phrases import load_phrases, save_with_phrases
from stickbreaker.translation.phrases.token_documents import token_documents
from stickbreaker.translation.phrases.translating import (
    TokenDocument,
    translate_documents,
    tune,
    with_language_shares,
)

OPTIONS = {"order": 2, "prior": "none", "min_count": 1, "max_iter": 60, "samples": 2, "random_state": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a lexicon of a bitext of two domains: with phrases and a language model with topics."""
    folder = tmp_path_factory.mktemp("topics")
    bitext = Bitext.of(neutral_pairs(40), "de", "en")
    lexicon = TopicLexicon.learn(bitext, links=straight_links(bitext))
    analysis, rule = analysis_of_all_words(Analysis(sentences="line")), VocabularyRule(1, 1.0)
    corpus = Corpus.from_texts(bitext.document_texts[1], analysis=analysis, rule=rule)
    TopicNgramModel(2, **OPTIONS).fit(corpus).save(folder / "language")
    save_with_phrases(learn_phrases(lexicon, folder / "language"), folder / "lexicon")
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return load_phrases(folder / "lexicon")


def best_words(model, documents, threads=1):
    found = translate_documents(model, documents, threads=threads)
    return [[own[0].words if own else () for own in each] for each in found]


def test_words_are_those_of_the_topics_of_the_translation(model):
    assert isinstance(model.language_model, TopicBackoffModel)
    assert not model.adapts  # the topics of the source have no part in it
    documents, references = token_documents(
        model.lexicon, Bitext.of(neutral_pairs(8, seed=1, first=40), "de", "en")
    )
    alike = replace(model, language_model=model.language_model.of_no_document)
    right = {"by topics": 0, "alike": 0}
    for name, own in (("by topics", model), ("alike", alike)):
        for found, wanted in zip(best_words(own, documents), references, strict=True):
            for words, reference in zip(found, wanted, strict=True):
                right[name] += sum(word in words for word in reference if word in sum(BOTH.values(), ()))
    assert right["by topics"] > 0.9 * 8 * 6 * 2 > 0.7 * 8 * 6 * 2 > right["alike"]


def test_shares_are_of_a_first_translation_and_change_nothing_twice(model):
    documents, references = token_documents(
        model.lexicon, Bitext.of(neutral_pairs(4, seed=2, first=40), "de", "en")
    )
    found = with_language_shares(model, documents)
    for document, wanted in zip(found, references, strict=True):
        assert document.language_shares.argmax() == model.language_model.shares_of(wanted).argmax()
    assert with_language_shares(model, found) == found
    tuned = replace(model, weights=FIRST_WEIGHTS | {"language_model": 2.0}, adapts=True)
    other = with_language_shares(tuned, documents)  # by the same weights, whatever was tuned
    for document, again in zip(found, other, strict=True):
        np.testing.assert_array_equal(document.language_shares, again.language_shares)
    assert best_words(tuned, documents) == best_words(tuned, found)
    given = [document._replace(language_shares=document.language_shares[::-1]) for document in found]
    assert best_words(model, given) != best_words(model, found)
    plain = replace(model, language_model=model.language_model.of_no_document)
    assert with_language_shares(plain, documents) == documents


def test_threads_change_nothing(model):
    documents, _ = token_documents(model.lexicon, Bitext.of(neutral_pairs(6, seed=3, first=40), "de", "en"))
    scores = [
        [
            [one.score for own in each for one in own]
            for each in translate_documents(model, documents, 3, threads)
        ]
        for threads in (1, 3)
    ]
    assert scores[0] == scores[1]


def test_documents_of_no_word_and_of_strange_ones(model):
    documents = [TokenDocument([], None), TokenDocument([[]], None), TokenDocument([["völlig"]], None)]
    assert best_words(model, documents) == [[], [()], [("völlig",)]]


def test_what_is_tuned_is_what_is_translated(model):
    dev = Bitext.of(neutral_pairs(6, seed=4, first=40), "de", "en")
    documents, references = token_documents(model.lexicon, dev)
    history = tune(model, documents, references, rounds=3, threads=1)
    assert history == tune(model, documents, references, rounds=3, threads=2)
    best = max(history, key=lambda one: one.bleu)
    assert best.bleu > 0.9
    again = tune(replace(model, weights=best.weights), documents, references, rounds=1)
    assert again[0].bleu == best.bleu


def test_loaded_models_translate_alike_and_altered_ones_are_refused(folder, model, tmp_path):
    import shutil

    from stickbreaker.core.errors import UserError

    documents, _ = token_documents(model.lexicon, Bitext.of(neutral_pairs(4, seed=5, first=40), "de", "en"))
    save_with_phrases(model, tmp_path / "again")
    assert best_words(load_phrases(tmp_path / "again"), documents) == best_words(model, documents)
    kept = tmp_path / "again" / "language_model"
    altered = shutil.copytree(kept, tmp_path / "kept")
    (kept / "model.json").write_bytes((kept / "model.json").read_bytes() + b" ")
    with pytest.raises(UserError, match="is not from the language model that the phrases were learned with"):
        load_phrases(tmp_path / "again")
    shutil.rmtree(kept)
    with pytest.raises(UserError, match="language_model"):
        load_phrases(tmp_path / "again")
    shutil.copytree(altered, kept)
    for file in sorted(path for path in kept.rglob("*") if path.suffix == ".safetensors"):
        content = bytearray(file.read_bytes())
        content[-3] ^= 1
        file.write_bytes(content)
    with pytest.raises(UserError, match="language_model"):
        load_phrases(tmp_path / "again")


def test_a_model_of_unbounded_order_is_named(folder, model, tmp_path):
    from stickbreaker.core.errors import UserError

    texts = model.lexicon.bitext.document_texts[1][:4]
    options = {**OPTIONS, "order": "unbounded", "max_iter": 2}
    TopicNgramModel(2, **options).fit(texts).save(tmp_path / "unbounded")
    with pytest.raises(UserError) as caught:
        learn_phrases(model.lexicon, tmp_path / "unbounded")
    assert caught.value.where == tmp_path / "unbounded"
    assert "--order 3" in caught.value.on_command_line()
