"""What slots declare, and that nobody outside `topics/model/` asks which class a slot is."""

import ast
from pathlib import Path

import numpy as np
import pytest

import stickbreaker
from stickbreaker import HDP, LDA, OpenVocabulary
from stickbreaker.testing.unigram_mixture import GrowingMixture
from stickbreaker.topics.combinations import DOCUMENTS, WORDS
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs, chain_settings
from stickbreaker.topics.model.slots import Inference, LocalSolver, TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.franchise import Franchise
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.open import OpenWords

SRC = Path(stickbreaker.__file__).parent
TEXTS = ["river bank sand", "bank money loan", "river sand", "loan money money"]


def every_kind(kind: type) -> set[type]:
    return {each for own in kind.__subclasses__() for each in {own, *every_kind(own)}}


SLOTS = {
    kind.__name__
    for base in (TopicPrior, TopicVocabulary, LocalSolver, Inference)
    for kind in every_kind(base)
}
SLOTS |= {"TopicPrior", "TopicVocabulary", "LocalSolver", "TopicModel"}


def slots_asked_for(source: str) -> list[str]:
    """Slot classes in second arguments of `isinstance` and `issubclass`, and in patterns of `match`."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = list(node.args[1:]) if node.func.id in ("isinstance", "issubclass") else []
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        names = [name for part in asked for name in ast.walk(part)]
        found += [name.id for name in names if isinstance(name, ast.Name) and name.id in SLOTS]
        found += [name.attr for name in names if isinstance(name, ast.Attribute) and name.attr in SLOTS]
    return found


def test_the_check_sees_what_it_is_to_see():
    assert {"ClosedVocabulary", "OpenWords", "DirichletPrior", "HDPPrior", "FranchisePrior"} <= SLOTS
    assert {"MeanField", "Hybrid", "Franchise", "Gibbs"} <= SLOTS
    assert slots_asked_for("isinstance(x, int | topics.OpenWords)") == ["OpenWords"]
    assert slots_asked_for("match x:\n    case Hybrid(burn_in=1): pass") == ["Hybrid"]
    assert slots_asked_for("Hybrid(burn_in=1)\nisinstance(x, dict)") == []


@pytest.mark.long("reads the whole package")
@pytest.mark.ci
def test_no_room_but_models_asks_which_class_a_slot_is():
    files = [path for path in sorted(SRC.rglob("*.py")) if SRC / "topics" / "model" not in path.parents]
    asked = {str(path): slots_asked_for(path.read_text(encoding="utf-8")) for path in files}
    assert {path: names for path, names in asked.items() if names} == {}


@pytest.mark.parametrize("words", [ClosedVocabulary(3, 0.1), OpenWords(OpenVocabulary())])
def test_a_vocabulary_that_grows_has_rows_with_keys(words):
    assert words.table.keyed == words.grows
    assert WORDS[words.name] is type(words)


@pytest.mark.parametrize("documents", [DirichletPrior((0.1, 0.3)), HDPPrior(2), FranchisePrior(2)])
def test_weights_of_topics_are_shares(documents):
    assert DOCUMENTS[documents.name] is type(documents)
    weights = documents.weights(documents.start())
    assert weights.shape == (2,)
    assert (weights > 0.0).all()
    rest = documents.rest(documents.start())
    assert weights.sum() == pytest.approx(1.0) if rest == 0.0 else weights.sum() < 0.999


def test_capabilities_are_what_the_solvers_do():
    assert [solver.draws for solver in (MeanField(), Hybrid(), Franchise())] == [False, True, False]
    assert Hybrid().goes_on_from == ()
    assert MeanField().with_full_reports() == MeanField(in_full=True)
    assert Hybrid().with_full_reports() == Hybrid()
    assert Hybrid().solver(MeanField()) == Hybrid()
    assert Gibbs().solver(MeanField()) == MeanField()
    assert chain_settings(Gibbs(delayed=True)) == Gibbs(delayed=True)
    assert chain_settings(Hybrid()) is None


@pytest.mark.parametrize(
    "model", [LDA(2, random_state=0), HDP(2, random_state=0), LDA(2, words="open", random_state=0)]
)
def test_ranked_words_are_those_of_topic_words(model):
    model.set_params(max_iter=3, tol=0.0).fit(TEXTS)
    words, table = model.learned_.model.words, model.engine_.table
    topics = model.topic_columns_.tolist()
    ranked = words.ranked(model.params_, table.whole(), topics)
    for (rows, shares), top, expected in zip(
        ranked, model.top_words(3, by="probability"), model.topic_word_, strict=True
    ):
        spelled = model.vocabulary_.words if table.keys is None else table.keys
        assert [spelled[row] for row in rows[:3].tolist()] == top
        assert (np.diff(shares) <= 0.0).all()
        assert shares.sum() == pytest.approx(expected.sum())


def test_a_closed_vocabulary_has_no_words_outside():
    model = LDA(2, random_state=0, max_iter=2, tol=0.0).fit(TEXTS)
    words, table = model.learned_.model.words, model.engine_.table
    assert model.rest_.tolist() == [0.0, 0.0]
    assert np.exp(words.log_spelling(model.params_, ["new"])).tolist() == [0.0]
    assert words.word_totals(table.whole()).sum() == pytest.approx(table.totals().sum())
    with pytest.raises(AttributeError, match="a closed vocabulary has eta_ in place of concentration_"):
        _ = model.concentration_
    with pytest.raises(TypeError, match="does not grow"):
        words.entered(model.params_)


def test_a_model_without_topics_is_no_topic_model():
    model = TopicModel(DirichletPrior((0.1,)), ClosedVocabulary(1, 0.1), MeanField())
    assert topic_model(model) is model
    with pytest.raises(TypeError, match="GrowingMixture is not a topic model"):
        topic_model(GrowingMixture())
