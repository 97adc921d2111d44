"""Word vectors: files of other programs, learning them from a corpus, and concepts of near words."""

import gzip
import json

import numpy as np
import pytest

from stickbreaker import ConceptTree, Corpus, VocabularyRule
from stickbreaker.core.errors import UserError
from stickbreaker.topics.concepts import vector_concepts
from stickbreaker.topics.concepts.word_vectors import (
    learned_vectors,
    looks_like_vectors,
    read_vectors,
    vectors_from,
)

WORDS = ("cat", "dog", "tax", "bank", "été")
ROWS = np.array([[1, 0.1, 0], [1, 0, 0], [0, 1, 0.25], [0.1, 1, 0], [0, 0, -1]], dtype=np.float32)
LINES = [" ".join([word, *(f"{x:g}" for x in row)]) for word, row in zip(WORDS, ROWS, strict=True)]
PLAIN = VocabularyRule(min_documents=1)


def text(first=()):
    return "".join(f"{line}\n" for line in (*first, *LINES)).encode()


def binary(separator=b""):
    parts = (word.encode() + b" " + row.tobytes() + separator for word, row in zip(WORDS, ROWS, strict=True))
    return b"5 3\n" + b"".join(parts)


FILES = {
    "glove.txt": text(),
    "word2vec.txt": text(["5 3"]),
    "fasttext.vec": text(["5 3"]),
    "word2vec.bin": binary(),
    "separated.bin": binary(b"\n"),
    "glove.txt.gz": gzip.compress(text()),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_vectors(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    found = read_vectors(path)
    assert found.words == WORDS
    np.testing.assert_array_equal(found.vectors, ROWS)
    some = read_vectors(path, wanted=lambda word: word in ("tax", "été"))
    assert some.words == ("tax", "été")
    np.testing.assert_array_equal(some.vectors, ROWS[[2, 4]])


def test_an_array_and_its_words(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    (tmp_path / "words.txt").write_text("\n".join(WORDS), "utf-8")
    found = read_vectors(tmp_path / "rows.npy", tmp_path / "words.txt", lambda word: word != "dog")
    assert found.words == ("cat", "tax", "bank", "été")
    np.testing.assert_array_equal(found.vectors, ROWS[[0, 2, 3, 4]])
    with pytest.raises(UserError, match=r"has no words; give a file with its words, one per line, by words"):
        read_vectors(tmp_path / "rows.npy")
    (tmp_path / "words.txt").write_text("one\ntwo\n")
    with pytest.raises(UserError, match="vectors of 5 × 3, and 2 lines"):
        read_vectors(tmp_path / "rows.npy", tmp_path / "words.txt")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"cat 1 2 3\ndog 1 2\n", ":2: 'dog 1 2' is not a word and 3 numbers"),
        (b"cat 1 2 3\ndog 1 2 x\n", ":2: 'dog 1 2 x' is not a word and 3 numbers"),
        (b"cat 1 2 inf\n", "the vector of 'cat' has a number that is not finite"),
        (binary()[:-3], "ends after 4 of 5 vectors"),
        (b"cat\n", "is not a file of word vectors"),
    ],
)
def test_what_is_malformed_is_one_line(content, told, tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(UserError, match=told):
        read_vectors(path)


def test_words_with_blanks_and_repeats_are_passed_over(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_bytes(b"cat 1 2 3\nat name@domain.com 4 5 6\ncat 7 8 9\nat 0 0 1\n")
    found = read_vectors(path)
    assert found.words == ("cat", "at")
    assert found.vectors.tolist() == [[1, 2, 3], [0, 0, 1]]


def test_vectors_are_told_from_dictionaries(tmp_path):
    path = tmp_path / "file"
    for content, is_vectors in (
        (b"5 3\n", True),
        (b"the " + b"0.1 " * 50 + b"\n", True),
        (b"haus\thouse\n", False),
        (b"haus\thouse\t17\n", False),
        (b"MERGE_\ta\tb\n", False),
        (b"", False),
    ):
        path.write_bytes(content)
        assert looks_like_vectors(path) is is_vectors, content


class KeyedVectors:
    index_to_key, vectors = list(WORDS), ROWS


class Word2Vec:
    wv = KeyedVectors()


@pytest.mark.parametrize(
    "given", [KeyedVectors(), Word2Vec(), dict(zip(WORDS, ROWS, strict=True)), (WORDS, ROWS.tolist())]
)
def test_what_programs_hold_in_memory(given):
    found = vectors_from(given)
    assert found.words == WORDS
    np.testing.assert_array_equal(found.vectors, ROWS)


@pytest.mark.parametrize("given", [None, {"cat": [1, 2], "dog": [1]}, (["cat"], [[1, 2], [3, 4]]), 3])
def test_other_objects_are_refused(given):
    with pytest.raises(UserError):
        vectors_from(given)


def two_subjects(seed=0, documents=200):
    draw = np.random.default_rng(seed)
    sides = [[f"{letter}{n}" for n in range(12)] for letter in "ab"]
    return [" ".join(draw.choice(sides[number % 2], 15)) for number in range(documents)], sides


def test_learned_vectors_put_words_of_a_subject_together():
    texts, sides = two_subjects()
    larger = Corpus.from_texts(texts, rule=PLAIN)
    bags = Corpus.from_matrix(larger.bags(0) and matrix_of(larger), larger.vocabulary.words)
    for corpus in (larger, bags):
        tree = ConceptTree.from_vectors(corpus, larger, n_concepts=2)
        assert sorted(sorted(concept.words[""]) for concept in tree.concepts) == sorted(map(sorted, sides))


def matrix_of(corpus):
    bags = corpus.bags(0)
    dense = np.zeros((corpus.n_documents, corpus.n_words))
    rows = np.repeat(np.arange(corpus.n_documents), np.diff(bags.offsets))
    dense[rows, bags.words] = bags.counts
    return dense


def test_vectors_are_those_of_their_definition():
    """Of three words: information by hand, and an exact decomposition of it."""
    corpus = Corpus.from_texts(["xx yy", "xx yy", "yy zz"], rule=PLAIN)
    at = [corpus.vocabulary.index[word] for word in ("xx", "yy", "zz")]
    met = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]], float)
    totals, context = met.sum(1), met.sum(1) ** 0.75
    with np.errstate(divide="ignore"):
        information = np.maximum(np.log(met * context.sum() / np.outer(totals, context)), 0.0)
    left, values, _ = np.linalg.svd(information)
    expected = left[:, :2] * np.sqrt(values[:2])
    found = learned_vectors(corpus, 2).vectors[at]
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-5)
    with pytest.raises(UserError, match="no two words meet"):
        learned_vectors(Corpus.from_texts(["xx", "yy"], rule=PLAIN))


