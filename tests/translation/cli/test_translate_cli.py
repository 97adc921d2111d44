"""`stickbreaker translate`, `evaluate` of lexicons: from pairs to numbers, and mistakes."""

import csv
import json

import pytest
from tests.translation.conftest import FIELDS, WAY
from tests.translation.planted_bitexts import BOTH, DOMAINS, planted_pairs

from stickbreaker.estimators.kinds import kind_at, systems
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.terms import terms_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

NAMES = ("lexicon", "fields")


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """A text about parks."""
    path = tmp_path_factory.mktemp("document") / "letter.txt"
    path.write_text("Der Baum, die Wiese, die Ente.\nDer Teich, Laub, die Bank.\n" * 5)
    return path


# documents


def test_documents_are_joined(cli, learned):
    rows = [json.loads(line) for line in (learned / "docs.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"d{number}" for number in range(30)]
    pairs = [pair for pair in planted_pairs() if pair.document == "d3"]
    assert rows[3]["domain"] == "park"
    assert rows[3]["de"].split("\n") == [pair.source for pair in pairs]
    assert rows[3]["en"].split("\n") == [pair.target for pair in pairs]


def test_tokens_are_for_other_aligners(cli, learned, tmp_path):
    (tmp_path / "a.de").write_text("Die Bank.\n\n„So“ a|||b\n")
    (tmp_path / "a.en").write_text("The bank!\nleft out\n'Yes' &lt;x&gt;\n")
    made = cli(
        "translate", "documents", tmp_path / "a.de", tmp_path / "a.en", *WAY,
        "--out", tmp_path / "d.jsonl", "--tokens", tmp_path / "tokens", "--json",
    )  # fmt: skip
    assert json.loads(made.stdout) == {"out": str(tmp_path / "d.jsonl"), "documents": 1, "pairs": 2}
    assert "skipped 1 (no words on one side); the first: pair 2" in made.stderr
    lines = (tmp_path / "tokens").read_text().splitlines()
    assert lines == ["die bank . ||| the bank !", "\" so \" a | | | b ||| ' yes ' < x >"]


def test_what_is_printed_next_works(cli, learned, tmp_path):
    told = cli(
        "translate", "documents", learned / "pairs.jsonl", *WAY, "--out", tmp_path / "a b.jsonl"
    ).stdout
    assert f"'{tmp_path / 'a b.jsonl'}'" in told.splitlines()[1]
    assert "--text-field de=de,en=en" in told


# learn


def test_links_may_be_given(learned):
    lexicon = TopicLexicon.load(learned / "fields")
    assert lexicon.aligner is None
    assert lexicon.links.source.tolist() == lexicon.links.target.tolist() == [*range(6)] * 240


def test_learn_reports_what_it_made(cli, learned, tmp_path):
    words = ("translate", "learn", learned / "pairs.jsonl", *WAY, "--by-domain", "--out", tmp_path / "l")
    figures = json.loads(cli(*words, "--json").stdout)
    lexicon = TopicLexicon.load(tmp_path / "l")
    assert figures["pairs"] == 240
    assert (figures["documents"], figures["topics"]) == (30, 2)
    assert figures["links"] == len(lexicon.links.source)
    assert figures["word_pairs"] == len(lexicon.forward.counts.words)
    assert figures["strengths"]["de-en"] == lexicon.strengths[0]._asdict()
    told = cli(*words, "--overwrite").stdout
    assert "240 pairs of sentences, 30 documents" in told
    assert told.splitlines()[-1] == f"Next: stickbreaker translate terms {tmp_path / 'l'}"


MISTAKES = [
    ("learn {pairs} --from de --to en --out {out}", 2, "give one of --topics MODEL and --by-domain"),
    ("learn {pairs} --from de --to en --out {out} --by-domain --topics {model}", 2, "give one of --topics"),
    ("learn {pairs} --from de --to de --out {out} --by-domain", 1, "source and target are both de"),
    ("learn {pairs} --from de --to fr --out {out} --by-domain", 1, "no row has a text in de and one in fr"),
    ("learn {pairs} --from fr --to es --out {out} --by-domain", 1, "no text in the fields fr, es"),
    (
        "learn {pairs} --from en --to de --out {out} --topics {german}",
        1,
        "the topics are of texts in de, not",
    ),
    ("learn {pairs} --from de --to en --out {out} --topics {pairs}", 1, "pairs.jsonl"),
    ("learn {pairs} --from de --to en --out {out} --topics nowhere", 1, "nowhere"),
    ("learn {pairs} --from de --to en --out {out} --topics {lexicon}", 1, "lexicon"),
    ("learn {pairs} --from de --to en --out {lexicon} --by-domain", 1, "already exists"),
    ("learn {pairs} --from de --to en --out {model} --by-domain --overwrite", 1, "replaces lexicons only"),
    (
        "learn {pairs} --from de --to en --out {out} --by-domain --domain-field x",
        1,
        "no document has a domain",
    ),
    ("learn {pairs} --from de --to en --out {out} --by-domain --alignments {short}", 1, "short"),
    ("learn {pairs} --from de --to en --out {out} --by-domain --alignments {beyond}", 1, "beyond"),
    ("learn {pairs} --from de --to en --out {out} --by-domain --alignments {pairs}", 1, "pairs.jsonl"),
    ("learn nowhere.jsonl --from de --to en --out {out} --by-domain", 1, "no such file"),
    ("documents {pairs} --from de --to en --out {pairs}", 1, "pairs.jsonl: already exists"),
    ("word {lexicon} strange", 1, "the word 'strange' has no translation in de or en"),
    ("word {lexicon} bank --language fr", 1, "the lexicon has no language 'fr'"),
    ("word {model} bank", 1, "model: is not a saved lexicon"),
    ("word nowhere bank", 1, "nowhere: there is no such lexicon"),
    ("word {lexicon} bank --document nowhere", 1, "nowhere: no such file"),
    ("word {lexicon} bank --document {empty}", 1, "empty: has no text"),
    ("word {lexicon} bank --document {binary}", 1, "binary: byte 0xff at position 1 is not UTF-8"),
    ("word {lexicon} bank --top 0", 2, "--top"),
    ("terms {lexicon} --min-gain nan", 2, "--min-gain"),
    ("terms {lexicon} --min-gain -1", 2, "--min-gain"),
    ("terms {lexicon} --out {pairs}", 1, "pairs.jsonl: already exists"),
    ("export {lexicon} --format moses", 2, "--out"),
    ("export {lexicon} --format nonsense --out {out}", 2, "--format"),
    ("export {lexicon} --format lexicon --out {out} --min-p 2", 2, "--min-p"),
    ("export {lexicon} --format lexicon --out {out} --min-p 1", 1, "no pair of words is as probable"),
]


@pytest.fixture(scope="module")
def places(cli, learned, tmp_path_factory):
    """What mistakes are made with, by name."""
    place = tmp_path_factory.mktemp("mistakes")
    (place / "empty").write_text(" \n")
    (place / "binary").write_bytes(b"\xff")
    (place / "short").write_text("0-0\n" * 3)
    (place / "beyond").write_text("0-0 6-1\n" * 240)
    german = ("--text-field", "de", "--language", "de", "--topics", 2, "--iterations", 2)
    cli("fit", "lda", learned / "docs.jsonl", *german, "--out", place / "german")
    own = ("empty", "binary", "short", "beyond", "german")
    return {
        "pairs": learned / "pairs.jsonl",
        "model": learned / "model",
        "lexicon": learned / "lexicon",
        **{name: place / name for name in own},
    }


@pytest.mark.parametrize(("line", "code", "says"), MISTAKES)
def test_mistakes_are_one_line_and_leave_nothing(cli, places, tmp_path, line, code, says):
    words = [word.format(**places, out=tmp_path / "out") for word in line.split()]
    told = cli("translate", *words, code=code)
    last = told.stderr.splitlines()[-1]
    assert says in last
    assert len(last) < 700
    assert not told.stdout
    if code == 1:
        assert "; " in last  # a remedy
    assert not list(tmp_path.iterdir())


# word


def test_a_word_by_topic(cli, learned):
    found = json.loads(cli("translate", "word", learned / "fields", "Bank", "--json").stdout)
    assert (found["word"], found["language"]) == ("bank", "de")
    assert {one["translation"] for one in found["translations"]} == {"bank", "bench"}
    assert sum(one["links"] for one in found["translations"]) == found["links"]
    by_name = {one["name"]: one for one in found["topics"]}
    for domain, right in zip(DOMAINS, BOTH["bank"], strict=True):
        best = by_name[domain]["translations"][0]
        assert (best["translation"], best["p"] > 0.9) == (right, True)
        source, target = best["sentence"]
        assert "bank" in source.split()
        assert right in target.split()
    assert (
        len(
            json.loads(cli("translate", "word", learned / "fields", "bank", "--top", 1, "--json").stdout)[
                "topics"
            ]
        )
        == 1
    )


def test_a_word_in_a_document(cli, learned, document):
    words = ("translate", "word", learned / "lexicon", "bank", "--document", document)
    found = json.loads(cli(*words, "--json").stdout)["document"]
    assert found["translations"][0]["translation"] == "bench"
    assert found["translations"][0]["p"] > found["translations"][0]["p_everywhere"] + 0.2
    assert found["topics"][0]["share"] > 0.8
    text = cli(*words).stdout
    assert "in all documents:  " in text
    assert "in the document, by its topics (" in text
    assert max(map(len, text.splitlines())) < 150


def test_a_word_of_the_target(cli, learned):
    for options in ((), ("--language", "en")):
        found = json.loads(cli("translate", "word", learned / "lexicon", "bench", *options, "--json").stdout)
        assert (found["language"], found["translations"][0]["translation"]) == ("en", "bank")


# terms


def test_terms_are_those_of_the_library(cli, learned, tmp_path):
    lexicon = TopicLexicon.load(learned / "lexicon")
    found = json.loads(cli("translate", "terms", learned / "lexicon", "--json").stdout)["terms"]
    wanted = terms_of(lexicon)
    assert {*BOTH} <= {one["word"] for one in found}
    assert [(one["word"], one["gain"], one["links"]) for one in found] == [
        (one.word, one.gain, one.links) for one in wanted
    ]
    assert found[0]["topics"][0]["name"] in lexicon.domains.names
    cli("translate", "terms", learned / "lexicon", "--out", tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(one["topics"]) for one in found)
    assert [row["word"] for row in rows][:2] == [found[0]["word"]] * 2
    assert float(rows[0]["gain"]) == pytest.approx(found[0]["gain"], abs=1e-4)
    assert (
        "4 terms whose translation follows the topic" in cli("translate", "terms", learned / "fields").stdout
    )
    assert "0 terms" in cli("translate", "terms", learned / "fields", "--min-gain", 5).stdout


# export


def test_exports_are_the_probabilities(cli, learned, document, tmp_path):
    lexicon = TopicLexicon.load(learned / "fields")
    for more in ((), ("--document", document)):
        shares = lexicon.shares_of([document.read_text()])[0] if more else None
        out = tmp_path / f"l{len(more)}"
        cli(
            "translate",
            "export",
            learned / "fields",
            "--format",
            "lexicon",
            "--out",
            out,
            "--min-p",
            0,
            *more,
        )
        heading, *lines = out.read_text().splitlines()
        assert heading.split("\t") == ["de", "en", "links", "p_target_of_source", "p_source_of_target"]
        table = {tuple(line.split("\t")[:2]): line.split("\t")[2:] for line in lines}
        assert len(table) == len(lines) == len(lexicon.forward.counts.words)
        cli("translate", "export", learned / "fields", "--format", "moses", "--out", out, "--min-p", 0, *more)
        f2e, e2f = (
            {tuple(line.split(" ")[:2]): float(line.split(" ")[2]) for line in file.read_text().splitlines()}
            for file in (tmp_path / f"{out.name}.f2e", tmp_path / f"{out.name}.e2f")
        )
        assert len(f2e) == len(e2f) == len(table)
        for word in (*BOTH, "kredit"):
            found = lexicon.entry(word).found
            names = lexicon.entry(word).translations
            p = found.p if shares is None else found.topic_p @ shares
            for name, links, own in zip(names, found.links, p, strict=True):
                assert int(table[word, name][0]) == links
                assert float(table[word, name][1]) == pytest.approx(own, abs=1e-6)
                assert f2e[name, word] == pytest.approx(own, abs=1e-7)
                back = lexicon.entry(name, "en")
                place = back.translations.index(word)
                reverse = back.found.p if shares is None else back.found.topic_p @ shares
                assert float(table[word, name][2]) == pytest.approx(reverse[place], abs=1e-6)
                assert e2f[word, name] == pytest.approx(reverse[place], abs=1e-7)


# evaluate


def test_evaluate_is_the_score_of_the_library(cli, learned):
    lexicon = TopicLexicon.load(learned / "lexicon")
    bitext = Bitext.read([str(learned / "test.jsonl")], lexicon.bitext.fields)
    found = json.loads(cli("evaluate", learned / "lexicon", learned / "test.jsonl", "--json").stdout)
    assert (found["pairs"], found["documents"]) == (80, 10)
    for way, scores in zip(("de-en", "en-de"), lexicon.score(bitext), strict=True):
        one = found[way]
        assert one["words"] == len(scores.plain)
        assert one["nats_per_word"] == pytest.approx(scores.adapted.mean())
        assert one["nats_per_word_without_topics"] == pytest.approx(scores.plain.mean())
        assert one["gain"] == pytest.approx(scores.gain.mean())
        assert {*one["domains"]} == {*DOMAINS}
        assert sum(part["words"] for part in one["domains"].values()) == one["words"]
    assert found["de-en"]["gain"] > 0.1


def test_evaluate_prints_a_table(cli, learned):
    text = cli("evaluate", learned / "lexicon", learned / "test.jsonl").stdout
    assert "80 pairs of sentences, 10 documents; nats per linked word, with topics and without" in text
    for name in ("de-en", "en-de", "all", *DOMAINS):
        assert f"{name} " in text


def test_a_lexicon_of_given_links_needs_them(cli, learned):
    words = ("evaluate", learned / "fields", learned / "test.jsonl")
    told = cli(*words, code=1).stderr
    assert (
        "learned from given links and has no aligner; give links of the new sentences with --alignments"
        in told
    )
    found = json.loads(cli(*words, "--alignments", learned / "test.links", "--json").stdout)
    assert found["de-en"]["words"] == 480
    assert found["de-en"]["gain"] > 0.3
    told = cli(*words, "--alignments", learned / "pairs.links", code=1).stderr
    assert "pairs.links" in told.splitlines()[-1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no row has a text in de and one in en"),
        ('{"de": "x"}\n', "no row has a text in de and one in en"),
        ("{\n", "malformed JSON"),
        ('{"de": "völlig neu", "en": "quite new"}\n', ""),
    ],
)
def test_evaluate_refuses_what_is_no_bitext(cli, learned, tmp_path, content, says):
    (tmp_path / "t.jsonl").write_text(content)
    told = cli("evaluate", learned / "lexicon", tmp_path / "t.jsonl", code=1 if says else 0)
    if says:
        assert says in told.stderr.splitlines()[-1]
        assert "t.jsonl" in told.stderr.splitlines()[-1]


# what the program knows of lexicons


def test_verbs_know_a_lexicon(cli, learned, planted, tmp_path):
    (system,) = (one for one in systems() if one.name == "TopicLexicon")
    assert kind_at(learned / "lexicon", "evaluate") is system
    for line in (
        ("topics", learned / "lexicon"),
        ("transform", learned / "lexicon", planted, "--out", tmp_path / "s.csv"),
        ("export", learned / "lexicon", "--format", "gensim-topics", "--out", tmp_path / "t"),
        ("nearest", learned / "lexicon", planted),
        ("generate", learned / "lexicon"),
        ("resume", learned / "lexicon"),
        ("name", learned / "lexicon"),
    ):
        told = cli(*line, code=1).stderr.splitlines()[-1]
        assert "does not apply to a lexicon by topic; use one of translate, evaluate, report" in told, line
        assert str(learned / "lexicon") in told


def test_options_of_other_models_mean_nothing(cli, learned):
    told = cli("evaluate", learned / "lexicon", learned / "test.jsonl", "--left-to-right", code=2).stderr
    assert "--left-to-right does not apply to a lexicon by topic" in told
    words = ("evaluate", learned / "model", learned / "docs.jsonl", *FIELDS, "--alignments", "x")
    assert "--alignments does not apply to a topic model" in cli(*words, code=2).stderr


def test_the_report_is_written(cli, learned, tmp_path):
    cli("report", learned / "lexicon", "--out", tmp_path / "l.html")
    assert "bench" in (tmp_path / "l.html").read_text(encoding="utf-8")
