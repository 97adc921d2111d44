"""A lexicon as one file: what reads its directory reads the file."""

import zipfile

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.saved.packed_models import directory_of
from stickbreaker.translation.lexicon.saved_lexicon import ARRAYS, MANIFEST
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon


@pytest.fixture(scope="module")
def packed(learned, tmp_path_factory, cli):
    out = tmp_path_factory.mktemp("packed") / "lexicon.zip"
    done = cli("export", learned / "lexicon", "--format", "zip", "--out", out)
    assert done.stdout.startswith(f"{out}: the lexicon by topic as one file, 0.")
    return out


def changed(packed, out, change):
    """A copy of the file with its entries, a dict of bytes by name, changed by a function."""
    with zipfile.ZipFile(packed) as source:
        entries = {name: source.read(name) for name in source.namelist()}
    change(entries)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in entries.items():
            target.writestr(name, content)
    return out


@pytest.mark.parametrize("name", ["lexicon", "fields"])  # domains by topics of a model, and by a field
def test_it_is_the_lexicon(cli, learned, tmp_path, name):
    out = tmp_path / "one.zip"
    for again in (out, tmp_path / "two.zip"):
        cli("export", learned / name, "--format", "zip", "--out", again)
    assert out.read_bytes() == (tmp_path / "two.zip").read_bytes()
    first, again = TopicLexicon.load(learned / name), TopicLexicon.load(out)
    np.testing.assert_array_equal(first.entry("bank").found.topic_p, again.entry("bank").found.topic_p)
    np.testing.assert_array_equal(first.shares, again.shares)
    assert first.domains.names == again.domains.names
    assert first.bitext.corpus.fingerprint == again.bitext.corpus.fingerprint


def test_commands_take_it_in_place_of_the_directory(cli, learned, packed, tmp_path):
    directory = learned / "lexicon"
    for words in (
        ["translate", "word", "bank"],
        ["translate", "terms"],
        ["evaluate", learned / "test.jsonl"],
    ):
        at = 2 if words[0] == "translate" else 1
        by_directory = cli(*words[:at], directory, *words[at:])
        by_file = cli(*words[:at], packed, *words[at:])
        assert by_file.stdout == by_directory.stdout.replace(str(directory), str(packed))
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for path, page in zip((directory, packed), pages, strict=True):
        cli("report", path, "--out", page, "--title", "t")
    assert pages[0].read_bytes() == pages[1].read_bytes()
    error = cli("translate", "tune", packed, learned / "test.jsonl", code=1).stderr
    assert f"{packed}: is a zip file, which cannot be changed; unpack it into a directory" in error


def test_a_damaged_lexicon_is_not_packed(cli, learned, tmp_path):
    with zipfile.ZipFile(_zip(cli, learned, tmp_path)) as source:
        source.extractall(tmp_path / "copy")
    (tmp_path / "copy" / ARRAYS).write_bytes(b"other")
    out = tmp_path / "damaged.zip"
    error = cli("export", tmp_path / "copy", "--format", "zip", "--out", out, code=1).stderr
    assert f"{ARRAYS}: was altered since it was saved" in error
    assert not out.exists()


def _zip(cli, learned, tmp_path):
    out = tmp_path / "sound.zip"
    cli("export", learned / "lexicon", "--format", "zip", "--out", out)
    return out


@pytest.mark.parametrize(
    "name", ["../outside", "/outside", "bitext/../../outside", "a\\..\\outside", "c:outside"]
)
def test_names_outside_are_refused(packed, tmp_path, name):
    out = changed(packed, tmp_path / "evil.zip", lambda entries: entries.update({name: b"x"}))
    with pytest.raises(UserError, match="has a file that is not its model's"):
        TopicLexicon.load(out)
    assert not list(tmp_path.parent.rglob("outside"))


def test_altered_files_are_refused(packed, tmp_path):
    out = changed(packed, tmp_path / "a.zip", lambda entries: entries.update({ARRAYS: b"x"}))
    with pytest.raises(UserError, match="was altered since it was saved"):
        TopicLexicon.load(out)
    out = changed(packed, tmp_path / "b.zip", lambda entries: entries.pop(MANIFEST))
    with pytest.raises(UserError, match="is not a packed model"):
        TopicLexicon.load(out)
    with pytest.raises(UserError, match="is not a packed model"):
        directory_of(changed(packed, tmp_path / "c.zip", lambda entries: None))  # where only models are read
