"""Table 3.2: twelve categories of a lexicon guide topics in news and in blogs.

LIWC may not be passed on, so that its categories are replaced by the nearest in meaning of Empath.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from reproduce.pages import Section, Table
from reproduce.paper import GUIDED
from reproduce.texts import LEXICON, texts

from stickbreaker import LDA, Corpus
from stickbreaker.corpus import Analysis, VocabularyRule
from stickbreaker.topics.evaluation import top_words_of
from stickbreaker.topics.seed_words import Guide

TOPICS, PASSES, SEED = 100, 40, 0
TOP = 20
CORPORA = ("AP", "blogs")  # in the order of the thesis's table
UNUSED, SMALL = 0.01, 0.25  # of an even share of the tokens
PAIRS = {  # LIWC's category, as the thesis names it: Empath's, and what speaks for it
    "Affective Processes": ("emotional", "the nearest: feelings of any kind"),
    "Negative Emotions": ("negative_emotion", "the same"),
    "Positive Emotions": ("positive_emotion", "the same"),
    "Anxiety": ("nervousness", "anxiety, worry, fear"),
    "Anger": ("anger", "the same"),
    "Sadness": ("sadness", "the same"),
    "Cognitive Process": ("philosophy", "reasoning, knowledge, intellect; LIWC's has verbs of thinking"),
    "Insight": ("communication", "explain, clarify, fact; LIWC's has think, know, consider"),
    "Causation": ("power", "force, control, command; LIWC's has because, effect, hence"),
    "Discrepancy": ("disappointment", "what should have been; LIWC's has should, would, could"),
    "Tentative": ("confusion", "doubt, hesitation; LIWC's has maybe, perhaps, guess"),
    "Certainty": ("trust", "assure, promise, true; LIWC's has always, never"),
}
NEAR = 6  # the first NEAR pairs have the same meaning, or nearly


@dataclass
class Guided:
    """A category in a corpus: its topic's words with the guide, and the nearest topic's without.

    `words` are the most probable; `brought` those that documents brought most often, eta left out. Numbers
    are of the top words that lie in the category; `share`: of the corpus's tokens.
    """

    corpus: str
    name: str
    category: str
    known: int  # words of the category that the vocabulary has
    words: list[str]
    brought: list[str]
    inside: int
    brought_inside: int
    share: float
    without: list[str]
    without_inside: int
    without_share: float


def guide() -> Guide:
    """The twelve categories of Empath, weighted as in section 3.3.1 (10 and 0.01)."""
    return Guide.read(LEXICON, [category for category, _ in PAIRS.values()])


def topics_of(name: str) -> tuple[list[Guided], dict[str, Any]]:
    """All categories in one corpus, from one run with the guide and one without; and what the corpus is."""
    analysis = Analysis(stemming=True)
    corpus = Corpus.from_texts(texts(name), analysis=analysis, rule=VocabularyRule(min_documents=10))
    settings: dict[str, Any] = {"max_iter": PASSES, "tol": 0.0, "random_state": SEED}
    led = LDA(TOPICS, guide=guide(), **settings).fit(corpus)
    free = LDA(TOPICS, **settings).fit(corpus)
    prior = guide().prior(corpus.vocabulary, analysis, TOPICS, 0.01)[:]
    counts = led.components_ - prior.T
    rows = []
    for topic, (meant, (category, _)) in enumerate(PAIRS.items()):
        inside = prior[:, topic] == guide().inside
        nearest = int(np.argmax(free.topic_word_[:, inside].sum(axis=1)))
        tops = {
            "words": top_words_of(led.topic_word_, TOP)[topic],
            "brought": top_words_of(counts, TOP)[topic],
            "without": top_words_of(free.topic_word_, TOP)[nearest],
        }
        words = {key: [corpus.vocabulary.words[row] for row in top] for key, top in tops.items()}
        within = {key: int(inside[top].sum()) for key, top in tops.items()}
        rows.append(
            Guided(
                corpus=name,
                name=meant,
                category=category,
                known=int(inside.sum()),
                inside=within["words"],
                brought_inside=within["brought"],
                without_inside=within["without"],
                share=float(led.topic_shares_[topic]),
                without_share=float(free.topic_shares_[nearest]),
                **words,
            )
        )
    about = {"documents": corpus.n_documents, "words": corpus.n_words, "tokens": corpus.n_tokens}
    return rows, about


def measure(full: bool) -> dict[str, Any]:
    """Both corpora; the thesis has no larger setting, so that `full` makes no difference."""
    rows, corpora = [], {}
    for name in CORPORA:
        found, corpora[name] = topics_of(name)
        rows += [asdict(row) for row in found]
        for row in found:
            print(f"{name}, {row.name}: {' '.join(row.brought[:8])}", flush=True)
    return {"rows": rows, "corpora": corpora}


def section(data: dict[str, Any]) -> Section:
    """The table as the thesis has it, the pairing, and what can be counted."""
    pairs = [[meant, category, why] for meant, (category, why) in PAIRS.items()]
    return Section(
        "Table 3.2: topics guided by a lexicon",
        [
            f"K = {TOPICS}, {PASSES} passes, twelve topics guided with η = 10 inside the category and 0.01 "
            "outside (section 3.3.1), words stemmed. The thesis has TREC and ten million posts of "
            "BlogAuthorship; here are "
            + " and ".join(
                f"{about['documents']:,} documents of {name} ({about['tokens']:,.0f} tokens, "
                f"{about['words']:,} words)"
                for name, about in data["corpora"].items()
            )
            + ", the former a part of TREC, the latter a sample of the same blogs.",
            "LIWC's categories are replaced by the nearest in meaning of Empath, an open lexicon. The first "
            f"{NEAR} mean the same, or nearly. Empath has no words of thinking and arguing, so that the last "
            f"{len(PAIRS) - NEAR} are far from LIWC's, and their topics should not be expected to be the "
            "thesis's.",
            Table(("LIWC, in the thesis", "Empath, here", "common ground"), pairs),
            "Eight words per topic, as in the thesis. “Probable” are the first by probability, “brought” by "
            "what the documents added to the prior. In the thesis the two are hardly different: its corpora "
            "are so "
            "large that 10 added to a word's count is little. " + _weight_of_prior(data),
            Table(
                (
                    "category",
                    "news: thesis",
                    "news: probable",
                    "news: brought",
                    "blogs: thesis",
                    "blogs: probable",
                    "blogs: brought",
                ),
                [_words(name, data["rows"]) for name in PAIRS],
            ),
            "Of the twenty first words, how many lie in the category: of the guided topic, by probability "
            "and by what documents brought, and of the topic of a run without a guide that gives the "
            "category most probability. “Share” is of the corpus's tokens; an even share is 0.010. "
            "The last column counts the thesis's eight words among the twenty brought.",
            Table(
                (
                    "corpus",
                    "category",
                    "words known",
                    "guided",
                    "brought",
                    "without guide",
                    "share",
                    "share without",
                    "thesis's words",
                ),
                [_counts(row) for row in data["rows"]],
            ),
            *_findings(data["rows"]),
        ],
    )


def _weight_of_prior(data: dict[str, Any]) -> str:
    """The weight of the prior compared with the documents."""
    told = []
    for corpus, about in data["corpora"].items():
        known = np.mean([row["known"] for row in data["rows"] if row["corpus"] == corpus])
        weight, even = guide().inside * known, about["tokens"] / TOPICS
        told.append(f"{weight:,.0f} tokens, compared with the {even:,.0f} of an even share in {corpus}")
    return f"Here the prior of a category weighs, on average, as much as {' and '.join(told)}."


def _words(name: str, rows: list[dict[str, Any]]) -> list[str]:
    cells = [name]
    for corpus, paper in zip(CORPORA, GUIDED[name], strict=True):
        row = next(row for row in rows if (row["corpus"], row["name"]) == (corpus, name))
        cells += [paper or "(not used)", " ".join(row["words"][:8]), " ".join(row["brought"][:8])]
    return cells


def _counts(row: dict[str, Any]) -> list[Any]:
    names = (
        "corpus",
        "name",
        "known",
        "inside",
        "brought_inside",
        "without_inside",
        "share",
        "without_share",
    )
    return [*(row[name] for name in names), _of_thesis(row)]


def _of_thesis(row: dict[str, Any]) -> int | None:
    """How many of the thesis's eight words are among the twenty that documents brought."""
    paper = GUIDED[row["name"]][CORPORA.index(row["corpus"])].split()
    return len({*paper} & {*row["brought"]}) if paper else None


