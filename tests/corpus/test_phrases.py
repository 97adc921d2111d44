"""Phrases: found where words stand together, joined alike in new text, kept with the analysis."""

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tiers import sampled

from stickbreaker import LDA
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Document, PhraseRule
from stickbreaker.corpus.phrases import phrase_search as search
from stickbreaker.corpus.phrases.joining import join_words, rounds_of
from stickbreaker.corpus.phrases.phrase_blocks import RoundIndex, TokenBlock

WORDS = [f"word{i}" for i in range(60)]


def texts_with(phrases: list[str], n: int = 200, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    texts = []
    for number in range(n):
        words = draw.choices(WORDS, k=40)
        if number % 4 == 0:
            for phrase in phrases:
                words.insert(draw.randrange(40), phrase)
        texts.append(" ".join(words))
    return texts


def phrases_of(corpus: Corpus) -> set[str]:
    return {word for word in corpus.vocabulary.words if "_" in word}


PLANTED = ["New York", "Deep Sea Diving", "machine learning"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(texts_with(PLANTED), phrases=True)


def test_planted_phrases_are_found_and_no_others(corpus):
    assert phrases_of(corpus) == {"new_york", "deep_sea_diving", "machine_learning"}
    assert corpus.vocabulary.tokens[corpus.vocabulary.index["new_york"]] == 50
    assert not {"york", "sea", "learning"} & set(corpus.vocabulary.words)
    assert not any(one.frequent for one in corpus.dropped if one.rule == "min_documents")


@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_random_text_has_none(seed):
    built = Corpus.from_texts(texts_with([], seed=seed), phrases=PhraseRule(min_documents=2, min_score=0.01))
    assert not phrases_of(built)
    analysis = built.analysis
    assert isinstance(analysis, Analysis)
    assert analysis.phrases == ()


def test_new_text_is_joined_alike(corpus, tmp_path):
    saved = corpus.write(tmp_path / "c")
    for analysis in (corpus.analysis, saved.analysis):
        assert isinstance(analysis, Analysis)
        tokens = analysis.analyse("In new york, deep-sea diving. New? York machine learning new")
        assert tokens.words == ["in", "new_york", "deep_sea_diving", "new", "york", "machine_learning", "new"]
        assert tokens.sentences.tolist() == [0, 3, 4]
        assert tokens.starts.tolist() == [0, 3, 13, 30, 35, 40, 57]
    assert Analysis.from_dict(json.loads(json.dumps(saved.analysis.to_dict()))) == saved.analysis
    again = Corpus.from_texts(texts_with(PLANTED), analysis=saved.analysis, vocabulary=saved.vocabulary)
    assert again.fingerprint == corpus.fingerprint == saved.fingerprint


def test_the_ends_of_phrases_are_those_of_their_last_words(corpus):
    text = "a New York (deep  sea diving) york"
    tokens = corpus.analysis.analyse(text)
    ends = corpus.analysis.ends(text, tokens.starts.tolist())
    shown = [text[start:end] for start, end in zip(tokens.starts, ends, strict=True)]
    assert shown == ["a", "New York", "deep  sea diving", "york"]


def test_a_model_reads_new_texts_and_tokens_with_phrases(corpus, tmp_path):
    model = LDA(n_topics=2, random_state=1, max_iter=2).fit(corpus)
    model.save(tmp_path / "m")
    theta = LDA.load(tmp_path / "m").transform(["New York new york", "nothing"])
    joined = corpus.with_vocabulary(corpus.vocabulary)
    assert joined.n_words == corpus.n_words
    assert np.array_equal(theta, model.transform([["new", "york", "new_york"], ["nothing"]]))


def test_no_phrase_goes_across_stop_words_punctuation_and_sentences():
    draw = random.Random(3)
    pairs = ["bank of america", "red, green", "north. South", "up/down", "left right"]
    texts = [" ".join(draw.choices(WORDS, k=20)) + " " + pair for pair in pairs * 30]
    texts = [f"{text} {' '.join(draw.choices(WORDS, k=20))}" for text in texts]
    assert phrases_of(Corpus.from_texts(texts, phrases=True)) == {"left_right"}


@pytest.mark.parametrize("in_memory", [True, False])
def test_tokens_records_and_files(tmp_path, in_memory):
    texts = texts_with(PLANTED)
    lists = [text.split() for text in texts]
    expected = {"New_York", "Deep_Sea_Diving", "machine_learning"}
    built = Corpus.from_tokens(lists, phrases=True)
    assert phrases_of(built) == expected
    scored = Corpus.from_tokens([["New", "York"]], analysis=built.analysis, vocabulary=built.vocabulary)
    assert scored.n_tokens == 1.0
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps({"text": tokens, "tag": ["a"]}) + "\n" for tokens in lists))
    out = None if in_memory else tmp_path / "out"
    read = Corpus.build(file, out, phrases=True)
    assert phrases_of(read) == {word.lower() for word in expected}
    assert out is None or sorted(path.name for path in out.iterdir()) == [
        "corpus.json", "documents-00000.parquet", "vocabulary.parquet"
    ]  # fmt: skip


