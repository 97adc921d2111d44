"""Parameters of models, each declared once as a field of a dataclass.

`parameter` declares one: default, range or choices, help, option, and which other parameters it needs. From
this follow the checks of its value (`refuse_values`, `refuse_unmet_needs`), the option of the command line
(`console/options.py`), its name in messages (`names_of`) and the section "Parameters" of a
docstring (`with_parameter_section`). Modules with declarations import neither numpy nor models: `--help` must
be quick.
"""

import inspect
import textwrap
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, SupportsFloat, TypeGuard, TypeVar, cast

from stickbreaker.core.errors import UserError, is_whole
from stickbreaker.core.option_names import OptionNames, option_of

LARGEST = (1 << 31) - 1  # whole number that is an estimator's parameter
MOST_COLUMNS = 1_000_000  # of a table: a prior has a number for each
MOST_CHAINS = 256  # of a sampler: each holds the state of all tokens
WIDTH, INDENT = 110, " " * 4  # of docstrings
LEARNING = "Learning"  # the heading of options in the program's help, if no other is declared
SIMPLE = {"int", "float", "str", "bool", "None"}  # kinds of values that are checked here


class Above(NamedTuple):
    """A condition on a number: it is greater than `bound`."""

    bound: float


T = TypeVar("T")
Condition = tuple[str, ...] | Above  # the values of another parameter, one of which is needed


@dataclass(frozen=True)
class Parameter:
    """A declared parameter, as `declared` reads it from a dataclass; see `parameter` for its fields.

    `kinds` are the names of the types that its values may have; `by_name`: it can be given by keyword only.
    """

    name: str
    kinds: frozenset[str]
    default: Any
    help: str
    more: str = ""
    unset: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    above: float | None = None
    most: float = float("inf")
    option: str | None = ""
    metavar: str | None = None
    needs: Mapping[str, Condition] = field(default_factory=dict[str, Condition])
    settings: "Mapping[str, type[Settings]]" = field(default_factory=dict[str, "type[Settings]"])
    after: str = ""
    by_name: bool = True
    last: bool = False
    saved: bool = True
    lenient: bool = False
    reads: bool = False
    heading: str = LEARNING
    common: bool = False

    @property
    def option_name(self) -> str | None:
        """The name of the parameter's command-line option, or None if it has none."""
        return option_of(self.name) if self.option == "" else self.option

    @property
    def key(self) -> str:
        """The name under which click passes the option's value to a command."""
        return str(self.option_name)[2:].replace("-", "_")

    def refusal(self, value: object, largest: float) -> str | None:
        """What the value should be, such as "a string", for an error message; None if no fault is found.

        Not every fault is found. Nothing is checked if the parameter has types beyond `SIMPLE`, which only
        the model can check, or takes both truth values and whole numbers, or both numbers and any string.
        largest: the largest whole number allowed.
        """
        if not self.kinds <= SIMPLE or (value is None and "None" in self.kinds):
            return None
        words = either(self.choices, quote='"')
        if isinstance(value, str) and value in self.choices:
            return None
        if "bool" in self.kinds:
            known = type(value).__name__ in ("bool", "bool_") or "int" in self.kinds
            return None if known else "True or False"
        if not self.kinds & {"int", "float"}:
            if not words:
                return None if isinstance(value, str) else "a string"
            return f"{words} or None" if "None" in self.kinds else words
        if "str" in self.kinds and not words:
            return None
        number = self._number_refusal(value, largest)
        return f"{number} or {words}" if number and words and "at most" not in number else number

    def _number_refusal(self, value: object, largest: float) -> str | None:
        """What the value should be, such as "a number above 0", if it is not a valid number; else None."""
        whole = "int" in self.kinds
        kind, most = ("a whole number", min(self.most, largest)) if whole else ("a number", self.most)
        low = self.least if self.above is None else self.above
        if low is not None and most < largest and not whole:
            kind += f" from {low:g} to {most:,g}"
        elif low is not None:
            kind += " above 0" if self.above is not None or (whole and low == 1) else f" of at least {low:g}"
        if not _is_number(value, whole=whole):
            return kind
        if low is not None and (value < low or value == self.above):
            return kind
        return (f"at most {most:,.0f}" if whole else kind) if value > most else None

    def text(self) -> str:
        """The parameter's description in a docstring: help, choices, meaning of None and needs."""
        known = all(f'"{choice}"' in self.help + self.more for choice in self.choices)
        words = either(self.choices, quote='"')
        parts = [
            self.help,
            self.more,
            "" if known else f"One of {words}.",
            f"None: {self.unset}." if self.unset and "None" in self.kinds else "",
            *(f"Needs {needed(name, condition)}." for name, condition in self.needs.items()),
        ]
        return " ".join(part for part in parts if part)


