"""`stickbreaker evaluate` of topics: document completion, coherence, diversity, labels, languages."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import Outcome, note
from stickbreaker.console.document_scores import learned_from_lines, note_all_unseen
from stickbreaker.console.inputs import ReadingChoice, open_or_build
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.console.table_files import refuse_table, write_tables
from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.topics.cli.coherence_counts import coherence_counts, counted_line
from stickbreaker.topics.cli.topics import open_model
from stickbreaker.topics.cli.unseen import lines_of_spelling, spelled_topics, summarize_spelling

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.evaluation import Coherence, HeldOutScore, OpenTopics, StringScore, Topics
    from stickbreaker.topics.topic_estimator import TopicEstimator

MEASURES = {"npmi": "NPMI", "umass": "UMass", "c_v": "C_v"}
MOST_ALIGNED = 10_000  # documents among which the other side is looked for


def evaluate_topics(asked: ScoringRequest) -> Outcome:
    """Score a topic model as a call of `stickbreaker evaluate` asks. Returns the scores as values for JSON,
    and the function that turns them into text.

    `asked` has the model, the documents and the options; scores that were not asked for are None.
    "learned_from" is the share of the documents that the model was learned from.
    """
    from stickbreaker.topics.evaluation.learned_documents import share_learned_from
    from stickbreaker.topics.open_topics import scored_topics

    given, reading = asked.options, asked.reading
    reference, labels, by = given["reference"], given["labels"], given["by"]
    of_documents = _of_documents(reading, reference)
    table = given["diagnostics"]
    if table is not None:
        refuse_table(table, given["overwrite"])
    estimator, corpus = open_model(asked.model, "evaluate", asked.inputs, of_documents, asked.threads)
    field = None if labels is None else _values(corpus, labels)
    known = corpus if reference is None else _reference(estimator, reference, reading)
    topics = scored_topics(estimator)
    spelled = spelled_topics(estimator, topics, given["unseen"], given["spelling_of"])
    with naming(" ".join(asked.inputs)):
        result = _completion(topics, spelled, corpus, given["completion"])
    result["learned_from"] = share_learned_from(asked.model, corpus)
    note_all_unseen(result)
    whole = _left_to_right(topics, spelled, corpus, given["particles"]) if given["left_to_right"] else None
    result |= {
        "left_to_right": whole,
        "bound": _bound(estimator, corpus) if given["bound"] else None,
        "coherence": _coherences(topics, known, reference, by, asked.model),
        "diversity": _diversity(estimator, topics, by),
        "labels": None if field is None else {"field": labels, **_label_scores(topics, corpus, field)},
        "language_pairs": _language_pairs(topics, corpus),
    }
    if table is not None:
        _write_diagnostics(estimator, corpus, result["coherence"], table, given["overwrite"])
    return result, _as_text


def _write_diagnostics(
    estimator: "TopicEstimator", corpus: "Corpus", coherence: list[JsonObject], out: Path, overwrite: bool
) -> None:
    """Write a table of diagnostics to `out`, with a row per topic (option --diagnostics); in a polylingual
    model, for the words of its first language.

    `coherence`: the result of `_coherences`.
    """
    import numpy as np
    import pyarrow as pa

    from stickbreaker.corpus.shards import tokens_by_document
    from stickbreaker.topics.evaluation.diagnostics import diagnostics_of

    blocks = [corpus.bags(block) for block in range(len(corpus.block_sizes))]
    shares = np.concatenate([estimator._block_shares(corpus, block) for block in range(len(blocks))])
    tokens = np.concatenate([tokens_by_document(bags.offsets, bags.counts) for bags in blocks])
    words, part = estimator.vocabulary_.spelled, estimator.vocabulary_.parts[0]
    rows = estimator._ranked_words(10, part).words.tolist()
    found = diagnostics_of(estimator.topic_word_[:, part], rows, words, shares, tokens)
    n = len(rows)
    columns: JsonObject = {
        "topic": pa.array(range(n), pa.int32()),
        "name": pa.array(estimator.topic_names_ or [None] * n, pa.string()),
        "share": pa.array(estimator.topic_shares_),
        **{name: pa.array(values) for name, values in found._asdict().items()},
        **{name: pa.array(coherence[0][name]["per_topic"]) for name in MEASURES if coherence},
        "words": pa.array([" ".join(words[row] for row in own) for own in rows]),
    }
    table = pa.table(columns)
    write_tables([table], table.schema, out, overwrite=overwrite)
    note(f"{out}: diagnostics of {counted(n, 'topic')}")


def _of_documents(reading: ReadingChoice, reference: str | None) -> ReadingChoice:
    """The options for reading the documents to score. If the reference of coherence is raw files, they no
    longer count as written by the user.

    Otherwise they would be refused if the documents are a built corpus, though the user may have written them
    for the reference.
    """
    from stickbreaker.corpus.store import is_store

    raw = reference is not None and not is_store(Path(reference))
    return replace(reading, given=()) if raw else reading


def _reference(estimator: "TopicEstimator", reference: str, reading: ReadingChoice) -> "Corpus":
    """The corpus in which coherence counts words, read with the estimator's vocabulary: a built corpus, or
    raw files, which are read with the options for the documents.
    """
    from stickbreaker.corpus.store import is_store

    if is_store(Path(reference)):
        reading = replace(reading, given=())
    vocabulary, analysis = estimator.vocabulary_, estimator.analysis_
    return open_or_build((reference,), reading, analysis=analysis, vocabulary=vocabulary)


def _completion(topics: "Topics", spelled: "OpenTopics | None", corpus: "Corpus", share: float) -> JsonObject:
    from stickbreaker.topics.evaluation import completion_of, completion_of_strings

    strings = None if spelled is None else completion_of_strings(spelled, corpus, share)
    scored = completion_of(topics, corpus, share) if strings is None else strings.held_out
    return completion_figures(share, scored, strings, corpus.n_documents, corpus.n_empty, corpus.unseen_share)


def completion_figures(
    share: float,
    scored: "HeldOutScore",
    strings: "StringScore | None",
    documents: int,
    empty: int,
    unseen_share: float,
) -> JsonObject:
    """The scores of document completion as values for JSON, as `stickbreaker evaluate` reports them.

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
        "spelled": summarize_spelling(strings),
    }


