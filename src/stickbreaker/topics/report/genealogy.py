"""How the topics of a model came about by splits and merges, as the trace of its run records it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.pages.changes import times_of_records
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.word_ranking import leading_words
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.trace_fields import ALIKE, CLOSE, OPEN

MOST_LINES = 120  # of the genealogy
MOST_MOVES = 300  # of the table
MOST_SPLITS = 60  # to choose from
MOST_COLUMNS = 5  # after a split
NAMING_WORDS = 3
TOP_WORDS = 10  # of a topic, next to those in the trace of its run

Record = JsonObject
Kept = Sequence[tuple[float, Record]]  # the time and the record of steps whose words were kept
Rows = Sequence[int] | Sequence[str]  # a topic's first words: rows of the vocabulary, or spelled
Columns = list[tuple[float, Rows, Rows]]  # the words of two topics at a time, none of one that is gone


@dataclass(frozen=True, slots=True)
class Life:
    """A topic that took part in a split or merge, from its birth to its end, for the drawing of the topics'
    history. Times are in the unit of `Growth`, passes or steps.

    `id`: stays the same throughout the run. `parent`: the topic from which it was split; `into`: the topic
    into which it was merged; `end`: None if it still exists. `topic`: its index in `TopicReport.topics`, None
    if it is not there. `words`: its first words when last recorded.
    """

    id: int
    born: float = 0.0
    end: float | None = None
    parent: int | None = None
    into: int | None = None
    topic: int | None = None
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TopicMove:
    """A split (`topic` stayed, `other` is new) or a merge (`other` became part of `topic`), at the time `at`.

    `kind`: "split" or "merge". Topics are given by ids that stay the same throughout the run. `gain`: by how
    much the bound rose, in nats (in a stream with births: how much better documents were predicted); None if
    the move was not judged by a gain.
    """

    kind: str
    at: float
    topic: int
    other: int
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Refinement:
    """How a split refined a topic, shown by first words.

    `before`: the topic's words before the split; `after`: at some later times, (time, the topic's words, the
    new topic's words).
    """

    split: TopicMove
    before: Sequence[str]
    after: Sequence[tuple[float, Sequence[str], Sequence[str]]]


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """The runs of a search for the number of topics, for the report.

    `judge`: what decided, "bound" or "held-out". `points`: for each run (topics at the start, topics in use
    at the end, bound, held-out score or None, whether it ran to its end), scores in nats per word; the last
    run gave the model. `fewest`, `most`: the numbers of topics whose scores are within 0.005 nats per word of
    the best. `at_most`: the best run began with the largest number that was tried, so that more topics might
    be better. `few`: the number of topics that the bound favoured, if held-out documents overruled it; else
    None. `runs`: how many runs are within 0.005 nats per word of the best.
    """

    judge: str
    points: Sequence[tuple[int, int, float, float | None, bool]]
    fewest: int
    most: int
    at_most: bool = False
    few: int | None = None
    runs: int = 1


@dataclass(frozen=True, slots=True)
class Growth:
    """How the topics of a model came about by splits and merges, for the report.

    `unit`: of all times, "pass" or "step". `counts`: a row per time (time, topics in the table, topics in
    use, splits and merges since the row before). `learned`: whether the number of topics is learned; if not,
    the moves are exchanges, each a merge and a split without a gain. `births`: topics opened and closed while
    learning from a stream; gains are then of predictions, not of the bound. `alike`: topics merged that
    documents did not need, by predictions too.

    For the drawing and lists, of which a long run has only a part: `moves`; `refinements`, splits with their
    words; `lines`, the ids of the topics drawn, from the top; `lives`, of all topics that occur in these.

    Numbers over the whole run: `began`, topics at first; `splits`, `merges` and `exchanges`; `changed`,
    topics that took part in a move; `refined`, splits whose words are known.
    """

    unit: str
    counts: Sequence[tuple[float, int, int, int, int]]
    lives: Sequence[Life] = ()
    lines: Sequence[int] = ()
    moves: Sequence[TopicMove] = ()
    refinements: Sequence[Refinement] = ()
    learned: bool = True
    births: bool = False
    alike: bool = False
    exchanges: int = 0
    began: int = 0
    splits: int = 0
    merges: int = 0
    changed: int = 0
    refined: int = 0


def growth_of_topics(named: NamedTopics) -> Growth | None:
    """How the model's topics came about by splits and merges; None if its trace does not record it.

    Each topic of the model has its own history, even if topics share a name; its `Life.topic` is then the
    page's one topic of that name.
    """
    model = named.model
    if not any("topics" in record or "edits" in record for record in model.facts.trace):
        return None
    top = leading_words(model.topic_words, TOP_WORDS)[0].tolist()
    growth = growth_of(model.facts.trace, model.topic_ids, model.vocabulary.spelled, top)
    if growth is None or not named.joined:
        return growth
    lives = [
        life if life.topic is None else replace(life, topic=int(named.group_of[life.topic]))
        for life in growth.lives
    ]
    return replace(growth, lives=lives)


def search_of(model: TopicsLearned, settings: JsonObject) -> SearchFacts | None:
    """The runs of the search for a model's number of topics; None if there was no search. settings: the
    model's parameters.
    """
    found = model.search_range
    if found is None:
        return None
    points = [(point.topics, point.used, point.bound, point.held_out, point.final) for point in model.search]
    return SearchFacts(
        settings["judge"], points, found.fewest, found.most, found.at_most, found.few, found.runs
    )


def growth_of(
    trace: Sequence[Record], topic_ids: Sequence[int], vocabulary: Sequence[str], top_rows: Sequence[Rows]
) -> Growth | None:
    """How topics came about, from the trace of a run; None if the trace has neither numbers of topics nor
    moves.

    Args:
        trace: the run's records. `topics` and `used` are in them if the number of topics is learned; if not,
            it is constant, and times are steps. Splits and merges are in `edits`, and first words of topics
            in `words` and `before` (before a move).
        topic_ids: (K,) the ids of the model's topics, in order; ids stay the same throughout a run.
        vocabulary: (V,) the words.
        top_rows: (K, 10) the rows in the vocabulary of each topic's first words at the end.
    """
    records = [record for record in trace if "topics" in record]
    learned = bool(records)
    if learned:
        unit, times = times_of_records(records)
    elif any("edits" in record for record in trace):
        n_topics = {"topics": len(topic_ids), "used": len(topic_ids)}
        records = [{**record, **n_topics} for record in trace]
        unit, times = "step", [float(record["step"]) for record in trace]
    else:
        return None
    dated = list(zip(times, records, strict=True))
    moves = [move for at, record in dated for move in _moves(at, record)]
    final = dict(zip(topic_ids, top_rows, strict=True))
    lives = lives_of(
        moves, topic_ids, {i: _spelled(rows, vocabulary) for i, rows in (_last_rows(records) | final).items()}
    )
    lines = drawn_lines(_longest(lives))
    greatest = sorted(_greatest(moves, MOST_MOVES), key=lambda move: move.at)
    kept = [(at, record) for at, record in dated if "words" in record]
    refined = _refined(moves, kept)
    shown = _greatest(refined, MOST_SPLITS)
    kinds = [Counter(edit["move"] for edit in record.get("edits", ())) for record in records]
    plans = [edit.get("plan", "") for record in records for edit in record.get("edits", ())]
    return Growth(
        unit=unit,
        learned=learned and (not moves or any(move.gain is not None for move in moves)),
        births=any(plan.partition(" ")[0] in (OPEN, CLOSE) for plan in plans),
        alike=any(plan.partition(" ")[0] == ALIKE for plan in plans),
        exchanges=sum(move.kind == "split" and move.gain is None for move in moves),
        counts=[
            (at, record["topics"], record["used"], kind["split"], kind["merge"])
            for (at, record), kind in zip(dated, kinds, strict=True)
        ],
        lives=[lives[i] for i in sorted({*lines, *_ids(greatest), *_ids(shown)})],
        lines=lines,
        moves=greatest,
        refinements=[_refinement(split, kept, times[-1], lives, final, vocabulary) for split in shown],
        began=records[0]["topics"] - kinds[0]["split"] + kinds[0]["merge"],
        splits=sum(kind["split"] for kind in kinds),
        merges=sum(kind["merge"] for kind in kinds),
        changed=len(lives),
        refined=len(refined),
    )


def _moves(at: float, record: Record) -> list[TopicMove]:
    return [
        TopicMove(edit["move"], at, edit["topic"], edit["new" if "new" in edit else "gone"], edit.get("gain"))
        for edit in record.get("edits", ())
    ]


def _last_rows(records: Sequence[Record]) -> dict[int, Rows]:
    """For each topic id in a trace, the topic's first words (rows of the vocabulary, or strings) as last
    recorded.
    """
    seen: dict[int, Rows] = {}
    for record in records:
        for name in ("before", "words"):
            seen.update({int(i): rows for i, rows in record.get(name, {}).items()})
    return seen


def lives_of(
    moves: Sequence[TopicMove], topic_ids: Sequence[int], words: Mapping[int, Sequence[str]]
) -> dict[int, Life]:
    """The lives of the topics that took part in a split or merge, by topic id.

    topic_ids: of the topics at the end, in order; words: the first words of topics, by id.
    """
    births: dict[int, TopicMove] = {}
    ends: dict[int, TopicMove] = {}
    for move in moves:
        (births if move.kind == "split" else ends)[move.other] = move
    place = {i: k for k, i in enumerate(topic_ids)}
    lives: dict[int, Life] = {}
    for i in sorted(_ids(moves)):
        birth, end = births.get(i), ends.get(i)
        lives[i] = Life(
            id=i,
            born=birth.at if birth else 0.0,
            end=end.at if end else None,
            parent=birth.topic if birth else None,
            into=end.topic if end else None,
            topic=place.get(i),
            words=words.get(i, ())[:NAMING_WORDS],
        )
    return lives


def _longest(lives: Mapping[int, Life]) -> dict[int, Life]:
    """The topics to be drawn, 120 at most: first those that are in the model at the end, then those that
    lived longest.
    """

    def worth(life: Life) -> tuple[bool, float]:
        return life.topic is None, life.born - (float("inf") if life.end is None else life.end)

    return {life.id: life for life in sorted(lives.values(), key=worth)[:MOST_LINES]}


def drawn_lines(lives: Mapping[int, Life]) -> list[int]:
    """The ids of these topics in the order in which their lines are drawn, from the top down, chosen so that
    lines and branches seldom cross.

    Below a topic's line are the topics split from it, the latest nearest, so that a branch crosses no other
    split's line. Above it are topics merged into it that were not split from another, the earliest merged
    nearest.

    >>> lives = [Life(0), Life(1, end=3.0, into=0), Life(2, 1.0, parent=0), Life(3, 2.0, parent=0)]
    >>> drawn_lines({life.id: life for life in lives})
    [1, 0, 3, 2]
    """
    hosts = _hosts(lives)
    guests: defaultdict[int, list[Life]] = defaultdict(list)
    for i, host in hosts.items():
        guests[host].append(lives[i])
    blocks = {root: _block(lives[root], guests) for root in sorted(set(lives) - set(hosts))}
    family = {i: root for root, block in blocks.items() for i in block}
    links: Counter[tuple[int, int]] = Counter()
    for life in lives.values():
        if life.into is not None and life.into in lives:
            one, other = family[life.id], family[life.into]
            links.update([(one, other), (other, one)])
    return [i for root in _chain(list(blocks), links) for i in blocks[root]]


def _hosts(lives: Mapping[int, Life]) -> dict[int, int]:
    """For each topic, the topic next to which it is drawn: its parent or, without one, the topic into which
    it was merged. Topics with neither are missing, as are those that would be drawn next to their own
    descendants.
    """
    hosts = {
        life.id: life.parent for life in lives.values() if life.parent in lives and life.parent is not None
    }
    for life in lives.values():
        if life.id not in hosts and life.into is not None and life.into in lives:
            above: int | None = life.into
            while above is not None and above != life.id:
                above = hosts.get(above)
            if above is None:  # not into a descendant of its own
                hosts[life.id] = life.into
    return hosts


def _block(life: Life, guests: Mapping[int, list[Life]]) -> list[int]:
    """The ids of a topic and, recursively, of all topics drawn next to it (its guests), from top to
    bottom.
    """
    own = guests.get(life.id, [])
    split = sorted((guest for guest in own if guest.parent == life.id), key=lambda guest: -guest.born)
    merged = sorted(
        (guest for guest in own if guest.parent != life.id), key=lambda guest: -(guest.end or 0.0)
    )
    rows = [i for guest in merged for i in reversed(_block(guest, guests))]
    return [*rows, life.id, *(i for guest in split for i in _block(guest, guests))]


def _chain(roots: list[int], links: Counter[tuple[int, int]]) -> list[int]:
    """Put the families of topics in drawing order: after each family comes the one with which it has most
    merges.

    roots: the first topics of the families (the list is emptied); links: the number of merges between two
    families, by their roots.
    """
    order: list[int] = []
    while roots:
        order.append(max(roots, key=lambda root: (links[order[-1], root] if order else 0, -root)))
        roots.remove(order[-1])
    return order


def _refined(moves: Sequence[TopicMove], kept: Kept) -> list[TopicMove]:
    """The splits for which the topics' words before and after are recorded.

    kept: the times and records of the trace that have words.
    """
    known = {(at, int(i)) for at, record in kept for i in record.get("before", {}) if i in record["words"]}
    return [move for move in moves if move.kind == "split" and (move.at, move.topic) in known]


def _refinement(
    split: TopicMove,
    kept: Kept,
    end: float,
    lives: Mapping[int, Life],
    final: Mapping[int, Rows],
    vocabulary: Sequence[str],
) -> Refinement:
    """Describe a split by the first words of its two topics, from just before it until the end of the run.

    kept: the times and records that have words; end: the run's last time; final: each topic's first words at
    the end.
    """
    pair = lives[split.topic], lives[split.other]
    since = [(at, record) for at, record in kept if at >= split.at]
    columns = [column for at, record in since for column in _column(at, record["words"], pair)]
    last = [final.get(life.id, ()) for life in pair]
    if any(last) and (not columns or columns[-1][0] < end):
        columns.append((end, last[0], last[1]))
    before = _spelled(since[0][1]["before"][str(split.topic)], vocabulary)
    after = [(at, _spelled(own, vocabulary), _spelled(new, vocabulary)) for at, own, new in _spread(columns)]
    return Refinement(split, before, after)


def _column(at: float, words: Mapping[str, Rows], pair: tuple[Life, Life]) -> Columns:
    """The first words of a split's two topics at one time, as a list with one entry (time, words of one,
    words of the other); no words for a topic that has ended. The list is empty if the words of a topic that
    exists are not recorded.
    """
    living = [life for life in pair if life.end is None or at < life.end]
    if not living or not all(str(life.id) in words for life in living):
        return []
    own, new = (words[str(life.id)] if life in living else () for life in pair)
    return [(at, own, new)]


def _spread(columns: Columns) -> Columns:
    """Choose at most five entries to show: the first, the last, and evenly spaced ones between them."""
    last = len(columns) - 1
    if last < MOST_COLUMNS:
        return columns
    return [columns[round(i * last / (MOST_COLUMNS - 1))] for i in range(MOST_COLUMNS)]


def _greatest(moves: Sequence[TopicMove], n: int) -> list[TopicMove]:
    """The n most important moves: those with the greatest gains first, then those without a gain, latest
    first.
    """

    def order(move: TopicMove) -> tuple[bool, float]:
        return (True, -move.at) if move.gain is None else (False, -move.gain)

    return sorted(moves, key=order)[:n]


def _ids(moves: Iterable[TopicMove]) -> set[int]:
    return {i for move in moves for i in (move.topic, move.other)}


def _spelled(rows: Rows, vocabulary: Sequence[str]) -> list[str]:
    return [row if isinstance(row, str) else vocabulary[row] for row in rows]
