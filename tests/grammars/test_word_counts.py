"""Lists of words with counts, as input of grammars."""

import json

import numpy as np
import pytest

from stickbreaker import AdaptorGrammar
from stickbreaker.core.errors import UserError
from stickbreaker.testing.estimators import contents

WORDS = {"walked": 3, "walks": 2, "walking": 1, "talked": 2, "talks": 4, "hat": 5}
REPEATED = [word for word, count in WORDS.items() for _ in range(count)]
SETTINGS = ("--grammar", "morphology", "--iterations", 12, "--seed", 0)


@pytest.fixture
def counted(tmp_path):
    path = tmp_path / "words.counts"
    path.write_text("".join(f"{word}\t{count}\n" for word, count in WORDS.items()))
    return path


@pytest.mark.parametrize("inference", ["mcmc", "hybrid", "mean-field"])
def test_counts_are_repeated_words(inference, tmp_path):
    """Every inference: the files of the model are those of the repeated words, to the byte."""
    quick = {"max_iter": 6, "random_state": 0, "inference": inference}
    weighed = AdaptorGrammar("morphology", **quick).fit(list(WORDS), sample_weight=list(WORDS.values()))
    repeated = AdaptorGrammar("morphology", **quick).fit(REPEATED)
    weighed.save(tmp_path / "weighed")
    repeated.save(tmp_path / "repeated")
    assert contents(tmp_path / "weighed") == contents(tmp_path / "repeated")


def test_every_occurrence_has_a_tree(counted):
    """A chain's uses of the start symbol count occurrences, not distinct words."""
    model = AdaptorGrammar("morphology", max_iter=6, random_state=0)
    model.fit(list(WORDS), sample_weight=np.array(list(WORDS.values()), float))
    totals = {}
    for one in model.subtrees("Word"):  # a word may be remembered with several cuts
        totals["".join(one.text)] = totals.get("".join(one.text), 0) + one.customers
    assert totals == WORDS


def test_a_file_with_counts_learns_as_its_words(cli, counted, tmp_path):
    plain = tmp_path / "words.txt"
    plain.write_text("".join(f"{word}\n" for word in REPEATED))
    cli("fit", "grammar", counted, "--out", tmp_path / "c", *SETTINGS)
    cli("fit", "grammar", plain, "--out", tmp_path / "p", *SETTINGS)
    rules = [json.loads(cli("rules", tmp_path / name, "--top", 0, "--json").stdout) for name in "cp"]
    assert rules[0] == rules[1]
    scores = [
        json.loads(cli("evaluate", tmp_path / "c", path, "--nonterminal", "Stem", "--json").stdout)
        for path in (counted, plain)
    ]
    assert scores[0]["sentences"] == sum(WORDS.values())
    assert {**scores[0], "learned_from": None} == {**scores[1], "learned_from": None}
    lines = cli("segment", tmp_path / "c", counted, "--nonterminal", "Stem").stdout.splitlines()
    assert [line.rpartition("\t")[2] for line in lines] == [str(count) for count in WORDS.values()]
    assert [line.rpartition("\t")[0].replace(" ", "") for line in lines] == list(WORDS)
    found = json.loads(cli("segment", tmp_path / "c", counted, "--json").stdout)["sentences"]
    assert [(one["id"], one["count"]) for one in found] == [
        (f"words.counts:{n}", count) for n, count in enumerate(WORDS.values(), 1)
    ]
    assert len(cli("parse", tmp_path / "c", counted).stdout.splitlines()) == len(WORDS)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("cat 3", "the line has no tab before a count"),
        ("cat\tthree", "the count 'three' is not a whole number above zero"),
        ("cat\t0", "the count '0' is not a whole number above zero"),
        ("cat\t1000001", "the count is 1,000,001, more than 1,000,000"),
    ],
)
def test_lines_without_counts_are_refused(cli, tmp_path, line, problem):
    path = tmp_path / "words.txt"
    path.write_text(f"hat\t2\n{line}\n")
    error = cli("fit", "grammar", path, "--format", "counts", "--out", tmp_path / "m", code=1).stderr
    assert f"words.txt:2: {problem}" in error
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, 0.5], [1, 2, -1], [1, 2, float("nan")], ["a", "b", "c"]])
def test_weights_that_are_no_counts_are_refused(counts):
    with pytest.raises(UserError, match="sample_weight"):
        AdaptorGrammar("morphology", max_iter=2).fit(["a", "b", "ab"], sample_weight=counts)
