"""Adaptor grammars online, by hybrid inference: words in speech to children, in Chinese, and topics.

`make reproduce WHAT=grammars-online` says first how long it takes; `FULL=1` (or --full) has more seeds,
sweeps and passes, and wider grids. `python -m reproduce.grammars_online brent` runs one part and leaves the
others as they were. The results are printed as they come and kept in reproduce-results/ as
grammars-online.json, .md and .html after each part.
"""

from reproduce import online_brent, online_chinese, online_chinese_grid, online_topics
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "K. Zhai, J. Boyd-Graber and S. Cohen, TACL 2014 (chapter 8 of K. Zhai's thesis): adaptor grammars "
        "learned online, trees drawn of each sentence inside of variational inference (ONLINE), compared "
        "with a Markov chain (MCMC) and variational inference in batches by sums over all trees "
        "(VARIATIONAL, S. Cohen, D. Blei and N. Smith, NAACL 2010). Inside calls are charts that are "
        "filled: one per sentence and pass or sweep; those of VARIATIONAL go outside, too, and count the "
        "same, as there.",
        "Sticks have the tails of counts (equation 8.12 prints the sum over all), discounts and "
        "concentrations are learned, and a corpus counts as what has been seen of it."
        f" Measured {dates}; seconds are by the clock, with two runs side by side.",
    ]


STUDY = Study(
    "grammars-online",
    "Adaptor grammars online, reproduced",
    introduction,
    {
        "brent": Part(("Brent",), (14, 60), online_brent.measure_all, online_brent.section),
        "chinese": Part(("Chinese",), (6, 60), online_chinese.measure_all, online_chinese.section),
        "chinese-grid": Part(
            ("Chinese",), (8, 150), online_chinese_grid.measure_all, online_chinese_grid.section
        ),
        "topics": Part(("de-news",), (2, 20), online_topics.measure_all, online_topics.section),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
