"""Phrase models on disk: what is loaded translates alike, and nothing altered is taken."""

import json
import shutil

import numpy as np
import pytest
from tests.translation.planted_bitexts import planted_pairs, straight_links
from tests.translation.planted_phrases import unigrams

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.saved.arrays import read_arrays, write_arrays
from stickbreaker.saved.manifest import encoded
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.saved_lexicon import lexicon_claimed
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.learning_phrases import learn_phrases
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, MIXTURE, OF_SEARCH, PLAIN
from stickbreaker.translation.phrases.saved_phrases import (
    WEIGHTS,
    load_phrases,
    save_with_phrases,
    write_weights,
)
from stickbreaker.translation.phrases.translating import TokenDocument, translate_documents

SENTENCES = [["bank", "kredit", "neu"], ["gericht", "leiter", "schloss", "baum"], [], ["ente"]]
TUNED = {name: 0.1 * (number + 1) for number, name in enumerate((*PLAIN, *MIXTURE, *OF_SEARCH))}


def lexicon_of(seed=0):
    bitext = Bitext.of(planted_pairs(8, seed=seed), "de", "en")
    return TopicLexicon.learn(bitext, links=straight_links(bitext))


@pytest.fixture(scope="module")
def model():
    return learn_phrases(lexicon_of())


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "lexicon"
    save_with_phrases(model, path)
    return path


@pytest.fixture
def copy(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "copy")


def translations(model):
    shares = (np.array([1.0, 0.0]), np.array([0.2, 0.8]))
    found = translate_documents(model, [TokenDocument(SENTENCES, own) for own in shares], 10)
    return [[(x.words, x.score, x.features.tolist()) for x in own] for one in found for own in one]


def refusal(path, call=load_phrases):
    with pytest.raises(UserError) as caught:
        call(path)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    return text


def test_what_is_loaded_translates_alike(model, saved):
    loaded = load_phrases(saved)
    plain = {name: FIRST_WEIGHTS[name] for name in PLAIN + OF_SEARCH}
    assert (loaded.weights, loaded.adapts, model.adapts) == (plain, False, False)
    assert translations(loaded) == translations(model)
    assert loaded.language_model.words == model.language_model.words
    assert loaded.language_model.order == model.language_model.order == 3


def test_weights_are_those_that_were_tuned(copy):
    from dataclasses import replace

    model = load_phrases(copy)
    write_weights(copy, replace(model, adapts=True), TUNED)
    tuned = load_phrases(copy)
    assert (tuned.weights, tuned.adapts) == (TUNED, True)
    write_weights(copy, model, TUNED)
    plain = load_phrases(copy)
    assert (plain.adapts, {*plain.weights}) == (False, {*TUNED} - {*MIXTURE})
    assert translations(plain) != translations(tuned)


def test_a_lexicon_that_is_tuned_is_not_replaced(copy, model):
    with lexicon_claimed(copy):
        assert "another command is changing this lexicon" in refusal(
            copy, lambda path: save_with_phrases(model, path, overwrite=True)
        )
        assert "another command is changing" in refusal(copy, lambda path: lexicon_claimed(path).__enter__())
        write_weights(copy, model, TUNED)
    save_with_phrases(model, copy, overwrite=True)
    assert load_phrases(copy).weights == load_phrases(copy).weights != TUNED


def test_weights_are_not_written_into_a_lexicon_that_was_exchanged(copy, saved, model):
    with lexicon_claimed(copy):
        copy.rename(copy.with_name("old"))
        shutil.copytree(saved, copy)
        assert "was moved, removed or replaced" in refusal(
            copy, lambda path: write_weights(path, model, TUNED)
        )
    assert not (copy / WEIGHTS).exists()


def test_a_lexicon_without_phrases_is_named(tmp_path):
    lexicon_of().save(tmp_path / "lexicon")
    says = refusal(tmp_path / "lexicon")
    assert says.endswith(
        "can only translate words; learn it with: stickbreaker translate learn BITEXT --phrases"
    )
    assert "there is no such lexicon" in refusal(tmp_path / "nowhere")


