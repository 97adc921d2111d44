"""A kind with topics that reads trees needs no line in shared code: learned, scored and shown."""

import json

import pytest
from tests.toys.tag_topics import KIND, TagsLearned, TagTopics

from stickbreaker import Analysis, Corpus, VocabularyRule
from stickbreaker.corpus import ReadingOptions
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.kinds import kinds
from stickbreaker.estimators.model_files import load
from stickbreaker.saved.directory import ModelDirectory
from stickbreaker.testing.estimators import begin, contents

SENTENCE = """# newdoc id = {}
1\tdogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tchase\tchase\tVERB\t_\t_\t0\troot\t_\t_
3\tred\tred\tADJ\t_\t_\t4\tamod\t_\t_
4\tcats\tcat\tNOUN\t_\t_\t2\tobj\t_\t_

"""


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setitem(kinds(), KIND.name, KIND)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("".join(SENTENCE.format(number) for number in range(6)))
    return path


@pytest.fixture
def corpus(text, tmp_path):
    analysis, rule = Analysis(stop_words="none"), VocabularyRule(1, 1.0)
    return Corpus.build(
        text, tmp_path / "c", analysis=analysis, rule=rule, reading=ReadingOptions(trees=True)
    )


@pytest.fixture
def model(registered, corpus, tmp_path):
    begin(TagTopics(random_state=0), corpus, tmp_path / "m")
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    return tmp_path / "m"


def test_it_is_learned_saved_and_loaded(model, corpus, tmp_path):
    learned, again = load(model), TagTopics.load(model)
    assert type(learned) is type(again.learned_) is TagsLearned
    assert again.learned_.log_probability(corpus) == learned.log_probability(corpus)
    fitted = TagTopics(random_state=0).fit(corpus)
    fitted.save(tmp_path / "n")
    assert contents(tmp_path / "n")["state.safetensors"] == contents(model)["state.safetensors"]
    assert ModelDirectory(model).manifest()["status"] == "done"


def test_the_program_knows_its_verb_its_format_and_its_scores(model, text, corpus, cli, tmp_path):
    overview = cli("--help").stdout
    assert "tags" in overview
    assert cli("tags", model).stdout.split()[-1] == "chase", "roots"
    cli("export", model, "--format", "tags", "--out", tmp_path / "tags.txt")
    assert "chase" in (tmp_path / "tags.txt").read_text()
    scores = json.loads(cli("evaluate", model, corpus.path, "--json").stdout)
    assert scores["nats_per_head"] < 0.0
    done = cli("export", model, "--format", "arpa", "--out", tmp_path / "x", code=1)
    assert "arpa" in done.stderr
    assert "TagTopics" in done.stderr
    assert cli("topics", model, code=1).stderr.count("\n") == 1


def test_its_page_is_its_own(model, cli, tmp_path):
    cli("report", model, "--out", tmp_path / "r.html", "--title", "Tags")
    html = (tmp_path / "r.html").read_text()
    assert "<title>Tags</title>" in html
    assert TagTopics.load(model).report(title="Tags").html == html
