"""How the fields of a record become a document, the same for every format that has records."""

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers import text_fields
from stickbreaker.corpus.readers.field_rules import document_of
from stickbreaker.corpus.readers.problems import Bad


def made(record, **options):
    return document_of(record, ReadingOptions(**options), "a:1", "a", 1)


def test_text_tokens_id_and_metadata():
    document = made({"text": "a cat", "id": 7, "year": 1988, "tags": ["x"], "lang": "de"})
    assert (document.text, document.id, document.tokens) == ("a cat", "7", None)
    assert document.metadata == {"year": 1988, "tags": ["x"], "lang": "de"}
    assert (document.where, document.line) == ("a", 1)
    document = made({"body": ["a", "cat"], "id": ""}, text_field="body")
    assert (document.text, document.tokens, document.id) == (None, ["a", "cat"], "a:1")
    assert made({"text": []}).tokens == []


def test_language_field():
    document = made({"text": "a", "lang": " German "}, language_field="lang")
    assert (document.language, document.metadata) == ("de", {})
    assert made({"text": "a", "lang": "zh_CN"}, language_field="lang").language == "zh"


def test_a_text_for_each_language():
    option = "de=deutsch, English=english"
    document = made({"english": "the house", "deutsch": "das Haus", "year": 1}, text_field=option)
    assert document.texts == {"de": "das Haus", "en": "the house"}
    assert (document.text, document.tokens, document.metadata) == (None, None, {"year": 1})
    for blank in ({}, {"deutsch": None}, {"deutsch": " "}):
        assert made({"english": "a", **blank}, text_field=option).texts == {"en": "a"}


@pytest.mark.parametrize(
    ("record", "options", "kind", "problem"),
    [
        ({"body": ""}, {}, "no text field", "no field 'text' (fields: body)"),
        ({"text": None}, {}, "text is not a string", "the field 'text' is null"),
        ({"text": ["a", 1]}, {}, "text is not a string", "the field 'text' is not a string"),
        (
            {"text": "", "id": True},
            {},
            "bad id",
            "the id in the field 'id' is not a string or a whole number",
        ),
        ({"text": ""}, {"id_field": "key"}, "no id", "no id in the field 'key'"),
        ({"text": "", "key": ""}, {"id_field": "key"}, "no id", "no id in the field 'key'"),
        ({"text": ""}, {"language_field": "l"}, "no language", "no language in the field 'l'"),
        ({"text": "", "l": 3}, {"language_field": "l"}, "no language", "no language in the field 'l'"),
        (
            {"text": "", "l": "klingon"},
            {"language_field": "l"},
            "unknown language",
            "unknown language 'klingon'",
        ),
        ({"a": " "}, {"text_field": "en=a,de=b"}, "no text field", "no text in the fields a, b (fields: a)"),
        ({"a": 3}, {"text_field": "en=a,de=b"}, "text is not a string", "the field 'a' is not a string"),
    ],
)
def test_bad_records(record, options, kind, problem):
    with pytest.raises(Bad) as caught:
        made(record, **options)
    assert (caught.value.kind, caught.value.problem) == (kind, problem)
    assert caught.value.remedy


def test_the_option_of_text_fields():
    assert text_fields("body") == "body"
    assert text_fields("a,b") == "a,b"
    assert text_fields("german=a b,fr=c") == {"de": "a b", "fr": "c"}
    for option, problem in [
        ("en=", "the text field 'en=' is not LANGUAGE=FIELD; write it as en=FIELD,de=FIELD"),
        ("en=a,b", "the text field 'b' is not LANGUAGE=FIELD"),
        ("=a", "the text field '=a' is not"),
        ("en=a,,de=b", "the text field '' is not"),
        ("klingon=a", "unknown language 'klingon'; give its ISO 639 code"),
        ("en=a,English=b", "name 'English=b' twice"),
        ("en=a,de=a", "name 'de=a' twice"),
    ]:
        with pytest.raises(UserError) as caught:
            ReadingOptions(text_field=option)
        assert problem in str(caught.value)


def test_languages_are_told_once():
    with pytest.raises(UserError, match="leave out one of text_field and language_field"):
        ReadingOptions(text_field="en=a,de=b", language_field="lang")
    with pytest.raises(UserError, match="the text field is None, not a name; name a field or column"):
        ReadingOptions(text_field=None)  # pyright: ignore[reportArgumentType]