def test_altered_and_foreign_phrases_are_refused(copy, model, tmp_path):
    file = copy / "phrases.safetensors"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert refusal(copy).startswith(f"{file}: was altered since it was saved; restore it")
    save_with_phrases(learn_phrases(lexicon_of(1)), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "phrases.safetensors", file)
    assert "was altered since it was saved" in refusal(copy)
    file.unlink()
    assert refusal(copy).startswith(f"{file}: is missing; restore it")


def with_arrays(path, changes):
    """A lexicon whose arrays of phrases were written by another program, with the digests that they have."""
    arrays = {name: values.copy() for name, values in read_arrays(path / "phrases.safetensors").items()}
    for name, change in changes.items():
        arrays[name] = change(arrays[name])
    (path / "phrases.safetensors").unlink()
    write_arrays(path / "phrases.safetensors", arrays)
    manifest = json.loads((path / "lexicon.json").read_text(encoding="utf-8"))
    del manifest["digest"]
    manifest["phrases"] = digest_of(path / "phrases.safetensors")
    (path / "lexicon.json").write_bytes(encoded(manifest))


def all_of(value):
    return lambda values: np.full_like(values, value)


FOREIGN = {
    "keys.0": [all_of(0), all_of(1 << 40), lambda keys: keys[::-1].copy(), lambda keys: keys[:1]],
    "keys.4": [all_of(-1), lambda keys: keys.astype(float)],
    "starts": [all_of(0), all_of(1), lambda starts: starts[:-1], lambda starts: starts[::-1].copy()],
    "offsets": [all_of(3), lambda offsets: offsets + 1],
    "target_words": [all_of(-1), all_of(1 << 20), lambda words: words[:-1]],
    "counts": [all_of(0), all_of(1 << 40), lambda counts: counts[:-1]],
    "source_counts": [all_of(0), lambda counts: counts.reshape(1, -1)],
    "target_counts": [all_of(0)],
    "links": [all_of(0), all_of(-1), all_of(1 << 24), all_of(1 << 20), lambda links: links[:-1]],
    "n_words": [all_of(3), all_of(0), all_of(1 << 40), lambda n: n[:0]],
    "language_model.numbers": [all_of(-1), all_of(1 << 30), lambda numbers: numbers[:-1]],
    "language_model.unknown": [all_of(-1), all_of(1 << 30)],
    "language_model.end": [all_of(1 << 30)],
    "language_model.n_words": [all_of(0), all_of(1 << 40)],
    "language_model.beginning": [all_of(-1), all_of(1 << 40)],
    "language_model.slots": [all_of(0), all_of(1 << 40), lambda slots: slots[:-1], lambda slots: slots[:0]],
    "language_model.log_p": [all_of(1.0), all_of(-np.inf), lambda log_p: log_p[:-1]],
    "language_model.back_off": [all_of(np.nan), all_of(np.inf), lambda weights: weights[:-1]],
    "language_model.shorter": [all_of(1), all_of(-1), lambda nodes: np.arange(len(nodes))],
    "language_model.states": [all_of(1 << 40), all_of(-1), lambda nodes: nodes[:-1]],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name, own in FOREIGN.items() for number in range(len(own))]
)
def test_arrays_that_make_no_sense_are_refused(copy, name, number):
    with_arrays(copy, {name: FOREIGN[name][number]})
    assert refusal(copy).startswith(f"{copy / 'phrases.safetensors'}: ")


