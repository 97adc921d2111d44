"""Names that readers give to topics: kept with the model, and topics of one name as one."""

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.running import SMALL

from stickbreaker import HDP, LDA, Corpus, UserError, load
from stickbreaker.core.locks.path_locks import turn_at
from stickbreaker.estimators import model_runs
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.estimators import begin
from stickbreaker.topics.names.given_names import names_in_file
from stickbreaker.topics.names.named_topics import NamedTopics
from stickbreaker.topics.names.names_file import (
    LONGEST_NAME,
    NAMES,
    change_names,
    checked_name,
    read_names,
    write_names,
)


@pytest.fixture
def named(texts):
    """An LDA of four topics, two of which have one name."""
    learned = LDA(4, random_state=1, n_jobs=1, max_iter=3, tol=0.0).fit(texts)
    return learned.name_topics({3: "weather", 1: " weather  ", 0: "the  sea"})


def test_a_name_is_given_and_taken_away(named):
    assert named.topic_names_ == ("the sea", "weather", None, "weather")
    named.name_topics({1: None, 3: "", 2: "new"})
    assert named.topic_names_ == ("the sea", None, "new", None)
    assert named.given_names_ == {0: "the sea", 2: "new"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({4: "x"}, "there is no topic 4; topics run from 0 to 3"),
        ({-1: "x"}, "there is no topic -1"),
        ({"1": "x"}, "there is no topic '1'; topics run from 0 to 3"),
        ({True: "x"}, "there is no topic True"),
        ({1: 5}, "a topic's name must be a text, not '5'"),
        (
            {1: "x" * (LONGEST_NAME + 1)},
            f"has {LONGEST_NAME + 1} characters; use at most {LONGEST_NAME}",
        ),
        ({1: "a\x1b[31m"}, "cannot be printed"),
        ({1: "a\nb"}, "cannot be printed"),
        ({1: "right\u202eleft"}, "cannot be printed"),
        ({1: "half\ud800"}, "cannot be printed"),
    ],
)
def test_mistakes_are_one_line_and_change_nothing(named, names, message):
    before = named.topic_names_
    with pytest.raises(UserError) as told:
        named.name_topics({0: "other", **names})
    assert message in str(told.value)
    assert "\n" not in str(told.value)
    assert named.topic_names_ == before


def test_names_are_given_by_number(named):
    with pytest.raises(UserError, match="names must be a dict by topic number"):
        named.name_topics(["sea", "weather"])


def test_letters_of_every_script_can_be_printed():
    for name in ("погода", "天気", "می\u200cخواهم", "👩\u200d🔬 science", "<b>bold</b>", "=1+1"):
        assert checked_name(name) == name
    assert checked_name("e\u0301") == "é"


def test_what_is_not_fitted_has_no_topics_to_name():
    with pytest.raises(UserError, match="call fit first"):
        LDA(4).name_topics({0: "x"})


def test_names_are_saved_and_loaded(named, tmp_path):
    named.save(tmp_path / "a")
    for again in (LDA.load(tmp_path / "a"), load(tmp_path / "a")):
        assert again.topic_names_ == named.topic_names_
    LDA.load(tmp_path / "a").save(tmp_path / "b")  # a copy
    assert LDA.load(tmp_path / "b").topic_names_ == named.topic_names_
    named.name_topics(dict.fromkeys(range(4))).save(tmp_path / "c")
    assert not (tmp_path / "c" / NAMES).exists()


def test_they_last_while_the_model_learns_on_and_go_when_it_begins_anew(named, texts, tmp_path):
    named.save(tmp_path / "a")
    loaded = LDA.load(tmp_path / "a").partial_fit(texts[:9])
    assert loaded.topic_names_ == named.topic_names_ == named.partial_fit(texts[:9]).topic_names_
    assert named.fit(texts).topic_names_ == (None,) * 4