def parameter(default: Any, help: str, more: str = "", **about: Any) -> Any:
    """A dataclass field that is a parameter of a model; returns what `dataclasses.field` does.

    help : what its option's help and its docstring say of it.
    more : what only the docstring adds, such as values that the command line does not take.
    unset : what None stands for, or the default of a setting if that depends on other parameters.
    choices : the strings that it may be.
    least, above, most : the range of a number; the value must be greater than `above`.
    option : the name of its option; "": made of the parameter's name, None: it has no option.
    metavar : the placeholder for its value in the program's help.
    needs : conditions on other parameters, by name, that must hold if this one is set.
    settings : by choice, the dataclass of further parameters, whose options come after this one's.
    after : the parameter that it is listed after; "": the one declared before it.
    last : whether it is listed after all others.
    saved : False: it is written to files only if it was given.
    lenient : if its needs are not met, Python ignores it; only the command line refuses it then.
    reads : whether it acts on new documents too, so that it may be changed after a fit.
    heading : under which the program's help lists its option, and those of its settings.
    common : whether most runs use its option, which the short help lists then.
    """
    return field(default=default, metadata={"parameter": {"help": help, "more": more, **about}})


@cache
def declared(kind: type[Any]) -> Mapping[str, Parameter]:
    """The parameters that a dataclass declares or inherits, by name, in the order of listing (`after`)."""
    found = [
        Parameter(
            one.name, _kinds(one.type), one.default, by_name=bool(one.kw_only), **one.metadata["parameter"]
        )
        for one in fields(kind)
        if "parameter" in one.metadata
    ]
    found.sort(key=lambda one: one.last)
    waiting = [one for one in found if one.after]
    found = [one for one in found if not one.after]
    while waiting:
        places = {one.name: place for place, one in enumerate(found)}
        one = next(one for one in waiting if one.after in places)
        found.insert(places[one.after] + 1, one)
        waiting.remove(one)
    return {one.name: one for one in found}


def refuse_values(given: object, within: str = "", largest: float = LARGEST) -> None:
    """Raise UserError for the first declared parameter of a dataclass instance whose value is not valid.

    within: for settings, the name of their class, which the message then shows; their whole numbers may
    exceed `largest`. largest: the largest whole number allowed.
    """
    parameters = declared(type(given))
    values = {name: getattr(given, name) for name in parameters}
    for name, value in values.items():
        requirement = parameters[name].refusal(value, float("inf") if within else largest)
        if requirement is not None:
            problem = f"{within}({name}={value!r})" if within else f"{name}={value!r}"
            raise UserError(problem, remedy=f"{name} is {requirement}")


def refuse_unmet_needs(given: object) -> None:
    """Raise UserError for the first parameter that differs from its default although its needs are not met.

    Lenient parameters are exempt (see `parameter`). Called when learning begins, not when a model is loaded:
    files of earlier versions may have such values.
    """
    parameters = declared(type(given))
    values = {name: getattr(given, name) for name in parameters}
    for name, one in parameters.items():
        for other, condition in one.needs.items():
            if not one.lenient and values[name] != one.default and not is_met(condition, values[other]):
                problem = f"{name}={shown_value(values[name])} needs {needed(other, condition)}"
                raise UserError(problem, remedy="leave it out")


def is_met(condition: Condition, value: Any) -> bool:
    """Whether another parameter's value satisfies a condition: above a bound, or one of some values."""
    return value > condition.bound if isinstance(condition, Above) else value in condition


def needed(name: str, condition: Condition) -> str:
    """A condition on parameter `name`, as messages show it in Python's syntax.

    >>> needed("inference", ("hybrid", "mean-field"))
    'inference="hybrid" or inference="mean-field"'
    """
    if isinstance(condition, Above):
        return f"{name} above {condition.bound:g}"
    return either([f'{name}="{value}"' for value in condition])


