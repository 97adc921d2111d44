"""Models and corpora of others: whatever is in them, and whatever their sums say, one line names the file."""

import json
import os
import shutil
import struct
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from audit.sealing import seal_corpus, seal_model
from safetensors.numpy import load_file, save_file
from tests.running import SMALL, StopAfter
from tests.tiers import some

from stickbreaker import HDP, LDA, Corpus, Memoised, NgramModel, UserError
from stickbreaker.core.files import digest_of
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.streams.stream_feed import StreamSettings
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import encoded
from stickbreaker.saved.manifest_fields import FIELDS, OPTIONAL_FIELDS, PARTS
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import begin

DEEP = b'{"a":' * 100_000


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "copy")


@pytest.fixture(scope="module")
def halfway(cli, planted, tmp_path_factory):
    """A run that was interrupted, its corpus inside."""
    path = tmp_path_factory.mktemp("halfway") / "model"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("stickbreaker.console.running.watcher", lambda: StopAfter(2))
        cli("fit", "lda", planted, "--out", path, *SMALL, code=1)
    return path


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    """A run, interrupted, whose moves wait for documents that have not tried them; its corpus inside."""
    place = tmp_path_factory.mktemp("waiting")
    planted = plant_topics(n_documents=120, length=30, seed=2).counts
    corpus = Corpus.from_matrix(planted).write(place / "corpus")
    given = {"max_iter": 6, "tol": 0.0, "keep_local": True, "random_state": 1}
    model = HDP(7, schedule=Memoised(batch_size=30), **given)
    begin(model, corpus, place / "model", corpus_inside=True)
    with pytest.raises(Interrupted):
        model_runs.resume(place / "model", every=60.0, threads=1, watch=[StopAfter(10)])
    return place / "model"


def sealed(path: Path, **changes: object) -> Path:
    """A model whose sums are right again, with other values in its manifest."""
    manifest = json.loads((path / "model.json").read_bytes()) | changes
    manifest.pop("digest")
    for name, facts in manifest["files"].items():
        if isinstance(facts, dict) and (path / name).is_file():
            facts |= {"bytes": (path / name).stat().st_size, "digest": digest_of(path / name)}
    (path / "model.json").write_bytes(encoded(manifest))
    return path


def refusal(cli, *arguments: object) -> str:
    """The one line by which a command is refused."""
    told = cli(*arguments, code=1)
    assert told.stderr.count("\n") == 1, told.stderr
    assert len(told.stderr) < 1000
    return told.stderr


# what a manifest says


def test_json_that_is_nested_deep_is_refused(cli, copy):
    (copy / "model.json").write_bytes(DEEP)
    assert "model.json: is damaged" in refusal(cli, "topics", copy)


NEEDED = (
    "schema",
    "trace_digests",
    "status",
    "run",
    "files",
    "estimator",
    "settings",
    "corpus",
    "small",
    "held_out",
)


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("value", ["gone", None, [], "x", -1, {"deep": None}])
def test_each_part_of_a_manifest_is_needed(cli, copy, tmp_path, name, value):
    manifest = json.loads((copy / "model.json").read_bytes())
    if value == "gone":
        del manifest[name]
        manifest.pop("digest")
        (copy / "model.json").write_bytes(encoded(manifest))
    elif name == "files":
        manifest.pop("digest")
        (copy / "model.json").write_bytes(encoded(manifest | {"files": value}))
    else:
        sealed(copy, **{name: value})
    if name != "held_out":  # of a finished model the report alone asks for it
        assert str(copy) in refusal(cli, "topics", copy)
    if name != "held_out" or value == "gone":
        assert str(copy) in refusal(cli, "report", copy, "--out", tmp_path / "r.html")


@pytest.mark.parametrize(
    "name", ["../../letter", "/etc/hostname", "keys-/../../letter", "rows-1-x/../../letter"]
)
def test_files_that_lie_elsewhere_are_refused(cli, copy, tmp_path, name):
    files = json.loads((copy / "model.json").read_bytes())["files"]
    sealed(copy, files={**files, name: {"bytes": 1, "digest": ""}})
    assert "names a file" in refusal(cli, "topics", copy)


# links


