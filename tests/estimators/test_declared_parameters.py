"""A parameter is one field: what is declared of it is seen at every door."""

import inspect
import json
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import click
import pytest
from click.testing import CliRunner
from tests.estimators.toy_kind import MIXTURE, MixtureSettings

from stickbreaker import HDP, AdaptorGrammar
from stickbreaker.console.console import command
from stickbreaker.console.options import option_table, options_of, refuse_unneeded, take_settings
from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import (
    Above,
    Settings,
    declared,
    names_of,
    parameter,
    refuse_unmet_needs,
    refuse_values,
    with_parameter_section,
)
from stickbreaker.estimators import model_files
from stickbreaker.estimators.front import Front
from stickbreaker.estimators.kinds import kinds, object_at
from stickbreaker.estimators.setting_values import to_json


@dataclass(frozen=True, slots=True)
class AnnealingParameters(Settings):
    """Those of annealing."""

    home: ClassVar[str] = "tests.estimators.test_declared_parameters:Annealing"

    half_life: int = parameter(8, "Passes until the temperature has halved.", least=1)
    hottest: float | None = parameter(None, "The first temperature.", above=0.0, unset="2")


@with_parameter_section
class Annealing(AnnealingParameters):
    """Passes at falling temperatures."""

    __slots__ = ()


@dataclass(frozen=True, eq=False, repr=False)
class OldSettings(MixtureSettings):
    """Those of a toy."""

    n_components: int = parameter(2, "Components to learn.", least=1, most=9, option="--components")
    _: KW_ONLY
    max_iter: int = parameter(4, "Passes, at most.", least=1, option="--iterations")
    start: str = parameter("random", "Where components start.", choices=("random", "documents"))
    walk: "str | Annealing" = parameter(
        "climb", "How to walk.", choices=("climb", "anneal"), settings={"anneal": AnnealingParameters}
    )


@dataclass(frozen=True, eq=False, repr=False)
class NewSettings(OldSettings):
    """The same and one more: the line that a new parameter takes."""

    smoothing: float = parameter(0.5, "Added to counts.", above=0.0, needs={"start": ("documents",)})


class NewMixture(Front, settings=NewSettings):
    """A toy with one more parameter.

    Attributes
    ----------
    component_words_ : (words × components)
    """


def run(*words: str) -> "tuple[int, str]":
    """The status and what is printed of a command with the options of `NewSettings`."""

    @click.command()
    @options_of({"--out": {"required": False}, **option_table(NewSettings, held_out={})})
    @command
    def fit(as_json: bool, **options: object) -> None:
        refuse_unneeded(NewSettings, options)
        take_settings(NewSettings, options)
        click.echo({name: value for name, value in options.items() if value is not None})

    result = CliRunner().invoke(fit, list(words), terminal_width=200)
    return result.exit_code, result.output


def test_a_new_parameter_is_seen_at_every_door():
    status, text = run("--help")
    assert status == 0
    (line,) = [line for line in text.splitlines() if "--smoothing" in line]
    assert line.split() == [
        *("--smoothing", "FLOAT", "RANGE", "--start", "documents:", "added", "to", "counts."),
        *("[default:", "0.5;", "x>0]"),
    ]
    assert 'smoothing : Added to counts. Needs start="documents".' in " ".join(NewMixture.__doc__.split())
    assert NewMixture.__doc__.index("smoothing :") < NewMixture.__doc__.index("n_jobs :")
    assert NewMixture.__doc__.index("callbacks :") < NewMixture.__doc__.index("Attributes")
    assert NewMixture().get_params()["smoothing"] == 0.5
    assert inspect.signature(NewMixture).parameters["smoothing"].default == 0.5
    assert json.loads(json.dumps(to_json(NewMixture(smoothing=2.0).settings.values())))["smoothing"] == 2.0
    assert (
        "--smoothing" in names_of(NewSettings).renamed.values()
        or "smoothing" in names_of(NewSettings).ambiguous
    )


