"""Corpora of all words, and the column of the tags of their trees, in Python and on the command line."""

import json

import pytest
from click.testing import CliRunner

from stickbreaker.cli import main
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Document, ReadingOptions, Vocabulary, VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words

TREES = ReadingOptions(trees=True)
SENTENCE = """# newdoc id = {}
1\tThe\tthe\t_\tDT\t_\t2\tdet\t_\t_
2\tdogs\tdog\tNOUN\tNNS\t_\t3\tnsubj\t_\t_
3\tchase\tchase\t_\tVBP\t_\t0\troot\t_\t_
4\t7\t7\t_\tCD\t_\t3\tobj\t_\tSpaceAfter=No
5\t.\t.\t_\t.\t_\t3\tpunct\t_\t_

"""


@pytest.fixture
def treebank(tmp_path):
    """Twenty documents of one sentence."""
    path = tmp_path / "a.conllu"
    path.write_text("".join(SENTENCE.format(number) for number in range(20)))
    return path


def build(path, out, *options):
    arguments = ["corpus", "build", str(path), "--out", str(out), "--overwrite", *options]
    return CliRunner().invoke(main, arguments)


def test_numbers_with_marks_are_one_word():
    for language in ("en", "zh"):
        analysis = analysis_of_all_words(Analysis(language))
        assert analysis.analyse("In 19\u00ad98\u00ad, 4\u00adth, 3\u00ad.5").words == [
            "in",
            "1998",
            "4th",
            "3.5",
        ]
    before = analysis_of_all_words(Analysis(letters="language"))
    assert before.analyse("In 19\u00ad98").words == ["in", "19", "98"]


@pytest.mark.parametrize("language", ["en", "zh", None])
def test_every_token_of_a_treebank_is_a_word(treebank, language):
    corpus = Corpus.build(treebank, reading=TREES, analysis=Analysis(language=language), all_words=True)
    assert sorted(corpus.vocabulary.words) == [".", "7", "chase", "dogs", "the"]
    assert (corpus.trees(0).words >= 0).all()
    assert corpus.wordless_share == 0.0
    again = Corpus.build(treebank, reading=TREES, analysis=corpus.analysis, all_words=True)
    assert (again.fingerprint, again.analysis) == (corpus.fingerprint, corpus.analysis)


def test_rare_words_are_left_out_and_not_counted_as_lost(treebank):
    treebank.write_text(treebank.read_text() + SENTENCE.format("rare").replace("dogs", "emus"))
    rule = VocabularyRule(min_documents=2)
    corpus = Corpus.build(treebank, reading=TREES, rule=rule, all_words=True)
    assert "emus" not in corpus.vocabulary.words
    assert corpus.wordless_share == 0.0
    assert corpus.dropped[0].rule == "min_documents"


def test_the_share_without_a_word(treebank, tmp_path):
    """Stop words, numbers and punctuation, and those in more than half of the documents: all of them here,
    so that a list of words is given."""
    one = Corpus.build(treebank, tmp_path / "c", reading=TREES, rule=VocabularyRule(max_share=1.0))
    assert sorted(one.vocabulary.words) == ["chase", "dogs"]
    assert one.wordless_share == Corpus.open(tmp_path / "c").wordless_share == pytest.approx(3 / 5)
    assert one.with_vocabulary(Vocabulary.of(["dogs"])).wordless_share == pytest.approx(4 / 5)
    frequent = Corpus.from_tokens([["cat", "dog"], ["cat"]] * 20)
    assert frequent.vocabulary.words == ("dog",)
    assert frequent.wordless_share == pytest.approx(2 / 3)
    assert (
        Corpus.from_documents([Document("a", tokens=["cat"]), Document("b", tokens=[])]).wordless_share == 0
    )
    with pytest.raises(UserError, match="bags of words"):
        _ = Corpus.from_matrix([[1]]).wordless_share


def test_all_words_of_texts_are_those_of_a_language_model(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "In 1984, I was 3.5!"}) + "\n")
    corpus = Corpus.build(path, all_words=True)
    assert corpus.documents(0)[0].tokens == ["in", "1984", "i", "was", "3.5"]
    assert corpus.n_words == 5
    result = build(path, tmp_path / "c", "--all-words")
    assert result.exit_code == 0, result.output
    assert Corpus.open(tmp_path / "c").fingerprint == corpus.fingerprint


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"analysis": Analysis(stop_words=("dogs",))}, "stop_words drops words; leave one out"),
        ({"analysis": Analysis(extra_stop_words=("dogs",))}, "extra_stop_words drops"),
        ({"rule": VocabularyRule(size=5)}, "the rule's size drops"),
        ({"rule": VocabularyRule(words=("dogs",))}, "the rule's list of words drops"),
        ({"vocabulary": Vocabulary.of(["dogs"])}, "the vocabulary that is given drops"),
        (
            {"analysis": Analysis(min_length=3), "rule": VocabularyRule(max_share=0.5)},
            "all_words=True keeps every word, min_length and max_share drop words; leave one out",
        ),
    ],
)
def test_settings_that_drop_words_are_refused(treebank, settings, problem):
    with pytest.raises(UserError, match=problem):
        Corpus.build(treebank, reading=TREES, all_words=True, **settings)


