"""Likeness of documents: products of rows, by the documents that have a word."""

import numpy as np
from scipy.sparse import csr_matrix

from stickbreaker.topics.kernels.document_likeness import fill_likeness
from stickbreaker.topics.runs.initialization import _nearest


def test_likeness_is_the_product_of_rows():
    generator = np.random.default_rng(3)
    rows = csr_matrix(generator.random((30, 12)) * (generator.random((30, 12)) < 0.3))
    by_word, chosen = rows.tocsc(), np.array([7, 0, 29, 7])
    found = np.full((4, 30), np.nan)
    parts = rows.indptr, rows.indices, rows.data, by_word.indptr, by_word.indices, by_word.data
    fill_likeness(*parts, chosen, found)
    np.testing.assert_allclose(found, rows.toarray()[chosen] @ rows.toarray().T)


def test_the_nearest_are_those_of_a_stable_order():
    generator = np.random.default_rng(4)
    for n in (1, 2, 5, 20):
        likeness = generator.integers(0, 4, 20) / 4.0  # with ties
        assert _nearest(likeness, n).tolist() == np.argsort(-likeness, kind="stable")[:n].tolist()
