"""Adaptor grammars by Markov chain Monte Carlo: words in speech to children, and in Chinese.

`make reproduce WHAT=grammars-mcmc` says first how long it takes; `FULL=1` (or --full) has more seeds and
sweeps, and the whole of CTB6. `python -m reproduce.grammars brent` runs one part and leaves the other as it
was. The results are printed as they come and kept in reproduce-results/ as grammars.json, grammars.md and
grammars.html after each part.
"""

from reproduce import grammar_brent, grammar_chinese
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "Adaptor grammars (M. Johnson, T. Griffiths and S. Goldwater, NIPS 2007) as M. Johnson and S. "
        "Goldwater (NAACL 2009) and K. Zhai, J. Boyd-Graber and S. Cohen (TACL 2014) measured them: words "
        "are to be found in sentences without spaces. The sampler draws trees of sentences, subtrees of "
        "tables, discounts and concentrations, and integrates the weights of rules out. The start decides "
        "what is found, so every figure names it: incremental, where sentences enter one by one, or batch.",
        f"Measured {dates}; seconds are by the clock, with two runs side by side.",
    ]


STUDY = Study(
    "grammars",
    "Adaptor grammars, reproduced",
    introduction,
    {
        "brent": Part(("Brent",), (8, 26), grammar_brent.measure_all, grammar_brent.section),
        "chinese": Part(("Chinese",), (3, 30), grammar_chinese.measure_all, grammar_chinese.section),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
