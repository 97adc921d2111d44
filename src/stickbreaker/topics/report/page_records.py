"""From a saved model to the records of its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.topk import descending
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.learning.schedules import Online
from stickbreaker.pages.changes import Changes, changes_of, of_stream
from stickbreaker.pages.saved_models import readable_manifest, settings_of
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.model.word_ranking import leading_words
from stickbreaker.topics.names.given_names import FILE_WORDS
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.report.compare import matches
from stickbreaker.topics.report.dates_and_groups import breakdowns_of, sums_of, times_of
from stickbreaker.topics.report.display_words import WordFigures, apart, choose_words, look_at
from stickbreaker.topics.report.document_entries import read_documents, read_metadata_sums
from stickbreaker.topics.report.genealogy import growth_of
from stickbreaker.topics.report.hierarchy import relate_used
from stickbreaker.topics.report.maps.document_map import place_documents
from stickbreaker.topics.report.maps.topic_map import nearest_topics, place_used, topic_distances
from stickbreaker.topics.report.page_data import (
    Breakdown,
    DocumentEntry,
    Growth,
    Prediction,
    SearchFacts,
    Topic,
    TopicMember,
    TracePoint,
    WordList,
    WordRow,
)
from stickbreaker.topics.report.topic_page import TopicPage
from stickbreaker.topics.report_documents import OF_OTHERS, likeliest_topics, nats_by_word_shares
from stickbreaker.topics.runs.stream_warnings import large_minibatches, warning_text
from stickbreaker.topics.topic_estimator import TopicEstimator, load_topics

Floats = NDArray[np.floating]

REPRESENTATIVE = 6  # documents shown with a topic
LEAST_SHARE = 0.05  # of a document that a topic has, if it is to represent the topic
LEAST_WORDS = 10  # a document shorter than this represents nothing
TOP_WORDS = 10  # of a topic, beside those in the trace of its run
SHOWN = 12  # words of a language, or concepts, that stand side by side
MOST_POINTS = 150  # of predictions: of longer runs each is a mean over several minibatches
UNUSED = "unused"  # the label of a topic that has next to no tokens
MOST_SPREAD = 16_000  # words whose topics are listed
SPREAD_AT_ONCE = 1000
SPREAD_TOPICS = 12  # of a word, those with most of it
LEAST_SPREAD = 0.01  # of a word that a topic has, to be listed
MOST_WORDS = 8000  # of the vocabulary, the most frequent


def page_of(
    path: Path,
    title: str,
    *,
    date_field: str | None = None,
    group_field: str | None = None,
    language: str | None = None,
    compare: Path | None = None,
) -> TopicPage:
    """The report of the model at `path`.

    `date_field` and `group_field` are metadata fields to draw topics over and by; None looks for them.
    `language` is that of the words which name topics of several languages; None takes the one with most
    words. `compare` is another model, to match topics with. Raises UserError for what is not a model
    (a run over a corpus that is not finished is none), for fields that its documents lack, and for a language
    that it has not.
    """
    manifest = readable_manifest(path)
    model = load_topics(path, "report")
    leading = _leading_language(model, language)
    with making_sense_of(path, RESTORE):
        return _page_of(path, manifest, model, title, leading, date_field, group_field, compare)


def _page_of(
    path: Path,
    manifest: dict[str, Any],
    model: TopicEstimator,
    title: str,
    leading: str,
    date_field: str | None,
    group_field: str | None,
    compare: Path | None,
) -> TopicPage:
    """The report of a model, whose words in the language `leading` name topics."""
    documents, figures = read_documents(path)
    corpus = manifest["corpus"]
    K = len(model.alpha_)
    if len(figures.get("coherence", range(K))) != K or any(k >= K for one in documents for k, _ in one.mix):
        raise ValueError("documents of a model of other topics")
    times, groups = _breakdowns(path, documents, K, date_field, group_field)
    named = NamedTopics(model)  # from here on, topics of one name are one
    documents = [_joined_document(document, named) for document in documents] if named.joined else documents
    times = _joined_breakdown(times, named) if times else None
    groups = [_joined_breakdown(group, named) for group in groups]
    seen = look_at(named.words, named.shares, model.vocabulary_.parts, named.ranked_words)
    distances = topic_distances(apart(named.words, seen))
    used = np.delete(np.arange(len(named.members)), named.unused)
    positions = place_used(distances, used)
    partners = matches(named, compare) if compare else [None] * len(named.members)
    coherence = named.means(figures["coherence"]).tolist() if figures.get("coherence") else None
    trace, score_kind = _scores(model)
    topics = _topics(named, seen, leading, documents, nearest_topics(distances), coherence, partners)
    return TopicPage(
        title=title,
        subtitle=_subtitle(named, corpus["documents"]),
        facts=_facts(model, manifest, figures),
        settings=settings_of(manifest, {"concepts": _concepts_in_words}),
        topics=topics,
        spread=_spread(named, leading, topics),
        positions=positions,
        relations=relate_used(distances, used) if len(used) > 2 else None,
        times=times,
        groups=groups,
        documents=documents,
        document_places=place_documents(documents, positions) if len(used) > 1 else (),
        documents_total=figures.get(OF_OTHERS, corpus["documents"]),
        words=_words(named, seen.overall),
        words_total=len(model.vocabulary_),
        trace=trace,
        score_kind=score_kind,
        unigram=_unigram(model, manifest, figures),
        unigram_held_out=figures.get("unigram_held_out"),
        compared=compare.resolve().name if compare else "",
        growth=_growth(named),
        search=_search(model, manifest["settings"]),
        changes=_changes(path, named),
        predictions=predictions_of(model.trace_),
        warnings=warnings_of_run(model.trace_, manifest, model.learning_schedule()),
    )


def _breakdowns(
    path: Path,
    documents: list[DocumentEntry],
    n_topics: int,
    date_field: str | None,
    group_field: str | None,
) -> tuple[Breakdown | None, list[Breakdown]]:
    """Topics over time and by group, of all documents where the model has their sums, else of its sample."""
    sums = read_metadata_sums(path, n_topics)
    whole = sums or sums_of(documents, n_topics)
    times = times_of(whole, date_field)
    dated = times.field if times else None
    of_sample = sums is None
    if sums and group_field in sums.fields and sums.fields[group_field].values is None:  # too many to sum
        groups, of_sample = breakdowns_of(sums_of(documents, n_topics), group_field, dated), True
    else:
        groups = breakdowns_of(whole, group_field, dated)
    if times and sums is None:
        times = replace(times, sampled=True)
    return times, [replace(group, sampled=of_sample) for group in groups]


def _subtitle(named: NamedTopics, n_documents: int) -> str:
    """How many topics were learned, and as how many they are shown."""
    n_topics = len(named.model.alpha_) - len(named.model.unused_topics_)
    learned = f"{counted(n_topics, 'topic')} learned from {counted(n_documents, 'document')}"
    n_shown = len(named.members) - len(named.unused)
    return f"{learned}, shown as {n_shown}: those of one name are one" if named.joined else learned


def _joined_document(document: DocumentEntry, named: NamedTopics) -> DocumentEntry:
    """A document whose topics of one name are one."""
    marks = [(start, length, int(named.group_of[k])) for start, length, k in document.marks]
    return replace(document, mix=named.mix(document.mix), marks=marks)


def _joined_breakdown(part: Breakdown, named: NamedTopics) -> Breakdown:
    """The shares of parts of the collection, of topics of one name their sum."""
    return replace(part, shares=named.sums(part.shares).tolist()) if named.joined else part


def _topics(
    named: NamedTopics,
    seen: WordFigures,
    leading: str,
    documents: list[DocumentEntry],
    near: list[list[int]],
    coherence: list[float] | None,
    partners: Sequence[tuple[str, float] | None],
) -> list[Topic]:
    share = np.zeros((len(documents), len(named.members)))
    for d, document in enumerate(documents):
        if document.n_tokens >= LEAST_WORDS:
            for topic, part in document.mix:
                share[d, topic] = part
    topics: list[Topic] = []
    concepts = _concepts(named)
    members = _members(named, leading)
    for k, (words, sides) in enumerate(_shown(named.model, leading, seen)):
        most = descending(share[:, k], REPRESENTATIVE).tolist()
        order = [d for d in most if share[d, k] > LEAST_SHARE]
        unused = k in named.unused
        if unused:
            words, sides = (), ()
        given = "" if unused else named.given[k] or ""
        guided = "" if unused else named.guided[k] or ""
        topics.append(
            Topic(
                id=named.members[k][0],
                label=UNUSED if unused else given or guided or ", ".join(word for word, _, _ in words[:3]),
                share=float(named.shares[k]),
                words=words,
                documents=order,
                similar=[] if unused else [named.members[j][0] for j in near[k] if j not in named.unused],
                unused=unused,
                named=bool(given or guided),
                coherence=coherence[k] if coherence and not unused else None,
                match=partners[k],
                sides=sides if unused else (*sides, *concepts[k]),
                given=given,
                guided=guided,
                members=[] if unused else members[k],
            )
        )
    return topics


def _members(named: NamedTopics, leading: str) -> list[list[TopicMember]]:
    """The learned topics of each that is shown, with the words by which a model knows them again."""
    model = named.model
    vocabulary = model.vocabulary_
    side = vocabulary.ranges[leading] if leading else slice(0, len(vocabulary))
    first = model.ranked_words(FILE_WORDS, side).words.tolist()
    return [
        [TopicMember(k, model.topic_ids_[k], [vocabulary.spelled[row] for row in first[k]]) for k in group]
        for group in named.members
    ]


def _shown(
    model: LearnedTopics, leading: str, seen: WordFigures
) -> Iterator[tuple[WordList, Sequence[tuple[str, WordList]]]]:
    """Each topic's words (of several languages, the leading one), and its words by language."""
    vocabulary = model.vocabulary_
    for likely, first in zip(seen.likely, seen.first, strict=True):
        sides: dict[str, WordList] = {}
        codes = vocabulary.languages or ("",)
        for code, (rows, probabilities), own in zip(codes, likely, first, strict=True):
            spelled = [vocabulary.spelled[row] for row in rows.tolist()]
            sides[code] = choose_words(probabilities, seen.overall[rows], spelled, own)
        if not vocabulary.languages:
            yield sides[""], ()
            continue
        yield sides[leading], tuple((code, words[:SHOWN]) for code, words in sides.items())


