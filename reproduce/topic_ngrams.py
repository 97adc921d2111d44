"""Topic n-gram language models compared with models without topics and with unigram rescaling.

`make reproduce WHAT=topic-ngrams` runs trigrams of Brown and says first how long that takes; `FULL=1` (or
--full) has the paper's sweeps, three splits, longer contexts, NIPS and, in place of the BNC, WikiText-2.
`python -m reproduce.topic_ngrams brown` runs one part and leaves the others as they were. The results are
printed as they come and kept in reproduce-results/ as topic-ngrams.json, .md and .html after each part.
"""

from reproduce.parts import Part, Study, main
from reproduce.topic_ngram_parts import measure_of, section
from reproduce.topic_ngram_texts import BROWN, NIPS, WIKITEXT


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "Topic n-gram models of H. Noji, D. Mochihashi and Y. Miyao (EMNLP 2013), section 6 there: HPYTM, "
        "topics that have nothing in common; HIERARCHICAL, whose topics draw on a model common to all; "
        "SWITCHING, where a word is of the common model or of a topic. Also: HPYLM, which knows no "
        "topics; HPYLM rescaled by the topics of LDA (RESCALING, exponent 0.7, equation 14); and HPYTM "
        "learned by moves of single words alone (HPYTM, tokens).",
        "Perplexity is exp of minus the mean log probability of the words and the ends of sentences to "
        "score; topics adapt as the words of a document come, by ten particles, resampled every ten words. "
        "Ten samples of the second half of the sweeps are used in two ways: the mean of the samples' "
        "perplexities, as in the paper, and the perplexity of the mean of their probabilities, which is "
        "never higher. Ratios are to the HPYLM's of the same kind, on the same words.",
        f"Measured {dates}; seconds are of CPU time of one thread.",
    ]


STUDY = Study(
    "topic-ngrams",
    "Topic n-gram models, reproduced",
    introduction,
    {
        "brown": Part((BROWN,), (17, 700), measure_of(BROWN), section),
        "nips": Part((NIPS,), (None, 2400), measure_of(NIPS), section),
        "wikitext": Part((WIKITEXT,), (None, 900), measure_of(WIKITEXT), section),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
