"""A corpus is the same in memory and on disk, and counts what a slow count counts."""

import copy
import errno
import json
import pickle
import threading
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import (
    Analysis,
    Corpus,
    Document,
    ReadingOptions,
    Vocabulary,
    VocabularyRule,
    blocks,
)
from stickbreaker.corpus.block_cache import BlockCache

TEXTS = ["The cat sat. A cat ran!", "Dogs and cats", "", "the of and", "A dog ran to the cat"]
WORDS = st.sampled_from(["the", "cat", "dog", "x", "ran", "naïve", "it's"])


def bags_in_words(corpus: Corpus) -> list[tuple[dict[str, float], float]]:
    """Each document's words and weights, and what it has unseen."""
    found = []
    for block in range(len(corpus.block_sizes)):
        bags = corpus.bags(block)
        assert [array.dtype for array in bags] == [np.int64, np.int32, np.float32, np.float32]
        for number in range(len(bags.unseen)):
            span = slice(bags.offsets[number], bags.offsets[number + 1])
            assert (np.diff(bags.words[span]) > 0).all()
            assert (bags.counts[span] > 0).all()
            spelled = [corpus.vocabulary.words[word] for word in bags.words[span]]
            weights = dict(zip(spelled, bags.counts[span].tolist(), strict=True))
            found.append((weights, float(bags.unseen[number])))
    return found


def same(one: Corpus, other: Corpus) -> bool:
    ids = [[corpus.ids(b) for b in range(len(corpus.block_sizes))] for corpus in (one, other)]
    totals = [
        (corpus.n_tokens, corpus.n_empty, corpus.fingerprint, corpus.vocabulary.words)
        for corpus in (one, other)
    ]
    return ids[0] == ids[1] and totals[0] == totals[1] and bags_in_words(one) == bags_in_words(other)


def test_texts_in_memory_and_on_disk(tmp_path):
    corpus = Corpus.from_texts(TEXTS, ids=list("abcde"), metadata=[{"year": 1988 + i} for i in range(5)])
    assert (corpus.n_documents, corpus.n_words, corpus.n_tokens, corpus.n_empty) == (5, 6, 9.0, 2)
    assert corpus.vocabulary.words == ("cat", "ran", "cats", "dog", "dogs", "sat")
    assert corpus.vocabulary.documents.tolist() == [2, 2, 1, 1, 1, 1]
    stored = corpus.write(tmp_path / "corpus")
    assert stored.path == tmp_path / "corpus"
    assert same(corpus, stored)
    document = stored.documents(0)[0]
    assert document == corpus.documents(0)[0]
    assert (document.text, document.tokens) == (TEXTS[0], ["the", "cat", "sat", "a", "cat", "ran"])
    assert (document.starts, document.sentences, document.metadata) == (
        [0, 4, 8, 13, 15, 19],
        [0, 3],
        {"year": 1988},
    )
    assert stored.metadata_fields == ("year",)
    assert stored.languages == {"en": 5}
    assert (stored.kind, stored.ordered) == ("text", True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=12), st.integers(1, 3), st.floats(0.2, 1))
def test_counts_against_a_slow_count(texts, fewest, share):
    rule = VocabularyRule(fewest, share)
    in_documents = Counter(word for text in texts for word in set(text))
    everywhere = Counter(word for text in texts for word in text)
    eligible = {word for word in everywhere if word not in ("the", "it's") and len(word) > 1}
    kept = {word for word in eligible if fewest <= in_documents[word] <= share * len(texts) + 1e-9}
    analysis = Analysis(stop_words=("the", "It's"))
    joined = [" ".join(text) for text in texts]
    if not kept:
        with pytest.raises(UserError, match="the vocabulary is empty"):
            Corpus.from_texts(joined, analysis=analysis, rule=rule)
        return
    corpus = Corpus.from_texts(joined, analysis=analysis, rule=rule)
    assert list(corpus.vocabulary.words) == sorted(kept, key=lambda word: (-everywhere[word], word))
    assert corpus.vocabulary.tokens.tolist() == [everywhere[word] for word in corpus.vocabulary.words]
    assert corpus.vocabulary.documents.tolist() == [in_documents[word] for word in corpus.vocabulary.words]
    expected = [
        (dict(Counter(w for w in text if w in kept)), float(sum(w in eligible - kept for w in text)))
        for text in texts
    ]
    assert bags_in_words(corpus) == expected
    assert corpus.n_tokens == sum(everywhere[word] for word in kept)
    assert corpus.n_empty == sum(not kept.intersection(text) for text in texts)