def either(words: Sequence[str], quote: str = "") -> str:
    """The words as alternatives: "a, b or c".

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    quoted = [f"{quote}{word}{quote}" for word in words]
    return " or ".join([", ".join(quoted[:-1]), *quoted[-1:]] if len(quoted) > 1 else quoted)


def shown_value(value: object) -> str:
    """A value as messages show it: strings in double quotes, objects by their class alone."""
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value) if type(value) in (int, float, bool, dict) else f"{type(value).__name__}(...)"


def names_of(kind: type) -> OptionNames:
    """The `OptionNames` of a dataclass's parameters and of the settings that these may have.

    A parameter whose name has several words, or whose option has another name, is translated wherever it
    occurs in a message; others only if a value follows.
    """
    own = declared(kind).values()
    settings = {one: None for parameter in own for one in parameter.settings.values()}
    every = [*own, *(one for kind in settings for one in declared(kind).values())]
    options = {one.key: str(one.option_name) for one in every if one.option_name}
    named = {
        one.name: one.option_name for one in own if one.option_name and one.option_name != option_of(one.name)
    }
    same = [key for key in options if options[key] not in named.values()]
    return OptionNames(
        renamed=named,
        alike=tuple(key for key in same if "_" in key),
        ambiguous=tuple(key for key in same if "_" not in key),
        flags=tuple(one.name for one in every if one.default is False and one.option_name),
        settings=tuple(kind.home.partition(":")[2] for kind in settings),
    )


@contextmanager
def naming_settings(kind: type) -> Generator[None]:
    """A context in which messages of UserErrors are about a verb's settings, which `kind` declares.

    In Python they name parameters, on the command line its options. In messages, parameters that are also
    ordinary words may stand in backquotes: "`weight` needs `interpolate`".
    """
    try:
        yield
    except UserError as error:
        if error.names is not None:
            raise
        raise error.replace(names=names_of(kind)).with_traceback(error.__traceback__) from error.__cause__


def with_parameter_section(kind: type[T], settings: type[Any] | None = None) -> type[T]:
    """Class decorator that adds a section "Parameters" to the docstring, from the parameters' declarations.

    settings: the class that declares them, if that is not `kind` itself.

    Inherited parameters are included. The section comes before "Attributes" or the example. The class is
    changed in place, and the signature of `__init__` is reordered like the section: positional parameters
    first, those that every run has (`last`) at the end.
    """
    parameters = sorted(declared(settings or kind).values(), key=lambda one: (one.by_name, one.last))
    order = {one.name: place for place, one in enumerate(parameters) if one.by_name}
    signature = inspect.signature(kind.__init__)
    named = sorted(signature.parameters.values(), key=lambda one: order.get(one.name, -1))
    vars(kind.__init__)["__signature__"] = signature.replace(parameters=named)
    lines = [
        textwrap.fill(f"{one.name} : {one.text()}", WIDTH, subsequent_indent=INDENT) for one in parameters
    ]
    section = "\n".join(["Parameters", "----------", *lines])
    text = inspect.cleandoc(kind.__doc__ or "")  # from Python 3.13 on it is without indentation anyway
    place = min((text.index(mark) for mark in ("Attributes\n---", ">>> ") if mark in text), default=len(text))
    kind.__doc__ = "\n\n".join(filter(None, [text[:place].rstrip(), section, text[place:]]))
    return kind


class Settings:
    """Base class for dataclasses of parameters that apply only if another parameter has a certain value.

    Values are checked when an instance is made. `home` is the public path of the class, as "module:class";
    `fixed` are arguments that follow from the other parameter's value.
    """

    __slots__ = ()
    home: ClassVar[str]
    # arguments that the choice itself stands for
    fixed: ClassVar[Mapping[str, object]] = MappingProxyType({})

    def __post_init__(self) -> None:
        refuse_values(self, type(self).__name__)


def _kinds(annotation: object) -> frozenset[str]:
    """The names of the types in an annotation.

    >>> sorted(_kinds("float | Array | None"))
    ['Array', 'None', 'float']
    """
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return frozenset(part.strip() for part in text.split("|"))


def _is_number(value: object, *, whole: bool) -> TypeGuard[float]:
    """Whether a value is a finite number, of Python or numpy."""
    if whole:
        return is_whole(value, -LARGEST)
    if isinstance(value, bool) or not hasattr(value, "__float__") or isinstance(value, str):
        return False
    return getattr(value, "shape", ()) == () and abs(float(cast("SupportsFloat", value))) < float("inf")
