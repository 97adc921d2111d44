"""One message for the command line, which has options, and for Python, which has parameters.

Library code may name either: `UserError` and warnings spell them for whom they are shown to.
"""

import re

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
    *("grammar", "compare", "quotes"),
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
LEFT_OUT = {"moves=None": "--moves none", "set guide=None": "leave out --guide"}


def as_options(text: str) -> str:
    """A message with the options of the command line in place of Python's parameters.

    >>> as_options('max_iter=0; raise max_iter or tol, or set inference="hybrid"')
    '--iterations 0; raise --iterations or --tol, or set --inference hybrid'
    """
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

    return PARAMETER.sub(spelled, text)


def as_parameters(text: str) -> str:
    """A message with Python's parameters in place of the command line's options.

    >>> as_parameters("name it by --text-field, or give --on-error skip or --overwrite")
    'name it by text_field, or give on_error="skip" or overwrite=True'
    """
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

    return OPTION.sub(spelled, text)
