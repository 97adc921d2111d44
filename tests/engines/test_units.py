"""Engines look into no unit: models of sequences, of several rows a word, and of substrings run on them."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stickbreaker.contracts.contract import Model, Score, TableSpec
from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.records import Field, Rows, Stats, no_rows
from stickbreaker.corpus import Bags, Corpus, Sequences, Shard, VocabularyRule
from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.row_files import COUNTS, Layout, block_path, row_writer
from stickbreaker.engines.spark.document_tasks import MapTask, Portion
from stickbreaker.engines.stored_table import StoredRows, StoredTable
from stickbreaker.learning.run import Limits
from stickbreaker.learning.schedules import Batch, Memoised, Online
from stickbreaker.learning.variational import VariationalRun, VariationalState, advance

TEXTS = [
    "b a b c. c a b",
    "",
    "a",
    "c c c d; d a. b",
    *(" ".join(np.random.default_rng(seed).choice(list("abcd."), 12)) for seed in range(40)),
]
COLUMNS = 3


@dataclass(frozen=True)
class Counting(Model):
    """A model whose local step only counts; what it counts says the class."""

    shard_size: int = 4  # type: ignore[misc]

    def n_columns(self, params):
        return COLUMNS

    def start(self):
        return {"steps": Field(np.array(0.0))}

    def seed(self, keys, tokens, seed):
        return np.zeros((len(keys), COLUMNS))

    def expectations(self, params, counts, totals, rows):
        return rows, counts

    def summary(self, params, counts, first):
        return {}

    def global_step(self, params, stats, totals, summary, step):
        return {"steps": Field(params["steps"].values + 1.0)}

    def score(self, params, stats, totals, summary):
        return Score(0.0, stats.tokens)

    def report(self, shard: Shard, counts: np.ndarray, tokens: float) -> tuple[dict, Stats]:
        """Counts by `shard.rows`, of those that the table has."""
        rows = shard.table_rows()
        total = np.zeros((len(rows), COLUMNS))
        known = shard.rows >= 0
        np.add.at(total, np.searchsorted(rows, shard.rows[known]), counts[known])
        n = shard.n_documents
        stats = Stats(Rows(rows, total) if len(rows) else no_rows(COLUMNS), documents=n, tokens=tokens)
        return {"seen": Field(np.ones(n), ("documents",))}, stats


@dataclass(frozen=True)
class Bigrams(Counting):
    """A word is counted in the column of the word before it in the sentence; the first is in column 0."""

    unit = Sequences

    def local_step(self, view, shard: Shard[Sequences], local, seed):
        content = shard.content
        known = content.words >= 0
        words = np.where(known, shard.rows[content.words], -1)
        before = np.concatenate([[-1], words[:-1]])
        before[content.starts] = -1
        counts = np.zeros((len(shard.rows), COLUMNS))
        np.add.at(counts, (content.words[known], (before[known] + 1) % COLUMNS), 1.0)
        return self.report(shard, counts, float(len(words)))


@dataclass(frozen=True)
class Paths(Counting):
    """Word w has the rows 2 w and 2 w + 1, which each count its tokens."""

    def reads(self, shard, index):
        return (2 * shard.rows[:, None] + [0, 1]).ravel()

    def local_step(self, view, shard: Shard[Bags], local, seed):
        rows, counts = view
        assert counts.shape[0] >= len(shard.rows)
        assert rows is None or np.isin(shard.rows, rows).all()
        tokens = np.bincount(shard.content.words, shard.content.counts, len(shard.rows) // 2)
        counts = np.repeat(tokens, 2)[:, None] * [1.0, 0.0, 2.0]
        return self.report(shard, counts, float(tokens.sum()))


@dataclass(frozen=True)
class Substrings(Counting):
    """Rows are strings of two words; a shard reads those of its sentences, known or not."""

    unit = Sequences
    table = TableSpec(keyed=True)

    def reads(self, shard, index):
        return index(strings_of(shard))

    def local_step(self, view, shard: Shard[Sequences], local, seed):
        rows, _ = view
        if self.table.truncated:
            assert rows is shard.rows, "the view is of the shard's own rows, in turn"
        return self.report(shard, np.ones((len(shard.rows), COLUMNS)), 1.0)


@dataclass(frozen=True)
class TruncatedSubstrings(Substrings):
    table = TableSpec(keyed=True, truncated=True)


def strings_of(shard: Shard[Sequences]) -> list[str]:
    assert shard.keys is not None
    content = shard.content
    pairs = [
        f"{shard.keys[one]} {shard.keys[two]}"
        for i, (one, two) in enumerate(zip(content.words[:-1], content.words[1:], strict=True))
        if one >= 0 and two >= 0 and i + 1 not in content.starts
    ]
    return sorted(set(pairs))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS, rule=VocabularyRule(words=("c", "a", "b")))


def bigrams(corpus: Corpus) -> np.ndarray:
    """By definition, from the documents."""
    counts, rows = np.zeros((3, COLUMNS)), {"c": 0, "a": 1, "b": 2}
    for document in corpus.documents(0):
        last = -1
        for place, token in enumerate(document.tokens):
            last = -1 if place in document.sentences else last
            word = rows.get(token, -1)
            if word >= 0:
                counts[word, (last + 1) % COLUMNS] += 1.0
            last = word
    return counts


def learned(model: Model, corpus: Corpus, threads: int, schedule: Any, keys=None) -> LocalEngine:
    """The engine after a pass."""
    engine = LocalEngine(threads)
    n_rows = 2 * corpus.n_words if isinstance(model, Paths) else corpus.n_words
    engine.start(model, np.zeros((n_rows if keys is None else len(keys), COLUMNS)), keys)
    source = source_of(corpus, model)
    job, state = (
        VariationalRun(model, engine, schedule, source, seed=0, limits=Limits()),
        VariationalState(model.start()),
    )
    for minibatch in schedule.minibatches(source, 0, 0, 0.0, 0):
        assert len(list(minibatch.shards)) == minibatch.n_shards
        assert all(shard.n_documents <= model.shard_size for shard in minibatch.shards)
        advance(job, state, minibatch)
    return engine


@pytest.mark.parametrize("schedule", [Batch(), Memoised(16), Online(16, kappa=0.0, tau0=1.0, shuffle=True)])
def test_a_model_of_sequences_learns(corpus, schedule):
    """The same bytes for any number of threads, and the same counts for any size of shards."""
    found = [learned(Bigrams(), corpus, n, schedule).table.counts(slice(None)).tobytes() for n in (1, 2, 4)]
    assert len(set(found)) == 1
    sizes = [learned(Bigrams(size), corpus, 2, schedule).table.counts(slice(None)) for size in (1, 5, 128)]
    for values in sizes:
        np.testing.assert_array_equal(values, np.frombuffer(found[0]).reshape(3, COLUMNS))
    if not isinstance(schedule, Online):
        np.testing.assert_array_equal(sizes[0], bigrams(corpus))


@pytest.mark.parametrize("size", [2, 9])  # views of a shard's rows, and one of the whole table
def test_a_model_reads_several_rows_a_word(corpus, size):
    values = learned(Paths(size), corpus, 2, Batch()).table.counts(slice(None))
    bags = corpus.bags(0)
    tokens = np.bincount(bags.words, bags.counts)
    np.testing.assert_array_equal(values, np.repeat(tokens, 2)[:, None] * [1.0, 0.0, 2.0])


@pytest.mark.parametrize("kind", [Substrings, TruncatedSubstrings])
def test_a_model_reads_rows_by_keys_of_its_own(corpus, kind):
    keys = ["a b", "b c", "never met"]
    model = kind(5)
    engine = learned(model, corpus, 2, Batch(), keys)
    shards = list(source_of(corpus, model).shards(0))
    assert len(shards) == -(-len(TEXTS) // 5)
    holds = [sum(key in strings_of(shard) for shard in shards) for key in keys]
    assert holds[0] > 1
    assert holds[2] == 0
    assert dict(zip(engine.snapshot()[1], engine.table.counts(slice(None))[:, 0], strict=True)) == dict(
        zip(keys, holds, strict=True)
    )


@pytest.mark.parametrize("kind", [Bigrams, Paths])
@pytest.mark.parametrize("most_bytes", [0, 1 << 20])
def test_tasks_read_those_rows_from_blocks(corpus, kind, most_bytes, tmp_path):
    """What tasks on a cluster do with a table in files: only rows that are asked for are read and viewed."""
    model = kind(3)
    n_rows = 60  # of which the corpus has few
    layout = Layout(n_rows, 8, 2)
    for block in range(layout.blocks):
        with row_writer(block_path(tmp_path, "rows-1-x", block)) as writer:
            for chunk in layout.chunks_of(block):
                first, last = layout.bounds(chunk)
                writer.add(COUNTS, chunk, np.arange(first, last), np.ones((last - first, COLUMNS)))
    rows = StoredRows(tmp_path, layout, ("rows-1-x",), COLUMNS)
    table = StoredTable(rows, ("words", "topics"), 1.0, np.full((1, COLUMNS), float(n_rows)))
    source, viewed = source_of(corpus, model), list[np.ndarray]()
    spy = type("Spy", (kind,), {"expectations": lambda self, *given: viewed.append(given[-1]) or given[::-2]})
    task = MapTask(SimpleNamespace(value=spy(3)), model.start(), table, 0, source, most_bytes)
    total = np.zeros((n_rows, COLUMNS))
    whole = Portion(0, chunks=(0,))
    for shard, view, _ in task._viewed(whole.shards(source)):
        _, stats = model.local_step((viewed[-1], view[1]), shard, None, 0)
        total[stats.rows.positions] += stats.rows.values
    assert all(np.isin(each, np.arange(6 if kind is Paths else 3)).all() for each in viewed)
    assert len(viewed) == (1 if most_bytes else len(source.shards(0)))
    wanted = learned(model, corpus, 1, Batch()).table.counts(slice(None))
    np.testing.assert_array_equal(total[: len(wanted)], wanted)


def test_what_a_source_reads_is_sent_along(corpus, tmp_path):
    """Another process cuts the same documents, in the same unit, into shards of the same size."""
    import pickle

    stored = corpus.write(tmp_path / "corpus")
    source = Source(stored, 0.2, stored.vocabulary.words, Sequences, 7)
    other = pickle.loads(pickle.dumps(source))
    for one, two in zip(source.shards(0), other.shards(0), strict=True):
        assert one.documents.tolist() == two.documents.tolist()
        assert one.n_documents <= 7
        assert isinstance(two.content, Sequences)
        assert one.content.starts.tolist() == two.content.starts.tolist()
        assert list(one.keys) == list(two.keys)
        assert one.content.words.max(initial=-1) < len(one.keys)
    numbers = np.arange(len(TEXTS))[::-1]
    both = replace(source.shards(numbers), source=Source(stored, unit=Sequences))
    assert [shard.n_documents for shard in both] == [len(TEXTS)]