def test_many_words_are_joined_in_parts(monkeypatch):
    texts, sides = two_subjects()
    corpus = Corpus.from_texts(texts, rule=PLAIN)
    vectors = {
        word: [1.0, 0.01 * n] if word in sides[0] else [0.01 * n, 1.0]
        for n, word in enumerate([*sides[0], *sides[1]])
    }
    monkeypatch.setattr(vector_concepts, "_MOST_AT_ONCE", 6)
    concepts = ConceptTree.from_vectors(vectors, corpus, n_concepts=8).concepts
    assert all(len({word[0] for word in concept.words[""]}) == 1 for concept in concepts)
    words = [word for concept in concepts for word in concept.words[""]]
    assert len(words) == len(set(words))


def test_two_levels_have_parents_without_words():
    texts, _ = two_subjects()
    corpus = Corpus.from_texts(texts, rule=PLAIN)
    draw = np.random.default_rng(1)
    vectors = {
        word: [float(word[0] == "a"), float(word[0] == "b"), *draw.normal(0, 0.1, 3)]
        for word in corpus.vocabulary.words
    }
    tree = ConceptTree.from_vectors(vectors, corpus, n_concepts=10, levels=2)
    above = {concept.name for concept in tree.concepts if not concept.words[""]}
    assert above
    assert {concept.parent for concept in tree.concepts} - {None} == above


def test_zeros_and_words_of_no_vector_stay_alone():
    corpus = Corpus.from_texts(["cat dog tax bank", "cat owl"], rule=PLAIN)
    vectors = {"cat": [1, 0], "dog": [1, 0.1], "tax": [0, 0], "zebra": [1, 0]}
    (concept,) = ConceptTree.from_vectors(vectors, corpus, n_concepts=1).concepts
    assert concept.words[""] == ("cat", "dog")
    with pytest.raises(UserError, match="fewer than two words"):
        ConceptTree.from_vectors({"cat": [1, 0]}, corpus)
    with pytest.raises(UserError, match="fewer than two words"):
        ConceptTree.from_vectors({"zebra": [1, 0], "zebu": [1, 0]}, corpus)


def test_stems_take_the_vector_of_their_first_word(cli, tmp_path):
    from stickbreaker import Analysis

    corpus = Corpus.from_texts(["cats dogs", "cat taxes"], analysis=Analysis(stemming=True), rule=PLAIN)
    vectors = {"cats": [1, 0], "cat": [0, 1], "dog": [1, 0.1], "taxes": [0, 1]}
    tree = ConceptTree.from_vectors(vectors, corpus, n_concepts=2)
    assert [sorted(concept.words[""]) for concept in tree.concepts] == [["cat", "dog"]]


@pytest.mark.parametrize(
    "wrong",
    [{"n_concepts": 0}, {"levels": 3}, {"corpus": ["cat dog"]}],
)
def test_wrong_settings_are_refused(wrong):
    corpus = Corpus.from_texts(["cat dog"], rule=PLAIN)
    given = {"vectors": {"cat": [1, 0], "dog": [1, 0]}, "corpus": corpus, **wrong}
    with pytest.raises(UserError):
        ConceptTree.from_vectors(**given)


def test_the_command_makes_a_tree_that_a_fit_reads(cli, tmp_path):
    texts, _ = two_subjects()
    (tmp_path / "lines.txt").write_text("\n".join(texts), "utf-8")
    corpus, tree = tmp_path / "corpus", tmp_path / "tree.jsonl"
    cli("corpus", "build", tmp_path / "lines.txt", "--out", corpus)
    done = json.loads(
        cli("concepts", corpus, "--corpus", corpus, "--out", tree, "--concepts", 2, "--json").stdout
    )
    assert done["concepts"] == 2
    cli(
        "fit",
        "lda",
        corpus,
        "--out",
        tmp_path / "model",
        "--topics",
        2,
        "--concepts",
        tree,
        "--iterations",
        3,
    )
    rows = "\n".join(f"{word} {' '.join(['0.1'] * 10)}" for word in Corpus.open(corpus).vocabulary.words)
    (tmp_path / "v.txt").write_text(rows)
    done = cli(
        "concepts", tmp_path / "v.txt", "--corpus", corpus, "--out", tree, "--overwrite", "--concepts", 1
    )
    assert "1 concept of 24 entries" in done.stdout
    for options, told, code in (
        (["--from", "en"], "is not for word vectors", 2),
        (["--depth", "3"], "at most 2 levels", 2),
        (["--words", tmp_path / "v.txt"], "--words is for an .npy file", 1),
    ):
        failed = cli(
            "concepts", tmp_path / "v.txt", "--corpus", corpus, "--out", tmp_path / "t", *options, code=code
        )
        assert told in failed.stderr
        assert not (tmp_path / "t").exists()
