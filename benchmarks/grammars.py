"""Adaptor grammars: seconds of a sweep beside py-cfg, of a sentence by how much is remembered, of cutting
text compared with sentencepiece, and online.

`make bench-grammars` learns words and collocations from Brent's phonemes on one thread, and online from CTB6
too; some seven minutes on two idle cores. `PY_CFG=path/to/py-cfg make bench-grammars` (or --py-cfg) names
M. Johnson's program, which is run then on the same text and grammars with the same moves. Without it its time
stands as the authors of this library measured it on another day. CPU seconds. The tables are printed as they
come and kept in bench-results/.
"""

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import grammars_online
import grammars_segment
import numpy as np
from corpora import DATA
from lda import about, machine
from numpy.typing import NDArray
from tables import Report, Row

from stickbreaker.grammars import purposes
from stickbreaker.grammars.kernels.tree_sampling import sweep_sentences
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.grammar import Adaptation, Grammar, Rule, Terminal
from stickbreaker.grammars.model.named import BY_NAME
from stickbreaker.grammars.model.tree_chain import AdaptorChain, Moves

BRENT = DATA / "br-phono/br-phono.txt"
SWEEPS = 30
WARM = 10  # sweeps before those that are timed
KNOWN = {"unigram": (1.3, 2.0), "collocation": (5.5, 5.5)}  # s a sweep of py-cfg, measured on another day
AIMS = {"unigram": 20.0, "collocation": 30.0}  # times as fast as py-cfg
OPTIONS = (
    "-E -a 1e-4 -b 1e4 -e 1 -f 1 -g 100 -h 0.01 -R -1"  # py-cfg: all is drawn, tables relabelled for ever
)
POOLS = (1_000, 10_000, 100_000, 1_000_000)
LETTERS = 5  # of a planted word
MARK = "!"
VISITED = 2_000  # of Brent's sentences, before the planted words
SPEED = (
    "grammar",
    "program",
    "start",
    "CPU s",
    "CPU s/sweep",
    "sentences/s",
    "symbols/s",
    "times py-cfg",
    "aim",
)
FLATNESS = (
    "planted words",
    "subtrees remembered",
    "strings with a number",
    "µs a sentence",
    "trees that changed",
)


def main() -> None:
    args = arguments()
    report = Report(args.out, "grammars", about())
    report.say(f"# Adaptor grammars\n\n{machine()}\n")
    if not BRENT.exists():
        report.say("MISSING: Brent's corpus is not there (../shared/data/br-phono)")
        return
    lines = ["".join(line.split()) for line in BRENT.read_text(encoding="utf-8").splitlines() if line.split()]
    speed(report, lines, args.py_cfg)
    flatness(report, lines[:VISITED], [size for size in POOLS if size <= args.most])
    grammars_segment.segmenting(report, lines)
    grammars_online.speed(report, lines)
    print(f"\nWritten: {args.out / 'grammars.md'} and grammars.json")


def arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--py-cfg", type=Path, help="the program py-cfg")
    options.add_argument("--most", type=int, default=POOLS[-1], help="planted words, at most")
    options.add_argument("--out", type=Path, default=Path("bench-results"), help="default: bench-results")
    return options.parse_args()


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
        f"{len(lines):,} utterances, {sum(map(len, lines)):,} phonemes. A sweep draws every sentence's tree, "
        "then the subtree of every table, then discounts and concentrations. "
        f"Ours: the median of {SWEEPS} sweeps after {WARM}; CPU s: the start and all of them. No visit "
        "allocates: charts, drafts and lists are made once, for the longest sentence.",
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
            times = (
                f"{least / seconds:.1f}"
                if least == most
                else f"{least / seconds:.1f} to {most / seconds:.1f}"
            )
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
            shown = f"{known[0]:g}" if known[0] == known[1] else f"{known[0]:g} to {known[1]:g}"
            report.row(
                {"grammar": name, "program": "py-cfg, another day", "start": "batch", "CPU s/sweep": shown}
            )


def sweep_seconds(chain: AdaptorChain) -> list[float]:
    """CPU seconds of each sweep."""
    found: list[float] = []
    for number in range(WARM + SWEEPS):
        begun = time.process_time()
        chain.sweep(number, 1)
        found.append(time.process_time() - begun)
    return found


def py_cfg_row(grammar: Grammar, lines: list[str], program: Path | None) -> Row:
    """What py-cfg takes: the difference of a longer and a shorter run, by sweep."""
    if program is None:
        return {"CPU s": "not measured: --py-cfg was not given"}
    rules = [f"{'' if rule.parent in grammar.adapted else '1 1 '}{rule}" for rule in grammar.rules]
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "grammar.lt"
        file.write_text("\n".join(rules) + "\n", encoding="utf-8")
        text = "".join(" ".join(line) + "\n" for line in lines)
        seconds: list[float] = []
        for sweeps in (WARM, WARM + SWEEPS):
            command = [str(program), "-n", str(sweeps), *OPTIONS.split(), str(file)]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode != 0:
                return {"CPU s": f"did not run: {(done.stderr.splitlines() or ['?'])[-1][:100]}"}
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    each = (seconds[1] - seconds[0]) / SWEEPS
    return {"CPU s": seconds[1], "CPU s/sweep": each, "sentences/s": len(lines) / each,
            "symbols/s": sum(map(len, lines)) / each}  # fmt: skip


def flatness(report: Report, lines: list[str], pools: list[int]) -> None:
    """The table of sentences beside more and more that is remembered."""
    report.section(
        "What is remembered",
        f"{len(lines):,} sentences of Brent's are visited five times, the fastest; before them words of "
        f"{LETTERS} random phonemes entered, each twice, as sentences of one word (a rule of their own says "
        "so), so that each is remembered. The grammar is unigram.",
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
            chain._run(sweep_sentences, order, 1.0, purposes.GRAMMAR_TREES, turn + 1)
            seconds.append(time.process_time() - begun)
            changed = float(chain._room.tally[0]) / len(lines)
        report.row(
            {
                "planted words": f"{size:,}",
                "subtrees remembered": f"{int(chain.figures()['tables']):,}",
                "strings with a number": f"{chain._n_strings:,}",
                "µs a sentence": min(seconds[1:]) / len(lines) * 1e6,
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
    main()
