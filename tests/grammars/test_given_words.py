"""Known words as rules: partial supervision of grammars whose pieces are longer than words."""

from collections import Counter

import numpy as np
import pytest

from stickbreaker import AdaptorGrammar, Grammar
from stickbreaker.grammars.grammar_scores import scores_of

WORDS = ("tik", "kato", "toka", "ka", "otik", "kit", "atok")  # cut in several ways, were they not known


def lines_of(n, seed):
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(WORDS, size)) for size in generator.integers(2, 5, n)]


def with_words(name, known):
    """The grammar of a name over the letters of the words, with a rule for each known word."""
    text = AdaptorGrammar(name, max_iter=1).fit(["".join(sorted(set("".join(WORDS))))]).grammar_.to_text()
    rules = [f"Word -> {' '.join(map(repr, word))} [{count}]\n" for word, count in known.items()]
    return Grammar.from_text(text + "".join(rules))


def test_given_words_cut_the_text():
    """Words that always stand in the same phrases are found as phrases, unless they are given."""
    generator = np.random.default_rng(0)
    phrases = ("tik kato", "toka ka", "otik atok")
    gold = [" ".join(generator.choice(phrases, size)) for size in generator.integers(2, 4, 50)]
    lines = [line.replace(" ", "") for line in gold]
    known = Counter(word for line in gold for word in line.split())
    settings = {"max_iter": 30, "random_state": 0}
    alone = AdaptorGrammar("unigram", **settings).fit(lines)
    given = AdaptorGrammar(with_words("unigram", known), **settings).fit(lines)
    before, after = (scores_of(model, gold, "Word")["token"]["f1"] for model in (alone, given))
    assert after > before + 0.2, (before, after)


def test_a_weight_counts_as_seen_words():
    """Before any text, log p of a word is that of the prior's mean: count / (counts + 1) for its rule."""
    grammar = with_words("unigram", {"ka": 3, "tik": 5})
    model = AdaptorGrammar(grammar, max_iter=1, random_state=0, weights="fixed", processes="fixed")
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
