"""Lexicons on disk: the same numbers again, and nothing else is taken for one."""

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from audit.sealing import change_array
from tests.children import context
from tests.running import bytes_of_files
from tests.tiers import EXHAUSTIVE, SEED, some
from tests.translation.conftest import WAY

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.saved.manifest import encoded
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.saved_lexicon import ARRAYS, BITEXT, MANIFEST
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

NAMES = ("lexicon", "fields")


def test_bitext(learned):
    fields = TopicLexicon.load(learned / "lexicon").bitext.fields
    return Bitext.read([str(learned / "test.jsonl")], fields)


test_bitext.__test__ = False


@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded_it_gives_the_same_numbers(learned, tmp_path, name):
    first = TopicLexicon.load(learned / name)
    first.save(tmp_path / "again")
    again = TopicLexicon.load(tmp_path / "again")
    bitext = test_bitext(learned)
    links = None if first.aligner else TopicLexicon.load(learned / "lexicon").align(bitext)
    for one, other in zip(first.score(bitext, links), again.score(bitext, links), strict=True):
        np.testing.assert_array_equal(one.plain, other.plain)
        np.testing.assert_array_equal(one.adapted, other.adapted)
    np.testing.assert_array_equal(first.entry("bank").found.topic_p, again.entry("bank").found.topic_p)
    assert first.domains.names == again.domains.names
    before, after = bytes_of_files(learned / name), bytes_of_files(tmp_path / "again")
    assert before.keys() == after.keys()
    differing = {file for file in before if before[file] != after[file]}
    assert not {ARRAYS, f"{BITEXT}/vocabulary.parquet"} & differing


def test_what_was_learned_is_what_was_saved(learned):
    """A lexicon in memory, and what is loaded of it, link and score alike."""
    loaded = TopicLexicon.load(learned / "lexicon")
    memory = TopicLexicon.learn(loaded.bitext, loaded.domains.model)
    bitext = test_bitext(learned)
    for one, other in zip(memory.score(bitext), loaded.score(bitext), strict=True):
        np.testing.assert_array_equal(one.adapted, other.adapted)


def test_threads_give_the_same_bytes(cli, learned, tmp_path):
    for threads in (1, 2, 4):
        out = tmp_path / f"lexicon{threads}"
        cli(
            "translate", "learn", learned / "pairs.jsonl", *WAY, "--topics", learned / "model",
            "--out", out, "--threads", threads,
        )  # fmt: skip
        assert bytes_of_files(out) == bytes_of_files(learned / "lexicon")


# what is not one


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        TopicLexicon.load(path)
    text = str(caught.value)
    assert "\n" not in text
    assert str(path) in text
    return text


def files_of(path: Path) -> list[str]:
    return sorted(name for name in bytes_of_files(path) if not name.endswith("lock"))


