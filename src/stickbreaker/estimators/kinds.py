"""The kinds of models: what saving, the program, the report, Spark and tests know of each.

A new kind is an `Estimator`, its front door and one line of `KINDS`. Its modules are imported when they are
asked for, so that the program's help is quick.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE

OF_TOPICS = (
    "topics",
    "name",
    "transform",
    "evaluate",
    "nearest",
    "compare",
    "report",
    "export",
    "stream",
    "partial_fit",
)
FORMATS_OF_TOPICS = ("mallet-topic-keys", "gensim-topics", "mallet-doc-topics", "pyldavis")


@dataclass(frozen=True)
class Kind:
    """One kind of models.

    `name` is what manifests call it. `home` and `front_door` are where its plain estimator is and the one
    that users import: "module:class". `verbs` are those that mean something for it, of the program and of
    estimators, first the one to begin with; to learn, save and resume is every kind's. `measures` are those
    of `evaluate`; `sections` the parts of the report that not all kinds have; `formats` those of `export`.
    `trials` are parameters that tests learn it with, by name.
    """

    name: str
    home: str
    front_door: str
    verbs: tuple[str, ...]
    measures: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    trials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def plain(self) -> type[Estimator]:
        """The estimator with its parameters and what they mean, without scikit-learn."""
        return _imported(self.home)

    def public(self) -> type[Estimator]:
        """The estimator that users import."""
        return _imported(self.front_door)

    @property
    def class_name(self) -> str:
        """The name of the class that users import."""
        return self.front_door.partition(":")[2]

    def refuse(self, verb: str, where: object = None) -> None:
        """Raise UserError for a verb that means nothing for this kind; `where`: the model's path."""
        if verb in self.verbs:
            return
        problem = f"{verb} means nothing for a model of the kind {self.name}"
        raise UserError(problem, where=where, remedy=f"it knows {', '.join(self.verbs) or 'resume'}")


def _imported(place: str) -> Any:
    """A class from "module:class"."""
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="LDA",
            home="stickbreaker.topics.plain_lda:PlainLDA",
            front_door="stickbreaker.topics.lda:LDA",
            verbs=(*OF_TOPICS, "search-k"),
            measures=("completion", "left_to_right", "coherence", "diversity", "labels", "language_pairs"),
            sections=("growth", "changes"),
            formats=FORMATS_OF_TOPICS,
            trials={
                "batch": {},
                "online": {"schedule": "online"},
                "hybrid": {"inference": "hybrid"},
                "gibbs": {"inference": "gibbs"},
                "open": {"words": "open", "inference": "hybrid", "schedule": "online"},
            },
        ),
        Kind(
            name="HDP",
            home="stickbreaker.topics.plain_hdp:PlainHDP",
            front_door="stickbreaker.topics.hdp:HDP",
            verbs=OF_TOPICS,
            measures=("completion", "left_to_right", "coherence", "diversity", "labels", "language_pairs"),
            sections=("growth", "changes"),
            formats=FORMATS_OF_TOPICS,
            trials={
                "memoised": {},
                "batch": {"schedule": "batch"},
                "online": {"schedule": "online"},
                "gibbs": {"inference": "gibbs"},
                "franchise": {"representation": "franchise"},
                "open": {"words": "open"},
            },
        ),
        Kind(
            name="NgramModel",
            home="stickbreaker.ngrams.plain_ngram:PlainNgramModel",
            front_door="stickbreaker.ngrams.ngram:NgramModel",
            verbs=("generate", "score", "evaluate", "report", "export"),
            measures=("score",),
            formats=("arpa",),
            trials={
                "trigrams": {"min_count": 1},
                "unbounded": {"order": "unbounded", "min_count": 1},
                "spelled": {"unknown": "spelled"},
            },
        ),
        Kind(
            name="AdaptorGrammar",
            home="stickbreaker.grammars.plain_grammar:PlainAdaptorGrammar",
            front_door="stickbreaker.grammars.adaptor_grammar:AdaptorGrammar",
            verbs=("segment", "parse", "rules", "evaluate", "report", "partial_fit"),
            measures=("segmentation",),
            trials={
                "collocation": {},
                "unigram": {"grammar": "unigram"},
                "chains": {"init": "incremental", "chains": 2},
                "hybrid": {"inference": "hybrid", "grammar": "unigram"},
                "mean-field": {"inference": "mean-field", "grammar": "unigram"},
            },
        ),
    )
}


def kind_of(manifest: Mapping[str, Any]) -> Kind:
    """The kind of the model that a manifest is of. Raises UserError for one that is not known."""
    name = manifest["estimator"]
    if name not in KINDS:
        raise UserError(f"a model of an unknown kind, {name!r}", remedy="upgrade stickbreaker")
    return KINDS[name]


def kind_at(path: Path, verb: str) -> Kind:
    """The kind of the model at a path. Raises UserError where the verb means nothing for it."""
    with making_sense_of(path, RESTORE):
        kind = kind_of(ModelDirectory(path).manifest())
        kind.refuse(verb, path)
        return kind
