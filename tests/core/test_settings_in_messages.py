"""Messages about settings of verbs name what the caller used: parameters of Python, options of commands."""

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import declared, naming_settings
from stickbreaker.estimators.kinds import OF_EVERY_KIND, kinds, systems
from stickbreaker.topics.verbs.settings import ConceptSettings, NearestSettings
from stickbreaker.translation.verbs import settings as of_translation

OF_KINDS = [one.functions.values() for one in (*kinds().values(), *systems())]
CLASSES = {
    *(one.settings_class() for functions in (*OF_KINDS, OF_EVERY_KIND.values()) for one in functions),
    *(made for name, made in vars(of_translation).items() if name.endswith("Settings")),
    ConceptSettings,
}


def raised(settings, problem, remedy=""):
    with pytest.raises(UserError) as error, naming_settings(settings):
        raise UserError(problem, remedy=remedy)
    return str(error.value), error.value.on_command_line()


@pytest.mark.parametrize("settings", sorted(CLASSES, key=lambda one: (one.__module__, one.__name__)))
def test_every_setting_of_every_verb(settings):
    for name, one in declared(settings).items():
        if one.option_name is None:
            continue
        wanted = f"{name}=3; `{name}` needs more", f"{one.option_name} 3; {one.option_name} needs more"
        assert raised(settings, f"{name}=3", f"`{name}` needs more") == (
            wanted[0].replace("`", ""),
            wanted[1],
        )
        flag = "=True" if one.default is False else ""
        assert raised(settings, "no", f"leave {one.option_name} out")[0] == f"no; leave {name}{flag} out"


def test_words_that_are_not_meant_stay():
    problem = "the source is not its target"
    assert raised(NearestSettings, problem) == (problem, problem)


@pytest.mark.parametrize(
    "made", [lambda: NearestSettings(top=0), lambda: of_translation.RunSettings(n_best=10**6)]
)
def test_values_that_are_refused(made):
    with pytest.raises(UserError) as error:
        made()
    assert "=" in str(error.value)
    assert error.value.on_command_line().startswith("--")
