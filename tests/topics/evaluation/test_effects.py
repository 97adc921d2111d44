"""What metadata have to do with topics."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.running import TOPICS, write_lines

from stickbreaker import LDA, Corpus, UserError
from stickbreaker.corpus import Document
from stickbreaker.topics.evaluation.effects import effects_of

RNG = np.random.default_rng(0)


def design_of(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.ones(n), rng.integers(0, 2, n), rng.normal(size=n)])


def test_certain_shares_give_least_squares():
    """With shares that are all but known, effects and errors are those of ordinary regression."""
    design, rng = design_of(400), np.random.default_rng(1)
    shares = np.clip(0.4 + 0.2 * design[:, 1] - 0.03 * design[:, 2] + 0.05 * rng.normal(size=400), 0.01, 0.99)
    gamma = 1e8 * np.column_stack([shares, 1.0 - shares])
    found = effects_of(gamma, design, draws=20)
    wanted, rest = np.linalg.lstsq(design, shares, rcond=None)[:2]
    variance = rest[0] / (400 - 3) * np.linalg.inv(design.T @ design)
    errors = np.sqrt(np.diag(variance))
    assert found.estimates[0] == pytest.approx(wanted, abs=4 * errors.max() / np.sqrt(2000))
    assert found.errors[0] == pytest.approx(errors, rel=0.08)
    assert found.high[0] - found.low[0] == pytest.approx(2 * 1.96 * errors, rel=0.1)
    assert found.estimates[1, 1:] == pytest.approx(-found.estimates[0, 1:], abs=4 * errors.max())


def test_residuals_have_the_degrees_of_freedom_that_the_terms_leave():
    """Eight documents, four terms: with n for n - terms, errors would be smaller by 30 %."""
    rng = np.random.default_rng(2)
    design = np.column_stack([np.ones(8), rng.normal(size=(8, 3))])
    shares = np.clip(0.5 + 0.1 * rng.normal(size=8), 0.1, 0.9)
    found = effects_of(1e9 * np.column_stack([shares, 1.0 - shares]), design, draws=40)
    rest = np.linalg.lstsq(design, shares, rcond=None)[1]
    errors = np.sqrt(np.diag(rest[0] / 4 * np.linalg.inv(design.T @ design)))
    assert found.errors[0] == pytest.approx(errors, rel=0.06)


def test_uncertain_shares_make_bounds_wider():
    design = design_of(200)
    sure, unsure = (effects_of(size * np.full((200, 2), 0.5), design) for size in (1e8, 2.0))
    assert sure.errors.max() < 1e-3 < unsure.errors.min()
    covered = (unsure.low <= 0.0) & (unsure.high >= 0.0)
    assert covered[:, 1:].all()


@pytest.mark.slow
def test_bounds_hold_the_truth_as_often_as_they_say():
    """Shares drawn from what they are regressed on, documents from the shares: 95 of 100 bounds hold it."""
    held = total = 0
    for seed in range(60):
        design, rng = design_of(150, seed), np.random.default_rng(seed)
        mean = np.column_stack([0.3 + 0.1 * design[:, 1], 0.7 - 0.1 * design[:, 1]])
        theta = np.stack([rng.dirichlet(20 * own) for own in mean])
        counts = np.stack([rng.multinomial(300, own) for own in theta])
        found = effects_of(counts + 20 * mean, design, draws=10, seed=seed)
        truth = np.array([[0.3, 0.1, 0.0], [0.7, -0.1, 0.0]])
        held += ((found.low <= truth) & (truth <= found.high)).sum()
        total += truth.size
    assert 0.9 < held / total < 0.99


def test_the_same_seed_gives_the_same_figures():
    gamma, design = RNG.gamma(2.0, size=(50, 3)), design_of(50)
    first, again, other = (effects_of(gamma, design, seed=seed) for seed in (0, 0, 1))
    assert first.low.tobytes() == again.low.tobytes() != other.low.tobytes()


def test_designs_that_make_no_sense():
    gamma = np.ones((4, 2))
    with pytest.raises(UserError, match="4 documents for 4 terms"):
        effects_of(gamma, np.eye(4))
    with pytest.raises(UserError, match="is determined by the others"):
        effects_of(gamma, np.ones((4, 2)))


def rows(n=80):
    """Documents about boats where the party is x, about money where it is y; one lacks its year."""
    rng = np.random.default_rng(3)
    found = []
    for number in range(n):
        party = "xy"[number % 2]
        words = rng.choice(TOPICS[0 if party == "x" else 1], 30)
        found.append({"id": f"d{number}", "text": " ".join(words), "party": party, "year": 2000 + number % 7})
    found[5]["year"] = None
    return found


@pytest.fixture(scope="module")
def place(cli, tmp_path_factory):
    place = tmp_path_factory.mktemp("effects")
    file = write_lines(place / "rows.jsonl", rows())
    cli("fit", "lda", file, "--topics", 2, "--seed", 1, "--threads", 1, "--out", place / "m")
    return place


def test_the_program_finds_a_planted_effect(cli, place):
    line = ("effect", place / "m", place / "rows.jsonl", "--formula", "share ~ party + year")
    told = json.loads(cli(*line, "--json").stdout)
    assert told["terms"] == ["Intercept", "party[T.y]", "year"]
    assert (told["documents"], told["left_out"]) == (79, 1)
    effect = np.array([topic["estimate"] for topic in told["topics"]])
    assert sorted(np.sign(effect[:, 1])) == [-1.0, 1.0]
    assert (np.abs(effect[:, 1]) > 0.8).all()
    bounds = [(topic["low"][2], topic["high"][2]) for topic in told["topics"]]
    assert all(low < 0.02 and high > -0.02 for low, high in bounds)
    text = cli(*line).stdout
    assert text.startswith("79 documents, 1 left out for lack of a field or words; effects on topic shares")
    assert "party[T.y]: 2 of 2 topics, by chance alone 0" in text
    assert "Intercept" not in text
    assert "Intercept" in cli(*line, "--topic", 1).stdout


def test_tables_pictures_and_python_say_the_same(cli, place, tmp_path):
    import csv

    cli("name", place / "m", "--topic", "0=<boats> & co")
    line = ("effect", place / "m", place / "rows.jsonl", "--formula", "party", "--seed", 3)
    cli(*line, "--out", tmp_path / "e.csv", "--picture", tmp_path / "e.svg")
    with (tmp_path / "e.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [(row["topic"], row["term"]) for row in cells] == [
        (str(k), term) for k in (0, 1) for term in ("Intercept", "party[T.y]")
    ]
    documents = [
        Document(r["id"], text=r["text"], metadata={"party": r["party"], "year": r["year"]}) for r in rows()
    ]
    model = LDA.load(place / "m")
    frame = model.effects(Corpus.from_documents(documents), "party", random_state=3)
    assert frame["low"].tolist() == [float(row["low"]) for row in cells]
    assert frame["name"][0] == "<boats> & co"
    picture = (tmp_path / "e.svg").read_text()
    ET.fromstring(picture)
    assert "&lt;boats&gt; &amp; co" in picture
    assert "party[T.y]" in picture
    assert picture.count('class="sure"') == 2
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("colour", "no document has the field 'colour'; there are: party, year"),
        ("year + I(2 * year)", "is determined by the others"),
        ("lag(year)", "has the function 'lag'; there are C, I, poly, bs,"),
        ("0", "the formula '0' has no term"),
        ("party|year", "has '|' in place of an operator"),
        ("log(party)", "the field 'party' is not a number in all documents"),
        ("log(year - 2000)", "has no number for 12 documents"),
        ("poly(year, 1000000)", "has '1000000' in place of a whole number from 1 to 100"),
        ("\x1b[31mparty", r"the formula '\x1b[31mparty' has '\x1b[31mparty'"),
    ],
)
def test_formulas_that_make_no_sense(cli, place, formula, told):
    error = cli("effect", place / "m", place / "rows.jsonl", "--formula", formula, code=1).stderr
    assert told in error
    assert "Traceback" not in error
    assert "\x1b" not in error
    assert error.splitlines()[-1].startswith("stickbreaker: ")


@pytest.mark.parametrize(
    "formula", ["year + {%s}", "I(%s)", "C(%s)", "%s", "poly(year, %s)", "`%s`", "%s ~ year"]
)
def test_a_formula_runs_no_code(cli, place, formula, tmp_path):
    code = f"open('{tmp_path / 'x'}','w').write('y')"
    line = ("effect", place / "m", place / "rows.jsonl", "--formula", formula % code)
    assert "Traceback" not in cli(*line, code=1).stderr
    assert not (tmp_path / "x").exists()


def test_more_draws_than_memory_holds_are_refused_before_the_run(cli, place):
    line = ("effect", place / "m", place / "rows.jsonl", "--formula", "party", "--draws", 10**9)
    error = cli(*line, code=1).stderr
    assert "--draws 1000000000 of 2 topics and 2 terms need 5,960 GB; give --draws 671088 or fewer" in error
    with pytest.raises(UserError, match="draws=671089 of 2 topics"):
        effects_of(np.ones((5, 2)), np.eye(5, 2), draws=671_089)


def test_levels_are_compared_with_the_most_frequent_one_which_is_named(cli, place, tmp_path):
    few = [{**row, "party": "a"} if number < 7 else row for number, row in enumerate(rows())]
    file = write_lines(tmp_path / "few.jsonl", few)
    line = ("effect", place / "m", file, "--formula", "party + C(year)")
    told = json.loads(cli(*line, "--json").stdout)
    assert told["terms"][:3] == ["Intercept", "party[T.a]", "party[T.x]"]
    assert told["references"] == [
        {"field": "party", "level": "y", "documents": 37},
        {"field": "year", "level": "2000", "documents": 12},
    ]
    second = cli(*line).stdout.splitlines()[1]
    assert second == "party is compared with y (37 documents); year is compared with 2000 (12 documents)"


def test_what_is_asked_of_no_topic(cli, place, tmp_path):
    line = ("effect", place / "m", place / "rows.jsonl", "--formula", "party")
    assert "there is no topic 7; topics are 0 to 1" in cli(*line, "--topic", 7, code=1).stderr
    assert "ends in .svg" in cli(*line, "--picture", tmp_path / "e.png", code=2).stderr
