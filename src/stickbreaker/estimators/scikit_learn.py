"""The conventions of scikit-learn, for every kind of estimator."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from stickbreaker.core.arguments import refuse_other_class
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file
from stickbreaker.core.json_checks import Classes
from stickbreaker.core.threads import alone_with
from stickbreaker.corpus import Analysis, Bags, Corpus, Vocabulary
from stickbreaker.corpus.building import WORTH_A_KERNEL, AnyAnalysis
from stickbreaker.corpus.metadata import is_strings
from stickbreaker.corpus.overview import as_html
from stickbreaker.corpus.readers.document_inputs import document_input
from stickbreaker.corpus.text.analysis import default_analysis
from stickbreaker.corpus.token_bags import bags_of_texts
from stickbreaker.estimators import fitting, saving
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.given_documents import corpus_of_documents
from stickbreaker.estimators.notebooks.report_page import ReportPage, as_compared, report_page_of
from stickbreaker.estimators.other_programs import checked, missing_attribute
from stickbreaker.estimators.plain_learner import PlainLearned

SPARSE: Classes = (csr_array, csr_matrix)
FLOATS = (np.float64, np.float32)  # types of matrices that are not converted
RULES: Any = {"accept_sparse": "csr", "dtype": list(FLOATS), "ensure_non_negative": True}  # of scikit-learn


class ScikitLearn(BaseEstimator, Estimator):
    """Base of the classes that users import: `fit`, `score`, `save` and `load`, for documents in any form.

    A public estimator inherits from this class and from the plain estimator that has its parameters.
    """

    _learned_from_columns: bool  # set by learning, not by loading

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if (
            hasattr(cls, "kind")
            and inspect.isfunction(cls.__init__)
            and "__wrapped__" not in vars(cls.__init__)
        ):
            cls.__init__ = checked(cls.__init__)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags

    def __getattr__(self, name: str) -> Any:
        return missing_attribute(self, name)

    def __dir__(self) -> list[str]:
        """The names of attributes; before a fit, without those that a fit sets."""
        names = list(object.__dir__(self))
        if self.__sklearn_is_fitted__():
            return names
        held, own = vars(self), type(self)
        return [name for name in names if name in held or not is_learned(name, getattr(own, name, None))]

    def fit(self, X: object, y: object = None, **others: object) -> Self:
        """Learn from `X`: a Corpus, texts or lists of tokens, a table, records, or a matrix of counts.

        Texts and lists of tokens come as a list, an array, a column (a Series or an Arrow array) or a
        generator. For a table (pandas, polars, Arrow) with texts, and for records (dicts), the column `text`
        is read, which has strings or lists of tokens; the others are metadata. A text may be a dict of texts
        by language code: then topics have words of all languages.

        Raises UserError for invalid parameters or documents. Warns (ConvergenceWarning) if `max_iter` passes
        were not enough for `tol`, and (UserWarning) about concepts without an effect, and if there are more
        topics than documents. If several threads call it, one learns at a time. Raises TypeError for
        `sample_weight`, as documents have no weights.
        """
        refuse_others(type(self).__name__, others)
        with alone_with(self):
            corpus = self._as_corpus(X, reset=True)
            state = fitting.fit(self, corpus)
        warning = fitting.unsettled(state, self._limits().tol)
        if warning is not None:
            warnings.warn(warning, ConvergenceWarning, stacklevel=2)
        for remark in (self._remark(), self._remark_on(corpus)):
            if remark is not None:
                warnings.warn(remark, UserWarning, stacklevel=2)
        return self

    def _remark(self) -> str | None:
        """A warning about something surprising in what a fit has learned, or None; `fit` then warns."""
        return None

    def score(self, X: object, y: object = None) -> float:
        """Log probability of documents given what was learned, in nats per token: higher is better.

        Raises UserError if no document has a known word.
        """
        return self._per_token(X, self._score_documents)

    def perplexity(self, X: object) -> float:
        """exp(-score(X)): the size of a uniform vocabulary that is as hard to predict; lower is better."""
        return float(np.exp(-self.score(X)))

    def _per_token(self, X: object, nats_and_tokens: Callable[[Corpus], tuple[float, float]]) -> float:
        """The log probability of the documents `X` per token.

        nats_and_tokens: returns log probability and number of known tokens of a corpus. Raises UserError if
        they have no tokens of known words.
        """
        check_is_fitted(self)
        nats, tokens = nats_and_tokens(self._as_corpus(X, reset=False))
        if tokens == 0.0:
            raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
        return nats / tokens

    def save(self, path: str | Path, *, overwrite: bool = False, documents: object = None) -> None:
        """Save the fitted model to `path`: a directory without pickles, or one file if it ends in .zip.

        documents: what `fit` takes; at most 2,000 of them (40 sentences for a language model) are stored for
        the report, with their beginnings. Raises UserError if `path` exists, unless `overwrite`.
        """
        check_is_fitted(self)
        with alone_with(self):
            saving.save(self, Path(path), overwrite=overwrite, documents=self._to_show(documents))

    def report(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        documents: object = None,
        date_field: str | None = None,
        group_field: str | None = None,
        language: str | None = None,
        compare: "BaseEstimator | str | Path | None" = None,
        overwrite: bool = False,
    ) -> ReportPage:
        """Make the page about the model that `stickbreaker report` makes, to be shown in a notebook.

        With `path`, it is also written to that file, which is replaced only with `overwrite`.

        title : of the page; None is the kind of the model.
        documents : what `fit` takes; the page shows at most 2,000 of them, and topics over time and by group
            of all, or sentences of models that read them in order. An estimator keeps no text, so that
            without them these sections are left out, unless it was loaded from a model that has them.
        date_field, group_field : metadata fields of the documents; None looks for them.
        language : whose words name topics; None is the first that the text was read in.
        compare : another model of topics, fitted or the path of one, whose topics are matched with these.

        Raises UserError for arguments that do not apply to the kind of model, and if the file `path` exists
        already.

        >>> from stickbreaker import LDA
        >>> texts = ["a river bank", "a boat on the river"]
        >>> LDA(2, max_iter=2, tol=0.0).fit(texts).report(documents=texts).title
        'LDA'
        """
        check_is_fitted(self)
        if path is not None:
            refuse_other_class("path", path, str, PathLike, remedy="documents are given by documents=texts")
            refuse_file(Path(path), overwrite)
        options = {"date_field": date_field, "group_field": group_field, "language": language}
        page = report_page_of(
            PlainLearned.of(self), title or self.kind, self._to_show(documents), as_compared(compare), options
        )
        if path is not None:
            page.save(path, overwrite=overwrite)
        return page

    def _to_show(self, documents: object) -> Corpus | None:
        """Documents to show in the report, as a corpus with the model's vocabulary; None stays None."""
        return None if documents is None else self._as_corpus(documents, reset=False)

    def _repr_html_inner(self) -> str:
        """HTML for notebooks: a table of what was learned if the model is fitted, else its parameters."""
        if not self.__sklearn_is_fitted__():
            return super()._repr_html_inner()
        return as_html(self._overview(), repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model saved at `path`, a directory or a zip file.

        Raises UserError naming a file that is missing, truncated or altered.
        """
        return saving.load_as(cls, Path(path))

    def __sklearn_is_fitted__(self) -> bool:
        return "n_steps_" in vars(self)

    def _as_corpus(
        self, X: object, *, reset: bool, analysis: AnyAnalysis | None = None, grows: bool = False
    ) -> Corpus:
        """Make a corpus of documents in any form that `fit` takes.

        With `reset`, as in a fit, its vocabulary is chosen from them (texts are analysed by `analysis`, None:
        by default), and `n_features_in_` and `feature_names_in_` are set. With `grows`, for documents that
        add words to a model, it has their own vocabulary too. Otherwise it has the model's words.
        """
        own_words = reset or grows
        matrix, corpus = X, X if isinstance(X, Corpus) else None
        if corpus is None:
            given = document_input(X, empty_lists=not own_words or self._is_open)
            if given.form == "tokens":
                given = given._replace(values=list(map(self._tokens_of_document, given.values)))
            if given.form == "matrix":
                matrix = given.values
            elif own_words:
                own, rule = self._reads_texts_by()
                corpus = corpus_of_documents(given, analysis or own, rule=rule, ordered=not self._is_open)
            else:
                corpus = corpus_of_documents(given, self.analysis_, self.vocabulary_)
        if corpus is not None:
            if not own_words:
                same = corpus.vocabulary is self.vocabulary_
                return corpus if same else corpus.with_vocabulary(self.vocabulary_)
            if reset:
                self._take_features(corpus.vocabulary)
            return corpus
        if not own_words and self._passes(matrix):
            return Corpus.from_matrix(matrix, self.vocabulary_)
        if reset:
            self._learned_from_columns = True
        data = self._checked(matrix, reset=reset)
        if not own_words and not self._is_open:  # columns are the vocabulary's words, in order
            return Corpus.from_matrix(data, self.vocabulary_)
        names = getattr(self, "feature_names_in_", getattr(matrix, "columns", None))
        corpus = Corpus.from_matrix(data, feature_names=words_of_columns(names, data.shape[1]))
        return corpus if own_words else corpus.with_vocabulary(self.vocabulary_)

    def _take_features(self, vocabulary: Vocabulary) -> None:
        """Set the features, as scikit-learn calls them, of a model that learns from texts: the words.

        A model with an open vocabulary has none.
        """
        self._learned_from_columns = False
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
        if not self._is_open:
            self.n_features_in_ = len(vocabulary)
            self.feature_names_in_ = np.array(vocabulary.words, object)

    def _known_bags(self, X: object) -> Iterator[Bags]:
        """Documents in any form as bags of known words, block by block; unknown words may go uncounted."""
        if is_strings(X) and X:
            analysis, vocabulary = self.analysis_ or default_analysis(), self.vocabulary_
            few = sum(map(len, X)) <= WORTH_A_KERNEL  # a compiled kernel finds the words of more
            plain = few and not (vocabulary.hashed or vocabulary.languages)
            if plain and isinstance(analysis, Analysis) and not any(map(analysis.marks_in, X)):
                yield bags_of_texts(X, analysis.resolved(), vocabulary)
                return
        corpus = self._as_corpus(X, reset=False)
        for block in range(len(corpus.block_sizes)):
            yield corpus.bags(block)

    def _checked(self, X: object, *, reset: bool) -> Any:
        """X as a matrix of counts, checked by scikit-learn's functions.

        Raises ValueError if it is not one, or does not have the columns of the fit. An open vocabulary that
        was learned from texts takes any columns.
        """
        if not reset and "n_features_in_" not in vars(self):
            return check_array(X, estimator=self, input_name="X", **RULES)
        if reset or not self._knows_words or getattr(X, "columns", None) is not None:
            return validate_data(self, X, reset=reset, **RULES)
        return by_place(self, X, self.n_features_in_)

    @property
    def _knows_words(self) -> bool:
        """Whether the model has learned from texts, so that `feature_names_in_` has words."""
        return "feature_names_in_" in vars(self) and not self._knows_columns

    @property
    def _knows_columns(self) -> bool:
        """Whether the model has learned from a matrix, whose columns are its features."""
        if "_learned_from_columns" not in vars(self):  # it was loaded
            return self.corpus_["kind"] == "bag"
        return self._learned_from_columns

    def _passes(self, X: Any) -> bool:
        """Whether new documents need no check by `validate_data`, which takes longer than inference.

        That is so for a sparse matrix of nonnegative floats with as many columns as in the fit, if these were
        not named.
        """
        named = "feature_names_in_" in vars(self) and not self._knows_words
        return not (self._is_open or named) and is_counts(X, self.n_features_in_)


def is_learned(name: str, value: object) -> bool:
    """Whether an attribute has a value only after a fit: its name ends in "_", or it is a property.

    value: what the class has under that name.
    """
    return (name.endswith("_") and not name.endswith("__")) or isinstance(value, property | cached_property)


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


def refuse_others(kind: str, others: Mapping[str, object]) -> None:
    """Raise TypeError if there are arguments that `fit` does not have; for `sample_weight` with a remedy."""
    if "sample_weight" in others:
        remedy = "repeat those that should count more"
        raise TypeError(f"{kind}.fit has no sample_weight: documents have no weights; {remedy}")
    for name in others:
        raise TypeError(f"{kind}.fit() got an unexpected keyword argument {name!r}")
