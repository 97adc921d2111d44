"""Terms of a lexicon against sums over all translations, and which words are terms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.translation.report.planted_lexicons import pairs, planted

from stickbreaker.translation.bitext import Pair
from stickbreaker.translation.lexicon.terms import ContentWords, terms_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.sentence_tokens import token_spans, tokens_of


@pytest.fixture(scope="module")
def lexicon() -> TopicLexicon:
    return planted()


def test_terms_are_the_words_with_two_translations(lexicon: TopicLexicon) -> None:
    terms = terms_of(lexicon)
    assert {term.word for term in terms} == {"bank", "schloss"}
    assert [term.gain for term in terms] == sorted((term.gain for term in terms), reverse=True)
    for term in terms:
        ways = {lexicon.domains.names[one.topic]: one.translation for one in term.topics}
        entry = lexicon.entry(term.word)
        assert (
            ways
            == {
                "bank": {"money": "bank", "park": "bench"},
                "schloss": {"money": "lock", "park": "castle"},
            }[term.word]
        )
        assert (term.links, 0.4 < term.gain < np.log(2)) == (entry.links, True)
        for one in term.topics:
            row = entry.translations.index(one.translation)
            assert (one.p, one.p_all) == (entry.found.topic_p[row, one.topic], entry.found.p[row])
            assert one.share == pytest.approx(entry.word_topic_counts[one.topic] / entry.links)


def test_terms_have_content_unless_all_are_wanted() -> None:
    different = [
        pair._replace(source=pair.source + " und 12 ist gut", target=pair.target + " " + said)
        for pair in pairs()
        for said in ["and 12 is good" if pair.domain == "money" else "plus 13 be nice"]
    ]
    lexicon = planted(different)
    content = ContentWords.of(lexicon)
    kinds = dict(zip(lexicon.bitext.words[0], content.source.tolist(), strict=True))
    assert [kinds[word] for word in ("und", "12", ".", "bank", "garten")] == [False, False, False, True, True]
    target = dict(zip(lexicon.bitext.words[1], content.target.tolist(), strict=True))
    assert [target[word] for word in ("and", "13", "bench")] == [False, False, True]
    some = {term.word for term in terms_of(lexicon)}
    every = {term.word for term in terms_of(lexicon, all_words=True)}
    assert not some & {"und", "12", "ist"}
    assert every >= some | {"und", "12", "ist"}


def test_terms_that_are_translated_alike_are_left_out() -> None:
    """A word of which a domain has a translation without content, so that the other one is left."""
    said = [
        Pair("Wald", "forest" if domain == "park" else "the", f"{domain}{number}", domain)
        for number in range(20)
        for domain in ("money", "park")
    ]
    lexicon = planted(said)
    assert terms_of(lexicon) == []
    (term,) = terms_of(lexicon, all_words=True)
    assert {one.translation for one in term.topics} == {"forest", "the"}


def test_stop_words_are_as_the_tokens_are() -> None:
    said = [Pair("a", "don't can't word", str(number), "x") for number in range(3)]
    lexicon = planted(said)
    kinds = dict(zip(lexicon.bitext.words[1], ContentWords.of(lexicon).target.tolist(), strict=True))
    assert kinds == {"don": False, "'": False, "t": False, "can": False, "word": True}


@pytest.mark.parametrize("language", ["zh", "ja", "sw", "de"])
def test_places_of_tokens_are_where_they_are(language: str) -> None:
    for text in ("„Ja“ – don't\u200f  touch\nthe 3.5 %!", "我爱北京 abc", "x &amp; y @-@ z", "é\u0301a", ""):
        written, spans = token_spans(text, language)
        assert len(spans) == len(tokens_of(text, language))
        assert "\u200f" not in written
        assert all(0 <= start < end <= len(written) for start, end in spans)
        letters = [token for token in tokens_of(text, language) if token.isalpha()]
        assert [written[a:b].lower() for a, b in spans if written[a:b].isalpha()] == letters


def test_the_program_lists_other_words_where_they_are_wanted(cli, tmp_path: Path) -> None:
    said = [
        pair._replace(source=f"{pair.source} und", target=f"{pair.target} {name}")
        for pair in pairs()
        for name in ["and" if pair.domain == "park" else "plus"]
    ]
    planted(said).save(tmp_path / "lexicon")
    some = json.loads(cli("translate", "terms", tmp_path / "lexicon", "--json").stdout)
    every = json.loads(cli("translate", "terms", tmp_path / "lexicon", "--all-words", "--json").stdout)
    assert {term["word"] for term in some["terms"]} == {"bank", "schloss"}
    assert "und" in {term["word"] for term in every["terms"]}
