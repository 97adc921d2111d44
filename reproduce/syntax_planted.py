"""The planted language of the paper's Table 1: which model finds its parts of speech and its themes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side
from reproduce.planted_language import TAGS, VOCABULARY, PlantedLanguage, plant_language
from reproduce.syntax_runs import MODELS

from stickbreaker import Analysis, Corpus, SyntacticTopics, VocabularyRule
from stickbreaker.corpus import Document
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.syntax.model.syntax_chain import KEPT

TOPICS, CHAINS, SWEEPS, DOCUMENTS = 16, 6, 200, 100


class Plan(NamedTuple):
    """A model, and how much it reads and how long."""

    model: str
    sweeps: int
    documents: int


class Found(NamedTuple):
    """What a model predicts of new documents, and its topics: share, tag and its share, words."""

    model: str
    perplexity: float
    best: float  # of the chain with the best score alone
    oracle: float
    topics: list[tuple[float, str, float, list[str]]]
    by_tag: dict[str, float]  # perplexity of each part of speech, by the best chain


def corpus_of(language: PlantedLanguage) -> Corpus:
    """The documents as a corpus."""
    trees, documents = language.trees, []
    for first, last in zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist(), strict=True):
        starts = trees.starts[(trees.starts >= first) & (trees.starts < last)] - first
        documents.append(
            Document(
                None,
                tokens=[VOCABULARY[word] for word in trees.words[first:last].tolist()],
                heads=trees.heads[first:last].tolist(),
                tags=[TAGS[tag] for tag in trees.tags[first:last].tolist()],
                sentences=starts.tolist(),
            )
        )
    analysis = analysis_of_all_words(Analysis(language=None, lowercase=False), "spaced")
    return Corpus.from_documents(documents, analysis=analysis, rule=VocabularyRule(1, 1.0))


def learn(plan: Plan) -> Found:
    """Learn from some documents and predict the sentences of others."""
    train, test = plant_language(plan.documents, seed=0), plant_language(max(10, plan.documents // 4), seed=1)
    if plan.model == "unigram":
        counts = np.bincount(train.trees.words, minlength=len(VOCABULARY))
        nats = np.log(counts / counts.sum())[test.trees.words].mean()
        p = float(np.exp(-nats))
        return Found("unigram", p, p, _oracle(test), [], {})
    model = SyntacticTopics(
        TOPICS, limit=MODELS[plan.model], max_iter=plan.sweeps, chains=CHAINS, random_state=0, n_jobs=1
    ).fit(corpus_of(train))
    topics = []
    for k in model.learned_.topics_in_use:
        tag = int(model.topic_tags_[k].argmax())
        words = model.top_words(5)[k]
        topics.append(
            (float(model.topic_shares_[k]), model.tags_[tag], float(model.topic_tags_[k, tag]), words)
        )
    new, held = corpus_of(test).with_vocabulary(model.vocabulary_), model.learned_.samples
    pooled = model.perplexity(new)
    of_best = replace(held, **{name: getattr(held, name)[: held.own] for name in KEPT})
    best = replace(model.learned_, samples=of_best)
    scores = [best.word_scores(new, block) for block in range(len(new.block_sizes))]
    nats, tags = (np.concatenate([getattr(one, name) for one in scores]) for name in ("nats", "tags"))
    names = new.about.tag_names or ()
    by_tag = {name: float(np.exp(-nats[tags == k].mean())) for k, name in enumerate(names)}
    return Found(plan.model, pooled, float(np.exp(-nats.mean())), _oracle(test), topics, by_tag)


def _oracle(language: PlantedLanguage) -> float:
    """The perplexity of whoever knows the grammar and each document's themes."""
    return float(np.exp(-language.log_p.mean()))


def measure_all(full: bool, sweeps: int | None = None, documents: int | None = None) -> dict[str, Any]:
    """All three models, and word frequencies."""
    sweeps, documents = sweeps or (1000 if full else SWEEPS), documents or DOCUMENTS
    plans = [Plan(model, sweeps, documents) for model in (*MODELS, "unigram")]
    found = side_by_side(plans, learn, lambda one: f"planted, {one.model}: perplexity {one.perplexity:.2f}")
    return {"found": found, "documents": documents, "sweeps": sweeps}


def section(data: dict[str, Any]) -> Section:
    """Perplexities, and what topics each model has (the paper's Figure 6)."""
    found = [Found(*each) for each in data["found"]]
    blocks: list[str | Table] = [
        f"Table 1's language: {data['documents']} documents of 20 to 50 sentences; each has one of two "
        f"themes for its verbs, nouns and adjectives. {TOPICS} topics, {CHAINS} chains of {data['sweeps']} "
        "sweeps. New documents are scored. Chains that miss a theme are averaged in; next to them is the "
        "best chain, by its score.",
        Table(
            (
                "model",
                "perplexity",
                "of the best chain",
                "topics in use",
                "words in topics of one part of speech",
            ),
            [
                [
                    one.model,
                    f"{one.perplexity:.2f}",
                    f"{one.best:.2f}",
                    len(one.topics) or None,
                    _pure(one.topics),
                ]
                for one in found
            ]
            + [["oracle, of all words", f"{found[0].oracle:.2f}", None, None, None]],
        ),
    ]
    known = [one for one in found if one.by_tag]
    blocks += [
        "By part of speech, each word given those before it, heads first, by the best chain (Figure 8a):",
        Table(
            ("part of speech", *(one.model for one in known)),
            [[tag, *(f"{one.by_tag[tag]:.2f}" for one in known)] for tag in known[0].by_tag],
        ),
    ]
    for one in found:
        if one.topics:
            rows = [[f"{100 * share:.1f} %", f"{tag} {100 * part:.0f} %", " ".join(words)]
                    for share, tag, part, words in one.topics]  # fmt: skip
            blocks += [f"Topics of {one.model}:", Table(("share", "part of speech", "words"), rows)]
    return Section("The planted language", blocks)


def _pure(topics: Sequence[tuple[float, str, float, list[str]]]) -> str | None:
    """Which share of the words is in topics of one part of speech."""
    return f"{100 * sum(share for share, _, part, _ in topics if part > 0.95):.0f} %" if topics else None
