"""`translate rerank` on n-best lists in which the right word depends on the topics of the document."""

import json

import numpy as np
import pytest
from tests.translation.planted_bitexts import as_rows, neutral_pairs

from stickbreaker.ngrams.nbest_lists import read_candidates

LANGUAGES = ("--from", "de", "--to", "en")


def write_list(path, pairs, other, seed):
    """Candidates of each pair, as of a system that knows no topics: the right translation and that of another
    domain, in any order, and a wrong one. `Noise0` tells nothing, `Good0` finds the wrong one."""
    draw = np.random.default_rng(seed)
    lines = []
    for number, (pair, wrong) in enumerate(zip(pairs, other, strict=True)):
        texts = list(dict.fromkeys([pair.target, wrong.target]))
        draw.shuffle(texts)
        for text in [*texts, "a wrong one"]:
            good = -5.0 * (text == "a wrong one")
            features = f"Noise0= {draw.normal():.4f} 0.5 Good0= {good:.4f}"
            lines.append(f"{number} ||| {text} ||| {features} ||| {good + 0.001 * draw.normal():.6f}\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory, cli):
    """A folder with a lexicon, and n-best lists with sources and references to tune by and to test on."""
    place = tmp_path_factory.mktemp("reranking")
    (place / "train.jsonl").write_text(as_rows(neutral_pairs(40)), encoding="utf-8")
    cli("translate", "documents", place / "train.jsonl", *LANGUAGES, "--out", place / "docs.jsonl")
    topics = ("--topics", 2, "--seed", 1, "--threads", 1, "--min-documents", 1, "--max-share", 1.0)
    fields = ("--text-field", "de=de,en=en")
    cli("fit", "lda", place / "docs.jsonl", *fields, *topics, "--out", place / "topics")
    learn = ("translate", "learn", place / "train.jsonl", *LANGUAGES, "--topics", place / "topics")
    cli(*learn, "--threads", 1, "--out", place / "lexicon")
    for name, seed, first in (("dev", 1, 40), ("test", 2, 50)):
        pairs = neutral_pairs(8, seed=seed, first=first)
        other = neutral_pairs(8, seed=seed, first=first + 1)  # the same draws with domains changed
        other = [
            two if one.source == two.source else one._replace(target="quite another sentence")
            for one, two in zip(pairs, other, strict=True)
        ]
        (place / f"{name}.jsonl").write_text(as_rows(pairs), encoding="utf-8")
        write_list(place / f"{name}.nbest", pairs, other, seed)
    return place


def right(path, pairs):
    """The share of sentences whose first candidate is the reference."""
    return np.mean(
        [own[0].text == pair.target for own, pair in zip(read_candidates(path), pairs, strict=True)]
    )


TEST = neutral_pairs(8, seed=2, first=50)


def rerank(cli, place, name, *options, out, **more):
    files = (place / "lexicon", place / f"{name}.nbest", "--source", place / f"{name}.jsonl", "--out", out)
    return cli("translate", "rerank", *files, *options, **more)


def test_a_weight_is_enough(place, cli, tmp_path):
    out = tmp_path / "out.nbest"
    before = right(place / "test.nbest", TEST)
    done = json.loads(rerank(cli, place, "test", "--weight", 1, "--json", out=out).stdout)
    assert before < 0.7 < 0.95 < right(out, TEST)
    first = [own[0].text for own in read_candidates(place / "test.nbest")]
    ranked = read_candidates(out)
    assert done["changed"] == sum(a != own[0].text for a, own in zip(first, ranked, strict=True)) > 10
    assert done["sentences"] == len(TEST)
    for own in ranked:
        assert [*own[0].features] == ["Noise0", "Good0", "TopicLexicon"]
        assert [one.score for one in own] == sorted((one.score for one in own), reverse=True)
    rerank(cli, place, "test", "--weight", 0, out=tmp_path / "zero.nbest")
    by_score = [sorted(own, key=lambda one: -one.score) for own in read_candidates(place / "test.nbest")]
    zero = read_candidates(tmp_path / "zero.nbest")
    assert [[x.text for x in own] for own in zero] == [[x.text for x in own] for own in by_score]


def test_a_weight_favours_no_length(place, cli, tmp_path):
    """Twice the same words are as good as once."""
    source, nbest, out = (tmp_path / name for name in ("source.de", "two.nbest", "out.nbest"))
    source.write_text("kasse\n", encoding="utf-8")
    texts = ("till till", "till", "till till till")
    nbest.write_text("".join(f"0 ||| {text} ||| F= 0 ||| 0\n" for text in texts), encoding="utf-8")
    cli("translate", "rerank", place / "lexicon", nbest, "--source", source, "--weight", 1, "--out", out)
    (ranked,) = read_candidates(out)
    assert len({round(one.score, 4) for one in ranked}) == 1
    assert ranked[0].score < 0.0


def test_weights_are_learned_and_used(place, cli, tmp_path):
    weights, out = tmp_path / "weights.json", tmp_path / "out.nbest"
    tune = ("--tune", place / "dev.jsonl")
    done = json.loads(rerank(cli, place, "dev", *tune, "--json", out=weights).stdout)
    held = json.loads(weights.read_text(encoding="utf-8"))
    assert [*held] == ["Noise0.0", "Noise0.1", "Good0", "TopicLexicon"]
    assert held == done["weights"]
    assert held["TopicLexicon"] > 10 * abs(held["Noise0.0"])
    assert held["Noise0.1"] == 0.0
    assert done["bleu_after"] > done["bleu_before"] + 0.1
    rerank(cli, place, "test", "--weights", weights, out=out)
    assert right(out, TEST) > 0.95
    again = tmp_path / "again.json"
    rerank(cli, place, "dev", *tune, out=again)
    assert again.read_bytes() == weights.read_bytes()
    text = rerank(cli, place, "dev", *tune, "--overwrite", out=again).stdout
    assert "weights of 4 features, learned from 72 sentences" in text


def test_sources_may_be_lines(place, cli, tmp_path):
    """Each twenty lines are a document then; the topics of the lines are mixed, and help less."""
    source, out = tmp_path / "test.de", tmp_path / "out.nbest"
    source.write_text("".join(f"{pair.source}\n" for pair in TEST), encoding="utf-8")
    files = (place / "lexicon", place / "test.nbest", "--source", source, "--weight", 1, "--out", out)
    cli("translate", "rerank", *files)
    assert right(place / "test.nbest", TEST) - 0.1 < right(out, TEST)


def test_sentences_may_have_no_candidate(place, cli, tmp_path):
    lines = (place / "test.nbest").read_text(encoding="utf-8").splitlines(keepends=True)
    few = tmp_path / "few.nbest"
    few.write_text("".join(line for line in lines if line.split()[0] in ("3", "7")), encoding="utf-8")
    source = ("--source", place / "test.jsonl")
    cli("translate", "rerank", place / "lexicon", few, *source, "--weight", 1, "--out", tmp_path / "out")
    assert [len(own) for own in read_candidates(tmp_path / "out")] == [0, 0, 0, 3, 0, 0, 0, 3]
    tune = ("--tune", place / "test.jsonl", "--out", tmp_path / "weights.json")
    done = cli("translate", "rerank", place / "lexicon", few, *source, *tune, "--json")
    assert set(json.loads(done.stdout)["weights"]) == {"Noise0.0", "Noise0.1", "Good0", "TopicLexicon"}


def test_mistakes_are_named(place, cli, tmp_path):
    out, one = tmp_path / "out", tmp_path / "one.jsonl"
    one.write_text(as_rows(TEST[:1]), encoding="utf-8")
    weights = tmp_path / "weights.json"
    files = ("translate", "rerank", place / "lexicon", place / "test.nbest")
    source = ("--source", place / "test.jsonl", "--out", out)
    cases = [
        ((*files, "--source", one, "--out", out, "--weight", 1), "has 72 sentences"),
        ((*files, *source, "--tune", one), "has 1 sentence, the n-best list has 72"),
        ((*files, *source, "--weights", weights), "No such file"),
        ((*files, "--source", place / "nowhere", "--out", out, "--weight", 1), "no such file"),
        ((*files[:2], place / "topics", *files[3:], *source, "--weight", 1), "is not a saved lexicon"),
        ((*files[:3], place / "test.jsonl", *source, "--weight", 1), "test.jsonl:1: not a candidate"),
        ((*files, "--source", place / "test.jsonl", "--out", one, "--weight", 1), "already exists"),
    ]
    for words, says in cases:
        done = cli(*words, code=1)
        assert says in done.stderr
        assert done.stderr.strip().count("\n") == 0
    for content, says in {
        "[]": "weights of other features than Noise0.0, Noise0.1, Good0, TopicLexicon; learn weights by",
        '{"a": 1}': "weights of other features",
        '["Noise0.0", "Noise0.1", "Good0", "TopicLexicon"]': "makes no sense",
        '{"Noise0.0": 1, "Noise0.1": NaN, "Good0": 1, "TopicLexicon": 1}': "not finite",
        '{"Noise0.0": 1, "Noise0.1": "x", "Good0": 1, "TopicLexicon": 1}': "makes no sense",
        '{"Noise0.0": 1, "Noise0.1": null, "Good0": 1, "TopicLexicon": 1}': "makes no sense",
        "3": "makes no sense",
        "{": "makes no sense",
    }.items():
        weights.write_text(content, encoding="utf-8")
        done = cli(*files, *source, "--weights", weights, code=1)
        assert says in done.stderr
        assert done.stderr.startswith(f"stickbreaker: {weights}: ")
    assert not out.exists()
    for words in ((), ("--weight", 1, "--tune", one), ("--weight", -1)):
        cli(*files, *source, *words, code=2)
