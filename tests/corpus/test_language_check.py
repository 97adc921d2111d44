"""Texts in another language than the one given are noticed; nothing else is."""

import json
import warnings

import pytest
from click.testing import CliRunner

from stickbreaker.cli import main
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.text.language_check import (
    JoinedWordsWarning,
    LanguageSample,
    LanguageWarning,
)
from stickbreaker.corpus.vocabulary import VocabularyRule

WHOLE = VocabularyRule(min_documents=1, max_share=1.0)

TEXTS = {
    "en": "This is not what they said about the house, and we have been there with all of them. ",
    "de": "Das ist nicht der Hund und auch keine Katze, sondern eine Maus, die wir nicht kennen. ",
    "fr": "Ce n'est pas le chien que nous avons vu dans la maison avec les enfants et leurs amis. ",
    "es": "No es el perro que hemos visto en la casa con los niños, pero también había una mujer. ",
    "ru": "Это не та собака, которую мы видели в доме вместе с детьми и их друзьями вчера вечером. ",
    "zh": "我们昨天晚上在家里看到的不是那只狗，而是孩子们的朋友和他们的猫。",
    "ja": "私たちが昨日の夜に家で見たのはその犬ではなく、子供たちの友達でした。",
    "el": "Δεν είναι ο σκύλος που είδαμε στο σπίτι με τα παιδιά και τους φίλους τους χθες. ",
}


def guessed(text: str, language: str) -> str | None:
    sample = LanguageSample()
    sample.add(text[:4_000])
    for start in range(4_000, len(text), 4_000):
        sample.add(text[start : start + 4_000])
    return sample.other_than(language)


@pytest.mark.parametrize("given", ["en", "de", "fr", "ru", "zh"])
@pytest.mark.parametrize("code", TEXTS)
def test_languages_are_told_apart(code, given):
    found = guessed(TEXTS[code] * 60, given)
    assert found == (None if code == given or (code == "ja" and given == "zh" and found is None) else code)


@pytest.mark.parametrize("given", ["en", "de", "ru", "sw"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXTS["de"] * 2,
        "Anna Maria Schmidt, Jean Dupont, Juan Pérez, Paolo Rossi. " * 100,
        "int x = 0; while (x < n) { y[x] += f(x, z); x++; } return y; " * 100,
        "42 17.5 2024-01-01 " * 500,
        "".join(TEXTS[code] for code in ("de", "fr", "es", "ru", "zh", "el")) * 20,
    ],
)
def test_what_tells_no_language(text, given):
    assert guessed(text, given) is None


def test_words_that_are_cut_at_underscores_are_named(tmp_path):
    texts = ["we saw new_york and old towns, then the_city again"] * 20
    with pytest.warns(
        JoinedWordsWarning, match=r"^22.2 % of words .* such as 'new_york', .* Analysis\(token_p"
    ):
        assert "new_york" not in Corpus.from_texts(texts, rule=WHOLE).vocabulary.words
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = Corpus.from_texts(texts, rule=WHOLE, analysis=Analysis(token_pattern=r"\w+"))
        assert {"new_york", "the_city", "towns"} <= set(whole.vocabulary.words)
        Corpus.from_texts(["a snake_case word among many others " * 3], rule=WHOLE)
    file = tmp_path / "a.txt"
    file.write_text("\n".join(texts))
    options = ["corpus", "build", str(file), "--out", str(tmp_path / "c"), "--max-share", "1"]
    result = CliRunner().invoke(main, options)
    assert "and are cut at these; --token-pattern '\\w+' reads them whole" in result.stderr
    result = CliRunner().invoke(main, [*options, "--overwrite", "--token-pattern", r"\w+"])
    assert result.exit_code == 0, result.output
    assert "underscores" not in result.stderr
    assert "new_york" in Corpus.open(tmp_path / "c").vocabulary.words


def test_it_is_a_warning_and_never_an_error(tmp_path):
    with pytest.warns(LanguageWarning, match="seem to be German and are analysed as English; give Analysis"):
        Corpus.from_texts([TEXTS["de"] * 60])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Corpus.from_texts([TEXTS["de"] * 60], analysis=Analysis("de"))
        Corpus.from_texts([TEXTS["de"] * 60], analysis=Analysis(None))
        Corpus.from_texts([{"en": TEXTS["de"] * 60}])
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"text": TEXTS["de"] * 60}) + "\n")
    result = CliRunner().invoke(main, ["corpus", "build", str(file), "--out", str(tmp_path / "c")])
    assert result.exit_code == 0
    line = "the texts seem to be German and are analysed as English; give --language de"
    assert line in result.stderr.splitlines()
