"""The verbs: what one does with a model, as functions that take any kind of it and return records.

A model is a fitted estimator, what it has learned, or the path of a saved one; documents are texts, lists of
tokens, a table, a matrix of counts or a `Corpus`. `str` of a record is what the command of the same name
prints, and `as_json()` what it prints with --json.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickbreaker.core.arguments import path_in
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.parameter_fields import declared, naming_settings
from stickbreaker.estimators import exports, model_runs
from stickbreaker.estimators.document_tables import DocumentTable
from stickbreaker.estimators.given_documents import as_corpus
from stickbreaker.estimators.given_models import model_for, name_of
from stickbreaker.estimators.kinds import Kind, Saved, kind_at, kinds, markers, object_at, refuse_system
from stickbreaker.estimators.run_summary import FinishedModel, finished_before, summary_of
from stickbreaker.estimators.updating import UpdatedModel, interrupted_update
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.estimators.verb_settings import ExportSettings
from stickbreaker.saved.packed_models import directory_of

if TYPE_CHECKING:
    from stickbreaker.estimators.notebooks.report_page import ReportPage


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


def transform(model: object, documents: object, **settings: Any) -> DocumentTable:
    """The topic shares of documents as a table: id, then a column for each topic.

    settings: the options of `stickbreaker transform`: `metadata=True` adds the documents' metadata and their
    main topic; `by="document"` has one row for each whole document if these were split into parts. `frame()`
    makes a DataFrame of pandas, `table()` one of Arrow; iterating yields a table for each block. Raises
    UserError for a kind without topics.

    >>> from stickbreaker import LDA
    >>> texts = ["a river bank", "a boat on the river"]
    >>> transform(LDA(2, max_iter=2, tol=0.0).fit(texts), texts).table().column_names
    ['id', 'topic0', 'topic1']
    """
    function, arguments = call_of("transform", model, documents, **settings)
    return function(*arguments)


def update(
    model: object,
    documents: object,
    *,
    path: str | Path | None = None,
    checkpoint_every: float = 60.0,
    overwrite: bool = False,
    **settings: Any,
) -> UpdatedModel:
    """Learn from more documents, in their order, one step per minibatch, as `partial_fit` does.

    What is given stays as it is: the `estimator` of what is returned has learned. path: where to save it, at
    the end and every `checkpoint_every` seconds; the same call continues an update that was interrupted
    there. settings: the options of `stickbreaker update`: `batch_size`, the `date` for the report, `n_jobs`.
    Words that the model does not know are left out, unless its vocabulary is open. Raises UserError for kinds
    that cannot be updated, for an unfinished run, and if `path` exists, unless `overwrite`.

    >>> from stickbreaker import LDA
    >>> model = LDA(2, max_iter=2, tol=0.0, random_state=0).fit(["a river bank", "a boat on the river"])
    >>> more = update(model, ["the bank of the river"], date="2026-11-30")
    >>> more.documents_in_all, more.estimator.corpus_["documents"], model.corpus_["documents"]
    (3, 3, 2)
    """
    out = None if path is None else Path(path)
    given = out if out is not None and interrupted_update(out) else model
    loaded = load(given) if isinstance(given, str | Path) else given
    function, arguments = call_of("update", loaded, documents, **settings)
    return function(*arguments, path=out, checkpoint_every=checkpoint_every, overwrite=overwrite)


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
    6
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


def search_topics(
    documents: object,
    topics: Sequence[int] | None = None,
    *,
    path: str | Path | None = None,
    **settings: Any,
) -> VerbResult:
    """Choose the number of topics: learn several with several seeds, and score them on documents held out.

    documents: texts, tokens, a table, a matrix or a `Corpus`. topics: the numbers to try; None: 10, 20, 40
    and so on, as long as the topics of the largest hold, and one between. path: the directory of the search,
    which is continued if it has begun; None: a temporary one, removed when the process ends. settings: the
    options of `stickbreaker search-k`: `seeds`, `inference`, `alpha`, `eta`, `max_iter`, `held_out`, `by`,
    `n_jobs`.

    What is returned has a row for each number (`table`, with coherence and stability over seeds), the
    `suggested` one and the `reason`, and the `best` model. Suggested is the largest number of which even the
    weakest quarter of topics holds, or fewer if these predict as well (`evaluation.suggest_topics`).

    >>> texts = ["river boat water shore", "money bank loan coin"] * 10
    >>> found = search_topics(texts, [1, 2], seeds=1, held_out=0.3, max_iter=5)
    >>> [row.topics for row in found.table]
    [1, 2]
    """
    function, made = _function_of("search-k", kinds()["LDA"], {**settings, "topics": topics})
    return function(as_corpus(documents), made, None if path is None else Path(path))


def make_concepts(dictionary: str | Path, corpus: object, **settings: Any) -> VerbResult:
    """Concepts of a dictionary, WordNet or word vectors, for the words of a corpus: words that go together.

    dictionary: the path of a dictionary, of WordNet's directory, of word vectors or of a larger corpus;
    corpus: a corpus, a model, the path of one, or texts. settings: the options of `stickbreaker concepts`,
    of which --from, --to, --format and --concepts are `source`, `target`, `form` and `n_concepts`, and
    `synonyms` is {language: file}. The `tree` of what is returned is for `LDA(words=...)`, and `write` is
    what the command does. Raises UserError for an unusable file, and for settings that do not apply to it.
    """
    place = "stickbreaker.topics.verbs.make_concepts:make_concepts"
    made = object_at("stickbreaker.topics.verbs.settings:ConceptSettings")
    with naming_settings(made):
        return object_at(place)(dictionary, corpus, made(**settings))


def segment(model: object, documents: object, **settings: Any) -> VerbResult:
    """Texts cut into pieces by a symbol of a grammar: `pieces` has those of each text.

    settings: the options of `stickbreaker segment`: the symbol `nonterminal`, and `random_state`. Raises
    UserError for a symbol that the grammar does not have, and for kinds that are not grammars.

    >>> from stickbreaker import AdaptorGrammar
    >>> texts = ["adog", "acat", "thedog", "thecat"] * 5
    >>> model = AdaptorGrammar("unigram", init="incremental", random_state=0).fit(texts)
    >>> segment(model, ["thecat"]).pieces
    [['the', 'cat']]
    """
    return result_of("segment", model, documents, **settings)


def parse(model: object, documents: object, **settings: Any) -> VerbResult:
    """The trees of texts by a grammar, in brackets as treebanks have them.

    settings: the options of `stickbreaker parse`: `how` trees are chosen ("best", "samples" or
    "minimum-risk"), how many `trees` are drawn, and `random_state`. Raises UserError for kinds that are not
    grammars. The trees themselves are returned by `AdaptorGrammar.parse`.

    >>> from stickbreaker import AdaptorGrammar
    >>> model = AdaptorGrammar(max_iter=50, random_state=0).fit(["ab", "cd"] * 5)
    >>> parse(model, ["ab"]).texts[0].trees[0].tree.startswith("(Sentence ")
    True
    """
    return result_of("parse", model, documents, **settings)


def rules(model: object, **settings: Any) -> VerbResult:
    """The subtrees that a grammar remembers, most used first, and how often its rules are used.

    settings: the options of `stickbreaker rules`: `nonterminal`, an adapted symbol, and `top`, how many of
    its subtrees (0: all). Raises UserError for a symbol that is not adapted.

    >>> from stickbreaker import AdaptorGrammar
    >>> texts = ["adog", "acat", "thedog", "thecat"] * 5
    >>> model = AdaptorGrammar("unigram", init="incremental", random_state=0).fit(texts)
    >>> sorted("".join(one.text) for one in rules(model).symbols["Word"].subtrees)
    ['a', 'cat', 'dog', 'the']
    """
    return result_of("rules", model, **settings)


def score(model: object, documents: object, **settings: Any) -> VerbResult:
    """How probable sentences are to a language model, in nats: log p of its words and of its end, for each.

    settings: the options of `stickbreaker score`: `words=True` for each word too, `interpolate` with another
    model, `weight` or `tune_on`, and for models with topics the `document` that comes before. Raises
    UserError for kinds that are not language models.

    >>> from stickbreaker import NgramModel
    >>> model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(["a cat sat. a cat ran."])
    >>> [sentence.words for sentence in score(model, ["A cat. A cat sat."]).sentences]
    [2, 3]
    """
    return result_of("score", model, documents, **settings)


def generate(model: object, **settings: Any) -> VerbResult:
    """Sentences drawn from a language model.

    settings: the options of `stickbreaker generate`: how many `sentences`, the `beginning` of each, the
    `longest`, for models with topics a `topic` or the `document` before, and `random_state`.
    """
    return result_of("generate", model, **settings)


def rescore(model: object, lists: object, **settings: Any) -> VerbResult:
    """Rank n-best lists of any system by a language model too: candidates of each sentence, the best first.

    lists: the path of a file, its lines ("number ||| text ||| score"), or lists of `Candidate`. `scale` times
    log p of a candidate is added to its score. What is returned has the `best` texts, and `write`.

    >>> from stickbreaker import NgramModel
    >>> model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(["a cat sat. a cat ran."])
    >>> rescore(model, ["0 ||| sat a cat ||| 0", "0 ||| a cat sat ||| 0"]).best
    ['a cat sat']
    """
    return result_of("rescore", model, lists, **settings)


def load(path: str | Path) -> Any:
    """What is saved at a path: the estimator of a model of any kind, a lexicon, or a model in an ARPA file.

    Raises UserError if there is none, and for a file that is missing, truncated or altered.
    """
    folder = directory_of(path_in("path", path, "a saved model"), markers())
    saved = kind_at(folder)
    return object_at(f"{saved.front_door}.load" if isinstance(saved, Kind) else str(saved.load))(folder)


def export(
    model: object,
    path: str | Path,
    form: str,
    documents: object = None,
    *,
    overwrite: bool = False,
    **settings: Any,
) -> exports.ExportedModel:
    """Write a model for another program: MALLET, gensim, pyLDAvis, KenLM or Graphviz; or as one zip file.

    form: one of those that `stickbreaker export --help` lists, or "zip". documents: for forms that are about
    documents. settings: the command's options for the form: `top`, `language`, `sample`, `topic`, `n_jobs`.
    Raises UserError for a form that the kind of model does not have, and if the file exists, unless
    `overwrite`.
    """
    with naming_settings(ExportSettings):
        made = ExportSettings(**settings)
        return exports.export(model, form, Path(path), documents, made, overwrite=overwrite)


def report(
    model: object,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    overwrite: bool = False,
    **options: Any,
) -> "ReportPage":
    """The page about a model that `stickbreaker report` writes: `html`, which notebooks show; and `save`.

    path: a file to write it to as well, which is replaced only with `overwrite`. options: those of the
    command that apply to the kind of model, such as `date_field`, `group_field`, `compare`. Raises UserError
    for others, and for kinds without a report.

    >>> from stickbreaker import LDA
    >>> texts = ["a river bank", "a boat on the river"]
    >>> report(LDA(1, max_iter=2, tol=0.0).fit(texts), title="Rivers").title
    'Rivers'
    """
    if isinstance(model, str | Path):
        model = load(model)
    own = getattr(model, "report", None)
    if own is None or isinstance(model, type):
        saved, _ = model_for("report", model)
        saved.refuse("report")
        raise UserError("what a model has learned has no report by itself", remedy="give the estimator")
    return own(path, overwrite=overwrite, **({} if title is None else {"title": title}), **options)


def resume(path: str | Path, *, checkpoint_every: float = 60.0, n_jobs: int | None = None) -> FinishedModel:
    """Continue a run that was interrupted, in the directory of its model: the result is the same as without.

    checkpoint_every: seconds between checkpoints. The `estimator` of what is returned is the model; nothing
    is done for a run that had ended before. Raises UserError if the corpus or a file has changed, and for a
    run over a stream or on Spark, which the command resumes.
    """
    place = path_in("path", path, "a model whose run was interrupted")
    refuse_system(place, "resume")
    done = model_runs.resume(place, every=checkpoint_every, threads=n_jobs)
    return finished_before(place) if done is None else summary_of(place, *done, resumed=True)


def result_of(verb: str, model: object, *documents: object, **settings: Any) -> VerbResult:
    """What a verb returns for a model of any kind. documents: those that it is applied to, if any."""
    function, arguments = call_of(verb, model, *documents, **settings)
    return function(*arguments).of_model(name_of(model))


def call_of(
    verb: str, model: object, *documents: object, **settings: Any
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of a verb for the kind of a model, and its arguments: what was learned, documents in the
    form that the function takes, and settings."""
    saved, what = model_for(verb, model, settings.get("n_jobs"))
    function, made = _function_of(verb, saved, settings)
    reads = saved.function(verb).documents
    given = [object_at(reads)(what, one) for one in documents] if reads else documents
    return function, (what, *given, made)


def _function_of(verb: str, saved: Saved, settings: dict[str, Any]) -> tuple[Any, Any]:
    """The function of a kind for a verb, and its settings, which its messages name."""
    made = _settings_of(verb, saved, settings)
    naming = naming_settings(saved.function(verb).settings_class())
    return naming(object_at(saved.function(verb).function)), made


def _settings_of(verb: str, saved: Saved, settings: dict[str, Any]) -> Any:
    """The settings of a verb of a kind, from keywords. Raises UserError for one that it does not have."""
    made = saved.function(verb).settings_class()
    known = declared(made)
    for name in settings:
        if name not in known:
            having = ", ".join(known) or "none"
            problem = f"{verb} of {saved.said} has no setting {name!r}"
            raise UserError(problem, remedy=f"its settings: {having}")
    return made(**settings)