def _left_to_right(
    topics: "Topics", spelled: "OpenTopics | None", corpus: "Corpus", particles: int
) -> JsonObject:
    from stickbreaker.topics.evaluation import left_to_right_of, left_to_right_of_strings

    documents = counted(corpus.n_documents, "document")
    note(f"scoring {documents} left to right, by {counted(particles, 'particle')}")
    start = time.perf_counter()
    strings = None if spelled is None else left_to_right_of_strings(spelled, corpus, particles)
    scored = left_to_right_of(topics, corpus, particles) if strings is None else strings.held_out
    seconds = time.perf_counter() - start
    return {
        "particles": particles,
        "scored_tokens": scored.tokens,
        **_held_out(scored),
        "spelled": summarize_spelling(strings),
        "seconds": round(seconds, 2),
    }


def _bound(estimator: "TopicEstimator", corpus: "Corpus") -> dict[str, float]:
    """The lower bound on the documents' log probability, in nats per token, and the number of tokens of known
    words, as values for JSON.

    Raises UserError for an open vocabulary.
    """
    if estimator._is_open:
        remedy = "leave --bound out: log p of all strings is what is scored"
        raise UserError("an open vocabulary has no bound on new documents", remedy=remedy)
    nats, tokens = estimator._bound_documents(corpus)
    return {"tokens": tokens, "nats_per_token": nats / max(tokens, 1.0)}


def _held_out(scored: "HeldOutScore") -> dict[str, float]:
    names = ("nats_per_word", "perplexity", "unigram_nats_per_word", "unigram_perplexity")
    return {name: getattr(scored, name) for name in names}


