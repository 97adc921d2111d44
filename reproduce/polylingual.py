"""Table 3.3: topics of aligned pages in several languages, K = 50, 33 passes, compared with a plain LDA.

The plain LDA sees the same documents, words tagged with their language, as words of one vocabulary: a topic
is one distribution over all languages. Both learn with the same settings, tried and chosen alike.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from reproduce.pages import Section, Table
from reproduce.paper import POLYLINGUAL
from reproduce.texts import PAGES, Page, cut, pages
from scipy.sparse import csr_matrix

from stickbreaker import LDA, Corpus
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Analysis
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.text.segmentation import has_icu
from stickbreaker.topics.evaluation import (
    Topics,
    both_sides,
    compare_sides,
    cross_lingual_npmi,
    top_words_of,
)

TOPICS, PASSES = 50, 33
ETAS = (0.01, 0.1, "learned")  # tried; the best on the dev pages is reported on the test pages
LINKED = (1.0, 0.25)
PARTS = (0.2, 0.1)  # of the pages: for the test, and for choosing eta
MODELS = ("polylingual", "one multinomial")
SHOWN = ("LibreOffice", "en", "de")  # of whose topics the table shows the ten best, and by which pair


@dataclass
class Aligned:
    """One model of one corpus: means over seeds and pairs of languages, on the test pages."""

    corpus: str
    model: str
    linked: float
    etas: list[Any]  # chosen, a seed each
    documents: float
    mrr: float
    mrr_en_de: float
    chance: float
    npmi: float
    per_seed: list[float]  # MRR


@dataclass
class Shown:
    """A topic side by side: its words in each language, and the NPMI between two of them."""

    npmi: float
    words: dict[str, list[str]]


def analysis() -> Analysis:
    """As it is for every language: Chinese by ICU's words where they can be had, by characters elsewhere."""
    return Analysis(segmentation="icu" if has_icu() else "language")


def unlinked(documents: list[Page], linked: float, seed: int) -> list[Page]:
    """The same pages, of which only a share keeps its sides together; others become a document a side."""
    draw = stream(seed, "links").permutation(len(documents))
    together = set(draw[: round(linked * len(documents))].tolist())
    parts: list[Page] = []
    for number, page in enumerate(documents):
        parts += [page] if number in together else [{code: text} for code, text in page.items()]
    return parts


def one_vocabulary(corpus: Corpus) -> Corpus:
    """The same bags without languages: "de:haus" is a word like any other."""
    bags = joined(corpus)
    shape = (len(bags.unseen), corpus.n_words)
    return Corpus.from_matrix(
        csr_matrix((bags.counts, bags.words, bags.offsets), shape), corpus.vocabulary.words
    )


def fitted(model: str, corpus: Corpus, eta: Any, seed: int) -> LDA:
    """One of the two models, learned from a polylingual corpus."""
    learned = LDA(TOPICS, eta=eta, max_iter=PASSES, tol=0.0, random_state=seed)
    return learned.fit(corpus if model == MODELS[0] else one_vocabulary(corpus))


def topics_of(model: str, corpus: Corpus, eta: Any, seed: int) -> Topics:
    """A fitted model as the scorers take it, rows summing to one in each language."""
    learned = fitted(model, corpus, eta, seed)
    topic_word = learned.topic_word_.copy()
    for rows in corpus.vocabulary.ranges.values():
        topic_word[:, rows] /= topic_word[:, rows].sum(axis=1, keepdims=True)
    return Topics(topic_word, learned.alpha_, corpus.vocabulary, learned.learned_.shares_of_bags)


def results(name: str, seeds: tuple[int, ...]) -> Iterator[Aligned | list[Shown]]:
    """Both models with all and with a quarter of the pages linked; for one corpus, topics side by side."""
    test, dev, train = cut(pages(name), *PARTS)
    whole = Corpus.from_texts(train, analysis=analysis())  # its vocabulary serves every run
    alike = {"analysis": whole.analysis, "vocabulary": whole.vocabulary}
    seen = [Corpus.from_texts(part, **alike) for part in (dev, test)]
    everything = Bags.join([joined(corpus) for corpus in (whole, *seen)])
    for linked in LINKED:
        for model in MODELS:
            runs = []
            for seed in seeds:
                corpus = Corpus.from_texts(unlinked(train, linked, seed), **alike)
                tries = {eta: topics_of(model, corpus, eta, seed) for eta in ETAS}
                scores = {eta: _mrr(tries[eta], seen[0]) for eta in ETAS}
                best = max(ETAS, key=lambda eta: scores[eta])
                runs.append((best, tries[best]))
            yield _measured(name, model, linked, runs, seen[1], everything)
            if name == SHOWN[0] and model == "polylingual" and linked == 1.0:
                yield _side_by_side(runs[0][1], everything)


