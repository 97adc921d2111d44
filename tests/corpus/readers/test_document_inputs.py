"""What is handed over as documents: every way to make a corpus says which way is meant."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from stickbreaker import Corpus, UserError
from stickbreaker.corpus.readers.document_inputs import document_input, is_table, once_read

TEXTS = ["a cat sat on the mat", "is this a dog?"]
BAGS = [[(0, 1), (1, 2)], []]


def line_of(make, *given):
    with pytest.raises(UserError) as error:
        make(*given)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("given", "way"),
    [
        (pa.table({"text": TEXTS}), "Corpus.from_frame"),
        ([{"text": "a cat"}], "Corpus.from_frame"),
        (TEXTS, "Corpus.from_texts"),
        (TEXTS[1:], "Corpus.from_texts"),
        (TEXTS[0], "Corpus.from_texts"),
        (["a long text " * 100], "Corpus.from_texts"),
        (np.array(TEXTS), "Corpus.from_texts"),
        (iter(TEXTS), "Corpus.from_texts"),
        ([["a", "cat"]], "Corpus.from_tokens"),
        (np.ones((2, 3)), "Corpus.from_matrix"),
        (sparse.csr_array(np.ones((2, 3))), "Corpus.from_matrix"),
        (BAGS, "Corpus.from_gensim"),
    ],
)
def test_documents_where_paths_belong_are_sent_to_their_own_way(given, way):
    assert way in line_of(Corpus.build, given)


def test_tables_of_other_libraries_are_sent_to_from_frame():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for table in (pandas.DataFrame({"text": TEXTS}), polars.DataFrame({"text": TEXTS})):
        assert is_table(table)
        assert "Corpus.from_frame" in line_of(Corpus.build, table)
    lazy = polars.DataFrame({"text": TEXTS}).lazy()
    assert document_input(lazy).values["text"].to_list() == TEXTS


def test_the_program_names_no_python(cli, tmp_path):
    done = cli("corpus", "build", tmp_path / "a b.txt", "--out", tmp_path / "c", code=1)
    assert done.stderr.endswith("no such file or directory; check the path\n")


def test_paths_are_paths_in_any_list(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a cat\n", encoding="utf-8")
    for given in (path, str(path), [path], (str(path),), np.array([str(path)])):
        assert Corpus.build(given).n_documents == 1


@pytest.mark.parametrize(
    ("make", "given", "said"),
    [
        (Corpus.from_texts, ["a", float("nan")], "document 1 is missing (nan); leave it out"),
        (Corpus.from_texts, ["a", None], "document 1 is missing (None); leave it out"),
        (Corpus.from_texts, [b"a"], "document 0 is bytes; decode it"),
        (Corpus.from_texts, [{"text": "a"}], "document 0 is a record; give Corpus.from_frame(records)"),
        (
            Corpus.from_texts,
            BAGS,
            "document 0 is a bag of (number, count), as gensim has them; give Corpus.from_gensim",
        ),
        (Corpus.from_texts, [Path("a")], "document 0 is a path; give Corpus.build(paths)"),
        (Corpus.from_tokens, BAGS, "Corpus.from_gensim"),
        (Corpus.from_tokens, ["a cat"], "document 0 is not a list of strings"),
        (Corpus.from_tokens, [{"a": 1}], "Corpus.from_frame"),
        (Corpus.from_tokens, [{"a", "b"}], "document 0 is not a list of strings"),
    ],
)
def test_a_document_of_another_kind_names_the_way(make, given, said):
    assert said in line_of(make, given)


def test_tokens_of_iterators_are_read_once():
    corpus = Corpus.from_tokens(iter([iter(["a", "cat"]), iter(["a", "dog"])]))
    assert corpus.n_tokens == 4


def test_records_are_a_table():
    corpus = Corpus.from_frame([{"text": "a cat", "year": 1988}, {"text": np.array(["a", "dog"]), "id": "b"}])
    assert [document.metadata for document in corpus.documents(0)] == [{"year": 1988}, {}]
    assert corpus.ids(0) == ["0", "b"]


def test_what_can_be_read_once_is_read_once():
    table = pa.table({"text": TEXTS})
    assert once_read(table.to_reader()).equals(table)
    assert once_read(iter(TEXTS)) == TEXTS
    assert once_read(TEXTS) is TEXTS


@pytest.mark.parametrize(
    ("given", "form"),
    [
        (TEXTS, "texts"),
        ([{"en": "a cat"}, {"de": "eine Katze"}], "texts"),
        (["", ""], "texts"),
        ([[], ["a"]], "tokens"),
        ([[], []], "matrix"),
        (np.array([["a", "b"], ["c", "d"]]), "tokens"),
        ([[0, 1], [2, 0]], "matrix"),
        (np.array([[0, 1]], object), "matrix"),
        (sparse.dok_array((2, 2)), "matrix"),
        (pa.table({"x": [1.0], "y": [2.0]}), "matrix"),
    ],
)
def test_the_form_is_known_by_the_first_that_says(given, form):
    assert document_input(given).form == form
