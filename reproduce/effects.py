"""Do the 95 % intervals of effects of metadata hold the truth 95 times of 100?

Documents of two groups are drawn from three topics of 60 words; the first topic's expected share differs
between the groups by a known effect. Models are fitted as users fit them, topics included, and every interval
is compared with the effect:

    python -m reproduce.effects --words 15 50 --documents 200 1000 --effect 0 0.15 --out intervals.jsonl

Three ways: the prior of a model with `prevalence`, without and with the author (`pooled`, for `--authors`),
and `effect` with a formula after a fit without it. Each interval is written to the file as soon as it is
known, and those that it has already are not computed again.
"""

import argparse
import json
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker import LDA, Corpus, VocabularyRule
from stickbreaker.testing.planted import matched
from stickbreaker.topics.effects_of_metadata import effects_of_metadata
from stickbreaker.topics.effects_of_prevalence import expected_shares

TOPICS, WORDS, CONCENTRATION = 3, 60, 3.0
SPREAD = 0.5  # standard deviation of log alpha between authors


class Groups(NamedTuple):
    """A corpus of two groups of documents, and the topics from which it was drawn (topics × words)."""

    corpus: Corpus
    topics: NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate of the effect, with its 95 % interval."""

    estimate: float
    low: float
    high: float


def two_groups(
    words: int,
    documents: int,
    effect: float,
    seed: int,
    own: float = 1.0,
    authors: int = 0,
    concentration: float = CONCENTRATION,
) -> Groups:
    """Draw `documents` documents of `words` words each, half of them with party=a and half with party=b.

    Topic shares are Dirichlet draws with the sum `concentration`; the expected share of the first topic is
    1/3 - effect/2 or 1/3 + effect/2, the others share the rest. own: the probability of a topic's own third
    of the words. Below 1, purer topics explain the same documents with an effect of own - (1 - own) / 2
    times this one, and are often learned. authors: if above 0, documents are by as many authors, each of one
    party, and log alpha of each topic differs between authors of a party by a normal draw (`SPREAD`).
    """
    generator, width = np.random.default_rng(seed), WORDS // TOPICS
    topics = np.full((TOPICS, WORDS), (1.0 - own) / (WORDS - width))
    for k in range(TOPICS):
        topics[k, k * width : (k + 1) * width] = own / width
    group = np.arange(documents) % 2
    first = 1.0 / TOPICS + effect * (group - 0.5)
    shares = np.column_stack([first, *[(1.0 - first) / (TOPICS - 1)] * (TOPICS - 1)])
    author = np.arange(documents) % max(authors, 1)
    apart = SPREAD * generator.standard_normal((authors, TOPICS)) if authors else np.zeros((1, TOPICS))
    texts: list[list[str]] = []
    for row in shares * np.exp(apart[author]):
        counts = generator.multinomial(words, generator.dirichlet(concentration * row))
        drawn = [generator.choice(WORDS, n, p=topics[k]) for k, n in enumerate(counts)]
        texts.append([f"w{w:02d}" for w in np.concatenate(drawn)])
    metadata = [{"party": "ab"[d % 2], "author": f"w{a}"} for d, a in enumerate(author.tolist())]
    return Groups(Corpus.from_tokens(texts, metadata=metadata, rule=VocabularyRule(1, 1.0)), topics)


def of_prior(groups: Groups, inference: str, seed: int, formula: str = "party") -> Interval:
    """The effect by a model whose prior depends on the group."""
    model = LDA(TOPICS, prevalence=formula, inference=inference, random_state=seed, n_jobs=1)
    model.fit(groups.corpus)
    found, k = expected_shares(model.learned_), _first_topic(model, groups)
    place = 1 - found.places[0].reference  # two levels, of which one is the reference
    sign = 1.0 if found.places[place].values == {"party": "b"} else -1.0
    ends = sorted((sign * found.difference_low[place, k], sign * found.difference_high[place, k]))
    return Interval(sign * float(found.differences[place, k]), *ends)


def of_pooled(groups: Groups, inference: str, seed: int) -> Interval:
    """The effect by a model whose prior also depends on the author."""
    return of_prior(groups, inference, seed, "party + (1 | author)")


def of_composition(groups: Groups, inference: str, seed: int) -> Interval:
    """The effect by a regression of the shares of a model that knows no groups."""
    model = LDA(TOPICS, inference=inference, random_state=seed, n_jobs=1).fit(groups.corpus)
    formula = 'C(party, contr.treatment("a"))'
    effects, k = (
        effects_of_metadata(model.learned_, groups.corpus, formula, seed=seed).effects,
        _first_topic(model, groups),
    )
    return Interval(*(float(one[k, 1]) for one in (effects.estimates, effects.low, effects.high)))


def _first_topic(model: LDA, groups: Groups) -> int:
    """The number of the model's topic that is the first of those planted."""
    order = model.vocabulary_.lookup([f"w{w:02d}" for w in range(WORDS)])
    known = order >= 0
    found = np.zeros((TOPICS, WORDS))
    found[:, known] = model.topic_word_[:, order[known]]
    return int(matched(found, groups.topics)[0][0])