def _spread(
    named: NamedTopics, leading: str, topics: Sequence[Topic]
) -> list[tuple[str, list[tuple[int, float]]]]:
    """How words' tokens divide over the topics, p(k|w) ∝ p(k) p(w|k); those that lead a topic first."""
    vocabulary = named.model.vocabulary_
    side = vocabulary.ranges[leading] if leading else slice(0, len(vocabulary))
    place = {vocabulary.spelled[row]: row for row in range(side.start, side.stop)}
    ranks: dict[str, int] = {}
    for topic in topics:
        for rank, (word, _, _) in enumerate(topic.words):
            ranks[word] = min(rank, ranks.get(word, rank))
    words = sorted(ranks, key=lambda word: ranks[word])[:MOST_SPREAD]
    found: list[tuple[str, list[tuple[int, float]]]] = []
    for start in range(0, len(words), SPREAD_AT_ONCE):
        part = words[start : start + SPREAD_AT_ONCE]
        joint = named.words.of(np.array([place[word] for word in part])) * named.shares[:, None]
        shares = joint / np.maximum(joint.sum(axis=0), 1e-300)
        for word, column in zip(part, shares.T, strict=True):
            most = descending(column, SPREAD_TOPICS)
            found.append((word, [(int(k), float(column[k])) for k in most if column[k] >= LEAST_SPREAD]))
    return found


