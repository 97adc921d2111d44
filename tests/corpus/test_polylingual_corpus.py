"""Documents with a text in each of several languages, from rows to a store and back."""

import json

import numpy as np
import pytest

from stickbreaker import UserError
from stickbreaker.corpus import Analysis, Corpus, Document, ReadingOptions, Vocabulary, VocabularyRule

TEXTS = [
    {"en": "The house. A red house!", "de": "Das Haus ist rot."},
    {"de": "Ein rotes Haus."},
    {"en": "Nothing but houses: red, red."},
]


def words_of(corpus):
    """Each document's words and counts."""
    bags = corpus.bags(0)
    ends = zip(bags.offsets[:-1], bags.offsets[1:], strict=True)
    return [
        {corpus.vocabulary.words[w]: int(n) for w, n in zip(bags.words[a:b], bags.counts[a:b], strict=True)}
        for a, b in ends
    ]


def test_words_carry_their_language_and_stand_with_it():
    corpus = Corpus.from_texts(TEXTS)
    assert corpus.vocabulary.languages == ("de", "en")
    assert corpus.vocabulary.words == ("de:haus", "de:rot", "de:rotes", "en:red", "en:house", "en:houses")
    assert corpus.vocabulary.spelled == ("haus", "rot", "rotes", "red", "house", "houses")
    assert corpus.vocabulary.ranges == {"de": slice(0, 3), "en": slice(3, 6)}
    assert words_of(corpus) == [
        {"de:haus": 1, "de:rot": 1, "en:red": 1, "en:house": 2},
        {"de:haus": 1, "de:rotes": 1},
        {"en:red": 2, "en:houses": 1},
    ]
    assert corpus.languages == {"de": 2, "en": 2}


def test_tokens_and_sentences_point_into_the_text_of_both_sides():
    corpus = Corpus.from_texts(TEXTS)
    document = corpus.documents(0)[0]
    assert document.text == "Das Haus ist rot.\n\nThe house. A red house!"
    assert document.language == "de+en"
    spelled = ["Das", "Haus", "ist", "rot", "The", "house", "A", "red", "house"]
    ends = corpus.analysis.ends(document.text, document.starts, document.tokens)
    marked = [document.text[a:b] for a, b in zip(document.starts, ends, strict=True)]
    assert marked == spelled
    assert document.tokens == [f"{'de' if i < 4 else 'en'}:{word.lower()}" for i, word in enumerate(spelled)]
    assert document.sentences == [0, 4, 6]


def test_a_store_keeps_all_of_it(tmp_path):
    memory = Corpus.from_texts(TEXTS)
    stored = memory.write(tmp_path / "corpus")
    assert stored.vocabulary.ranges == memory.vocabulary.ranges
    assert stored.analysis == memory.analysis.resolved()
    assert stored.fingerprint == memory.fingerprint
    assert words_of(stored) == words_of(memory)
    assert stored.documents(0) == memory.documents(0)


