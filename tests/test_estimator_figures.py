"""How kinds with a learner are built: few classes above the public one, and nothing private is asked for."""

from pathlib import Path

import pytest

import stickbreaker
from stickbreaker.estimators.kinds import kinds
from tests.estimator_figures import classes_above, private_uses, trees_in

ROOT = Path(stickbreaker.__file__).parent
CARRIED_OVER = [kind for kind in kinds().values() if kind.learner is not None]
MOST_CLASSES = 4


@pytest.mark.parametrize("kind", CARRIED_OVER, ids=lambda kind: kind.name)
def test_few_classes_stand_above_a_public_one(kind):
    assert len(classes_above(kind.public())) <= MOST_CLASSES


@pytest.mark.parametrize("kind", CARRIED_OVER, ids=lambda kind: kind.name)
def test_modules_of_a_kind_use_nothing_private_of_others(kind):
    folder = ROOT / str(kind.learner).split(".")[1]
    assert private_uses(trees_in(folder)) == {}


def test_a_private_use_is_found(tmp_path):
    (tmp_path / "one.py").write_text("class A:\n    def _hidden(self): ...\n")
    (tmp_path / "two.py").write_text("def use(a):\n    return a._hidden()\n")
    assert private_uses(trees_in(tmp_path)) == {"_hidden": 1}
