"""Topics as domains of translation: lexicons by topic of five sets of sentence pairs (thesis, section 5.3).

`make reproduce WHAT=translation` says first how long it takes; `FULL=1` (or --full) has every model by every
way of inference with five seeds, and Chinese and English. `python -m reproduce.translation lexicons` runs one
part and leaves the others as they were. The results are printed as they come and kept in reproduce-results/
as translation.json, translation.md and translation.html after each part.
"""

from reproduce.parts import Study, main
from reproduce.translation_lexicons import PART, PART_CHINESE
from reproduce.translation_phrases import PART as PHRASES
from reproduce.translation_phrases import PART_CHINESE as PHRASES_CHINESE


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "Topics as domains (K. Zhai, thesis of 2014, section 5.3; Hu, Zhai, Eidelman and Boyd-Graber, ACL "
        "2014). The thesis has 1.6 million pairs of sentences of news, a hierarchical grammar decoded by "
        "cdec, MIRA, a trigram model of English, and NIST's test sets with four references. BLEU is up to "
        "1.2 above a system without topics; LDA is below pLDA and tLDA, ptLDA with a dictionary above all, "
        "ptLDA with aligned pairs below that.",
        f"Measured {dates}; seconds are by the clock, with two runs side by side.",
    ]


STUDY = Study(
    "translation",
    "Translation by topics, reproduced",
    introduction,
    {"lexicons": PART, "phrases": PHRASES, "lexicons-zh": PART_CHINESE, "phrases-zh": PHRASES_CHINESE},
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