def _concepts(named: NamedTopics) -> list[Sequence[tuple[str, WordList]]]:
    """Each topic's concepts, as a column of their own; nothing where there are none."""
    tops = named.top_concepts(SHOWN)
    shares = named.shares / max(float(named.shares.sum()), 1e-300)
    names, by_topic = named.concept_shares
    overall = dict(zip(names, (by_topic @ shares).tolist(), strict=True))
    return [
        (("concepts", [(name, share, overall[name]) for name, share in own]),) if own else () for own in tops
    ]


def _leading_language(model: TopicEstimator, wanted: str | None) -> str:
    """The language wanted, or that with the most words in the collection; "" unless there are several."""
    languages = model.vocabulary_.languages
    if wanted is not None and wanted not in languages:
        available = ", ".join(languages) or "one language"
        raise UserError(f"there is no language {wanted!r}", remedy=f"the model has {available}")
    if wanted is not None:
        return wanted
    tokens = {code: model.vocabulary_.tokens[rows].sum() for code, rows in model.vocabulary_.ranges.items()}
    return max(tokens, key=lambda code: tokens[code], default="")


def _words(named: NamedTopics, overall: Floats) -> list[WordRow]:
    """The most frequent words of the vocabulary, each with the topic that most of its tokens belong to.

    `overall`: their shares of all words by the model, which stand in for counts where there are none.
    """
    vocabulary = named.model.vocabulary_
    counted = vocabulary.is_counted
    if counted:
        frequent = np.argsort(-vocabulary.tokens, kind="stable")[:MOST_WORDS]
    else:
        frequent = descending(overall, MOST_WORDS)
    best = likeliest_topics(frequent, named.shares, named.words)
    language = {row: code for code, rows in vocabulary.ranges.items() for row in range(rows.start, rows.stop)}
    return [
        WordRow(
            vocabulary.spelled[row],
            float(vocabulary.tokens[row]) if counted else None,
            int(vocabulary.documents[row]) if counted else None,
            int(k),
            language.get(row, ""),
            None if counted else float(overall[row]),
        )
        for row, k in zip(frequent.tolist(), best.tolist(), strict=True)
    ]


