"""`stickbreaker concepts`, and models whose words it ties, as a user runs them."""

import json

import pytest
from tests.running import TOPICS, german, planted_documents, with_german, write_lines


@pytest.fixture(scope="module")
def bilingual(tmp_path_factory, cli):
    folder = tmp_path_factory.mktemp("bilingual")
    documents = with_german(planted_documents(80))
    write_lines(folder / "pages.jsonl", documents)
    words = [word for topic in TOPICS for word in topic]
    (folder / "d.tsv").write_text("".join(f"{german(word)}\t{word}\n" for word in words) + "x y\tz\n")
    fields = "en=text,de=deutsch"
    cli("corpus", "build", folder / "pages.jsonl", "--out", folder / "c", "--text-field", fields)
    return folder


def test_from_a_dictionary_to_topics(bilingual, cli, tmp_path):
    tree, model = tmp_path / "tree.jsonl", tmp_path / "m"
    made = cli(
        "concepts", bilingual / "d.tsv", "--from", "de-DE", "--to", "en",
        "--corpus", bilingual / "c", "--out", tree, "--json",
    )  # fmt: skip
    figures = json.loads(made.stdout)
    assert figures["concepts"] == 24
    assert figures["several_words"] == 1
    assert figures["coverage"] == {"de": 1.0, "en": 1.0}
    fit = cli(
        "fit", "lda", bilingual / "c", "--out", model, "--topics", 3, "--concepts", tree, "--iterations", 5
    )
    assert "24 of 24 tie words" in fit.stderr
    topics = json.loads(cli("topics", model, "--json").stdout)["topics"]
    assert all(len(topic["concepts"]) == 10 for topic in topics)
    assert "concepts  " in cli("topics", model).stdout
    assert json.loads(cli("evaluate", model, bilingual / "c", "--json").stdout)
    cli("report", model, "--out", tmp_path / "m.html")
    page = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "24 concepts, strength 100" in page
    again = cli(
        "concepts", bilingual / "d.tsv", "--from", "de-DE", "--to", "en",
        "--corpus", model, "--out", tmp_path / "same.jsonl",
    )  # fmt: skip
    assert "24 concepts of 25 entries" in again.stdout
    assert (tmp_path / "same.jsonl").read_bytes() == tree.read_bytes()


def test_from_wordnet_in_two_languages(bilingual, cli, tmp_path):
    words = TOPICS[0][:6]
    lines = [f"{n:08d} 03 n 02 {word} 0 thing_{n} 0 000 | x\n" for n, word in enumerate(words)]
    (tmp_path / "dict").mkdir()
    (tmp_path / "dict/data.noun").write_text("".join(lines))
    tab = tmp_path / "german.tab"
    tab.write_text("".join(f"{n:08d}-n\tdeu:lemma\t{german(word)}\n" for n, word in enumerate(words)))
    given = (
        "concepts",
        tmp_path / "dict",
        "--corpus",
        bilingual / "c",
        "--out",
        tmp_path / "t.jsonl",
        "--json",
    )
    made = json.loads(cli(*given, "--from", "en", "--synonyms", f"german={tab}").stdout)
    assert (made["concepts"], made["entries"]) == (6, 6)
    first = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert first["words"] == {"de": [german(words[0])], "en": [words[0]]}
    for options, problem in (
        ((), "name WordNet's by --from"),
        (("--from", "en", "--synonyms", "german"), "write it as fr=wn-data-fra.tab"),
        (("--from", "en", "--synonyms", f"de={tab}", "--synonyms", f"german={tab}"), "gives de twice"),
        (("--from", "en", "--synonyms", f"fr={tab}"), "no language 'fr'"),
        (("--from", "en", "--synonyms", f"de={tmp_path / 'none'}"), "none"),
    ):
        refused = cli(*given, "--overwrite", *options, code=1)
        assert problem in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
    dictionary = (bilingual / "d.tsv", "--from", "de", "--to", "en", "--synonyms", f"de={tab}")
    refused = cli("concepts", *dictionary, *given[2:], "--overwrite", code=2)
    assert "--synonyms" in refused.stderr
    onto = ("concepts", tmp_path / "dict", "--corpus", bilingual / "c", "--out", tab, "--overwrite")
    refused = cli(*onto, "--from", "en", "--synonyms", f"de={tab}", code=1)
    assert "is the dictionary" in refused.stderr


def test_counts_have_a_least_and_a_most(bilingual, cli, tmp_path):
    words = [word for topic in TOPICS for word in topic][:9]
    counts = "".join(f"{german(word)}\t{word}\t{times}\n" for times, word in enumerate(words, 1))
    (tmp_path / "counts.tsv").write_text(counts)
    given = ("--from", "de", "--to", "en", "--corpus", bilingual / "c", "--out", tmp_path / "t.jsonl")
    limits = ("--format", "counts", "--min-count", "3", "--max-count")
    made = cli("concepts", tmp_path / "counts.tsv", *given, *limits, "7", "--json")
    assert json.loads(made.stdout)["concepts"] == 5
    refused = cli("concepts", tmp_path / "counts.tsv", *given, *limits, "2", "--overwrite", code=2)
    assert "--max-count 2 is below --min-count 3" in refused.stderr