def apart(name: str, linked: float) -> dict[str, float]:
    """For each model, the share of tokens in topics of which nine tenths are one language."""
    train = cut(pages(name), *PARTS)[-1]
    whole = Corpus.from_texts(train, analysis=analysis())
    alike = {"analysis": whole.analysis, "vocabulary": whole.vocabulary}
    corpus = Corpus.from_texts(unlinked(train, linked, 0), **alike)
    shares = {}
    for model in MODELS:
        learned = fitted(model, corpus, ETAS[0], 0)
        counts = learned.components_ - ETAS[0]
        sides = np.stack([counts[:, rows].sum(axis=1) for rows in corpus.vocabulary.ranges.values()])
        alone = sides.max(axis=0) > 0.9 * sides.sum(axis=0)
        shares[model] = float(sides[:, alone].sum() / sides.sum())
    return shares


def _measured(
    name: str, model: str, linked: float, runs: list[tuple[Any, Topics]], test: Corpus, everything: Bags
) -> Aligned:
    sides = [compare_sides(topics, test) for _, topics in runs]
    npmi = [
        _npmi(topics, pair, everything).mean()
        for (_, topics), one in zip(runs, sides, strict=True)
        for pair in one
    ]
    per_seed = [float(np.mean([side.mrr for side in one.values()])) for one in sides]
    return Aligned(
        name,
        model,
        linked,
        [eta for eta, _ in runs],
        float(np.mean([side.documents for side in sides[0].values()])),
        float(np.mean(per_seed)),
        float(np.mean([one["de", "en"].mrr for one in sides])),
        float(np.mean([side.chance for side in sides[0].values()])),
        float(np.mean(npmi)),
        per_seed,
    )


def _side_by_side(topics: Topics, everything: Bags) -> list[Shown]:
    """The ten topics whose top words keep company best across two languages."""
    scores = _npmi(topics, (SHOWN[1], SHOWN[2]), everything)
    vocabulary = topics.vocabulary
    shown = []
    for topic in np.argsort(-scores, kind="stable")[:10].tolist():
        words = {
            code: [vocabulary.spelled[row] for row in top_words_of(topics.topic_word, 10, rows)[topic]]
            for code, rows in vocabulary.ranges.items()
        }
        shown.append(Shown(float(scores[topic]), words))
    return shown


def _npmi(topics: Topics, pair: tuple[str, str], everything: Bags) -> np.ndarray:
    """For each topic, counted in all aligned pages of the corpus, linked or not in training."""
    rows = [topics.vocabulary.ranges[code] for code in pair]
    tops = [top_words_of(topics.topic_word, 10, side) for side in rows]
    aligned = both_sides(everything, *rows)
    return cross_lingual_npmi(tops[0], tops[1], [aligned], len(topics.vocabulary)).per_topic


def _mrr(topics: Topics, corpus: Corpus) -> float:
    return float(np.mean([side.mrr for side in compare_sides(topics, corpus).values()]))


def joined(corpus: Corpus) -> Bags:
    """All documents of a corpus."""
    return Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])


def measure(full: bool) -> dict[str, Any]:
    """Every corpus; rows and topics are printed as they come."""
    rows, shown = [], []
    for name in PAGES:
        seeds = (0, 1, 2) if full or name != SHOWN[0] else (0,)
        for result in results(name, seeds):
            if isinstance(result, list):
                shown = [asdict(topic) for topic in result]
                continue
            rows.append(asdict(result))
            print(
                f"{name}, {result.model}, {result.linked:.0%} linked: MRR {result.mrr:.3f} "
                f"(chance {result.chance:.3f}), cross-lingual NPMI {result.npmi:.3f}",
                flush=True,
            )
    return {"rows": rows, "shown": shown, "apart": {name: apart(name, LINKED[-1]) for name in PAGES}}


