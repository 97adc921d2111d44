"""Chapter 7 of the thesis once more: online LDA with an infinite vocabulary; Table 7.1, Figures 7.3 to 7.6.

`make reproduce WHAT=open-vocabulary` runs all parts and says first how long that takes; `FULL=1` (or --full)
has the paper's grids and more seeds. `python -m reproduce.open_vocabulary denews` runs one part and leaves
the others as they were. The results are printed as they come and kept in reproduce-results/ as
open-vocabulary.json, .md and .html after each part, so that a run cut short leaves what it had.
"""

from reproduce import open_coherence, open_newsgroups
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "K. Zhai, Models, Inference, and Implementation for Scalable Probabilistic Models of Text "
        "(University of Maryland, 2014), chapter 7 (K. Zhai and J. Boyd-Graber, ICML 2013): section 7.5, "
        "measured again. The claims stand next to our results, whatever those say.",
        f"Measured {dates}; seconds are of CPU time of one thread.",
    ]


STREAMS = ("20 Newsgroups, whole", "dictionary")
STUDY = Study(
    "open-vocabulary",
    "Online LDA with an infinite vocabulary, reproduced",
    introduction,
    {
        "newsgroups": Part(STREAMS, (30, 1000), open_newsgroups.measure, open_newsgroups.section),
        "denews": Part(("de-news", "WikiText-2"), (8, 70), open_coherence.de_news, open_coherence.section),
        "newsgroups-coherence": Part(
            (*STREAMS, "WikiText-2"), (5, 220), open_coherence.newsgroups, open_coherence.section
        ),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