def test_a_dictionary_the_other_way_round_is_named(bilingual, cli, tmp_path):
    """Where an entry fits all the same, so that concepts come of it."""
    lines = (bilingual / "d.tsv").read_text() + f"river\t{german('river')}\n"
    (tmp_path / "d.tsv").write_text(lines)
    line = "the first column seems to be in de: 24 of 26 entries fit so; give --from de --to en"
    for source, target, is_noted in (("en", "de", True), ("de", "en", False)):
        files = ("--corpus", bilingual / "c", "--out", tmp_path / f"{source}.jsonl")
        made = cli("concepts", tmp_path / "d.tsv", "--from", source, "--to", target, *files)
        assert (line in made.stderr) == is_noted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "needs --from and --to"),
        (("--from", "de", "--to", "fr"), "no language 'fr'"),
        (("--from", "de", "--to", "en", "--most", "2"), "needs --kind all"),
        (("--format", "constraints", "--kind", "all"), "is for dictionaries"),
        (("--from", "de", "--to", "en", "--depth", "2"), "is for WordNet"),
        (("--from", "de", "--to", "en", "--format", "counts"), "d.tsv:1"),
        (("--format", "constraints", "--from", "de"), "--from is for dictionaries"),
        (("--from", "de", "--to", "en", "--min-count", "2"), "--min-count needs counts"),
        (("--from", "de", "--to", "en", "--max-count", "2"), "--max-count needs counts"),
        (("--from", "de", "--to", "en", "--traditional"), "--traditional is for CC-CEDICT"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(bilingual, cli, tmp_path, options, message):
    code = 2 if "needs" in message or "is for" in message else 1  # of a usage error
    out = tmp_path / "t.jsonl"
    result = cli(
        "concepts", bilingual / "d.tsv", "--corpus", bilingual / "c", "--out", out, *options, code=code
    )
    assert message in result.stderr
    assert not out.exists()


def test_a_file_that_is_there_is_kept(bilingual, cli, tmp_path):
    out = tmp_path / "t.jsonl"
    out.write_text("mine")
    given = (
        "concepts",
        bilingual / "d.tsv",
        "--from",
        "de",
        "--to",
        "en",
        "--corpus",
        bilingual / "c",
        "--out",
        out,
    )
    assert "--overwrite" in cli(*given, code=1).stderr
    assert out.read_text() == "mine"
    cli(*given, "--overwrite")
    assert "concept" in out.read_text()


def test_the_dictionary_is_not_written_over(bilingual, cli, tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text("haus\thouse\n")
    given = ("--from", "de", "--to", "en", "--corpus", bilingual / "c", "--overwrite")
    assert "is the dictionary" in cli("concepts", path, *given, "--out", path, code=1).stderr
    assert path.read_text() == "haus\thouse\n"


def test_a_language_that_the_dictionary_lacks_is_told(cli, tmp_path):
    words = [word for topic in TOPICS for word in topic]
    french = ("eau", "argent", "lune")
    pages = [{**page, "third": french[int(page["label"])]} for page in with_german(planted_documents(20))]
    write_lines(tmp_path / "pages.jsonl", pages)
    (tmp_path / "d.tsv").write_text("".join(f"{german(word)}\t{word}\n" for word in words))
    fields = "en=text,de=deutsch,fr=third"
    corpus, tree = tmp_path / "c", tmp_path / "tree.jsonl"
    cli("corpus", "build", tmp_path / "pages.jsonl", "--out", corpus, "--text-field", fields)
    given = ("--from", "de", "--to", "en", "--corpus", corpus, "--out", tree)
    assert "note: a concept ties languages by words in all of de, en, fr; add words of fr" in (
        cli("concepts", tmp_path / "d.tsv", *given).stderr
    )
    fit = ("fit", "lda", corpus, "--out", tmp_path / "m", "--topics", 3, "--concepts", tree)
    assert "no concept has words in all of de, en, fr" in cli(*fit, code=1).stderr
    row = {"concept": "whole", "words": {"en": ["bank"], "de": [german("bank")], "fr": ["argent"]}}
    with tree.open("a") as file:
        file.write(json.dumps(row))
    noted = cli(*fit, "--iterations", 2).stderr
    assert "concepts: 1 of 25 tie words of the corpus" in noted
    assert "concepts: 24 tie nothing, for lack of words in all of de, en, fr" in noted


def test_constraints_are_known_by_their_first_line(cli, tmp_path):
    write_lines(tmp_path / "pages.jsonl", planted_documents(20))
    first, second = TOPICS[0][:2]
    (tmp_path / "c.txt").write_text(f"MERGE_\t{first}\t{second}\n")
    cli("corpus", "build", tmp_path / "pages.jsonl", "--out", tmp_path / "c")
    given = ("concepts", tmp_path / "c.txt", "--corpus", tmp_path / "c", "--out", tmp_path / "t")
    assert "1 concept of 1 entry" in cli(*given).stdout


def test_a_tree_with_a_wrong_line_is_named(bilingual, cli, tmp_path):
    tree = tmp_path / "tree.jsonl"
    tree.write_text('{"concept": "a", "words": {"en": ["bank"]}}\n{"concept": "a"}\n')
    result = cli("fit", "lda", bilingual / "c", "--out", tmp_path / "m", "--concepts", tree, code=1)
    assert "tree.jsonl:2" in result.stderr
    assert not (tmp_path / "m").exists()


def test_concepts_do_not_go_with_words_that_enter(bilingual, cli, tmp_path):
    given = ("fit", "lda", bilingual / "c", "--out", tmp_path / "m")
    assert "does not go with" in cli(*given, "--words", "open", "--concepts", "x", code=2).stderr
    assert "needs --concepts" in cli(*given, "--concept-strength", "2", code=2).stderr
