"""One message for the command line, which has options, and for Python, which has parameters.

Library code may name either: `UserError` and warnings spell them for whom they are shown to. Commands that
messages name, made by `command_line`, can be pasted into a shell.
"""

import re
import shlex

OPTIONS = {  # of parameters; those that no other word could be taken for are known without a value, too
    "n_topics": "--topics",
    "max_iter": "--iterations",
    "random_state": "--seed",
    "n_jobs": "--threads",
    "hashed": "--hash",
}
ALIKE = (  # parameters and options of one name
    *("alpha", "eta", "tol", "kappa", "tau0", "batch_size", "burn_in", "keep_local", "fold_in", "min_count"),
    *("text_field", "id_field", "language_field", "on_error", "largest_text", "longest_gap", "separator"),
    *("min_documents", "max_share", "min_length", "stop_words", "refine_every", "reorder_every"),
    *("word_concentration", "concept_strength", "held_out"),
    *("date_field", "date_format", "group_field"),
)
AMBIGUOUS = (  # words of any message, but where they have a value
    *("inference", "schedule", "words", "engine", "moves", "guide", "init", "every", "chains", "samples"),
    *("order", "unknown", "language", "format", "truncation", "temperature", "cooling", "symbols"),
    *("unparsed", "vowels", "weights", "processes", "punctuation", "concentration", "total", "judge"),
    *("tables", "memory", "overwrite", "trees", "top", "vocab", "seed", "sentences", "representation"),
    *("grammar", "compare", "quotes", "by"),
)
CLEAR = {**OPTIONS, **{name: "--" + name.replace("_", "-") for name in ALIKE}}
EVERY = {**CLEAR, **{name: f"--{name}" for name in AMBIGUOUS}}
PARAMETERS = {option: name for name, option in EVERY.items()}
FLAGS = ("overwrite", "trees", "keep_local")
SETTINGS = re.compile(r"\b(?:Online|Memoised|Hybrid|Gibbs)\(([^()]*)\)")
PARAMETER = re.compile(r"(?<![\w./'\"-])([a-z][a-z0-9_]*)(?![\w'\"(./])(?:=(\"[^\"]*\"|'[^']*'|[^\s,;()]+))?")
OPTION = re.compile(
    r"(?<![\w-])(--[a-z][a-z0-9-]*)"
    r"(?: (skip|none|tsv|conllu|files|spaced|form|lemma|spark|-?\d+(?:\.\d+)?|[a-z]+=[^\s;)]+|[A-Z]{2,}))?"
    r"(?![\w-])"
)
ENGINE = {'engine="local"': "no --engine spark", "engine=SparkEngine(session)": "--engine spark"}
OR_FROM_TEXTS = ", or give texts to Corpus.from_texts"  # of paths; the command line takes nothing else
COMMAND = re.compile(
    r"\bstickbreaker [a-z][a-z-]* .*", re.DOTALL
)  # of the program: options are options there
LEFT_OUT = {OR_FROM_TEXTS: "", "moves=None": "--moves none", "set guide=None": "leave out --guide"}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # what a terminal would not show


def as_options(text: str) -> str:
    """A message with the options of the command line in place of Python's parameters.

    >>> as_options('max_iter=0; raise max_iter or tol, or set inference="hybrid"')
    '--iterations 0; raise --iterations or --tol, or set --inference hybrid'
    """
    text, command = _without_command(text)
    for parameter, option in {**ENGINE, **LEFT_OUT}.items():
        text = text.replace(parameter, option)
    text = SETTINGS.sub(lambda found: found[1].replace(", ", " "), text)
    valued = {name for name, value in PARAMETER.findall(text) if value and name in EVERY}

    def spelled(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        if name not in CLEAR and name not in valued:
            return found[0]
        if value is None or (name in FLAGS and value == "True"):
            return EVERY[name]
        return f"{EVERY[name]} {value.strip(chr(34) + chr(39))}"

    return PARAMETER.sub(spelled, text) + command


def as_parameters(text: str) -> str:
    """A message with Python's parameters in place of the command line's options.

    >>> as_parameters("name it by --text-field, or give --on-error skip or --overwrite")
    'name it by text_field, or give on_error="skip" or overwrite=True'
    """
    text, command = _without_command(text)
    for parameter, option in ENGINE.items():
        text = text.replace(option, parameter)

    def spelled(found: re.Match[str]) -> str:
        option, value = found[1], found[2]
        if option not in PARAMETERS:
            return found[0]
        name = PARAMETERS[option]
        if value is None:
            return f"{name}=True" if name in FLAGS else name
        plain = value.isupper() or value.lstrip("-").replace(".", "").isdecimal()
        return f"{name}={value}" if plain else f'{name}="{value}"'

    return OPTION.sub(spelled, text) + command


def _without_command(text: str) -> tuple[str, str]:
    """A message up to the first command of the program in it, and the rest, which stays as it is."""
    found = COMMAND.search(text)
    return (text, "") if found is None else (text[: found.start()], found[0])


def quoted_path(path: object) -> str:
    r"""A path as a shell reads it back, which no program takes for an option.

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
    """A command of this program on a path; `more` follows as it is.

    >>> command_line("resume", "my model", "--engine spark")
    "stickbreaker resume 'my model' --engine spark"
    """
    return " ".join(part for part in ("stickbreaker", verb, quoted_path(path), more) if part)