def section(data: dict[str, Any]) -> Section:
    """Topics side by side, then the figures."""
    codes = sorted(data["shown"][0]["words"], key=lambda code: (code != "en", code))
    topics = [[topic["npmi"], *(" ".join(topic["words"][code]) for code in codes)] for topic in data["shown"]]
    return Section(
        "Table 3.3: topics in several languages",
        [
            f"K = {TOPICS}, {PASSES} passes, as in the thesis, which has more than half a million pairs of "
            "English and German Wikipedia articles. Here: help pages of LibreOffice (English, German, "
            "Chinese), manuals (English, German, French, Spanish) and help of GIMP (English, German). From "
            "the thesis, a few words of five of its topics:",
            Table(("English", "German"), POLYLINGUAL),
            f"The ten topics of {SHOWN[0]} whose words keep company best across English and German (NPMI), "
            "all pages linked. The pages are translations, so that there are none of the thesis's "
            "differences by culture (Vienna among the German words of music).",
            Table(("NPMI", *codes), topics),
            "Measured: a fifth of the pages is kept for the test. From one side of a page its topics are "
            "inferred, and all other sides ranked by them: MRR is the mean reciprocal rank of its own. NPMI "
            "of the ten first words of each topic with those of the other language, over all pages. Both "
            "are means over pairs of languages and seeds. “25 % linked”: three pages in four are cut into a "
            "document a language. “One multinomial” is plain LDA over the joined documents, where “de:haus” "
            f"is a word like any other. η of either is the best of {len(ETAS)} tries on pages of their own, "
            "α is learned.",
            Table(
                (
                    "corpus",
                    "linked",
                    "model",
                    "pages",
                    "MRR",
                    "MRR en–de",
                    "chance",
                    "NPMI",
                    "η chosen",
                    "MRR a seed",
                ),
                [_row(row) for row in data["rows"]],
            ),
            *_findings(data["rows"]),
            "One multinomial suffices where every page is linked: a topic then has all languages anyway. "
            f"Where few are, it gives each language topics of its own. Of the tokens, {LINKED[-1]:.0%} "
            "linked, those in topics of which nine tenths are one language: " + _apart(data["apart"]) + ".",
        ],
    )


def _row(row: dict[str, Any]) -> list[Any]:
    etas = ", ".join(dict.fromkeys(str(eta) for eta in row["etas"]))
    seeds = ", ".join(f"{mrr:.3f}" for mrr in row["per_seed"])
    return [
        row["corpus"], f"{row['linked']:.0%}", row["model"], round(row["documents"]), row["mrr"],
        row["mrr_en_de"], row["chance"], row["npmi"], etas, seeds,
    ]  # fmt: skip


def _findings(rows: list[dict[str, Any]]) -> list[str | Table]:
    """The thesis's statements, and what it could have measured."""
    whole = [row for row in rows if row["model"] == MODELS[0] and row["linked"] == 1.0]
    told: list[list[Any]] = [
        [
            "topics are “similar for both English and German”",
            "; ".join(f"{row['corpus']} MRR {row['mrr']:.3f} (chance {row['chance']:.3f})" for row in whole),
            all(row["mrr"] > 10 * row["chance"] for row in whole),
        ]
    ]
    for linked in LINKED:
        for score in ("mrr", "npmi"):
            pairs = {row["corpus"]: [one[score] for one in rows if _same(row, one, linked)] for row in rows}
            better = sum(ours > theirs for ours, theirs in pairs.values())
            told.append(
                [
                    f"not in the thesis: a distribution a language is better than one over all, {linked:.0%} "
                    f"linked, by {score.upper()}",
                    "; ".join(f"{name} {a:.3f} against {b:.3f}" for name, (a, b) in pairs.items()),
                    "yes" if better == len(pairs) else f"in {better} of {len(pairs)}",
                ]
            )
    return [
        "What the thesis says of the table, and what it could have measured:",
        Table(("thesis", "here", "holds"), told),
    ]


def _apart(shares: dict[str, dict[str, float]]) -> str:
    return "; ".join(
        f"{name} {one[MODELS[1]]:.0%} with one multinomial, {one[MODELS[0]]:.0%} with one per language"
        for name, one in shares.items()
    )


def _same(row: dict[str, Any], other: dict[str, Any], linked: float) -> bool:
    return other["corpus"] == row["corpus"] and other["linked"] == linked