def test_rules_of_the_vocabulary():
    texts = ["cat dog", "cat bird", "cat dog fox"] * 200
    assert VocabularyRule().bounds(5) == (1, 10)
    assert VocabularyRule().bounds(600) == (2, 300)
    assert VocabularyRule().bounds(100_000) == (5, 50_000)
    assert Corpus.from_texts(texts).vocabulary.words == ("bird", "fox")
    assert VocabularyRule().bounds(2_225, 5.0) == (2, 1112)  # titles
    assert VocabularyRule().bounds(10_000, 6.5) == (3, 5000)
    assert VocabularyRule().bounds(10_000, 10.0) == VocabularyRule().bounds(10_000, 400.0) == (5, 5000)
    assert VocabularyRule().bounds(400, 5.0) == (1, 200)
    short = [f"news {number % 999}a" for number in range(2_500)]  # each number in two or three
    assert Corpus.from_texts(short).n_empty == 0
    assert Corpus.from_texts(texts, rule=VocabularyRule(max_share=1, size=2)).vocabulary.words == (
        "cat",
        "dog",
    )
    given = Corpus.from_texts(texts, rule=VocabularyRule(words=("zebra", "fox", "the")))
    assert given.vocabulary.words == ("zebra", "fox", "the")
    assert given.vocabulary.tokens.tolist() == [0, 200, 0]
    assert given.n_empty == 400


@pytest.mark.parametrize("names", ["", ["a.txt", ""]])
def test_an_empty_name_is_not_the_present_directory(tmp_path, monkeypatch, names):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("a boat on the river")
    with pytest.raises(UserError, match="the name of a file or directory is empty"):
        Corpus.build(names)
    assert len(Corpus.build(".")) == 1


def test_other_processes_get_the_same_corpus(tmp_path):
    """As joblib sends it: with its documents, or the place of its files, which are checked again there."""
    corpus = Corpus.from_texts(TEXTS)
    stored = Corpus.open(corpus.write(tmp_path / "corpus").path)
    for one in (corpus, stored):
        words = bags_in_words(one)
        for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
            assert bags_in_words(other) == words
            assert other.fingerprint == one.fingerprint
    sent = pickle.dumps(stored)
    file = next((tmp_path / "corpus").glob("documents-*.parquet"))
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(UserError, match="altered"):
        pickle.loads(sent).bags(0)


def test_tokens_are_taken_as_they_are(tmp_path):
    corpus = Corpus.from_tokens([["The", "the", "x"], [], ["the"]])
    assert set(corpus.vocabulary.words) == {"The", "the", "x"}
    assert corpus.analysis is None
    assert same(corpus, corpus.write(tmp_path / "out"))
    assert corpus.documents(0)[0].tokens == ["The", "the", "x"]
    filtered = Corpus.from_tokens([["The", "the", "cat"]], analysis=Analysis())
    assert filtered.vocabulary.words == ("The", "cat")


def test_a_matrix_in_memory_and_on_disk(tmp_path):
    matrix = np.array([[0, 2.5, 0], [1, 0, 0], [0, 0, 0], [3, 1, 4]])
    corpus = Corpus.from_matrix(sparse.csc_matrix(matrix), feature_names=["a", "b", "c"])
    assert bags_in_words(corpus) == [
        ({"b": 2.5}, 0), ({"a": 1}, 0), ({}, 0), ({"a": 3, "b": 1, "c": 4}, 0)
    ]  # fmt: skip
    assert (corpus.n_tokens, corpus.n_empty, corpus.kind, corpus.ordered) == (11.5, 1, "bag", False)
    stored = corpus.write(tmp_path / "out")
    assert same(corpus, stored)
    assert stored.documents(0)[3].weights == [3, 1, 4]
    assert same(corpus, Corpus.from_matrix(matrix, ["a", "b", "c"]))
    view = corpus.with_vocabulary(Vocabulary.of(["c", "b"]))
    assert bags_in_words(view)[3] == ({"c": 4, "b": 1}, 3)
    assert (
        view.fingerprint
        == stored.with_vocabulary(Vocabulary.of(["c", "b"])).fingerprint
        != corpus.fingerprint
    )


