"""Topic models for other programs: top words of topics, and topic shares of documents."""

from stickbreaker.core.errors import counted
from stickbreaker.estimators.exports import ExportRequest
from stickbreaker.topics import exporting
from stickbreaker.topics.learned import topics_in


def write_topics(asked: ExportRequest) -> tuple[dict[str, object], str]:
    """Export topics: write the top words of each in a format of MALLET or gensim. Returns their number, as
    values for JSON and as text.
    """
    learned = topics_in(asked.learned, "export")
    keys = asked.format == "mallet-topic-keys"
    write = exporting.write_topic_keys if keys else exporting.write_gensim_topics
    write(learned, asked.out, asked.settings.top, overwrite=asked.overwrite)
    topics = len(learned.alpha)
    return {"topics": topics}, counted(topics, "topic")


def write_documents(asked: ExportRequest) -> tuple[object, ...]:
    """Export documents: write the topic shares of a corpus's documents in a format of MALLET or pyLDAvis.

    Returns the numbers of topics and documents and the share of unseen words, as values for JSON and as text.
    For pyLDAvis, documents without a known word are left out, with a remark.
    """
    assert asked.corpus is not None
    learned = topics_in(asked.learned, "export")
    corpus = asked.corpus.with_vocabulary(learned.vocabulary, learned.facts.analysis)
    documents, topics = corpus.n_documents, len(learned.alpha)
    if asked.format == "mallet-doc-topics":
        exporting.write_doc_topics(learned, corpus, asked.out, overwrite=asked.overwrite)
    else:
        documents = exporting.write_pyldavis(
            learned, corpus, asked.out, asked.settings.language, overwrite=asked.overwrite
        )
    left_out = corpus.n_documents - documents
    remark = f"documents without a known word left out, which pyLDAvis refuses: {left_out:,}"
    unseen = corpus.unseen_share
    sizes = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
    figures = {"topics": topics, "documents": documents, "left_out": left_out, "unseen_share": unseen}
    line = f"{sizes}, {100 * unseen:.1f} % of the words unseen"
    return (figures, line, remark) if left_out else (figures, line)
