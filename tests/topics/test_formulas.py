"""Formulas of metadata: what the grammar takes, and the designs that come of it."""

import numpy as np
import pandas as pd
import pytest

from stickbreaker import UserError
from stickbreaker.topics.formula_design import Reference, design_of
from stickbreaker.topics.formula_grammar import MOST_TERMS, read_formula

N = 60
FRAME = pd.DataFrame(
    {
        "party": list("aabbbc") * 10,
        "year": np.arange(N) % 7 + 2000,
        "day": np.random.default_rng(0).random(N),
        "other name": np.arange(N),
        "log": np.arange(N) % 5,
    }
)


def design(formula):
    return design_of(formula, read_formula(formula), FRAME)


def words(formula):
    return [":".join(str(factor.number) for factor in term) for term in read_formula(formula)]


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("a", ["", "a"]),
        ("share ~ a + b", ["", "a", "b"]),
        ("~a", ["", "a"]),
        ("a + b + a - b", ["", "a"]),
        ("0 + a", ["a"]),
        ("a - 1", ["a"]),
        ("-1 + a", ["a"]),
        ("a - 0", ["", "a"]),
        ("1", [""]),
        ("a * b", ["", "a", "b", "a:b"]),
        ("a:b + a", ["", "a", "a:b"]),
        ("a:b + b:a", ["", "a:b"]),
        ("a / b", ["", "a", "a:b"]),
        ("(a + b) / c", ["", "a", "b", "a:b:c"]),
        ("a * b * c - a:b:c", ["", "a", "b", "c", "a:b", "a:c", "b:c"]),
        ("(a + b + c)^2", ["", "a", "b", "c", "a:b", "a:c", "b:c"]),
        ("(a + b)**99999999", ["", "a", "b", "a:b"]),
        ("a ^ 2", ["", "a"]),
        ("a:a", ["", "a"]),
        ("`my year` + Größe + x.y_2", ["", "my year", "Größe", "x.y_2"]),
        ("I(-a ^ 2 * (1 + b) / .5)", ["", "-a ** 2 * (1 + b) / 0.5"]),
    ],
)
def test_terms_are_those_of_r(formula, terms):
    assert words(formula) == terms


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        (" ", "is empty"),
        ("year - year - 1", "has no term"),
        ("year year", "has 'year' in place of an operator"),
        ("year +", "ends in place of the name of a field"),
        ("year + 2", "has '2' in place of the name of a field"),
        ("year * 0", "multiplies by 0"),
        ("0:year", "multiplies by 0"),
        ("year^0", "a whole number from 1 on"),
        ("year^day", "a whole number from 1 on"),
        ("(year", "ends in place of"),
        ("I(I(year))", "within arithmetic"),
        ("log(poly(year, 2))", "within arithmetic"),
        ("C(party, open)", "in place of a contrast"),
        ("C(party, contr.sum('a'))", "in place of"),
        ("C(party, contr.treatment(x))", "a level in quotes"),
        ("C(2 * year)", "the name of a field"),
        ("poly(year, -1)", "degree= or raw="),
        ("poly(year, degree=-1)", "a whole number"),
        ("poly(year, 2, 3)", "degree= or raw="),
        ("poly(year, degree=2, degree=3)", "degree= or raw="),
        ("bs(year, df=1e9)", "a whole number from 1 to 100"),
        ("year.__class__.__mro__()", "has the function 'year.__class__.__mro__'"),
        ("getattr(year, 'x')", "has the function 'getattr'"),
        ("[x for x in y]", "not part of a formula"),
        ("year == 2", "in place of"),
        ("'a' + year", "the name of a field"),
        ("(" * 50 + "a" + ")" * 50, "more than 40 brackets"),
        ("a" * 2001, "2,001 characters"),
        ("(" + "+".join(f"x{i}" for i in range(40)) + ")^20", f"more than {MOST_TERMS:,} terms"),
        ("*".join(f"x{i}" for i in range(40)), f"more than {MOST_TERMS:,} terms"),
    ],
)
def test_everything_else_is_refused(formula, told):
    with pytest.raises(UserError) as error:
        read_formula(formula)
    assert told in str(error.value)


def test_columns_have_the_values_that_the_formula_says():
    found = design("I(-year ^ 2 * (1 + day) / 2) + log(year - 1999) + sqrt(`other name`) + log")
    year, day = FRAME["year"], FRAME["day"]
    expected = [
        1.0,
        -(year**2) * (1 + day) / 2,
        np.log(year - 1999),
        np.sqrt(FRAME["other name"]),
        FRAME["log"],
    ]
    for column, values in zip(found.values.T, expected, strict=True):
        assert column == pytest.approx(np.broadcast_to(values, N))
    assert found.columns[1:3] == ("I(-year ** 2 * (1 + day) / 2)", "log(year - 1999)")
    assert found.columns[3:] == ("sqrt(other name)", "log")


def test_polynomials_and_splines_are_those_of_the_package():
    found = design("poly(year, 2) + bs(day, df=4) + party:scale(day)")
    assert found.values[:, 1:3].T @ found.values[:, 1:3] == pytest.approx(np.eye(2), abs=1e-12)
    assert found.columns[1:3] == ("poly(year, 2)[1]", "poly(year, 2)[2]")
    assert found.columns[3:7] == tuple(f"bs(day, df=4)[{i}]" for i in range(1, 5))
    assert set(found.columns[7:]) == {f"party[{level}]:scale(day)" for level in "abc"}
    assert np.linalg.matrix_rank(found.values[:, :7]) == 7


def test_the_most_frequent_level_is_the_reference():
    found = design("party")
    assert found.columns == ("Intercept", "party[T.a]", "party[T.c]")
    assert found.values[:, 1].tolist() == (FRAME["party"] == "a").tolist()
    assert found.references == (Reference("party", "b", 30),)
    other = design("C(party, contr.treatment(base = 'c'))")
    assert other.columns == ("Intercept", "C(party)[T.a]", "C(party)[T.b]")
    assert other.references == (Reference("party", "c", 10),)
    years = design("C(year)")
    assert years.references == (Reference("year", "2000", 9),), "the first of several"
    assert years.columns[1:] == tuple(f"C(year)[T.{year}]" for year in range(2001, 2007))
    assert design("C(year, Treatment(2003))").references == (Reference("year", "2003", 9),)


@pytest.mark.parametrize(
    "formula", ["0 + party", "C(party, contr.sum)", "party:year", "year", "C(year, contr.poly)"]
)
def test_other_designs_have_no_reference(formula):
    assert design(formula).references == ()


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("C(party, contr.treatment('z'))", "the field 'party' has no value 'z'; there are: a, b, c"),
        ("poly(year, 7)", "poly(year, 7) of 7 different values; give a degree below 7"),
        ("C(day)", "60 documents for 60 terms or more"),
        ("C(day):C(`other name`)", "60 documents for 3,482 terms or more"),
        ("I(2 * party)", "the field 'party' is not a number"),
        ("I(1 / log)", "has no number for 12 documents"),
        ("I(((9**99)**99)**99)", "has no number for 60 documents"),
        ("I(1e999)", "has no number for 60 documents"),
        ("bs(day, df=2)", "give df=3 or more"),
    ],
)
def test_designs_that_cannot_be_made_are_one_line(formula, told):
    with pytest.raises(UserError) as error:
        design(formula)
    assert told in str(error.value)
    assert str(error.value).isprintable()
