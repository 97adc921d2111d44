"""Adaptor grammars: seconds per sweep compared with py-cfg, per sentence by the number of remembered
subtrees, of segmenting text compared with sentencepiece, and of learning online.

`make bench WHAT=grammars` learns words and collocations from Brent's phonemes on one thread, and online from
CTB6 too; some seven minutes on two idle cores. `make bench WHAT=grammars PY_CFG=path/to/py-cfg` (or --py-cfg)
names M. Johnson's program, which is then run on the same text and grammars with the same moves. Without it
the table has its time as the authors of this library measured it on another day. CPU seconds. The tables are
printed row by row and kept in bench-results/.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import grammars_online, grammars_segment
from benchmarks.harness import Report, Row, options, run
from benchmarks.processes import cpu_seconds
from numpy.typing import NDArray
from reproduce.claims import span
from reproduce.texts import DATA, TEXTS

from stickbreaker.grammars import purposes
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.grammar import Adaptation, Grammar, Rule, Terminal
from stickbreaker.grammars.model.named import BY_NAME
from stickbreaker.grammars.model.tree_chain import AdaptorChain, Moves

SWEEPS = 30
WARM = 10  # sweeps before those that are timed
KNOWN = {
    "unigram": (1.3, 2.0),
    "collocation": (5.5, 5.5),
}  # seconds per sweep of py-cfg, measured on another day
AIMS = {"unigram": 20.0, "collocation": 30.0}  # times as fast as py-cfg
OPTIONS = "-E -a 1e-4 -b 1e4 -e 1 -f 1 -g 100 -h 0.01 -R -1"  # py-cfg draws all, and always relabels tables
POOLS = (1_000, 10_000, 100_000, 1_000_000)
LETTERS = 5  # letters of a planted word
MARK = "!"
VISITED = 2_000  # sentences of Brent's corpus that are visited
SPEED = (
    "grammar", "program", "start", "CPU s", "CPU s/sweep", "sentences/s", "symbols/s", "times py-cfg", "aim",
)  # fmt: skip
FLATNESS = (
    "planted words",
    "subtrees remembered",
    "strings with a number",
    "µs/sentence",
    "trees that changed",
)


def measure(report: Report, args: argparse.Namespace) -> None:
    if not report.has("Brent"):
        return
    text = (DATA / TEXTS["Brent"][0]).read_text(encoding="utf-8")
    lines = ["".join(line.split()) for line in text.splitlines() if line.split()]
    speed(report, lines, args.py_cfg)
    flatness(report, lines[:VISITED], [size for size in POOLS if size <= args.most])
    grammars_segment.segmenting(report, lines)
    grammars_online.speed(report, lines)


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--py-cfg", type=Path, help="the program py-cfg")
    found.add_argument("--most", type=int, default=POOLS[-1], help="most planted words")
    return found


def chain_of(grammar: Grammar, lines: list[str], moves: Moves) -> AdaptorChain:
    """A chain over lines of characters."""
    numbers = {terminal: number for number, terminal in enumerate(grammar.terminals)}
    letters = np.array([numbers[symbol] for line in lines for symbol in line], np.int32)
    starts = np.cumsum([0, *(len(line) for line in lines)])
    return AdaptorChain(compiled(grammar), letters, starts, 0, moves)


def speed(report: Report, lines: list[str], program: Path | None) -> None:
    """The table of sweeps."""
    report.section(
        "Sweeps",
        f"{len(lines):,} utterances, {sum(map(len, lines)):,} phonemes. A sweep draws the tree of every "
        "sentence, then the subtree of every table, then discounts and concentrations. Ours: the median of "
        f"{SWEEPS} sweeps after {WARM}; CPU s: the start and all of them. A visit allocates nothing: "
        "charts, drafts and lists are made once, for the longest sentence.",
        SPEED,
    )
    symbols = sorted(set("".join(lines)))
    for name, known in KNOWN.items():
        grammar = BY_NAME[name](symbols)
        theirs = py_cfg_row(grammar, lines, program)
        for init in ("incremental", "batch"):
            moves = Moves(incremental=init == "incremental")
            chain_of(grammar, lines[:50], moves).sweep(0, 1)  # compiles
            begun = time.process_time()
            chain = chain_of(grammar, lines, moves)
            each = sweep_seconds(chain)
            seconds = float(np.median(each[WARM:]))
            measured = theirs.get("CPU s/sweep")
            least, most = (measured, measured) if isinstance(measured, float) else known
            times = span([least / seconds, most / seconds])
            report.row(
                {
                    "grammar": name,
                    "program": "stickbreaker",
                    "start": init,
                    "CPU s": time.process_time() - begun,
                    "CPU s/sweep": seconds,
                    "sentences/s": len(lines) / seconds,
                    "symbols/s": sum(map(len, lines)) / seconds,
                    "times py-cfg": times,
                    "aim": f"{AIMS[name]:g} at least",
                }
            )
        report.row({"grammar": name, "program": "py-cfg", "start": "batch", **theirs})
        if program is None:
            row = {"grammar": name, "program": "py-cfg, another day", "start": "batch"}
            report.row({**row, "CPU s/sweep": span(known, "g")})


def sweep_seconds(chain: AdaptorChain) -> list[float]:
    """CPU seconds of each sweep."""
    found: list[float] = []
    for number in range(WARM + SWEEPS):
        begun = time.process_time()
        chain.sweep(number, 1)
        found.append(time.process_time() - begun)
    return found


def py_cfg_row(grammar: Grammar, lines: list[str], program: Path | None) -> Row:
    """The time of py-cfg: the difference of a longer and a shorter run, per sweep."""
    if program is None:
        return {"CPU s": "not measured: --py-cfg was not given"}
    rules = [f"{'' if rule.parent in grammar.adapted else '1 1 '}{rule}" for rule in grammar.rules]
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "grammar.lt"
        file.write_text("\n".join(rules) + "\n", encoding="utf-8")
        text = "".join(" ".join(line) + "\n" for line in lines)
        try:
            shorter, longer = (
                cpu_seconds([program, "-n", sweeps, *OPTIONS.split(), file], text)
                for sweeps in (WARM, WARM + SWEEPS)
            )
        except RuntimeError as error:
            return {"CPU s": f"did not run: {error}"}
    each = (longer - shorter) / SWEEPS
    rates = {"sentences/s": len(lines) / each, "symbols/s": sum(map(len, lines)) / each}
    return {"CPU s": longer, "CPU s/sweep": each, **rates}


def flatness(report: Report, lines: list[str], pools: list[int]) -> None:
    """The table of time per sentence by the number of remembered subtrees."""
    report.section(
        "What is remembered",
        f"{len(lines):,} sentences of Brent's corpus are visited five times; the fastest counts. Before "
        f"them come words of {LETTERS} random phonemes, each twice, as sentences of one word (by a rule of "
        "their own), so that each is remembered. The grammar is unigram.",
        FLATNESS,
    )
    symbols = sorted(set("".join(lines)))
    grammar = marked_grammar(symbols)
    generator = np.random.default_rng(0)
    for size in pools:
        chain: Any = planted_chain(grammar, symbols, lines, size, generator)
        order = np.arange(len(lines), dtype=np.int64)
        seconds, changed = [], 0.0
        for turn in range(6):
            chain._room.tally[:] = 0.0
            begun = time.process_time()
            chain._run(order, 1.0, purposes.GRAMMAR_TREES, turn + 1)
            seconds.append(time.process_time() - begun)
            changed = float(chain._room.tally[0]) / len(lines)
        report.row(
            {
                "planted words": f"{size:,}",
                "subtrees remembered": f"{int(chain.figures()['tables']):,}",
                "strings with a number": f"{chain._n_strings:,}",
                "µs/sentence": min(seconds[1:]) / len(lines) * 1e6,
                "trees that changed": changed,
            }
        )


def marked_grammar(symbols: list[str]) -> Grammar:
    """`unigram`, and a sentence may also be a mark and one word."""
    plain = BY_NAME["unigram"](symbols)
    marked = Rule("Sentence", ("Mark", "Word")), Rule("Mark", (Terminal(MARK),))
    return Grammar((*plain.rules, *marked), {"Word": Adaptation()})


def planted_chain(
    grammar: Grammar, symbols: list[str], lines: list[str], size: int, generator: np.random.Generator
) -> AdaptorChain:
    """A chain over lines, and over planted words that are all remembered."""
    numbers = {terminal: number for number, terminal in enumerate(grammar.terminals)}
    own = np.array([numbers[symbol] for line in lines for symbol in line], np.int32)
    known: NDArray[np.int64] = np.unique(generator.integers(0, len(symbols) ** LETTERS, 2 * size))
    chosen = generator.permutation(known)[:size]
    spelled = np.stack([chosen // len(symbols) ** k % len(symbols) for k in range(LETTERS)], axis=1)
    of_symbols = np.array([numbers[symbol] for symbol in symbols], np.int32)
    planted = np.full((2, size, LETTERS + 1), numbers[MARK], np.int32)
    planted[:, :, 1:] = of_symbols[spelled]
    sizes = np.concatenate([[len(line) for line in lines], np.full(2 * size, LETTERS + 1)])
    letters = np.concatenate([own, planted.ravel()])
    return AdaptorChain(compiled(grammar), letters, np.concatenate([[0], np.cumsum(sizes)]), 0, Moves())


if __name__ == "__main__":
    run("grammars", "Adaptor grammars", parser(), measure)
