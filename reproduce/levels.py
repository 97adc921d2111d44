"""Do the intervals of months and authors hold the truth, if a prior has a level for each?

Documents of 25 words are drawn from three topics, by forty authors in twenty-four months: log alpha of each
topic differs between authors, and moves from month to month by a random walk. A model with
(1 | author) + walk(day, "month") is fitted as users fit it, and each 95 % interval of a share compared with
the truth:

    python -m reproduce.levels --simulations 8
"""

import argparse
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker import LDA, Corpus, VocabularyRule
from stickbreaker.topics.effects_of_prevalence import expected_shares
from stickbreaker.topics.model.priors.prevalence import LEVEL_VARIANCES

TOPICS, AUTHORS, MONTHS, WORDS = 3, 40, 24, 25
BETWEEN_AUTHORS, BETWEEN_MONTHS = 0.6, 0.2  # standard deviations of log alpha
FORMULA = '(1 | author) + walk(day, "month")'
Array = NDArray[np.float64]


class Planted(NamedTuple):
    """A corpus, and log alpha of its authors (authors × topics) and months (months × topics)."""

    corpus: Corpus
    authors: Array
    months: Array


class Held(NamedTuple):
    """The shares of the intervals of months and of authors that hold the truth, and the deviations that were
    learned between authors and between months.
    """

    months: float
    authors: float
    between_authors: float
    between_months: float


def planted(documents: int, seed: int) -> Planted:
    """Draw documents of topics whose words begin with a, b and c."""
    generator = np.random.default_rng(seed)
    months = BETWEEN_MONTHS * generator.standard_normal((MONTHS, TOPICS)).cumsum(axis=0)
    months -= months.mean(axis=0)
    authors = BETWEEN_AUTHORS * generator.standard_normal((AUTHORS, TOPICS))
    texts: list[list[str]] = []
    metadata: list[dict[str, object]] = []
    for d in range(documents):
        author, month = d % AUTHORS, int(generator.integers(MONTHS))
        theta = generator.dirichlet(np.exp(authors[author] + months[month]))
        drawn = generator.choice(TOPICS, WORDS, p=theta).tolist()
        texts.append([f"{'abc'[k]}{generator.integers(8)}" for k in drawn])
        day = f"{2000 + month // 12}-{1 + month % 12:02d}-15"
        metadata.append({"author": f"w{author:02d}", "day": day})
    return Planted(Corpus.from_tokens(texts, metadata=metadata, rule=VocabularyRule(1, 1.0)), authors, months)


def held(drawn: Planted, seed: int) -> Held:
    """Fit a model, and count the intervals that hold the truth."""
    model = LDA(TOPICS, prevalence=FORMULA, random_state=seed, n_jobs=1).fit(drawn.corpus)
    words = model.vocabulary_.words
    rows = [[w for w, word in enumerate(words) if word.startswith(first)] for first in "abc"]
    order = [int(model.topic_word_[:, own].sum(axis=1).argmax()) for own in rows]
    of_months = _share_held(
        model,
        f"day=2000-01:{2000 + (MONTHS - 1) // 12}-12",
        order,
        _shares(drawn.months + drawn.authors.mean(axis=0)),
    )
    of_authors = np.mean(
        [
            _share_held(model, f"author=w{author:02d}", order, _shares(logs[None, :]))
            for author, logs in enumerate(drawn.authors)
        ]
    )
    deviations = np.sqrt(model.learned_.params[LEVEL_VARIANCES].values)
    return Held(of_months, float(of_authors), *map(float, deviations))


def _shares(logs: Array) -> Array:
    return np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)


def _share_held(model: LDA, at: str, order: list[int], truth: Array) -> float:
    """The share of the intervals at some places (places × topics) that hold the truth."""
    found = expected_shares(model.learned_, at)
    return float(((found.low[:, order] <= truth) & (truth <= found.high[:, order])).mean())


def main() -> None:
    """Print the share of intervals that hold the truth, and the deviations that were learned."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--simulations", type=int, default=8)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [held(planted(asked.documents, seed), seed) for seed in range(asked.simulations)]
    months, authors, between_authors, between_months = np.mean(found, axis=0).tolist()
    print(f"held: {months:.3f} of months, {authors:.3f} of authors")
    planted_ones = f"{BETWEEN_AUTHORS} and {BETWEEN_MONTHS} planted"
    print(f"deviations: {between_authors:.2f} and {between_months:.2f}, {planted_ones}")


if __name__ == "__main__":
    main()
