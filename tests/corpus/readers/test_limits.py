"""What readers take into memory is bounded, whatever a file unpacks to."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet
from tests.corpus.readers.reading import error_in, packings, read, skipping
from tests.corpus.readers.samples import UCI, file_of, parquet_of, word

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions
from stickbreaker.corpus.readers import read_words
from stickbreaker.corpus.readers.word_list import read_numbered_words

RAISE = "raise the bound by largest_text"
FULL = f"is larger than 30 bytes; {RAISE}"

# file name, content, what is too large, the documents that are left
LINES = [
    ("a.jsonl", b'{"text": "a"}\n{"text": "%s"}\n{"text": "b"}\n' % (b"x" * 40), "line", ["a", "b"]),
    ("a.txt", b"a\n" + b"x" * 31 + b"\nb", "line", ["a", "b"]),
    ("a.txt", b"a\n" + b"x" * 30 + b"\nb", "line", ["a", "b"]),
    ("a.txt", b"a\n" + b"x" * 200_000, "line", ["a"]),
]


@pytest.mark.parametrize(("name", "content", "what", "kept"), LINES)
def test_a_line_that_is_too_large(tmp_path, name, content, what, kept):
    for packing, packed in packings(content).items():
        path = tmp_path / (name + packing)
        path.write_bytes(packed)
        assert error_in(path, largest_text=30) == f":2: the {what} {FULL}"
        documents, problems = skipping(path, largest_text=30)
        assert [one.text for one in documents] == kept
        assert problems.counts == {"too large": 1}
        assert len(read(path, largest_text=300_000)) == len(kept) + 1


def test_a_line_of_just_the_bound(tmp_path):
    path = tmp_path / "a.txt"
    for content in (b"x" * 30, b"x" * 29 + b"\n", b"x" * 28 + b"\r\n"):
        path.write_bytes(b"a\n" + content)
        assert len(read(path, largest_text=30)) == 2


def test_the_bound_in_megabytes(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"x" * 2_000_001))
    assert "the line is larger than 2 MB; raise" in error_in(path, largest_text=2_000_000)


def test_files_that_are_one_document(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("x" * 30)
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"x" * 31))
    with pytest.raises(UserError) as caught:
        read(folder, largest_text=30)
    assert str(caught.value) == f"{folder}/b.txt.gz: the file {FULL}"
    assert [one.id for one in skipping(folder, largest_text=30)[0]] == ["a.txt"]


def test_packed_tables_in_memory(tmp_path):
    path, plain = tmp_path / "a.parquet.gz", tmp_path / "a.parquet"
    content = parquet_of(pa.table({"text": ["a cat"]}))
    path.write_bytes(gzip.compress(content))
    plain.write_bytes(content)
    assert error_in(path, largest_text=30) == f": the file {FULL}"
    assert len(read(plain, largest_text=30)) == len(read(path, largest_text=len(content))) == 1


@pytest.mark.parametrize(("name", "content_of"), [("a.parquet", parquet_of), ("a.arrow", file_of)])
def test_rows_of_tables(tmp_path, name, content_of):
    tokens = pa.array([["a"], ["xx"] * 16, None], pa.list_(pa.dictionary(pa.int32(), pa.string())))
    path = tmp_path / name
    path.write_bytes(content_of(pa.table({"text": ["a", "x" * 31, "b"]})))
    assert error_in(path, largest_text=30) == f":2: the row {FULL}"
    assert [one.text for one in skipping(path, largest_text=30)[0]] == ["a", "b"]
    path.write_bytes(content_of(pa.table({"words": tokens, "text": ["a", "b", "c"]})))
    documents, problems = skipping(path, text_field="words", largest_text=30)
    assert [one.tokens for one in documents] == [["a"]]
    assert problems.counts == {"too large": 1, "text is not a string": 1}


def test_a_dictionary_of_texts_is_not_written_out(tmp_path):
    """A row of a few bytes points to a long text; a thousand of them are decoded at a time."""
    path = tmp_path / "a.arrow"
    texts = pa.DictionaryArray.from_arrays(pa.array([0, None, 0], pa.int32()), ["x" * 100])
    path.write_bytes(file_of(pa.table({"text": texts.take([0, 2, 0]), "note": texts})))
    first, second, third = read(path)
    assert first.text is second.text
    assert (third.text, second.metadata["note"]) == ("x" * 100, None)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak of memory")
def test_parquet_that_repeats_a_long_text(tmp_path):
    """A few hundred bytes, of which every row would be a megabyte."""
    path = tmp_path / "a.parquet"
    texts = pa.DictionaryArray.from_arrays(
        pa.array([1] * 2_000 + [0, 1] * 1_000, pa.int32()), ["x" * 1_000_000, "y"]
    )
    table = pa.table({"text": texts, "words": pa.ListArray.from_arrays(range(4_001), texts)})
    parquet.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 5_000
    done = subprocess.run([sys.executable, "-c", ROWS, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100_000_000


def test_strings_of_parquet_whose_beginnings_are_shared(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"text": [f"{'x' * 500} {number}" for number in range(2_000)]})
    parquet.write_table(table, path, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"})
    assert [one.text for one in read(path)] == table["text"].to_pylist()


def test_sentences_and_documents_of_conllu(tmp_path):
    path = tmp_path / "a.conllu"
    short, long = word(1, "cat") + "\n", "".join(word(n, "x" * 9) for n in range(1, 9)) + "\n"
    path.write_text(f"# newdoc\n{short}# newdoc\n{long}{short}# newdoc\n{short * 9}# newdoc\n{short}")
    told = f": the sentence is larger than 100 bytes; {RAISE}"
    assert error_in(path, largest_text=100) == f":8{told}"
    documents, problems = skipping(path, largest_text=100)
    assert [(one.tokens, one.line) for one in documents] == [(["cat"], 1), (["cat"], 4), (["cat"], 35)]
    assert problems.counts == {"too large": 2}
    assert len(read(path, largest_text=1_000)) == 4


def test_lists_of_words(tmp_path):
    path, bags = tmp_path / "words", tmp_path / "docword.a.txt"
    path.write_text("cat\ndog\nbird\n")
    bags.write_bytes(UCI)
    for content in ("cat\ndog\nbird\n", "cat" * 9):
        path.write_text(content)
        what = "list of words" if "\n" in content else "line"
        for read_list in (read_words, read_numbered_words):
            assert read_list(str(path), largest=40)
            with pytest.raises(UserError, match=f"words:[13]: the {what} is larger than 10 bytes; raise the"):
                read_list(str(path), largest=10)
    path.write_text("cat\ndog\nbird\n")
    assert len(read(bags, vocab=str(path), largest_text=13)) == 4
    with pytest.raises(UserError, match="the list of words is larger"):
        read(bags, vocab=str(path), largest_text=12)


@pytest.mark.parametrize(
    ("name", "place"), [("docword.a.txt", 1), ("docword.a.txt", 4), ("a.mm", 2), ("a.mm", 3)]
)
def test_a_lost_line_ends_files_of_entries(tmp_path, name, place):
    """What stood there is not known: nothing after it can be believed."""
    words, path = tmp_path / "words", tmp_path / name
    words.write_text("cat\ndog\n")
    head = (
        ["2", "2", "3"]
        if name.startswith("doc")
        else ["%%MatrixMarket matrix coordinate real general", "2 2 3"]
    )
    lines = [*head, "1 1 1", "1 2 1", "2 1 1"]
    lines[place - 1] += " " * 50
    path.write_text("\n".join(lines))
    assert error_in(path, vocab=str(words), largest_text=50).startswith(f":{place}: the line is larger")
    assert skipping(path, vocab=str(words), largest_text=50)[0] == []


def test_blank_lines_before_the_first_text_of_a_pipe(monkeypatch, tmp_path):
    path = tmp_path / "blank"
    path.write_bytes(b"\n" * 10_001)
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        with pytest.raises(UserError, match="the first 10000 lines are blank"):
            Corpus.build("-")


@pytest.mark.parametrize(("name", "value"), [("largest_text", 0), ("largest_text", 1.5), ("longest_gap", -1)])
def test_bounds_are_whole_numbers(name, value):
    with pytest.raises(UserError, match=f"{name}={value}; {name} is a whole number of at least"):
        ReadingOptions(**{name: value})


START = """
import sys
from pathlib import Path
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers import Problems, read_inputs

