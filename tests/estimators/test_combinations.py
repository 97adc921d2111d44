"""One table says what goes together: the docs print it, estimators obey it, the program tells it."""

from itertools import product
from pathlib import Path

import pytest

from stickbreaker import LDA, Online, UserError
from stickbreaker.estimators.topics.combinations import (
    DOCUMENTS,
    ENGINES,
    INFERENCE,
    LEGAL,
    WORDS,
    Combination,
    as_markdown,
    refuse_illegal,
)
from stickbreaker.estimators.topics.combinations import SCHEDULES as EVERY_SCHEDULE

TABLE = Path(__file__).with_name("combinations.txt")  # of every combination, what it gave once and for all
PAGE = Path(__file__).parents[2] / "docs/models/sampling.md"
SCHEDULES = ("batch", "online", "partial_fit")
X = [[2, 0, 1], [0, 3, 1], [1, 1, 1]]


def legal(inference: str, schedule: str) -> bool:
    return any(inference in row.inference and schedule in row.schedule for row in LEGAL)


def test_the_docs_print_the_table():
    assert as_markdown() in PAGE.read_text(encoding="utf-8")


def verdict(chosen: tuple[str, ...]) -> str:
    try:
        refuse_illegal(Combination(*((choice,) for choice in chosen)))
    except UserError as error:
        return str(error)
    return "legal"


def test_what_is_computed_is_the_table_in_every_combination():
    every = product(DOCUMENTS, WORDS, INFERENCE, EVERY_SCHEDULE, ENGINES)
    computed = [f"{' '.join(chosen)}: {verdict(chosen)}" for chosen in every]
    assert computed == TABLE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("inference", "schedule"), list(product(INFERENCE, SCHEDULES)))
def test_what_the_table_has_works_and_all_else_is_refused_with_a_line(inference, schedule):
    model = LDA(2, inference=inference, max_iter=2, tol=0.0, random_state=0, n_jobs=1)
    if schedule == "online":
        model.set_params(schedule=Online(batch_size=2))
    learn = model.partial_fit if schedule == "partial_fit" else model.fit
    if legal(inference, schedule):
        assert learn(X).transform(X).shape == (3, 2)
        return
    with pytest.raises(UserError, match="does not go with") as told:
        learn(X)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"schedule": "memoised"},
            "schedule='memoised' does not go with words='open'; there schedule is 'batch'",
        ),
        ({"inference": "gibbs"}, "inference='gibbs' does not go with words='open'; there inference is"),
    ],
)
def test_what_an_open_vocabulary_lacks_is_told_as_such(settings, told):
    with pytest.raises(UserError) as error:
        LDA(2, words="open", **settings).fit(X)
    assert str(error.value).startswith(told)


def test_the_program_offers_every_inference(cli):
    assert all(name in cli("fit", "lda", "--help").stdout for name in INFERENCE)