def everything(path: Path) -> list[str]:
    """Every file and folder of a directory."""
    return sorted(str(file.relative_to(path)) for file in path.rglob("*"))


def test_links_in_a_model_are_refused_and_not_followed(cli, halfway, tmp_path):
    letter = tmp_path / "letter"
    for name in everything(halfway):
        path = shutil.copytree(halfway, tmp_path / "copy")
        moved = tmp_path / "moved"
        (path / name).rename(moved)
        if moved.is_file():
            letter.write_bytes(moved.read_bytes() + b"dear friend\n")
            (path / name).symlink_to(letter)
        else:
            (path / name).symlink_to(moved)
        before = letter.read_bytes() if letter.exists() else b""
        for verb in (("resume",), ("topics",), ("report", "--out", tmp_path / "r.html")):
            assert f"{path / name}: is a link" in refusal(cli, verb[0], path, *verb[1:]), name
        assert "is a link" in refusal(cli, "fit", "lda", halfway / "corpus", "--out", path, "--overwrite")
        assert (letter.read_bytes() if letter.exists() else b"") == before
        shutil.rmtree(path)
        shutil.rmtree(moved) if moved.is_dir() else moved.unlink()


def test_a_pipe_in_a_model_is_not_waited_for(cli, halfway, tmp_path):
    path = shutil.copytree(halfway, tmp_path / "copy")
    (path / "trace.jsonl").unlink()
    os.mkfifo(path / "trace.jsonl")
    assert "trace.jsonl: is not a plain file" in refusal(cli, "resume", path)


def test_links_in_a_corpus_are_refused(cli, halfway, tmp_path):
    for name in everything(halfway / "corpus"):
        path = shutil.copytree(halfway / "corpus", tmp_path / "copy")
        (path / name).rename(tmp_path / "letter")
        (path / name).symlink_to(tmp_path / "letter")
        assert f"{path / name}: is a link" in refusal(cli, "corpus", "info", path)
        shutil.rmtree(path)


def test_a_model_may_be_reached_by_a_link(cli, model, tmp_path):
    (tmp_path / "latest").symlink_to(model)
    assert cli("topics", tmp_path / "latest").stdout == cli("topics", model).stdout


# tensors


def header(content: object, length: int | None = None, body: bytes = b"") -> bytes:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


COUNTS = {"dtype": "F64", "shape": [24, 3], "data_offsets": [0, 576]}
TOTALS = {**COUNTS, "data_offsets": [8, 584]}
DATA = bytes(576)
BAD_HEADERS = {
    "longer than the file": header({"counts": COUNTS}, 10**6),
    "longer than any file": header({"counts": COUNTS}, 2**63),
    "not JSON": header(b"x" * 64),
    "deep": header(DEEP),
    "a list": header([COUNTS]),
    "beyond the file": header({"counts": COUNTS}),
    "overlapping": header(
        {"counts": COUNTS, "totals": {**COUNTS, "data_offsets": [8, 584]}}, body=bytes(584)
    ),
    "backwards": header({"counts": {**COUNTS, "data_offsets": [576, 0]}}, body=DATA),
    "of no type": header({"counts": {**COUNTS, "dtype": "F99"}}, body=DATA),
    "of a type without numbers": header({"counts": {**COUNTS, "dtype": "BOOL", "shape": [576]}}, body=DATA),
    "of half precision": header({"counts": {**COUNTS, "dtype": "BF16", "shape": [288]}}, body=DATA),
    "of another shape": header({"counts": {**COUNTS, "shape": [24, 4]}}, body=DATA),
    "negative": header({"counts": {**COUNTS, "shape": [-24, -3]}}, body=DATA),
    "huge": header({"counts": {**COUNTS, "shape": [2**62, 2**62]}}, body=DATA),
    "without what is needed": header({"counts": COUNTS}, body=DATA),
    "empty": b"",
}


@pytest.mark.parametrize("kind", BAD_HEADERS)
def test_tensors_of_bad_kinds_are_refused(cli, copy, kind):
    (copy / "state.safetensors").write_bytes(BAD_HEADERS[kind])
    sealed(copy)
    assert str(copy) in refusal(cli, "topics", copy)


