"""`translate learn --phrases`, `tune`, `run`, `evaluate`: topics choose the right words of planted pairs."""

import gzip
import json
import shutil

import pytest
from tests.translation.planted_bitexts import BOTH, OWN, as_rows, neutral_pairs

from stickbreaker.translation.bleu import Reference, corpus_bleu

LANGUAGES = ("--from", "de", "--to", "en")


@pytest.fixture(scope="module")
def place(tmp_path_factory, cli):
    """A folder with pairs to learn from, to tune by and to test on; topics; a lexicon with phrases."""
    place = tmp_path_factory.mktemp("bitext")
    for name, documents, seed, first in (("train", 40, 0, 0), ("dev", 8, 1, 40), ("test", 8, 2, 48)):
        pairs = neutral_pairs(documents, seed=seed, first=first)
        pairs = [pair._replace(domain=None) for pair in pairs] if name == "train" else pairs
        (place / f"{name}.jsonl").write_text(as_rows(pairs), encoding="utf-8")
    cli("translate", "documents", place / "train.jsonl", *LANGUAGES, "--out", place / "docs.jsonl")
    topics = ("--topics", 2, "--seed", 1, "--threads", 1, "--min-documents", 1, "--max-share", 1.0)
    fields = ("--text-field", "de=de,en=en")
    cli("fit", "lda", place / "docs.jsonl", *fields, *topics, "--out", place / "topics")
    learn = ("translate", "learn", place / "train.jsonl", *LANGUAGES, "--topics", place / "topics")
    cli(*learn, "--phrases", "--threads", 1, "--out", place / "lexicon")
    return place


@pytest.fixture(scope="module")
def tuned(place, cli):
    """What `tune` prints, with topics and without, and the two lexicons."""
    found = {}
    for name, options in (("with", ()), ("without", ("--topics", "none"))):
        lexicon = shutil.copytree(place / "lexicon", place / name)
        done = cli("translate", "tune", lexicon, place / "dev.jsonl", "--rounds", 4, *options, "--json")
        found[name] = json.loads(done.stdout)
    return found


def scores(cli, lexicon, place):
    return json.loads(cli("evaluate", lexicon, place / "test.jsonl", "--threads", 1, "--json").stdout)


@pytest.mark.slow
def test_topics_raise_bleu(place, cli, tuned):
    pytest.importorskip("sacrebleu")
    adapted, plain = (scores(cli, place / name, place) for name in ("with", "without"))
    assert (adapted["adapts"], plain["adapts"]) == (True, False)
    assert tuned["with"]["bleu"] > tuned["without"]["bleu"] + 20.0
    assert adapted["translations"]["bleu"] > 90.0 > 75.0 > plain["translations"]["bleu"]
    assert adapted["translations"]["ter"] < plain["translations"]["ter"]
    for domain, figures in adapted["translations"]["domains"].items():
        assert figures["bleu"] > plain["translations"]["domains"][domain]["bleu"] + 5.0
        assert figures["sentences"] == 36
    text = cli("evaluate", place / "with", place / "test.jsonl").stdout
    assert "translations, by topics" in text
    assert "tok:none" in text
    text = cli("evaluate", place / "without", place / "test.jsonl").stdout
    assert "translations, all documents alike" in text


@pytest.mark.long("tunes a decoder")
def test_weights_are_kept_with_the_lexicon(place, tuned):
    for name, result in tuned.items():
        held = json.loads((place / name / "weights.json").read_text(encoding="utf-8"))
        assert held["weights"] == result["weights"]
        assert ("topic_lexical" in held["weights"]) == (name == "with")
        assert result["bleu"] == max(one["bleu"] for one in result["rounds"])
        assert len(result["rounds"]) == 4
    assert tuned["with"]["weights"]["topic_lexical"] > 0.0


