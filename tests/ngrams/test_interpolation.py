"""Files of the ARPA format as models, two models interpolated, and n-best lists ranked by them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import Corpus, NgramModel, UserError
from stickbreaker.corpus.text.analysis import MarksWarning
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.arpa_model import ArpaModel, is_arpa
from stickbreaker.ngrams.interpolation import Interpolated, learned_weight, mixed
from stickbreaker.ngrams.nbest_lists import Candidate, best_first
from stickbreaker.ngrams.rescoring import FEATURE, log_probabilities, rescored
from stickbreaker.ngrams.sentence_scores import parts_of

ONE = ["the cat sat on the mat", "the dog sat", "a dog ran", "the cat ran"] * 4
OTHER = ["the bird flew", "a bird sang on the mat", "the cat flew"] * 4


def fitted(texts, **settings):
    settings = {"min_count": 2, "max_iter": 6, "samples": 1, "random_state": 0, **settings}
    return NgramModel(2, **settings).fit(texts).learned_


@pytest.fixture(scope="module")
def models():
    return fitted(ONE), fitted(OTHER, min_count=6)


@pytest.fixture(scope="module")
def arpa_file(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("arpa") / "m.arpa"
    write_arpa(models[0].model, models[0].base, path)
    return path


def seen_by(model, texts):
    return Corpus.from_texts(texts, analysis=model.analysis, vocabulary=model.vocabulary)


def test_a_file_scores_as_the_model_that_wrote_it(models, arpa_file):
    texts = ["the cat sat on a mat", "", "a zebra ran\nthe dog", "the"]
    file = ArpaModel.read(arpa_file)
    lines = [line for text in texts for line in text.splitlines()]
    wanted = [own for scores in models[0].scores(seen_by(models[0], lines)) for own in scores.nats]
    (scores,) = file.scores(seen_by(file, texts))
    assert scores.nats == pytest.approx(wanted)
    assert scores.documents.tolist() == [0, 2, 2, 3]
    assert scores.by_sentence()[1] == [0, 1, 0, 0]
    assert parts_of(file.scores(seen_by(file, texts)))["all"] == pytest.approx((sum(wanted), len(wanted)))


def test_texts_are_in_lower_case_if_the_file_is(arpa_file, tmp_path):
    file = ArpaModel.read(arpa_file)
    (scores,) = file.scores(seen_by(file, ["The cat. cat"]))
    assert scores.known.tolist() == [True, False, True, True]
    (tmp_path / "m.arpa").write_text(arpa_file.read_text().replace("cat", "Cat"))
    file = ArpaModel.read(tmp_path / "m.arpa")
    (scores,) = file.scores(seen_by(file, ["The Cat cat the"]))
    assert scores.known.tolist() == [False, True, False, True, True]


def test_files_that_are_no_models(tmp_path, arpa_file):
    assert is_arpa(arpa_file)
    (tmp_path / "a.txt").write_text("data")
    assert not is_arpa(tmp_path / "a.txt")
    (tmp_path / "a.arpa").write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<s>\n-1\t</s>\n\n\\end\\\n")
    with pytest.raises(UserError, match=r"a.arpa: the model has no words"):
        ArpaModel.read(tmp_path / "a.arpa")


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("before", ["", "the", "a bird", "zebra"])
def test_probabilities_sum_to_one(models, weight, before):
    """Over all words that either knows, a word that nobody knows, and the end."""
    both = Interpolated(*models, weight)
    words = [*sorted({*models[0].numbers.known, *models[1].numbers.known}), "xyz"]
    place = len(before.split())
    texts = [f"{before} {word}" for word in words]
    nats = [float(scores.nats[place]) for text in texts for scores in both.scores(seen_by(both, [text]))]
    ending = next(iter(both.scores(seen_by(both, [before])))).nats[-1] if before else None
    if ending is None:  # of no words there is no document: the end is what is left
        assert sum(np.exp(nats)) < 1.0
        return
    assert sum(np.exp([*nats, ending])) == pytest.approx(1.0)


def test_what_is_mixed_is_the_sum_of_probabilities():
    first, second = np.log([0.5, 0.1]), np.log([0.1, 0.3])
    assert np.exp(mixed(first, second, 0.25)) == pytest.approx([0.2, 0.25])
    assert mixed(first, second, 1.0).tolist() == first.tolist()
    assert mixed(first, second, 0.0).tolist() == second.tolist()


@given(
    st.lists(st.tuples(st.floats(-30, 0), st.floats(-30, 0)), min_size=1, max_size=30),
)
def test_the_weight_that_is_learned_is_the_best(pairs):
    first, second = np.array(pairs).T
    found = learned_weight([(first, second)])
    at = mixed(first, second, found).mean()
    for other in np.linspace(0.0, 1.0, 21):
        assert mixed(first, second, other).mean() <= at + 1e-4


def test_a_weight_is_learned_from_documents(models):
    both = Interpolated(*models, 0.5)
    near_first = both.with_learned_weight(seen_by(both, ["the cat sat", "the dog ran"] * 5)).weight
    near_second = both.with_learned_weight(seen_by(both, ["the bird flew"] * 5)).weight
    assert near_second < 0.5 < near_first
    with pytest.raises(UserError, match="there is nothing to learn the weight from"):
        both.with_learned_weight(seen_by(both, [""]))


def test_a_learned_weight_is_at_least_as_good_as_either_alone(models):
    corpus = seen_by(models[0], ["the cat flew", "a bird ran on the mat"])
    parts = Interpolated(*models, 0.5).with_learned_weight(corpus).parts(corpus)
    assert parts["all"][0] >= max(parts["first_alone"][0], parts["second_alone"][0])
    assert parts["known"][1] <= parts["all"][1] == 11


def test_a_model_that_spells_is_refused(models):
    with pytest.raises(UserError, match="spells unknown words has no <unk>"):
        Interpolated(models[0], fitted(OTHER, unknown="spelled"), 0.5)


def test_candidates_are_ranked_by_their_probability_too(models):
    texts = [["mat the on sat", "the cat sat on the mat. the", ""], [], ["a dog ran"]]
    lists = [
        [Candidate(number, text, {}, -float(place), ()) for place, text in enumerate(own)]
        for number, own in enumerate(texts)
    ]
    first, second, third = log_probabilities(models[0], lists)
    (scores,) = models[0].scores(seen_by(models[0], ["mat the on sat"]))
    assert first[0] == pytest.approx(scores.nats.sum())
    assert first[2] == models[0].empty_sentence_scores().nats.sum()
    assert first[2] > max(first[:2])  # log p of an end at the beginning: one word less than any other
    assert second.size == 0
    ranked = rescored(models[0], lists, 2.0)
    assert [one.score for one in ranked[0]] == sorted((one.score for one in ranked[0]), reverse=True)
    for one in (*ranked[0], *ranked[2]):
        before = next(own for own in lists[one.sentence] if own.text == one.text)
        assert one.score == pytest.approx(before.score + 2.0 * one.features[FEATURE][0])
    assert rescored(models[0], lists, 0.0)[0][0].text == "mat the on sat"
    assert third.shape == (1,)


def test_of_equals_the_first_stays_first():
    candidates = [Candidate(0, text, {}, 1.0, ()) for text in "ab"]
    assert [one.text for one in best_first(candidates)] == ["a", "b"]


def test_marks_inside_a_candidate_hide_none_of_its_words(arpa_file):
    file = ArpaModel.read(arpa_file)
    texts = ["the cat </s> <s> the dog", "the cat", "the dog"]
    lists = [[Candidate(0, text, {}, 0.0, ()) for text in texts]]
    with pytest.warns(MarksWarning):
        marked, first, second = log_probabilities(file, lists)[0]
    assert marked == pytest.approx(first + second)


def test_a_feature_that_the_list_has_is_not_replaced(models):
    lists = [[Candidate(0, "the cat", {FEATURE: (-3.0,)}, -3.0, ())]]
    with pytest.raises(UserError, match="already has a feature LanguageModel"):
        rescored(models[0], lists, 1.0)


def test_unknown_words_may_be_in_capitals_in_a_file(arpa_file, tmp_path):
    (tmp_path / "m.arpa").write_text(arpa_file.read_text().replace("<unk>", "<UNK>"))
    texts = ["The zebra sat."]
    scores = [
        next(iter(file.scores(seen_by(file, texts)))).nats.sum()
        for file in map(ArpaModel.read, (arpa_file, tmp_path / "m.arpa"))
    ]
    assert scores[0] == scores[1]
