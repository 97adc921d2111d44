"""Language models of hierarchical Pitman-Yor processes compared with Kneser-Ney: Brown, the Penn Treebank,
NIPS.

`make reproduce WHAT=ngrams` runs Brown and the Treebank and says first how long that takes; `FULL=1` (or
--full) has more splits and orders, and NIPS. `python -m reproduce.ngrams brown` runs one part and leaves the
others as they were. The results are printed as they come and kept in reproduce-results/ as ngrams.json,
ngrams.md and ngrams.html after each part, so that a run cut short leaves what it had.
"""

from reproduce import ngram_brown, ngram_gain, ngram_nips, ngram_treebank
from reproduce.parts import Part, Study, main


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "Hierarchical Pitman-Yor language models (HPYLM; Y. W. Teh, ACL 2006), of a fixed order and of "
        "unbounded order (D. Mochihashi and E. Sumita, NIPS 2008), as H. Noji, D. Mochihashi and Y. "
        "Miyao (EMNLP 2013) measured them: sections 4.3 and 6.3 there, table 2. Next to them is "
        "interpolated modified Kneser-Ney (S. Chen and J. Goodman, 1999). Both have the same words, "
        "contexts, ends of sentences and the same even distribution below the shortest context.",
        "Perplexity is exp of minus the mean log probability of the words and the ends of sentences to "
        "score.",
        f"Measured {dates}; seconds are of CPU time.",
    ]


STUDY = Study(
    "ngrams",
    "Pitman-Yor language models, reproduced",
    introduction,
    {
        "brown": Part(("Brown",), (9, 32), ngram_brown.measure_all, ngram_brown.section),
        "ptb": Part(("Penn Treebank",), (2, 3), ngram_treebank.measure_all, ngram_treebank.section),
        "gain": Part(ngram_gain.NAMES, (3, 3), ngram_gain.measure_all, ngram_gain.section),
        "nips": Part(("NIPS",), (None, 8), ngram_nips.measure_all, ngram_nips.section),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
