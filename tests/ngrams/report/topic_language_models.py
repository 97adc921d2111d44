"""Small language models with topics, of made-up texts, and the text of their pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from tests.pages.made_up import all_text

from stickbreaker.corpus import Corpus
from stickbreaker.estimators.model_files import load
from stickbreaker.estimators.model_runs import begin, resume
from stickbreaker.ngrams.learner import TOPIC_NGRAMS
from stickbreaker.ngrams.settings import TopicNgramSettings
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.pages.page import Page

PRIORS = ("switching", "hierarchical", "none")
SUBJECTS = (["cat", "dog", "mouse", "bird"], ["bank", "share", "price", "loan"])


def two_subjects(n: int = 40, sentences: int = 8) -> list[str]:
    """Documents of short sentences, each of animals or of money."""
    generator = np.random.default_rng(3)
    verbs = ["saw", "liked", "left", "met"]

    def sentence(nouns: list[str]) -> str:
        one, other = generator.choice(nouns, 2)
        return f"The {one} {generator.choice(verbs)} a {other} in the end."

    return [" ".join(sentence(SUBJECTS[d % 2]) for _ in range(sentences)) for d in range(n)]


def learned(
    folder: Path, texts: list[str] | None = None, held_out: float = 0.2, order: int | str = 3, **params: Any
) -> Path:
    """A finished model in `folder`, whose corpus is beside it."""
    params = {"max_iter": 12, "samples": 3, "random_state": 5, "min_count": 2, **params}
    settings = TopicNgramSettings(**{"n_topics": 3, **params}, order=order)
    analysis, rule = TOPIC_NGRAMS.reads_texts_by(settings)
    file = folder / "texts.jsonl"
    lines = (
        {"id": f"d{i}", "text": text} for i, text in enumerate(two_subjects() if texts is None else texts)
    )
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    corpus = Corpus.build([file], folder / "corpus", analysis=analysis, rule=rule)
    begin(TOPIC_NGRAMS, settings, corpus, folder / "model", held_out=held_out)
    resume(folder / "model", every=600.0, threads=1)
    return folder / "model"


def loaded(path: Path) -> TopicNgramLearned:
    found = load(path)
    assert isinstance(found, TopicNgramLearned)
    return found


def said(page: Page) -> str:
    return all_text(page)
