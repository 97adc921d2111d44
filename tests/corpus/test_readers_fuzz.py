"""Whatever bytes a reader is given, it yields documents or raises UserError, and nothing else."""

import gzip
import json
import tempfile
from pathlib import Path

import pytest
import regex
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, ReadingOptions
from stickbreaker.corpus.readers import READERS, Problems, read_inputs
from stickbreaker.corpus.text.letters import without_marks

ANALYSIS = Analysis(stop_words=("the", "of"))
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
RECORDS = st.dictionaries(st.sampled_from(["text", "id", "date", "\ud800"]), JSON, max_size=4)
ANY_TEXT = st.text(st.characters(exclude_categories=()))
LINES = st.lists(
    st.one_of(
        st.binary(max_size=60),
        RECORDS.map(lambda record: json.dumps(record).encode()),
        ANY_TEXT.map(lambda text: json.dumps({"text": text}).encode()),
        st.from_regex(rb"\A[0-9]{1,2}( [0-9]{1,2}:-?[0-9]{1,3}){0,4}\Z"),
    ),
    max_size=6,
).map(b"\n".join)


def packed(content: bytes, packing: str, cut: int) -> bytes:
    """The content, compressed and cut short by a few bytes."""
    whole = {"": content, ".gz": gzip.compress(content), ".zst": zstandard.ZstdCompressor().compress(content)}
    return whole[packing][: len(whole[packing]) - cut]


@QUICK
@given(
    content=LINES,
    name=st.sampled_from(["a.jsonl", "a.txt", "a.ldac", "a"]),
    packing=st.sampled_from(["", ".gz", ".zst"]),
    cut=st.integers(0, 12),
    on_error=st.sampled_from(["fail", "skip"]),
    format=st.sampled_from([None, *READERS]),
)
def test_any_bytes(content, name, packing, cut, on_error, format):
    with tempfile.TemporaryDirectory() as folder:
        path, words, out = (Path(folder) / one for one in (name + packing, "words", "out"))
        path.write_bytes(packed(content, packing, cut))
        words.write_text("a\nb\nc\n")
        reading = ReadingOptions(format, vocab=str(words), on_error=on_error)
        problems = Problems(skip=on_error == "skip")
        try:
            documents, kind, _ = read_inputs([str(path)], reading, problems)
            read = list(documents)
        except UserError:
            return
        for document in read:
            assert isinstance(document.id, str)
            assert (document.words is None) == (kind == "text")
            json.dumps(dict(document.metadata), allow_nan=False)
        try:
            corpus = Corpus.build(path, out, reading=reading, analysis=ANALYSIS)
        except UserError:
            assert not out.exists()
            return
        assert corpus.n_documents == len(read) - corpus.skipped.get("duplicate id", 0)
        again = Corpus.build(path, reading=reading, analysis=ANALYSIS)
        assert again.fingerprint == corpus.fingerprint
        for document, other in zip(corpus.documents(0), again.documents(0), strict=True):
            assert document == other


@QUICK
@given(
    text=ANY_TEXT,
    normalization=st.sampled_from(["NFC", "NFKC", None]),
    language=st.sampled_from(["en", "fr", None]),
)
def test_any_text_is_analysed(text, normalization, language):
    analysis = Analysis(language, normalization, lowercase=False, stop_words="none")
    tokens = analysis.analyse(text)
    assert len(tokens.words) == len(tokens.starts)
    ends = analysis.ends(text, tokens.starts.tolist())
    assert all(a < b for a, b in zip(tokens.starts, ends, strict=True))
    assert all(end <= start for end, start in zip(ends, tokens.starts[1:], strict=False))
    for word, start, end in zip(tokens.words, tokens.starts, ends, strict=True):
        if normalization is None:
            assert without_marks(text[start:end]) == word, "a soft hyphen is none of a word's letters"
        assert regex.search(r"\p{L}", text[start:end])
    sentences = tokens.sentences.tolist()
    assert sentences == sorted(set(sentences))
    assert not tokens.words or sentences[0] == 0
    assert all(sentence < len(tokens.words) for sentence in sentences)


@pytest.mark.parametrize("piece", ["1", "'", "a'", ".", "\n ", ".\"'", "́", "1a"])
def test_no_text_is_slow_to_analyse(piece):
    Analysis(stop_words="none").analyse(piece * 200_000)  # quadratic work here would take hours