def _unigram(model: TopicEstimator, manifest: dict[str, Any], figures: dict[str, Any]) -> float | None:
    """What words alone score on the documents learned from; None where it cannot be known exactly."""
    if not model.trace_ or any(record["kind"] == "joint" for record in model.trace_):
        return None  # such scores are of words and topics together
    if "unigram" in figures:
        return figures["unigram"]
    vocabulary = model.vocabulary_
    if manifest["held_out"] or not vocabulary.is_counted:
        return None
    return nats_by_word_shares(vocabulary.tokens, vocabulary.tokens, vocabulary.ranges)


def _growth(named: NamedTopics) -> Growth | None:
    """How the topics came about, of a model that tells it in its trace; each topic has a life of its own."""
    model = named.model
    if not any("topics" in record or "edits" in record for record in model.trace_):
        return None
    top = leading_words(model.topic_words, TOP_WORDS)[0].tolist()
    growth = growth_of(model.trace_, model.topic_ids_, model.vocabulary_.spelled, top)
    if growth is None or not named.joined:
        return growth
    lives = [
        life if life.topic is None else replace(life, topic=int(named.group_of[life.topic]))
        for life in growth.lives
    ]
    return replace(growth, lives=lives)


def _search(model: TopicEstimator, settings: dict[str, Any]) -> SearchFacts | None:
    """The runs of the search for the number of topics; None of a model that made one run."""
    found = model.search_range()
    if found is None:
        return None
    points = [(point.topics, point.used, point.bound, point.held_out, point.final) for point in model.search_]
    return SearchFacts(settings["judge"], points, found.fewest, found.most, found.at_most, found.few)


def _changes(path: Path, named: NamedTopics) -> Changes | None:
    """How the topics changed, of a model that kept snapshots or tells of its vocabulary in its trace; of
    topics of one name the largest."""
    model = named.model
    ids = [model.topic_ids_[group[0]] for group in named.members]
    return changes_of(ModelDirectory(path).evolution(), ids, model.trace_)


def _length_of_run(model: TopicEstimator, manifest: dict[str, Any]) -> tuple[str, str]:
    """How long a run was, as a fact: in sweeps, of a stream in steps, else in passes."""
    if model.gibbs_settings():
        unit, more = "sweep", "s"
    elif "stream" in manifest or "arriving" in manifest or of_stream(model.trace_):
        unit, more = "step", "s"
    else:
        unit, more = "pass", "es"
    return unit + ("" if model.n_iter_ == 1 else more), f"{model.n_iter_:,}"


