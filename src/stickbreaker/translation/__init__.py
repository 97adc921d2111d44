"""Translation by topics of a document: lexicons by topic, word alignment, phrase-based decoding.

The functions do what the commands of `stickbreaker translate` do, with lexicons in memory or paths of saved
ones, and return records, which print as the commands do.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stickbreaker.translation.verbs.join_documents import documents
    from stickbreaker.translation.verbs.learn import learn
    from stickbreaker.translation.verbs.lexicon_export import export
    from stickbreaker.translation.verbs.list_terms import terms
    from stickbreaker.translation.verbs.rerank import rerank, rerank_weights
    from stickbreaker.translation.verbs.run_system import run
    from stickbreaker.translation.verbs.tune import tune
    from stickbreaker.translation.verbs.word import word

_HOMES = {
    "documents": "join_documents",
    "export": "lexicon_export",
    "learn": "learn",
    "rerank": "rerank",
    "rerank_weights": "rerank",
    "run": "run_system",
    "terms": "list_terms",
    "tune": "tune",
    "word": "word",
}

__all__ = ["documents", "export", "learn", "rerank", "rerank_weights", "run", "terms", "tune", "word"]


def __getattr__(name: str) -> Any:
    """Import a function on first use, so that the program's help is quick."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"stickbreaker.translation.verbs.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'stickbreaker.translation' has no attribute {name!r}")
