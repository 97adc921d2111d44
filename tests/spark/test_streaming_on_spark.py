"""A model that learns from files as they arrive: what it learns, exactly once, whatever is killed."""

import errno
import gzip
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from tests.golden.names import check
from tests.running import PROGRAM
from tests.spark.streaming_on_spark import (
    ANALYSIS,
    BATCH,
    FILE,
    FILES,
    GIVEN,
    OPEN,
    RUN,
    SPARK,
    WORDS,
    arrivals,
    hdp,
    lda,
    learned,
    learned_here,
    put,
    same_model,
    to_the_end,
    trace_of,
)

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Vocabulary
from stickbreaker.estimators.model_files import load
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved import directory as saved
from stickbreaker.saved.manifest import encoded
from stickbreaker.spark.file_stream import Arrivals, arrived
from stickbreaker.spark.streaming import StreamingModel, offsets_of
from stickbreaker.testing.estimators import contents
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
from stickbreaker.topics.runs import stream_births

CLOSED = {**RUN, "alpha": 0.1}
LINES = "text string, date string, _broken string, file_path string, file_block_start long"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def vocabulary():
    return Vocabulary.of(WORDS)


def same_bytes(one, other):
    """Whether two tables of open words are equal, to the last bit."""
    assert list(one.keys) == list(other.keys)
    assert one.scale == other.scale
    for name in ("rows", "values", "inside", "sizes"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def predicted(trace):
    """How minibatches were predicted, one after the other."""
    assert "prequential" not in trace[0]
    return [list(record["prequential"].values()) for record in trace[1:]]


@pytest.fixture
def undisturbed(streamed):
    """A model of the three files, taken one at a time."""
    return streamed.model


def streamed_from(model):
    """The directory that the undisturbed model learned from."""
    return model.parents[1] / "incoming"


@pytest.mark.smoke
def test_a_stream_learns_what_one_machine_learns(spark, undisturbed):
    (here, trace), there = learned_here(lda(spark)), load(undisturbed)
    assert predicted(trace) == predicted(trace_of(undisturbed))
    same_bytes(there.engine.table.whole(), here.table.whole())
    manifest = ModelDirectory(undisturbed).manifest()
    assert manifest["corpus"]["documents"] == 3 * FILE
    assert manifest["run"]["step"] == 3 * FILE // BATCH
    assert manifest["arriving"]["batch"] == 2
    assert {"newax", "newby", "newcz"} <= set(there.vocabulary.words)


def test_names_in_files_are_those_that_are_known(undisturbed):
    check(undisturbed)


def test_snapshots_have_the_dates_of_their_files(undisturbed):
    moments = ModelDirectory(undisturbed).evolution().moments
    assert [moment.date for moment in moments] == ["2001-01-01", "2001-01-02", "2001-01-03"]


def test_a_table_in_blocks_learns_what_one_machine_learns(spark, incoming, out, vocabulary):
    stream = StreamingModel(lda(spark, **CLOSED), arrivals(incoming), ANALYSIS, out, vocabulary)
    to_the_end(stream)
    here, trace = learned_here(lda(spark, **CLOSED), vocabulary)
    np.testing.assert_allclose(predicted(trace_of(out)), predicted(trace), rtol=1e-8)
    np.testing.assert_allclose(
        load(out).engine.table.counts(slice(None)), here.table.counts(slice(None)), rtol=1e-8, atol=1e-8
    )
    assert len(load(out).top_words(5)) == 3


def test_topics_open_in_a_table_in_blocks_as_on_one_machine(
    spark, incoming, tmp_path, out, vocabulary, monkeypatch
):
    monkeypatch.setattr(stream_births, "WINDOW", 3 * BATCH)
    settings = {**RUN, "moves": "births", "eta": 0.01}
    few = tmp_path / "few"
    few.mkdir()
    shutil.copy2(incoming / "0.jsonl", few)
    shutil.copy2(incoming / "1.jsonl", few)
    stream = StreamingModel(hdp(spark, **settings), arrivals(few), ANALYSIS, out, vocabulary)
    to_the_end(stream)
    shutil.copy2(incoming / "2.jsonl", few)
    again = StreamingModel(hdp(spark, **settings), arrivals(few), ANALYSIS, out, vocabulary)
    to_the_end(again)
    here, trace = learned_here(hdp(spark, **settings), vocabulary)
    there = trace_of(out)
    changes = [[(e["move"], e["topic"]) for e in record.get("edits", ())] for record in trace]
    assert any(changes)
    assert changes == [[(e["move"], e["topic"]) for e in record.get("edits", ())] for record in there]
    np.testing.assert_allclose(
        load(out).engine.table.counts(slice(None)), here.table.counts(slice(None)), rtol=1e-6, atol=1e-6
    )


def test_how_many_files_are_taken_at_a_time_changes_nothing_but_the_start(spark, incoming, out):
    to_the_end(StreamingModel(lda(spark), arrivals(incoming, files=None), ANALYSIS, out))
    manifest = ModelDirectory(out).manifest()
    assert (manifest["arriving"]["batch"], manifest["corpus"]["documents"]) == (0, 3 * FILE)
    assert [record["documents"] for record in trace_of(out)] == list(range(BATCH, 3 * FILE + 1, BATCH))


def test_a_micro_batch_that_is_handed_over_again_changes_nothing(spark, undisturbed):
    before = contents(undisturbed)
    stream = StreamingModel(lda(spark), arrivals(streamed_from(undisturbed)), ANALYSIS, undisturbed)
    other = spark.createDataFrame([("river bank", None, None, "file:/a", 0)], LINES)
    stream.learn(other, 2)
    stream.learn(other, 0)
    stream.close()
    assert contents(undisturbed) == before


@pytest.mark.parametrize(
    ("form", "dates", "expected"),
    [
        (None, ["5 April 1993", "1993-04-01", "1100 Main Street"], "1993-04-05"),
        (None, ["1100 Main Street", None], None),
        ("epoch", ["1539202764", None], "2018-10-10"),
        ("date=%d/%m/%Y", ["31/12/1999", "1/2/1999", "2000"], "2000"),
    ],
)
def test_dates_are_read_as_everywhere(spark, tmp_path, form, dates, expected):
    rows = [("river bank", date, None, "file:/a", i) for i, date in enumerate(dates)]
    frame = spark.createDataFrame(rows, LINES).selectExpr(
        "text", "date", "_broken", "file_path", "file_block_start"
    )
    found = arrived(frame, Arrivals(str(tmp_path), date_format=form), tmp_path / "corpus", ANALYSIS, None)
    assert found.date == expected


def test_a_date_format_of_another_field_is_refused(tmp_path):
    with pytest.raises(
        UserError, match="the date format is for the field 'when', but the dates are in 'date'"
    ):
        Arrivals(str(tmp_path), date_format="when=epoch")


def test_a_stream_that_ended_goes_on_when_files_come(spark, incoming, undisturbed, out):
    for number in (1, 2):
        (incoming / f"{number}.jsonl").unlink()
    learned(spark, incoming, out)
    assert ModelDirectory(out).manifest()["corpus"]["documents"] == FILE
    learned(spark, incoming, out)  # nothing has come
    for number in (1, 2):
        put(incoming, number)
    learned(spark, incoming, out)
    same_model(out, undisturbed)


def test_a_file_that_is_older_than_others_counts_too(spark, incoming, out):
    (incoming / "0.jsonl").rename(incoming.parent / "0.jsonl")
    learned(spark, incoming, out)
    os.utime(incoming.parent / "0.jsonl", (900_000_000, 900_000_000))
    (incoming.parent / "0.jsonl").rename(incoming / "0.jsonl")
    learned(spark, incoming, out)
    assert ModelDirectory(out).manifest()["corpus"]["documents"] == 3 * FILE


def test_documents_without_words_are_counted(spark, incoming, undisturbed, out):
    put(incoming, 3, [{"text": "the of"}, {"text": "1 2 3"}])
    put(incoming, 4, [{"text": ""}] * BATCH + [{"text": "river bank"}])
    learned(spark, incoming, out)
    manifest = ModelDirectory(out).manifest()
    assert manifest["corpus"]["documents"] == 3 * FILE + BATCH + 3
    assert manifest["corpus"]["empty"] == BATCH + 2
    assert manifest["run"]["seen"] == 3 * FILE + BATCH + 3
    assert manifest["run"]["step"] == 3 * FILE // BATCH + 1


def test_the_model_is_read_while_it_learns(spark, incoming, out):
    seen, over = set(), threading.Event()

    def read():
        while not over.is_set():
            if out.exists():
                seen.add(load(out).facts.corpus["documents"])
            time.sleep(0.02)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        learned(spark, incoming, out)
    finally:
        time.sleep(0.2)
        over.set()
        reader.join()
    assert seen >= {FILE, 3 * FILE}


def test_an_hdp_learns_from_a_stream(spark, incoming, out):
    settings = {**RUN, "words": "open", "inference": "hybrid"}
    to_the_end(StreamingModel(hdp(spark, **settings), arrivals(incoming), ANALYSIS, out))
    same_bytes(load(out).engine.table.whole(), learned_here(hdp(spark, **settings))[0].table.whole())


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_topics_of_open_words_open_as_on_one_machine(inference, spark, incoming, tmp_path, out, monkeypatch):
    monkeypatch.setattr(stream_births, "WINDOW", 50)
    settings = {**RUN, "moves": "births", "inference": inference}
    settings["words"] = OpenVocabulary(concentration=30.0, reorder_every=2)
    few = tmp_path / "few"
    few.mkdir()
    for number in (0, 1):
        shutil.copy2(incoming / f"{number}.jsonl", few)
    to_the_end(StreamingModel(hdp(spark, **settings), arrivals(few), ANALYSIS, out))
    shutil.copy2(incoming / "2.jsonl", few)  # documents wait meanwhile
    to_the_end(StreamingModel(hdp(spark, **settings), arrivals(few), ANALYSIS, out))
    here, trace = learned_here(hdp(spark, **settings))
    assert any(edit["move"] == "split" for record in trace for edit in record.get("edits", ()))
    assert [record.get("edits") for record in trace] == [record.get("edits") for record in trace_of(out)]
    same_bytes(load(out).engine.table.whole(), here.table.whole())
    check(out)


# mistakes


def test_a_broken_line_ends_the_stream_and_the_mended_file_goes_on(spark, incoming, undisturbed, out):
    whole = (incoming / "2.jsonl").read_text()
    put(incoming, 2, FILES[2][:5])
    with (incoming / "2.jsonl").open("a") as file:
        file.write('{"text": "cut o')
    with pytest.raises(
        UserError, match=r"incoming/2.jsonl: a line is not a JSON object: '{\"text\": \"cut o'; "
    ):
        learned(spark, incoming, out)
    assert ModelDirectory(out).manifest()["corpus"]["documents"] == 2 * FILE
    (incoming / "2.jsonl").write_text(whole)
    learned(spark, incoming, out)
    same_model(out, undisturbed)


def test_a_failed_micro_batch_is_learned_from_once(spark, incoming, undisturbed, out):
    failing = [True]

    def watch(record):
        if record["step"] == 4 and failing:
            failing.clear()
            raise UserError("the disk is full")

    stream = StreamingModel(lda(spark), arrivals(incoming), ANALYSIS, out, watch=watch)
    with pytest.raises(UserError, match="the disk is full"):
        to_the_end(stream)
    to_the_end(StreamingModel(lda(spark), arrivals(incoming), ANALYSIS, out))
    same_model(out, undisturbed)


def test_a_compressed_file_is_read_and_one_that_is_cut_off_is_told(spark, incoming, undisturbed, out):
    whole = gzip.compress((incoming / "2.jsonl").read_bytes())
    (incoming / "2.jsonl").unlink()
    (incoming / "2.jsonl.gz").write_bytes(whole[:-20])
    with pytest.raises(UserError, match=r"reading file .*incoming/2.jsonl.gz") as told:
        learned(spark, incoming, out)
    assert "\n" not in str(told.value)
    (incoming / "2.jsonl.gz").write_bytes(whole)
    learned(spark, incoming, out)
    held, known = (ModelDirectory(path).manifest()["corpus"] for path in (out, undisturbed))
    assert held["documents"] == known["documents"]


def test_a_full_disk_is_told_and_the_stream_goes_on(spark, incoming, undisturbed, out, monkeypatch):
    write, saves = saved.write_atomic, []

    def third_fails(path, content):
        saves.extend([path] * (path.name == saved.MANIFEST))
        if len(saves) == 3 and path is saves[2]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write(path, content)

    monkeypatch.setattr(saved, "write_atomic", third_fails)
    with pytest.raises(UserError, match=r"cannot be read or written \(No space left on device\); what was"):
        learned(spark, incoming, out)
    learned(spark, incoming, out)
    same_model(out, undisturbed)


@pytest.mark.parametrize("field", ["Date", "a`b"])
def test_a_field_that_spark_does_not_take_is_told(spark, incoming, out, field):
    with pytest.raises(UserError, match=r"incoming: Spark failed \("):
        StreamingModel(lda(spark), arrivals(incoming, text_field=field), ANALYSIS, out)


def test_the_model_of_a_stream_is_not_resumed(spark, cli, undisturbed):
    told = cli("resume", undisturbed, code=1).output
    assert "learns from files as they arrive, not from a corpus; to continue, give the command" in told


def test_lines_that_are_left_out_are_counted(spark, incoming, out):
    with (incoming / "1.jsonl").open("a") as file:
        file.write('no JSON\n{"body": "river"}\n{"text": null}\n\n{"text": "river bank"}\n')
    stream = to_the_end(StreamingModel(lda(spark), arrivals(incoming, on_error="skip"), ANALYSIS, out))
    assert stream.skipped == 3
    assert ModelDirectory(out).manifest()["corpus"]["documents"] == 3 * FILE + 1


def test_a_stream_whose_first_documents_have_no_words_begins_with_those_that_have(spark, incoming, out):
    for number in range(3):
        (incoming / f"{number}.jsonl").unlink()
    put(incoming, 0, [{"text": "the of"}])
    with pytest.raises(UserError, match="incoming: no document has a known word; give documents with text"):
        learned(spark, incoming, out)
    put(incoming, 0)
    learned(spark, incoming, out)
    assert ModelDirectory(out).manifest()["corpus"]["documents"] == FILE


def again(spark, model, directory=None, vocabulary=None, **settings):
    """Take a model up that is there already."""
    told = arrivals(directory or streamed_from(model))
    StreamingModel(lda(spark, **(settings or OPEN)), told, ANALYSIS, model, vocabulary).close()


def test_what_is_no_model_of_the_stream_is_refused(spark, undisturbed, model, tmp_path, vocabulary):
    with pytest.raises(UserError, match="is not a model of the files that arrive in"):
        again(spark, undisturbed, tmp_path)
    with pytest.raises(UserError, match="is not a model of the files that arrive in"):
        again(spark, model, tmp_path)
    with pytest.raises(UserError, match="the model was begun with another alpha; continue as it was begun"):
        again(spark, undisturbed, **{**OPEN, "alpha": 0.2})
    with pytest.raises(UserError, match="the vocabulary of a stream is not known"):
        again(spark, undisturbed, **CLOSED)
    with pytest.raises(UserError, match="the vocabulary is open"):
        again(spark, undisturbed, vocabulary=vocabulary)
    with pytest.raises(UserError, match="there is no such directory; make it"):
        again(spark, undisturbed, tmp_path / "nowhere")


def test_a_model_or_notes_that_are_gone_are_missed(spark, undisturbed):
    away = undisturbed.with_name("away")
    offsets_of(undisturbed).rename(away)
    with pytest.raises(UserError, match=r"model.offsets: Spark's notes .* are gone"):
        again(spark, undisturbed)
    away.rename(offsets_of(undisturbed))
    undisturbed.rename(away)
    with pytest.raises(UserError, match="the model that learned by Spark's notes of files is gone"):
        again(spark, undisturbed)
    away.rename(undisturbed)
    again(spark, undisturbed)


def test_a_model_that_makes_no_sense_is_refused(spark, undisturbed, out):
    shutil.copytree(undisturbed, out)
    shutil.copytree(offsets_of(undisturbed), offsets_of(out))
    manifest = ModelDirectory(out).manifest()
    del manifest["small"]["alpha"]
    (out / saved.MANIFEST).write_bytes(encoded(manifest))
    with pytest.raises(UserError, match=r"makes no sense \(ValueError: no alpha like this model's\)"):
        again(spark, out, streamed_from(undisturbed))


def test_two_processes_do_not_learn_one_model(spark, undisturbed):
    stream = StreamingModel(lda(spark), arrivals(streamed_from(undisturbed)), ANALYSIS, undisturbed)
    with pytest.raises(UserError, match="another run is writing this model"):
        again(spark, undisturbed)
    stream.close()


def test_interrupted_the_program_leaves_a_model_that_goes_on(spark, cli, incoming, undisturbed, out):
    late = (incoming / "2.jsonl").rename(incoming.parent / "2.jsonl")
    words = ["stream", "lda", incoming, *SPARK, *GIVEN, "--alpha", 0.1, "--seed", 1]
    words += ["--kappa", 0.6, "--tau0", 1, "--out", out]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [str(word) for word in (PROGRAM, *words)], stderr=pipe, text=True, start_new_session=True
    ) as process:
        try:
            end = time.monotonic() + 300
            while not out.exists() or ModelDirectory(out).manifest()["corpus"]["documents"] < 2 * FILE:
                assert process.poll() is None, process.stderr.read()
                assert time.monotonic() < end
                time.sleep(0.1)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
            told = process.communicate(timeout=120)[1]
        finally:
            process.kill()
    assert process.returncode == 1
    assert told.splitlines()[-1].startswith("stickbreaker: interrupted; the model is saved; give the command")
    assert "Traceback" not in told
    late.rename(incoming / "2.jsonl")
    cli(*words, "--once")
    same_model(out, undisturbed)
