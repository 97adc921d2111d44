"""One table says what goes together: the docs print it, estimators obey it, the program tells it."""

from itertools import product
from pathlib import Path

import pytest

from stickbreaker import HDP, LDA, Online, SplitMerge, UserError
from stickbreaker.topics.combinations import (
    DOCUMENTS,
    ENGINES,
    INFERENCE,
    LEGAL,
    WORDS,
    Combination,
    refuse_illegal,
)
from stickbreaker.topics.combinations import SCHEDULES as EVERY_SCHEDULE

TABLE = Path(__file__).with_name("combinations.txt")  # of every combination, what it gave once and for all
PAGE = Path(__file__).parents[2] / "docs/reference/topic-models.md"
SCHEDULES = ("batch", "online", "partial_fit")
X = [[2, 0, 1], [0, 3, 1], [1, 1, 1]]


def legal(inference: str, schedule: str) -> bool:
    return any(inference in row.inference and schedule in row.schedule for row in LEGAL)


def test_the_docs_print_the_table():
    lines = ["| " + " | ".join(Combination._fields) + " |", "|" + "---|" * len(Combination._fields)]
    lines += ["| " + " | ".join(", ".join(choices) for choices in row) + " |" for row in LEGAL]
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8")


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


@pytest.mark.parametrize("settings", [{}, {"n_topics": 5}, {"inference": "hybrid"}])
def test_a_schedule_that_nobody_gave_is_not_blamed(settings):
    with pytest.raises(UserError) as error:
        HDP(moves=SplitMerge("paper"), **settings).fit(X)
    line = "SplitMerge(accept='paper') needs an online schedule; set schedule='online', or accept='exact'"
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("options", "without"),
    [
        (("--inference", "hybrid"), "--inference hybrid"),
        (("--concepts", "{tree}"), "--concepts"),
        (("--concepts", "{tree}", "--inference", "hybrid"), "--concepts and --inference hybrid"),
        (("--representation", "franchise"), "--representation franchise"),
        (("--words", "open"), "--words open"),
        (("--words", "open", "--schedule", "online"), "--words open"),
    ],
)
def test_why_there_is_no_search_names_what_was_given(cli, tmp_path, options, without):
    (tmp_path / "t.txt").write_text("a river bank\nbank money loan\nmoney river boat\n" * 2, encoding="utf-8")
    (tmp_path / "tree").write_text('{"concept": "c", "words": ["river", "bank"]}\n', encoding="utf-8")
    given = [option.format(tree=tmp_path / "tree") for option in options]
    done = cli("fit", "hdp", tmp_path / "t.txt", "--out", tmp_path / "m", "--iterations", 1, *given)
    assert f"starting from 50 topics: there is no search for their number with {without}\n" in done.stderr


def test_the_program_offers_every_inference(cli):
    assert all(name in cli("fit", "lda", "--help", "all").stdout for name in INFERENCE)