@pytest.mark.slow
def test_tuning_begins_anew_and_is_the_same_each_time(place, cli, tuned, tmp_path):
    lexicon = shutil.copytree(place / "without", tmp_path / "again")
    options = ("--rounds", 4, "--threads", 1, "--json")
    again = json.loads(cli("translate", "tune", lexicon, place / "dev.jsonl", *options).stdout)
    assert {**again, "lexicon": ""} == {**tuned["with"], "lexicon": ""}


@pytest.mark.long("learns phrases for all tests of its file")
def test_a_document_is_translated_by_its_topics(place, cli, tuned, tmp_path):
    rows = []
    for domain in OWN:
        own = " ".join(OWN[domain])
        rows += [{"doc": domain, "de": text} for text in (f"Bank {own}", "Gericht", "·")]
    rows = [rows[n] for n in (0, 3, 1, 4, 2, 5)]  # in turn
    source, out = tmp_path / "some.jsonl", tmp_path / "out.txt"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = cli("translate", "run", place / "with", source, "--out", out, "--json")
    assert json.loads(done.stdout) == {"out": str(out), "sentences": 6, "documents": 2}
    lines = out.read_text(encoding="utf-8").split("\n")
    assert [line.split(" ")[0] for line in lines] == ["bank", "bench", "court", "dish", "·", "·", ""]
    assert {*lines[0].split()} == {"bank", *OWN["money"].values()}
    cli("translate", "run", place / "without", source, "--out", out, "--overwrite")
    lines = out.read_text(encoding="utf-8").split("\n")
    assert lines[0].split(" ")[0] == lines[1].split(" ")[0]  # all documents alike


@pytest.mark.long("learns phrases for all tests of its file")
def test_lists_of_translations_are_moses_and_can_be_ranked_again(place, cli, tuned, tmp_path):
    from stickbreaker.ngrams.nbest_lists import read_candidates

    out, ranked = tmp_path / "out.nbest", tmp_path / "ranked.nbest"
    cli("translate", "run", place / "without", place / "test.jsonl", "--n-best", 5, "--out", out)
    lists = read_candidates(out)
    assert len(lists) == 72
    for own in lists:
        assert 1 < len(own) <= 5
        assert [one.score for one in own] == sorted((one.score for one in own), reverse=True)
        weights = tuned["without"]["weights"]
        assert [*own[0].features] == [*weights]
        for one in own:
            score = sum(w * v for w, v in zip(weights.values(), one.values, strict=True))
            assert one.score == pytest.approx(score, rel=1e-5, abs=1e-5)
    options = ("--source", place / "test.jsonl", "--weight", 1, "--out", ranked)
    done = json.loads(cli("translate", "rerank", place / "without", out, *options, "--json").stdout)
    assert done["changed"] > 20


def test_threads_change_nothing(place, cli, tuned, tmp_path):
    texts = []
    for threads in (1, 3):
        out = tmp_path / f"{threads}.txt"
        cli("translate", "run", place / "with", place / "test.jsonl", "--threads", threads, "--out", out)
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]
    assert texts[0].count(b"\n") == 72


def test_mistakes_are_named(place, cli, tuned, tmp_path):
    out = tmp_path / "out.txt"
    run = ("translate", "run")
    test = place / "test.jsonl"
    cases = [
        ((*run, place / "nowhere", test, "--out", out), "there is no such lexicon"),
        ((*run, place / "topics", test, "--out", out), "is not a saved lexicon"),
        ((*run, place / "with", place / "nowhere.txt", "--out", out), "no such file"),
        ((*run, place / "with", test, "--out", test), "already exists"),
        (("translate", "tune", place / "topics", test), "is not a saved lexicon"),
        (("translate", "tune", place / "with", place / "nowhere"), "no such file"),
    ]
    for words, says in cases:
        done = cli(*words, code=1)
        assert says in done.stderr
        assert done.stderr.strip().count("\n") == 0
    assert not out.exists()
    learn = ("translate", "learn", test, *LANGUAGES, "--by-domain", "--out", tmp_path / "lexicon")
    done = cli(*learn, "--language-model", test, code=2)
    assert "needs --phrases" in done.stderr
    done = cli(*learn, "--phrases", "--language-model", tmp_path / "nowhere", code=1)
    assert "no such file" in done.stderr
    assert not (tmp_path / "lexicon").exists()
    plain = tmp_path / "plain"
    cli("translate", "learn", test, *LANGUAGES, "--by-domain", "--out", plain)
    for words in (("tune", plain, test), ("run", plain, test, "--out", out)):
        assert "has no phrases" in cli("translate", *words, code=1).stderr


