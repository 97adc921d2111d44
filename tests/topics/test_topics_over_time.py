"""Topic shares over time: levels that walk from period to period, periods of dates, tables and pictures."""

import json
import xml.etree.ElementTree as ElementTree
from datetime import date

import numpy as np
import pytest
from click.testing import CliRunner

from stickbreaker import LDA, Corpus, UserError, topics_over_time
from stickbreaker.cli import main
from stickbreaker.corpus import VocabularyRule
from stickbreaker.corpus.text.dates import PERIODS, periods_of
from stickbreaker.topics.evaluation.walks import walk_through


def exact(means, counts, variance, ratio):
    """Levels of a walk by the normal equations, and their standard errors: one series."""
    n = len(means)
    precision = np.diag(np.asarray(counts, float))
    steps = np.diff(np.eye(n), axis=0)
    precision += steps.T @ steps / ratio
    inverse = np.linalg.inv(precision)
    return inverse @ (np.asarray(counts) * means), np.sqrt(np.diag(inverse) * variance)


def test_levels_are_those_of_the_normal_equations(monkeypatch):
    rng = np.random.default_rng(0)
    counts = np.array([3, 0, 10, 1, 0, 0, 50, 2])
    means = rng.random((8, 3))
    for ratio in (1e-3, 0.1):
        monkeypatch.setattr("stickbreaker.topics.evaluation.walks.RATIOS", np.array([ratio]))
        found = walk_through(means, counts, np.array([0.1, 1.0, 2.0]))
        for k, variance in enumerate((0.1, 1.0, 2.0)):
            values, errors = exact(means[:, k], counts, variance, ratio)
            np.testing.assert_allclose(found.values[:, k], values, atol=1e-4)
            np.testing.assert_allclose(found.errors[:, k], errors, rtol=1e-3)


def test_bounds_hold_the_levels_and_steps_are_learned():
    rng, held, spread = np.random.default_rng(1), [], []
    for step in (0.0, 0.05):
        for _ in range(30):
            levels = 0.3 + np.cumsum(np.append(0.0, step * rng.normal(size=39)))
            counts = rng.integers(0, 12, 40)
            counts[0] = 5
            means = levels + 0.2 * rng.normal(size=40) / np.sqrt(np.maximum(counts, 1))
            found = walk_through(means[:, None], counts, np.array([0.04]))
            held.append(np.abs(found.values[:, 0] - levels) < 1.96 * found.errors[:, 0])
            spread.append((step, found.errors[10:30].mean()))
    assert 0.88 < np.mean(held) < 0.99
    still, moving = (np.mean([error for step, error in spread if step == one]) for one in (0.0, 0.05))
    assert still < 0.6 * moving


@pytest.mark.parametrize("unit", list(PERIODS))
def test_periods_follow_each_other(unit):
    days = [date(1999, 11, 3), date(2004, 2, 29), date(2001, 5, 6)]
    names, places = periods_of(days, unit)
    assert len(set(names)) == len(names) == max(places) + 1
    assert places[0] == 0
    assert sorted(places) == [places[0], places[2], places[1]]
    assert names == sorted(names)


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def months(documents=240, seed=0):
    """Documents of two topics over a year, the first of which grows; one month has two documents."""
    rng = np.random.default_rng(seed)
    texts, metadata = [], []
    for d in range(documents):
        month = d % 12 if d % 12 != 6 or d < 24 else 5
        z = rng.random(60) < 0.2 + 0.6 * month / 11
        texts.append(" ".join(f"{'ba'[int(k)]}{rng.integers(8)}x" for k in z))
        when = f"2001-{month + 1:02d}-05" if d % 2 else f"5,{MONTHS[month]},2001"
        metadata.append({"date": when, "party": "left" if d % 3 else "right"})
    metadata[0]["date"] = "soon"
    return Corpus.from_texts(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))


@pytest.fixture(scope="module")
def corpus():
    return months()


@pytest.fixture(scope="module")
def model(corpus):
    return LDA(2, max_iter=30, random_state=0).fit(corpus)


@pytest.mark.filterwarnings("ignore")
def test_a_topic_grows_over_the_months(model, corpus):
    found = topics_over_time(model, corpus, by="month")
    frame = found.table().to_pandas()
    k = int(model.topic_word_[:, [w.startswith("a") for w in model.vocabulary_.words]].sum(axis=1).argmax())
    mine = frame[frame["topic"] == k].set_index("period")
    assert mine.index.tolist() == [f"2001-{m:02d}" for m in range(1, 13)]
    assert mine["documents"].sum() == 239
    assert mine["share"].iloc[-1] - mine["share"].iloc[0] > 0.4
    widths = mine["high"] - mine["low"]
    assert widths["2001-07"] == widths.max(), "two documents"
    assert ((mine["low"] <= mine["share"]) & (mine["share"] <= mine["high"])).all()
    np.testing.assert_allclose(frame.groupby("period")["mean"].sum(), 1.0)
    assert "239 documents by month, 2001-01 to 2001-12, 1 left out" in str(found)
    groups = topics_over_time(model, corpus, by="quarter", group_field="party", topics=[k])
    assert groups.table().to_pandas()["group"].unique().tolist() == ["left", "right"]
    for picture in (found.picture(), groups.picture()):
        ElementTree.fromstring(picture)
    assert groups.picture().count("<polygon") == 2


@pytest.mark.filterwarnings("ignore")
def test_the_command_writes_a_table_and_a_picture(model, corpus, tmp_path):
    model.save(tmp_path / "model")
    corpus.write(tmp_path / "corpus")
    out, picture = tmp_path / "t.csv", tmp_path / "t.svg"
    arguments = ["over-time", str(tmp_path / "model"), str(tmp_path / "corpus"), "--by", "month", "--json"]
    result = CliRunner().invoke(main, [*arguments, "--out", str(out), "--picture", str(picture)])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["periods"][0] == "2001-01"
    assert len(out.read_text().splitlines()) == 1 + 2 * 12
    ElementTree.parse(picture)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"date_field": "party"},
            "no document with a known word has a date in 'party'; there are: date, party",
        ),
        ({"group_field": "region"}, "no document has the field 'region'"),
        ({"topics": [7]}, "there is no topic 7"),
        ({"by": "hour"}, "by is "),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_line(model, corpus, settings, told):
    with pytest.raises(UserError, match=told) as error:
        topics_over_time(model, corpus, **settings)
    assert "\n" not in str(error.value)


def test_documents_without_dates_are_refused(model):
    with pytest.raises(UserError, match="no field of the documents is a date; name one; there are: none"):
        topics_over_time(model, ["a1x b1x"])
    dates = [{"date": "1900-01-01"}, {"date": "2000-01-01"}]
    far = Corpus.from_texts(["a1x", "b1x"], metadata=dates)
    with pytest.raises(UserError, match="more than 5,000 periods; choose a longer one"):
        topics_over_time(model, far, by="day")


@pytest.mark.filterwarnings("ignore")
def test_short_documents_are_said_to_be_short(model, corpus):
    assert "too small" in str(topics_over_time(model, corpus))
    prior = LDA(2, prevalence="party", max_iter=3, tol=0.0, random_state=0).fit(corpus)
    assert "too small" not in str(topics_over_time(prior, corpus))
