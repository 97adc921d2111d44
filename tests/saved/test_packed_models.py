"""Models as one file, which is read as a directory is; others' files are refused by name.

That every kind is saved and loaded so is a law: see `EstimatorTests`.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stickbreaker import LDA, UserError
from stickbreaker.saved import packed_models
from stickbreaker.saved.packed_models import directory_of, is_packed, pack, unpack
from stickbreaker.testing.estimators import contents


@pytest.fixture
def packed(model, tmp_path):
    pack(model, tmp_path / "one.zip")
    return tmp_path / "one.zip"


def rewritten(packed, change):
    """The file with its entries, a dict of bytes by name, changed by a function."""
    with zipfile.ZipFile(packed) as source:
        entries = {name: source.read(name) for name in source.namelist()}
    change(entries)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in entries.items():
            target.writestr(name, content)
    return packed


def test_the_same_model_gives_the_same_bytes(model, packed, tmp_path):
    pack(model, tmp_path / "two.zip")
    assert (tmp_path / "two.zip").read_bytes() == packed.read_bytes()
    folder = directory_of(packed)
    assert directory_of(packed) == folder
    named = {name: what for name, what in contents(model).items() if name != "lock"}
    assert contents(folder) == named
    assert is_packed(packed)
    assert not is_packed(model)
    assert directory_of(model) == model


def test_names_of_topics_go_along(model, tmp_path):
    named = LDA.load(model).name_topics({0: "first"})
    named.save(tmp_path / "named.zip")
    assert LDA.load(tmp_path / "named.zip").topic_names_[0] == "first"
    with pytest.raises(UserError, match="already exists"):
        named.save(tmp_path / "named.zip")
    named.save(tmp_path / "named.zip", overwrite=True)


def test_a_changed_file_is_unpacked_again(model, packed):
    first = directory_of(packed)
    os.utime(packed, (1, 1))
    assert directory_of(packed) != first


@pytest.mark.parametrize(
    "name", ["../outside", "/tmp/outside", "a/b", "corpus/corpus.json", "lock", "x.safetensors", "c:x"]
)
def test_files_that_are_not_the_models_are_refused(packed, tmp_path, name):
    rewritten(packed, lambda entries: entries.__setitem__(name, b"x"))
    with pytest.raises(UserError, match=r"one.zip: has a file that is not its model's"):
        LDA.load(packed)
    assert not (tmp_path / "outside").exists()


def test_altered_and_missing_files_are_named(packed):
    names = zipfile.ZipFile(packed).namelist()
    state = next(name for name in names if name.endswith(".safetensors"))
    rewritten(packed, lambda entries: entries.__setitem__(state, entries[state][:-1] + b"x"))
    with pytest.raises(UserError, match=rf"one.zip/{state}: was altered"):
        LDA.load(packed)
    rewritten(packed, lambda entries: entries.pop(state))
    with pytest.raises(UserError, match=rf"one.zip/{state}: is missing"):
        LDA.load(packed)
    rewritten(packed, lambda entries: entries.pop("model.json"))
    with pytest.raises(UserError, match=r"one.zip: is not a packed model: it has no model.json"):
        LDA.load(packed)


def test_bombs_are_refused_before_they_are_unpacked(packed, tmp_path, monkeypatch):
    monkeypatch.setattr(packed_models, "_SLACK", 1 << 16)
    rewritten(packed, lambda entries: entries.__setitem__("trace.jsonl", bytes(1 << 26)))
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"one.zip: would become 64 MB large"):
        unpack(packed, tmp_path / "folder")
    assert not os.listdir(tmp_path / "folder")


def test_a_size_that_lies_is_refused(packed, tmp_path):
    content = bytearray(packed.read_bytes())
    at = content.rindex(b"trace.jsonl") - 46  # of the central directory
    assert content[at : at + 4] == b"PK\x01\x02"
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    packed.write_bytes(content)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"one.zip: is damaged"):
        unpack(packed, tmp_path / "folder")


def test_what_packs_too_well_is_stored(model, tmp_path, monkeypatch):
    monkeypatch.setattr(packed_models, "_MOST_PACKED", 1)
    pack(model, tmp_path / "one.zip")
    kinds = {entry.compress_type for entry in zipfile.ZipFile(tmp_path / "one.zip").infolist()}
    assert kinds == {zipfile.ZIP_STORED}


def test_two_files_of_one_name_are_refused(packed):
    with zipfile.ZipFile(packed, "a") as target, pytest.warns(UserWarning, match="Duplicate"):
        target.writestr("trace.jsonl", b"")
    with pytest.raises(UserError, match=r"one.zip: has two files of one name"):
        LDA.load(packed)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_files_that_are_packed_in_another_way_are_refused(packed, tmp_path, method):
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(other, "w", method) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    with pytest.raises(UserError, match=r"other.zip: is packed in another way"):
        LDA.load(other)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_files_are_refused_or_give_the_same(model, packed, tmp_path_factory, data):
    whole = packed.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    value = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("some")
    other = folder / "one.zip"
    cut = data.draw(st.booleans())
    other.write_bytes(whole[:place] if cut else whole[:place] + bytes([value]) + whole[place + 1 :])
    try:
        loaded, problem = LDA.load(other), ""
    except UserError as error:
        loaded, problem = None, str(error)
    if loaded is None:
        assert problem.startswith(str(other))
        return
    assert loaded.topic_word_.tobytes() == LDA.load(model).topic_word_.tobytes()


class TestOnTheCommandLine:
    def test_verbs_take_it_in_place_of_the_directory(self, cli, model, planted, tmp_path):
        out = tmp_path / "one.zip"
        done = cli("export", model, "--format", "zip", "--out", out)
        assert done.stdout.startswith(f"{out}: the model as one file, 0.")
        for words in (["topics"], ["evaluate", planted], ["export", "--format", "zip", "--out"]):
            verb, *rest = words
            made = [tmp_path / "a"], [tmp_path / "b"]
            ends = made if verb == "export" else ([], [])
            by_directory = cli(verb, model, *rest, *ends[0])
            by_file = cli(verb, out, *rest, *ends[1])
            if verb == "export":
                assert made[0][0].read_bytes() == made[1][0].read_bytes()
            else:
                assert by_file.stdout == by_directory.stdout.replace(str(model), str(out))
        found = json.loads(cli("compare", model, out, "--json").stdout)
        assert found["mean"] == pytest.approx(1.0)
        assert found["comparisons"][0]["model"] == str(out)

    def test_a_program_that_is_terminated_leaves_no_folder(self, packed):
        code = "import sys, time; from stickbreaker.console.console import MODEL; "
        code += "print(MODEL.convert(sys.argv[1], None, None), flush=True); time.sleep(60)"
        with subprocess.Popen(
            [sys.executable, "-c", code, packed], stdout=subprocess.PIPE, text=True
        ) as program:
            folder = Path(program.stdout.readline().strip())
            assert (folder / "model.json").is_file()
            program.terminate()
        assert program.returncode == 128 + signal.SIGTERM
        assert not folder.parent.exists()

    def test_what_changes_a_model_is_refused(self, cli, model, planted, tmp_path):
        out = tmp_path / "one.zip"
        cli("export", model, "--format", "zip", "--out", out)
        for words in (["name", out, "--topic", "0=x"], ["resume", out], ["update", out, planted]):
            assert f"{out}: is a zip file, which cannot be changed; unpack it" in cli(*words, code=1).stderr
        done = cli("fit", "lda", planted, "--topics", 2, "--out", tmp_path / "m.zip", code=1)
        assert "is the name of a zip file, but a model that learns is a directory" in done.stderr
        (tmp_path / "other.zip").write_bytes(b"PK\x03\x04 nothing")
        done = cli("topics", tmp_path / "other.zip", code=1)
        assert done.stderr.startswith(
            f"stickbreaker: {tmp_path / 'other.zip'}: is damaged, or not a file that export"
        )
        assert "Traceback" not in done.stderr
