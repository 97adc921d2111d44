"""Language models as users learn them: laws of estimators, words that are not known, what they say."""

from typing import ClassVar

import numpy as np
import pytest
from tests.running import planted_documents
from tests.tiers import law_cases

from stickbreaker import Analysis, Corpus, NgramModel, UserError, Vocabulary, VocabularyRule
from stickbreaker.core.errors import Interrupted
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.estimators import model_runs
from stickbreaker.testing import EstimatorTests
from stickbreaker.testing.estimators import StopAfter, begin

TEXT = ["The cat sat. The cat ran.\nA dog sat on the mat.", "", "The dog ran to the cat. Zebras ran."]
CONFIGURATIONS = {
    "trigrams": {},
    "unigrams": {"order": 1},
    "unbounded": {"order": "unbounded"},
    "spelled": {"unknown": "spelled", "order": 2},
}
FIRST = ("trigrams", "unbounded", "spelled")


def planted_sentences():
    """Three hundred documents of a sentence or two, and an empty one."""
    documents = [
        Document(None, tokens=(words := one["text"].split()), sentences=[0, len(words) // 2])
        for one in planted_documents(300, seed=2)
    ]
    return Corpus.from_documents([*documents, Document(None, tokens=[])], rule=VocabularyRule(1, 1.0))


SENTENCES = planted_sentences()
TEXTS = ["A cat sat. A dog ran.", "The cat ran, and a dog sat.", "", "A dog sat. The dog ran."]


class TestLaws(EstimatorTests):
    wrong: ClassVar = {
        "order": 0,
        "unknown": "letters",
        "min_count": 0,
        "max_iter": 0,
        "samples": 0,
        "n_jobs": 0,
        "random_state": "seed",
    }

    @pytest.fixture(autouse=True, params=law_cases(CONFIGURATIONS, FIRST))
    def configuration(self, request):
        self.settings = CONFIGURATIONS[request.param]

    def make(self, **settings):
        return NgramModel(**{"max_iter": 5, "random_state": 0, **self.settings, **settings})

    def corpus(self):
        return SENTENCES

    def documents(self):
        return [text for text in TEXTS for _ in range(4)]

    def methods(self, model):
        return {**super().methods(model), "score_sentences": model.score_sentences}

    def unseen(self):
        return ["", " . "]


def test_a_running_model_is_its_last_checkpoint(tmp_path):
    corpus = SENTENCES.write(tmp_path / "corpus")
    begin(NgramModel(max_iter=6, random_state=0), corpus, tmp_path / "m", held_out=0.1)
    watch = StopAfter(2)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    early = NgramModel.load(tmp_path / "m")
    assert early.n_iter_ == 2
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    late = NgramModel.load(tmp_path / "m")
    assert late.n_iter_ == 6
    assert late.score(corpus) != early.score(corpus) > -6.0
    assert late.trace_[-1]["held_out"] < 0.0


def fitted(**settings):
    return NgramModel(**{"min_count": 1, "max_iter": 20, "random_state": 0, **settings}).fit(TEXT)


@pytest.mark.parametrize("order", [1, 2, 4, "unbounded"])
def test_words_that_may_come_next_have_one_together(order):
    model = fitted(order=order, min_count=2)
    for context in ("", "the", "the cat", "a zebra", "the the the the the"):
        assert sum(one.p for one in model.next_words(context, 1000)) == pytest.approx(1.0)
    assert {one.word for one in model.next_words("", 1000)} == {
        "the",
        "cat",
        "ran",
        "sat",
        "dog",
        "<unk>",
        "</s>",
    }


def test_sentences_are_scored_by_their_words_and_ends():
    model = fitted(order=2)
    (score,) = model.score_sentences(["The dog ran."])
    words, nats = ["the", "dog", "ran", "</s>"], 0.0
    for place, word in enumerate(words):
        found = {one.word: one.p for one in model.next_words(" ".join(words[:place]), 1000)}
        nats += np.log(found[word])
    assert score.nats == pytest.approx(nats)
    assert (score.document, score.words, score.unknown) == (0, 3, 0)
    assert model.score(["The dog ran."]) == pytest.approx(nats / 4)
    assert model.perplexity(["The dog ran."]) == pytest.approx(np.exp(-nats / 4))
    placed = model.score_sentences(["The dog ran. The cat!", "", "A unicorn sat."])
    assert [(one.document, one.words, one.unknown) for one in placed] == [(0, 3, 0), (0, 2, 0), (2, 3, 1)]


@pytest.mark.parametrize("settings", [{}, {"unknown": "spelled"}, {"order": "unbounded"}])
def test_sentences_have_the_same_scores_with_and_without_a_corpus(settings):
    model = fitted(**settings)
    texts = ["The dog ran. The cat!", "", "A unicorn sat. A unicorn and a gnu ran.", "."]
    corpus = Corpus.from_texts(texts, analysis=model.analysis_, vocabulary=model.vocabulary_)
    assert model.score_sentences(texts) == model.score_sentences(corpus)
    tokens = [["the", "dog"], [], ["a", "unicorn", "sat"], ["gnu", "unicorn", "gnu"]]
    corpus = Corpus.from_tokens(tokens, vocabulary=model.vocabulary_)
    assert model.score_sentences(tokens) == model.score_sentences(corpus)
    assert model.score_sentences(iter(tokens)) == model.score_sentences(corpus)


def test_rare_words_and_the_symbol_itself_are_unknown():
    model = NgramModel(2, min_count=2, max_iter=5, random_state=0).fit([["a", "a", "b", "<unk>", "<unk>"]])
    assert model.words_ == ("a", "<unk>", "</s>")
    scored = Corpus.from_tokens([["a", "b", "c"]], vocabulary=model.vocabulary_)
    parts = model.learned_.part_scores(scored)
    whole, known = parts["all"], parts["known"]
    assert (whole[1], known[1]) == (4, 2)
    assert whole[0] < known[0] < 0.0
    with pytest.raises(UserError, match="no word of the text occurs 9 times; lower min_count"):
        NgramModel(min_count=9).fit([["a", "b"]])


def test_a_spelled_model_gives_every_word_a_probability():
    model = fitted(unknown="spelled")
    one, other = (model.score_sentences([text])[0] for text in ("The cats ran.", "The xqzwv ran."))
    assert one.unknown == other.unknown == 1
    assert one.nats > other.nats
    total = sum(word.p for word in model.next_words("the", 1000))
    assert 0.5 < total < 1.0
    rest = 1.0 - sum(word.p for word in model.next_words("", 1000))
    spelled = ["z", "zz", "zap", "mats", "dot"]
    scored = [model.score_sentences([word])[0].nats for word in spelled]
    ends = [{w.word: w.p for w in model.next_words(word, 1000)}["</s>"] for word in spelled]
    first = np.exp(scored) / ends
    assert first.sum() < rest
    assert np.allclose(
        first / first[0],
        np.exp(model.learned_.base.log_spelled(spelled) - model.learned_.base.log_spelled(["z"])),
    )


def test_the_base_of_spelled_words_and_the_end_of_a_sentence_sum_to_one():
    """G0 of a word is its spelling's share of what the ends leave; that of the end is theirs among events."""
    texts = [["a", "b", "a"], ["b"], ["ab", "a"], ["a"]]
    model = NgramModel(2, unknown="spelled", max_iter=2, random_state=0).fit(texts)
    base = model.learned_.base
    assert base.spelling is not None
    end = float(np.exp(base.log_p[-1]))
    assert end == pytest.approx(4 / (7 + 4))
    words = [*model.words_[:-1], "ba", "c"]
    shares = np.exp(base.log_spelled(words) - base.spelling.log_probability(words))
    assert shares + end == pytest.approx(np.ones(len(words)), abs=1e-12)
    assert base.log_p[:-1] == pytest.approx(base.log_spelled(model.words_[:-1]))


def test_texts_are_read_with_all_their_words():
    model = fitted(order=1)
    assert {"the", "a", "on"} <= set(model.words_)
    assert analysis_of_all_words(Analysis(), "spaced").analyse("<unk> N 's, ok").words == [
        "<unk>",
        "n",
        "'s,",
        "ok",
    ]
    chinese = analysis_of_all_words(Analysis(language="zh"))
    assert chinese.analyse("我们去").words == ["我", "们", "去"]
    own = analysis_of_all_words(Analysis(token_pattern="[a-z]"))
    assert own.analyse("a1b").words == ["a", "b"]


def test_a_corpus_that_lacks_words_is_refused():
    with pytest.raises(
        UserError, match="tokens are not in the vocabulary of the corpus; build it with stop_words"
    ):
        NgramModel(min_count=1).fit(Corpus.from_texts(TEXT))
    listed = Corpus.from_texts(TEXT, rule=VocabularyRule(words=("cat", "dog")))
    assert NgramModel(min_count=1, max_iter=3, random_state=0).fit(listed).words_ == (
        "cat",
        "dog",
        "<unk>",
        "</s>",
    )
    with pytest.raises(UserError, match="not in the vocabulary"):
        NgramModel(unknown="spelled").fit(listed)
    with pytest.raises(UserError, match="no order"):
        NgramModel(min_count=1).fit(np.ones((3, 2)))
    with pytest.raises(UserError, match="several languages"):
        NgramModel(min_count=1).fit([{"en": "a cat", "de": "eine katze"}])
    hashed = Corpus.from_texts(TEXT, rule=VocabularyRule(words=Vocabulary.buckets(4).words, hashed=True))
    with pytest.raises(UserError, match="share rows"):
        NgramModel(min_count=1).fit(hashed)


def test_a_sentence_of_ten_thousand_words_and_empty_ones():
    words = [f"w{i % 7}" for i in range(10_000)]
    for order in (3, "unbounded"):
        model = NgramModel(order, max_iter=3, random_state=0).fit([words, [], ["w0"]])
        assert model.score_sentences([words])[0].words == 10_000
        assert model.score([words]) > -0.5
        assert model.score_sentences([[], ["w1"]])[0].document == 1


def test_hostile_words_are_words():
    words = ["<script>alert(1)</script>", "\x1b[31m", "‮txt", "", "</s>", "<s>", "a b", "\t", "𝕏" * 50]
    model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit([words, words])
    assert model.score([words]) < 0.0
    assert len(model.generate(3, longest=5)) == 3
    assert len(model.words_) == len(set(words)) + 2


def test_what_is_generated_depends_on_its_seed_alone():
    model = fitted()
    assert (
        model.generate(4, random_state=1)
        == model.generate(4, random_state=1)
        != model.generate(4, random_state=2)
    )
    assert all(one[:2] == ["the", "cat"] for one in model.generate(5, beginning="The cat"))
    assert all(len(one) <= 3 for one in model.generate(20, longest=3))
    with pytest.raises(UserError, match="n="):
        model.generate(0)


def test_what_is_no_text_has_no_next_word():
    with pytest.raises(UserError, match="type NoneType"):
        fitted().next_words(None)


def test_documents_that_are_held_out_have_sentences(tmp_path):
    """Without any, a perplexity of 1 would be said to be theirs."""
    corpus = Corpus.from_documents([Document(str(i), "green trees grow. trees grow.") for i in range(9)])
    corpus = corpus.write(tmp_path / "corpus")
    with pytest.raises(UserError, match="no held-out document has a sentence; raise the held-out share"):
        begin(NgramModel(min_count=1, random_state=0), corpus, tmp_path / "m", held_out=1e-6)
    assert not (tmp_path / "m").exists()


def test_longer_contexts_help_where_they_tell():
    """A word is told by the two before it: trigrams come near to that, bigrams cannot."""
    generator = np.random.default_rng(0)
    words = [0, 1]
    follows = generator.integers(12, size=(12, 12))
    for _ in range(6_000):
        noise = generator.random() < 0.1
        words.append(int(generator.integers(12) if noise else follows[words[-2], words[-1]]))
    train, test = ([[f"w{word}" for word in part]] for part in (words[:5_000], words[5_000:]))
    scores = {
        order: NgramModel(order, max_iter=30, random_state=0).fit(train).score(test)
        for order in (1, 2, 3, 5, "unbounded")
    }
    truth = 0.9 * np.log(0.9 + 0.1 / 12) + 0.1 * np.log(0.1 / 12)
    assert scores[1] < scores[2] < scores[3] - 0.5
    assert scores[3] > truth - 0.2
    assert abs(scores[5] - scores[3]) < 0.03
    assert abs(scores["unbounded"] - scores[3]) < 0.1


def test_marks_of_sentences_end_sentences_and_are_no_words():
    plain = ["a cat sat", "the dog ran", "a dog sat"]
    marked = [f"<s> {line} </s>" for line in plain]
    with pytest.warns(UserWarning, match="6 marks of sentences"):
        model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(marked)
    own = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(plain)
    assert model.words_ == own.words_ == ("a", "dog", "sat", "cat", "ran", "the", "<unk>", "</s>")
    with pytest.warns(UserWarning, match="marks of sentences"):
        assert model.score(marked) == own.score(plain)
    tokens = [line.split() for line in marked]
    assert NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(tokens).words_ == own.words_
    for text in ("\n".join(marked), " ".join(marked), "".join(marked)):
        with pytest.warns(UserWarning, match="marks of sentences"):
            assert [score.words for score in model.score_sentences([text])] == [3, 3, 3]
    assert [score.words for score in model.score_sentences(["a <s> cat </s> sat"])] == [5], (
        "inside, it is text"
    )


def test_other_texts_keep_what_looks_like_marks():
    """Only language models leave them out, and an analysis without the choice is read as it was."""
    assert Analysis().analyse("<s> cat </s>").words == ["s", "cat", "s"]
    assert "sentence_marks" not in Analysis().to_dict()
    assert analysis_of_all_words(Analysis()).to_dict()["sentence_marks"] == "dropped"


def test_an_empty_text_does_not_count_as_a_sentence():
    def scores(texts):
        model = NgramModel(2, max_iter=2, min_count=1, random_state=0).fit(texts)
        return [one.nats for one in model.score_sentences(["a cat sat", "", "a dog"])]

    with_empty = scores(["a cat sat", "", "a dog ran"])
    assert len(with_empty) == 2
    assert with_empty == scores(["a cat sat", "a dog ran"])
