"""Chinese: how many of its words a grammar finds in three texts that were cut by hand."""

from typing import Any

from reproduce.grammar_runs import Plan, Run, measure, table
from reproduce.grammar_texts import sentences
from reproduce.pages import Section, Table

PAPER = {  # table 2: unigram and collocation of each
    "MCMC, 500 sweeps": ("72.70 (2.81)", "50.53 (2.82)", "72.01 (2.82)", "49.06 (2.81)", "74.19 (3.55)",
                         "63.14 (3.53)"),
    "MCMC, 2,000 sweeps": ("71.75 (2.79)", "71.66 (2.76)", "71.04 (2.79)", "72.55 (2.70)", "74.01 (3.53)",
                           "73.15 (3.48)"),
    "variational": ("69.83 (2.85)", "67.78 (2.75)", "67.82 (2.80)", "66.97 (2.75)", "70.47 (3.72)",
                    "69.06 (3.69)"),
}  # fmt: skip
PARTS = ("PKU, test part", "CityU, test part", "CTB6, test part")
SHORT = {"unigram": 100, "collocation": 100}
WHOLE = {"unigram": 30, "collocation": 30}  # sweeps of the whole of CTB6, with FULL=1


def measure_all(full: bool) -> dict[str, Any]:
    """All runs; sentences are cut at punctuation, as all who segment Chinese know where that is."""
    settings = {"punctuation": "boundaries"}
    names = (*PARTS, "CTB6") if full else PARTS
    plans = [
        Plan(name, grammar, "batch", (WHOLE if name == "CTB6" else SHORT)[grammar], seed, settings)
        for name in names
        for grammar in ("collocation", "unigram")
        for seed in range(2 if full else 1)
    ]
    sizes = [[name, len(sentences(name).gold), sum(map(len, sentences(name).joined))] for name in names]
    return {"sizes": sizes, "runs": measure(plans, sentences)}


def section(data: dict[str, Any]) -> Section:
    """Our figures compared with the paper's rows."""
    runs = [Run(*held) for held in data["runs"]]
    sizes = "; ".join(
        f"{name} {number:,} sentences, {letters:,} characters" for name, number, letters in data["sizes"]
    )
    return Section(
        "Chinese",
        [
            f"{sizes}. The paper has CTB7 with 162,000 sentences, and PKU and CityU with the parts to learn "
            "from; of these only the test parts can be had, so the figures are only next to each other and "
            "cannot be compared closely. CTB6 has 24,416 sentences to learn from: with FULL=1. Marks of "
            "punctuation end words here, and count as words on both sides.",
            table(runs),
            "The paper's table 2, F1 of words in per cent (−log likelihood of held-out sentences, millions), "
            "unigram and collocation; MCMC is py-cfg with the incremental start:",
            Table(
                ("", "CTB7", "collocation", "PKU", "collocation", "CityU", "collocation"),
                [[name, *cells] for name, cells in PAPER.items()],
            ),
        ],
    )
