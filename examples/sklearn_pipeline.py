"""Topic shares as features: a scikit-learn pipeline that predicts the package of a document.

python examples/sklearn_pipeline.py
"""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline

from stickbreaker import LDA
from stickbreaker.corpus.readers.python_docs import python_documents

PACKAGES = ("asyncio", "email", "tkinter", "xml", "importlib", "logging")


def main() -> None:
    labelled = [
        (document.text, package)
        for document in python_documents()
        for package in PACKAGES
        if str(document.metadata["module"]).split(".")[0] == package
    ]
    texts, packages = zip(*labelled, strict=True)
    train, test, y_train, y_test = train_test_split(
        texts, packages, test_size=0.3, random_state=0, stratify=packages
    )

    # sparse counts go straight from the vectorizer into the model
    pipeline = make_pipeline(
        CountVectorizer(stop_words="english", min_df=3),
        LDA(n_topics=10, eta=0.1, max_iter=30, random_state=0),
        LogisticRegression(C=10.0, max_iter=1000),
    )
    search = GridSearchCV(pipeline, {"lda__n_topics": [5, 10, 20]}, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 30 passes are enough for features
        search.fit(train, y_train)

    for topics, score in zip([5, 10, 20], search.cv_results_["mean_test_score"], strict=True):
        print(f"{topics:>3} topics: {100 * score:.1f} % right in cross-validation")
    commonest = max(map(y_test.count, PACKAGES)) / len(y_test)
    print(
        f"{len(train)} documents to learn from, {len(test)} to test: {100 * search.score(test, y_test):.1f} %"
    )
    print(f"(always the commonest package: {100 * commonest:.1f} %)")


if __name__ == "__main__":
    main()