@pytest.mark.parametrize("name", ["counts", "totals", "scale", "small/alpha"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -5.0])
def test_numbers_that_count_nothing_are_refused(cli, copy, tmp_path, name, value):
    arrays = load_file(copy / "state.safetensors")
    arrays[name] = np.array(arrays[name])
    arrays[name].flat[0] = value
    save_file(arrays, copy / "state.safetensors")
    sealed(copy)
    assert str(copy) in refusal(cli, "topics", copy)


@pytest.mark.parametrize("name", ["counts", "totals", "small/alpha"])
@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: a[..., None], lambda a: np.append(a, a)])
def test_parts_of_other_sizes_are_refused(cli, copy, name, change):
    arrays = load_file(copy / "state.safetensors")
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    save_file(arrays, copy / "state.safetensors")
    sealed(copy)
    assert str(copy) in refusal(cli, "topics", copy)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("kept/0/usage/log_theta", "gone"),
        ("kept/0/usage/log_theta", "shorter"),
        ("latest/usage/log_theta", "shorter"),
        ("targets", "gone"),
        ("targets", "shorter"),
        ("priors", "gone"),
        ("priors", "longer"),
        ("priors", "negative"),
        ("topic", "negative"),
        ("kept/0/values", "negative"),
        ("local/", "deeper"),
        ("local/", "shorter"),
        ("plan/0/", "gone"),
        ("mixing", "deeper"),
        ("mixing", "negative"),
        ("latest/usage/own", "deeper"),
        ("latest/usage/shares", "negative"),
        ("latest/usage/together", "negative"),
        ("kept/0/sums", "negative"),
        ("small/failed", "shorter"),
        ("small/wait", "negative"),
    ],
)
def test_reports_and_plans_without_their_parts_are_refused(cli, waiting, tmp_path, name, change):
    path = shutil.copytree(waiting, tmp_path / "model")
    state = next(path.glob("state-*"))
    arrays = load_file(state)
    key = next(key for key in arrays if key.startswith(name) or f"/{name}|" in key)
    part = arrays.pop(key)
    if change == "shorter":
        arrays[key] = np.ascontiguousarray(part[:-1])
    if change == "negative":
        arrays[key] = np.asarray(-part - 1.0)
    if change == "deeper":
        arrays[key] = np.ascontiguousarray(part[..., None])
    if change == "longer":
        arrays[key] = np.concatenate([part, part[:1]])
    save_file(arrays, state)
    assert str(path) in refusal(cli, "resume", sealed(path))


@pytest.mark.parametrize("kind", [[], "/etc/hostname"])
def test_every_verb_names_a_model_of_an_unknown_kind(cli, copy, planted, tmp_path, kind):
    sealed(copy, estimator=kind)
    out = ("--out", tmp_path / "x.csv")
    for verb in (("topics",), ("evaluate", planted), ("transform", planted, *out)):
        assert str(copy) in refusal(cli, verb[0], copy, *verb[1:])


@pytest.mark.parametrize(
    "setting",
    [{"schedule": -1}, {"schedule": 1e400}, {"schedule": "sometimes"}, {"judge": np.nan}, {"judge": "sun"}],
)
def test_settings_that_mean_nothing_are_refused(cli, waiting, tmp_path, setting):
    path = shutil.copytree(waiting, tmp_path / "model")
    settings = json.loads((path / "model.json").read_bytes())["settings"]
    assert str(path) in refusal(cli, "topics", sealed(path, settings={**settings, **setting}))


@pytest.mark.parametrize("setting", [{"unknown": 3}, {"order": True}, {"order": 11}, {"samples": -1}])
def test_settings_of_a_language_model_are_held_to_the_rules_for_users(cli, tmp_path, setting):
    NgramModel(2, min_count=1, max_iter=2, random_state=0).fit(["a cat sat. a cat ran."]).save(tmp_path / "m")
    settings = json.loads((tmp_path / "m" / "model.json").read_bytes())["settings"]
    path = sealed(tmp_path / "m", settings={**settings, **setting})
    assert f"{path}: {next(iter(setting))}=" in refusal(cli, "generate", path)


