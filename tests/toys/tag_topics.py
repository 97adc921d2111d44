"""A toy kind that shared code has never seen: topics of parsed sentences, without bags and without a table.

Its topics are the tags of a word's head; it reads trees, scores sentences, and has a verb, a format, a page
and a way to be evaluated of its own. All of it is in this file, but for the page's template.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import click
import numpy as np
from tests.pages.toy_page import words_page

from stickbreaker.console.console import command, emit, model_argument
from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.files import write_atomic
from stickbreaker.core.parameter_fields import parameter
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Field, Record
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.exports import ExportRequest
from stickbreaker.estimators.front import Front
from stickbreaker.estimators.kinds import OF_CORPUS, Command, Export, Kind, VerbFunction
from stickbreaker.estimators.learned import Learned
from stickbreaker.estimators.learner import Learner
from stickbreaker.estimators.model_files import load_of
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Limits
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.saved.checkpoints import fitted_of, params_from, sampling_state_of

HERE = "tests.toys.tag_topics"
KIND = Kind(
    name="TagTopics",
    learner=f"{HERE}:TAGS",
    front_door=f"{HERE}:TagTopics",
    verbs=("tags", "evaluate", "export", "report"),
    commands={"tags": Command(f"{HERE}:tags", "Print the topics of tags.", after="stream")},
    exports={"tags": Export(f"{HERE}:write_tags", "a line a tag")},
    functions={"evaluate": VerbFunction(f"{HERE}:evaluate_tags", documents=OF_CORPUS)},
    page=f"{HERE}:page_of",
    noun="model of tags",
    declared=f"{HERE}:TagSettings",
)


def counts_of(source: Source, n_words: int) -> Any:
    """Words by the tag of their head; roots have the last row (tags + 1 × words)."""
    trees = Trees.join([content for _, content in source.in_order()])
    sizes = np.diff(trees.starts, append=len(trees.words))
    heads = np.where(trees.heads < 0, -1, np.repeat(trees.starts, sizes) + trees.heads)
    topics = np.where(heads < 0, len(trees.tag_names), trees.tags[heads])
    counts = np.zeros((len(trees.tag_names) + 1, n_words))
    known = trees.words >= 0
    np.add.at(counts, (topics[known], trees.words[known]), 1.0)
    return counts


class TagChain(Sampler):
    """Topics' words drawn from their posterior, under a Dirichlet prior of one; their mean is kept."""

    def __init__(self, counts: Any, seed: int) -> None:
        self.counts, self.seed = counts, seed
        self.words, self.sum, self.samples = (counts + 1.0), np.zeros(counts.shape), 0
        self.words = self.words / self.words.sum(axis=1, keepdims=True)

    def sweep(self, number: int, threads: int) -> None:
        drawn = stream(self.seed, "toy tags", number).standard_gamma(self.counts + 1.0)
        self.words = drawn / drawn.sum(axis=1, keepdims=True)

    def learn(self) -> None:
        pass

    def keep(self) -> None:
        self.sum, self.samples = self.sum + self.words, self.samples + 1

    def score(self) -> Score:
        return Score(float((self.counts * np.log(self.words)).sum()), float(self.counts.sum()), "joint")

    def fitted(self) -> Fitted:
        return Fitted({"topics": Field(self.sum / max(1, self.samples), ("topics", "words"), additive=False)})

    def snapshot(self) -> dict[str, Any]:
        return {"words": self.words, "sum": self.sum, "samples": np.array(self.samples)}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        self.words, self.sum, self.samples = arrays["words"], arrays["sum"], int(arrays["samples"])


@dataclass(frozen=True, eq=False, repr=False)
class TagSettings(RunSettings):
    """The settings of topics of tags."""

    kind: ClassVar[str] = "TagTopics"

    max_iter: int = parameter(3, "Sweeps.", least=1, option="--iterations")


@dataclass(frozen=True, eq=False, repr=False)
class TagsLearned(Learned[TagSettings]):
    """Words by the tag of their head. `params`: as files have them."""

    params: Record

    @property
    def topic_words(self):
        return self.params["topics"].values

    def top_words(self) -> list[str]:
        """The first word of each topic."""
        return [self.vocabulary.words[word] for word in self.topic_words.argmax(axis=1)]

    def log_probability(self, corpus):
        counts = counts_of(Source(corpus, unit=Trees), corpus.n_words)
        return float((counts * np.log(self.topic_words)).sum()), float(counts.sum())

    def snapshot(self, fixed):
        return fitted_of(Fitted(self.params), self.facts.progress, fixed)


class TagLearner(Learner[TagSettings, TagsLearned]):
    """How topics of tags are learned."""

    reads_trees = True

    def check(self, settings, vocabulary=None, analysis=None):
        pass

    def limits(self, settings):
        return Limits(settings.max_iter, 0.0)

    def new_run(self, settings, corpus, seed, held_out=0.0, folder=None):
        source = Source(corpus, held_out, unit=Trees)
        job = SamplingRun(source.n_documents, seed=seed, limits=self.limits(settings))
        return job, SamplingState(Chains([TagChain(counts_of(source, corpus.n_words), seed)], 0, 1, 1))

    def resume_run(self, settings, corpus, snapshot, folder):
        job, state = self.new_run(settings, corpus, snapshot.manifest["settings"]["random_state"])
        return job, sampling_state_of(snapshot, state.chains)

    def learned(self, facts, corpus, job, state):
        return TagsLearned(facts, state.chains.fitted().params)

    def restored(self, facts, snapshot, folder, *, lasts):
        return TagsLearned(facts, params_from(snapshot))


TAGS = TagLearner(TagSettings)


class TagTopics(Front, settings=TagSettings):
    """Words by the tag of their head."""

    @property
    def topic_word_(self):
        """(tags + 1 × words) The probability of each word."""
        return self.learned_.topic_words


@click.command()
@model_argument
@command
def tags(model, as_json):
    """Print the topics of tags."""
    words = load_of(TAGS, model, verb="tags").top_words()
    emit({"tags": words}, as_json, lambda found: " ".join(found["tags"]))


def write_tags(asked: ExportRequest):
    words = asked.learned.top_words()
    write_atomic(asked.out, "\n".join(words).encode(), overwrite=asked.overwrite)
    return {"tags": len(words)}, f"{len(words)} tags"


@dataclass(frozen=True, repr=False)
class TagScores(VerbResult):
    """How probable tags are."""

    nats_per_head: float

    def __str__(self) -> str:
        return f"{self.nats_per_head:.3f} nats per head"


def evaluate_tags(learned, corpus, settings):
    nats, tokens = learned.log_probability(corpus)
    return TagScores(nats / tokens)


def page_of(path, title):
    return words_page(title, load_of(TAGS, path, verb="report").top_words())
