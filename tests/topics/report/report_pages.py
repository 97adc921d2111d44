"""Made-up report pages for tests: a realistic one, a hostile one, a nearly empty one and a large one."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.topics.report.made_up_topics import TopicPage

from stickbreaker.topics.report.dates_and_groups import Breakdown, breakdowns_of, sums_of, times_of
from stickbreaker.topics.report.display_words import choose_words
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.genealogy import growth_of
from stickbreaker.topics.report.hierarchy import relate
from stickbreaker.topics.report.learning import TracePoint
from stickbreaker.topics.report.maps.topic_map import nearest_topics, place_topics, topic_distances
from stickbreaker.topics.report.topics_of_page import Topic
from stickbreaker.topics.report.vocabulary_table import WordRow

FIELDS = {
    "astronomy": (
        "star galaxy telescope orbit planet light moon spectrum dust solar comet nebula probe "
        "eclipse mars crater satellite distance observatory cluster"
    ),
    "cooking": (
        "dough flour oven butter salt bake recipe sugar onion garlic sauce simmer pan taste "
        "pepper lemon cream knead yeast broth"
    ),
    "medicine": (
        "patient dose trial disease symptom clinical treatment blood doctor infection vaccine "
        "surgery nurse diagnosis chronic heart therapy hospital immune tumour"
    ),
    "football": (
        "goal match league coach team penalty striker season referee defender club midfield "
        "keeper stadium transfer cup injury crowd header pitch"
    ),
    "computing": (
        "server file memory process thread socket request error cache compiler module packet "
        "kernel buffer browser query index version patch library"
    ),
    "finance": (
        "bank market share price interest loan profit investor bond fund tax debt trade currency "
        "budget dividend credit inflation broker asset"
    ),
    "politics": (
        "vote party election minister law parliament senate reform coalition campaign treaty "
        "policy border speech candidate mayor council protest union committee"
    ),
    "gardening": (
        "soil seed plant root leaf prune compost bloom rose hedge water tomato pot bulb shade "
        "weed fruit mulch fern greenhouse"
    ),
    "music": (
        "melody chord piano album singer rhythm orchestra guitar concert violin opera song tempo "
        "drum choir symphony jazz tune harmony band"
    ),
    "travel": (
        "train hotel ticket airport island beach passport luggage guide museum ferry harbour map "
        "journey coast trail camp border village bridge"
    ),
}
_COMMON = (
    "new first people time year work part place day small large long good high number group "
    "found week often case near early late second"
)
COMMON = _COMMON.split()
HOSTILE = [
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "\"'`${window.hacked=1}",
    "a\u2028b\u2029c",
    "lone\ud800surrogate",
    "<!--<script>",
    "שלום עולם",
    "مرحبا",
    "nul\x00esc\x1b[31mbell\x07\x85",
    "😀👩‍👩‍👧‍👦",
    "\u202eoverride",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;&amp;",
    "javascript:window.hacked=1",
    "x" * 300,
]


def realistic(n_topics: int = 40, n_documents: int = 500, seed: int = 7) -> TopicPage:
    """Topics over several fields of words, documents that mix a few of them, and a trace of 60 steps."""
    rng = np.random.default_rng(seed)
    vocabulary = list(dict.fromkeys([*(w for words in FIELDS.values() for w in words.split()), *COMMON]))
    topic_word = _topic_words(n_topics, vocabulary, rng)
    shares = rng.dirichlet(np.full(n_topics, 1.5))
    overall = shares @ topic_word
    mixtures = rng.dirichlet(0.05 + 0.6 * shares * rng.random(n_topics), size=n_documents)
    documents = [_document(i, mixtures[i], topic_word, vocabulary, rng) for i in range(n_documents)]
    distances = topic_distances(topic_word)
    near = nearest_topics(distances)
    topics = []
    for k in range(n_topics):
        words = choose_words(topic_word[k], overall, vocabulary)
        typical = np.argsort(-mixtures[:, k])[:6]
        topics.append(
            Topic(
                id=k + 3,
                label=", ".join(word for word, _, _ in words[:3]),
                share=float(shares[k]),
                words=words,
                documents=[int(d) for d in typical if mixtures[d, k] > 0.1],
                similar=[j + 3 for j in near[k]],
                coherence=round(float(rng.uniform(-0.1, 0.4)), 3),
            )
        )
    best = (topic_word * shares[:, None]).argmax(axis=0)
    counts = np.round(60_000 * overall)
    return TopicPage(
        title="Topics of a made-up gazette",
        subtitle="What 500 short articles are about, found by latent Dirichlet allocation",
        facts=[
            ("documents", f"{n_documents:,}"),
            ("words", "61,240"),
            ("different words", f"{len(vocabulary):,}"),
            ("topics", n_topics),
            ("learning took", "14 s"),
        ],
        settings=[
            ("model", "LDA"),
            ("inference", "mean-field"),
            ("schedule", "online, 256 documents a step"),
            ("topics", n_topics),
            ("alpha", "learned"),
            ("eta", 0.01),
            ("passes", 20),
            ("seed", seed),
            ("version", "stickbreaker 0.1.0"),
            ("written", "2026-01-01"),
        ],
        topics=topics,
        positions=place_topics(distances),
        relations=relate(distances),
        times=times_of(sums_of(documents, n_topics)),
        groups=breakdowns_of(sums_of(documents, n_topics), dated="year"),
        documents=documents,
        documents_total=4 * n_documents,
        words=[
            WordRow(word, float(n), int(n) // 2, int(k))
            for word, n, k in zip(vocabulary, counts, best, strict=True)
        ],
        words_total=len(vocabulary) + 7,
        trace=trace(60, rng),
        spread=[
            (word, [(int(k), float(own[k])) for k in np.argsort(-own)[:4]])
            for word, own in zip(vocabulary, (topic_word * shares[:, None] / overall).T, strict=True)
        ],
        unigram=-5.5,
        unigram_held_out=-5.6,
    )


def _topic_words(n_topics: int, vocabulary: list[str], rng: np.random.Generator) -> np.ndarray:
    """(K, V): each topic prefers one field's words, in its own order, and some of a second field's."""
    index = {word: i for i, word in enumerate(vocabulary)}
    fields = [[index[w] for w in words.split()] for words in FIELDS.values()]
    weights = rng.gamma(0.05, size=(n_topics, len(vocabulary))) * 0.05
    for k in range(n_topics):
        for field, strength in ((k % len(fields), 1.0), (int(rng.integers(len(fields))), 0.15)):
            own = rng.permutation(fields[field])
            weights[k, own] += strength / np.arange(1, len(own) + 1)
        weights[k, [index[w] for w in COMMON]] += 0.04 * rng.random(len(COMMON))
    return weights / weights.sum(axis=1, keepdims=True)


def _document(
    i: int, mixture: np.ndarray, topic_word: np.ndarray, vocabulary: list[str], rng: np.random.Generator
) -> DocumentEntry:
    drawn = rng.choice(len(vocabulary), size=85, p=mixture @ topic_word)
    words = [vocabulary[int(w)] for w in drawn]
    leading = [vocabulary[int(j)] for j in np.argsort(-(mixture @ topic_word))[:2]]
    sentences = [" ".join(words[j : j + 9]).capitalize() + "." for j in range(0, 85, 9)]
    order = np.argsort(-mixture)[:6]
    text = " ".join(sentences)[:600]
    return DocumentEntry(
        id=f"gazette-{i:04d}",
        title=f"On the {leading[0]} and the {leading[1]}, no. {i + 1}",
        text=text,
        mix=[(int(k), float(mixture[k])) for k in order if mixture[k] > 0.03],
        n_tokens=85,
        metadata={"year": 1990 + i % 30, "section": str(rng.choice(list(FIELDS)))},
        marks=_marks(text, words, (topic_word[:, drawn] * mixture[:, None]).argmax(axis=0)),
    )


def _marks(text: str, words: list[str], topics: np.ndarray) -> list[tuple[int, int, int]]:
    """Where the words stand in the text, one after the other, each with its topic."""
    marks, at = [], 0
    for word, topic in zip(words, topics.tolist(), strict=True):
        start = text.lower().find(word, at)
        if start < 0:
            break
        marks.append((start, len(word), topic))
        at = start + len(word)
    return marks


def trace(n_steps: int, rng: np.random.Generator) -> list[TracePoint]:
    """A learning curve that falls steeply, then flattens; held out every third step."""
    points = []
    for step in range(1, n_steps + 1):
        score = -(5.2 + 2.4 * np.exp(-step / 9)) + 0.01 * rng.normal()
        held_out = score - 0.22 if step % 3 == 0 else None
        points.append(TracePoint(step, 256 * step, 0.23 * step, score, held_out, passes=step / 10))
    return points


def hostile() -> TopicPage:
    """Markup, quotes, separators, lone surrogates, right-to-left text and control characters everywhere."""
    words = [(text, 0.2 / (i + 1), 0.01) for i, text in enumerate(HOSTILE)]
    topics = [
        Topic(
            id=k,
            label=text,
            share=1 / len(HOSTILE),
            words=words[k:] + words[:k],
            documents=[k],
            similar=[k + 1],
            named=k % 2 == 0,
            coherence=[0.1, float("nan"), -2.0][k % 3],
            match=(text, 0.5),
            sides=[(text, words), ("de", [])],
        )
        for k, text in enumerate(HOSTILE)
    ]
    documents = [
        DocumentEntry(text, text, f"{text} " * 3, [(k, 0.5), (0, 0.2)], 3, {text: text}, [(0, len(text), k)])
        for k, text in enumerate(HOSTILE)
    ]
    n = len(HOSTILE)
    parts = Breakdown(HOSTILE[0], HOSTILE, [1] * n, np.full((n, n), 1 / n).tolist(), 3)
    turn = 2 * np.pi / len(HOSTILE)
    return TopicPage(
        title=HOSTILE[0],
        subtitle=" ".join(HOSTILE[:-1]),
        facts=[(text, text) for text in HOSTILE],
        settings=[(text, text) for text in HOSTILE],
        topics=topics,
        positions=[(float(np.cos(turn * k)), float(np.sin(turn * k))) for k in range(len(HOSTILE))],
        relations=relate(1.0 - np.eye(n)),
        times=parts,
        groups=[parts, parts],
        documents=documents,
        words=[WordRow(text, 3.5, 2, k, text) for k, text in enumerate(HOSTILE)],
        spread=[(text, [(k, 0.5), (0, float("nan")), (n, 0.1)]) for k, text in enumerate(HOSTILE)],
        unigram=float("nan"),
        unigram_held_out=-7.2,
        compared=HOSTILE[1],
        trace=[
            TracePoint(1, 10, 0.1, float("nan"), float("-inf")),
            TracePoint(2, 20, 0.2, -7.0, None),
            TracePoint(3, 30, float("inf"), -6.0, -6.5),
        ],
        growth=growth_of(_hostile_run(n), range(n), HOSTILE, [list(range(n)) for _ in HOSTILE]),
    )


def _hostile_run(n: int) -> list[dict[str, object]]:
    """The trace of a run that splits a topic and merges two, the words of which are hostile."""
    every, none = list(range(n)), list[int]()
    split = {"move": "split", "topic": 0, "new": n - 1, "gain": float("nan")}
    merge = {"move": "merge", "topic": 1, "gone": n, "gain": float("inf")}
    first = {"step": 1, "pass": 1, "topics": n + 1, "used": 0, "edits": [split]}
    second = {"step": 2, "pass": 2, "topics": n, "used": n, "edits": [merge], "words": {"1": every}}
    return [
        first | {"words": {"0": every, str(n - 1): every[::-1]}, "before": {"0": none}},
        second | {"before": {"1": every, str(n): every}},
    ]


def sparse() -> TopicPage:
    """One topic, and nothing else."""
    return TopicPage(
        title="One topic",
        topics=[Topic(0, "alone, word, few", 1.0, [("alone", 0.5, 0.5), ("word", 0.3, 0.3)])],
    )


@cache
def large() -> TopicPage:
    """200 topics and 2,000 documents."""
    return realistic(n_topics=200, n_documents=2000, seed=11)