@pytest.mark.parametrize("name", ["alpha", "eta"])
def test_priors_of_nothing_are_refused(cli, copy, name):
    arrays = load_file(copy / "state.safetensors")
    arrays[f"small/{name}"] = np.zeros_like(arrays[f"small/{name}"])
    save_file(arrays, copy / "state.safetensors")
    assert f"{name} is zero" in refusal(cli, "topics", sealed(copy))


def test_a_field_of_other_axes_is_refused(cli, tmp_path, planted):
    path = tmp_path / "model"
    fit = ("fit", "lda", planted, "--out", path, "--stream", "--words", "open", "--schedule", "online")
    cli(*fit, "--topics", 3, "--batch-size", 30)
    directory = ModelDirectory(path)
    snapshot = directory.read()
    name = "small/spelling_alphabet"
    snapshot.arrays = {**snapshot.arrays, name: snapshot.arrays[name].reshape(-1, 1)}
    directory.write(snapshot)
    assert "spelling_alphabet has 2 axes" in refusal(cli, "topics", path)


def test_documents_without_a_word_to_score_are_named(cli, copy, tmp_path):
    others = tmp_path / "others.jsonl"
    others.write_text('{"text": "zyx zyx"}')
    told = cli("evaluate", copy, others, code=1).stderr.splitlines()[-1]
    assert f"{others}: there is nothing to score" in told


@pytest.mark.parametrize("name", ["passes", "scores", "seen", "converged"])
def test_every_part_of_how_far_a_run_is_is_needed(cli, copy, tmp_path, name):
    run = json.loads((copy / "model.json").read_bytes())["run"]
    del run[name]
    assert name in refusal(cli, "report", sealed(copy, run=run), "--out", tmp_path / "r.html")


@pytest.mark.parametrize("share", [float("nan"), -0.1, 1.0, "half", None])
def test_shares_held_out_that_are_none_are_refused(cli, copy, share):
    told = refusal(cli, "topics", sealed(copy, held_out=share))
    assert f"held_out is {share}" in told
    assert "--" not in told


@pytest.mark.parametrize(("name", "value"), [("n_topics", 0), ("max_iter", -1), ("fold_in", "by hand")])
def test_settings_of_a_file_are_named_as_it_has_them(cli, copy, name, value):
    told = refusal(cli, "topics", changed(copy, f"settings/{name}", value))
    assert f"{copy}: {name}=" in told
    assert "--" not in told
    with pytest.raises(UserError, match=f"{name}="):
        LDA.load(copy)


def changed(path: Path, field: str, value: object) -> Path:
    """A model whose sums are right again, with another value (or "gone") in a field, "run/step"."""
    manifest = json.loads((path / "model.json").read_bytes())
    manifest.pop("digest")
    *outer, name = field.split("/")
    held = manifest
    for each in outer:
        held = held[each]
    held[name] = value
    if value == "gone":
        del held[name]
    (path / "model.json").write_bytes(encoded(manifest))
    return path


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", True),
        ("stickbreaker", "\ud800"),
        ("stickbreaker", "0.1.0\n"),
        ("corpus_path", {"a": 1}),
        ("corpus_path", "../corpus"),
        ("corpus_path", "/etc"),
        ("trace_bytes", -1),
        ("columns", [[3, 0, 1], 3]),
        ("columns", []),
        ("settings/random_state", True),
        ("settings/random_state", 1.5),
        ("settings/n_jobs", 2),
        ("settings/keep_local", "yes"),
        ("settings/eta", {"a": 1}),
        ("settings/eta", {"array": "0.5"}),
        ("corpus/kind", "letters"),
        ("corpus/fingerprint", "/etc/hostname"),
        ("corpus/analysis", "gone"),
        ("corpus/empty", 1 << 31),
        ("run/kind", "best"),
        ("run/passes", 1 << 31),
        ("run/passes", 0),
        ("run/in_pass", 2),
        ("run/at_pass_start", [0.5, 0.0]),
        ("run/at_pass_start", [1 << 31, 0.0]),
        ("run/at_pass_start", [0, 1e300]),
        ("run/seen", 0.0),
        ("run/held_out", [-1.0] * 1000),
        ("small/alpha", {"axes": ["topics"], "additive": False}),
        ("stickbreaker", "gone"),
        ("files/vocabulary.parquet", "gone"),
        ("files/state.safetensors", {"bytes": 1, "digest": "x"}),
    ],
)
def test_fields_that_no_model_has_are_refused(cli, copy, field, value):
    assert str(copy) in refusal(cli, "topics", changed(copy, field, value))


