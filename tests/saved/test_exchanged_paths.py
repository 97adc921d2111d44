"""A run writes into the directory that it began, and not into what somebody puts at its path meanwhile."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.running import SMALL, bytes_of_files
from tests.tiers import sampled

from stickbreaker import (
    HDP,
    LDA,
    AdaptorGrammar,
    Corpus,
    NgramModel,
    TopicNgramModel,
    UserError,
    VocabularyRule,
)
from stickbreaker.core.locks.directory_claims import claim, refuse_exchanged, watched
from stickbreaker.corpus import Analysis
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.streams import stream_directory
from stickbreaker.estimators.streams.stream_feed import Stop, StreamSettings
from stickbreaker.grammars.text_symbols import analysis_of_symbols
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.schedules import Online
from stickbreaker.saved.directory import ModelDirectory
from stickbreaker.testing.estimators import begin, contents
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
from stickbreaker.topics.settings import LDASettings

SHORT = {"max_iter": 4, "random_state": 1}
KINDS = {
    "lda": lambda: LDA(3, tol=0, **SHORT),
    "gibbs": lambda: LDA(3, inference="gibbs", **SHORT),
    "hdp": lambda: HDP(3, tol=0, **SHORT),
    "ngram": lambda: NgramModel(min_count=1, **SHORT),
    "topic ngram": lambda: TopicNgramModel(3, min_count=1, **SHORT),
    "grammar": lambda: AdaptorGrammar("unigram", **SHORT),
}


@contextmanager
def claimed(directory: Path) -> Iterator[None]:
    made = claim(directory)
    assert made is not None
    yield
    made.release()


MOVED = "m: was moved, removed or replaced while a command was writing it"


class Exchanges(Observer):
    """Puts another directory (None: nothing) in the place of a run's after some steps, or at its end (0)."""

    def __init__(self, path: Path, other: Path | None, step: int) -> None:
        self.path, self.other, self.at = path, other, step

    def step(self, job, state, record) -> bool:
        if state.step == self.at:
            self.exchange()
        return False

    def end(self, job, state) -> None:
        if not self.at:
            self.exchange()

    def exchange(self) -> None:
        self.path.rename(self.path.with_name("moved"))
        if self.other is not None:
            self.other.rename(self.path)


@pytest.fixture
def other(model, tmp_path):
    return shutil.copytree(model, tmp_path / "other")


@pytest.fixture
def corpus(tmp_path):
    texts = ["the dog ran and the cat sat", "a cat and a dog sat", "the dog sat and ran"] * 7
    rule, analysis = VocabularyRule(1, 1.0), Analysis(stop_words="none", min_length=1)
    return Corpus.from_texts(texts, analysis=analysis, rule=rule).write(tmp_path / "corpus")


def symbols(tmp_path):
    lines = ["thedogran", "acatsat", "thecatran", "adogsat"] * 5
    analysis, rule = analysis_of_symbols("characters"), VocabularyRule(1, 1.0)
    return Corpus.from_texts(lines, analysis=analysis, rule=rule).write(tmp_path / "symbols")


@pytest.mark.parametrize("step", sampled([2, 0], 4))
@pytest.mark.parametrize("kind", sampled(KINDS, 4))
def test_a_run_leaves_another_model_alone(kind, step, other, corpus, tmp_path):
    """At any step, and before the last save; where it was moved to, it goes on as if nothing had been."""
    corpus = symbols(tmp_path) if kind == "grammar" else corpus
    path, before = tmp_path / "m", contents(other)
    begin(KINDS[kind](), corpus, path)
    with pytest.raises(UserError, match=MOVED):
        model_runs.resume(path, every=0.0, threads=1, watch=[Exchanges(path, other, step)])
    assert contents(path) == before
    model_runs.resume(tmp_path / "moved", every=60.0, threads=1)
    begin(KINDS[kind](), corpus, tmp_path / "whole")
    model_runs.resume(tmp_path / "whole", every=60.0, threads=1)
    assert contents(tmp_path / "moved") == contents(tmp_path / "whole")


def test_nothing_is_made_where_a_run_was_moved_away(corpus, tmp_path):
    begin(KINDS["lda"](), corpus, tmp_path / "m")
    with pytest.raises(UserError, match=MOVED):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[Exchanges(tmp_path / "m", None, 2)])
    assert not (tmp_path / "m").exists()


def test_what_comes_after_the_last_save_keeps_its_corpus(corpus, other, tmp_path, monkeypatch):
    """A run that is over tidies up; another one, under way, with the same corpus inside, is not tidied."""
    for name in ("m", "n"):
        inside = corpus.write(tmp_path / f"copy of {name}")
        begin(KINDS["lda"](), inside, tmp_path / name, corpus_inside=True)
    before = bytes_of_files(tmp_path / "n")
    real = ModelDirectory.tidy

    def tidy(self) -> None:
        Exchanges(tmp_path / "m", tmp_path / "n", 0).exchange()
        real(self)

    monkeypatch.setattr(ModelDirectory, "tidy", tidy)
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    assert bytes_of_files(tmp_path / "m") == before
    monkeypatch.undo()
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)


def test_a_run_that_is_gone_on_with_at_once_is_the_one_that_was_begun(corpus, other, tmp_path):
    """The directory stays locked from its beginning on."""
    path, before = tmp_path / "m", contents(other)
    directory = begin(KINDS["lda"](), corpus, path, stays_locked=True)
    with pytest.raises(UserError, match="another run is writing"):
        model_runs.resume(path, every=0.0, threads=1)
    Exchanges(path, other, 0).exchange()
    with pytest.raises(UserError, match=MOVED):
        model_runs.resume(directory, every=0.0, threads=1)
    assert contents(path) == before


