"""Topic shares over time, from the dates of documents."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.frames import METADATA
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.metadata_sums import MetadataSums
from stickbreaker.topics.report.dates_and_groups import times_of
from stickbreaker.topics.topic_estimator import topics_in
from stickbreaker.topics.verbs.settings import OverTimeSettings


@dataclass(frozen=True, repr=False)
class TopicsOverTime(VerbResult):
    """The shares of topics in each period, as shares of the words, so that long documents weigh more.

    `field`: of metadata, that the dates are from. `periods`: in order, with the number of `documents` in each
    and the `shares` of all topics (periods × topics). `left_out`: documents without a date, or far from all
    others.
    """

    model: str
    field: str
    periods: tuple[str, ...]
    documents: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    left_out: int

    def table(self) -> pa.Table:
        """A row for each period: `period`, `documents`, and the shares `topic0` and so on."""
        columns: JsonObject = {"period": list(self.periods), "documents": list(self.documents)}
        by_topic = {f"topic{k}": list(own) for k, own in enumerate(zip(*self.shares, strict=True))}
        return pa.table({**columns, **by_topic})

    def __str__(self) -> str:
        width = max(map(len, ("period", *self.periods)))
        heads = "".join(f"{f'topic{k}':>9}" for k in range(len(self.shares[0])))
        lines = [f"{'period':<{width}}  documents{heads}"]
        for name, number, own in zip(self.periods, self.documents, self.shares, strict=True):
            lines.append(f"{name:<{width}}  {number:9,}" + "".join(f"{100 * one:7.1f} %" for one in own))
        left_out = f"{counted(self.left_out, 'document')} left out: no date, or far from all others"
        return "\n".join([*lines, *([left_out] if self.left_out else [])])


def over_time(learned: AnyLearned, corpus: Corpus, settings: OverTimeSettings) -> TopicsOverTime:
    """The shares of topics over time. Raises UserError if documents have too few dates."""
    estimator = topics_in(learned, "over_time")
    sums = MetadataSums(len(estimator.alpha_))
    for block in range(len(corpus.block_sizes)):
        texts = corpus.source.columns(block, [METADATA]).column(METADATA).to_pylist()
        bags = corpus.bags(block)
        tokens = np.asarray(tokens_by_document(bags.offsets, bags.counts), np.float64)
        sums.add(list(map(metadata_from, texts)), tokens, estimator._infer_shares(bags))
    found = times_of(sums, settings.date_field)
    if found is None:
        fields = ", ".join(corpus.metadata_fields) or "none"
        raise UserError("no field of the documents has dates in most of them", remedy=f"there are: {fields}")
    shares = tuple(tuple(own) for own in found.shares)
    names, documents = tuple(found.names), tuple(found.documents)
    return TopicsOverTime("", found.field, names, documents, shares, found.left_out)