def test_every_field_that_is_written_has_a_rule(cli, copy, halfway, planted, tmp_path):
    stream = ("--stream", "--words", "open", "--schedule", "online", "--batch-size", 30, *SMALL)
    cli("fit", "lda", planted, "--out", tmp_path / "stream", *stream)
    for path in (copy, halfway, tmp_path / "stream"):
        manifest = ModelDirectory(path).manifest()
        assert set(manifest) <= {*FIELDS, *OPTIONAL_FIELDS}
        for name in ("corpus", "run", "stream"):
            assert set(manifest.get(name, ())) <= {*PARTS[name][0], *PARTS[name][1]}


@pytest.mark.parametrize(
    "change", [{"inputs": "-"}, {"on_error": "stop"}, {"snapshot_documents": 0}, {"text_field": None}]
)
def test_streams_that_nothing_reads_are_refused(copy, change):
    change = {**StreamSettings(("-",)).to_json(), **change}
    with pytest.raises(UserError, match=r"model.json: .*(inputs|on_error|snapshot_documents|text_field) is"):
        ModelDirectory(sealed(copy, stream=change)).manifest()


def test_files_that_arrive_nowhere_are_refused(copy):
    arriving = {"directory": "/in", "text_field": "text", "date_field": "date", "files": None}
    arriving |= {"on_error": "fail", "batch": -1, "query": None, "date_format": None}
    ModelDirectory(sealed(copy, arriving=arriving)).manifest()
    for name, value in (("directory", []), ("files", 0), ("batch", -2), ("query", 1), ("on_error", "x")):
        with pytest.raises(UserError, match=f"model.json: .*{name} is"):
            ModelDirectory(sealed(copy, arriving={**arriving, name: value})).manifest()
    with pytest.raises(UserError, match=r"model.json: .*arriving is \[\]"):
        ModelDirectory(sealed(copy, arriving=[])).manifest()
    sealed(copy, arriving=arriving, corpus_path="/corpus", status="running")
    with pytest.raises(UserError, match=r"model.json: .*a corpus that nothing is learned from"):
        ModelDirectory(copy).manifest()


def test_a_corpus_that_cannot_be_asked_for_is_no_crash(cli, halfway, tmp_path):
    path = shutil.copytree(halfway, tmp_path / "copy")
    told = refusal(cli, "resume", changed(path, "corpus_path", "/" + "x" * 5000))
    assert f"{path}: the corpus of its run cannot be opened" in told


def test_a_model_whose_corpus_is_none_is_named(cli, halfway, tmp_path):
    path = shutil.copytree(halfway, tmp_path / "copy")
    told = refusal(cli, "resume", changed(path, "corpus_path", str(tmp_path)))
    assert f"{path}: the corpus of its run, {tmp_path}: not a corpus" in told


@pytest.mark.parametrize("name", ["apart", "wait"])
@pytest.mark.parametrize("change", ["gone", {"axes": ["x", "x"], "additive": False, "fresh": 0.0}])
def test_moves_without_their_memory_are_refused(cli, waiting, tmp_path, name, change):
    path = shutil.copytree(waiting, tmp_path / "model")
    assert str(path) in refusal(cli, "resume", changed(path, f"small/{name}", change))


