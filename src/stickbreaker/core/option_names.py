"""Translates messages between the names of Python parameters and those of command-line options.

Library code may use either: `UserError` and warnings show each reader the right ones. `command_line` makes
commands for messages that can be pasted into a shell.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

ParameterValues = dict[str, Any]  # by name; each parameter's declaration says what its value may be


@dataclass(frozen=True)
class OptionNames:
    """How some parameters are named on the command line, so that messages can be translated.

    `renamed`: options by parameter, if their names differ. `alike`: parameters whose option has the same
    name, and which cannot be mistaken for ordinary words; they are translated everywhere. `ambiguous`:
    parameters whose names are also ordinary words; they are translated only if a value follows.

    `flags`: parameters that an option without a value sets to true. `settings`: names of classes of
    parameters: on the command line, a call such as `Online(kappa=0.7)` becomes the options of its arguments.
    `phrases`: texts and what replaces them on the command line.
    """

    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    alike: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    phrases: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def every(self) -> dict[str, str]:
        """The options of all of these parameters, by name."""
        return {**{name: option_of(name) for name in (*self.alike, *self.ambiguous)}, **self.renamed}


OR_FROM_TEXTS = ", or give texts to Corpus.from_texts"  # after paths; the command line accepts nothing else
SHARED = OptionNames(  # of corpora, runs and reports of all kinds
    renamed={"max_iter": "--iterations", "random_state": "--seed", "n_jobs": "--threads", "hashed": "--hash"},
    alike=(
        *("tol", "kappa", "tau0", "batch_size", "held_out"),
        *("text_field", "id_field", "language_field", "on_error", "largest_text", "longest_gap", "separator"),
        *("repeats_to",),
        *("min_documents", "max_share", "min_length", "stop_words", "token_pattern"),
        *("date_field", "date_format", "group_field"),
    ),
    ambiguous=(
        *("inference", "schedule", "engine", "init", "chains", "samples", "truncation", "total"),
        *("language", "format", "overwrite", "trees", "tags", "top", "vocab", "seed", "sentences", "compare"),
        *("quotes", "by", "all_words", "split", "drop_repeats", "upos", "draws", "without", "header"),
    ),
    flags=("overwrite", "trees", "all_words"),
    settings=("Online", "Memoised"),
    phrases={OR_FROM_TEXTS: ""},
)
_sources: list[Callable[[], Iterable[OptionNames]]] = []


def add_names(source: Callable[[], Iterable[OptionNames]]) -> None:
    """Register more parameters for `all_names`; `source()` is called when a message is first translated."""
    _sources.append(source)


@dataclass(frozen=True)
class AllNames:
    """The names of parameters and options of all kinds of models, as tables to translate messages with.

    Options by parameter: `renamed`, those with other names; `clear`, those translated even without a value;
    `every`, all. `parameters`: parameters by option. `flags`: parameters whose options have no value.
    `phrases`: replacements for the command line. `settings`: a pattern for calls of settings' classes.
    `marked`: parameters that stand in backquotes in messages, as in "`weight` needs `interpolate`".
    """

    renamed: Mapping[str, str]
    clear: Mapping[str, str]
    every: Mapping[str, str]
    parameters: Mapping[str, str]
    flags: frozenset[str]
    phrases: Mapping[str, str]
    settings: re.Pattern[str]
    marked: frozenset[str] = frozenset()


@cache
def all_names() -> AllNames:
    """The names of all parameters, shared by all kinds of models or registered by `add_names`, in one table.

    It is made once, so that names registered later are not in it.
    """
    return _table(_known())


@cache
def _known() -> tuple[OptionNames, ...]:
    return (SHARED, *(names for source in _sources for names in source()))


def names_with(own: OptionNames) -> AllNames:
    """The names of all parameters, among which those of a verb, `own`, come first.

    Those that only this verb renames, such as `source` with the option --from, are translated if a value
    follows, or in backquotes; elsewhere they may be ordinary words.
    """
    others = tuple(
        replace(
            one,
            renamed={name: option for name, option in one.renamed.items() if name not in own.every},
            alike=tuple(name for name in one.alike if name not in own.every),
            ambiguous=tuple(name for name in one.ambiguous if name not in own.every),
            flags=tuple(name for name in one.flags if name not in own.every),
        )
        for one in _known()
    )
    found = _table(others)
    taken = {option: name for name, option in own.every.items()}
    clear = {**found.clear, **{name: option_of(name) for name in own.alike}}
    return replace(
        found,
        clear=clear,
        every={**found.every, **own.every},
        parameters={**found.parameters, **taken},
        flags=found.flags | frozenset(own.flags),
        marked=frozenset(own.every),
    )


def _table(known: tuple[OptionNames, ...]) -> AllNames:
    renamed = {name: option for one in known for name, option in one.renamed.items()}
    clear = {**renamed, **{name: option_of(name) for one in known for name in one.alike}}
    every = {**clear, **{name: option_of(name) for one in known for name in one.ambiguous}}
    return AllNames(
        renamed,
        clear,
        every,
        {option: name for name, option in reversed(every.items())},  # of two names, the one for models
        frozenset(name for one in known for name in one.flags),
        {phrase: text for one in known for phrase, text in one.phrases.items()},
        re.compile(rf"\b(?:{'|'.join(name for one in known for name in one.settings)})\(([^()]*)\)"),
    )


def option_of(name: str) -> str:
    """The command-line option for a parameter.

    >>> option_of("batch_size")
    '--batch-size'
    """
    return "--" + name.replace("_", "-")


def as_keywords(options: Mapping[str, object]) -> ParameterValues:
    """The values of options, keyed by the names of their parameters.

    >>> as_keywords({"iterations": 3, "tol": 0.1})
    {'max_iter': 3, 'tol': 0.1}
    """
    named = {option: name for name, option in all_names().renamed.items()}
    return {named.get(option_of(name), name): value for name, value in options.items()}


PARAMETER = re.compile(r"(?<![\w./'\"-])([a-z][a-z0-9_]*)(?![\w'\"(./])(?:=(\"[^\"]*\"|'[^']*'|[^\s,;()]+))?")
OPTION = re.compile(
    r"(?<![\w-])(--[a-z][a-z0-9-]*)"
    r"(?: (skip|none|tsv|conllu|files|spaced|form|lemma|upos|xpos|spark"
    r"|-?\d+(?:\.\d+)?|[a-z]+=[^\s;)]+|[A-Z]{2,}))?"
    r"(?![\w-])"
)
MARKED = re.compile(r"`([a-z][a-z0-9_]*)`")
ENGINE = {'engine="local"': "no --engine spark", "engine=SparkEngine(session)": "--engine spark"}
# commands of the program, in which options stay options
COMMAND = re.compile(r"\bstickbreaker [a-z][a-z-]* .*", re.DOTALL)
# characters that a terminal would not show
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def as_options(text: str, own: OptionNames | None = None) -> str:
    """A message with the options of the command line in place of Python's parameters.

    own: the names of the verb that the message is of, if it is of one.

    >>> as_options('max_iter=0; raise max_iter or tol, or set inference="hybrid"')
    '--iterations 0; raise --iterations or --tol, or set --inference hybrid'
    """
    text, command = _without_command(text)
    known = all_names() if own is None else names_with(own)
    text = MARKED.sub(lambda found: known.every[found[1]] if found[1] in known.marked else found[0], text)
    for parameter, option in {**ENGINE, **known.phrases}.items():
        text = text.replace(parameter, option)
    text = known.settings.sub(lambda found: found[1].replace(", ", " "), text)
    valued = {name for name, value in PARAMETER.findall(text) if value and name in known.every}

    def spelled(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        if name not in known.clear and name not in valued:
            return found[0]
        if value is None or (name in known.flags and value == "True"):
            return known.every[name]
        return f"{known.every[name]} {value.strip(chr(34) + chr(39))}"

    return PARAMETER.sub(spelled, text) + command


def as_parameters(text: str, own: OptionNames | None = None) -> str:
    """A message with Python's parameters in place of the command line's options; own: as for `as_options`.

    >>> as_parameters("name it by --text-field, or give --on-error skip or --overwrite")
    'name it by text_field, or give on_error="skip" or overwrite=True'
    """
    text, command = _without_command(text)
    for parameter, option in ENGINE.items():
        text = text.replace(option, parameter)
    known = all_names() if own is None else names_with(own)
    text = MARKED.sub(lambda found: found[1] if found[1] in known.marked else found[0], text)

    def spelled(found: re.Match[str]) -> str:
        option, value = found[1], found[2]
        if option not in known.parameters:
            return found[0]
        name = known.parameters[option]
        if value is None:
            return f"{name}=True" if name in known.flags else name
        plain = value.isupper() or value.lstrip("-").replace(".", "").isdecimal()
        return f"{name}={value}" if plain else f'{name}="{value}"'

    return OPTION.sub(spelled, text) + command


def _without_command(text: str) -> tuple[str, str]:
    """Split a message before the program's first command line in it; the second part is not translated."""
    found = COMMAND.search(text)
    return (text, "") if found is None else (text[: found.start()], found[0])


def quoted_path(path: object) -> str:
    r"""A path quoted for a shell, so that no program takes it for an option.

    >>> quoted_path("model"), quoted_path("my model"), quoted_path("-m"), quoted_path("a\nb")
    ('model', "'my model'", './-m', "$'a\\nb'")
    """
    text = str(path)
    text = f"./{text}" if text.startswith("-") else text
    if not _CONTROL.search(text):
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + _CONTROL.sub(lambda found: _escaped(found[0]), escaped) + "'"


def _escaped(character: str) -> str:
    plain = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return plain.get(
        character, f"\\x{ord(character):02x}" if ord(character) < 128 else f"\\u{ord(character):04x}"
    )


def command_line(verb: str, path: object, more: str = "") -> str:
    """A command of this program on a path; `more` is appended as it is.

    >>> command_line("resume", "my model", "--engine spark")
    "stickbreaker resume 'my model' --engine spark"
    """
    return " ".join(part for part in ("stickbreaker", verb, quoted_path(path), more) if part)