def test_bags_and_several_languages_are_refused(tmp_path):
    (tmp_path / "a.ldac").write_text("1 0:1\n")
    (tmp_path / "words.txt").write_text("cat\n")
    reading = ReadingOptions(vocab=str(tmp_path / "words.txt"))
    with pytest.raises(UserError, match="no effect on bags"):
        Corpus.build(tmp_path / "a.ldac", reading=reading, all_words=True)
    (tmp_path / "a.jsonl").write_text('{"a": "cat", "b": "Katze"}\n')
    with pytest.raises(UserError, match="texts in one language"):
        Corpus.build(tmp_path / "a.jsonl", reading=ReadingOptions(text_field="en=a,de=b"), all_words=True)


def test_a_switch_keeps_all_words(treebank, tmp_path):
    result = build(treebank, tmp_path / "c", "--trees", "--all-words", "--stop-words", "none")
    assert result.exit_code == 0, result.output
    assert "6, from upos, or xpos" not in result.output
    assert "5, from upos, or xpos" in result.output
    corpus = Corpus.open(tmp_path / "c")
    assert (corpus.n_words, corpus.wordless_share) == (5, 0.0)
    for name in ("--trees", "--all-words"):
        assert name in CliRunner().invoke(main, ["corpus", "build", "--help", "all"]).output


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--min-length", "2"], "--all-words keeps every word, --min-length drops words; leave one out\n"),
        (["--stop-words", "language", "--max-share", ".9"], "--stop-words and --max-share drop words"),
        (["--vocabulary-size", "5"], "--vocabulary-size drops words"),
        (["--vocabulary", "words.txt"], "--vocabulary drops words"),
        (["--extra-stop-words", "words.txt"], "--extra-stop-words drops words"),
    ],
)
def test_options_that_drop_words_are_refused(treebank, tmp_path, options, problem):
    result = build(treebank, tmp_path / "c", "--trees", "--all-words", *options)
    assert result.exit_code == 1
    assert problem in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("chosen", "names", "source"),
    [
        (None, [".", "CD", "DT", "NOUN", "VBP"], "upos, or xpos"),
        ("upos", ["NOUN", "_"], "upos"),
        ("xpos", [".", "CD", "DT", "NNS", "VBP"], "xpos"),
    ],
)
def test_the_column_of_tags_is_kept_with_the_corpus(treebank, tmp_path, chosen, names, source):
    options = [] if chosen is None else ["--tags", chosen]
    result = build(treebank, tmp_path / "c", "--trees", "--all-words", "--json", *options)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert (facts["tags"], facts["tags_from"]) == (names, source)
    corpus = Corpus.open(tmp_path / "c")
    assert corpus.analysis.tags == chosen
    record = json.loads((tmp_path / "c" / "corpus.json").read_text())
    assert record["analysis"].get("tags") == chosen
    again = Corpus.build(treebank, reading=TREES, analysis=corpus.analysis, vocabulary=corpus.vocabulary)
    assert again.about.tag_names == tuple(names), "as those of a model are read"
    other = ReadingOptions(trees=True, tags="xpos")
    other = Corpus.build(treebank, reading=other, analysis=corpus.analysis, all_words=True)
    assert other.analysis.tags == "xpos", "what is asked for goes before what an analysis remembers"


def test_tags_without_trees_are_refused(treebank, tmp_path):
    result = build(treebank, tmp_path / "c", "--tags", "xpos")
    assert result.exit_code == 1
    assert "--tags xpos has no effect without --trees; give both, or leave it out" in result.stderr
    with pytest.raises(UserError, match="unknown tags 'feats'"):
        Analysis(tags="feats")


@pytest.mark.parametrize(
    ("segmentation", "words"),
    [
        ("language", ["我", "在", "1998", "年", "買", "3.5", "4th", "a4", "天", "安", "门"]),
        ("characters", ["我", "在", "1998", "年", "買", "3.5", "4th", "a4", "天", "安", "门"]),
        ("icu", ["我在", "1998", "年", "買", "3.5", "4th", "a4", "天安门"]),
    ],
)
def test_all_words_of_scripts_without_spaces(segmentation, words, tmp_path):
    """Numbers count too, next to letters as well; positions in the text are right, also after opening."""
    if segmentation == "icu":
        pytest.importorskip("icu4py")
    text = "我在1998年買 3.5 4th, a4 天安门。"
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": text}) + "\n")
    analysis = Analysis("zh", segmentation=segmentation)
    Corpus.build(path, tmp_path / "c", analysis=analysis, all_words=True)
    corpus = Corpus.open(tmp_path / "c")
    assert list(corpus.documents(0)[0].tokens) == words
    starts = corpus.analysis.analyse(text).starts.tolist()
    ends = corpus.analysis.ends(text, starts)
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == words
    again = Corpus.build(path, analysis=corpus.analysis, all_words=True)
    assert again.fingerprint == corpus.fingerprint
