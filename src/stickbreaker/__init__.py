"""Bayesian text models that grow with the data.

>>> from stickbreaker import LDA
>>> LDA(n_topics=1, max_iter=2, tol=0.0).fit(["a river bank", "a boat on the river"]).top_words(1)
[['river']]
"""

import importlib
from typing import TYPE_CHECKING, Any

from stickbreaker.core.option_names import OptionNames, add_names

if TYPE_CHECKING:
    from stickbreaker.core.errors import UserError
    from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
    from stickbreaker.corpus.spelling.string_prior import Spelling
    from stickbreaker.estimators.verbs import (
        compare,
        effects,
        evaluate,
        export,
        generate,
        intruders,
        load,
        make_concepts,
        nearest,
        parse,
        report,
        rescore,
        resume,
        rules,
        score,
        search_topics,
        segment,
        topics_of,
        topics_over_time,
        transform,
        update,
    )
    from stickbreaker.grammars.adaptor_grammar import AdaptorGrammar
    from stickbreaker.grammars.model.grammar import Grammar
    from stickbreaker.learning.schedules import Memoised, Online
    from stickbreaker.ngrams.ngram import NgramModel
    from stickbreaker.ngrams.topic_ngram import TopicNgramModel
    from stickbreaker.syntax.syntactic_topics import SyntacticTopics
    from stickbreaker.topics.hdp import HDP
    from stickbreaker.topics.lda import LDA
    from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
    from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
    from stickbreaker.topics.model.solvers.hybrid import Hybrid
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
    from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
    from stickbreaker.topics.seed_words import Guide
    from stickbreaker.translation.bitext import Bitext
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

_VERBS = (
    *("compare", "effects", "evaluate", "export", "generate", "intruders", "load", "make_concepts"),
    *("nearest", "parse", "report", "rescore", "resume", "rules", "score", "search_topics"),
    *("segment", "topics_of", "topics_over_time", "transform", "update"),
)
_HOMES = {
    "LDA": "stickbreaker.topics.lda",
    "HDP": "stickbreaker.topics.hdp",
    "NgramModel": "stickbreaker.ngrams.ngram",
    "TopicNgramModel": "stickbreaker.ngrams.topic_ngram",
    "SyntacticTopics": "stickbreaker.syntax.syntactic_topics",
    "AdaptorGrammar": "stickbreaker.grammars.adaptor_grammar",
    "Grammar": "stickbreaker.grammars.model.grammar",
    "Memoised": "stickbreaker.learning.schedules",
    "SplitMerge": "stickbreaker.topics.model.moves.split_merge_settings",
    "Online": "stickbreaker.learning.schedules",
    "Hybrid": "stickbreaker.topics.model.solvers.hybrid",
    "ConceptTree": "stickbreaker.topics.model.vocabularies.concept_tree",
    "OpenVocabulary": "stickbreaker.topics.model.vocabularies.open_settings",
    "Spelling": "stickbreaker.corpus.spelling.string_prior",
    "Gibbs": "stickbreaker.topics.model.samplers.gibbs_settings",
    "Guide": "stickbreaker.topics.seed_words",
    "TopicLexicon": "stickbreaker.translation.lexicon.topic_lexicon",
    "Bitext": "stickbreaker.translation.bitext",
    "Corpus": "stickbreaker.corpus",
    "Analysis": "stickbreaker.corpus",
    "Vocabulary": "stickbreaker.corpus",
    "VocabularyRule": "stickbreaker.corpus",
    "UserError": "stickbreaker.core.errors",
    **dict.fromkeys(_VERBS, "stickbreaker.estimators.verbs"),
}

__all__ = [
    "HDP",
    "LDA",
    "AdaptorGrammar",
    "Analysis",
    "Bitext",
    "ConceptTree",
    "Corpus",
    "Gibbs",
    "Grammar",
    "Guide",
    "Hybrid",
    "Memoised",
    "NgramModel",
    "Online",
    "OpenVocabulary",
    "Spelling",
    "SplitMerge",
    "SyntacticTopics",
    "TopicLexicon",
    "TopicNgramModel",
    "UserError",
    "Vocabulary",
    "VocabularyRule",
    "compare",
    "effects",
    "evaluate",
    "export",
    "generate",
    "intruders",
    "load",
    "make_concepts",
    "nearest",
    "parse",
    "report",
    "rescore",
    "resume",
    "rules",
    "score",
    "search_topics",
    "segment",
    "topics_of",
    "topics_over_time",
    "transform",
    "update",
]


def _names_of_kinds() -> list[OptionNames]:
    """How all kinds' parameters are named on the command line, to put options' names into messages."""
    from stickbreaker.estimators.kinds import kinds, systems

    return [names for saved in (*kinds().values(), *systems()) for names in saved.names()]


add_names(_names_of_kinds)


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that the program's help is quick."""
    if name == "__version__":
        from importlib.metadata import version

        return version("stickbreaker")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'stickbreaker' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names that can be imported from the package, for `dir` and completion."""
    return sorted({*__all__, "__version__", *(name for name in globals() if name[:2] == "__")})
