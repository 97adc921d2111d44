"""Chapters 3 and 4 of the thesis (Mr. LDA, hybrid inference) once more: tables and a figure, next to those of
the thesis.

`make reproduce WHAT=mr-lda` runs all parts and says first how long that takes; `FULL=1` (or --full) takes
more seeds and the whole of 20 Newsgroups. `python -m reproduce.mr_lda guided` runs one part and leaves the
others as they were. The results are printed as they come and kept in reproduce-results/ as mr-lda.json,
mr-lda.md and mr-lda.html after each part, so that a run cut short leaves what it had.
"""

from reproduce import curves, features, guided, hybrid, likelihood, mr_lda_spark, polylingual
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "K. Zhai, Models, Inference, and Implementation for Scalable Probabilistic Models of Text "
        "(University of Maryland, 2014), chapter 3: its tables and its figure, measured again, and the claim "
        "of chapter 4. TREC, the Wikipedia pairs and LIWC may not be passed on, and a cluster was not at "
        "hand: the corpora are smaller ones of the same kind, on one machine. What contradicts the thesis is "
        "printed as it came.",
        f"Measured {dates}.",
    ]


STUDY = Study(
    "mr-lda",
    "Mr. LDA, reproduced",
    introduction,
    {
        "features": Part((), (0, 0), features.measure, features.section),
        "guided": Part(("AP", "blogs", "lexicon"), (1, 1), guided.measure, guided.section),
        "polylingual": Part(
            ("LibreOffice", "manuals", "GIMP"), (7, 12), polylingual.measure, polylingual.section
        ),
        "likelihood": Part(("AP", "20 Newsgroups, whole"), (8, 30), curves.measure, likelihood.section),
        "hybrid": Part(("AP",), (5, 15), hybrid.measure, hybrid.section),
        "combining": Part(("20 Newsgroups",), (5, 15), mr_lda_spark.measure, mr_lda_spark.section),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
