"""The verbs: what one does with a model, as functions that take any kind of it and return records.

A model is a fitted estimator, what it has learned, or the path of a saved one; documents are texts, lists of
tokens, a table, a matrix of counts or a `Corpus`. `str` of a record is what the command of the same name
prints, and `as_json()` what it prints with --json.
"""

from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.parameter_fields import declared
from stickbreaker.estimators.given_models import model_for, name_of
from stickbreaker.estimators.kinds import Kind, Saved, kind_at, markers, object_at
from stickbreaker.estimators.verb_results import VerbResult


def evaluate(model: object, documents: object, **settings: Any) -> VerbResult:
    """How well a model predicts documents that it has not seen, and further scores of its kind.

    Models of topics: document completion, coherence and diversity of topics; with `left_to_right=True` also
    whole documents, with `labels="field"` how well topics predict a field of metadata. Syntactic topics: the
    perplexity of every other sentence, also by part of speech. Language models: perplexity, also interpolated
    with another (`interpolate=`) or rescaled by topics (`rescale=`). Grammars: log p and, if spaces show
    words, how well they are found. Lexicons: nats per linked word of a `Bitext`.

    settings: the options of `stickbreaker evaluate` for the kind of model. Raises UserError for a setting
    that its kind does not have, and if there is nothing to score.

    >>> from stickbreaker import LDA
    >>> texts = ["a river bank", "a boat on the river", "the bank of the river"]
    >>> scores = evaluate(LDA(1, max_iter=2, tol=0.0).fit(texts), texts)
    >>> scores.documents, scores.learned_from
    (3, 1.0)
    """
    return result_of("evaluate", model, documents, **settings)


def topics_of(model: object, **settings: Any) -> VerbResult:
    """The topics of a model, the largest first: their numbers, names, shares and words.

    settings: the options of `stickbreaker topics` for the kind of model, such as `top`, the number of words.
    Raises UserError for a kind without topics.

    >>> from stickbreaker import LDA
    >>> model = LDA(1, max_iter=2, tol=0.0).fit(["a river bank", "a boat on the river"])
    >>> topics_of(model, top=1).topics[0].words
    ('river',)
    """
    return result_of("topics", model, **settings)


def nearest(model: object, documents: object, **settings: Any) -> VerbResult:
    """For each document, those whose topics are most like its own, among the others or `among` a corpus.

    settings: the options of `stickbreaker nearest`: `ids` of the documents to ask of, `among`, `top`, and
    for models of several languages `source` and `target`, whose sides are compared.

    >>> from stickbreaker import LDA
    >>> texts = ["a river bank", "a boat on the river", "the bank of the river"]
    >>> found = nearest(LDA(2, max_iter=2, tol=0.0).fit(texts), texts, top=1)
    >>> [len(query.nearest) for query in found.queries]
    [1, 1, 1]
    """
    return result_of("nearest", model, documents, **settings)


def effects(model: object, documents: object, formula: str, **settings: Any) -> VerbResult:
    """Effects of documents' metadata on their topics, by a formula as in R: "party + year".

    settings: the options of `stickbreaker effect`: `draws` of the documents' shares, `random_state`, and
    `topics` of which the text shows everything. What is returned has a `table()` and a `picture()`. Raises
    UserError for an invalid formula, and if the package formulaic is missing.
    """
    return result_of("effect", model, documents, formula=formula, **settings)


def topics_over_time(model: object, documents: object, **settings: Any) -> VerbResult:
    """Topic shares of documents by period of time, with bounds; periods of few documents have wide ones.

    settings: the options of `stickbreaker over-time`: `by`, such as "month", `date_field`, `group_field`, and
    `topics` that the text and the picture show. What is returned has a `table()` and a `picture()`. Raises
    UserError if documents have no dates.
    """
    return result_of("over-time", model, documents, **settings)


def intruders(model: object, **settings: Any) -> VerbResult:
    """A quiz about a model's topics: which of six words does not belong? `write` makes a page of it.

    settings: the options of `stickbreaker intruders`: how many `questions`, how words are ranked (`by`), and
    `random_state`.

    >>> from stickbreaker import LDA
    >>> texts = ["river boat water shore", "money bank loan coin"] * 4
    >>> quiz = intruders(LDA(2, max_iter=20, tol=0.0, random_state=0).fit(texts))
    >>> len(quiz.questions[0].words)
    5
    """
    return result_of("intruders", model, **settings)


def compare(*models: object, **settings: Any) -> VerbResult:
    """Match the topics of two models or more: which topic of the first is most like which of the others?

    settings: the options of `stickbreaker compare`, such as `top`, the number of words. Raises UserError for
    fewer than two models, for kinds without topics, and for models without common words.

    >>> from stickbreaker import LDA
    >>> one, other = (LDA(2, max_iter=2, tol=0.0, random_state=n).fit(["a river", "a bank"]) for n in (0, 1))
    >>> len(compare(one, other).comparisons[0].pairs)
    2
    """
    if len(models) < 2:
        raise UserError(f"{counted(len(models), 'model')} to compare", remedy="give two or more")
    saved, first = model_for("compare", models[0])
    function, made = _function_of("compare", saved, settings)
    others = [model_for("compare", model)[1] for model in models[1:]]
    return function([first, *others], list(map(name_of, models)), made)


def load(path: str | Path) -> Any:
    """What is saved at a path: the estimator of a model of any kind, a lexicon, or a model in an ARPA file.

    Raises UserError if there is none, and for a file that is missing, truncated or altered.
    """
    from stickbreaker.saved.packed_models import directory_of

    folder = directory_of(Path(path), markers())
    saved = kind_at(folder)
    return object_at(f"{saved.front_door}.load" if isinstance(saved, Kind) else str(saved.load))(folder)


def result_of(verb: str, model: object, *documents: object, **settings: Any) -> VerbResult:
    """What a verb returns for a model of any kind. documents: those that it is applied to, if any."""
    n_jobs = settings.get("n_jobs")
    saved, what = model_for(verb, model, n_jobs)
    function, made = _function_of(verb, saved, settings)
    reads = saved.function(verb).documents
    given = [object_at(reads)(what, one) for one in documents] if reads else documents
    return function(what, *given, made).of_model(name_of(model))


def _function_of(verb: str, saved: Saved, settings: dict[str, Any]) -> tuple[Any, Any]:
    """The function of a kind for a verb, and its settings. Raises UserError for one that it does not have."""
    found = saved.function(verb)
    made = found.settings_class()
    known = declared(made)
    for name in settings:
        if name not in known:
            having = ", ".join(known) or "none"
            problem = f"{verb} of {saved.said} has no setting {name!r}"
            raise UserError(problem, remedy=f"its settings: {having}")
    return object_at(found.function), made(**settings)
