"""`stickbreaker segment` from the shell: CPU seconds of the whole command, compared with sentencepiece."""

import itertools
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.harness import Report
from benchmarks.processes import cpu_seconds

SENTENCES = 10_000
AIM = 0.8  # CPU seconds of 10,000 sentences, less those of one sentence
TIMES = 3  # runs of each command; the fastest counts
COLUMNS = ("program", "grammar", "learning, CPU s", "one sentence, CPU s", "10,000 sentences, CPU s",
           "10,000 less one", "aim")  # fmt: skip
TRAIN = """
import sys, sentencepiece
sentencepiece.SentencePieceTrainer.train(
    input=sys.argv[1], model_prefix=sys.argv[2], model_type="unigram", vocab_size=1000, num_threads=1,
    minloglevel=2, character_coverage=1.0,
)
"""
ENCODE = """
import sys, sentencepiece
pieces = sentencepiece.SentencePieceProcessor(model_file=f"{sys.argv[2]}.model")
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
for line in pieces.encode(lines, out_type=str, num_threads=1):
    print(" ".join(line))
"""


def segmenting(report: Report, lines: list[str]) -> None:
    """The table of commands: grammars learned online by hybrid inference, then sentencepiece's unigram."""
    report.section(
        "Segmenting",
        f"{SENTENCES:,} sentences of Brent's corpus (the first of them twice) and one sentence, each in a "
        f"process of its own: the fastest of {TIMES}. The time of one sentence is that of imports, of "
        "reading kernels from their cache, and of the model. Learning: `fit grammar --inference hybrid` of "
        "the corpus, three passes.",
        COLUMNS,
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        texts = {"one": lines[:1], "many": list(itertools.islice(itertools.cycle(lines), SENTENCES))}
        files = {name: folder / f"{name}.txt" for name in (*texts, "all")}
        for name, text in {**texts, "all": lines}.items():
            files[name].write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        program = [sys.executable, "-m", "stickbreaker"]
        for grammar in ("unigram", "collocation"):
            model = folder / grammar
            fit = [*program, "fit", "grammar", str(files["all"]), "--grammar", grammar]
            learning = cpu_seconds([*fit, "--inference", "hybrid", "--threads", "1", "--out", str(model)])
            verb = [*program, "segment", str(model)]
            _row(report, "stickbreaker", grammar, learning, verb, files, f"{AIM:g} at most")
        if find_spec("sentencepiece") is None:
            report.say("MISSING: sentencepiece is not installed")
            return
        pieces = str(folder / "pieces")
        learning = cpu_seconds([sys.executable, "-c", TRAIN, str(files["all"]), pieces])
        verb = [sys.executable, "-c", ENCODE]
        _row(report, "sentencepiece", "unigram, 1,000 pieces", learning, verb, files, None, pieces)


def _row(
    report: Report,
    program: str,
    grammar: str,
    learning: float,
    verb: list[str],
    files: dict[str, Path],
    aim: str | None,
    *more: str,
) -> None:
    """The row of a trained program. `verb`: the command that segments a file, without the file's name."""
    cpu_seconds([*verb, str(files["many"]), *more])  # compiles
    one, many = (
        min(cpu_seconds([*verb, str(files[name]), *more]) for _ in range(TIMES)) for name in ("one", "many")
    )
    report.row(
        {
            "program": program,
            "grammar": grammar,
            "learning, CPU s": learning,
            "one sentence, CPU s": one,
            "10,000 sentences, CPU s": many,
            "10,000 less one": many - one,
            "aim": aim,
        }
    )
