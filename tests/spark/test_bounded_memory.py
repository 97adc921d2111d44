"""No process holds the whole of a table in blocks, and the driver sees little of what is learned."""

import pickle
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.spark.processes import start

from stickbreaker import LDA
from stickbreaker.core.records import Rows, SparseCounts
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.engines.row_files import COUNTS, Layout, block_path, row_writer
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.engines.spark.document_tasks import MapTask, Portion, _grouped
from stickbreaker.engines.spark.jobs import Cluster
from stickbreaker.engines.spark.stats_sum import SMALL, ChunkSum, Combiner, ReduceTask, sent
from stickbreaker.engines.stored_table import StoredRows, StoredTable
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.model_files import load
from stickbreaker.testing.estimators import begin
from stickbreaker.topics import report_documents
from stickbreaker.topics.model import topic_words
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.plan import plan_of
from stickbreaker.topics.report.document_entries import read_documents
from stickbreaker.topics.runs import topic_runs

LENGTH, TOPICS = 30, 8


def zipf(path: Path, documents: int, words: int) -> Corpus:
    """Documents of words whose frequencies follow Zipf's law, so that most shards have most frequent ones and
    each has rare ones of its own."""
    draw = np.random.default_rng(0)
    shares = 1.0 / np.arange(1, words + 1)
    drawn = draw.choice(words, (documents, LENGTH), p=shares / shares.sum())
    ends = np.arange(0, drawn.size + 1, LENGTH)
    counts = csr_array((np.ones(drawn.size), drawn.ravel(), ends), (documents, words))
    counts.sum_duplicates()
    return Corpus.from_matrix(counts).write(path)


