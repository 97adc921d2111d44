"""How the command line starts a run of a topic model, and the notes that it prints first."""

from dataclasses import replace
from typing import TYPE_CHECKING

from stickbreaker.console.console import note
from stickbreaker.console.inputs import AnalysisChoice
from stickbreaker.console.options import NewRun
from stickbreaker.console.running import begin_run
from stickbreaker.core.errors import counted
from stickbreaker.topics.cli.word_options import OpenChoice

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.topics.topic_estimator import TopicEstimator

JUDGES = {"bound": "the bound", "held-out": "documents held out"}


def begin(model: "TopicEstimator", run: NewRun, opened: OpenChoice) -> "ModelDirectory":
    """Start a run of a topic model for `fit` and return its directory. Sets model.words from the options, and
    prints notes about the guide, concepts and the number of topics.

    With an open vocabulary, a corpus that is built from raw files keeps all words, since any may be learned.
    """

    def look_at(corpus: "Corpus") -> None:
        model.words = opened.build(corpus.analysis)
        if opened.is_open:
            _tell_of_words_left_out(corpus)

    if opened.is_open and isinstance(run.choice, AnalysisChoice):
        run = replace(run, choice=run.choice.of_all_words())
    corpus, directory = begin_run(model, run, look_at)
    _tell_of_guide(model, corpus)
    _tell_of_concepts(model, corpus)
    tell_of_topics(model)
    _tell_of_number(model, corpus)
    return directory


def tell_of_topics(model: "TopicEstimator", *, stream: bool = False) -> None:
    """Print a note on how the run finds its number of topics: by a search, or from how many it starts.
    Nothing is printed for a model whose number is fixed (LDA).
    """
    if model._documents_slot == "finite":
        return
    start, search = model._n_topics_at_start(), None if stream else model._search(1, 1.0)
    if search is not None:
        note(f"searching for the number of topics, by {JUDGES[search.judge]}; --topics K is one run from K")
    elif isinstance(model.n_topics, int):
        note(f"starting from {counted(start, 'topic')}, as --topics says; auto searches for their number")
    else:
        without = " and ".join(_unsearched_by(model, stream=stream))
        note(f"starting from {counted(start, 'topic')}: there is no search for their number with {without}")


def _tell_of_number(model: "TopicEstimator", corpus: "Corpus") -> None:
    """Print a note on a fixed number of topics: that it was chosen by the number of documents, or that there
    are few documents for each topic.
    """
    if model._documents_slot != "finite":
        return
    from stickbreaker.topics.search.number_of_topics import DOCUMENTS

    number, n = model._n_topics_at_start(), corpus.n_documents
    topics, documents = counted(number, "topic"), counted(n, "document")
    if model.n_topics is None:
        note(f"{topics} for {documents}; --topics K takes another number, and search-k compares some")
    elif number <= n < DOCUMENTS * number:  # of even fewer there is a remark
        each = f"{topics} of {documents}, {n / number:.0f} for each"
        note(f"note: {each}: with fewer than {DOCUMENTS} the words of many do not hold in others")


def _unsearched_by(model: "TopicEstimator", *, stream: bool) -> list[str]:
    """The options because of which there is no search for the number of topics, as phrases for a message."""
    from stickbreaker.estimators.setting_values import engine_name
    from stickbreaker.learning.schedules import Online
    from stickbreaker.topics.topic_settings import inference_of

    inference = inference_of(model.inference).name
    online = not stream and not model._is_open and isinstance(model._learning_schedule(), Online)
    chosen = {
        "a stream": stream,
        "--words open": model._is_open,
        "--concepts": model._has_concepts,
        f"--inference {inference}": inference != "mean-field",
        "--schedule online": online,
        "--representation franchise": getattr(model, "representation", "direct") != "direct",
        "--engine spark": engine_name(model.engine) != "local",
    }
    return [name for name, is_chosen in chosen.items() if is_chosen] or ["eta of each topic"]


def _tell_of_words_left_out(corpus: "Corpus") -> None:
    """For an open vocabulary: print a note if the corpus was built without some of its words (rare or very
    frequent ones), as these cannot be learned.
    """
    rule = corpus.about.rule
    bounds = rule.bounds(corpus.n_documents)
    if corpus.kind == "text" and (rule.size is not None or bounds != (1, corpus.n_documents)):
        remedy = "build it with --min-documents 1 --max-share 1 for a model of all words"
        note(f"the corpus has a vocabulary, and no other words are learned; {remedy}")


def _tell_of_guide(model: "TopicEstimator", corpus: "Corpus") -> None:
    """Print a note: for each category of the guide, how many of its entries match words of the corpus.
    Nothing is printed without a guide.
    """
    from stickbreaker.topics.topic_settings import guide_of

    guide = guide_of(model.guide)
    if guide is None:
        return
    found = zip(guide.names, guide.found(corpus.vocabulary, corpus.analysis), strict=True)
    coverage = [f"{name} {known} of {entries}" for name, (known, entries) in found]
    note("guide: " + ", ".join([f"{coverage[0]} words", *coverage[1:]]))


def _tell_of_concepts(model: "TopicEstimator", corpus: "Corpus") -> None:
    """Print notes on a tree of concepts: how many concepts have words of the corpus, and which problems there
    are. Nothing is printed without one.
    """
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
    from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

    if not isinstance(model.words, ConceptTree):
        return
    tree = compiled(model.words, corpus.vocabulary)
    for line in (tree.coverage(), *tree.remarks()):
        note(f"concepts: {line}")