@pytest.mark.faults
@pytest.mark.parametrize("name", NAMES)
def test_altered_or_truncated_files_are_refused_by_name(learned, tmp_path, name):
    draw = random.Random(SEED)
    for number, file in enumerate(files_of(learned / name)):
        whole = (learned / name / file).read_bytes()
        places = sorted(draw.sample(range(len(whole)), min(12, len(whole))))
        changes = [whole[:place] + bytes([whole[place] ^ 1 << draw.randrange(8)]) + whole[place + 1 :]
                   for place in some(places, 3)]  # fmt: skip
        for change in (*changes, whole[: len(whole) // 2], b"", whole + b"\0", None):
            path = Path(shutil.copytree(learned / name, tmp_path / f"{name}{number}", dirs_exist_ok=True))
            if change is None:
                (path / file).unlink()
            else:
                (path / file).write_bytes(change)
            said = refusal(path)
            assert Path(file).name in said or (change is None and "there is no" in said) or "is no" in said
            shutil.rmtree(path)


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_another_lexicon_are_refused(cli, learned, tmp_path, name):
    pairs = (learned / "pairs.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "less.jsonl").write_text("".join(pairs[:200]))
    less = ("translate", "learn", tmp_path / "less.jsonl", *WAY, "--out", tmp_path / "less")
    cli(*less, "--topics", learned / "model")
    for part in (BITEXT, ARRAYS):
        path = Path(shutil.copytree(learned / name, tmp_path / f"with {part}"))
        if part == ARRAYS:
            shutil.copy(tmp_path / "less" / part, path / part)
        else:
            shutil.rmtree(path / part)
            shutil.copytree(tmp_path / "less" / part, path / part)
        says = {
            BITEXT: "is not the bitext that the lexicon was learned from",
            ARRAYS: "was altered since it was saved",
        }
        assert f"{path / part}: {says[part]}" in refusal(path)


def test_another_model_is_refused(cli, learned, tmp_path):
    fit = ("--topics", 2, "--seed", 9, "--threads", 1)
    cli("fit", "lda", learned / "docs.jsonl", "--text-field", "de=de,en=en", "--out", tmp_path / "m", *fit)
    path = Path(shutil.copytree(learned / "lexicon", tmp_path / "copy"))
    shutil.rmtree(path / "topics")
    shutil.copytree(tmp_path / "m", path / "topics")
    assert (
        f"{path / 'topics' / 'model.json'}: is not from the model that the lexicon was learned with"
        in refusal(path)
    )


def test_topics_may_be_named_later(cli, learned, tmp_path):
    path = Path(shutil.copytree(learned / "lexicon", tmp_path / "copy"))
    cli("name", path / "topics", "--topic", "0=the first")
    assert TopicLexicon.load(path).domains.names[0] == "the first"


def sealed(path: Path, change) -> None:
    """Change a manifest, and work its digests out again, as somebody who means harm would."""
    manifest = json.loads((path / MANIFEST).read_bytes())
    manifest.pop("digest")
    manifest["arrays"] = digest_of(path / ARRAYS)
    change(manifest)
    (path / MANIFEST).write_bytes(encoded(manifest))


FOREIGN = {
    "another schema": (lambda m: m.update(schema=99), "was written by another version (schema 99"),
    "no strengths": (lambda m: m.pop("strengths"), "strengths"),
    "strengths of zero": (lambda m: m.update(strengths=[[0.0, 1.0], [1.0, 1.0]]), "strengths"),
    "one strength": (lambda m: m.update(strengths=[[1.0, 1.0]]), "strengths"),
    "three of them": (lambda m: m.update(strengths=[[1.0, 1.0, 2.0], [1.0, 1.0]]), "makes no sense"),
    "strengths of text": (lambda m: m.update(strengths="x"), "strengths"),
    "no languages": (lambda m: m.update(fields={}), "fields"),
    "one language": (lambda m: m["fields"].update(target="de"), "source and target are both de"),
    "other languages": (lambda m: m["fields"].update(source="fr", target="es"), None),
    "unknown domains": (lambda m: m.update(domains={"kind": "stars"}), "domains have an unknown kind"),
    "no domains": (lambda m: m.update(domains=[]), "domains"),
    "domains without names": (lambda m: m.update(domains={"kind": "field"}), None),
    "too few domains": (
        lambda m: m.update(domains={"kind": "field", "names": ["a"], "documents": [1]}),
        "shares belong to other documents",
    ),
    "counts of fewer domains": (
        lambda m: m.update(domains={"kind": "field", "names": ["a", "b"], "documents": [1]}),
        None,
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_manifests_that_make_no_sense_are_refused(learned, tmp_path, name):
    change, says = FOREIGN[name]
    path = Path(shutil.copytree(learned / "fields", tmp_path / "copy"))
    sealed(path, change)
    said = refusal(path)
    assert says is None or says in said


WRONG_ARRAYS = {
    "links.source": (
        lambda a: a[::-1] + 100,
        lambda a: a - 100,
        lambda a: a[:-1],
        lambda a: a.reshape(-1, 1),
    ),
    "links.target": (lambda a: a + 100, lambda a: a[1:], lambda a: a.astype(np.float64) + 0.5),
    "links.offsets": (
        lambda a: a[:-1],
        lambda a: a + 1,
        lambda a: np.append(a[:-1], a[-1] + 5),
        lambda a: a[::-1],
        lambda a: a.astype(np.float64) + 0.25,
    ),
    "shares": (
        lambda a: a[:-1],
        lambda a: a * 2.0,
        lambda a: -a,
        lambda a: a * np.nan,
        lambda a: a[:, :1],
        lambda a: a.ravel(),
    ),
    "aligner.offsets": (lambda a: a + 1, lambda a: a[:-1], lambda a: a[::-1], lambda a: a * 1000),
    "aligner.targets": (lambda a: a + 10**6, lambda a: a[:-1], lambda a: -a - 1),
    "aligner.translations_to_target": (lambda a: a[:-1], lambda a: a * np.nan, lambda a: -a),
    "aligner.null_to_source": (lambda a: a[:1],),
    "aligner.jumps": (lambda a: a[:1], lambda a: a[:, :2], lambda a: a * np.nan),
}


@pytest.mark.faults
@pytest.mark.parametrize("name", WRONG_ARRAYS)
def test_arrays_that_make_no_sense_are_refused(learned, tmp_path, name):
    for number, change in enumerate(WRONG_ARRAYS[name]):
        path = Path(shutil.copytree(learned / "lexicon", tmp_path / f"copy{number}"))
        change_array(path / ARRAYS, name, change)
        sealed(path, lambda manifest: None)
        refusal(path)


def test_what_is_no_lexicon_is_refused(learned, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    assert "is not a saved lexicon; make one with stickbreaker translate learn" in refusal(tmp_path / "empty")
    assert "is not a saved lexicon" in refusal(tmp_path / "file")
    assert "there is no such lexicon" in refusal(tmp_path / "nowhere")
    assert "is not a saved lexicon" in refusal(learned / "model")
    others = ("", "[]", "{", "null", "[" * 100_000, '"digest"')
    for content, problem in (*((one, "is damaged") for one in others), ('{"schema": 1}', "was altered")):
        path = tmp_path / "copy"
        shutil.copytree(learned / "fields", path)
        (path / MANIFEST).write_text(content)
        assert f"{path / MANIFEST}: {problem}" in refusal(path)
        shutil.rmtree(path)


def test_links_in_a_lexicon_are_refused(learned, tmp_path):
    for file in (MANIFEST, ARRAYS, "topics/model.json", f"{BITEXT}/corpus.json"):
        path = Path(shutil.copytree(learned / "lexicon", tmp_path / "copy"))
        (path / file).rename(tmp_path / "moved")
        (path / file).symlink_to(tmp_path / "moved")
        assert f"{path / file}: is a link" in refusal(path)
        shutil.rmtree(path)
    (tmp_path / "latest").symlink_to(learned / "lexicon")
    assert TopicLexicon.load(tmp_path / "latest").entry("bank").links > 0


# what is in the way, and kills


def test_only_lexicons_are_replaced(cli, learned, tmp_path):
    lexicon = TopicLexicon.load(learned / "fields")
    lexicon.save(tmp_path / "l")
    with pytest.raises(UserError, match="already exists"):
        lexicon.save(tmp_path / "l")
    lexicon.save(tmp_path / "l", overwrite=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear friend")
    (tmp_path / "file").write_text("dear friend")
    for name in ("mine", "file"):
        with pytest.raises(UserError, match="replaces lexicons only"):
            lexicon.save(tmp_path / name, overwrite=True)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear friend"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "l", "mine"]


def command(words: list[str]) -> None:
    """What the installed program does, in a child that has its imports behind it."""
    from stickbreaker.cli import main

    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    main(words)


@pytest.mark.faults
@pytest.mark.slow
@pytest.mark.parametrize("earlier", [False, True])
def test_killed_it_leaves_nothing_and_the_next_one_works(learned, tmp_path, earlier):
    """At any moment: nothing, what was there before, or the whole."""
    draw = random.Random(SEED)
    whole, before = bytes_of_files(learned / "lexicon"), bytes_of_files(learned / "fields")
    out = tmp_path / "place" / "lexicon"
    words = [
        "translate", "learn", str(learned / "pairs.jsonl"), *WAY, "--topics", str(learned / "model"),
        "--out", str(out), "--threads", "1", *(["--overwrite"] if earlier else []),
    ]  # fmt: skip
    out.parent.mkdir()
    seconds, kills = 2.0, 0
    while kills < (20 if EXHAUSTIVE else 4):
        shutil.rmtree(out, ignore_errors=True)
        if earlier:
            shutil.copytree(learned / "fields", out)
        child = context.Process(target=command, args=(words,))
        started = time.monotonic()
        child.start()
        child.join(draw.uniform(0.5, 1.0) * seconds)
        if child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
        child.join()
        if child.exitcode != -signal.SIGKILL:
            seconds = min(seconds, time.monotonic() - started) * 0.9
        kills += 1
        again = context.Process(target=command, args=(words,))
        if out.exists():
            assert bytes_of_files(out) in (whole, before)
        if earlier or not out.exists():
            again.start()
            again.join()
        assert bytes_of_files(out) == whole
        assert [entry.name for entry in out.parent.iterdir()] == ["lexicon"]
