"""Matrices of counts as documents, checked as scikit-learn does."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from stickbreaker.core.json_checks import Classes

SPARSE: Classes = (csr_array, csr_matrix)
FLOATS = (np.float64, np.float32)  # types of matrices that are not converted
RULES: Any = {"accept_sparse": "csr", "dtype": list(FLOATS), "ensure_non_negative": True}  # of scikit-learn


def words_of_columns(names: Any, number: int) -> list[str]:
    """The words that stand for the columns of a matrix: their names, or x0, x1 and so on if names is None."""
    return [f"x{place}" for place in range(number)] if names is None else list(names)


def is_counts(X: Any, number: int | None) -> bool:
    """Whether something is a sparse matrix of nonnegative, finite floats with this number of columns."""
    if not isinstance(X, SPARSE):
        return False
    matrix: Any = X
    shape, data = matrix.shape, matrix.data
    if shape is None or len(shape) != 2 or not shape[0] or shape[1] != number:
        return False
    return matrix.dtype in FLOATS and (not len(data) or bool(data.min() >= 0.0 and data.max() < np.inf))


def by_place(estimator: BaseEstimator, X: object, number: int) -> Any:
    """X as a matrix of counts whose columns are those of the fit by place, since their names were texts'.

    Raises ValueError if it is not one, or does not have this number of columns.
    """
    data: Any = check_array(X, estimator=estimator, input_name="X", **RULES)
    if data.shape[1] != number:
        kind = type(estimator).__name__
        problem = f"X has {data.shape[1]} features, but {kind} is expecting {number} features as input"
        raise ValueError(problem)
    return data