def test_they_follow_topics_whose_numbers_change(texts, tmp_path):
    model = HDP(random_state=1, n_jobs=1, max_iter=2, tol=0.0).fit(texts)
    last = len(model.alpha_) - 1
    lasting = model.topic_ids_[last]
    model.name_topics({last: "last"}).save(tmp_path / "m")
    write_names(tmp_path / "m", {**read_names(tmp_path / "m"), 10_000: "gone"})
    again = HDP.load(tmp_path / "m").partial_fit(texts)
    names = dict(zip(again.topic_ids_, again.topic_names_, strict=True))
    assert names == {i: "last" if i == lasting else None for i in again.topic_ids_}


def test_a_reader_is_right_and_the_guide_comes_back(texts):
    guide = {"trees": ["telescope"], "money": ["loan"]}
    model = LDA(3, guide=guide, random_state=0, max_iter=2, tol=0.0).fit(texts)
    assert model.topic_names_ == ("trees", "money", None)
    assert model.name_topics({0: "woods", 2: "money"}).topic_names_ == ("woods", "money", "money")
    assert len(NamedTopics(model.learned_).members) == 2
    assert model.name_topics({0: None}).topic_names_ == ("trees", "money", "money")


def test_a_run_that_goes_on_keeps_names(planted, cli, tmp_path):
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    corpus = Corpus.open(tmp_path / "c")
    begin(LDA(3, max_iter=3, random_state=0), corpus, tmp_path / "m")
    cli("name", tmp_path / "m", "--topic", "1=money")
    finished, _, _ = model_runs.resume(tmp_path / "m", every=0.0, threads=1)
    assert finished.topic_names == (None, "money", None)
    assert load(tmp_path / "m").topic_names_ == (None, "money", None)
    directory = ModelDirectory(tmp_path / "m")
    directory.write(directory.read())  # as a stream does, again and again
    assert load(tmp_path / "m").topic_names_ == (None, "money", None)
    cli("fit", "lda", planted, "--out", tmp_path / "m", "--overwrite", *SMALL)
    assert load(tmp_path / "m").topic_names_ == (None,) * 3


# Files of others


HOSTILE = [
    b"", b"null", b"[]", b"{}", b'{"version": 1}', b"[" * 100_000, b'{"version": 1, "names": {"3": "x"}}',
    b'{"version": 1, "names": [{"id": -1, "name": "x"}]}', b'{"version": 1, "names": [{"id": 1, "name": 5}]}',
    b'{"version": 2, "names": []}', b'{"version": 1, "names": [{"id": 1, "name": "x"}]}',
    b'{"version": ' + b"9" * 5000 + b', "names": []}', b"\xff\xfe", b'{"version": true, "names": []}',
]  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE)
def test_other_files_are_refused_by_name(model, tmp_path, content):
    copy = shutil.copytree(model, tmp_path / "copy")
    (copy / NAMES).write_bytes(content)
    with pytest.raises(UserError) as told:
        load(copy)
    assert str(told.value).startswith(f"{copy / NAMES}: ")
    assert "\n" not in str(told.value)


def test_altered_names_are_refused_or_the_same(tmp_path):
    names = {3: "weather", 5: "погода", 1 << 53: "x"}
    write_names(tmp_path, names)
    content, draw = (tmp_path / NAMES).read_bytes(), random.Random(0)
    for _ in range(300):
        altered = bytearray(content)
        altered[draw.randrange(len(altered))] ^= 1 << draw.randrange(8)
        (tmp_path / NAMES).write_bytes(altered)
        with pytest.raises(UserError, match=NAMES):
            read_names(tmp_path)
    (tmp_path / NAMES).write_bytes(content)
    assert read_names(tmp_path) == names


def test_names_that_others_gave_meanwhile_stay(tmp_path):
    write_names(tmp_path, {1: "sea", 2: "land"})
    change_names(tmp_path, {3: "air", 1: None})
    assert read_names(tmp_path) == {2: "land", 3: "air"}
    change_names(tmp_path, {4: "fire"}, afresh=True)
    assert read_names(tmp_path) == {4: "fire"}


