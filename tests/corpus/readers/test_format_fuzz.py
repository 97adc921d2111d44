"""Whatever becomes of a valid file, it yields documents or raises UserError, and nothing else."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.corpus.readers.reading import packings
from tests.corpus.readers.samples import (
    BANNER,
    FRENCH,
    PAGE,
    TABLE,
    UCI,
    feather_of,
    file_of,
    parquet_of,
    pdf_of,
    stream_of,
    word_of,
)
from tests.tiers import sampled

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers import READERS, Problems, read_inputs

CSV = b'\xef\xbb\xbfid,text,year\r\na,"one ""cat""\r\nsat",1\r\n\r\nb,two dogs,\r\n'
VALID = {
    "jsonl": [b'{"text": "one cat", "id": 1}\n\n{"text": ["a", "b"], "year": 2}\n'],
    "csv": [CSV],
    "tsv": [CSV.replace(b",", b"\t")],
    "parquet": [parquet_of(TABLE)],
    "arrow": [file_of(TABLE), stream_of(TABLE), feather_of(TABLE)],
    "conllu": [FRENCH.encode()],
    "mallet": [b"one en The cat\ntwo, de, sat\n"],
    "counts": [b"the\t3\n\nold cat\t1\n"],
    "lda-c": [b"2 0:1 2:3\n0\n1 1:4\n"],
    "uci": [UCI],
    "mm": [BANNER + b"%\n3 3 4\n1 3 0.25\n1 1 2\n3 2 1e2\n3 1 0\n"],
    "lines": [b"one\n\ntwo\n"],
    "documents": [PAGE, pdf_of("Two dogs ran."), word_of("A cat sat.", "Two dogs.")],
    "files": [b"one\ntwo"],
}
PIECES = [
    b"\n",
    b"\r",
    b"\t",
    b",",
    b'"',
    b" ",
    b"\0",
    b"\xff",
    b"-1",
    b"1-2",
    b"nan",
    b"0",
    b"9" * 20,
    b"#",
    b"{",
]
PLACES = st.integers(0, 10_000)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), PLACES, st.sampled_from(PIECES) | st.binary(max_size=4)),
        st.tuples(st.just("over"), PLACES, st.sampled_from(PIECES) | st.binary(min_size=1, max_size=4)),
        st.tuples(st.just("cut"), PLACES, st.integers(1, 30)),
        st.tuples(st.just("double"), PLACES, st.integers(1, 60)),
    ),
    max_size=4,
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "text_field": st.sampled_from(["words", "lemma", "en=text,de=id", "year"]),
        "id_field": st.sampled_from(["id", "year", "day"]),
        "language_field": st.sampled_from(["id", "text"]),
        "largest_text": st.integers(1, 60),
    },
)


def edited(content: bytes, edits: list) -> bytes:
    """The content after pieces were put in, written over, cut out or doubled."""
    for kind, place, what in edits:
        place %= len(content) + 1
        if kind == "put":
            content = content[:place] + what + content[place:]
        elif kind == "over":
            content = content[:place] + what + content[place + len(what) :]
        elif kind == "cut":
            content = content[:place] + content[place + what :]
        else:
            content = content[: place + what] + content[place:]
    return content


def read_all(path, words, format, on_error, options):
    problems = Problems(skip=on_error == "skip")
    try:
        reading = ReadingOptions(format, vocab=str(words), on_error=on_error, longest_gap=1_000, **options)
        documents = list(read_inputs([str(path)], reading, problems)[0])
    except UserError:
        return None
    for document in documents:
        assert isinstance(document.id, str)
        held = (document.text, document.tokens, document.words, document.texts)
        assert any(value is not None for value in held)
        assert (document.words is None) == (READERS[format].kind == "text")
        if document.starts is not None:
            assert len(document.starts) == len(document.tokens or [])
        json.dumps(dict(document.metadata), allow_nan=False)
        json.dumps([document.id, *held], ensure_ascii=False).encode()  # no lone surrogates
    return documents


def test_every_format_has_a_valid_file(tmp_path):
    assert VALID.keys() == READERS.keys()
    words = tmp_path / "words"
    words.write_text("a\nb\nc\n")
    for format, contents in VALID.items():
        for content in contents:
            (tmp_path / "file").write_bytes(content)
            assert read_all(tmp_path / "file", words, format, "fail", {})


@pytest.mark.parametrize("format", sampled(READERS, 7))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), edits=EDITS, options=OPTIONS)
def test_any_edit_of_a_valid_file(tmp_path_factory, format, data, edits, options):
    folder = tmp_path_factory.mktemp("edited")
    content = edited(data.draw(st.sampled_from(VALID[format])), edits)
    packing = data.draw(st.sampled_from(["", "", ".gz", ".zst"]))
    path, words = folder / f"file{packing}", folder / "words"
    path.write_bytes(packings(content)[packing])
    words.write_text("a\nb\nc\n")
    strict = read_all(path, words, format, "fail", options)
    skipped = read_all(path, words, format, "skip", options)
    if strict is not None:
        assert skipped == strict


@pytest.mark.parametrize("format", READERS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    content=st.binary(max_size=300) | st.sampled_from([b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff\x10\0\0\0"])
)
def test_any_bytes_of_any_format(tmp_path_factory, format, content):
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "words").write_text("a\nb\nc\n")
    (folder / "file").write_bytes(content)
    for on_error in ("fail", "skip"):
        read_all(folder / "file", folder / "words", format, on_error, {})