def _coherences(
    topics: "Topics", known: "Corpus", reference: str | None, by: str, model: Path
) -> list[JsonObject]:
    """The three measures of coherence as values for JSON, one entry per language of a polylingual model,
    otherwise a single one.

    known: the corpus in which words are counted, of the model's own corpus only the documents held out if
    there are any; reference: its path, None if it is the documents; by: how words are ranked; model: where it
    is saved.
    """
    from stickbreaker.saved.own_corpus import held_out_of_own_corpus
    from stickbreaker.topics.evaluation import coherence_of
    from stickbreaker.topics.evaluation.learned_documents import share_learned_from

    held_out = held_out_of_own_corpus(model, known)
    learned = 0.0 if held_out is not None else share_learned_from(model, known)
    return [
        {
            "reference": reference,
            "by": by,
            "language": language,
            **coherence_counts([scores]),
            "held_out": held_out is not None,
            "learned_from": learned,
            **{name: _measure(getattr(scores, name)) for name in MEASURES},
        }
        for language, scores in coherence_of(topics, known, by=by, documents=held_out).items()
    ]


def _measure(scores: "Coherence") -> dict[str, object]:
    per_topic = scores.per_topic.tolist()
    return {"mean": scores.mean, "per_topic": per_topic, "unseen_pairs": scores.unseen_pairs}


def _diversity(estimator: "TopicEstimator", topics: "Topics", by: str) -> dict[str, object]:
    from stickbreaker.topics.evaluation import diversity_of, effective_topics
    from stickbreaker.topics.evaluation.diversity import TOP

    return {
        "top_words": TOP,
        "diversity": diversity_of(topics, by=by),
        "topics": len(estimator.alpha_),
        "effective_topics": effective_topics(estimator.topic_shares_),
        "unused_topics": estimator.unused_topics_,
    }


def _values(corpus: "Corpus", field: str) -> list[Hashable]:
    """Each document's label: its value of a metadata field (option --labels). It is None if the field is
    missing, and the first value, with a note, if there are several.

    Raises UserError if no document has the field.
    """
    from stickbreaker.corpus.metadata import metadata_from

    if field not in corpus.metadata_fields:
        fields = ", ".join(corpus.metadata_fields) or "none"
        raise UserError(f"no document has the field {field!r}", remedy=f"there are: {fields}")
    blocks = (corpus.source.read(block) for block in range(len(corpus.block_sizes)))
    values = [metadata_from(text).get(field) for table in blocks for text in table["metadata"].to_pylist()]
    if any(isinstance(value, list) and len(value) > 1 for value in values):
        note(f"documents have several values of {field}; the first of each is its label")
    return [next(iter(value), None) if isinstance(value, list) else value for value in values]


def _label_scores(topics: "Topics", corpus: "Corpus", values: Sequence[Hashable]) -> dict[str, object]:
    from stickbreaker.corpus.shards import Bags
    from stickbreaker.topics.evaluation import classify_labels

    bags = Bags.join([corpus.bags(block) for block in range(len(corpus.block_sizes))])
    scores = classify_labels(topics.infer(bags), values, bags, len(topics.vocabulary))
    return {
        **scores._asdict(),
        **{name: getattr(scores, name)._asdict() for name in ("topics", "words", "majority")},
    }


def _language_pairs(topics: "Topics", corpus: "Corpus") -> list[dict[str, object]]:
    """For each pair of languages, how well a model's topics agree on documents that have both, as values for
    JSON; empty for a model with one language. See `compare_sides`.
    """
    from stickbreaker.topics.evaluation import compare_sides

    return [
        {"languages": list(pair), **sides._asdict(), "cross_lingual_npmi": _measure(sides.cross_lingual_npmi)}
        for pair, sides in compare_sides(topics, corpus, MOST_ALIGNED).items()
    ]


# As text


def completion_lines(scores: JsonObject) -> list[str]:
    """The scores of document completion as lines of text.

    scores: as from `completion_figures`, and "learned_from" as from `evaluate_topics`.
    """
    return [
        f"{counted(scores['documents'], 'document')}, {counted(scores['scored_tokens'], 'word')} predicted, "
        f"{100 * scores['unseen_share']:.1f} % of the words unseen",
        *learned_from_lines(scores["learned_from"]),
        *_held_out_lines(scores, ""),
    ]


