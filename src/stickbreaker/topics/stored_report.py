"""What a saved model's report shows of documents, after topics were merged: shares of topics are added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.topk import by_size
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.learned import saved_at
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS, METADATA_SUMS
from stickbreaker.saved.parquet_figures import figures_in, write_with_figures
from stickbreaker.topics.metadata_sums import MetadataSums, write_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stickbreaker.topics.learned import TopicsLearned


@dataclass(frozen=True)
class StoredReport:
    """What the report of a saved model showed when the model was loaded, by the model's present topics.

    documents: the columns of documents.parquet, and `figures` the numbers in its metadata; None without
    documents. sums: those of metadata-sums.parquet. evolution: snapshots of topics, by lasting ids.
    """

    documents: dict[str, list[Any]] | None
    figures: JsonObject
    sums: MetadataSums | None
    evolution: Evolution

    def merged(self, numbers: Sequence[int]) -> StoredReport:
        """The same after topics were merged; numbers: the new number of each topic."""
        documents = self.documents
        if documents is not None:
            mixes = [
                _joined(topics, shares, numbers)
                for topics, shares in zip(documents["topics"], documents["shares"], strict=True)
            ]
            documents = {
                **documents,
                "topics": [topics for topics, _ in mixes],
                "shares": [shares for _, shares in mixes],
                "word_topics": [[numbers[k] for k in own] for own in documents["word_topics"]],
            }
        figures = dict(self.figures)
        if "coherence" in figures:
            figures["coherence"] = _of_unmerged(figures["coherence"], numbers)
        sums = None if self.sums is None else _merged_sums(self.sums, numbers)
        return replace(self, documents=documents, figures=figures, sums=sums)

    def write(self, folder: Path) -> None:
        """Write the documents and sums into a model's directory."""
        if self.documents is not None:
            types = {"starts": pa.uint16(), "lengths": pa.uint16(), "word_topics": pa.uint16()}
            columns = {
                name: pa.array(values, pa.list_(types[name])) if name in types else pa.array(values)
                for name, values in self.documents.items()
            }
            write_with_figures(folder / DOCUMENTS, columns, self.figures)
        if self.sums is not None and self.sums.fields:
            write_sums(self.sums, folder / METADATA_SUMS)


def report_after(learned: TopicsLearned, numbers: Sequence[int]) -> StoredReport | None:
    """What the report of topics shows of documents after a merge of them, if it is known: if they were loaded
    from a saved model that has it, and have not learned since.

    numbers: the new number of each topic.
    """
    known = learned.stored_report or _stored_with(learned)
    return None if known is None else known.merged(numbers)


def _stored_with(learned: TopicsLearned) -> StoredReport | None:
    """What the saved model has that topics were loaded from; None if they have learned since, or the saved
    model is not the same any more.
    """
    path, saved = saved_at(learned), learned.facts.saved
    if path is None or saved is None:
        return None
    names = saved.manifest["files"]
    documents, figures = None, {}
    if DOCUMENTS in names:
        with making_sense_of(path / DOCUMENTS, RESTORE), pq.ParquetFile(path / DOCUMENTS) as opened:
            documents, figures = opened.read().to_pydict(), figures_in(opened)
    from stickbreaker.topics.report.document_entries import read_metadata_sums

    sums = read_metadata_sums(path, learned.n_shares)
    return StoredReport(documents, figures, sums, ModelDirectory(path).evolution())


def _joined(
    topics: Sequence[int], shares: Sequence[float], numbers: Sequence[int]
) -> tuple[list[int], list[float]]:
    """A document's topics and shares, largest first, after topics got new numbers; shares are added up."""
    sums: dict[int, float] = {}
    for topic, share in zip(topics, shares, strict=True):
        sums[numbers[topic]] = sums.get(numbers[topic], 0.0) + share
    pairs = by_size(sorted(sums.items()), [share for _, share in sorted(sums.items())])
    return [topic for topic, _ in pairs], [share for _, share in pairs]


def _of_unmerged(values: Sequence[float | None], numbers: Sequence[int]) -> list[float | None]:
    """Values of topics that are not merged, by their new numbers; None for merged topics, whose words are
    others.
    """
    kept: list[float | None] = [None] * (max(numbers) + 1)
    for value, number in zip(values, numbers, strict=True):
        if numbers.count(number) == 1:
            kept[number] = value
    return kept


def _merged_sums(sums: MetadataSums, numbers: Sequence[int]) -> MetadataSums:
    """Sums by metadata in which those of merged topics are added up."""
    n_topics = max(numbers) + 1

    def merged(rows: dict[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
        found: dict[str, NDArray[np.int64]] = {}
        for name, row in rows.items():
            added = np.zeros(2 + n_topics, np.int64)
            added[:2] = row[:2]
            np.add.at(added[2:], list(numbers), row[2:])
            found[name] = added
        return found

    after = MetadataSums(n_topics, sums.documents, most_cells=sums.most_cells)
    for name, own in sums.fields.items():
        values = None if own.values is None else merged(own.values)
        after.fields[name] = replace(own, values=values, dates=merged(own.dates))
    return after
