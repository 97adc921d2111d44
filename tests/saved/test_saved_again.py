"""Models that are loaded, or whose parameters are changed, and then saved."""

import json

import pytest

from stickbreaker import LDA, AdaptorGrammar, Corpus, UserError
from stickbreaker.estimators import model_runs
from stickbreaker.testing.estimators import begin

TEXTS = ["boat river bank", "money bank loan", "river boat fish", "loan money rate"] * 5


def test_the_share_held_out_stays_with_a_model_that_is_saved_again(tmp_path):
    corpus = Corpus.from_texts(TEXTS).write(tmp_path / "corpus")
    begin(LDA(2, max_iter=2, random_state=0), corpus, tmp_path / "m", held_out=0.35)
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    model = LDA.load(tmp_path / "m")
    model.save(tmp_path / "copy.zip")
    LDA.load(tmp_path / "copy.zip").save(tmp_path / "copy")
    assert json.loads((tmp_path / "copy" / "model.json").read_text())["held_out"] == 0.35
    model.fit(TEXTS).save(tmp_path / "other")
    assert json.loads((tmp_path / "other" / "model.json").read_text())["held_out"] == 0.0


@pytest.mark.parametrize(
    ("model", "changed"),
    [
        (LDA(2, max_iter=2, random_state=0), {"n_topics": 7}),
        (LDA(2, max_iter=2, random_state=0), {"words": "open"}),
        (AdaptorGrammar("unigram", max_iter=2, random_state=0), {"grammar": "collocation"}),
    ],
)
def test_parameters_that_were_set_after_learning_do_not_change_what_is_saved(model, changed, tmp_path):
    model.fit([text.replace(" ", "") for text in TEXTS] if "grammar" in changed else TEXTS)
    ((name, before),) = ((name, getattr(model, name)) for name in changed)
    model.set_params(**changed).save(tmp_path / "m")
    assert getattr(type(model).load(tmp_path / "m"), name) == before


def test_parameters_that_act_on_new_documents_are_saved_as_they_are(tmp_path):
    model = LDA(2, max_iter=2, random_state=0).fit(TEXTS).set_params(fold_in="sampled")
    model.save(tmp_path / "m")
    loaded = LDA.load(tmp_path / "m")
    assert loaded.fold_in == "sampled"
    assert loaded.transform(TEXTS).tolist() == model.transform(TEXTS).tolist()


def test_a_stream_remembers_what_it_began_with(tmp_path):
    model = LDA(2, random_state=0).partial_fit(TEXTS)
    model.set_params(n_topics=7).save(tmp_path / "m")
    assert LDA.load(tmp_path / "m").n_topics == 2
    with pytest.raises(UserError, match="n_topics=7, but the model has 2 topics"):
        model.partial_fit(TEXTS)
