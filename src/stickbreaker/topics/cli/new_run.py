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
    from stickbreaker.topics.settings import TopicSettings

JUDGES = {"bound": "the bound", "held-out": "documents held out"}


def begin(settings: "TopicSettings", run: NewRun, opened: OpenChoice) -> "ModelDirectory":
    """Start a run of a topic model for `fit` and return its directory. The setting `words` is that of the
    options; notes are printed about the guide, concepts and the number of topics.

    With an open vocabulary, a corpus that is built from raw files keeps all words, since any may be learned.
    """

    def settings_for(corpus: "Corpus") -> "TopicSettings":
        if opened.is_open:
            _tell_of_words_left_out(corpus)
        return settings.but(words=opened.build(corpus.analysis))

    if opened.is_open and isinstance(run.choice, AnalysisChoice):
        run = replace(run, choice=run.choice.of_all_words())
    corpus, directory = begin_run(settings, run, settings_for)
    _tell_of_guide(settings, corpus)
    _tell_of_concepts(settings, corpus)
    tell_of_topics(settings)
    _tell_of_number(settings, corpus)
    return directory


def tell_of_topics(settings: "TopicSettings", *, stream: bool = False) -> None:
    """Print a note on how the run finds its number of topics: by a search, or from how many it starts.
    Nothing is printed for a model whose number is fixed (LDA).
    """
    from stickbreaker.topics.plan import plan_of

    plan = plan_of(settings)
    if plan.fixed_number:
        return
    start, search = plan.n_topics, None if stream else plan.search(1, 1.0)
    if search is not None:
        note(f"searching for the number of topics, by {JUDGES[search.judge]}; --topics K is one run from K")
    elif isinstance(settings.n_topics, int):
        note(f"starting from {counted(start, 'topic')}, as --topics says; auto searches for their number")
    else:
        without = " and ".join(_unsearched_by(settings, stream=stream))
        note(f"starting from {counted(start, 'topic')}: there is no search for their number with {without}")


def _tell_of_number(settings: "TopicSettings", corpus: "Corpus") -> None:
    """Print a note on a fixed number of topics: that it was chosen by the number of documents, or that there
    are few documents for each topic.
    """
    from stickbreaker.topics.plan import plan_of
    from stickbreaker.topics.search.number_of_topics import DOCUMENTS

    plan, n = plan_of(settings), corpus.n_documents
    if not plan.fixed_number:
        return
    number = plan.n_topics_for(n)
    topics, documents = counted(number, "topic"), counted(n, "document")
    if settings.n_topics is None:
        note(f"{topics} for {documents}; --topics K takes another number, and search-k compares some")
    elif number <= n < DOCUMENTS * number:  # of even fewer there is a remark
        each = f"{topics} of {documents}, {n / number:.0f} for each"
        note(f"note: {each}: with fewer than {DOCUMENTS} the words of many do not hold in others")


def _unsearched_by(settings: "TopicSettings", *, stream: bool) -> list[str]:
    """The options because of which there is no search for the number of topics, as phrases for a message."""
    from stickbreaker.estimators.setting_values import engine_name
    from stickbreaker.learning.schedules import Online
    from stickbreaker.topics.plan import plan_of

    plan = plan_of(settings)
    inference, online = plan.inference.name, isinstance(plan.schedule, Online)
    chosen = {
        "a stream": stream,
        "--words open": plan.is_open,
        "--concepts": plan.has_concepts,
        f"--inference {inference}": inference != "mean-field",
        "--schedule online": online and not stream and not plan.is_open,
        "--representation franchise": getattr(settings, "representation", "direct") != "direct",
        "--engine spark": engine_name(settings.engine) != "local",
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


def _tell_of_guide(settings: "TopicSettings", corpus: "Corpus") -> None:
    """Print a note: for each category of the guide, how many of its entries match words of the corpus.
    Nothing is printed without a guide.
    """
    from stickbreaker.topics.plan import plan_of

    guide = plan_of(settings).guide
    if guide is None:
        return
    found = zip(guide.names, guide.found(corpus.vocabulary, corpus.analysis), strict=True)
    coverage = [f"{name} {known} of {entries}" for name, (known, entries) in found]
    note("guide: " + ", ".join([f"{coverage[0]} words", *coverage[1:]]))


def _tell_of_concepts(settings: "TopicSettings", corpus: "Corpus") -> None:
    """Print notes on a tree of concepts: how many concepts have words of the corpus, and which problems there
    are. Nothing is printed without one.
    """
    from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
    from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

    if not isinstance(settings.words, ConceptTree):
        return
    tree = compiled(settings.words, corpus.vocabulary)
    for line in (tree.coverage(), *tree.remarks()):
        note(f"concepts: {line}")
