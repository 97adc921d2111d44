"""Models that are loaded, or whose parameters are changed, and then saved."""

import json

import pytest

from stickbreaker import LDA, AdaptorGrammar, Corpus, UserError
from stickbreaker.estimators import fitting
from stickbreaker.topics.plain_lda import PlainLDA

TEXTS = ["boat river bank", "money bank loan", "river boat fish", "loan money rate"] * 5


def test_the_share_held_out_stays_with_a_model_that_is_saved_again(tmp_path):
    corpus = Corpus.from_texts(TEXTS).write(tmp_path / "corpus")
    fitting.begin(PlainLDA(2, max_iter=2, random_state=0), corpus, tmp_path / "m", held_out=0.35)
    fitting.resume(tmp_path / "m", every=60.0, threads=1)
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
    ],
)
def test_parameters_that_were_changed_after_learning_are_not_saved(model, changed, tmp_path):
    model.fit(TEXTS)
    before = {name: getattr(model, name) for name in changed}
    ((name, value),) = changed.items()
    with pytest.raises(UserError, match=f"{name}={value!r} was set after learning"):
        model.set_params(**changed).save(tmp_path / "m")
    assert not (tmp_path / "m").exists()
    model.set_params(**before, max_iter=5).save(tmp_path / "m")
    assert type(model).load(tmp_path / "m").max_iter == 5
    loaded = type(model).load(tmp_path / "m").set_params(**changed)
    with pytest.raises(UserError, match="was set after learning"):
        loaded.save(tmp_path / "n")


def test_parameters_that_were_set_after_learning_do_not_change_what_is_saved(tmp_path):
    model = AdaptorGrammar("unigram", max_iter=2, random_state=0).fit(
        [text.replace(" ", "") for text in TEXTS]
    )
    model.set_params(grammar="collocation").save(tmp_path / "m")
    assert AdaptorGrammar.load(tmp_path / "m").grammar == "unigram"


def test_a_stream_remembers_what_it_began_with(tmp_path):
    model = LDA(2, random_state=0).partial_fit(TEXTS)
    with pytest.raises(UserError, match="n_topics=7 was set after learning"):
        model.set_params(n_topics=7).save(tmp_path / "m")