def _facts(model: TopicEstimator, manifest: dict[str, Any], figures: dict[str, Any]) -> list[tuple[str, str]]:
    corpus = manifest["corpus"]
    seconds = model.trace_[-1].get("seconds") if model.trace_ else None
    held_out = [record["held_out"] for record in model.trace_ if "held_out" in record]
    facts = [
        ("documents", f"{corpus['documents']:,}"),
        ("words read", f"{corpus['tokens']:,.0f}"),
        ("distinct words", f"{len(model.vocabulary_):,}"),
        ("topics", str(len(model.alpha_) - len(model.unused_topics_))),
        _length_of_run(model, manifest),
    ]
    if model.unused_topics_:
        facts.append(("topics unused", str(len(model.unused_topics_))))
    if held_out:
        facts.append(("held-out nats a word", f"{held_out[-1]:.3f}"))
    if figures.get("coherence"):
        used = np.delete(figures["coherence"], model.unused_topics_)
        facts.append(("mean coherence (NPMI)", f"{used.mean():.3f}"))
    if model.updates_:
        facts.append(("updated", "; ".join(one.text for one in model.updates_)))
    if seconds is not None:
        label = "seconds of this run, without the search" if model.search_ else "seconds of learning"
        facts.append((label, f"{seconds:,.0f}" if seconds >= 10 else f"{seconds:.1f}"))
    return facts


def _concepts_in_words(held: dict[str, Any]) -> str:
    """The setting of a tree of concepts."""
    return f"{len(held['concepts']):,} concepts, strength {held['strength']:g}"


def predictions_of(trace: Sequence[dict[str, Any]]) -> list[Prediction]:
    """The predictions of a run, the mean a word of so many minibatches that there are few points."""
    records = [record for record in trace if "prequential" in record]
    size = -(-len(records) // MOST_POINTS) or 1
    return [_mean_prediction(records[start : start + size]) for start in range(0, len(records), size)]


def _mean_prediction(records: Sequence[dict[str, Any]]) -> Prediction:
    """Several minibatches as one, at the place of the last."""
    found, last = [record["prequential"] for record in records], records[-1]
    tokens = sum(each["tokens"] for each in found) or 1.0
    score, unigram = (
        sum(each[name] * each["tokens"] for each in found) / tokens for name in ("score", "unigram")
    )
    return Prediction(int(last["documents"]), last.get("seconds", 0.0), score, unigram)


def warnings_of_run(trace: Sequence[dict[str, Any]], manifest: dict[str, Any], schedule: object) -> list[str]:
    """What a run has warned of, in words; of a stream also whether its minibatches were large beside it."""
    warnings = [warning for record in trace for warning in record.get("warnings", ())]
    ended = manifest["status"] == "done" if "stream" in manifest else "arriving" in manifest
    if ended and isinstance(schedule, Online):
        warnings += large_minibatches(schedule.batch_size, manifest["corpus"]["documents"])
    return [warning_text(warning) for warning in warnings]


def _scores(model: TopicEstimator) -> tuple[list[TracePoint], str]:
    """The scores of a run, and what they are, a kind: of its passes where a step's are of something else.

    A step of a memoised run tells how its documents score given the topics; its passes have a bound.
    """
    records = model.trace_
    if records and model.learning_schedule().keeps_reports and "pass_score" in records[-1]:
        passes = [record for record in records if "pass_score" in record]
        return [_point(record, "pass_score") for record in passes], model.state_.kind
    kind = next((record["kind"] for record in reversed(records) if "score" in record), "bound")
    return [_point(record) for record in records], kind


def _point(record: dict[str, Any], score: str = "score") -> TracePoint:
    return TracePoint(
        step=record["step"],
        documents=int(record["documents"]),
        seconds=record.get("seconds", 0.0),
        score=record.get(score),
        held_out=record.get("held_out"),
        passes=record["pass"],
    )
