"""The estimators that users import, with the conventions of scikit-learn.

Parameters are plain attributes, as scikit-learn has them; `settings` makes a record of them. What a fit has
learned is one record, `learned_`, which a fit replaces: whoever reads it needs no lock.
"""

import copy
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from stickbreaker.core.arguments import refuse_other_class
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import declared, with_parameter_section
from stickbreaker.core.records import Array
from stickbreaker.core.threads import alone_with
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import as_html
from stickbreaker.corpus.readers.document_inputs import DocumentInput, document_input
from stickbreaker.estimators import model_files, model_runs
from stickbreaker.estimators.count_matrices import RULES, by_place, is_counts, words_of_columns
from stickbreaker.estimators.document_tables import ALL_UNSEEN, DocumentTable, frame_of_topics
from stickbreaker.estimators.given_documents import corpus_of_documents, few_bags
from stickbreaker.estimators.kinds import kinds, object_at
from stickbreaker.estimators.learned import AnyLearned, HasShares, ReadsBags, S, as_read_now
from stickbreaker.estimators.learner import L, Learner
from stickbreaker.estimators.notebooks.report_page import ReportPage, as_compared, report_page_of
from stickbreaker.estimators.other_programs import missing_attribute, unknown_parameter
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.learning.trace import TraceRecord

if TYPE_CHECKING:
    import pandas as pd


class Columns(NamedTuple):
    """What a fit remembers of the columns of its documents, as scikit-learn asks.

    `number` of columns, None for an open vocabulary learned from texts; `names`, of the columns of a table or
    the words of texts, if there are any; `of_texts`: whether it learned from texts, so that columns are
    words, and matrices have them by place.
    """

    number: int | None
    names: Any = None
    of_texts: bool = False


