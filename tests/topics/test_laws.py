"""Every kind of estimator, in every way that it learns, is held to the laws of estimators: one table."""

from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest
from tests.running import TOPICS, german, planted_documents, with_german
from tests.tiers import chosen_of

from stickbreaker import (
    HDP,
    LDA,
    ConceptTree,
    Corpus,
    Gibbs,
    Hybrid,
    Memoised,
    Online,
    OpenVocabulary,
    SplitMerge,
)
from stickbreaker.testing import TopicEstimatorTests

SMALL = Online(batch_size=150, kappa=0.6, tau0=1.0)
OPEN = OpenVocabulary(concentration=20.0, truncation=30, reorder_every=2)
SENSES = ConceptTree([{"concept": "c", "words": TOPICS[0][:3]}, {"concept": "d", "words": TOPICS[0][2:5]}])
PAIRS = ConceptTree(
    [
        {"concept": word, "words": {"en": [word], "de": [german(word)]}}
        for topic in TOPICS
        for word in topic[:4]
    ]
)
GUIDE = {"finance": ["bank", "loan"], "space": ["plan*"]}

CONFIGURATIONS = {  # name: class, its own settings, the corpus
    "mean-field": (LDA, {}, "one"),
    "given priors": (LDA, {"alpha": [0.1, 0.2, 0.3], "eta": np.full((3, 24), 0.02)}, "one"),
    "learned eta": (LDA, {"eta": "learned", "init": "random"}, "one"),
    "records kept": (LDA, {"keep_local": True}, "one"),
    "starts": (LDA, {"n_init": 2}, "one"),
    "online": (LDA, {"schedule": SMALL}, "one"),
    "memoised": (LDA, {"schedule": Memoised(150)}, "one"),
    "folded in by sampling": (LDA, {"fold_in": "sampled"}, "one"),
    "points": (LDA, {"point_topics": True}, "one"),
    "points, hybrid, online": (LDA, {"point_topics": True, "inference": "hybrid", "schedule": SMALL}, "one"),
    "points, languages": (LDA, {"point_topics": True, "guide": GUIDE}, "two"),
    "points, concepts": (LDA, {"point_topics": True, "words": SENSES}, "one"),
    "points, concepts, languages, online": (
        LDA,
        {"point_topics": True, "words": PAIRS, "schedule": SMALL},
        "two",
    ),
    "points, hdp": (HDP, {"point_topics": True, "schedule": "batch", "moves": None}, "one"),
    "hybrid": (LDA, {"inference": "hybrid"}, "one"),
    "hybrid, online": (LDA, {"inference": Hybrid(burn_in=3, samples=4), "schedule": SMALL}, "one"),
    "gibbs": (LDA, {"inference": Gibbs(every=2), "eta": "learned"}, "one"),
    "chains": (LDA, {"inference": Gibbs(every=2, chains=3)}, "one"),
    "gibbs-delayed": (LDA, {"inference": "gibbs-delayed"}, "one"),
    "languages": (LDA, {"guide": GUIDE}, "two"),
    "languages, hybrid": (LDA, {"inference": "hybrid", "guide": GUIDE}, "two"),
    "languages, gibbs": (LDA, {"inference": "gibbs", "guide": GUIDE}, "two"),
    "languages, gibbs-delayed": (LDA, {"inference": "gibbs-delayed", "guide": GUIDE}, "two"),
    "languages, online": (LDA, {"schedule": SMALL}, "two"),
    "open words": (LDA, {"words": OPEN}, "one"),
    "open words, hybrid, online": (LDA, {"words": OPEN, "inference": "hybrid", "schedule": SMALL}, "one"),
    "open words, online": (LDA, {"words": OPEN, "schedule": SMALL}, "one"),
    "concepts": (LDA, {"words": SENSES}, "one"),
    "concepts, online": (LDA, {"words": SENSES, "schedule": SMALL}, "one"),
    "concepts, languages": (LDA, {"words": PAIRS}, "two"),
    "concepts, languages, hybrid": (LDA, {"words": PAIRS, "inference": "hybrid"}, "two"),
    "concepts, languages, hybrid, online": (
        LDA,
        {"words": PAIRS, "inference": "hybrid", "schedule": SMALL},
        "two",
    ),
    "concepts, gibbs": (LDA, {"words": SENSES, "inference": Gibbs(every=2)}, "one"),
    "concepts, languages, gibbs": (LDA, {"words": PAIRS, "inference": "gibbs"}, "two"),
    "hdp": (HDP, {"schedule": Memoised(150)}, "one"),
    "hdp, searched": (HDP, {"n_topics": "auto"}, "one"),
    "hdp, hybrid": (HDP, {"schedule": Memoised(150), "inference": "hybrid"}, "one"),
    "hdp, batch": (HDP, {"schedule": "batch", "moves": None}, "one"),
    "hdp, online": (HDP, {"schedule": SMALL, "moves": SplitMerge("paper")}, "one"),
    "hdp, hybrid, online": (HDP, {"schedule": SMALL, "inference": "hybrid", "moves": None}, "one"),
    "hdp, gibbs": (HDP, {"inference": "gibbs"}, "one"),
    "hdp, chains": (HDP, {"inference": Gibbs(chains=2)}, "one"),
    "hdp, franchise": (HDP, {"representation": "franchise"}, "one"),
    "hdp, franchise, online": (HDP, {"representation": "franchise", "schedule": SMALL}, "one"),
    "hdp, concepts": (HDP, {"words": PAIRS}, "two"),
    "hdp, concepts, hybrid": (HDP, {"words": PAIRS, "inference": "hybrid"}, "two"),
    "hdp, concepts, online": (HDP, {"words": SENSES, "schedule": SMALL}, "one"),
    "hdp, open words": (HDP, {"words": OPEN, "schedule": SMALL}, "one"),
}