def test_names_that_cannot_be_read_stop_no_run(planted, cli, tmp_path):
    cli("corpus", "build", planted, "--out", tmp_path / "c")
    begin(LDA(3, max_iter=3), Corpus.open(tmp_path / "c"), tmp_path / "m")
    (tmp_path / "m" / NAMES).write_text("no names")
    with pytest.warns(UserWarning, match=r"names of topics are left out: .*names\.json"):
        model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    (tmp_path / "m" / NAMES).unlink()
    assert len(load(tmp_path / "m").topic_names_) == 3


def test_a_folder_or_a_link_in_its_place_is_refused(tmp_path):
    (tmp_path / NAMES).mkdir()
    with pytest.raises(UserError, match="not a file of topics' names"):
        read_names(tmp_path)
    (tmp_path / NAMES).rmdir()
    (tmp_path / NAMES).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is a link"):
        write_names(tmp_path, {1: "x"})


def page_file(model, path, **changes):
    """A file as the page writes it, with some changes."""
    words = model.top_words(10)
    topics = [
        {"id": i, "number": k, "words": words[k], "name": model.topic_names_[k]}
        for k, i in enumerate(model.topic_ids_)
    ]
    record = {"format": "stickbreaker names of topics", "version": 1, "topics": topics, **changes}
    path.write_text(json.dumps(record))
    return path


def test_a_file_from_the_page_names_the_same_topics(named, texts, tmp_path):
    file = page_file(named, tmp_path / "n.json")
    other = LDA(4, random_state=1, n_jobs=1, max_iter=3, tol=0.0).fit(texts).name_topics({2: "old"})
    found = names_in_file(other.learned_, file)
    assert found == ({0: "the sea", 1: "weather", 2: None, 3: "weather"}, [])
    assert other.name_topics(found.by_topic).topic_names_ == named.topic_names_


def test_names_of_topics_that_are_gone_are_left_out(named, tmp_path):
    words = [[f"other{i}" for i in range(10)], *named.top_words(10)[1:]]
    topics = [
        {"id": [0, 1, 2, 77][k], "words": words[k], "name": ["changed", "kept", None, "gone"][k]}
        for k in range(4)
    ]
    found = names_in_file(named.learned_, page_file(named, tmp_path / "n.json", topics=topics))
    assert found == ({1: "kept", 2: None}, ["changed", "gone"])


def test_a_file_about_another_model_is_refused(named, tmp_path):
    other = LDA(4, max_iter=2, tol=0.0, random_state=0).fit([f"w{i} v{i} u{i} w{i + 1}" for i in range(40)])
    for file, count in (
        (page_file(other, tmp_path / "words.json"), "0 of 4"),
        (page_file(named, tmp_path / "ids.json", topics=[{"id": 9, "words": ["a"], "name": "x"}]), "0 of 1"),
        (page_file(named, tmp_path / "none.json", topics=[]), "0 of 0"),
    ):
        with pytest.raises(UserError) as told:
            names_in_file(named.learned_, file)
        assert str(told.value).startswith(f"{file}: names topics of another model: {count}")


@pytest.mark.parametrize(
    "content", [*HOSTILE[:-1], b'{"format": "stickbreaker names of topics", "version": 1}']
)
def test_a_file_that_is_none_of_the_page_is_refused(named, tmp_path, content):
    (tmp_path / "n.json").write_bytes(content)
    with pytest.raises(UserError) as told:
        names_in_file(named.learned_, tmp_path / "n.json")
    assert str(told.value).startswith(f"{tmp_path / 'n.json'}: ")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["x" * 101, "a\u202eb", "\x00"])
def test_a_name_in_a_file_is_checked(named, tmp_path, name):
    topics = [{"id": 0, "words": named.top_words(10)[0], "name": name}]
    file = page_file(named, tmp_path / "n.json", topics=topics)
    with pytest.raises(UserError) as told:
        names_in_file(named.learned_, file)
    assert str(told.value).startswith(f"{file}: the name")