class Front(BaseEstimator, Generic[S, L]):
    """Base of the classes that users import: `fit`, `score`, `save` and `load`, for documents in any form.

    A subclass names its kind, `class LDA(Front[...], kind="LDA")`, or the class of its settings if the kind
    is registered later. The arguments of its `__init__`, and the section "Parameters" of its docstring, are
    those of the settings.
    """

    kind: ClassVar[str]
    _settings_class: ClassVar[type[RunSettings]]
    _columns: Columns

    def __init_subclass__(
        cls, kind: str | None = None, settings: type[RunSettings] | None = None, **others: Any
    ) -> None:
        super().__init_subclass__(**others)
        if kind is not None:
            settings = object_at(kinds()[kind].declared)
        if settings is None:
            return
        cls.kind, cls._settings_class = settings.kind, settings
        setattr(cls, "__init__", _init_of(settings))  # noqa: B010
        types = {one.name: one.type for one in fields(settings) if one.init}
        cls.__annotations__ = {**cls.__annotations__, **types}
        with_parameter_section(cls, settings)

    @property
    def settings(self) -> S:
        """The parameters as a record, which never changes. Raises UserError for a value that is not valid."""
        made: Any = self._settings_class
        return made(**{name: getattr(self, name) for name in declared(made)})

    @property
    def learned_(self) -> L:
        """What was learned, as a record, which never changes."""
        try:
            return vars(self)["_learned"]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no learned_ before a fit") from None

    @classmethod
    def of(cls, learned: L) -> Self:
        """An estimator that has learned what is given, such as what `model_runs.learn` returns."""
        settings = learned.facts.settings
        made = cls(**{name: getattr(settings, name) for name in declared(cls._settings_class)})
        of_texts = learned.facts.corpus["kind"] != "bag"
        opened = of_texts and made._how().is_open(settings)
        made._take(learned, Columns(None if opened else len(learned.vocabulary), of_texts=of_texts))
        return made

    @classmethod
    def _how(cls) -> Learner[S, L]:
        return kinds()[cls.kind].how()

    def _take(self, learned: L, columns: Columns) -> None:
        """Store what was learned, at once: an estimator has all of it, or what it had before."""
        features = {"n_features_in_": columns.number, "feature_names_in_": columns.names}
        held = {name: value for name, value in features.items() if value is not None}
        for name in features.keys() - held.keys():
            vars(self).pop(name, None)
        vars(self).update(_learned=learned, _columns=columns, **held)

    @property
    def _now(self) -> L:
        """What was learned, with the parameters that act on new documents as they are now."""
        return as_read_now(self.learned_, self)

    # What is known of every model that has learned

    @property
    def vocabulary_(self) -> Vocabulary:
        """The words of the model."""
        return self.learned_.vocabulary

    @property
    def analysis_(self) -> AnyAnalysis:
        """How texts become words."""
        return self.learned_.facts.analysis

    @property
    def corpus_(self) -> JsonObject:
        """Facts about the documents that were learned from, such as their number."""
        return self.learned_.facts.corpus

    @property
    def seed_(self) -> int:
        """The number that all draws came from."""
        return self.learned_.facts.seed

    @property
    def trace_(self) -> list[TraceRecord]:
        """A record of each step, in order."""
        return list(self.learned_.facts.trace)

    @property
    def n_steps_(self) -> int:
        """Steps done."""
        return self.learned_.facts.progress.step

    @property
    def n_iter_(self) -> int:
        """Passes or sweeps done."""
        return self.learned_.facts.progress.passes

    @property
    def converged_(self) -> bool:
        """Whether the run ended because its score no longer changed."""
        return self.learned_.facts.progress.converged

    @property
    def bound_(self) -> float:
        """The score of the last pass, in nats per token."""
        return self.learned_.final_score

    # Conventions of scikit-learn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in vars(self)

    def __getattr__(self, name: str) -> Any:
        return missing_attribute(self, name)

    def __dir__(self) -> list[str]:
        """The names of attributes; before a fit, without those that a fit sets."""
        names = list(object.__dir__(self))
        if self.__sklearn_is_fitted__():
            return names
        held, own = vars(self), type(self)
        return [
            name
            for name in names
            if name in held or name == "settings" or not is_learned(name, getattr(own, name, None))
        ]

    def _repr_html_inner(self) -> str:
        """HTML for notebooks: a table of what was learned if the model is fitted, else its parameters."""
        if not self.__sklearn_is_fitted__():
            return super()._repr_html_inner()
        return as_html(self.learned_.overview(), repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    # Verbs

    def fit(self, X: object, y: object = None, **others: object) -> Self:
        """Learn from `X`: a Corpus, texts or lists of tokens, a table, records, or a matrix of counts.

        Texts and lists of tokens come as a list, an array, a column (a Series or an Arrow array) or a
        generator. For a table (pandas, polars, Arrow) with texts, and for records (dicts), the column `text`
        is read, which has strings or lists of tokens; the others are metadata. A text may be a dict of texts
        by language code: then topics have words of all languages.

        Raises UserError for invalid parameters or documents, and then changes nothing. Warns
        (ConvergenceWarning) if `max_iter` passes were not enough for `tol`, and (UserWarning) about what is
        surprising in these documents. If several threads call it, each learns, and the last one counts.
        Raises TypeError for `sample_weight`, as documents have no weights.
        """
        return self._learn_from(X, others)

    def _learn_from(self, X: object, others: Mapping[str, object]) -> Self:
        """What `fit` does, which calls it."""
        refuse_others(type(self).__name__, others)
        settings, how = self.settings, self._how()
        corpus, columns = self._to_learn(X, settings)
        learned = model_runs.learn(how, settings, corpus)
        self._take(learned, columns)
        warning = model_runs.unsettled(learned.facts.progress, how.limits(settings).tol)
        if warning is not None:
            warnings.warn(warning, ConvergenceWarning, stacklevel=3)
        for remark in (learned.remark(), how.remark_on(settings, corpus)):
            if remark is not None:
                warnings.warn(remark, UserWarning, stacklevel=3)
        return self

    def score(self, X: object, y: object = None) -> float:
        """Log probability of documents given what was learned, in nats per token: higher is better.

        Raises UserError if no document has a known word.
        """
        check_is_fitted(self)
        return per_token(*self._now.log_probability(self._to_read(X)))

    def perplexity(self, X: object) -> float:
        """exp(-score(X)): the size of a uniform vocabulary that is as hard to predict; lower is better."""
        return float(np.exp(-self.score(X)))

    def save(self, path: str | Path, *, overwrite: bool = False, documents: object = None) -> None:
        """Save the fitted model to `path`: a directory without pickles, or one file if it ends in .zip.

        documents: what `fit` takes; at most 2,000 of them (40 sentences for a language model) are stored for
        the report, with their beginnings. Parameters that were set after the fit are not saved, but for those
        that act on new documents. Raises UserError if `path` exists, unless `overwrite`.
        """
        check_is_fitted(self)
        model_files.save(self._now, Path(path), overwrite=overwrite, documents=self._to_show(documents))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model saved at `path`, a directory or a zip file.

        Raises UserError naming a file that is missing, truncated or altered.
        """
        return cls.of(model_files.load_of(cls._how(), Path(path)))

    def report(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        documents: object = None,
        date_field: str | None = None,
        group_field: str | None = None,
        language: str | None = None,
        compare: "BaseEstimator | AnyLearned | str | Path | None" = None,
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
            self._now, title or self.kind, self._to_show(documents), as_compared(compare), options
        )
        if path is not None:
            page.save(path, overwrite=overwrite)
        return page

    # Documents in any form

    def _to_show(self, documents: object) -> Corpus | None:
        """Documents to show in the report, as a corpus with the model's vocabulary; None stays None."""
        return None if documents is None else self._to_read(documents)

    def _to_learn(self, X: object, settings: S) -> tuple[Corpus, Columns]:
        """A corpus of documents in any form, whose vocabulary is chosen from them, and their columns."""
        how = self._how()
        opened, matrix, corpus = how.is_open(settings), X, X if isinstance(X, Corpus) else None
        if corpus is None:
            given = self._given(X, settings, empty_lists=opened)
            if given.form == "matrix":
                matrix = given.values
            else:
                analysis, rule = how.reads_texts_by(settings)
                corpus = corpus_of_documents(given, analysis, rule=rule, ordered=not opened)
        if corpus is not None:
            if opened:
                return corpus, Columns(None, of_texts=True)
            names = np.array(corpus.vocabulary.words, object)
            return corpus, Columns(corpus.n_words, names, of_texts=True)
        taken = copy.copy(self)  # into which scikit-learn writes
        vars(taken).pop("feature_names_in_", None)
        data: Any = validate_data(taken, matrix, reset=True, **RULES)
        own = vars(taken).get("feature_names_in_")
        names = getattr(matrix, "columns", None) if own is None else own
        words = words_of_columns(names, data.shape[1])
        return Corpus.from_matrix(data, feature_names=words), Columns(data.shape[1], own)

    def _to_read(self, X: object) -> Corpus:
        """A corpus of documents in any form, with the model's vocabulary."""
        learned = self.learned_
        facts, vocabulary = learned.facts, learned.vocabulary
        if isinstance(X, Corpus):
            return X if X.vocabulary is vocabulary else X.with_vocabulary(vocabulary)
        given = self._given(X, facts.settings, empty_lists=True)
        if given.form != "matrix":
            return corpus_of_documents(given, facts.analysis, vocabulary)
        opened = self._how().is_open(facts.settings)
        if not opened and self._passes(given.values):
            return Corpus.from_matrix(given.values, vocabulary)
        data = self._checked(given.values)
        if not opened:  # columns are the vocabulary's words, in order
            return Corpus.from_matrix(data, vocabulary)
        names = vars(self).get("feature_names_in_", getattr(given.values, "columns", None))
        words = words_of_columns(names, data.shape[1])
        return Corpus.from_matrix(data, feature_names=words).with_vocabulary(vocabulary)

    def _to_learn_more(self, X: object, settings: S) -> tuple[Corpus, Columns]:
        """A corpus of further documents, to learn from: with the words of the model or, for an open
        vocabulary, all of theirs; and the columns of the fit.
        """
        how = self._how()
        if not how.is_open(settings):
            return self._to_read(X), self._columns
        if isinstance(X, Corpus):
            return X, self._columns
        given = self._given(X, settings, empty_lists=True)
        if given.form != "matrix":
            rule = how.reads_texts_by(settings)[1]
            analysis = self.learned_.facts.analysis
            return corpus_of_documents(given, analysis, rule=rule, ordered=False), self._columns
        data = self._checked(given.values)
        names = vars(self).get("feature_names_in_", getattr(given.values, "columns", None))
        words = words_of_columns(names, data.shape[1])
        return Corpus.from_matrix(data, feature_names=words), self._columns

    def _given(self, X: object, settings: S, *, empty_lists: bool) -> DocumentInput:
        """Documents as they were given; from lists of tokens, those that the kind learns from."""
        given = document_input(X, empty_lists=empty_lists)
        if given.form != "tokens":
            return given
        how = self._how()
        return given._replace(values=[how.tokens_of_document(settings, one) for one in given.values])

    def _checked(self, X: object) -> Any:
        """A matrix of counts of new documents, checked by scikit-learn's functions.

        Raises ValueError if it is not one, or does not have the columns of the fit. An open vocabulary that
        was learned from texts takes any columns.
        """
        if self._columns.number is None:
            return check_array(X, estimator=self, input_name="X", **RULES)
        if not self._columns.of_texts or getattr(X, "columns", None) is not None:
            return validate_data(self, X, reset=False, **RULES)
        return by_place(self, X, self._columns.number)

    def _passes(self, X: Any) -> bool:
        """Whether new documents need no check by `validate_data`, which takes longer than inference.

        That is so for a sparse matrix of nonnegative floats with as many columns as in the fit, if these were
        not named.
        """
        columns = self._columns
        named = columns.names is not None and not columns.of_texts
        return not named and is_counts(X, columns.number)


class OnlineFront(Front[S, L]):
    """Base of the estimators that also learn from one minibatch after another."""

    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn from one more minibatch of documents, by one online step; the first call begins.

        Raises UserError for settings that do not allow it, and then changes nothing. Concurrent calls wait
        for each other.
        """
        with alone_with(self):
            settings, before = self.settings, self.learned_ if self.__sklearn_is_fitted__() else None
            reads = self._to_learn if before is None else self._to_learn_more
            corpus, columns = reads(X, settings)
            learned = self._how().learn_more(settings, before, corpus)
            if learned is not None:
                self._take(learned, columns)
        remark = learned.remark() if before is None and learned is not None else None
        if remark is not None:  # each kind has a method of its own, which calls this one
            warnings.warn(remark, UserWarning, stacklevel=3)
        return self


def per_token(nats: float, tokens: float) -> float:
    """The log probability of documents per token. Raises UserError if they have no tokens of known words."""
    if tokens == 0.0:
        raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    return nats / tokens


T = TypeVar("T", bound=HasShares[Any])


class FrontOfTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Front[S, T]):
    """Base of the estimators with topics: documents' shares, data frames of documents and topics."""

    def transform(self, X: object) -> Array:
        """Topic shares of documents (documents × topics); rows sum to one.

        Each row depends only on its document, not on other documents, their order or threads. A document
        without a known word gets the prior's mean. If the prior depends on metadata, it is that of the
        document's own or, without these, the mean. Raises UserError for documents that `fit` does not accept;
        warns (UserWarning) if none has a known word, and if they lack metadata that the model needs.
        """
        return self._shares_of(X)

    def _shares_of(self, X: object) -> Array:
        """What `transform` returns, which calls it; scikit-learn wraps that."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises; takes longer than the words of a sentence
        learned = self._now
        if isinstance(learned, ReadsBags) and learned.reads_bags:
            bags = few_bags(X, learned.facts.analysis, learned.vocabulary)
            if bags is not None:
                if not len(bags.words):
                    warnings.warn(ALL_UNSEEN, UserWarning, stacklevel=4)
                return learned.shares_of_bags(bags)
        corpus = self._to_read(X)
        remark = ALL_UNSEEN if corpus.n_tokens == 0.0 else learned.remark_on_documents(corpus)
        if remark is not None:
            warnings.warn(remark, UserWarning, stacklevel=4)
        blocks = range(len(corpus.block_sizes))
        return np.concatenate(
            [np.empty((0, learned.n_shares)), *(learned.shares(corpus, block) for block in blocks)]
        )

    def documents_frame(self, X: object) -> "pd.DataFrame":
        """A row for each document, as a pandas DataFrame: its id, its metadata, topic and topic shares.

        X: what `transform` takes. `topic` is the number of the topic with the largest share, missing if a
        document has no known word; `topic0` and so on are the shares. A field of metadata that has the name
        of another column is called "metadata.id" and so on. Raises UserError if pandas is not installed.
        """
        check_is_fitted(self)
        return DocumentTable(self._now, self._to_read(X), metadata=True).frame()

    def topics_frame(self, n: int = 10) -> "pd.DataFrame":
        """A row for each topic, as a pandas DataFrame: number, name, share of the tokens, `n` top words.

        Names are missing if topics have none. Raises UserError if pandas is not installed.
        """
        check_is_fitted(self)
        model: Any = self
        return frame_of_topics(model.top_words(n), getattr(model, "topic_names_", None), model.topic_shares_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`: "lda0", "lda1" and so on, by the name of the class.

        input_features : names of the columns that the model was fitted to; None, and for a model of texts
            whatever the column of texts is called. Raises ValueError for other columns than those of the fit.

        >>> from stickbreaker import LDA
        >>> model = LDA(2, max_iter=2, tol=0.0).fit(["a river bank", "a boat on the river"])
        >>> model.get_feature_names_out(["text"]).tolist()
        ['lda0', 'lda1']
        """
        check_is_fitted(self)
        return super().get_feature_names_out(None if self._columns.of_texts else input_features)

    @property
    def _n_features_out(self) -> int:
        return self.learned_.n_shares


def is_learned(name: str, value: object) -> bool:
    """Whether an attribute has a value only after a fit: its name ends in "_", or it is a property.

    value: what the class has under that name.
    """
    return (name.endswith("_") and not name.endswith("__")) or isinstance(value, property | cached_property)


def refuse_others(kind: str, others: Mapping[str, object]) -> None:
    """Raise TypeError if there are arguments that `fit` does not have; for `sample_weight` with a remedy."""
    if "sample_weight" in others:
        remedy = "repeat those that should count more"
        raise TypeError(f"{kind}.fit has no sample_weight: documents have no weights; {remedy}")
    for name in others:
        raise TypeError(f"{kind}.fit() got an unexpected keyword argument {name!r}")


def _init_of(settings: type[RunSettings]) -> Callable[..., None]:
    """An `__init__` that stores its arguments, the fields of `settings`, as attributes, as they are given.

    An unknown one raises a TypeError that suggests a known one.
    """
    signature = inspect.signature(settings.__init__)

    def __init__(self: object, *args: Any, **params: Any) -> None:
        for name in params:
            if name not in signature.parameters:
                known = list(inspect.signature(__init__).parameters)[1:]  # in the order of the docs
                raise TypeError(unknown_parameter(type(self).__name__, name, known))
        bound = signature.bind(self, *args, **params)
        bound.apply_defaults()
        vars(self).update({name: bound.arguments[name] for name in list(signature.parameters)[1:]})

    vars(__init__)["__signature__"] = signature
    return __init__
