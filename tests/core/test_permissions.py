"""Files have the permissions that the umask leaves, and those of what they replace."""

import os
import stat
from pathlib import Path

import pytest
from tests.running import SMALL, planted_documents, write_lines

from stickbreaker import HDP, LDA, Corpus
from stickbreaker.core.files import atomic_directory, atomic_file, open_to_append, write_atomic
from stickbreaker.core.locks.path_locks import claimed, lock_file


@pytest.fixture(params=[0o077, 0o002, 0o027])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def others(folder: Path, umask: int) -> dict[str, str]:
    """What below a folder has other permissions than it should."""
    found = {
        str(path.relative_to(folder)): (mode(path), (0o777 if path.is_dir() else 0o666) & ~umask)
        for path in folder.rglob("*")
    }
    return {name: f"{has:o} for {should:o}" for name, (has, should) in found.items() if has != should}


def test_new_files_have_what_the_umask_leaves(tmp_path, umask):
    write_atomic(tmp_path / "file", b"text")
    open_to_append(tmp_path / "trace").close()
    os.close(lock_file(tmp_path / "lock", create=True))
    with atomic_directory(tmp_path / "a" / "folder") as partial, atomic_file(partial / "file") as inner:
        inner.write_bytes(b"text")
        assert not others(tmp_path, umask), "those that are being made, too"
    with claimed(tmp_path / "file", "replaced") as wrapper:
        (wrapper / "inside").mkdir()
        assert not others(tmp_path, umask)
    assert not others(tmp_path, umask)


@pytest.mark.parametrize("was", [0o600, 0o640, 0o664, 0o444])
def test_what_is_replaced_keeps_its_permissions(tmp_path, umask, was):
    file, folder = tmp_path / "file", tmp_path / "folder"
    for name in ("file", "folder"):
        with atomic_directory(tmp_path / name) if name == "folder" else atomic_file(tmp_path / name) as made:
            write_atomic(made / "inside", b"old") if name == "folder" else made.write_bytes(b"old")
    file.chmod(was)
    (folder / "inside").chmod(was)
    folder.chmod(0o750)
    with atomic_file(file) as partial:
        assert mode(partial) == was | 0o600, "nobody else can read what is being written"
        partial.unlink()
        partial.write_bytes(b"new")  # as writers do that put a file of their own there
        partial.chmod(0o600)
    with atomic_directory(folder, overwrite=True) as partial:
        write_atomic(partial / "inside", b"new")
        write_atomic(partial / "another", b"new")
        (partial / "deeper").mkdir()
    assert [mode(path) for path in (file, folder / "inside", folder)] == [was, was, 0o750]
    assert mode(folder / "another") == 0o666 & ~umask
    assert mode(folder / "deeper") == 0o777 & ~umask
    assert (file.read_bytes(), (folder / "inside").read_bytes()) == (b"new", b"new")


def test_all_that_commands_write(tmp_path, cli, umask):
    texts = write_lines(tmp_path / "lines.jsonl", planted_documents(30))
    out = tmp_path / "out"
    for line in (
        f"corpus build {texts} --out {out}/corpus --min-documents 1",
        f"fit lda {out}/corpus --out {out}/m --checkpoint-every 0",
        f"fit lda {texts} --stream --words open --out {out}/s --batch-size 10 --snapshot-documents 10",
        f"name {out}/m --topic 0=sea",
        f"report {out}/m --out {out}/report.html",
        f"transform {out}/m {texts} --out {out}/shares.csv",
        f"transform {out}/m {texts} --out {out}/shares.parquet",
        f"export {out}/m {out}/corpus --format pyldavis --out {out}/pyldavis.json",
        f"corpus export {out}/corpus --format lda-c --out {out}/lda-c",
        f"fit ngram {texts} --out {out}/n --iterations 2 --checkpoint-every 0 --min-count 1",
        f"export {out}/n --format arpa --out {out}/n.arpa",
        f"search-k {out}/corpus --topics 2 --seeds 1 --iterations 2 --out {out}/search --threads 1",
    ):
        small = SMALL if line.startswith("fit lda") else ()
        cli(*line.split(), *small)
        assert not others(out, umask), line
    LDA(2, max_iter=2, tol=0, random_state=0).fit(Corpus.open(out / "corpus")).save(out / "python")
    assert not others(out, umask)


def test_a_model_that_is_replaced_stays_private(tmp_path, texts):
    hdp = HDP(2, max_iter=2, tol=0, random_state=0).fit(texts)
    hdp.save(tmp_path / "m")
    for path in (tmp_path / "m", *(tmp_path / "m").iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)
    hdp.save(tmp_path / "m", overwrite=True)
    assert mode(tmp_path / "m") == 0o700
    assert {mode(path) for path in (tmp_path / "m").iterdir()} == {0o600}