# Topics of one name


def test_topics_of_one_name_are_their_sum(named):
    groups = NamedTopics(named.learned_)
    large, small = sorted((1, 3), key=lambda k: -named.topic_shares_[k])
    assert sorted(groups.members) == groups.members == sorted([(0,), (2,), (large, small)])
    g = groups.group_of[1]
    assert g == groups.group_of[3]
    assert groups.names[g] == groups.given[g] == "weather"
    shares = named.topic_shares_
    assert groups.shares[g] == pytest.approx(shares[1] + shares[3])
    assert groups.shares.sum() == pytest.approx(1.0)
    joint = (named.topic_word_ * shares[:, None])[[1, 3]].sum(axis=0)
    assert np.allclose(groups.words.dense()[g] * groups.shares[g], joint)
    assert np.allclose(groups.words.dense().sum(axis=1), 1.0)
    assert np.array_equal(groups.words.of(np.array([2, 5])), groups.words.dense()[:, [2, 5]])
    assert groups.mix([(1, 0.3), (0, 0.4), (3, 0.2)]) == [(g, pytest.approx(0.5)), (groups.group_of[0], 0.4)]


def test_without_names_nothing_is_changed(named):
    groups = NamedTopics(named.name_topics(dict.fromkeys(range(4))).learned_)
    assert not groups.joined
    assert groups.words is named.learned_.topic_words
    assert groups.shares is named.topic_shares_


def test_transform_keeps_all_topics(named, texts):
    shares = named.transform(texts)
    assert shares.shape[1] == 4
    assert np.array_equal(shares, named.name_topics(dict.fromkeys(range(4))).transform(texts))


def test_all_names_that_are_given_at_once_are_kept(tmp_path):
    """Readings and writings of several take turns; nothing stays of how they do it."""
    write_names(tmp_path, {1000: "first"})
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda i: change_names(tmp_path, {i: f"name {i}"}), range(64)))
    assert read_names(tmp_path) == {1000: "first"} | {i: f"name {i}" for i in range(64)}
    assert [file.name for file in tmp_path.iterdir()] == ["names.json"]


def test_who_names_topics_waits_for_others(tmp_path, monkeypatch):
    """A lock that a killed one left is none; one that somebody has is waited for, and not for ever."""
    (tmp_path / "names.lock").touch()
    change_names(tmp_path, {1: "sea"})
    monkeypatch.setattr("stickbreaker.core.locks.path_locks.LONGEST_WAIT", 0.05)
    with (
        turn_at(tmp_path / "names.lock"),
        pytest.raises(UserError, match=r"names\.lock: another process has it for longer than"),
    ):
        change_names(tmp_path, {1: "land"})
    assert read_names(tmp_path) == {1: "sea"}


def test_names_that_others_gave_stay_when_a_loaded_model_is_saved_over_itself(named, tmp_path):
    """In Python: two who have read the same model, and a command."""
    named.name_topics({0: None, 1: None, 2: None, 3: "x"}).save(tmp_path / "m")
    one, other = LDA.load(tmp_path / "m"), LDA.load(tmp_path / "m")
    change_names(tmp_path / "m", {one.topic_ids_[2]: "by a command"})
    one.name_topics({0: "one", 3: None}).save(tmp_path / "m", overwrite=True)
    other.name_topics({1: "other"}).save(tmp_path / "m", overwrite=True)
    wanted = ("one", "other", "by a command", None)
    assert other.topic_names_ == LDA.load(tmp_path / "m").topic_names_ == wanted
    one.save(tmp_path / "elsewhere")
    assert LDA.load(tmp_path / "elsewhere").topic_names_ == ("one", None, "by a command", None)
    one.partial_fit(["a river bank"] * 3).save(tmp_path / "m", overwrite=True)
    assert "other" in LDA.load(tmp_path / "m").topic_names_
