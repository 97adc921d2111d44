"""Which tests run in which tier, what a change needs, and the record of whole runs."""

import subprocess

import pytest

from tests import choice, times, whole_run
from tests.choice import room_of
from tests.tiers import chosen_of, runs, sampled, some

CONTRACT = [frozenset({"cli"}), frozenset({"topics", "ngrams"}), frozenset({"saved"}), frozenset({"core"})]


class Item:
    """A test with these marks, as pytest collects it."""

    def __init__(
        self, *marks: str, nodeid: str = "tests/topics/test_a.py::test_b", about_inputs: bool = False
    ):
        self.nodeid = nodeid
        self.marks = marks
        self.function = self.test_of_inputs if about_inputs else self.test

    def iter_markers(self):
        return [getattr(pytest.mark, name).mark for name in self.marks]

    def test(self): ...

    def test_of_inputs(self): ...

    vars(test_of_inputs)["about"] = "inputs"


@pytest.mark.parametrize(
    ("marks", "first", "changed", "in_full"),
    [
        ((), True, True, True),
        (("faults",), True, True, True),
        (("rest",), False, False, True),
        (("rest", "long"), False, False, False),
        (("long",), True, True, True),
        (("slow",), False, False, False),
        (("browser",), False, False, False),
        (("browser", "smoke"), False, True, True),
        (("ci",), False, True, True),
        (("browser", "smoke", "slow"), False, False, False),
        (("browser", "smoke", "rest"), False, False, True),
    ],
)
def test_a_mark_decides_the_tier(marks, first, changed, in_full):
    item = Item(*marks)
    assert runs(item, "first", (), "smoke") is first
    assert runs(item, "changed", ("saved",), "smoke") is changed
    assert runs(item, "changed", ("topics",), "smoke") is in_full
    assert runs(item, "all", (), "")


def test_spark_has_its_laws_or_a_smoke_test():
    law, smoke, long = Item("spark"), Item("spark", "smoke"), Item("spark", "slow")
    assert [runs(item, "first", (), "laws") for item in (law, smoke, long)] == [False, False, False]
    assert [runs(item, "changed", (), "smoke") for item in (law, smoke, long)] == [False, True, False]
    assert [runs(item, "changed", (), "laws") for item in (law, smoke, long)] == [True, True, False]


def test_laws_about_inputs_run_for_fewer_configurations():
    assert runs(Item("rest_of_inputs"), "first", (), "")
    assert not runs(Item("rest_of_inputs", about_inputs=True), "first", (), "")
    assert runs(Item(about_inputs=True), "first", (), "")


def test_cases_beyond_a_sample_are_marked_and_kept():
    cases = sampled(range(10), 3)
    marked = [case for case in cases if hasattr(case, "marks")]
    assert len(cases) == 10
    assert len(marked) == 7
    assert {mark.name for case in marked for mark in case.marks} == {"rest"}
    assert sampled(range(10), 3) == cases
    assert sampled(range(2), 3) == [0, 1]


def test_cases_of_several_values_keep_their_names_and_marks():
    one, other = chosen_of([pytest.param(1, 2, id="a"), pytest.param(3, 4, marks=pytest.mark.slow)], [])
    assert (one.values, one.id) == ((1, 2), "a")
    assert [mark.name for mark in other.marks] == ["slow", "rest"]


def test_a_loop_takes_some_cases_in_order():
    assert some(range(100), 200) == list(range(100))
    assert some(range(100), 5) == sorted(some(range(100), 5)) == some(range(100), 5)


def test_a_change_reaches_its_room_and_those_above():
    found = choice.choice_of(["src/stickbreaker/topics/a.py", "README.md"], CONTRACT)
    assert found.whole == {"topics", "cli"}
    assert found.spark == "smoke"
    assert found.reasons == (
        "cli: may use topics (src/stickbreaker/topics/a.py changed)",
        "topics: src/stickbreaker/topics/a.py changed",
        "Spark: a batch, an online, a stream run",
    )


def test_tests_of_a_room_are_a_change_of_it():
    assert choice.choice_of(["tests/saved/test_a.py"], CONTRACT).whole == {"saved", "topics", "ngrams", "cli"}


def test_what_all_stand_on_reaches_all():
    found = choice.choice_of(["src/stickbreaker/core/a.py"], CONTRACT)
    assert found.whole == {"cli", "topics", "ngrams", "saved", "core"}
    assert found.spark == "laws"


@pytest.mark.parametrize("file", ["tests/conftest.py", "tests/oracle/lda.py", "pyproject.toml", ".ci/run"])
def test_what_tests_share_reaches_all(file):
    found = choice.choice_of([file], CONTRACT)
    assert len(found.whole) == 5
    assert found.spark == "laws"
    assert found.reasons == (f"all rooms: {file} changed",)