def test_rows_that_share_an_id_are_sides(tmp_path):
    rows = [
        {"id": "a", "lang": "en", "text": TEXTS[0]["en"], "year": 1990},
        {"id": "c", "lang": "en", "text": TEXTS[2]["en"]},
        {"id": "b", "lang": "German", "text": TEXTS[1]["de"]},
        {"id": "a", "lang": "de", "text": TEXTS[0]["de"], "month": 3},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    corpus = Corpus.build(path, reading=ReadingOptions(language_field="lang"))
    assert corpus.ids(0) == ["a", "c", "b"]
    expected = words_of(Corpus.from_texts(TEXTS))
    assert words_of(corpus) == [expected[0], expected[2], expected[1]]
    assert corpus.documents(0)[0].metadata == {"year": 1990, "month": 3}
    path.write_text("\n".join(map(json.dumps, [*rows, rows[-1]])))
    with pytest.raises(UserError, match="'a' was used before in the language de") as caught:
        Corpus.build(path, reading=ReadingOptions(language_field="lang"))
    assert caught.value.line == 5
    skipped = Corpus.build(path, reading=ReadingOptions(language_field="lang", on_error="skip"))
    assert words_of(skipped) == words_of(corpus)
    assert skipped.skipped == {"duplicate id": 1}


def test_a_field_a_language(tmp_path):
    path = tmp_path / "fields.jsonl"
    rows = [{"en_text": t.get("en"), "de_text": t.get("de"), "n": i} for i, t in enumerate(TEXTS)]
    path.write_text("\n".join(map(json.dumps, rows)))
    reading = ReadingOptions(text_field="en=en_text,de=de_text")
    corpus = Corpus.build(path, reading=reading)
    assert words_of(corpus) == words_of(Corpus.from_texts(TEXTS))
    assert corpus.metadata_fields == ("n",)


def test_each_language_has_its_own_rule_stop_words_and_stems():
    texts = [{"en": "the houses die", "de": "die Häuser the"}] * 3 + [{"en": "rare"}]
    corpus = Corpus.from_texts(texts, analysis=Analysis(stemming=True), rule=VocabularyRule(2, 1.0))
    assert set(corpus.vocabulary.words) == {"de:haus", "de:the", "en:die", "en:hous"}
    top = Corpus.from_texts(TEXTS, rule=VocabularyRule(size=1))
    assert top.vocabulary.words == ("de:haus", "en:red")
    chinese = Corpus.from_texts([{"en": "a red house", "zh": "红色 房子"}], analysis=Analysis(stemming=True))
    assert chinese.vocabulary.languages == ("en", "zh")


def test_given_words_carry_languages():
    rule = VocabularyRule(words=("en:red", "de:haus", "en:blue"))
    corpus = Corpus.from_texts(TEXTS, rule=rule)
    assert corpus.vocabulary.words == ("de:haus", "en:red", "en:blue")
    with pytest.raises(UserError, match="'red' is of no language"):
        Corpus.from_texts(TEXTS, rule=VocabularyRule(words=("de:haus", "en:red", "red")))


def test_unseen_words_and_languages(tmp_path):
    model = Corpus.from_texts(TEXTS)
    fresh = Corpus.from_texts(
        [{"de": "Das blaue Haus"}], vocabulary=model.vocabulary, analysis=model.analysis
    )
    assert words_of(fresh) == [{"de:haus": 1}]
    assert fresh.bags(0).unseen.tolist() == [1.0]
    english = Corpus.from_texts(["a blue house"]).with_vocabulary(model.vocabulary, model.analysis)
    assert words_of(english) == [{"en:house": 1}]
    assert english.bags(0).unseen.tolist() == [1.0]
    again = english.with_vocabulary(Vocabulary.joined({"en": Vocabulary.of(["en:blue"])}))
    assert words_of(again) == [{"en:blue": 1}]
    with pytest.raises(UserError, match="do not carry the vocabulary's languages"):
        english.write(tmp_path / "corpus")  # read again, it would have none of the words
    assert not (tmp_path / "corpus").exists()


def test_what_does_not_fit_together_is_told():
    mixed = [Document("a", texts=TEXTS[0], where="rows.jsonl", line=1), Document("b", text="plain", line=2)]
    with pytest.raises(UserError, match="one text where a text for each language is expected"):
        Corpus.from_documents(mixed)
    with pytest.raises(UserError, match="several texts where one is expected"):
        Corpus.from_documents(mixed[::-1])
    with pytest.raises(UserError, match="unknown language 'klingon'"):
        Corpus.from_texts([{"klingon": "nuqneH"}])
    with pytest.raises(UserError, match="language de: the vocabulary is empty"):
        Corpus.from_texts([{"en": "a house", "de": "die das"}])
    with pytest.raises(UserError, match="no word of the language de"):
        Vocabulary.joined({"en": Vocabulary.of(["en:a"]), "de": Vocabulary.of([])})


def test_order_of_documents_and_blocks_do_not_matter_for_the_fingerprint():
    one = Corpus.from_texts(TEXTS, ids=["a", "b", "c"])
    other = Corpus.from_texts([dict(reversed(list(t.items()))) for t in TEXTS], ids=["a", "b", "c"])
    assert one.fingerprint == other.fingerprint
    assert np.array_equal(one.bags(0).words, other.bags(0).words)


def test_sides_of_tokens_are_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "lang": "en", "text": ["a", "house"]}\n')
    with pytest.raises(UserError, match="needs a text, not tokens"):
        Corpus.build(path, reading=ReadingOptions(language_field="lang"))


def test_a_vocabulary_of_languages_asks_for_their_texts():
    model = Corpus.from_texts(TEXTS)
    fresh = Corpus.from_texts([{"de": "Das rote Haus"}], vocabulary=model.vocabulary)
    assert words_of(fresh) == [{"de:haus": 1}]
