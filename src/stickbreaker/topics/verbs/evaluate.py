"""Scores of a topic model: document completion, coherence, diversity, labels, languages."""

import time
import warnings
from collections.abc import Hashable, Sequence

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import UserError, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.shards import Bags, tokens_by_document
from stickbreaker.estimators.document_files import DocumentFiles
from stickbreaker.estimators.document_scores import warn_if_all_unseen
from stickbreaker.estimators.given_documents import corpus_for
from stickbreaker.estimators.given_models import name_of
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.saved.own_corpus import held_out_of_own_corpus
from stickbreaker.topics.evaluation.classification import classify_labels
from stickbreaker.topics.evaluation.corpus_scores import (
    HeldOutScore,
    Topics,
    coherence_of,
    compare_sides,
    completion_of,
    diversity_of,
    left_to_right_of,
)
from stickbreaker.topics.evaluation.diagnostics import diagnostics_of
from stickbreaker.topics.evaluation.diversity import TOP, effective_topics
from stickbreaker.topics.evaluation.learned_documents import share_learned_from
from stickbreaker.topics.evaluation.open_vocabulary import (
    OpenTopics,
    StringScore,
    completion_of_strings,
    left_to_right_of_strings,
)
from stickbreaker.topics.learned import TopicsLearned, topics_in
from stickbreaker.topics.open_topics import scored_topics
from stickbreaker.topics.verbs.coherence_counts import coherence_counts
from stickbreaker.topics.verbs.scores import (
    MEASURES,
    BoundScore,
    CoherenceScores,
    DiversityScores,
    LabelPredictions,
    LanguagePair,
    LeftToRightScores,
    Measure,
    TopicScores,
)
from stickbreaker.topics.verbs.settings import ScoreSettings
from stickbreaker.topics.verbs.spelled_words import SpelledShare, spelled_topics

MOST_ALIGNED = 10_000  # documents among which the other side is looked for


def evaluate(learned: AnyLearned, corpus: Corpus, settings: ScoreSettings) -> TopicScores:
    """Score a topic model on documents; scores that were not asked for are None.

    Raises UserError if there is nothing to score, and for settings that do not fit the model.
    """
    learned = topics_in(learned, "evaluate")
    labels = None if settings.labels is None else labels_of(corpus, settings.labels)
    known = corpus if settings.reference is None else corpus_for(learned, settings.reference)
    topics = scored_topics(learned)
    spelled = spelled_topics(learned, topics, settings)
    with naming(corpus.name):
        completion = _completion(topics, spelled, corpus, settings.completion)
    own = share_learned_from(learned, corpus)
    warn_if_all_unseen(corpus.unseen_share)
    remark = learned.remark_on_documents(corpus)
    if remark is not None:
        warnings.warn(remark, UserWarning, stacklevel=2)
    whole = _left_to_right(topics, spelled, corpus, settings.particles) if settings.left_to_right else None
    coherence = _coherences(topics, known, settings, learned)
    return TopicScores(
        **completion_figures(
            settings.completion, *completion, corpus.n_documents, corpus.n_empty, corpus.unseen_share
        ),
        learned_from=own,
        left_to_right=whole,
        bound=_bound(learned, corpus) if settings.bound else None,
        coherence=coherence,
        diversity=_diversity(learned, topics, settings.by),
        labels=None if labels is None else _predictions(topics, corpus, str(settings.labels), labels),
        language_pairs=_language_pairs(topics, corpus),
        diagnostics=diagnostics_table(learned, corpus, coherence) if settings.diagnostics else None,
    )


def diagnostics_table(
    learned: TopicsLearned, corpus: Corpus, coherence: Sequence[CoherenceScores]
) -> pa.Table:
    """Diagnostics like MALLET's, with a row per topic; in a polylingual model, for the words of its first
    language."""
    blocks = [corpus.bags(block) for block in range(len(corpus.block_sizes))]
    shares = np.concatenate([learned.shares(corpus, block) for block in range(len(blocks))])
    tokens = np.concatenate([tokens_by_document(bags.offsets, bags.counts) for bags in blocks])
    words, part = learned.vocabulary.spelled, learned.vocabulary.parts[0]
    rows = learned.ranked_words(10, part).words.tolist()
    found = diagnostics_of(learned.topic_word[:, part], rows, words, shares, tokens)
    n = len(rows)
    columns: JsonObject = {
        "topic": pa.array(range(n), pa.int32()),
        "name": pa.array(learned.topic_names or [None] * n, pa.string()),
        "share": pa.array(learned.topic_shares),
        **{name: pa.array(values) for name, values in found._asdict().items()},
        **{name: pa.array(getattr(coherence[0], name).per_topic) for name in MEASURES if coherence},
        "words": pa.array([" ".join(words[row] for row in own) for own in rows]),
    }
    return pa.table(columns)


def _completion(
    topics: Topics, spelled: OpenTopics | None, corpus: Corpus, share: float
) -> tuple[HeldOutScore, StringScore | None]:
    strings = None if spelled is None else completion_of_strings(spelled, corpus, share)
    return completion_of(topics, corpus, share) if strings is None else strings.held_out, strings


