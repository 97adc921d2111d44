"""How well topic shares predict known labels: a linear classifier, compared with two baselines."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.shards import Bags

FOLDS = 5
MOST = 200  # labels; time grows with their number


class Accuracy(NamedTuple):
    """How well labels were predicted: the share of correct ones, and the mean over labels of the F1 score."""

    accuracy: float
    macro_f1: float


class LabelScores(NamedTuple):
    """Cross-validated scores of three ways to predict documents' labels: from their topic shares, from their
    words (tf-idf), and by always choosing the most frequent label (`majority`).

    `documents` were classified into `classes`; `left_out` documents have no label, or one with fewer than
    five documents.
    """

    topics: Accuracy
    words: Accuracy
    majority: Accuracy
    documents: int
    classes: int
    left_out: int


def classify_labels(
    theta: ArrayLike, labels: Sequence[Hashable | None], bags: Bags, n_words: int
) -> LabelScores:
    """How well documents' labels are predicted from their topic shares (documents × topics), and from their
    words.

    The classifier is a linear support vector machine (scikit-learn's LinearSVC, C = 1) on standardised shares
    and on tf-idf of `bags`, with five stratified folds that are the same in every call. Labels are compared
    as text; None: no label. Raises UserError unless there are 2 to 200 labels with five documents each.

    >>> bags = Bags(np.arange(11), np.arange(10) % 2, np.ones(10), np.zeros(10))
    >>> classify_labels(np.eye(2)[np.arange(10) % 2], ["a", "b"] * 5, bags, 2).topics.accuracy
    1.0
    """
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import StandardScaler

    shares = np.asarray(theta, np.float64)
    if not len(shares) == len(labels) == len(bags.unseen):
        raise UserError(f"{len(shares)} rows, {len(labels)} labels and {len(bags.unseen)} documents")
    kept = _labelled(labels)
    names = np.array([str(labels[row]) for row in kept])
    places = (bags.words.astype(np.int32), bags.offsets.astype(np.int32))  # as scikit-learn requires
    words: Any = csr_array((bags.counts, *places), shape=(len(bags.unseen), n_words))
    common = max(sorted(set(names)), key=names.tolist().count)
    return LabelScores(
        _accuracy(names, _predicted(StandardScaler(), shares[kept], names)),
        _accuracy(names, _predicted(TfidfTransformer(sublinear_tf=True), words[kept], names)),
        _accuracy(names, np.full(len(names), common)),
        len(kept),
        len(set(names)),
        len(labels) - len(kept),
    )


def _labelled(labels: Sequence[Hashable | None]) -> NDArray[np.int64]:
    """The numbers of the documents whose label is known and frequent enough for cross-validation: it occurs
    in at least `FOLDS` documents.

    Raises UserError if fewer than two labels are that frequent, or more than `MOST`.
    """
    known = np.array([row for row, label in enumerate(labels) if label is not None], np.int64)
    names, of, counts = np.unique(
        [str(labels[row]) for row in known], return_inverse=True, return_counts=True
    )
    kept = known[counts[of] >= FOLDS] if len(known) else known
    common = int((counts >= FOLDS).sum())
    if common > MOST:
        raise UserError(
            f"{common} labels are too many to classify (at most {MOST})",
            remedy="choose a field with fewer values",
        )
    if common < 2:
        raise UserError(
            f"{len(known)} documents with {len(names)} labels are too few to classify",
            remedy=f"give at least two labels with {FOLDS} documents each",
        )
    return kept


def _predicted(scale: Any, features: Any, labels: NDArray[np.str_]) -> NDArray[np.str_]:
    """The label of each document, predicted by a linear classifier that was fitted to the other folds of the
    documents.

    scale: a scikit-learn transformer for the features (documents × features), such as a StandardScaler;
    labels (documents): the true ones.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    classifier = make_pipeline(scale, LinearSVC(random_state=0, max_iter=5000))
    return np.asarray(cross_val_predict(classifier, features, labels, cv=folds))


def _accuracy(labels: NDArray[np.str_], predicted: NDArray[np.str_]) -> Accuracy:
    from sklearn.metrics import accuracy_score, f1_score

    f1 = f1_score(labels, predicted, average="macro", zero_division=0)  # pyright: ignore[reportArgumentType]
    return Accuracy(float(accuracy_score(labels, predicted)), float(f1))
