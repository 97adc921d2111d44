"""`stickbreaker corpus`, within the tests' process; what comes by a pipe, through the installed program."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import click
import pytest
from click.testing import CliRunner

from stickbreaker import UserError
from stickbreaker.cli import main
from stickbreaker.cli.verbs import corpus as verb
from stickbreaker.console import inputs
from stickbreaker.corpus import Analysis, Corpus, ReadingOptions, VocabularyRule
from stickbreaker.corpus.readers import READERS

LINES = "The cat sat.\nTwo dogs and a cat\n\n"


def stickbreaker(*arguments: object, stdin: str = "") -> CompletedProcess[str]:
    """What the program does and prints."""
    words = [str(argument) for argument in arguments]
    done = CliRunner().invoke(main, words, input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def test_long_documents_are_noted(tmp_path):
    """If more than half are; not if they are cut, or if a model reads them."""
    path, more = tmp_path / "a.txt", ("--overwrite", "--format", "lines", "--min-documents", 1)
    path.write_text(("cat " * 2_400 + "\n") * 2 + "a dog\n")
    line = ("corpus", "build", path, "--out", tmp_path / "c", *more)
    noted = "half of the documents have more than 2,399 words; topics say more if they are cut into parts"
    assert noted in " ".join(stickbreaker(*line).stderr.split())
    assert "--split words:500" in stickbreaker(*line).stderr
    assert "half of the documents" not in stickbreaker(*line, "--split", "words:500").stderr
    path.write_text("cat " * 2_400 + "\n" + "a dog\n" * 2)
    assert "half of the documents" not in stickbreaker(*line).stderr


def test_documents_without_a_word_of_the_vocabulary_are_noted(tmp_path):
    path, line = (
        tmp_path / "a.txt",
        ("corpus", "build", tmp_path / "a.txt", "--format", "lines", "--overwrite"),
    )
    path.write_text("cat\ndog\nfish\n" * 200 + "rare\n")
    told = stickbreaker(*line, "--out", tmp_path / "c").stderr
    noted = (
        "1 of 601 documents has no word of the vocabulary, which leaves out words of fewer than 2 documents"
    )
    assert f"note: {noted}; --min-documents 1 keeps all\n" in told
    assert "no word" not in stickbreaker(*line, "--out", tmp_path / "c", "--min-documents", 1).stderr
    path.write_text("cat\n" * 9 + "the\n\n")
    told = stickbreaker(*line, "--out", tmp_path / "c").stderr
    assert "2 of 11 documents have no word of the vocabulary: they are blank, or have only words that" in told


def test_build_and_info(tmp_path):
    path, out = tmp_path / "texts.txt", tmp_path / "texts.corpus"
    path.write_text(LINES)
    built = stickbreaker("corpus", "build", path, "--out", out)
    assert (built.returncode, built.stderr[:16]) == (0, "3 documents read")
    assert "empty documents  1" in built.stdout
    told = stickbreaker("corpus", "info", out)
    assert told.returncode == 0
    assert told.stdout == built.stdout
    assert "frequent words   cat" in told.stdout
    facts = json.loads(stickbreaker("corpus", "info", out, "--json", "--top", 1).stdout)
    assert facts["frequent_words"] == [{"word": "cat", "tokens": 2.0}]
    assert facts["fingerprint"] == Corpus.open(out).fingerprint
    assert (facts["documents"], facts["words"], facts["tokens"], facts["languages"]) == (3, 3, 4, {"en": 3})


def test_every_option_reaches_the_corpus(program, tmp_path):
    stop, given = tmp_path / "stop.txt", tmp_path / "given.txt"
    stop.write_text("cat\n\ncat\n")
    given.write_text("Dog\nBird\n")
    out = tmp_path / "out"
    lines = '{"body": "A Dog, a cat", "key": "k1"}\nbroken\n{"body": "Bird"}\n'
    built = program(
        "corpus", "build", "-", "--out", out, "--text-field", "body", "--stop-words", stop, "--no-lowercase",
        "--extra-stop-words", stop, "--min-length", 3, "--vocabulary", given, "--on-error", "skip", "--json",
        "--normalization", "NFKC", "--token-pattern", r"\p{L}+", "--language", "German", "--stemming",
        "--format", "jsonl", stdin=lines,
    )  # fmt: skip
    facts = json.loads(built.stdout)
    assert facts["skipped"] == {"malformed JSON": 1}
    assert "skipped 1 (malformed JSON); the first: standard input:2: malformed JSON" in built.stderr
    corpus = Corpus.open(out)
    expected = Analysis("de", "NFKC", False, ("cat",), ("cat",), True, r"\p{L}+", 3, "pattern")
    assert corpus.analysis == replace(expected, text_field="body")
    assert corpus.vocabulary.words == ("Dog", "Bird")
    sized = stickbreaker(
        "corpus", "build", "-", "--out", out, "--overwrite", "--vocabulary-size", 1, "--min-documents", 1,
        "--max-share", 1, "--json", stdin=LINES,
    )  # fmt: skip
    assert json.loads(sized.stdout)["words"] == 1


def test_lda_c(tmp_path):
    bags, words, out = tmp_path / "bags.dat", tmp_path / "words.txt", tmp_path / "out"
    bags.write_text("2 0:1 1:2\n0\n")
    words.write_text("cat\ndog\n")
    built = stickbreaker("corpus", "build", bags, "--format", "lda-c", "--vocab", words, "--out", out)
    assert built.returncode == 0
    assert "bags of words, unordered" in built.stdout


def test_mistakes(tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out"
    path.write_text('{"text": "cat"}\n{"text": 1}\n')
    for arguments, line in [
        (
            (path, "--out", out),
            f"{path}:2: the field 'text' is not a string; name a field of text by --text-field",
        ),
        ((tmp_path / "b", "--out", out), f"{tmp_path}/b: no such file or directory; check the path"),
        ((path, "--out", out, "--stop-words", "gone"), "gone: no such file or directory; check the path"),
        ((path, "--out", out, "--language", "klingon"), "unknown language 'klingon'; give its ISO 639 code"),
        (
            (path, "--out", out, "--language", "en", "--text-field", "en=text,de=deutsch"),
            "--language has no effect if --text-field or --language-field determines the languages; leave",
        ),
        (
            (path, "--out", out, "--language", "none", "--language-field", "lang"),
            "--language has no effect if --text-field or --language-field determines the languages; leave",
        ),
        (
            (path, "--out", out, "--language-field", "lang", "--text-field", "en=text,de=deutsch"),
            "a language field cannot go with a text field for each language; leave out one of",
        ),
        ((path, "--out", path / "below", "--on-error", "skip"), f"{path}"),
    ]:
        failed = stickbreaker("corpus", "build", *arguments)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert failed.stderr.startswith(f"stickbreaker: {line}"), failed.stderr
        assert len(failed.stderr.splitlines()) == 1
        assert list(tmp_path.iterdir()) == [path]
    assert stickbreaker("corpus", "info", out).stderr.startswith(f"stickbreaker: {out}: no such corpus")
    for arguments in [
        ("build", path),
        ("build", "--out", out),
        ("build", path, "--out", out, "--min-length", 0),
        ("x",),
    ]:
        assert stickbreaker("corpus", *arguments).returncode == 2


def test_an_existing_path_and_a_corpus_as_input(tmp_path):
    out = tmp_path / "out"
    Corpus.from_texts(["cat"]).write(out)
    failed = stickbreaker("corpus", "build", "-", "--out", out, stdin=LINES)
    assert failed.stderr == f"stickbreaker: {out}: already exists; give another path, or --overwrite\n"
    assert Corpus.open(out).n_documents == 1
    failed = stickbreaker("corpus", "build", out, "--out", tmp_path / "more")
    assert "is a corpus already" in failed.stderr


@pytest.mark.parametrize("option", ["", "--stop-words", "--extra-stop-words", "--vocabulary", "--vocab"])
def test_the_largest_text(tmp_path, option):
    """Of what is read, and of every list of words."""
    large, texts, bags = tmp_path / "large.txt.gz", tmp_path / "texts.txt", tmp_path / "bags.ldac"
    large.write_bytes(gzip.compress(b"x" * 1_000_001 + b"\ncat\n"))
    texts.write_text(LINES)
    bags.write_text("1 0:1\n")
    given = [large] if not option else [bags if option == "--vocab" else texts, option, large]

    def build(*more: object) -> CompletedProcess[str]:
        return stickbreaker("corpus", "build", *given, "--out", tmp_path / "out", *more)

    failed = build("--largest-text", 1)
    told = f"stickbreaker: {large}:1: the line is larger than 1 MB; raise the bound by --largest-text\n"
    assert failed.stderr == told
    read = build("--largest-text", 2)
    if option in ("--vocabulary", "--vocab"):
        assert "has 1,000,001 characters; words have at most 1,000" in read.stderr
    else:
        assert read.returncode == 0


def test_dropped_words_are_told_and_kept(tmp_path):
    texts, out = tmp_path / "texts.txt", tmp_path / "out"
    texts.write_text("the cat sat\nthe dog sat\n" + "a bird flew\n" * 20)
    build = stickbreaker("corpus", "build", texts, "--out", out)
    lines = build.stdout.splitlines()
    assert lines[lines.index("dropped words") + 1] == "  stop words: 2 words, 22 tokens: a the"
    assert "  in more than 50 % of the documents: 2 words, 40 tokens: bird flew" in lines
    kept = json.loads(stickbreaker("corpus", "info", out, "--json").stdout)["dropped_words"]
    assert [one["rule"] for one in kept] == ["stop_words", "max_share"]
    assert kept[1] == {
        "rule": "max_share",
        "words": 2,
        "tokens": 40.0,
        "frequent": ["bird", "flew"],
        "bound": 0.5,
    }


def test_a_line_that_is_too_large_is_skipped(tmp_path):
    told = stickbreaker(
        "corpus", "build", "-", "--out", tmp_path / "out", "--largest-text", 1, "--json",
        "--on-error", "skip", stdin=f"a cat\n{'x' * 1_000_000}\ntwo dogs\n",
    )  # fmt: skip
    assert json.loads(told.stdout)["skipped"] == {"too large": 1}
    assert "skipped 1 (too large); the first: standard input:2: the line is larger than 1 MB" in told.stderr


def test_the_longest_gap(tmp_path):
    bags, words = tmp_path / "docword.a.txt", tmp_path / "words.txt"
    bags.write_text("20000\n2\n1\n20000 1 3\n")
    words.write_text("cat\ndog\n")
    build = ("corpus", "build", bags, "--vocab", words, "--out", tmp_path / "out")
    assert "raise --longest-gap, 10000 now" in stickbreaker(*build).stderr
    assert stickbreaker(*build, "--longest-gap", 19_999).returncode == 0


def test_help_shows_an_example_and_the_true_defaults():
    text = CliRunner().invoke(verb.build, ["--help"], terminal_width=200).output
    assert "Example: stickbreaker corpus build posts.jsonl.gz --out posts.corpus" in text
    analysis, reading, rule = Analysis(), ReadingOptions(), VocabularyRule()
    defaults = {option.name: option.default for option in verb.build.params}
    named = ("language", "normalization", "lowercase", "stop_words", "stemming", "min_length", "segmentation")
    for name in named:
        assert defaults[name] == getattr(analysis, name)
    assert (defaults["text_field"], defaults["on_error"]) == (reading.text_field, reading.on_error)
    assert defaults["largest_text"] * 1_000_000 == reading.largest_text
    assert defaults["longest_gap"] == reading.longest_gap
    assert rule.bounds(400) == (1, 200)
    assert rule.bounds(10_000) == (5, 5000)
    assert set(inputs.FORMATS) == set(READERS)
    assert "Example: stickbreaker corpus info" in CliRunner().invoke(verb.info, ["--help"]).output
    assert "Example: stickbreaker corpus build" in CliRunner().invoke(verb.corpus, ["--help"]).output


def test_open_or_build(tmp_path):
    texts, out = tmp_path / "a.txt", tmp_path / "out"
    texts.write_text(LINES)
    reading = inputs.ReadingChoice()
    in_memory = inputs.open_or_build((str(texts),), reading)
    stored = inputs.open_or_build((str(texts),), reading, out=out)
    opened = inputs.open_or_build((str(out),), reading)
    assert in_memory.path is None
    assert in_memory.fingerprint == stored.fingerprint == opened.fingerprint
    vocabulary = Corpus.from_texts(["two dogs"]).vocabulary
    for given in (texts, out):
        view = inputs.open_or_build((str(given),), reading, analysis=Analysis(), vocabulary=vocabulary)
        assert view.vocabulary is vocabulary
        assert view.n_tokens == 1
        assert view.bags(0).unseen.tolist() == [2, 1, 0]
    choice = inputs.AnalysisChoice(stop_words="none", min_length=1, given=("stop_words",))
    with pytest.raises(ValueError, match="is a corpus already, stop_words has no effect; leave it out"):
        inputs.open_or_build((str(out),), reading, choice=choice)
    assert "the" in inputs.open_or_build((str(texts),), reading, choice=choice).vocabulary.words


@pytest.mark.parametrize(
    "option",
    [
        ("--format", "lines"),
        ("--text-field", "text"),
        ("--id-field", "a"),
        ("--language-field", "a"),
        ("--vocab", "a"),
        ("--on-error", "fail"),
        ("--largest-text", "1"),
        ("--longest-gap", "1"),
    ],
)
def test_reading_options_given_with_a_corpus_are_refused(tmp_path, option):
    out = tmp_path / "out"
    Corpus.from_texts(["cat"]).write(out)

    @click.command
    @inputs.reading_options
    def opened(reading: inputs.ReadingChoice) -> None:
        inputs.open_or_build((str(out),), reading)

    assert CliRunner().invoke(opened, []).exception is None
    refused = CliRunner().invoke(opened, option).exception
    assert isinstance(refused, UserError)
    assert refused.on_command_line() == f"{out}: is a corpus already, {option[0]} has no effect; leave it out"


def test_a_corpus_analysed_otherwise_than_the_models_is_noted(tmp_path, capsys):
    texts, out, bags = tmp_path / "a.txt", tmp_path / "out", tmp_path / "bags"
    texts.write_text(LINES)
    Corpus.from_texts(["Two cats"]).write(out)
    Corpus.from_tokens([["cat"]]).write(bags)
    vocabulary = Corpus.from_texts(["cat"]).vocabulary
    reading = inputs.ReadingChoice()

    def noted(path: Path, analysis: Analysis) -> str:
        inputs.open_or_build((str(path),), reading, analysis=analysis, vocabulary=vocabulary)
        return capsys.readouterr().err

    line = noted(out, Analysis(stemming=True))
    assert line.startswith(
        f"{out}: the corpus was analysed differently from the model's, so words may not match"
    )
    assert line.count("\n") == 1
    assert noted(out, Analysis()) == noted(out, Analysis().resolved()) == noted(bags, Analysis()) == ""
    assert "differently" not in noted(texts, Analysis(stemming=True))


def test_a_corpus_moved_aside_by_a_killed_build_is_an_input(tmp_path):
    out, aside = tmp_path / "out", tmp_path / ".out.replaced-xxxxxxxx"
    Corpus.from_texts(["cat"]).write(out)
    aside.mkdir()
    out.rename(aside / "out")
    reading = inputs.ReadingChoice()
    assert inputs.open_or_build((str(out),), reading).path == out


def test_literal_quotes(tmp_path):
    path, out = tmp_path / "a.tsv", tmp_path / "out"
    path.write_text('text\nplain row\n"unclosed start\nmiddle row\nends with quote"\nlast row\n')
    built = stickbreaker("corpus", "build", path, "--out", out, "--json")
    note = "a.tsv: 1 cell in quotes holds lines that look like rows, in line 3; if quotes are plain"
    assert json.loads(built.stdout)["documents"] == 3
    assert f"{note} characters there, give --quotes none\n" in built.stderr
    built = stickbreaker("corpus", "build", path, "--out", out, "--overwrite", "--quotes", "none", "--json")
    assert json.loads(built.stdout)["documents"] == 5
    assert "quotes" not in built.stderr
    path.write_text('text\tn\nplain\t1\n"unclosed\t2\n' + "row\t3\n" * 80)
    built = stickbreaker("corpus", "build", path, "--out", out, "--overwrite", "--on-error", "skip", "--json")
    assert json.loads(built.stdout)["skipped"] == {"malformed row": 81}
    built = stickbreaker("corpus", "build", path, "--out", out, "--overwrite")
    assert built.stderr.endswith("; if quotes are plain characters, give --quotes none\n")


def test_dates_in_a_format(tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "out"
    path.write_text("text,created\none cat,1539202764\n")
    stickbreaker("corpus", "build", path, "--out", out, "--date-format", "epoch")
    assert Corpus.open(out).documents(0)[0].metadata == {"created": "2018-10-10"}
    failed = stickbreaker("corpus", "build", path, "--out", out, "--overwrite", "--date-format", "when")
    assert failed.stderr.startswith(
        "stickbreaker: unknown date format 'when'; take epoch, epoch-ms, twitter or"
    )
    failed = stickbreaker("corpus", "build", path, "--out", out, "--overwrite", "--date-format", "day=epoch")
    problem = "no document has a date of the format 'day=epoch' in the field 'day'; check --date-format;"
    assert problem in failed.stderr