def _findings(rows: list[dict[str, Any]]) -> list[str | Table]:
    """The thesis's statements, and whether they hold."""
    told: list[list[Any]] = []
    for corpus in CORPORA:
        here = [row for row in rows if row["corpus"] == corpus]
        inside, bare = [row["brought_inside"] for row in here], [row["without_inside"] for row in here]
        told.append(
            [
                "“the prior acts as a seed, causing words used in similar contexts to become part of the "
                "topic”",
                f"{corpus}: of 20 words that documents brought {np.mean(inside):.1f} are in the category and "
                f"{TOP - np.mean(inside):.1f} are not ({TOP - max(inside)} to {TOP - min(inside)}); the "
                f"nearest topics without a guide have {np.mean(bare):.1f} in it",
                bool(np.mean(bare) < np.mean(inside) < TOP - 2),
            ]
        )
        shares = [row["share"] for row in here]
        unused, small = (sum(share < part / TOPICS for share in shares) for part in (UNUSED, SMALL))
        told.append(
            [
                "“the model chose not to use topics with ill-fitting priors”",
                f"{corpus}: {unused} of 12 have less than a hundredth of an even share, {small} less than a "
                f"quarter; the smallest is {min(shares):.4f}, the mean {np.mean(shares):.4f}",
                "yes" if unused else "no: small, but used",
            ]
        )
    by_corpus = [[row for row in rows if row["corpus"] == corpus] for corpus in CORPORA]
    same = [len({*a["brought"]} & {*b["brought"]}) for a, b in zip(*by_corpus, strict=True)]
    told.append(
        [
            "the same category is expressed by other words in news than in blogs",
            f"{np.mean(same):.1f} of 20 words that documents brought are the same in both corpora",
            bool(np.mean(same) < TOP / 2),
        ]
    )
    shared = [shared for shared in map(_of_thesis, rows) if shared is not None]
    told.append(
        [
            "the themes themselves: positive emotions are entertainment in news and religion in blogs, "
            "anxiety is the Middle East and illness, causation is science and technology",
            f"{sum(shared)} of the {8 * len(shared)} words that the thesis prints are among the twenty",
            bool(sum(shared) > 4 * len(shared)),
        ]
    )
    return [
        "What the thesis says of the table:",
        Table(("thesis", "here", "holds"), told),
        "The themes follow the corpus, its years and the lexicon. The small topics are not the ill-fitting "
        "ones alone: likely, the weight of the prior holds all of them near their categories.",
    ]