def completion_figures(
    share: float,
    scored: HeldOutScore,
    strings: StringScore | None,
    documents: int,
    empty: int,
    unseen_share: float,
) -> JsonObject:
    """The scores of document completion, by their names in `CompletionScores`.

    share: of the tokens that are observed; scored: the score; strings: the score with its part for spelled
    words, None if unknown words were ignored; documents: their number, `empty` of them without a known word;
    unseen_share: the share of tokens outside the vocabulary.
    """
    return {
        "documents": documents,
        "empty_documents": empty,
        "completion": share,
        "scored_tokens": scored.tokens,
        **_held_out(scored),
        "unseen_share": unseen_share,
        "spelled": SpelledShare.of(strings),
    }


def _left_to_right(
    topics: Topics, spelled: OpenTopics | None, corpus: Corpus, particles: int
) -> LeftToRightScores:
    start = time.perf_counter()
    strings = None if spelled is None else left_to_right_of_strings(spelled, corpus, particles)
    scored = left_to_right_of(topics, corpus, particles) if strings is None else strings.held_out
    seconds = round(time.perf_counter() - start, 2)
    return LeftToRightScores(
        particles=particles,
        scored_tokens=scored.tokens,
        **_held_out(scored),
        spelled=SpelledShare.of(strings),
        seconds=seconds,
    )


def _bound(learned: TopicsLearned, corpus: Corpus) -> BoundScore:
    """The lower bound on the documents' log probability. Raises UserError for an open vocabulary."""
    if learned.is_open:
        remedy = "leave --bound out: log p of all strings is what is scored"
        raise UserError("an open vocabulary has no bound on new documents", remedy=remedy)
    nats, tokens = learned.bound(corpus)
    return BoundScore(tokens, nats / max(tokens, 1.0))


def _held_out(scored: HeldOutScore) -> JsonObject:
    names = ("nats_per_word", "perplexity", "unigram_nats_per_word", "unigram_perplexity")
    return {name: getattr(scored, name) for name in names}


def _coherences(
    topics: Topics, known: Corpus, settings: ScoreSettings, learned: AnyLearned
) -> tuple[CoherenceScores, ...]:
    """The three measures of coherence, one entry per language of a polylingual model, otherwise a single one.

    known: the corpus in which words are counted, of the model's own corpus only the documents held out if
    there are any.
    """
    held_out = held_out_of_own_corpus(learned.facts.corpus, learned.facts.held_out, known)
    own = 0.0 if held_out is not None else share_learned_from(learned, known)
    return tuple(
        CoherenceScores(
            reference=_reference_name(settings.reference, known),
            by=settings.by,
            language=language,
            **coherence_counts([scores]),
            held_out=held_out is not None,
            learned_from=own,
            npmi=Measure.of(scores.npmi),
            umass=Measure.of(scores.umass),
            c_v=Measure.of(scores.c_v),
        )
        for language, scores in coherence_of(topics, known, by=settings.by, documents=held_out).items()
    )


def _reference_name(reference: object, known: Corpus) -> str | None:
    """What the result calls the reference of coherence; None: there is none but the documents themselves."""
    if reference is None:
        return None
    return reference.name if isinstance(reference, DocumentFiles) else known.name or name_of(reference)


def _diversity(learned: TopicsLearned, topics: Topics, by: str) -> DiversityScores:
    return DiversityScores(
        top_words=TOP,
        diversity=diversity_of(topics, by=by),
        topics=len(learned.alpha),
        effective_topics=effective_topics(learned.topic_shares),
        unused_topics=tuple(learned.unused_topics),
    )


def labels_of(corpus: Corpus, field: str) -> list[Hashable]:
    """Each document's label: its value of a metadata field. It is None if the field is missing, and the first
    value, with a warning, if there are several.

    Raises UserError if no document has the field.
    """
    if field not in corpus.metadata_fields:
        fields = ", ".join(corpus.metadata_fields) or "none"
        raise UserError(f"no document has the field {field!r}", remedy=f"there are: {fields}")
    blocks = (corpus.source.read(block) for block in range(len(corpus.block_sizes)))
    values = [metadata_from(text).get(field) for table in blocks for text in table["metadata"].to_pylist()]
    if any(isinstance(value, list) and len(value) > 1 for value in values):
        text = f"documents have several values of {field}; the first of each is its label"
        warnings.warn(text, UserWarning, stacklevel=2)
    return [next(iter(value), None) if isinstance(value, list) else value for value in values]


def _predictions(topics: Topics, corpus: Corpus, field: str, labels: Sequence[Hashable]) -> LabelPredictions:
    bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    scores = classify_labels(topics.infer(bags), labels, bags, len(topics.vocabulary))
    return LabelPredictions(field, **scores._asdict())


def _language_pairs(topics: Topics, corpus: Corpus) -> tuple[LanguagePair, ...]:
    """For each pair of languages, how well a model's topics agree on documents that have both; empty for a
    model with one language. See `compare_sides`.
    """
    return tuple(
        LanguagePair(pair, sides.documents, sides.mrr, sides.chance, Measure.of(sides.cross_lingual_npmi))
        for pair, sides in compare_sides(topics, corpus, MOST_ALIGNED).items()
    )
