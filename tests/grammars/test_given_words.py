"""Known words as rules: partial supervision of grammars whose pieces are longer than words."""

from collections import Counter

import numpy as np
import pytest

from stickbreaker import AdaptorGrammar, Grammar, UserError
from stickbreaker.grammars.grammar_scores import scores_of

WORDS = ("tik", "kato", "toka", "ka", "otik", "kit", "atok")  # cut in several ways, were they not known


def lines_of(n, seed):
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(WORDS, size)) for size in generator.integers(2, 5, n)]


def test_given_words_cut_the_text():
    """Words that always stand in the same phrases are found as phrases, unless they are given."""
    generator = np.random.default_rng(0)
    phrases = ("tik kato", "toka ka", "otik atok")
    gold = [" ".join(generator.choice(phrases, size)) for size in generator.integers(2, 4, 50)]
    lines = [line.replace(" ", "") for line in gold]
    known = Counter(word for line in gold for word in line.split())
    settings = {"max_iter": 30, "random_state": 0}
    alone = AdaptorGrammar("unigram", **settings).fit(lines)
    given = AdaptorGrammar("unigram", known=known, **settings).fit(lines)
    before, after = (scores_of(model.learned_.model, gold, "Word")["token"]["f1"] for model in (alone, given))
    assert after > before + 0.2, (before, after)


def test_a_weight_counts_as_seen_words():
    """Before any text, log p of a word is that of the prior's mean: count / (counts + 1) for its rule."""
    model = AdaptorGrammar(
        "unigram", max_iter=1, random_state=0, known={"ka": 3, "tik": 5}, weights="fixed", processes="fixed"
    )
    parse = model.fit(["otokit"]).parse(["tik"])[0]
    assert parse.trees[0].brackets().count("(Word ") == 1
    weights = {str(rule): rule.weight for rule in model.grammar_.rules if rule.parent == "Word"}
    assert weights == {"Word --> Chars": 1.0, "Word --> k a": 3.0, "Word --> t i k": 5.0}


@pytest.mark.parametrize("name", ["collocation", "unigram"])
def test_no_piece_crosses_a_mark(name):
    """With marks no subtree of any symbol crosses one, collocations neither: why they are no help there."""
    gold = lines_of(30, 2)
    marked = [line.replace(" ", ".") for line in gold]
    model = AdaptorGrammar(name, punctuation="boundaries", max_iter=10, random_state=0).fit(marked)
    assert all("." not in one.text for one in model.subtrees())
    for line, pieces in zip(gold, model.segment(marked, model.symbols_[0]), strict=True):
        words = [piece for piece in pieces if piece != "."]
        ends = np.cumsum([len(word) for word in words])
        assert set(np.cumsum([len(word) for word in line.split()])) <= set(ends.tolist())


GIVEN = "S -> Word S\nS -> Word\nWord -> 'k' 'a' [2]\nWord -> 't'\n@ Word * 1 0"


@pytest.mark.parametrize("inference", ["mcmc", "hybrid", "mean-field"])
def test_known_words_of_a_given_grammar_are_added_to_its_rules(inference):
    grammar = Grammar.from_text(GIVEN)
    model = AdaptorGrammar(grammar, inference=inference, max_iter=2, random_state=0, known=["ka", "tk", "tk"])
    weights = {
        str(rule): rule.weight for rule in model.fit(["katk", "tka"]).grammar_.rules if rule.parent == "Word"
    }
    assert weights == {"Word --> k a": 3.0, "Word --> t": 1.0, "Word --> t k": 2.0}


def test_the_symbols_of_a_known_word_are_read_as_those_of_the_text():
    model = AdaptorGrammar("unigram", symbols="spaced", max_iter=2, random_state=0, known={"k ae t": 4})
    rules = [rule for rule in model.fit(["dh ax k ae t"]).grammar_.rules if len(rule.children) == 3]
    assert [(rule.parent, rule.children, rule.weight) for rule in rules] == [("Word", ("k", "ae", "t"), 4.0)]