@pytest.fixture(scope="module")
def open_halfway(cli, planted, tmp_path_factory):
    """A run over an open vocabulary that was interrupted."""
    path = tmp_path_factory.mktemp("open") / "model"
    options = ("--words", "open", "--schedule", "online", "--batch-size", 30, *SMALL)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("stickbreaker.console.running.watcher", lambda: StopAfter(2))
        cli("fit", "lda", planted, "--out", path, *options, code=1)
    return path


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("small/spelling_alphabet", "gone"),
        ("small/spelling_ngrams", {"axes": ["topics"], "additive": False, "fresh": 0.0}),
        ("small/spelling_tail", {"axes": ["tail"], "additive": True, "fresh": 0.0}),
        ("settings/eta", "many"),
        ("settings/eta", {"array": [0.5, 0.5]}),
    ],
)
def test_an_open_vocabulary_without_its_parts_is_refused(cli, open_halfway, tmp_path, field, value):
    path = shutil.copytree(open_halfway, tmp_path / "copy")
    for verb in ("topics", "resume"):
        assert str(path) in refusal(cli, verb, changed(path, field, value))


FORGED = [
    ("spelling_counts", 1, 0.0),
    ("spelling_counts", -1, 1e308),
    ("spelling_counts", -1, -1.0),
    ("spelling_alphabet", -1, 1e9),
    ("spelling_lengths", 0, np.nan),
    ("spelling_lengths", 0, -np.inf),
    ("spelling_lengths", 0, 1.0),
    ("spelling_tail", 0, np.nan),
    ("spelling_tail", 1, -np.inf),
]


@pytest.mark.parametrize(("name", "place", "value"), FORGED)
def test_spellings_that_nobody_counted_are_refused(cli, spelled, open_halfway, tmp_path, name, place, value):
    """When the model is read, and by every verb."""
    (tmp_path / "t.txt").write_text("a zebra\n", encoding="utf-8")
    for model, verb, more in ((spelled, "score", (tmp_path / "t.txt",)), (open_halfway, "topics", ())):
        path = shutil.copytree(model, tmp_path / verb)
        file = next(one for one in path.glob("*.safetensors") if f"small/{name}" in load_file(one))
        arrays = load_file(file)
        whole = np.array(arrays[f"small/{name}"])
        whole[place] = value
        arrays[f"small/{name}"] = whole
        save_file(arrays, file)
        sealed(path)
        assert str(path) in refusal(cli, verb, path, *more)


@pytest.fixture(scope="module")
def spelled(tmp_path_factory):
    """A language model whose words are spelled."""
    path = tmp_path_factory.mktemp("spelled") / "model"
    texts = ["a cat sat", "the dog ran", "a dog sat"]
    NgramModel(2, unknown="spelled", max_iter=4, random_state=0).fit(texts).save(path)
    return path


def test_snapshots_that_a_manifest_leaves_out_are_missed(cli, open_halfway, tmp_path):
    path = shutil.copytree(open_halfway, tmp_path / "copy")
    name = next(file.name for file in path.glob("evolution-*"))
    assert "has no snapshots" in refusal(cli, "resume", changed(path, f"files/{name}", "gone"))


@pytest.mark.parametrize(("fact", "value"), [("fresh", -1e308), ("additive", None)])
def test_fields_that_would_follow_edits_in_another_way_are_refused(cli, copy, fact, value):
    fields = json.loads((copy / "model.json").read_text())["small"]
    fields["alpha"][fact] = not fields["alpha"][fact] if value is None else value
    sealed(copy, small=fields)
    assert "alpha would follow edits in another way" in refusal(cli, "topics", copy)


def test_documents_that_a_model_does_not_name_are_refused(cli, copy):
    files = json.loads((copy / "model.json").read_bytes())["files"]
    sealed(copy, files={name: facts for name, facts in files.items() if name != "documents.parquet"})
    assert str(copy / "documents.parquet") in refusal(cli, "topics", copy)


# tables and traces


def test_another_vocabulary_is_refused(cli, copy):
    table = pq.read_table(copy / "vocabulary.parquet")
    for other in (table.slice(1), table.take([0] * len(table)), table.drop_columns(["tokens"])):
        pq.write_table(other, copy / "vocabulary.parquet")
        assert str(copy) in refusal(cli, "topics", sealed(copy))