def test_duplicate_entries_of_a_matrix_are_added_and_zeros_dropped():
    entries = sparse.csr_array((np.array([1, 2, 0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    corpus = Corpus.from_matrix(entries)
    assert bags_in_words(corpus) == [({"1": 3}, 0), ({}, 0)]
    assert entries.nnz == 3  # the caller's is left alone


@pytest.mark.parametrize(
    ("matrix", "names", "expected"),
    [
        (
            [[1, -1]],
            None,
            "row 0, column 1: the weight -1.0 cannot be used; weights are finite and not below zero",
        ),
        ([[1, 0], [float("nan"), 1]], None, "row 1, column 0: the weight nan cannot be used"),
        ([[float("inf")]], None, "row 0, column 0: the weight inf cannot be used"),
        ([["a"]], None, "not a matrix of weights"),
        (np.ones((1, 1, 1)), None, "not a matrix of weights"),
        ([[1j]], None, "not a matrix of weights"),
        ([[1, 2]], ["a"], "1 feature names for 2 columns"),
        ([[1, 2]], ["a", "a"], "the vocabulary lists 'a' twice"),
        (np.ones((0, 3)), None, "the matrix is empty"),
        (np.ones((3, 0)), None, "the matrix is empty"),
    ],
)
def test_bad_matrices(matrix, names, expected):
    with pytest.raises(UserError) as caught:
        Corpus.from_matrix(matrix, names)
    assert str(caught.value).startswith(expected)


def test_lda_c_keeps_its_vocabulary(tmp_path):
    path, words, out = tmp_path / "a.ldac", tmp_path / "words.txt", tmp_path / "out"
    path.write_text("2 2:3 0:1\n0\n1 2:1\n3 1:4 2:1 0:2\n")
    words.write_text("the\ncat\nx\n")
    reading = ReadingOptions(vocab=str(words))
    corpus = Corpus.build(path, out, reading=reading)
    assert corpus.vocabulary.words == ("the", "cat", "x")
    assert bags_in_words(corpus) == [
        ({"the": 1, "x": 3}, 0),
        ({}, 0),
        ({"x": 1}, 0),
        ({"the": 2, "cat": 4, "x": 1}, 0),
    ]
    assert corpus.ids(0) == ["a.ldac:1", "a.ldac:2", "a.ldac:3", "a.ldac:4"]
    assert same(corpus, Corpus.build(path, reading=reading))
    pruned = Corpus.build(path, reading=reading, rule=VocabularyRule(min_documents=3))
    assert bags_in_words(pruned) == [({"x": 3}, 1), ({}, 0), ({"x": 1}, 0), ({"x": 1}, 6)]


def test_another_vocabulary():
    corpus = Corpus.from_texts(TEXTS)
    view = corpus.with_vocabulary(Vocabulary.of(["dog", "cat", "the"]))
    assert bags_in_words(view)[0] == ({"cat": 2, "the": 1}, 2)
    assert view.n_documents == corpus.n_documents
    strict = corpus.with_vocabulary(Vocabulary.of(["dog"]), Analysis(stop_words="none", min_length=1))
    assert bags_in_words(strict)[0] == ({}, 6)
    unknown = Corpus.from_texts(["zebra of", ""], vocabulary=corpus.vocabulary)
    assert (unknown.n_tokens, unknown.n_empty) == (0, 2)
    assert bags_in_words(unknown) == [({}, 1), ({}, 0)]


def test_blocks_and_files(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", 4)
    monkeypatch.setattr(blocks, "BLOCK_TOKENS", 20)
    texts = ["cat dog " * (number % 3) for number in range(150)] + ["dog " * 50, "cat"]
    corpus = Corpus.from_texts(texts, rule=VocabularyRule(max_share=1))
    stored = corpus.write(tmp_path / "out")
    assert sum(stored.block_sizes) == 152
    assert max(stored.block_sizes) == 4
    assert len(list((tmp_path / "out").glob("documents-*.parquet"))) == 2
    assert same(corpus, stored)
    monkeypatch.undo()
    whole = Corpus.from_texts(texts, rule=VocabularyRule(max_share=1))
    assert whole.fingerprint == corpus.fingerprint
    assert sum(bags_in_words(whole)[0][0].values()) == sum(bags_in_words(corpus)[0][0].values())


def test_fingerprints_tell_contents_apart():
    one = Corpus.from_tokens([["a", "b"], ["c"]])
    others = [
        Corpus.from_tokens([["b", "a"], ["c"]]),
        Corpus.from_tokens([["a"], ["b", "c"]]),
        Corpus.from_tokens([["a", "b"], ["c"]], ids=["0", "2"]),
        Corpus.from_tokens([["a", "b"], ["c"]], rule=VocabularyRule(words=("a", "b"))),
        Corpus.from_tokens([["ab"], ["c"]]),
        Corpus.from_tokens([["a", "b"], ["c"], ["a", "b", "b", "a"]]),
        Corpus.from_tokens([["a", "b"], ["c"], ["b", "a", "a", "b"]]),
    ]
    assert len({corpus.fingerprint for corpus in [one, *others]}) == 8
    assert one.fingerprint == Corpus.from_tokens([["a", "b"], ["c"]]).fingerprint


def test_the_same_build_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        Corpus.from_texts(TEXTS).write(tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_an_existing_path_is_kept(tmp_path):
    corpus, out = Corpus.from_texts(TEXTS), tmp_path / "out"
    corpus.write(out)
    with pytest.raises(UserError, match="already exists; give another path, or overwrite=True"):
        corpus.write(out)
    other = Corpus.from_texts(["zebra"]).write(out, overwrite=True)
    assert other.vocabulary.words == ("zebra",)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("x")
    with pytest.raises(UserError, match="exists and is not a corpus"):
        corpus.write(precious, overwrite=True)
    assert (precious / "thesis.txt").exists()


def test_a_failed_build_leaves_nothing(tmp_path):
    def documents():
        yield Document("a", text="cat")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Corpus.from_documents(documents(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_damaged_stores_are_refused_by_name(tmp_path):
    out = tmp_path / "out"
    Corpus.from_texts(TEXTS).write(out)
    kept = {path.name: path.read_bytes() for path in out.iterdir()}

    def refused(name: str, content: bytes | None) -> str:
        for other, whole in kept.items():
            (out / other).write_bytes(whole)
        if content is None:
            (out / name).unlink()
        else:
            (out / name).write_bytes(content)
        with pytest.raises(UserError) as caught:
            Corpus.open(out).bags(0)
        return str(caught.value)

    for name in ("documents-00000.parquet", "vocabulary.parquet"):
        flipped = bytearray(kept[name])
        flipped[len(flipped) // 2] ^= 1
        assert refused(name, kept[name][:-1]).startswith(f"{out}/{name}: the file is damaged: ")
        assert refused(name, None).startswith(f"{out}/{name}: the file is missing")
        assert refused(name, bytes(flipped)).startswith(
            f"{out}/{name}: the file is damaged (its content was altered)"
        )
    assert refused("corpus.json", None).startswith(f"{out}: not a corpus")
    assert refused("corpus.json", b"{").startswith(f"{out}/corpus.json: the file is not that of a corpus")
    assert refused("corpus.json", b'{"format": "x"}').startswith(
        f"{out}/corpus.json: the file is not that of"
    )
    facts = json.loads(kept["corpus.json"])
    changed = json.dumps({**facts, "schema": 99}).encode()
    assert refused("corpus.json", changed).startswith(
        f"{out}/corpus.json: schema 99, this version reads schema 1"
    )
    for field in facts:
        if field not in ("schema", "ordered", "digest"):
            lacking = json.dumps({key: value for key, value in facts.items() if key != field}).encode()
            assert refused("corpus.json", lacking).startswith(f"{out}/corpus.json: the file is")
    with pytest.raises(UserError, match="no such corpus"):
        Corpus.open(tmp_path / "nowhere")


def test_a_corpus_replaced_while_it_is_read_is_refused(tmp_path):
    out = tmp_path / "out"
    corpus = Corpus.from_texts(TEXTS).write(out)
    corpus.bags(0)
    assert len(corpus.documents(0)) == 5
    Corpus.from_texts(TEXTS[::-1]).write(out, overwrite=True)
    expected = "documents-00000.parquet: the file was replaced or changed while it was being read; open"
    for read in (corpus.documents, corpus.ids, corpus.source.entries):
        with pytest.raises(UserError, match=expected):
            read(0)
    again = Corpus.open(out)
    assert again.documents(0)[0].text == TEXTS[-1]
    (out / "documents-00000.parquet").unlink()
    with pytest.raises(UserError, match=expected):
        again.ids(0)


def test_a_corpus_moved_aside_by_a_killed_build_is_opened(tmp_path):
    out, aside = tmp_path / "out", tmp_path / ".out.replaced-xxxxxxxx"
    fingerprint = Corpus.from_texts(TEXTS).write(out).fingerprint
    aside.mkdir()
    out.rename(aside / "out")
    assert Corpus.open(out).fingerprint == fingerprint
    assert list(tmp_path.iterdir()) == [out]


def test_reading_from_several_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", 8)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["cat", "dog", "fox", "emu"], 12)) for _ in range(120)]
    corpus = Corpus.from_texts(texts, rule=VocabularyRule(max_share=1)).write(tmp_path / "out")
    corpus._cache = BlockCache(most_entries=60)
    expected = bags_in_words(Corpus.open(tmp_path / "out"))
    results: list[bool] = []
    threads = [
        threading.Thread(target=lambda: results.append(bags_in_words(corpus) == expected)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_wrong_arguments():
    for make, expected in [
        (lambda: Corpus.from_texts("one string"), "one string where a list of text belongs"),
        (lambda: Corpus.from_texts(["a", 3]), "document 1 is not a string"),
        (lambda: Corpus.from_tokens(["abc"]), "document 0 is not a list of strings"),
        (lambda: Corpus.from_texts(["cat"], ids=["a", "b"]), "2 ids for 1 documents"),
        (lambda: Corpus.from_texts(["cat", "dog"], ids=["a", "a"]), "the id 'a' was used before"),
        (lambda: Corpus.from_texts(["cat"], metadata=[]), "0 metadata for 1 documents"),
        (lambda: Corpus.from_texts([]), "documents: no document found"),
        (lambda: ReadingOptions(on_error="ignore"), "unknown on_error 'ignore'"),
        (lambda: VocabularyRule(min_documents=0), "the minimum number of documents is 0"),
        (lambda: VocabularyRule(max_share=0), "the maximum share is 0"),
        (lambda: VocabularyRule(size=0), "the vocabulary size is 0"),
    ]:
        with pytest.raises(UserError) as caught:
            make()
        assert str(caught.value).startswith(expected)


def test_tokens_of_files_take_the_form_of_the_analysis_and_those_of_lists_do_not(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text": ["The", "Houses", "--", "1990", "burn"]}\n')
    corpus = Corpus.build(path, analysis=Analysis(stemming=True))
    assert set(corpus.vocabulary.words) == {"hous", "burn"}
    assert corpus.documents(0)[0].tokens == ["the", "hous", "--", "1990", "burn"]
    given = Corpus.from_tokens([["The", "Houses", "--", "1990"]])
    assert set(given.vocabulary.words) == {"The", "Houses", "--", "1990"}


def test_a_corpus_without_any_document_is_not_written(tmp_path):
    corpus = Corpus.from_texts(["one cat", "two dogs"])
    with pytest.raises(UserError, match="every document is held out; lower held_out"):
        corpus.write(tmp_path / "c", held_out=1.0)
    with pytest.raises(UserError, match="the corpus has no documents"):
        corpus.part(1, 1).write(tmp_path / "c")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_comes_to_its_place_while_a_corpus_is_built_stays(tmp_path, overwrite):
    """A folder of the user's; it was removed."""
    out = tmp_path / "out"

    def documents():
        yield Document("a", "A cat sat.")
        out.mkdir()
        (out / "letter.txt").write_text("dear")
        yield Document("b", "A dog sat.")

    with pytest.raises(UserError, match="out: something came there meanwhile"):
        Corpus.from_documents(documents(), out, overwrite=overwrite)
    assert (out / "letter.txt").read_text() == "dear"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("written", [0, 1])
def test_a_full_disk_is_told_with_the_file_and_leaves_nothing(tmp_path, monkeypatch, written):
    """Blocks are written by a thread, and what goes wrong there is told by the next block or at the end."""
    real, calls = pq.ParquetWriter.write_table, []

    def write(self, *given, **options):
        calls.append(1)
        if len(calls) > written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, *given, **options)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", write)
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", 2)
    documents = [Document(str(n), "one cat") for n in range(8)]
    with pytest.raises(OSError, match=r"documents-00000\.parquet") as error:
        Corpus.from_documents(documents, tmp_path / "corpus")
    assert error.value.errno == errno.ENOSPC
    assert not list(tmp_path.iterdir())