def _as_text(result: JsonObject) -> str:
    lines = completion_lines(result)
    whole = result.get("left_to_right")
    if whole is not None:
        words, particles = counted(whole["scored_tokens"], "word"), counted(whole["particles"], "particle")
        lines += ["", f"Left to right: {words}, {particles}"]
        lines += _held_out_lines(whole, f"  ({whole['seconds']:.1f} s)")
    bound = result.get("bound")
    if bound is not None:
        lines += ["", f"Bound on log p of whole documents: {bound['nats_per_token']:.4f} nats/token"]
    for one in result.get("coherence", ()):
        lines += ["", *_coherence_lines(one)]
    if "diversity" in result:
        lines += ["", _diversity_line(result["diversity"])]
    if result.get("labels") is not None:
        lines += ["", *_label_lines(result["labels"])]
    for pair in result.get("language_pairs", ()):
        lines += ["", *_pair_lines(pair)]
    return "\n".join(lines)


def _held_out_lines(scores: JsonObject, after: str) -> list[str]:
    return [
        *lines_of_spelling(scores["spelled"]),
        f"             nats/word  perplexity{after}",
        f"  model      {scores['nats_per_word']:9.4f}  {scores['perplexity']:10.1f}",
        f"  unigram    {scores['unigram_nats_per_word']:9.4f}  {scores['unigram_perplexity']:10.1f}",
    ]


def _coherence_lines(coherence: JsonObject) -> list[str]:
    place = f" of {coherence['reference']}" if coherence["reference"] else ""
    language = f" in {coherence['language']}" if coherence["language"] else ""
    documents = counted(coherence["documents"], "document")
    lines = [
        f"Coherence of top words{language}, in {documents}{place}, {_learned(coherence)}",
        f"  {counted_line(coherence)}",
        "                  mean     lowest    highest  pairs that never meet",
    ]
    for name, label in MEASURES.items():
        one = coherence[name]
        low, high = min(one["per_topic"]), max(one["per_topic"])
        lines.append(f"  {label:<10} {one['mean']:9.3f}  {low:9.3f}  {high:9.3f}  {one['unseen_pairs']:>9}")
    return lines


def _learned(coherence: JsonObject) -> str:
    """Whether the model has learned from the documents in which coherence counted words, as text."""
    if coherence["held_out"]:
        return "held out when the model was learned"
    share = coherence["learned_from"]
    if share is None:
        return "perhaps learned from (unknown)"
    if share == 0.0:
        return "not learned from"
    part = "" if share == 1.0 else f"{max(0.1, 100 * share):.1f} % of them "
    return f"{part}learned from, where the words were chosen: expect less in others"


def _diversity_line(spread: JsonObject) -> str:
    topics = counted(spread["topics"], "topic")
    return (
        f"Diversity: {100 * spread['diversity']:.0f} % of the {spread['top_words']} top words of all topics "
        f"are distinct; {spread['effective_topics']:.1f} of {topics} in effective use, "
        f"{len(spread['unused_topics'])} unused"
    )


def _label_lines(scores: JsonObject) -> list[str]:
    left_out = f", {scores['left_out']} left out" if scores["left_out"] else ""
    lines = [
        f"Labels by {scores['field']}: {counted(scores['documents'], 'document')}, "
        f"{counted(scores['classes'], 'label')}{left_out}",
        "             accuracy  macro F1",
    ]
    for name in ("topics", "words", "majority"):
        lines.append(f"  {name:<10} {scores[name]['accuracy']:9.3f} {scores[name]['macro_f1']:9.3f}")
    return lines


def _pair_lines(pair: JsonObject) -> list[str]:
    first, second = pair["languages"]
    return [
        f"{first} and {second}: {counted(pair['documents'], 'document')} with both sides",
        f"  the other side's mean reciprocal rank {pair['mrr']:.3f} (by chance {pair['chance']:.3f})",
        f"  cross-lingual NPMI {pair['cross_lingual_npmi']['mean']:.3f}, "
        f"{pair['cross_lingual_npmi']['unseen_pairs']} pairs never meet",
    ]