def test_its_values_are_checked_at_both_doors(monkeypatch):
    monkeypatch.setitem(kinds(), MIXTURE.name, MIXTURE)
    with pytest.raises(UserError, match=r"^smoothing=0.0; smoothing is a number above 0$"):
        NewMixture(smoothing=0.0).fit(["river bank", "bank money"])
    assert run("--smoothing", "0")[0] == 2
    with pytest.raises(UserError, match=r"^smoothing=2.0 needs start=\"documents\"; leave it out$"):
        NewMixture(smoothing=2.0).fit(["river bank", "bank money"])
    assert "--smoothing needs --start documents" in run("--smoothing", "2")[1]
    NewMixture(smoothing=2.0, start="documents").fit(["river bank", "bank money"])
    assert run("--smoothing", "2", "--start", "documents")[0] == 0


def test_choices_and_numbers_are_refused_in_the_words_of_python():
    wrong = {
        "n_components": [(0, "a whole number above 0"), (10, "at most 9"), (True, "a whole number above 0")],
        "start": [("middle", '"random" or "documents"'), (None, '"random" or "documents"')],
        "max_iter": [(2.5, "a whole number above 0"), (1 << 40, "at most 2,147,483,647")],
    }
    for name, values in wrong.items():
        for value, requirement in values:
            with pytest.raises(UserError) as caught:
                OldSettings(**{name: value})
            assert str(caught.value) == f"{name}={value!r}; {name} is {requirement}"


def test_settings_become_values_of_their_choice():
    status, text = run("--walk", "anneal", "--half-life", "3")
    assert status == 0
    assert "'walk': Annealing(half_life=3, hottest=None)" in text
    assert "--half-life needs --walk anneal" in run("--half-life", "3")[1]
    assert "--walk anneal: the first temperature. [default: 2]" in " ".join(run("--help")[1].split())
    with pytest.raises(UserError, match=r"^Annealing\(half_life=0\); half_life is a whole number above 0$"):
        Annealing(0)
    assert "half_life : Passes until the temperature has halved." in str(Annealing.__doc__)


def test_conditions_on_numbers():
    @dataclass
    class Heated:
        heat: float = parameter(1.0, "Heat.", least=1.0)
        cooling: int | None = parameter(None, "Cooling.", least=0, needs={"heat": Above(1.0)})

    refuse_unmet_needs(Heated(2.0, 3))
    with pytest.raises(UserError, match=r"^cooling=3 needs heat above 1; leave it out$"):
        refuse_unmet_needs(Heated(1.0, 3))


@pytest.mark.parametrize("name", kinds())
def test_every_parameter_of_a_kind_is_declared_and_described(name):
    kind, settings = kinds()[name].public(), object_at(str(kinds()[name].declared))
    assert set(declared(settings)) == set(inspect.signature(kind).parameters) != set()
    text = str(kind.__doc__)
    assert all(f"\n{parameter} : " in text for parameter in declared(settings))
    refuse_values(settings())


def test_models_with_a_value_that_does_not_apply_are_loaded_and_not_fitted(tmp_path):
    """An earlier version ignored such values, and its files have them."""
    texts = ["adog", "acat", "thedog", "thecat"] * 3
    topics = HDP(2, max_iter=2, tol=0.0, random_state=0).fit(["river bank boat", "bank money loan"] * 3)
    grammar = AdaptorGrammar("unigram", max_iter=4, random_state=0).fit(texts)
    for model, given, documents in (
        (topics, {"judge": "held-out"}, ["river bank"]),
        (grammar, {"refine_every": 7}, texts),
    ):
        path, learned = tmp_path / type(model).__name__, model.learned_
        model_files.save(learned.but(settings=learned.facts.settings.but(**given)), path)
        loaded = type(model).load(path)
        assert loaded.get_params().items() >= given.items()
        with pytest.raises(UserError, match="leave it out"):
            loaded.fit(documents)