def test_scores_without_sacrebleu_are_left_out_with_a_note(place, cli, tuned, monkeypatch):
    from stickbreaker.translation.phrases import translation_scores

    monkeypatch.setattr(translation_scores, "has_sacrebleu", lambda: False)
    done = cli("evaluate", place / "with", place / "test.jsonl", "--json")
    assert "translations" not in json.loads(done.stdout)
    assert "pip install 'stickbreaker[translation]'" in done.stderr


def test_a_lexicon_with_phrases_is_a_lexicon_too(place, cli):
    found = json.loads(cli("translate", "word", place / "lexicon", "bank", "--json").stdout)
    assert {one["translation"] for one in found["translations"]} >= {*BOTH["bank"]}


def test_phrases_are_exported_as_moses_reads_them(place, cli, tuned, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text(" ".join(OWN["park"]), encoding="utf-8")
    export = ("translate", "export", place / "with", "--format", "phrase-table", "--out")
    done = json.loads(cli(*export, tmp_path / "table.gz", "--json").stdout)
    lines = gzip.decompress((tmp_path / "table.gz").read_bytes()).decode().splitlines()
    assert done == {"files": {str(tmp_path / "table.gz"): len(lines)}, "of": "phrases", "adapted": False}
    assert "pairs of phrases" in cli(*export, tmp_path / "adapted", "--document", letter).stdout
    adapted = (tmp_path / "adapted").read_text(encoding="utf-8").splitlines()
    (bench,) = [line.split(" ||| ") for line in lines if line.startswith("bank ||| bench |||")]
    (own,) = [line.split(" ||| ") for line in adapted if line.startswith("bank ||| bench |||")]
    assert float(own[2].split()[3]) > 1.5 * float(bench[2].split()[3])  # p(bench | bank) by topics
    assert (own[1], own[3:]) == (bench[1], bench[3:])
    assert "already exists" in cli(*export, tmp_path / "adapted", code=1).stderr
    cli(*export, tmp_path / "again.gz")
    assert (tmp_path / "again.gz").read_bytes() == (tmp_path / "table.gz").read_bytes()
    cli("translate", "learn", place / "dev.jsonl", *LANGUAGES, "--by-domain", "--out", tmp_path / "plain")
    done = cli(*export[:2], tmp_path / "plain", *export[3:], tmp_path / "none", code=1)
    assert "has no phrases" in done.stderr
    assert not (tmp_path / "none").exists()
    for form in ("lexicon", "moses"):
        done = cli(*export[:4], form, "--min-p", 1, "--out", tmp_path / form, code=1)
        assert "no pair of words is as probable; lower --min-p" in done.stderr
        assert not (tmp_path / form).exists()
    cli(*export, tmp_path / "sure", "--min-p", 1)
    sure = (tmp_path / "sure").read_text(encoding="utf-8").splitlines()
    assert sure == [line for line in lines if line.split(" ||| ")[2].split()[2] == "1"]
    untuned = (*export[:2], place / "lexicon", *export[3:], tmp_path / "untuned", "--document", letter)
    cli(*untuned)  # adapted, whatever weights there are
    assert (tmp_path / "untuned").read_bytes() == (tmp_path / "adapted").read_bytes()
    assert "--format" in cli(*export[:4], "other", "--out", tmp_path / "none", code=2).stderr


def test_phrases_of_a_file_are_translated_alike(place, cli, tuned, tmp_path):
    table, out = tmp_path / "table.gz", tmp_path / "out.txt"
    cli("translate", "export", place / "with", "--format", "phrase-table", "--out", table)
    lines = (
        gzip.decompress(table.read_bytes())
        + b"a b c d e f ||| g ||| 1 1 1 1\nhund ||| dog ||| 1 1 1 1 ||| 0-0\n"
    )
    table.write_bytes(gzip.compress(lines))
    topics = (*LANGUAGES, "--topics", place / "topics", "--threads", 1)
    learn = ("translate", "learn", place / "train.jsonl", *topics, "--phrases", "--phrase-table", table)
    done = cli(*learn, "--out", tmp_path / "lexicon")
    assert "left out 1 translation of phrases of more than 5 words" in done.stderr
    assert "1 word (de) that the pairs of sentences do not have" in done.stderr
    tune = ("translate", "tune", tmp_path / "lexicon", place / "dev.jsonl", "--rounds", 4, "--json")
    assert json.loads(cli(*tune).stdout)["bleu"] == pytest.approx(tuned["with"]["bleu"], abs=2.0)
    shutil.copy(place / "test.jsonl", tmp_path / "test.jsonl")
    with (tmp_path / "test.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"doc": "d", "de": "Hund", "en": "dog"}) + "\n")
    cli("translate", "run", tmp_path / "lexicon", tmp_path / "test.jsonl", "--out", out)
    found = out.read_text(encoding="utf-8").splitlines()
    cli("translate", "run", place / "with", place / "test.jsonl", "--out", out, "--overwrite")
    assert found == [*out.read_text(encoding="utf-8").splitlines(), "dog"]
    for text, says in (("a ||| b ||| 1", f"{table}:1: "), ("", "holds no phrase")):
        table.write_bytes(gzip.compress(text.encode()))
        assert says in cli(*learn, "--out", tmp_path / "none", code=1).stderr
    done = cli(*learn[:-3], "--phrase-table", table, "--out", tmp_path / "none", code=2)
    assert "needs --phrases" in done.stderr


PATTERN = r"\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}\p{N}]+|\S"  # as the docs have it


def test_a_language_model_with_topics_follows_the_documents(place, cli, tuned, tmp_path):
    language, lexicon = tmp_path / "language", tmp_path / "lexicon"
    fields = ("--text-field", "en", "--sentences", "line", "--token-pattern", PATTERN)
    fit = ("--order", 2, "--min-count", 1, "--iterations", 40, "--samples", 2, "--seed", 1)
    cli("fit", "ngram", place / "docs.jsonl", "--topics", 2, *fields, *fit, "--out", language)
    topics = (*LANGUAGES, "--topics", place / "topics", "--threads", 1)
    learn = ("translate", "learn", place / "train.jsonl", *topics, "--phrases", "--out", lexicon)
    assert "does not know" not in cli(*learn, "--language-model", language).stderr
    options = ("--rounds", 4, "--topics", "none", "--json")
    best = json.loads(cli("translate", "tune", lexicon, place / "dev.jsonl", *options).stdout)
    assert best["bleu"] > tuned["without"]["bleu"] + 10.0
    out = tmp_path / "out.txt"
    cli("translate", "run", lexicon, place / "dev.jsonl", "--out", out)
    found = out.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line)["en"] for line in (place / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    bleu = 100 * corpus_bleu([line.split() for line in found], [Reference.of(row.split()) for row in rows])
    assert bleu == pytest.approx(best["bleu"])  # what was tuned is what runs


def test_a_language_model_of_other_words_is_noted(place, cli, tmp_path):
    (tmp_path / "other.txt").write_text("Other words stand there.\n" * 8, encoding="utf-8")
    cli("fit", "ngram", tmp_path / "other.txt", "--iterations", 2, "--out", tmp_path / "language")
    learn = ("translate", "learn", place / "dev.jsonl", *LANGUAGES, "--by-domain", "--phrases")
    done = cli(*learn, "--language-model", tmp_path / "language", "--out", tmp_path / "lexicon")
    assert "the language model does not know 100 % of the words of the pairs, en" in done.stderr
