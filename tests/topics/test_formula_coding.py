"""What a formula learned from documents codes others in the same way, also after it was saved."""

import json

import numpy as np
import pytest

from stickbreaker import UserError
from stickbreaker.topics.formula_coding import Coding, coding_from, learn_coding

DOCUMENTS = [
    {"party": "abb"[i % 3], "year": 1990 + i % 7, "day": float(i), "left": i % 2 == 0, "size": 2.5 * (i % 5)}
    for i in range(42)
]
FORMULAS = (
    "party",
    "party * year",
    "party + bs(day, df=4)",
    "poly(year, 2) + scale(day)",
    "C(year) + left",
    "log(day + 1)",
    "C(party, contr.sum) + center(day):party",
    "C(party, contr.treatment('a')) + I(year - 1990)",
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_row_depends_only_on_its_document(formula):
    coding = learn_coding(formula, DOCUMENTS)
    whole = coding.rows(DOCUMENTS)
    again = coding_from(formula, json.loads(json.dumps(coding.learned)))
    for chosen in ([7], [3, 3, 40], range(20)):
        rows = again.rows([DOCUMENTS[i] for i in chosen])
        np.testing.assert_allclose(rows, whole[list(chosen)], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("formula", FORMULAS)
def test_columns_are_deviations_from_their_mean(formula):
    rows = learn_coding(formula, DOCUMENTS).rows(DOCUMENTS)
    assert (rows[:, 0] == 1.0).all()
    assert np.abs(rows[:, 1:].mean(axis=0)).max() < 1e-12
    if "center" not in formula:
        assert rows[:, 1:].std(axis=0).max() < 1.5, "a year of 1990 is no larger than a level"


def test_numbers_have_a_standard_deviation_of_one_and_levels_are_steps():
    coding = learn_coding("party + year", DOCUMENTS)
    rows = coding.rows(DOCUMENTS)
    assert coding.columns == ("Intercept", "party[T.a]", "year")
    assert coding.groups.tolist() == [0, 1, 2]
    assert rows[:, 2].std() == pytest.approx(1.0)
    assert np.ptp(rows[:, 1]) == pytest.approx(1.0)
    assert coding.levels("party") == (("b", 28), ("a", 14))
    assert coding.number("year") == (1990.0, 1993.0, 1996.0)


def test_documents_without_a_value_that_was_learned_have_no_row():
    rows = learn_coding("party + year", DOCUMENTS).rows(
        [
            {"party": "a", "year": 1990},
            {"party": "new", "year": 1990},
            {"party": "a"},
            {"party": "", "year": 1990},
            {"party": "a", "year": "soon"},
            {"party": "a", "year": 2050.0},
        ]
    )
    assert np.isnan(rows).all(axis=1).tolist() == [False, True, True, True, True, False]


def test_a_number_beyond_the_knots_counts_as_the_nearest():
    coding = learn_coding("bs(day, df=4)", DOCUMENTS)
    rows = coding.rows([{"day": 500.0}, {"day": 41.0}, {"day": -3}, {"day": 0}])
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[2], rows[3])


def test_what_is_not_named_is_average():
    coding = learn_coding("party + year + party:year", DOCUMENTS)
    row = coding.typical({"party": "a"})
    assert row[[0, 2]].tolist() == [1.0, 0.0]
    assert row[1] == pytest.approx(2 / 3)
    assert coding.typical({}).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert coding.typical({"year": 1993})[2] == pytest.approx(0.0)
    for changes, told in (({"party": "q"}, "no value 'q'; there are: b, a"), ({"day": 1}, "no field 'day'")):
        with pytest.raises(UserError, match=told):
            coding.typical(changes)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("0 + party", "no intercept"),
        ("region", "no document has the field 'region'; there are: day, left, party, size, year"),
        ("party + I(1)", "is determined by other terms"),
        ("year + I(2 * year)", "is determined by other terms"),
        ("sparse", "40 documents of 42 have no 'sparse'"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_a_line(formula, told):
    documents = [{**one, **({"sparse": 1} if i < 2 else {})} for i, one in enumerate(DOCUMENTS)]
    if formula == "region":
        documents = DOCUMENTS
    with pytest.raises(UserError, match=told) as error:
        learn_coding(formula, documents)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        {"columns": ["Intercept"]},
        {"centres": ["a", "b"]},
        {"groups": [0, 9]},
        {"levels": []},
        {"state": 3},
        {"documents": "many"},
        {"scales": [1.0, float("inf")]},
        {"levels": {}},
    ],
)
def test_an_altered_coding_is_refused(change):
    coding = learn_coding("party", DOCUMENTS)
    learned = json.dumps({**json.loads(coding.learned), **change})
    for text in (learned, "not JSON", "[]"):
        with pytest.raises(ValueError):
            coding_from("party", text)
    assert coding_from("party", coding.learned) == Coding("party", coding.learned)