def stored(folder: Path, words: int) -> StoredTable:
    """A table in three blocks."""
    layout = Layout(words, -(-words // 12), 3)
    values = np.random.default_rng(1).gamma(1.0, 1.0, (words, TOPICS))
    for block in range(layout.blocks):
        with row_writer(block_path(folder, "rows-1-x", block)) as writer:
            for chunk in layout.chunks_of(block):
                first, last = layout.bounds(chunk)
                writer.add(COUNTS, chunk, np.arange(first, last), values[first:last])
    rows = StoredRows(folder, layout, ("rows-1-x",), TOPICS)
    return StoredTable(rows, ("words", "topics"), 1.0, values.sum(axis=0, keepdims=True))


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_a_large_portion_is_learned_from_piece_by_piece(tmp_path, monkeypatch, inference):
    """A task of all documents views and sends no more rows at once than it may, or one shard's."""
    corpus = zipf(tmp_path / "corpus", 1024, 4000)
    model = plan_of(LDA(TOPICS, inference=inference).settings).model(corpus.vocabulary)
    table, source = stored(tmp_path, 4000), Source(corpus)
    everything = Portion(0, chunks=tuple(range(source.n_blocks)))
    most_of_a_shard = max(len(shard.rows) for shard in everything.shards(source))
    real, viewed = TopicModel.expectations, list[int]()

    def expectations(self, params, counts, totals, rows, *rest):
        viewed.append(table.n_rows if rows is None else len(rows))
        return real(self, params, counts, totals, rows, *rest)

    monkeypatch.setattr(TopicModel, "expectations", expectations)
    row, sums = 8 * TOPICS, []
    for most in (1 << 30, 2 * most_of_a_shard * row, 0):
        viewed.clear()
        task = MapTask(SimpleNamespace(value=model), model.start(), table, 1, source, most)
        pairs = list(task([everything]))
        assert max(viewed) <= max(most // row, most_of_a_shard)
        sums.append((len(viewed), len(pairs), added(table.stored.layout, pairs)))
    views, sent, _ = zip(*sums, strict=True)
    assert views[0] < views[1] < views[2]
    assert sent[0] <= sent[1] <= sent[2] > 2 * sent[0]
    for _, _, total in sums:
        np.testing.assert_allclose(total, sums[0][2], rtol=1e-12)


def added(layout: Layout, pairs) -> np.ndarray:
    """The sum of the rows that a task sent (words × topics)."""
    total = np.zeros((layout.n_rows, TOPICS))
    for key, part in pairs:
        if key.chunk != SMALL:
            chunk = ChunkSum(*layout.bounds(key.chunk), part)
            chunk.add(part)
            total[slice(*layout.bounds(key.chunk))] += chunk.values * part.unit
    return total


def test_shards_are_read_a_few_at_a_time():
    """As many as read few rows and have few entries; one alone may have more."""
    corpus = Corpus.from_matrix(np.eye(6, 40)[np.arange(600) % 6])
    read = []

    def shards():
        for shard in Source(corpus).shards(0):
            read.append(shard.n_entries)
            yield shard

    sizes = []
    for rows, group in _grouped(shards(), 1000, 300, 40):
        assert rows.tolist() == list(range(6))
        assert len(read) <= sum(sizes) + len(group) + 1, "no more is read than the next shard"
        sizes.append(len(group))
    assert sizes == [2, 2, 1]
    assert [len(group) for _, group in _grouped(shards(), 5, 10**9, 40)] == [1] * 5
    assert [len(group) for _, group in _grouped(shards(), 6, 10**9, 40)] == [5]


def test_documents_told_by_number_are_read_a_few_at_a_time(monkeypatch):
    """And are the shards that they were."""
    source, read = Source(Corpus.from_matrix(np.eye(6, 40)[np.arange(3000) % 6])), []
    real = Source.read
    monkeypatch.setattr(
        Source, "read", lambda self, numbers: read.append(len(numbers)) or real(self, numbers)
    )
    numbers = np.arange(3000)[::-1].copy()
    shards = list(source.shards(numbers))
    assert read == [1024, 1024, 952]
    assert [len(shard.documents) for shard in shards] == [128] * 23 + [56]
    assert np.concatenate([shard.documents for shard in shards]).tolist() == numbers.tolist()


def test_adding_up_takes_little_more_than_what_waits():
    """Of drawn reports that share most of their rows and few of their cells."""
    draw, most = np.random.default_rng(0), 4_000_000
    combiner = Combiner(0, Layout(20_000, 1000, 4), most)
    tracemalloc.start()
    for _ in range(40):
        positions, columns = np.sort(draw.integers(20_000, size=20_000)), draw.integers(50, size=20_000)
        report = SparseCounts(positions, columns.astype(np.int32), np.ones(20_000, np.int64), 50, 1.0)
        for _ in combiner.add(COUNTS, report):
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.5 * most


@pytest.mark.parametrize("kind", [Rows, SparseCounts])
def test_what_waits_to_be_sent_is_bounded(kind):
    draw, most = np.random.default_rng(0), 20_000
    combiner, sent = Combiner(0, Layout(2000, 100, 4), most), 0
    for _ in range(50):
        positions = np.unique(draw.integers(2000, size=60))
        if kind is Rows:
            report = Rows(positions, draw.random((len(positions), 5)))
        else:
            zeros = np.zeros(len(positions), np.int32)
            report = SparseCounts(positions, zeros, np.ones(len(positions), np.int32), 5, 1.0)
        sent += len(list(combiner.add(COUNTS, report)))
        waiting = sum(len(pickle.dumps(parts)) for parts in combiner.cells.values())
        held = sum(total.n * 5 * 8 for total in combiner.sums.values())
        assert combiner.n_bytes <= most
        assert waiting + held <= most + 1000
    assert sent > 20


def test_tables_share_the_limit_and_lose_nothing():
    """Reports of several tables, dense and drawn, some larger than the limit."""
    draw, most, layout = np.random.default_rng(2), 6000, Layout(500, 60, 4)
    combiner, pairs, wanted = Combiner(0, layout, most), [], {}
    for step in range(120):
        table = ("counts", "a", "b", "c")[step % 4]
        size = 300 if step % 31 == 0 else 20
        positions = np.unique(draw.integers(500, size=size))
        if table == "c":
            columns = draw.integers(3, size=len(positions)).astype(np.int32)
            report = SparseCounts(positions, columns, draw.integers(1, 400, size=len(positions)), 3)
        else:
            report = Rows(positions, draw.random((len(positions), 3)))
        pairs += combiner.add(table, report)
        assert combiner.n_bytes <= max(most, 24 * len(positions))
        wanted[table] = report if table not in wanted else wanted[table].plus(report)
    pairs += combiner.rest()
    assert combiner.n_bytes == 0
    assert len({key for key, _ in pairs}) == len(pairs)
    for table, total in wanted.items():
        found = np.zeros((500, 3))
        for key, part in pairs:
            if part.table == table:
                chunk = ChunkSum(*layout.bounds(key.chunk), part)
                chunk.add(part)
                rows = chunk.rows()
                found[rows.positions] += rows.values
        rows = total.rows()
        np.testing.assert_allclose(found[rows.positions], rows.values, rtol=1e-12)
        assert not np.delete(found, rows.positions, axis=0).any()


def test_one_report_leaves_in_the_precision_it_came_in():
    layout, values = Layout(50, 20, 2), np.random.default_rng(0).random((50, 4)).astype(np.float32)
    combiner = Combiner(0, layout, 100_000)
    report = Rows(np.arange(50), values)
    list(combiner.add(COUNTS, report))
    assert {part.values.dtype for _, part in combiner.rest()} == {np.dtype(np.float32)}
    list(combiner.add(COUNTS, report))
    list(combiner.add(COUNTS, report))
    parts = [part for _, part in combiner.rest()]
    assert {part.values.dtype for part in parts} == {np.dtype(np.float64)}
    assert (np.concatenate([part.values for part in parts]) == 2.0 * values).all()


@pytest.mark.parametrize(("most", "size"), [(255, 1), (256, 2), (1 << 20, 4), (1 << 33, 8)])
def test_draws_leave_in_few_bytes_and_add_up(most, size):
    cells = SparseCounts(np.arange(3), np.zeros(3, np.int32), np.array([1, most, 2]), 1, 0.5)
    part = sent(COUNTS, cells, 0)
    assert part.values.itemsize == size
    chunk = ChunkSum(0, 3, part)
    for _ in range(300):
        chunk.add(part)
    assert chunk.rows().values[:, 0].tolist() == [150.0, 150.0 * most, 300.0]


def test_a_block_is_added_up_chunk_by_chunk(tmp_path, monkeypatch):
    """The largest array of a reducer is a chunk's."""
    layout, made = Layout(2000, 100, 2), list[tuple[int, ...]]()
    real = np.zeros

    def zeros(shape, *rest, **named):
        made.append(shape if isinstance(shape, tuple) else (shape,))
        return real(shape, *rest, **named)

    combiner = Combiner(0, layout, 0)
    pairs = [*combiner.add(COUNTS, Rows(np.arange(2000), np.ones((2000, 5)))), *combiner.rest()]
    task = ReduceTask(tmp_path, "rows-1-x", layout, 5, None, 1)
    monkeypatch.setattr(np, "zeros", zeros)
    (found,) = task(0, iter(pair for pair in pairs if task.partition(pair[0]) == 0))
    assert found.totals.tolist() == [[1000.0] * 5]
    assert max(shape[0] for shape in made) <= layout.chunk


def test_bytes_through_the_driver_do_not_grow(spark, tmp_path, monkeypatch):
    """Neither with documents nor with words: what jobs are sent, and what they give."""
    from pyspark.serializers import CloudPickleSerializer

    passed = {"out": 0, "back": 0}
    dumps, collect = CloudPickleSerializer.dumps, Cluster.collect

    def counted(self, value):
        out = dumps(self, value)
        passed["out"] += len(out)
        return out

    def given(self, rdd):
        found = collect(self, rdd)
        passed["back"] += len(pickle.dumps(found))
        return found

    monkeypatch.setattr(CloudPickleSerializer, "dumps", counted)
    monkeypatch.setattr(Cluster, "collect", given)

    def a_step(documents: int, words: int) -> float:
        corpus = zipf(tmp_path / f"{documents}-{words}", documents, words)
        engine = SparkEngine(spark, portion=4096, blocks=3, folder=tmp_path)
        taken = []
        for passes in (1, 2):
            passed.update(out=0, back=0)
            LDA(TOPICS, max_iter=passes, tol=0.0, random_state=0, engine=engine).fit(corpus)
            taken.append(passed["out"] + passed["back"])
        return taken[1] - taken[0]

    params = a_step(300, 500)
    assert 1000 < params < 60_000
    assert a_step(3000, 500) < 1.1 * params
    assert a_step(300, 5000) < 1.1 * params


def test_the_drivers_memory_does_not_grow_with_the_table(spark, tmp_path):
    """A table of 64 MB, then one of 128: the driver's peak grows by far less."""
    for words in ("20000", "40000"):
        zipf(tmp_path / words, 300, int(words))
    program = start("local[1]", "memory", tmp_path / "20000", 400, "then", "memory", tmp_path / "40000", 400)
    told, _ = program.communicate(timeout=300)
    assert program.returncode == 0
    params, large = (int(line.split()[-1]) for line in told.splitlines())
    assert large - params < 20_000  # kB, where the table grew by 64,000


def test_a_run_ends_and_tells_its_topics_without_the_whole_table(spark, tmp_path, monkeypatch):
    """The driver reads no more rows at once than it may; for documents that a report shows it reads none."""
    corpus, engine, most = zipf(tmp_path / "corpus", 512, 3000), SparkEngine(spark, blocks=3), 100
    begin(LDA(4, engine=engine, max_iter=2, tol=0.0, random_state=0), corpus, tmp_path / "m")
    asked, real = list[int](), StoredRows.rows

    def rows(self, wanted):
        asked.append(len(wanted))
        return real(self, wanted)

    monkeypatch.setattr(topic_words, "CELLS", 4 * most)
    monkeypatch.setattr(StoredRows, "rows", rows)
    model_runs.resume(tmp_path / "m", every=1e9, threads=1, spark=engine)
    assert len(read_documents(tmp_path / "m")[0]) == 512
    assert len(load(tmp_path / "m").top_words(5, by="relevance")) == 4  # which asks the table
    assert sum(asked) >= 2 * 3000
    assert max(asked) <= most


def test_the_end_of_a_run_takes_no_memory_a_word(spark, tmp_path, monkeypatch):
    """What the report is told needs counts of all words, which executors add up; the figures are the same."""
    monkeypatch.setattr(topic_words, "CELLS", 20_000)
    peaks, vocabularies, real = list[int](), (10_000, 70_000), report_documents.write_documents

    def traced(*given):
        tracemalloc.start()
        real(*given)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    monkeypatch.setattr(topic_runs, "write_documents", traced)
    for words in vocabularies:
        corpus, path = zipf(tmp_path / f"corpus-{words}", 10_240, words), tmp_path / f"model-{words}"
        engine = SparkEngine(spark)
        estimator = LDA(4, engine=engine, init="random", max_iter=1, random_state=0)
        begin(estimator, corpus, path, held_out=0.1)
        model_runs.resume(path, every=1e9, threads=1, spark=engine)
        model = load(path)
        here = report_documents.collect_documents_and_figures(model, Source(corpus, 0.1), model.engine)[1]
        told = read_documents(path)[1]
        assert told.keys() == here.keys() == {"coherence", "unigram", "unigram_held_out"}
        for name, figures in told.items():
            assert figures == pytest.approx(here[name], rel=1e-12)
    assert (peaks[1] - peaks[0]) / (vocabularies[1] - vocabularies[0]) < 30  # bytes