def test_a_known_word_may_have_symbols_that_the_text_lacks(tmp_path):
    model = AdaptorGrammar("collocation", max_iter=3, random_state=0, known={"zug": 2}).fit(["katik", "tika"])
    model.save(tmp_path / "m")
    loaded = AdaptorGrammar.load(tmp_path / "m")
    assert loaded.known == {"zug": 2}
    assert loaded.grammar_.to_text() == model.grammar_.to_text()
    assert loaded.segment(["zugka"], "Word") == model.segment(["zugka"], "Word")
    assert "Word --> z u g" in map(str, loaded.grammar_.rules)


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ("the", "known='the'"),
        (3, "known='3'"),
        ({"the": 0}, "counts 0"),
        ({"the": float("nan")}, "counts nan"),
        ({"the": True}, "known has"),
        ([3], "known has"),
        ([" "], "has no symbol"),
    ],
)
def test_what_is_no_list_of_words_is_refused(known, problem):
    with pytest.raises(UserError, match=problem):
        AdaptorGrammar("unigram", known=known).fit(["the"])


def test_a_grammar_without_words_has_no_known_words():
    grammar = Grammar.from_text("S -> 'a' S\nS -> 'a'")
    with pytest.raises(UserError, match="rules of Word, which the grammar does not have"):
        AdaptorGrammar(grammar, known=["a"]).fit(["aa"])


def test_known_words_on_the_command_line(cli, tmp_path):
    """A file of words, some with a tab and a count; what is wrong is named with its line."""
    (tmp_path / "lines.txt").write_text("tikkato\ntokaka\nkatotik\n")
    words = tmp_path / "words.txt"
    words.write_text("tik\t3\nkato\n\ntoka\t.5\ntik\n")
    fit = ("fit", "grammar", tmp_path / "lines.txt", "--grammar", "unigram", "--iterations", "5")
    cli(*fit, "--known", words, "--out", tmp_path / "m")
    model = AdaptorGrammar.load(tmp_path / "m")
    assert model.known == {"tik": 4.0, "kato": 1.0, "toka": 0.5}
    assert cli("segment", tmp_path / "m", tmp_path / "lines.txt").stdout.splitlines()[0] == "tik kato"
    cli("report", tmp_path / "m", "--out", tmp_path / "m.html")
    assert "kato 1.0, tik 4.0" in (tmp_path / "m.html").read_text(encoding="utf-8")
    for text, problem in (
        ("tik\tmany\n", "'many' is not a number"),
        ("tik\t-1\n", "'-1' is not a number"),
        ("tik\n\t2\n", "no word before the tab"),
        ("\n", "has no word"),
    ):
        words.write_text(text)
        refused = cli(*fit, "--known", words, "--out", tmp_path / "n", code=1)
        assert problem in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
        assert not (tmp_path / "n").exists()


@pytest.mark.parametrize("inference", ["mcmc", "hybrid"])
def test_symbols_that_only_known_words_have_are_recognised(inference, tmp_path):
    """The text has no z."""
    texts = ["thebar", "abear", "thearea", "bearthe"] * 5
    model = AdaptorGrammar("unigram", inference=inference, max_iter=3, random_state=0, known={"zebra": 200})
    model.fit(texts)
    assert model.segment(["zebrazebra", "zebra"]) == [["zebra", "zebra"], ["zebra"]]
    assert model.parse(["zebra"])[0].new_symbols == 0
    assert model.parse(["zebra"])[0].nats > model.parse(["bearz"])[0].nats
    model.save(tmp_path / "m")
    loaded = AdaptorGrammar.load(tmp_path / "m")
    assert loaded.parse(["zebra"])[0].nats == model.parse(["zebra"])[0].nats
    assert model.score(["zebra"]) == pytest.approx(model.parse(["zebra"])[0].nats / 5)


def test_all_strings_of_a_grammar_sum_to_one_if_the_text_lacks_a_terminal():
    rules = "Sentence -> 'a'\nSentence -> 'b'\nSentence -> 'z'"
    model = AdaptorGrammar(rules, max_iter=2, random_state=0).fit(["a", "b", "a"])
    found = model.parse(["a", "b", "z", "q"])
    assert [one.new_symbols for one in found] == [0, 0, 0, 1]
    assert sum(np.exp(one.nats) for one in found) == pytest.approx(1.0)
