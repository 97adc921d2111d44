"""The map's layout and the colours: deterministic, valid, and with enough contrast in light and dark."""

from __future__ import annotations

import re
from functools import partial
from importlib import resources

import numpy as np
import pytest
from tests.pages.contrast import contrast

from stickbreaker.pages.colour import hue_hex, topic_colours
from stickbreaker.topics.model import topic_words
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_ranking import WordEvidence, document_words, leading_words
from stickbreaker.topics.report.display_words import FREQUENT, apart, choose_words, look_at
from stickbreaker.topics.report.learning import CURVES
from stickbreaker.topics.report.maps.topic_map import nearest_topics, place_topics, topic_distances

CSS = resources.files("stickbreaker.pages").joinpath("report.css").read_text(encoding="utf-8")
GROUNDS = ("ground", "panel", "hover", "track")


def palette(scheme: str) -> dict[str, str]:
    """The style's variables in one colour scheme."""
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]
    values = dict(re.findall(r"--([\w-]+): ([^;]+);", light))
    if scheme == "dark":
        values |= dict(re.findall(r"--([\w-]+): ([^;]+);", dark))
    return values


def blended(colour: str, ground: str, opacity: float) -> str:
    pairs = [(int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(opacity * c + (1 - opacity) * g):02x}" for c, g in pairs)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible(scheme: str) -> None:
    colours = palette(scheme)
    for text in ("ink", "muted"):
        for ground in GROUNDS:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for ground in ("ground", "panel"):
        assert contrast(colours["link"], colours[ground]) >= 4.5
        assert contrast(colours["control"], colours[ground]) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_out(scheme: str) -> None:
    colours = palette(scheme)
    opacity = float(colours["dot-opacity"])
    for hue in range(360):
        mark = hue_hex(hue)
        assert contrast(mark, colours["ground"]) >= 3, hue
        assert contrast(blended(mark, colours["panel"], opacity), colours["panel"]) >= 3, hue
    for curve in CURVES:
        assert contrast(curve, colours["ground"]) >= 3


def test_hues_are_hex() -> None:
    for hue in np.linspace(-360, 720, 200):
        assert re.fullmatch(r"#[0-9a-f]{6}", hue_hex(float(hue)))
    assert hue_hex(10) == hue_hex(370)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_each_topic_has_a_colour(n: int) -> None:
    rng = np.random.default_rng(0)
    positions = [(float(x), float(y)) for x, y in rng.normal(size=(n, 2))]
    for given in (positions, []):
        colours = topic_colours(given, n)
        assert len(colours) == n
        assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in colours)
    assert len(set(topic_colours(positions, n))) == n


def grouped_topics(seed: int = 0, groups: int = 4, each: int = 5, n_words: int = 400) -> np.ndarray:
    """(K, V): topics of one group share most of their words."""
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.full(n_words, 0.05), size=groups)
    own = rng.dirichlet(np.full(n_words, 0.05), size=groups * each)
    return 0.7 * np.repeat(base, each, axis=0) + 0.3 * own


def test_distances_agree_with_the_definition() -> None:
    topics = grouped_topics(n_words=200)
    distances = topic_distances(topics)
    for j, k in [(0, 1), (0, 7), (3, 19)]:
        p, q = topics[j], topics[k]
        m = (p + q) / 2
        terms = [x * np.log(np.where(x > 0, x / m, 1.0)) for x in (p, q)]
        assert distances[j, k] == pytest.approx(np.sqrt(0.5 * (terms[0].sum() + terms[1].sum())), abs=1e-9)
    np.testing.assert_allclose(distances, distances.T)
    assert np.all(np.diag(distances) == 0)


def test_lumping_rare_words_hardly_shortens_distances() -> None:
    topics = grouped_topics(n_words=20_000, each=2) + 1e-12
    shares = np.full(len(topics), 1 / len(topics))
    seen = look_at(Dense(topics), shares, [slice(0, 20_000)], partial(leading_words, Dense(topics)))
    told = apart(Dense(topics), seen)
    assert told.shape[1] < 7000
    assert told.sum(axis=1) == pytest.approx(1.0)
    lumped = topic_distances(told)
    half = (topics[:, None, :] * np.log(2 * topics[:, None, :] / (topics[:, None, :] + topics))).sum(axis=2)
    exact = np.sqrt((half + half.T) / 2)
    assert np.all(lumped <= exact + 1e-9)
    assert np.abs(lumped - exact).max() < 0.1
    assert np.corrcoef(lumped.ravel(), exact.ravel())[0, 1] > 0.999


@pytest.mark.parametrize("cells", [1, 100, 1 << 22])
def test_a_look_has_all_the_words_that_are_shown(monkeypatch, cells) -> None:
    """Of two languages, however the vocabulary is cut: those chosen from the whole of a topic."""
    monkeypatch.setattr(topic_words, "CELLS", cells)
    topics, sides = grouped_topics(n_words=400, groups=2, each=3), [slice(0, 150), slice(150, 400)]
    topics[0, 150:] = 0.0
    shares = np.random.default_rng(1).dirichlet(np.ones(6))
    names = [f"w{n}" for n in range(400)]
    evidence = WordEvidence(Dense(topics), shares)
    seen = look_at(Dense(topics), shares, sides, partial(document_words, evidence))
    overall = shares @ topics
    np.testing.assert_allclose(seen.overall, overall)
    np.testing.assert_allclose(seen.sums, topics.sum(axis=1))
    ranked = [document_words(evidence, FREQUENT, side).words for side in sides]
    for k, (topic, likely) in enumerate(zip(topics, seen.likely, strict=True)):
        for n, (side, (rows, probabilities)) in enumerate(zip(sides, likely, strict=True)):
            first = seen.first[k][n]
            assert rows[first].tolist() == ranked[n][k].tolist()
            assert probabilities.tolist() == topic[rows].tolist()
            assert ((rows >= side.start) & (rows < side.stop)).all()
            shown = choose_words(probabilities, overall[rows], [names[row] for row in rows], first)
            whole = choose_words(topic[side], overall[side], names[side], ranked[n][k] - side.start)
            assert shown == whole
            assert [word for word, _, _ in shown[: len(first)]] == [names[row] for row in rows[first]]


def test_layout_is_deterministic_and_keeps_groups_together() -> None:
    topics = grouped_topics()
    places = place_topics(topic_distances(topics))
    assert places == place_topics(topic_distances(topics.copy()))
    points = np.array(places)
    assert np.abs(points).max() <= 1
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    same = np.equal.outer(np.arange(20) // 5, np.arange(20) // 5)
    assert gaps[same].max() < gaps[~same].min()
    near = nearest_topics(topic_distances(topics), 4)
    assert all(j // 5 == k // 5 for k, row in enumerate(near) for j in row)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_or_equal_topics_have_places(n: int) -> None:
    alike = np.full((n, 6), 1 / 6)
    for topics in (alike, np.eye(6)[:n]):
        places = np.array(place_topics(topic_distances(topics))).reshape(n, 2)
        assert np.all(np.isfinite(places))
        if n > 1 and topics is not alike:
            assert len({tuple(place) for place in places}) == n
    assert len(nearest_topics(topic_distances(alike))) == n