@pytest.mark.parametrize(
    "lines",
    [
        [{}],
        [None],
        [{"step": 1}],
        [{"step": "1"}],
        [{"step": 1, "score": "x"}],
        [{"step": 1, "score": 10**400}],
    ],
)
def test_a_trace_without_its_parts_is_refused(cli, copy, tmp_path, lines):
    (copy / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    steps = json.loads((copy / "model.json").read_bytes())["run"]
    seal_model(copy, lambda manifest: manifest.update(run={**steps, "step": len(lines)}))
    assert str(copy) in refusal(cli, "report", copy, "--out", tmp_path / "r.html")


def test_a_line_of_the_trace_that_was_altered_is_named(copy):
    trace = copy / "trace.jsonl"
    content = trace.read_bytes()
    for place in range(0, len(content), 7):
        altered = bytearray(content)
        altered[place] ^= 1 << place % 8
        trace.write_bytes(altered)
        with pytest.raises(UserError, match=r"trace.jsonl: is damaged or altered"):
            LDA.load(copy)
    trace.write_bytes(b"".join(content.splitlines(keepends=True)[:-1]))
    with pytest.raises(UserError, match=r"trace.jsonl: is damaged or altered"):
        LDA.load(copy)


def test_a_run_that_cannot_go_on_names_its_model(cli, planted, tmp_path, monkeypatch):
    """It was in the midst of a pass of minibatches, and is said to learn from larger ones."""
    path, settings = tmp_path / "model", ("--schedule", "online", "--batch-size", 30, "--moves", "none")
    monkeypatch.setattr("stickbreaker.console.running.watcher", lambda: StopAfter(1))
    cli("fit", "hdp", planted, "--out", path, *SMALL, *settings, code=1)
    held = json.loads((path / "model.json").read_bytes())["settings"]
    sealed(path, settings=held | {"schedule": None})
    assert f"{path}: 1 minibatches of a pass were done" in refusal(cli, "resume", path)


# corpora


def test_every_byte_of_corpus_json_is_looked_after(halfway, tmp_path):
    path = shutil.copytree(halfway / "corpus", tmp_path / "corpus")
    content = (path / "corpus.json").read_bytes()
    for place in some(range(len(content)), 300):
        altered = bytearray(content)
        altered[place] ^= 1 << place % 8
        (path / "corpus.json").write_bytes(altered)
        with pytest.raises(UserError):
            Corpus.open(path)


CHANGES = [
    ("kind", "letters"),
    ("analysis", {"language": 3}),
    ("analysis", "en"),
    ("vocabulary_rule", None),
    ("vocabulary_rule", {"min_documents": -1}),
    ("n_tokens", -1),
    ("n_tokens", float("nan")),
    ("n_tokens", float("inf")),
    ("n_empty", None),
    ("languages", {"en": "many"}),
    ("languages", []),
    ("files", None),
    ("files", [{}]),
    ("files", [{"name": "../letter", "size": 1, "digest": "", "blocks": [1]}]),
    ("vocabulary", {"name": "..", "size": 1, "digest": "", "blocks": []}),
    ("skipped", {"a": []}),
    ("letters", 1),
]


@pytest.mark.parametrize(("name", "value"), CHANGES)
def test_corpora_of_others_are_refused_by_name(cli, halfway, tmp_path, name, value):
    path = shutil.copytree(halfway / "corpus", tmp_path / "corpus")
    seal_corpus(path, lambda facts: facts.update({name: value}))
    assert "corpus" in refusal(cli, "corpus", "info", path)
    facts = json.loads((halfway / "corpus" / "corpus.json").read_bytes())
    (path / "corpus.json").write_text(json.dumps(facts))
    seal_corpus(path, lambda facts: facts.pop(name, None))
    if name in facts:
        assert "corpus.json: the file is damaged" in refusal(cli, "corpus", "info", path)


@pytest.mark.parametrize("text", ["", "[]", "{", "1", '{"a": ' * 100_000])
def test_metadata_that_are_no_fields_are_refused(text):
    with pytest.raises(UserError, match="not fields"):
        metadata_from(text)


@pytest.mark.parametrize(
    "line", ["resume COPY", "topics COPY", "report COPY --out r.html", "update COPY a.txt"]
)
def test_a_model_of_an_unknown_kind_is_named(cli, copy, line):
    sealed(copy, estimator="Later")
    told = refusal(cli, *(copy if word == "COPY" else word for word in line.split()))
    assert f"{copy}" in told
    assert "unknown kind, 'Later'; upgrade stickbreaker" in told