def peak():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) * 1024

before = peak()
"""
CHILD = (
    START
    + """
problems = Problems(skip=True)
options = ReadingOptions(on_error="skip", largest_text=1_000_000)
texts = [document.text for document in read_inputs(sys.argv[1:], options, problems)[0]]
assert texts == ["a", "b"], texts
assert dict(problems.counts) == {"too large": 1}
print(peak() - before)
"""
)
ROWS = (
    START
    + """
for options in (ReadingOptions(), ReadingOptions(text_field="words")):
    documents = list(read_inputs(sys.argv[1:], options, Problems(skip=False))[0])
    assert [len(one.text or one.tokens[0]) for one in documents] == [1] * 2_000 + [1_000_000, 1] * 1_000
print(peak() - before)
"""
)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak of memory")
@pytest.mark.parametrize("packing", [".gz", ".zst"])
def test_little_that_unpacks_to_much(tmp_path, packing):
    content = b'{"text": "a"}\n{"text": "' + b"x" * 200_000_000 + b'"}\n{"text": "b"}\n'
    packed = gzip.compress(content, 6) if packing == ".gz" else zstandard.ZstdCompressor(19).compress(content)
    path = tmp_path / f"a.jsonl{packing}"
    path.write_bytes(packed)
    assert len(packed) < 250_000
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 130_000_000


PEAK = """
import sys
from pathlib import Path
from stickbreaker.corpus import Corpus
corpus = Corpus.build(sys.argv[1])
assert corpus.n_documents == 90 and corpus.metadata_fields == ("year",), corpus.metadata_fields
status = Path("/proc/self/status").read_text()
print(int(status.partition("VmHWM:")[2].split()[0]) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak of memory")
@pytest.mark.parametrize("name", ["dictionary.parquet", "plain.parquet", "bytes.parquet", "dictionary.arrow"])
def test_long_values_that_are_no_text_are_not_held(tmp_path, name):
    """Two kilobytes, of which each of ninety rows would be thirty megabytes of metadata: 2.7 GB."""
    long, n = "x" * 30_000_000, 90
    notes = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), [long])
    if name.startswith("bytes"):
        notes = pa.array([long.encode()] * n, pa.large_binary())
    texts = ["a cat", "a dog", "a bird"] * (n // 3)
    table = pa.table({"text": texts, "year": [1988] * n, "note": notes})
    path = tmp_path / name
    if path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
            file.write_table(table)
    else:
        parquet.write_table(table, path, compression="zstd", store_schema=not name.startswith("plain"))
    del table, notes
    assert path.stat().st_size < 5_000
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert int(done.stdout) < 500_000_000


def test_a_long_value_is_no_metadata_in_any_format(tmp_path):
    longest = "x" * (1 << 18)
    path = tmp_path / "a.jsonl"
    records = [{"text": "a cat", "note": longest}, {"text": "a dog", "note": longest + "x", "year": 1}]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (tmp_path / "a.parquet").write_bytes(parquet_of(pa.Table.from_pylist(records[1:])))
    first, second = read(path)
    assert (first.metadata, second.metadata) == ({"note": longest}, {"year": 1})
    assert read(tmp_path / "a.parquet")[0].metadata == {"year": 1}
