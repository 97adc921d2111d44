"""Syntactic topics compared with their two limits: hidden states in trees, and topics without grammar.

`make reproduce WHAT=syntax` runs the planted language, the sample of the Penn Treebank, English EWT and
French Sequoia, and says first how long that takes; `FULL=1` (or --full) has more sweeps. `python -m
reproduce.syntax sample` runs one part and leaves the others as they were. The results are printed as they
come and kept in reproduce-results/ as syntax.json, syntax.md and syntax.html after each part, so that a run
cut short leaves what it had.
"""

from reproduce import syntax_planted, syntax_tables
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "The syntactic topic model (STM; K. Zhai, J. Boyd-Graber and D. Blei) compared with its limits: "
        "ITIC, hidden states in trees that know no documents, and HDP, topics that know no grammar. All "
        "three are learned by the same chain, with the same number of sweeps and the library's defaults.",
        "Perplexity is exp of minus the mean log probability of the known words in even-numbered sentences "
        "of test documents. Shares of a document are drawn from its odd-numbered sentences, topics of trees "
        "are summed exactly, probabilities averaged over samples.",
        f"Measured {dates}; seconds are of CPU time.",
    ]


STUDY = Study(
    "syntax",
    "Syntactic topics, reproduced",
    introduction,
    {
        "planted": Part((), (2, 6), syntax_planted.measure_all, syntax_planted.section),
        "sample": Part(("treebank sample",), (9, 34), syntax_tables.measure_sample, syntax_tables.section),
        "ewt": Part(("EWT",), (18, 45), syntax_tables.measure_ewt, syntax_tables.section),
        "sequoia": Part(("Sequoia",), (2, 6), syntax_tables.measure_sequoia, syntax_tables.section),
        "paper": Part(
            ("treebank sample",), (6, 18), syntax_tables.measure_preparation, syntax_tables.section
        ),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
