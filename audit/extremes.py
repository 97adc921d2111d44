"""Part `extremes`: values of options that are allowed and extreme; what is reported as done can be used."""

import random
from pathlib import Path

import click

from audit.fuzz import SLOW as SLOWLY
from audit.fuzz import options_of_command
from audit.materials import OPEN, SMALL, write_inputs
from audit.parts import Part
from audit.programs import run
from audit.results import REFUSED, SAME, SILENT, SLOW, STUCK, Decision, refusal, said

LDA = f"fit lda lines.jsonl --out model {SMALL} --iterations 3"
HDP = f"fit hdp lines.jsonl --out model {SMALL} --iterations 3"
TOPICS = (
    "topics model",
    "transform model held.jsonl --threads 1 --out shares.csv",
    "evaluate model held.jsonl",
)
NGRAM = "fit ngram lines.jsonl --out model --seed 1 --min-count 1 --iterations 3"
GRAMMAR = "fit grammar lines.jsonl --out model --seed 1 --grammar unigram --iterations 2"
SENTENCES = ("generate model --sentences 1", "score model held.jsonl")
TREES = ("rules model", "segment model held.jsonl --out cut.txt")
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {  # how a model is made, and what uses it
    "lda": (LDA, TOPICS),
    "lda online": (f"{LDA} --schedule online --batch-size 20", TOPICS),
    "lda hybrid": (f"{LDA} --inference hybrid", TOPICS),
    "lda gibbs": (f"{LDA} --inference gibbs --every 1", TOPICS),
    "lda open": (f"fit lda lines.jsonl --out model {OPEN} --iterations 2", TOPICS),
    "lda stream": (f"fit lda lines.jsonl --stream --out model {OPEN}", TOPICS),
    "hdp": (f"{HDP} --batch-size 20", TOPICS),
    "hdp online": (f"{HDP} --schedule online --batch-size 20", TOPICS),
    "hdp gibbs": (f"{HDP} --inference gibbs --every 1", TOPICS),
    "ngram": (NGRAM, SENTENCES),
    "ngram spelled": (
        "fit ngram lines.jsonl --out model --seed 1 --unknown spelled --iterations 3",
        SENTENCES,
    ),
    "topic ngram": (f"{NGRAM} --topics 3", (*SENTENCES, *TOPICS)),
    "topic ngram hierarchical": (f"{NGRAM} --topics 3 --prior hierarchical --order unbounded", SENTENCES),
    "grammar": (GRAMMAR, TREES),
    "grammar online": (f"{GRAMMAR} --inference hybrid --threads 1", TREES),
    "grammar mean-field": (f"{GRAMMAR} --inference mean-field --threads 1", TREES),
    "grammar file": (GRAMMAR.replace("unigram", "rules.txt"), TREES),
}
FRACTIONS = ("5e-324", "1e-310", "1e-300", "1e-150", "1e-80", "1e-30", "1e-9", "0.5", "0.999999999999", "1",
             "1e9", "1e15", "1e30", "1e80", "1e150", "1e300", "1.7e308", "0")  # fmt: skip
WHOLES = ("0", "1", "2", "3", "63", "64", "1000", "2147483647", "4294967296", "9007199254740993")
RULES = "{0} 1 S --> W\n{1} 1 S --> W S\n{2} W --> C\n1 1 C --> L\n1 1 C --> L C\n"
DRAWS = 6  # of options, until some are not refused as such


class Extremes(Part):
    name = "extremes"
    sample = 15

    def kinds(self) -> tuple[str, ...]:
        return tuple(COMMANDS)

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        place.mkdir(parents=True)
        write_inputs(place)
        command, uses = COMMANDS[kind]
        if kind == "grammar file":
            write_rules(place, draw)
        for _ in range(DRAWS):
            words = [*command.split(), *extreme_options(command, draw)]
            done = run(words, place, limit=20.0, patient=False)
            if done.code != 2 or refusal(done).outcome != REFUSED:  # else an option of other commands
                break
        if done.code != 0:
            return self._refused(refusal(done), uses, place)
        for use in uses:
            using = run(use, place, limit=20.0, patient=False)
            if using.code != 0:
                verdict = refusal(using)
                outcome = verdict.outcome if using.code is None or "Traceback" in using.err else SILENT
                return Decision(outcome, f"{said(done)} | {said(using)}")
        return Decision(SAME)

    def _refused(self, verdict: Decision, uses: tuple[str, ...], place: Path) -> Decision:
        """What a run that ended with a line has saved before can be used."""
        if verdict.outcome == SLOW or not (place / "model" / "model.json").exists():
            return verdict
        using = run(uses[0], place, limit=20.0, patient=False)
        if using.code != 0:
            return Decision(STUCK, f"{verdict.message} | {said(using)}")
        return verdict


def extreme_options(command: str, draw: random.Random) -> list[str]:
    """One to three numeric options that a command takes, with values from the ends of what they may be."""
    numeric = [
        option
        for option in options_of_command(" ".join(command.split()[:2]))
        if is_numeric(option.type) and option.opts[0] not in SLOWLY and option.opts[0] not in command
    ]
    words: list[str] = []
    for option in draw.sample(numeric, min(len(numeric), draw.choice((1, 1, 1, 2)))):
        whole = isinstance(option.type, click.types.IntParamType)
        values = [value for value in (WHOLES if whole else FRACTIONS) if is_allowed(option.type, value)]
        words += [option.opts[0], draw.choice(values)] if values else []
    return words


def is_allowed(kind: click.ParamType, value: str) -> bool:
    """Whether an option's range has a value."""
    return all(
        bound is None or sign * float(value) > sign * bound or (float(value) == bound and not is_open)
        for sign, bound, is_open in (
            (1, getattr(kind, "min", None), getattr(kind, "min_open", False)),
            (-1, getattr(kind, "max", None), getattr(kind, "max_open", False)),
        )
    )


def is_numeric(kind: click.ParamType) -> bool:
    """Whether an option takes a number, possibly among other things."""
    return (
        isinstance(kind, click.types.IntParamType | click.types.FloatParamType)
        or "NUMBER" in kind.name.upper()
    )


def write_rules(place: Path, draw: random.Random) -> None:
    """A grammar over the letters of the texts, with extreme weights."""
    letters = sorted({letter for letter in (place / "lines.jsonl").read_text() if letter.isalnum()})
    weights = [draw.choice(FRACTIONS[:-1]) for _ in range(2)]
    process = draw.choice(("", f"1 1 {draw.choice(FRACTIONS)} {draw.choice(FRACTIONS)}"))
    rules = RULES.format(*weights, process) + "".join(f"1 1 L --> {letter}\n" for letter in letters)
    (place / "rules.txt").write_text(rules)
