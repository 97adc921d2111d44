"""Parameters by the names that other programs give them: which one is it here?"""

import functools
import inspect
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any

ELSEWHERE = {  # in scikit-learn, gensim, tomotopy and MALLET: here
    "n_components": "n_topics",
    "num_topics": "n_topics",
    "k": "n_topics",
    "iterations": "max_iter",
    "n_iter": "max_iter",
    "num_iterations": "max_iter",
    "passes": "max_iter",
    "seed": "random_state",
    "random_seed": "random_state",
    "doc_topic_prior": "alpha",
    "topic_word_prior": "eta",
    "beta": "eta",
    "gamma_threshold": "doc_tol",
    "mean_change_tol": "doc_tol",
    "max_doc_update_iter": "doc_max_iter",
    "perp_tol": "tol",
    "workers": "n_jobs",
    "n_workers": "n_jobs",
    "num_workers": "n_jobs",
    "threads": "n_jobs",
    "num_threads": "n_jobs",
    "learning_method": "schedule",
    "batch_size": "schedule=Online(batch_size=…)",
    "chunksize": "schedule=Online(batch_size=…)",
    "decay": "schedule=Online(kappa=…)",
    "learning_decay": "schedule=Online(kappa=…)",
    "offset": "schedule=Online(tau0=…)",
    "learning_offset": "schedule=Online(tau0=…)",
    "total_samples": "schedule=Online(total=…)",
}


def checked(init: Callable[..., None]) -> Callable[..., None]:
    """An `__init__` with the same signature, that says what a parameter which it lacks is called here.

    It raises TypeError, as Python does, and names the class that was called.
    """
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
    """What is said of a parameter that a kind of estimator does not have.

    >>> unknown_parameter("LDA", "n_components", ["n_topics", "alpha"])
    "LDA has no parameter 'n_components'; here it is n_topics"
    """
    here = ELSEWHERE.get(name, "")
    alike = get_close_matches(name, list(known), 1)
    if here.partition("=")[0] in known:
        return f"{kind} has no parameter {name!r}; here it is {here}"
    if alike:
        return f"{kind} has no parameter {name!r}; did you mean {alike[0]}?"
    return f"{kind} has no parameter {name!r}; it has {', '.join(known)}"