def documents_of(name):
    """Three hundred documents and an empty one: in one language, or in two of which they have one or both."""
    documents = planted_documents(300, seed=2)
    if name == "one":
        return [*(document["text"] for document in documents), ""]
    codes = (("en", "text"), ("de", "deutsch"))
    sides = [{code: d[name] for code, name in codes if name in d} for d in with_german(documents)]
    return [*sides, {"en": ""}]


DOCUMENTS = {name: documents_of(name) for name in ("one", "two")}
CORPORA = {name: Corpus.from_texts(documents) for name, documents in DOCUMENTS.items()}


def slots_of(name):
    """What a configuration has in each slot: kind, inference, words, languages, schedule, points."""
    kind, settings, languages = CONFIGURATIONS[name]
    inference = settings.get("representation", settings.get("inference", "mean-field"))
    words, schedule = settings.get("words"), settings.get("schedule")
    return (
        ("kind", kind.__name__),
        ("inference", inference if isinstance(inference, str) else type(inference).__name__.lower()),
        ("words", type(words).__name__),
        ("languages", languages),
        ("schedule", schedule if isinstance(schedule, str) else type(schedule).__name__),
        ("points", settings.get("point_topics", False)),
    )


def covering(names, size):
    """The fewest configurations, about, that have every combination of `size` slots that any of them has."""
    left = {name: set(combinations(slots_of(name), size)) for name in names}
    chosen = []
    while any(left.values()):
        best = max(left, key=lambda name: len(left[name]))
        chosen.append(best)
        left = {name: pairs - left[best] for name, pairs in left.items()}
    return chosen


LONG = pytest.param("hdp, searched", marks=pytest.mark.long("a search is many runs"))
CASES = chosen_of(
    chosen_of(
        [*(name for name in CONFIGURATIONS if name not in LONG.values), LONG], covering(CONFIGURATIONS, 2)
    ),
    covering(CONFIGURATIONS, 1),
    "rest_of_inputs",
)


class TestLaws(TopicEstimatorTests):
    wrong: ClassVar = {**TopicEstimatorTests.wrong, "n_topics": 0, "alpha": -1.0, "init": None, "doc_tol": -1}

    @pytest.fixture(autouse=True, params=CASES)
    def configuration(self, request):
        self.kind, self.settings, self.name = CONFIGURATIONS[request.param]

    def make(self, **settings):
        given = {"n_topics": 3, "max_iter": 5, "tol": 0.0, "random_state": 0}
        return self.kind(**{**given, **self.settings, **settings})

    def corpus(self):
        return CORPORA[self.name]

    def documents(self):
        return DOCUMENTS[self.name]

    def unseen(self):
        return ["zebra", ""] if self.name == "one" else [{"en": "zebra"}, {"de": ""}]
