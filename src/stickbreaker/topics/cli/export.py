"""`stickbreaker export` of topic models: top words of topics, and topic shares of documents."""

from stickbreaker.console.console import note, tell_of_compiling
from stickbreaker.console.requests import ExportRequest
from stickbreaker.core.errors import counted
from stickbreaker.corpus import Corpus
from stickbreaker.topics import exporting
from stickbreaker.topics.learned import load_topics


def write_topics(asked: ExportRequest) -> tuple[dict[str, object], str]:
    """Export topics: write the top words of each in a format of MALLET or gensim. Returns their number, as
    values for JSON and as text.
    """
    learned = load_topics(asked.model, "export")
    keys = asked.format == "mallet-topic-keys"
    write = exporting.write_topic_keys if keys else exporting.write_gensim_topics
    write(learned, asked.out, asked.top, overwrite=asked.overwrite)
    topics = len(learned.alpha)
    return {"topics": topics}, counted(topics, "topic")


def write_documents(asked: ExportRequest) -> tuple[dict[str, object], str]:
    """Export documents: write the topic shares of a corpus's documents in a format of MALLET or pyLDAvis.

    Returns the numbers of topics and documents and the share of unseen words, as values for JSON and as text.
    For pyLDAvis, documents without a known word are left out, with a note.
    """
    assert asked.corpus is not None
    tell_of_compiling()
    learned = load_topics(asked.model, "export", asked.threads)
    corpus = Corpus.open(asked.corpus).with_vocabulary(learned.vocabulary, learned.facts.analysis)
    documents, topics = corpus.n_documents, len(learned.alpha)
    if asked.format == "mallet-doc-topics":
        exporting.write_doc_topics(learned, corpus, asked.out, overwrite=asked.overwrite)
    else:
        documents = exporting.write_pyldavis(
            learned, corpus, asked.out, asked.language, overwrite=asked.overwrite
        )
    left_out = corpus.n_documents - documents
    if left_out:
        note(f"documents without a known word left out, which pyLDAvis refuses: {left_out:,}")
    unseen = corpus.unseen_share
    sizes = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
    figures = {"topics": topics, "documents": documents, "left_out": left_out, "unseen_share": unseen}
    return figures, f"{sizes}, {100 * unseen:.1f} % of the words unseen"