def test_docs_and_nothing_reach_no_room():
    for files in ([], ["docs/a.md", "benchmarks/a.py", "tests/test_docs.py"]):
        found = choice.choice_of(files, CONTRACT)
        assert found.whole == set()
        assert found.spark == "smoke"


def test_without_history_everything_runs(monkeypatch):
    assert choice.changed_since("0" * 40) is None
    monkeypatch.setattr(whole_run, "commit_of", lambda part: "")
    found = choice.chosen()
    assert found.whole == frozenset().union(*choice.layers())
    assert found.spark == "laws"


def test_the_contract_at_hand_is_read():
    layers = choice.layers()
    assert {"cli"} in layers
    assert choice.reached("kernels", layers) == {"kernels"}.union(*layers[:-1])
    assert set(choice.OF_SPARK) <= frozenset().union(*layers)


def test_files_that_differ_from_a_commit_are_found():
    try:
        subprocess.run(["git", "rev-parse", "HEAD"], cwd=choice.ROOT, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no history of git here")
    found = choice.changed_since("HEAD")
    assert found is not None
    assert all(not file.startswith("/") for file in found)


def test_the_record_is_what_it_was_written_from(tmp_path, monkeypatch):
    parts = {
        "tests": whole_run.Passed("0123456789ab", "2026-11-29", 55, "14000 passed, 3 skipped"),
        "mutations": whole_run.Passed("ba9876543210", "2026-11-28", 30, "96 of 96 changes were noticed"),
    }
    monkeypatch.setattr(whole_run, "RECORD", tmp_path / "record.md")
    assert whole_run.record() == {}
    assert whole_run.commit_of("tests") == ""
    (tmp_path / "record.md").write_text(whole_run.page_of(parts), "utf-8")
    assert whole_run.record() == parts
    assert whole_run.commit_of("tests") == "0123456789ab"


def test_figures_are_those_that_a_part_ends_with():
    assert (
        whole_run.figures_of("...\n3 failed in 1s\n12 passed, 1 skipped in 4.20s (0:01:02)\n")
        == "12 passed, 1 skipped"
    )
    assert whole_run.figures_of("95 of 96 changes were noticed\n") == "95 of 96 changes were noticed"
    assert whole_run.figures_of("40 tries, seed 0; 0 failed, 1 too slow to judge") == (
        "40 tries, seed 0; 0 failed, 1 too slow to judge"
    )
    assert whole_run.figures_of("") == ""


def test_an_unknown_part_is_one_line(capsys):
    assert whole_run.main(["test"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "there are no parts test; there are: tests, kernels, baseline, mutations, audit"
    ]


def test_a_part_that_fails_is_not_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(whole_run, "RECORD", tmp_path / "record.md")
    monkeypatch.setattr(whole_run, "commit_at_hand", lambda: "0123456789ab")
    monkeypatch.setattr(
        whole_run,
        "PARTS",
        {
            "good": (("-c", "print('7 passed in 1s')"), {}),
            "bad": (("-c", "print('6 passed in 1s'); exit(1)"), {}),
        },
    )
    assert whole_run.main([]) == 1
    assert "failed: bad" in capsys.readouterr().out
    assert {name: of.figures for name, of in whole_run.record().items()} == {"good": "7 passed"}


def test_a_part_that_passes_with_changed_files_is_not_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(whole_run, "RECORD", tmp_path / "record.md")
    monkeypatch.setattr(whole_run, "commit_at_hand", lambda: "")
    monkeypatch.setattr(whole_run, "PARTS", {"good": (("-c", "print('7 passed in 1s')"), {})})
    assert whole_run.main([]) == 0
    assert not (tmp_path / "record.md").exists()
    assert "not recorded" in capsys.readouterr().out


def test_times_are_told_by_room_with_the_longest_tests(monkeypatch):
    monkeypatch.setattr(times, "TIER", "first")
    seconds = {"tests/topics/model/test_a.py::test_a": 2.0, "tests/test_b.py::test_b[1]": 4.5}
    lines = times.told(seconds, {"tests/test_b.py::test_b[1]": "sweep"}, ())
    assert lines[0] == "6 worker-seconds in 2 tests, by room:"
    assert lines[1:3] == ["      4.5  tests (1)", "      2.0  tests/topics (1)"]
    assert lines[4] == "      4.5  tests/test_b.py::test_b[1]"
    assert lines[-1] == "  tests/test_b.py::test_b[1]: sweep"
    unexplained = "  tests/test_b.py::test_b[1]"
    assert unexplained in lines
    assert unexplained not in times.told(seconds, {}, list(seconds))


def test_a_room_is_a_folder_of_tests_or_of_the_package():
    assert room_of("tests/topics/model/test_a.py::TestB::test_c") == "topics"
    assert room_of("src/stickbreaker/core/errors.py::stickbreaker.core.errors.UserError") == "core"
    assert room_of("tests/test_docs.py::test_a") == ""
