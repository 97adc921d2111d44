"""Documents with a text in each of several languages, from rows to a store and back."""

import json

import numpy as np
import pyarrow as pa
import pytest

from stickbreaker import UserError
from stickbreaker.corpus import (
    Analysis,
    Corpus,
    Document,
    ReadingOptions,
    Vocabulary,
    VocabularyRule,
)

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
    with pytest.raises(UserError, match="'red' is in no language"):
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


def test_a_view_of_one_language_goes_back_to_plain_words():
    model = Corpus.from_texts(TEXTS)
    plain = Corpus.from_texts(["a blue house"])
    view = plain.with_vocabulary(model.vocabulary, model.analysis)
    back = view.with_vocabulary(Vocabulary.of(["house"]))
    assert words_of(back) == [{"house": 1}]
    assert back.bags(0).unseen.tolist() == [1.0]  # blue; "a" is a stop word
    assert words_of(back.with_vocabulary(model.vocabulary)) == [{"en:house": 1}]
    with pytest.raises(UserError, match=r"the texts' language \(en\) is not one of the vocabulary's \(de\)"):
        view.with_vocabulary(Vocabulary.joined({"de": Vocabulary.of(["de:haus"])}))
    with pytest.raises(UserError, match="the texts are in several languages"):
        model.with_vocabulary(Vocabulary.of(["house"]))


def test_what_does_not_fit_together_is_told():
    mixed = [Document("a", texts=TEXTS[0], where="rows.jsonl", line=1), Document("b", text="plain", line=2)]
    with pytest.raises(UserError, match="one text where a text for each language is expected"):
        Corpus.from_documents(mixed)
    with pytest.raises(UserError, match="several texts where one is expected"):
        Corpus.from_documents(mixed[::-1])
    with pytest.raises(UserError, match=r"^rows\.jsonl:7: unknown language 'klingon'"):
        Corpus.from_documents([Document("a", texts={"klingon": "nuqneH"}, where="rows.jsonl", line=7)])
    with pytest.raises(UserError, match=r"^rows\.jsonl:7: two texts in the language en; give one text"):
        Corpus.from_documents([Document("a", texts={"en": "a", "English": "b"}, where="rows.jsonl", line=7)])
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


def test_languages_without_stop_words_and_stemmer():
    corpus = Corpus.from_texts(
        [{"en-US": "a red house", "sw": "nyumba nyekundu"}], analysis=Analysis(stemming=True)
    )
    assert corpus.vocabulary.ranges == {"en": slice(0, 2), "sw": slice(2, 4)}
    assert corpus.analysis.by_language["sw"] == Analysis("sw", stop_words=()).resolved()


def test_sides_that_are_none_are_left_out():
    texts = [{"en": t.get("en"), "de": t.get("de")} for t in TEXTS]
    assert Corpus.from_texts(texts).fingerprint == Corpus.from_texts(TEXTS).fingerprint
    for nothing in ({}, {"en": None}):
        with pytest.raises(UserError, match="document 1 has no text in any language; leave it out, or give"):
            Corpus.from_texts([TEXTS[0], nothing])
    for other in ({"en": 3}, {1: "one"}, {"en": ["a", "list"]}):
        with pytest.raises(
            UserError, match=r"document 0 (is a record|maps something else than languages to texts)"
        ):
            Corpus.from_texts([other])


ROWS = '{"lang": "en", "text": "a house"}\n{"lang": "de", "text": "ein Haus"}\n'


@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_rows_that_share_no_id_are_refused(tmp_path, on_error):
    path = tmp_path / "rows.jsonl"
    path.write_text(ROWS)
    reading = ReadingOptions(language_field="lang", on_error=on_error)
    problem = "rows in de, en share no id, so no document has two languages"
    with pytest.raises(UserError) as caught:
        Corpus.build(path, reading=reading)
    assert str(caught.value) == f"{problem}; name the field of the ids by id_field"
    with pytest.raises(UserError, match="share no id"):
        Corpus.from_frame(
            pa.Table.from_pylist(list(map(json.loads, ROWS.splitlines()))), language_field="lang"
        )
    model = Corpus.from_texts(TEXTS)
    scored = Corpus.build(path, reading=reading, vocabulary=model.vocabulary, analysis=model.analysis)
    assert words_of(scored) == [{"en:house": 1}, {"de:haus": 1}]  # each by itself, as a model scores them
    path.write_text(ROWS.splitlines()[0])
    assert Corpus.build(path, reading=reading).vocabulary.words == ("en:house",)


def test_rows_without_a_language_are_told(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("a house\n")
    line = f"{path}:1: no language in the field 'lang'; give JSON Lines or a table that has the field"
    with pytest.raises(UserError) as caught:
        Corpus.build(path, reading=ReadingOptions(language_field="lang"))
    assert str(caught.value) == line


CONLLU = "".join(f"{n}\t{word}\t{word}\t_\t_\t_\t_\t_\t_\t_\n" for n, word in enumerate(["red", "house"], 1))


def test_tokens_without_a_language_are_told(tmp_path):
    model = Corpus.from_texts(TEXTS)
    seen = {"vocabulary": model.vocabulary, "analysis": model.analysis}
    told = "tokens carry no language; write them as de:word, or give texts by language"
    for settings in (seen, {"vocabulary": model.vocabulary}, {"analysis": model.analysis}):
        with pytest.raises(UserError) as caught:
            Corpus.from_tokens([["en:red", "house"], ["red", "fr:rouge"]], **settings)
        assert str(caught.value) == told
    assert words_of(Corpus.from_tokens([["en:red", "house"], []], **seen)) == [{"en:red": 1}, {}]
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU + "\n")
    with pytest.raises(UserError) as caught:
        Corpus.build(path, **seen)
    assert str(caught.value) == f"{path}:1: {told}"


def test_bags_without_a_language_are_told(tmp_path):
    bags, words = tmp_path / "a.ldac", tmp_path / "words.txt"
    bags.write_text("1 0:1\n1 1:1\n")
    words.write_text("en:red\nred\n")
    reading = ReadingOptions(vocab=str(words), on_error="skip")
    corpus = Corpus.build(bags, reading=reading, vocabulary=Corpus.from_texts(TEXTS).vocabulary)
    assert words_of(corpus) == [{"en:red": 1}]
    assert corpus.skipped == {"tokens without a language": 1}


def test_a_table_needs_a_name_of_its_text():
    with pytest.raises(UserError, match="the text field is None"):
        Corpus.from_frame(pa.table({"text": ["a"]}), text_field=None)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_a_field_that_no_document_has_is_told(tmp_path, name):
    rows = {"rows.jsonl": '{"en": "a house", "de": "ein Haus"}\n', "rows.csv": "en,de\na house,ein Haus\n"}
    (tmp_path / name).write_text(rows[name])
    with pytest.raises(UserError, match=r"field 'nope' \(fr\)"):
        Corpus.build(tmp_path / name, tmp_path / "out", reading=ReadingOptions(text_field="en=en,fr=nope"))
    assert not (tmp_path / "out").exists()