def test_the_same_arrays_are_taken(copy, model):
    with_arrays(copy, {"counts": lambda counts: counts})
    assert translations(load_phrases(copy)) == translations(model)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda held: held | {"phrases": "0" * 32}, "weights belong to other phrases"),
        (
            lambda held: held | {"weights": held["weights"] | {"more": 1.0}},
            "weights belong to other features",
        ),
        (lambda held: held | {"weights": {}}, "weights belong to other features"),
        (lambda held: held | {"weights": dict.fromkeys(PLAIN, 1.0)}, "weights belong to other features"),
        (lambda held: held | {"weights": held["weights"] | {"words": float("nan")}}, ""),
        (lambda held: held | {"weights": held["weights"] | {"words": float("inf")}}, ""),
        (lambda held: held | {"weights": held["weights"] | {"words": True}}, ""),
        (lambda held: held | {"weights": [1.0]}, ""),
        (lambda held: {"weights": held["weights"]}, ""),
        (lambda held: [held], ""),
        (lambda held: None, ""),
    ],
)
def test_weights_that_make_no_sense_are_refused(copy, change, says):
    write_weights(copy, load_phrases(copy), TUNED)
    file = copy / "weights.json"
    file.write_text(json.dumps(change(json.loads(file.read_text(encoding="utf-8")))), encoding="utf-8")
    text = refusal(copy)
    assert text.startswith(f"{file}: ")
    assert says in text
    assert text.endswith("tune it again with translate tune")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[" * 100_000, b"0" * (2 << 20)])
def test_weights_that_are_no_json_are_refused(copy, content):
    (copy / "weights.json").write_bytes(content)
    assert refusal(copy).startswith(f"{copy / 'weights.json'}: ")


def test_a_table_that_was_read_is_kept_with_its_words(model, tmp_path):
    from stickbreaker.translation.phrases.phrase_files import phrase_table_lines, read_phrase_table

    lines = [*phrase_table_lines(model, None), "hund ||| dog ||| 0.5 0.25 1 0.5 ||| 0-0"]
    (tmp_path / "table").write_text("\n".join(lines), encoding="utf-8")
    table = read_phrase_table(tmp_path / "table", model.lexicon.bitext.words).table
    read = learn_phrases(model.lexicon, table=table)
    assert translations(read) != []
    for one, other in zip(translations(read), translations(model), strict=True):
        assert [own[0] for own in one] == [own[0] for own in other]
    save_with_phrases(read, tmp_path / "read")
    loaded = load_phrases(tmp_path / "read")
    assert translations(loaded) == translations(read)
    (found,) = translate_documents(loaded, [TokenDocument([["hund"]], None)])
    assert found[0][0].words == ("dog",)
    own = {
        "log_phrases": [all_of(0.5), lambda scores: scores[:-1], lambda scores: scores[:, :1].copy()],
        "log_lexical": [all_of(0.5), lambda scores: scores.astype(np.float32)],
        "more_words.target": [all_of(0), lambda words: words[1:], lambda words: words[::-1].copy()],
        "more_words.source": [lambda words: np.frombuffer(b'["bank"]', np.uint8)],
    }
    for name, changes in own.items():
        for number, change in enumerate(changes):
            copy = shutil.copytree(tmp_path / "read", tmp_path / f"{name}{number}")
            with_arrays(copy, {name: change})
            assert refusal(copy).startswith(f"{copy / 'phrases.safetensors'}: ")


# language models


def test_a_language_model_may_be_a_file(tmp_path):
    lexicon = lexicon_of()
    file = tmp_path / "words.arpa"
    file.write_text(unigrams(lexicon.bitext.words[1]), encoding="utf-8")
    model = learn_phrases(lexicon, file)
    assert model.language_model.order == 1
    save_with_phrases(model, tmp_path / "saved")
    assert translations(load_phrases(tmp_path / "saved")) == translations(model)


def test_a_language_model_may_be_a_saved_one(tmp_path):
    from stickbreaker import LDA, Corpus, NgramModel
    from stickbreaker.corpus import VocabularyRule

    lexicon = lexicon_of()
    texts = lexicon.bitext.document_texts[1]
    corpus = Corpus.from_texts(texts, rule=VocabularyRule(min_documents=1, max_share=1.0))
    NgramModel(2, max_iter=3, samples=1, random_state=0).fit(texts).save(tmp_path / "bigrams")
    assert learn_phrases(lexicon, tmp_path / "bigrams").language_model.order == 2
    LDA(2, max_iter=40).fit(corpus).save(tmp_path / "lda")

    def learn(path):
        return learn_phrases(lexicon, path)

    assert "lda" in refusal(tmp_path / "lda", learn)
    for name, content in {"text": b"a house\n", "binary": bytes(range(256)), "empty": b""}.items():
        (tmp_path / name).write_bytes(content)
        assert refusal(tmp_path / name, learn).startswith(f"{tmp_path / name}")
    assert refusal(tmp_path / "nowhere", learn).startswith(f"{tmp_path / 'nowhere'}: ")
