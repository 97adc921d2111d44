"""Bryant & Sudderth (2012), online split-merge inference for the HDP, once more: Figure 2 and its claims.

`make reproduce WHAT=hdp` runs all parts and says first how long that takes; `FULL=1` (or --full) has the
paper's sizes and more seeds. `python -m reproduce.hdp bars prior` runs some parts and leaves the others as
they were. The results are printed as they come and kept in reproduce-results/ as hdp.json, hdp.md and
hdp.html after each part, so that a run cut short leaves what it had.
"""

from reproduce import hdp_auto, hdp_bars, hdp_nips, hdp_prior, hdp_stream
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "M. Bryant and E. B. Sudderth, Truly nonparametric online variational inference for hierarchical "
        "Dirichlet processes (NIPS 2012), section 4: measured again. The paper prints curves and no figures; "
        "its claims stand next to our results, whatever those say. Its Figure 2 has three rows (held-out "
        "score and topics used against documents seen, one against the other) and three columns, one a "
        "section below.",
        "One score for all: 80 % of each test document is seen, the other 20 % are predicted, nats per word. "
        "Only topics in use count. Documents are folded in by one inference, with a symmetric Dirichlet "
        "prior whose sum is that of the data's own (of NIPS, 10), whichever method made the topics.",
        f"Measured {dates}; seconds are of CPU time, without scoring.",
    ]


STUDY = Study(
    "hdp",
    "Split-merge inference for the HDP, reproduced",
    introduction,
    {
        "bars": Part((), (6, 18), hdp_bars.measure, hdp_bars.section),
        "nips": Part(("NIPS",), (10, 1700), hdp_nips.measure, hdp_nips.section),
        "nips-long": Part(("NIPS",), (None, 40), hdp_nips.measure_long, hdp_nips.section_long),
        "stream": Part((), (3, 15), hdp_stream.measure, hdp_stream.section),
        "auto": Part(
            ("AP", "de-news", "NIPS", "20 Newsgroups", "blogs"), (20, 42), hdp_auto.measure, hdp_auto.section
        ),
        "prior": Part((), (2, 70), hdp_prior.measure, hdp_prior.section),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