def test_each_language_has_its_own():
    english, german = texts_with(["New York"]), texts_with(["Bad Tölz"], seed=2)
    sides = [{"en": en, "de": de} for en, de in zip(english, german, strict=True)]
    built = Corpus.from_texts(sides, phrases=True)
    assert phrases_of(built) == {"en:new_york", "de:bad_tölz"}
    again = Corpus.from_texts(sides, analysis=built.analysis, vocabulary=built.vocabulary)
    assert again.fingerprint == built.fingerprint


def test_what_has_no_phrases_is_refused(tmp_path):
    tree = Document("a", "b c", tokens=["b", "c"], sentences=[0], heads=[-1, 0], tags=["X", "X"])
    with pytest.raises(UserError, match="words of trees cannot be joined"):
        Corpus.from_documents([tree], phrases=True)
    bags = tmp_path / "bags.ldac"
    bags.write_text("1 0:1\n")
    (tmp_path / "v").write_text("cat\n")
    from stickbreaker.corpus import ReadingOptions

    with pytest.raises(UserError, match="bags of words have no order"):
        Corpus.build(bags, reading=ReadingOptions(vocab=str(tmp_path / "v")), phrases=True)
    plain = Corpus.from_texts(["cat"])
    with pytest.raises(UserError, match="no phrases are found for a vocabulary"):
        Corpus.from_texts(["cat"], vocabulary=plain.vocabulary, phrases=True)
    with pytest.raises(UserError, match="a phrase is not two words"):
        Analysis(phrases=(("new",),))


def test_memory_is_bounded(monkeypatch):
    """The rarest pairs are forgotten while documents come in, and what stands together often is found."""
    monkeypatch.setattr(search, "MOST_PAIRS", 500)
    found = Corpus.from_texts(texts_with(PLANTED) * 1, phrases=True)
    assert "new_york" in phrases_of(found)


def test_scores():
    rule = PhraseRule()
    assert rule.score(10, 10, 10, 1000) == pytest.approx(1.0)
    assert rule.score(1, 10, 100, 1000) == pytest.approx(0.0)
    assert rule.score(5, 10, 10, 1000) == pytest.approx(np.log(5 * 1000 / 100) / np.log(1000 / 5))
    assert [rule.fewest(n) for n in (10, 3_000, 100_000)] == [5, 6, 10]
    for wrong in ({"min_documents": 0}, {"min_score": 0.0}, {"min_score": 1.5}):
        with pytest.raises(UserError):
            PhraseRule(**wrong)


PIECES = st.lists(st.lists(st.sampled_from("abc"), max_size=12), min_size=1, max_size=4)
ROUNDS = [["a b", "b a", "b c"], ["a_b c", "b_c a", "a_b a_b"]]


@settings(max_examples=60, deadline=None)
@given(PIECES)
def test_blocks_are_joined_as_documents_are(documents):
    rounds = rounds_of(ROUNDS)
    texts = [". ".join(" ".join(d[i : i + 5]) for i in range(0, len(d), 5)) for d in documents]
    plain = Analysis(language=None, min_length=1)
    tokens = [Analysis(language=None, min_length=1, phrases=ROUNDS).analyse(text) for text in texts]
    if not any(documents):
        return
    table = Corpus.from_texts(texts, analysis=plain).source.read(0)
    joined = TokenBlock.of(table).joined([RoundIndex.of(pairs) for pairs in rounds]).table(table)
    assert joined.column("tokens").to_pylist() == [one.words for one in tokens]
    assert joined.column("starts").to_pylist() == [one.starts.tolist() for one in tokens]
    assert joined.column("sentences").to_pylist() == [one.sentences.tolist() for one in tokens]


def test_pairs_are_taken_from_left_to_right():
    words, places = join_words(list("abab"), np.array([0]), rounds_of([["a b", "b a"]]))
    assert (words, places.tolist()) == (["a_b", "a_b"], [0, 2])
    words, places = join_words(list("bab"), np.array([0]), rounds_of([["a b", "b a"]]))
    assert (words, places.tolist()) == (["b_a", "b"], [0, 2])