class Cell(NamedTuple):
    """A cell of the table of results: what was drawn (`two_groups`), and how the effect was estimated."""

    words: int
    documents: int
    effect: float
    own: float
    inference: str
    way: str
    authors: int = 0


WAYS = {"prior": of_prior, "composition": of_composition, "pooled": of_pooled}


def simulate(cell: Cell, seed: int) -> Interval:
    """The interval of one simulation."""
    groups = two_groups(cell.words, cell.documents, cell.effect, seed, cell.own, cell.authors)
    return WAYS[cell.way](groups, cell.inference, seed)


def read_intervals(file: Path) -> dict[tuple[Cell, int], Interval]:
    """The intervals that a file has, by cell and seed; none if there is no file."""
    lines = file.read_text().splitlines() if file.exists() else []
    found: dict[tuple[Cell, int], Interval] = {}
    for line in lines:
        cell, seed, interval = json.loads(line)
        found[Cell(*cell), seed] = Interval(*interval)
    return found


def table_of(found: dict[tuple[Cell, int], Interval]) -> Iterator[str]:
    """For each cell a line of a table in Markdown: mean estimate, mean width, and how many intervals hold the
    effect.
    """
    yield f"| {' | '.join(Cell._fields)} | mean estimate | width | hold it |"
    yield "|---" * (len(Cell._fields) + 3) + "|"
    for cell in sorted({cell for cell, _ in found}):
        own = np.array([interval for (other, _), interval in found.items() if other == cell])
        held = int(((own[:, 1] <= cell.effect) & (cell.effect <= own[:, 2])).sum())
        figures = f"{own[:, 0].mean():.3f} | {(own[:, 2] - own[:, 1]).mean():.3f} | {held} of {len(own)}"
        yield f"| {' | '.join(map(str, cell))} | {figures} |"


def main() -> None:
    """Print, for each cell, the mean estimate and how many intervals hold the effect."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, nargs="+", default=[15])
    parser.add_argument("--documents", type=int, nargs="+", default=[1000])
    parser.add_argument("--effect", type=float, nargs="+", default=[0.15])
    parser.add_argument("--own", type=float, nargs="+", default=[1.0])
    parser.add_argument("--inference", nargs="+", default=["mean-field"])
    parser.add_argument("--ways", nargs="+", default=["prior", "composition"], choices=list(WAYS))
    parser.add_argument("--authors", type=int, default=0)
    parser.add_argument("--simulations", type=int, default=40)
    parser.add_argument("--out", type=Path, default=Path("intervals.jsonl"))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = read_intervals(asked.out)
    grid = product(asked.documents, asked.words, asked.effect, asked.own, asked.inference, asked.ways)
    cells = [Cell(words, documents, *rest, asked.authors) for documents, words, *rest in grid]
    for cell in cells:
        for seed in range(asked.simulations):
            if (cell, seed) not in found:
                found[cell, seed] = simulate(cell, seed)
                with asked.out.open("a") as file:
                    file.write(json.dumps([cell, seed, found[cell, seed]]) + "\n")
    print("\n".join(table_of({(cell, seed): one for (cell, seed), one in found.items() if cell in cells})))


if __name__ == "__main__":
    main()