# streams


def begun(tmp_path: Path, stop: Stop) -> stream_directory.Stream:
    lines = [f'{{"text": "{word} river bank {word} boat"}}\n' for word in ("blue", "red", "green") * 20]
    (tmp_path / "s.jsonl").write_text("".join(lines))
    settings = StreamSettings((str(tmp_path / "s.jsonl"),), snapshot_documents=10, snapshot_seconds=1e9)
    words = OpenVocabulary(truncation=40, reorder_every=3)
    estimator = LDASettings(3, words=words, schedule=Online(10), random_state=0, n_jobs=1)
    return stream_directory.begin(estimator, settings, Analysis(stop_words="none"), tmp_path / "m", stop)


@pytest.mark.parametrize("step", [1, 3])
def test_a_stream_leaves_another_model_alone(step, other, tmp_path):
    before, stop = contents(other), Stop()
    exchanges = Exchanges(tmp_path / "m", other, step)
    stream = begun(tmp_path, stop)

    def look(record):
        return exchanges.exchange() if record["step"] == step else None

    with pytest.raises(UserError, match=MOVED):
        stream_directory.continue_stream(stream, stop, look)
    assert contents(tmp_path / "m") == before
    assert LDA.load(tmp_path / "moved").n_steps_ == max(1, step - 1)
    again = stream_directory.resume(tmp_path / "moved", stop, 1)
    assert stream_directory.continue_stream(again, stop, lambda record: None)
    assert LDA.load(tmp_path / "moved").corpus_["documents"] == 60


def test_of_two_that_go_on_with_a_stream_one_has_it(tmp_path):
    """From before its documents are read again: else the second would go on from an older state."""
    stop = Stop()
    stream = begun(tmp_path, stop)
    with pytest.raises(UserError, match="another run is writing"):
        stream_directory.resume(tmp_path / "m", stop, 1)
    assert stream_directory.continue_stream(stream, stop, lambda record: None)
    assert stream_directory.resume(tmp_path / "m", stop, 1) is None


def test_a_finished_model_that_comes_as_a_run_is_read_is_not_its_end(corpus, other, tmp_path, monkeypatch):
    """Nobody says that a run is done because something else at its path is."""
    begin(KINDS["lda"](), corpus, tmp_path / "m")
    real = ModelDirectory.lock

    def lock(self) -> None:
        real(self)
        Exchanges(tmp_path / "m", other, 0).exchange()

    monkeypatch.setattr(ModelDirectory, "lock", lock)
    before = contents(other)
    with pytest.raises(UserError, match=MOVED):
        model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    assert contents(tmp_path / "m") == before
    monkeypatch.undo()
    model_runs.resume(tmp_path / "moved", every=60.0, threads=1)


def test_nor_is_it_the_end_of_a_stream(other, tmp_path, monkeypatch):
    stop, real = Stop(), ModelDirectory.lock
    begun(tmp_path, stop).close()

    def lock(self) -> None:
        real(self)
        Exchanges(tmp_path / "m", other, 0).exchange()

    monkeypatch.setattr(ModelDirectory, "lock", lock)
    with pytest.raises(UserError, match=MOVED):
        stream_directory.resume(tmp_path / "m", stop, 1)


# searches, and what is below it all


def test_a_search_leaves_another_one_alone(cli, planted, tmp_path, monkeypatch):
    cli("corpus", "build", planted, "--out", tmp_path / "c", "--min-documents", 1)
    line = ("search-k", tmp_path / "c", "--seeds", 1, "--iterations", 2, "--threads", 1, "--topics")
    cli(*line, 2, "--out", tmp_path / "other")
    before = bytes_of_files(tmp_path / "other")
    real = model_runs.resume

    def resume(*arguments, **options):
        done = real(*arguments, **options)
        Exchanges(tmp_path / "m", tmp_path / "other", 0).exchange()
        return done

    monkeypatch.setattr(model_runs, "resume", resume)
    told = cli(*line, 3, "--out", tmp_path / "m", code=1).stderr.splitlines()[-1]
    assert "was moved, removed or replaced" in told or "there is no such model" in told
    assert bytes_of_files(tmp_path / "m") == before


@pytest.mark.parametrize("take", [claimed, watched])
def test_whose_directory_a_path_leads_to(take, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for path in (one, two):
        path.mkdir()
    with take(one):
        refuse_exchanged(one / "deeper" / "file")
        one.rename(tmp_path / "moved")
        for come in (lambda: None, lambda: two.rename(one)):
            come()
            with pytest.raises(UserError, match="was moved, removed or replaced"):
                refuse_exchanged(one / "file")
            refuse_exchanged(tmp_path / "onefile")
        one.rename(two)
        (tmp_path / "moved").rename(one)
        refuse_exchanged(one / "file")
        one.rename(tmp_path / "moved")
    refuse_exchanged(one / "file")


def test_a_lock_that_was_removed_is_none(tmp_path):
    directory = ModelDirectory(tmp_path)
    directory.lock()
    (tmp_path / "lock").unlink()
    with pytest.raises(UserError, match="was moved, removed or replaced"):
        refuse_exchanged(tmp_path)
    directory.unlock()


def test_the_command_says_so_in_one_line(cli, planted, other, tmp_path, monkeypatch):
    out, before = tmp_path / "m", contents(other)
    monkeypatch.setattr("stickbreaker.console.running.watcher", lambda: Exchanges(out, other, 3))
    done = cli("fit", "lda", planted, "--out", out, *SMALL, "--checkpoint-every", 0, code=1)
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(f"stickbreaker: {out}: was moved, removed or replaced")
    assert contents(out) == before
