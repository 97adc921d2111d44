"""Adaptor grammars as users learn them: laws of estimators, named grammars, pieces, trees, refusals."""

import warnings
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.tiers import law_cases, sampled

from stickbreaker import AdaptorGrammar, Corpus, Grammar, Online, UserError, VocabularyRule
from stickbreaker.estimators import model_runs
from stickbreaker.grammars.grammar_scores import scores_of
from stickbreaker.grammars.learner import GRAMMARS
from stickbreaker.grammars.model import chart_texts
from stickbreaker.grammars.model.chart_texts import no_strings, span_starts
from stickbreaker.grammars.model.named import BY_NAME
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.grammars.model.tree_chain import new_chart
from stickbreaker.grammars.parsing import known_cuts
from stickbreaker.grammars.plan import schedule_for
from stickbreaker.grammars.segmentation_agreement import segmentation_of
from stickbreaker.grammars.text_symbols import analysis_of_symbols
from stickbreaker.testing import EstimatorTests
from stickbreaker.testing.estimators import StopAfter, begin

WORDS = ("the", "a", "dog", "cat", "saw", "ran")
CONFIGURATIONS = {
    "collocation": {},
    "unigram": {"grammar": "unigram"},
    "incremental": {"grammar": "unigram", "init": "incremental", "chains": 2, "temperature": 2.0},
    "hybrid": {"inference": "hybrid", "schedule": Online(60, total="seen"), "refine_every": 2},
    "hybrid in batches": {"inference": "hybrid", "schedule": "batch", "grammar": "unigram"},
    "mean-field": {"inference": "mean-field", "grammar": "unigram", "truncation": {"Word": 200}},
    "fixed sticks": {"inference": "hybrid", "processes": "fixed", "weights": "fixed", "max_iter": 2},
    "fixed": {"grammar": "unigram", "processes": "fixed", "weights": "fixed", "relabel": False},
}
FIRST = ("collocation", "hybrid", "mean-field", "fixed")
RULES = "1 1 S --> W S\n1 1 S --> W\nW --> L\n1 1 L --> a\n1 1 L --> b\n1 1 L --> a L\n"


def sentences_of_words(n, seed=0):
    """Sentences of two to four words, as two lists: with blanks, and without."""
    generator = np.random.default_rng(seed)
    lines = [" ".join(generator.choice(WORDS, size)) for size in generator.integers(2, 5, n)]
    return lines, [line.replace(" ", "") for line in lines]


GOLD, LINES = sentences_of_words(300)
CORPUS = Corpus.from_texts(
    [*LINES, ""], analysis=analysis_of_symbols("characters"), rule=VocabularyRule(1, 1.0)
)


class TestLaws(EstimatorTests):
    wrong: ClassVar = {
        "grammar": "no grammar",
        "inference": "guessing",
        "symbols": "letters",
        "init": "warm",
        "max_iter": 0,
        "chains": 0,
        "relabel": 1,
        "weights": "some",
        "processes": "none",
        "temperature": 0.5,
        "cooling": -1,
        "punctuation": "no",
        "unparsed": "drop",
        "n_topics": 0,
        "vowels": 3,
        "schedule": "daily",
        "samples": 0,
        "truncation": {"Word": 0},
        "refine_every": 0,
        "engine": "x",
        "n_jobs": 0,
        "random_state": "seed",
    }

    @pytest.fixture(autouse=True, params=law_cases(CONFIGURATIONS, FIRST))
    def configuration(self, request):
        self.settings = CONFIGURATIONS[request.param]

    def make(self, **settings):
        return AdaptorGrammar(**{"max_iter": 5, "random_state": 0, **self.settings, **settings})

    def corpus(self):
        return CORPUS

    def documents(self):
        return [*LINES, ""]

    def methods(self, model):
        own = {"segment": model.segment, "parse": model.parse, "partial_fit": self.make().partial_fit}
        return {**super().methods(model), **own}

    def unseen(self):
        return ["", " "]  # new symbols have a probability


@pytest.fixture(scope="module")
def learned():
    return AdaptorGrammar("unigram", max_iter=60, random_state=0).fit(LINES)


def test_planted_words_are_found(learned):
    scores = scores_of(learned.learned_.model, GOLD)
    assert scores["token"]["f1"] > 0.9
    assert scores["type"]["recall"] == 1.0
    assert scores["symbols"] == sum(map(len, LINES))
    assert -2.0 < scores["nats_per_symbol"] < -0.3
    assert scores["unparsed"] == 0
    assert {"".join(one.text) for one in learned.subtrees("Word")[:6]} == set(WORDS)


def test_without_gold_blanks_there_are_nats_alone(learned):
    assert set(scores_of(learned.learned_.model, LINES)) == {
        "sentences", "unparsed", "new_symbols", "with_new_symbols", "symbols", "nats_per_symbol"
    }  # fmt: skip


def test_new_sentences_are_cut_too(learned):
    assert learned.segment(["thedogsawacat", "", "dogξthe"]) == [
        ["the", "dog", "saw", "a", "cat"],
        [],
        ["dog", "ξ", "the"],
    ]
    assert learned.segment(["a cat"]) == [["a", "cat"]]


def test_the_same_call_gives_the_same_pieces_whatever_else_is_asked(learned):
    new = ["sawsaw", "dogthecat"]
    assert learned.segment(new)[1] == learned.segment(new[1:])[0]
    assert learned.parse(new, "samples", 3) == learned.parse(new, "samples", 3)
    new = ["acatx".replace("x", "t") * 4]
    assert (
        learned.parse(new, "samples", 30)[0].trees
        != learned.parse(new, "samples", 30, random_state=1)[0].trees
    )


def test_trees_are_of_their_sentences(learned):
    best, least, drawn = (
        learned.parse(["thecatran"], how, 20)[0] for how in ("best", "minimum-risk", "samples")
    )
    for found in (best, least, drawn):
        assert all("".join(tree.leaves()) == "thecatran" for tree in found.trees)
        assert found.nats == best.nats
        assert max(found.tree_nats) <= best.tree_nats[0] + 1e-9 <= best.nats + 2e-9
    assert len(drawn.trees) == 20


@pytest.mark.parametrize("inference", sampled(["mcmc", "hybrid", "hybrid in batches", "mean-field"], 1))
def test_new_symbols_are_cut_around(inference):
    settings = {**CONFIGURATIONS, "mcmc": {}}[inference]
    model = AdaptorGrammar(**{"grammar": "unigram", **settings, "max_iter": 20, "random_state": 0}).fit(LINES)
    assert model.segment(["thedogξsaw"])[0][:-1] in (["the", "dog", "ξ"], ["thedog", "ξ"], ["the", "dogξ"])
    known, new, mixed = model.parse(["thedog", "ξψ", "thedogξsaw"])
    assert [one.new_symbols for one in (known, new, mixed)] == [0, 2, 1]
    assert list(mixed.trees[0].leaves()) == list("thedogξsaw")
    assert list(new.trees[0].leaves()) == ["ξ", "ψ"]
    assert known.nats > mixed.nats > -np.inf
    sentences = ["thedog", "ξψ", "thedogξsaw"]
    assert model.score(sentences) == pytest.approx((known.nats + new.nats + mixed.nats) / 18)
    scores = scores_of(model.learned_.model, sentences)
    assert scores["nats_per_symbol"] == pytest.approx(model.score(sentences))
    assert (scores["unparsed"], scores["new_symbols"], scores["with_new_symbols"]) == (0, 3, 2)


def test_score_is_the_mean_of_log_p(learned):
    found = learned.parse(LINES[:20])
    expected = sum(one.nats for one in found) / sum(one.symbols for one in found)
    assert learned.score(LINES[:20]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("grammar", "settings", "text", "symbol"),
    [
        ("collocation", {}, "thedogran", "Colloc"),
        ("collocation-syllable", {}, "thedogran", "OnsetI"),
        ("morphology", {}, "walking", "Stem"),
        ("collocation-syllable", {"vowels": "ae"}, "thedag", "Nucleus"),
    ],
)
def test_grammars_by_name(grammar, settings, text, symbol):
    texts = ["walking", "walks", "talked", "thedogran", "thedag", "acatran"] * 5
    texts = [one for one in texts if "vowels" not in settings or "o" not in one or "a" in one]
    model = AdaptorGrammar(grammar, max_iter=10, random_state=0, **settings).fit(texts)
    assert symbol in model.symbols_
    assert model.segment([text], symbol)
    assert "".join(model.parse([text])[0].trees[0].leaves()) == text


def test_topics_of_words():
    texts = ["river bank water boat boat water", "money loan loan credit money"] * 10
    model = AdaptorGrammar("topic", n_topics=2, max_iter=40, random_state=0).fit(texts)
    assert model.symbols_ == ("Topic1", "Topic2", "Word")
    found = [{"".join(one.text) for one in model.subtrees(symbol)} for symbol in model.symbols_]
    assert found[0] | found[1] == set(" ".join(texts).split())
    with pytest.raises(UserError, match="nothing to segment"):
        model.segment(texts)
    assert model.score(texts) < 0.0


def test_marks_are_of_documents_whatever_block_they_are_in(monkeypatch):
    texts = [f"word{'abcdefgh'[n]}" for n in range(8)]
    whole = AdaptorGrammar("topic", n_topics=2, max_iter=3, random_state=0)
    corpus = Corpus.from_texts(texts, rule=VocabularyRule(1, 1.0))
    job, state = GRAMMARS.new_run(whole.settings, corpus, 0, 0.4)
    (chain,) = state.chains.samplers
    marks = [chain._grammar.terminals[k] for k in chain._text.letters[chain._text.starts[:-1]]]
    content = chain._text.letters
    for mark, start, end in zip(marks, chain._text.starts, chain._text.starts[1:], strict=False):
        word = "".join(chain._grammar.terminals[k] for k in content[start + 1 : end])
        assert texts.index(word) + 1 == int(mark[1:])
    assert 0 < len(marks) < 8
    assert job.n_documents == len(marks)


def test_forged_sums_are_refused(learned):
    from stickbreaker.grammars.training_sentences import refuse_other_sums

    refuse_other_sums(learned.learned_.params, learned.learned_.model.compiled)
    for name, change in {
        "letters": lambda values: values + 100,
        "lengths": lambda values: values + 1,
        "cuts": lambda values: values[:, :-1],
        "kept": lambda values: values * 0,
        "skipped": lambda values: values - 1,
    }.items():
        item = learned.learned_.params[name]
        forged = {**learned.learned_.params, name: item._replace(values=change(np.array(item.values)))}
        with pytest.raises(ValueError, match=r"another|cuts"):
            refuse_other_sums(forged, learned.learned_.model.compiled)


def test_a_grammar_of_ones_own():
    model = AdaptorGrammar(RULES, max_iter=10, random_state=0).fit(["ab", "aab", "b"] * 10)
    assert model.grammar_ == Grammar.from_text(RULES)
    assert model.get_params()["grammar"] == RULES
    whole = AdaptorGrammar(Grammar.from_text(RULES), max_iter=10, random_state=0).fit(["ab", "aab", "b"] * 10)
    assert whole.bound_ == model.bound_
    assert model.segment(["abab"])


def test_spaced_symbols():
    words = ["th ih s", "ih z", "d ao g", "k ae t", "eh", "r ah n"]
    generator = np.random.default_rng(1)
    texts = ["  ".join(generator.choice(words, 3)) for _ in range(200)]
    model = AdaptorGrammar("unigram", symbols="spaced", max_iter=40, random_state=0).fit(texts)
    assert model.segment(["ih z th ih s eh"]) == [["ih z", "th ih s", "eh"]]
    assert model.grammar_.terminals.count("th") == 1
    assert scores_of(model.learned_.model, texts)["token"]["f1"] > 0.5


def test_pieces_of_spaced_symbols_may_differ_from_the_words():
    texts = ["th ih s  ih z", "d ao g  th ih s", "ih z  d ao g  k ae t"] * 3
    model = AdaptorGrammar("unigram", symbols="spaced", max_iter=2, random_state=0).fit(texts)
    assert model.segment(texts) != [text.split("  ") for text in texts]
    assert 0.0 <= scores_of(model.learned_.model, texts)["boundary"]["f1"] < 1.0
    found = segmentation_of([["ih", "z th", "ih s"]], [["ih z", "th", "ih s"]])
    assert found.token == found.type == (1 / 3, 1 / 3, 1 / 3)
    assert found.boundary == (0.5, 0.5, 0.5)


def test_a_terminal_that_is_named_word_is_not_what_sentences_are_cut_by():
    rules = "1 1 S --> X\n1 1 S --> X S\nX --> Word b"
    model = AdaptorGrammar(rules, symbols="spaced", max_iter=2, random_state=0).fit(["Word b Word b"] * 3)
    assert model.segment(["Word b Word b"]) == [["Word b", "Word b"]]


def test_sentences_are_not_cut_by_their_own_symbol_unless_one_says_so():
    texts = [stem + suffix for stem in ("walk", "talk", "jump") for suffix in ("ing", "ed", "s", "")] * 3
    model = AdaptorGrammar("morphology", max_iter=100, random_state=0).fit(texts)
    assert model.segment(["walking"], "Word") == [["walking"]]
    assert model.segment(texts) in [model.segment(texts, symbol) for symbol in ("Stem", "Suffix")]
    assert max(map(len, model.segment(texts))) == 2
    alone = AdaptorGrammar("1 1 S --> a S\n1 1 S --> a", max_iter=2, random_state=0).fit(["aa"])
    assert alone.segment(["aa"]) == alone.segment(["aa"], "S")


def test_a_symbol_that_is_none_is_refused_without_gold_blanks_too(learned):
    with pytest.raises(UserError, match="no symbol 'Foo'"):
        scores_of(learned.learned_.model, LINES, "Foo")


def test_punctuation_cuts_sentences():
    texts = [f"{line}, {line}!" for line in LINES[:60]]
    model = AdaptorGrammar("unigram", punctuation="boundaries", max_iter=20, random_state=0).fit(texts)
    assert "," not in model.grammar_.terminals
    assert model.segment(["thedog,ran!"])[0][-1] == "!"
    assert "".join(model.segment(["thedog,ran!"])[0]) == "thedog,ran!"
    assert AdaptorGrammar(max_iter=2, random_state=0).fit(texts).grammar_.terminals.count(",") == 1


def test_the_pieces_of_alike_sentences_are_those_of_the_samples(learned):
    symbol, line = learned.learned_.model.symbol_number(None), LINES[0]
    content = learned.learned_.model.sentences_in(learned.learned_.model.lines_of([line]).content)[
        0
    ].tobytes()
    found = known_cuts(learned.learned_.model, symbol, {content, b"none"})
    assert set(found) == {content}
    assert known_cuts(learned.learned_.model, learned.learned_.model.symbol_number("Chars"), {content}) == {}
    ends = np.cumsum(learned.learned_.params["lengths"].values)
    cuts = learned.learned_.params["cuts"].values[0] / learned.learned_.params["kept"].values
    own = [cuts[end - len(line) : end] for end, other in zip(ends, LINES, strict=True) if other == line]
    assert found[content] == pytest.approx(np.mean(own, axis=0))


def test_a_sentence_too_long_for_the_memory_is_named(learned):
    with pytest.raises(UserError, match=r"a sentence of 10,000,000 symbols would take .*cut long texts"):
        new_chart(learned.learned_.model.compiled, 10**7)
    with pytest.raises(UserError, match="sentences of up to 20,000,000 symbols"):
        no_strings(span_starts(np.array([0, 2 * 10**7])))


@pytest.mark.parametrize("inference", ["mcmc", "hybrid", "mean-field"])
def test_a_sentence_too_long_for_a_chart_is_refused_or_skipped_before_memory_is_taken(inference, monkeypatch):
    monkeypatch.setattr(chart_texts, "LARGEST_CHART", 1_000_000)
    texts = [*LINES[:30], "thedog" * 20]
    settings = {"inference": inference, "max_iter": 2, "random_state": 0}
    problem = "document '30': a sentence of 120 symbols would take .*cut long texts.*unparsed=\"skip\""
    with pytest.raises(UserError, match=problem):
        AdaptorGrammar("unigram", **settings).fit(texts)
    skipping = AdaptorGrammar("unigram", unparsed="skip", **settings).fit(texts)
    assert skipping.skipped_ == 1
    if inference == "mcmc":  # steps on a table count the document, too
        assert skipping.subtrees() == AdaptorGrammar("unigram", **settings).fit(texts[:30]).subtrees()
    assert max(len(one.text) for one in skipping.subtrees()) < 20
    assert skipping.segment(["thedog" * 20, ""]) == [["thedog" * 20], []]
    long, short = skipping.parse(["thedog" * 20, "thedog"])
    assert (long.nats, long.trees) == (-np.inf, ())
    assert short.trees
    assert skipping.parse(["thedog"])[0].nats == short.nats
    assert scores_of(skipping.learned_.model, ["thedog" * 20, "thedog"])["unparsed"] == 1


def test_names_without_rules_are_reported():
    rules = Grammar.from_text(
        RULES.replace("1 1 S --> W\n", "1 1 S --> W\n1 1 S --> W Sw\n1 1 L --> z\n"), "r.lt"
    )
    for inference in ("mcmc", "hybrid", "mean-field"):
        with pytest.warns(UserWarning, match=r"^r.lt:3: 'Sw' has no rules") as caught:
            AdaptorGrammar(rules, inference=inference, max_iter=1).fit(["ab", "ba"])
        assert str(caught[0].message) == (
            "r.lt:3: 'Sw' has no rules and does not occur in the text (1 other name as well)"
        )
    quoted = Grammar.from_text(rules.to_text())
    with warnings.catch_warnings(action="error"):
        AdaptorGrammar(quoted, max_iter=1).fit(["ab", "ba"])
        AdaptorGrammar(RULES, max_iter=1).fit(["ab", "ba"])


def test_a_corpus_of_words():
    words = Corpus.from_texts(["the dog ran", "the cat ran", "the bird"], rule=VocabularyRule(2, 1.0))
    with pytest.raises(UserError, match=r"not read as characters: it has the symbol '\w+'.*spaced"):
        AdaptorGrammar(max_iter=2).fit(words)
    with pytest.raises(UserError, match=r"symbol \d is not in the corpus's vocabulary.*skip"):
        AdaptorGrammar("unigram", symbols="spaced", max_iter=2).fit(words)
    model = AdaptorGrammar("unigram", symbols="spaced", max_iter=2, unparsed="skip", random_state=0)
    whole = Corpus.from_texts(["big dog barks", "dog barks"], rule=VocabularyRule(1, 1.0))
    assert " ".join(*model.fit(whole).segment(["dog barks"])) == "dog barks"


@pytest.mark.parametrize("unparsed", ["fail", "skip"])
def test_another_form_of_unicode_is_named(unparsed):
    """é as one character in the text and as two in the grammar, and the other way round."""
    rules = "1 1 S --> S C\n1 1 S --> C\n1 1 C --> a\n1 1 C --> {}"
    for text, grammar, forms in (
        ("\u00e9", "e\u0301", "NFD in place of NFC"),
        ("e\u0301", "\u00e9", "NFC in place"),
    ):
        model = AdaptorGrammar(rules.format(grammar), max_iter=2, unparsed=unparsed)
        with pytest.raises(UserError, match=rf"in another form of Unicode \({forms}.*; write .* form, NFC"):
            model.fit([text])


def test_sentences_skipped_for_another_form_of_unicode_are_told():
    rules = "1 1 S --> S C\n1 1 S --> C\n1 1 C --> a\n1 1 C --> e\u0301"
    model = AdaptorGrammar(rules, max_iter=2, unparsed="skip", random_state=0)
    told = r"1 sentence is skipped, and the grammar has .* form of Unicode \(NFD in place of NFC\); write"
    with pytest.warns(UserWarning, match=told):
        model.fit(["aa", "a\u00e9"])


def test_what_cannot_be_parsed_is_named_or_skipped():
    texts = ["ab", "ba", "aab", "cab"]
    with pytest.raises(UserError, match=r"document .*: no sentence .* symbol 2, 'a'|ends where every"):
        AdaptorGrammar("1 1 S --> a b\n1 1 S --> b b", max_iter=2).fit(["ab", "ba"])
    with pytest.raises(UserError, match="symbol 1, 'c', is not a terminal"):
        AdaptorGrammar(RULES, max_iter=2).fit(texts)
    with pytest.raises(UserError, match="ends where every tree"):
        AdaptorGrammar("1 1 S --> a b", max_iter=2).fit(["ab", "a"])
    model = AdaptorGrammar(RULES, unparsed="skip", max_iter=2, random_state=0).fit(texts)
    assert model.skipped_ == 1
    with pytest.raises(UserError, match="no sentence can be parsed"):
        AdaptorGrammar(RULES, unparsed="skip", max_iter=2).fit(["c", "d"])


@pytest.mark.parametrize("way", ["mcmc", "hybrid", "mean-field"])
def test_nothing_is_learned_of_sentences_that_are_skipped(way):
    """Symbols that the grammar does not have are not taken for others."""
    rules = "1 1 S --> W S\n1 1 S --> W\nW --> L\n1 1 L --> a\n1 1 L --> b\n1 1 L --> a L\n1 1 L --> b L\n"
    model = AdaptorGrammar(rules, inference=way, unparsed="skip", max_iter=3, random_state=0)
    model.fit(["bbx", "bb", "xxxx", "bbbb"] * 5)
    assert model.skipped_ == 10
    assert {"".join(one.text) for one in model.subtrees()} <= {"b", "bb", "bbb", "bbbb"}


@pytest.mark.parametrize("texts", [[""], ["", " "], []])
def test_nothing_to_learn_from(texts):
    with pytest.raises(UserError):
        AdaptorGrammar(max_iter=2).fit(texts)


def test_hostile_symbols():
    texts = ["a\u200fb\x00c", "((()))", "</script>", "é\u0301x", "👩‍👩‍👧‍👦ok"] * 4
    model = AdaptorGrammar("collocation", max_iter=5, random_state=0).fit(texts)
    for text, pieces in zip(texts, model.segment(texts), strict=True):
        assert "".join(pieces) == "".join(analysis_of_symbols("characters").analyse(text).words)
    brackets = model.parse(["((()))"])[0].trees[0].brackets()
    assert brackets.count("(") == brackets.count(")")
    assert brackets.count("-LRB-") == brackets.count("-RRB-") == 3


def test_a_very_long_sentence():
    model = AdaptorGrammar("unigram", max_iter=2, random_state=0).fit(["thedogran" * 60, *LINES[:20]])
    assert np.isfinite(model.score(["thecat" * 100]))


def test_refused_symbols(learned):
    with pytest.raises(UserError, match="no symbol 'Foo'"):
        learned.segment(["the"], "Foo")
    with pytest.raises(UserError, match="no adapted symbol"):
        learned.subtrees("Chars")
    with pytest.raises(UserError, match="how="):
        learned.parse(["the"], "well")
    with pytest.raises(UserError, match="one string was given instead of a list of texts"):
        learned.segment("the")


def test_chains_are_told_apart_and_the_best_speaks():
    model = AdaptorGrammar(chains=3, max_iter=10, random_state=0).fit(LINES)
    scores = [record["chains"] for record in model.trace_ if "chains" in record]
    assert len(scores[-1]) == 3
    assert len(set(scores[-1])) == 3


def test_a_running_model_is_its_last_checkpoint(tmp_path):
    from stickbreaker.core.errors import Interrupted

    corpus = CORPUS.write(tmp_path / "corpus")
    begin(AdaptorGrammar(max_iter=6, random_state=0), corpus, tmp_path / "m", held_out=0.1)
    watch = StopAfter(2)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    early = AdaptorGrammar.load(tmp_path / "m")
    assert early.n_iter_ == 2
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    late = AdaptorGrammar.load(tmp_path / "m")
    assert late.n_iter_ == 6
    assert late.trace_[-1]["held_out"] < 0.0


def test_a_run_that_is_read_draws_no_first_trees(tmp_path, monkeypatch):
    from stickbreaker.grammars.model.tree_chain import AdaptorChain

    texts = [*LINES[:20], "xyz"]
    corpus = Corpus.from_texts(
        texts, analysis=analysis_of_symbols("characters"), rule=VocabularyRule(1, 1.0)
    ).write(tmp_path / "corpus")
    rules = "1 1 S --> W S\n1 1 S --> W\nW --> C\n1 1 C --> L\n1 1 C --> L C\n"
    rules += "".join(f"1 1 L --> {letter}\n" for letter in sorted(set("".join(LINES))))
    model = AdaptorGrammar(rules, unparsed="skip", max_iter=3, random_state=0)
    begin(model, corpus, tmp_path / "m")

    def draw(chain):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(AdaptorChain, "_begin", draw)
        assert AdaptorGrammar.load(tmp_path / "m").skipped_ == 1
        model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    late = AdaptorGrammar.load(tmp_path / "m")
    assert late.skipped_ == 1
    assert late.bound_ == model.fit(texts).bound_


def test_annealing_begins_hot_and_ends_cold():
    hot = AdaptorGrammar("unigram", temperature=3.0, cooling=20, max_iter=40, random_state=0).fit(LINES)
    cold = AdaptorGrammar("unigram", max_iter=40, random_state=0).fit(LINES)
    early = [model.trace_[0]["nats_per_symbol"] for model in (hot, cold)]
    assert early[0] != early[1]
    assert scores_of(hot.learned_.model, GOLD)["token"]["f1"] > 0.85


HYBRID = {"inference": "hybrid", "n_jobs": 1, "random_state": 0}


def of_concentration(name, concentration, truncation=None):
    """A grammar of the planted text's letters."""
    grammar = BY_NAME[name](sorted(set("".join(LINES))))
    adapted = {
        symbol: one._replace(concentration=concentration, truncation=truncation)
        for symbol, one in grammar.adapted.items()
    }
    return replace(grammar, adapted=adapted)


@pytest.mark.parametrize("concentration", [100.0, 3000.0])
def test_planted_words_are_found_online(concentration):
    model = AdaptorGrammar(of_concentration("unigram", concentration), **HYBRID).fit(LINES)
    scores = scores_of(model.learned_.model, GOLD)
    assert scores["token"]["f1"] > 0.9
    assert -2.0 < scores["nats_per_symbol"] < -0.3
    assert {"".join(one.text) for one in model.subtrees("Word")[:6]} == set(WORDS)
    assert model.segment(["thedogsawacat", "dogξ"]) == [["the", "dog", "saw", "a", "cat"], ["dog", "ξ"]]


def test_collocations_are_found_from_small_steps():
    found = [
        AdaptorGrammar("collocation", **{**HYBRID, "random_state": seed}).fit(LINES) for seed in range(3)
    ]
    scores = sorted(scores_of(model.learned_.model, GOLD)["token"]["f1"] for model in found)
    assert scores[0] > 0.7  # one of six starts ends with words that are too long
    assert scores[1] > 0.95
    sizes = [
        schedule_for(AdaptorGrammar(name, **HYBRID).settings).first_batch
        for name in ("collocation", "unigram")
    ]
    assert sizes == [2, None]


def test_planted_words_are_found_where_few_may_be_remembered_from_the_start():
    settings = {**HYBRID, "inference": "mean-field", "max_iter": 60}
    model = AdaptorGrammar("unigram", truncation=100, **settings).fit(LINES)
    assert scores_of(model.learned_.model, GOLD)["token"]["f1"] > 0.8
    assert len(model.subtrees()) == 100
    assert {record["kind"] for record in model.trace_} == {"bound"}
    assert model.trace_[-1]["score"] > model.trace_[0]["score"]


def test_truncations_are_of_symbols():
    given = {**HYBRID, "refine_every": 3, "schedule": Online(20, total="seen")}
    few = AdaptorGrammar("collocation", truncation={"Word": 5}, **given).fit(LINES[:60])
    many = AdaptorGrammar("collocation", truncation=10_000, **given).fit(LINES[:60])
    assert len(few.subtrees("Word")) < len(many.subtrees("Word"))
    for truncation, message in (
        ({"Chars": 5}, "'Chars', which is not an adapted symbol; there are: Colloc, Word|Word, Colloc"),
        ({"Foo": 5}, "'Foo', which is not an adapted symbol"),
        ({"Word": 1.5}, "whole number"),
        (10**30, "whole number"),
        ("many", "whole number"),
    ):
        with pytest.raises(UserError, match=message):
            AdaptorGrammar("collocation", truncation=truncation, **HYBRID).fit(LINES[:5])


def test_a_finished_model_remembers_as_many_as_it_may_wherever_the_run_ends():
    given = {"truncation": 30, "refine_every": 1000, **HYBRID}
    whole = AdaptorGrammar("unigram", max_iter=1, **given).fit(LINES)
    assert 20 < len(whole.subtrees("Word")) <= 30
    assert whole.trace_[-1]["vocabulary"]["size"] > 30
    early = AdaptorGrammar("unigram", callbacks=[lambda record: record["step"] == 3], **given).fit(LINES)
    assert len(early.subtrees("Word")) <= 30


def test_a_grammar_with_truncations_is_saved(tmp_path):
    grammar = of_concentration("unigram", 100.0, 40)
    model = AdaptorGrammar(grammar, refine_every=2, max_iter=1, **HYBRID).fit(LINES[:80])
    model.save(tmp_path / "m")
    loaded = AdaptorGrammar.load(tmp_path / "m")
    assert loaded.grammar_.adapted == grammar.adapted
    assert loaded.subtrees() == model.subtrees()
    model.partial_fit(LINES[80:100])
    loaded.partial_fit(LINES[80:100])
    assert loaded.subtrees() == model.subtrees()


@pytest.mark.parametrize("way", ["hybrid", "mean-field"])
def test_a_grammar_that_remembers_nothing_is_learned_too(way):
    rules = "1 1 S --> L S\n1 1 S --> L\n1 1 L --> a\n1 1 L --> b"
    model = AdaptorGrammar(rules, **{**HYBRID, "inference": way}).fit(["aaab", "aab", "aa"] * 10)
    assert model.subtrees() == []
    assert model.parse(["a"])[0].nats > model.parse(["b"])[0].nats


@pytest.mark.slow
def test_topics_of_words_are_learned_by_draws():
    texts = ["river bank water boat boat water", "money loan loan credit money"] * 10
    for schedule in ("batch", Online(5, total="seen")):
        model = AdaptorGrammar("topic", n_topics=2, schedule=schedule, max_iter=10, **HYBRID).fit(texts)
        assert model.symbols_ == ("Topic1", "Topic2", "Word")
        found = {"".join(one.text) for one in model.subtrees()}
        assert set(" ".join(texts).split()) <= found
        assert model.score(texts) < 0.0


def test_steps_follow_minibatches():
    """Begun by one, gone on with after `save` and `load`, and after `fit`."""
    model = AdaptorGrammar("unigram", **HYBRID)
    for at in [*range(0, 300, 20)] * 2:
        model.partial_fit(LINES[at : at + 20])
    assert model.n_steps_ == len(model.trace_) == 30
    assert model.corpus_["documents"] == 600
    assert scores_of(model.learned_.model, GOLD)["token"]["f1"] > 0.9
    fitted = AdaptorGrammar("unigram", max_iter=2, **HYBRID).fit(LINES)
    before = fitted.n_steps_
    fitted.partial_fit(LINES[:50])
    assert fitted.n_steps_ == before + 1
    assert fitted.corpus_["documents"] == 350
    assert scores_of(fitted.learned_.model, GOLD)["token"]["f1"] > 0.9


def test_steps_after_saving_are_those_without(tmp_path):
    model = AdaptorGrammar("collocation", **HYBRID).partial_fit(LINES[:100])
    model.save(tmp_path / "m")
    loaded = AdaptorGrammar.load(tmp_path / "m")
    for one in (model, loaded):
        one.partial_fit(LINES[100:150]).partial_fit(LINES[150:200])
    assert loaded.subtrees() == model.subtrees()
    assert loaded.concentrations_.tobytes() == model.concentrations_.tobytes()
    loaded.save(tmp_path / "n")
    assert AdaptorGrammar.load(tmp_path / "n").subtrees() == model.subtrees()


def test_steps_pass_over_symbols_that_are_new():
    model = AdaptorGrammar("unigram", **HYBRID).partial_fit(LINES[:100])
    model.partial_fit([*LINES[100:150], "dogξ", "ψ"])
    assert model.skipped_ == 2
    assert "ξ" not in model.grammar_.terminals
    first = model.grammar_.terminals[0]
    model.partial_fit([LINES[150], *[first * 4 + "ξ" * 4] * 50])
    assert all(first * 4 not in "".join(one.text) for one in model.subtrees())
    assert model.partial_fit([*LINES[150:160], "ξ"]).skipped_ == 53
    with pytest.raises(UserError, match="no sentence can be parsed"):
        model.partial_fit(["ξψ"])


def test_a_step_that_fails_leaves_the_model_as_it_was(monkeypatch):
    rules = "1 1 S --> W S\n1 1 S --> W\nW --> L L\n1 1 L --> a\n1 1 L --> b\n"
    texts = ["abab", "ab", "aabb", "ba"] * 5
    model, same = (AdaptorGrammar(rules, **HYBRID).partial_fit(texts) for _ in range(2))
    with pytest.raises(UserError, match="ends where every tree"):
        model.partial_fit(["ab", "aba", "ξ"])
    with pytest.raises(UserError, match="no sentence to learn from"):
        model.partial_fit([""])

    def fail(*given):
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(OnlineGrammar, "reorder", fail)
        with pytest.raises(RuntimeError):
            model.partial_fit(["abba"] * 5)
    assert model.skipped_ == 0
    assert model.n_steps_ == len(model.trace_) == 1
    assert model.subtrees() == same.subtrees()
    for one in (model, same):
        one.partial_fit(texts[:7])
    assert model.subtrees() == same.subtrees()
    assert model.corpus_ == same.corpus_
    unborn = AdaptorGrammar(rules, **HYBRID)
    with pytest.raises(UserError, match="'ξ', is not a terminal"):
        unborn.partial_fit(["ξ"])
    with pytest.raises(NotFittedError):
        unborn.segment(["ab"])


def test_a_minibatch_that_nothing_comes_to_is_skipped_where_sentences_are():
    rules = "1 1 S --> W S\n1 1 S --> W\nW --> L L\n1 1 L --> a\n1 1 L --> b\n"
    texts = ["abab", "ab", "aabb", "ba"] * 5
    model, same = (AdaptorGrammar(rules, unparsed="skip", **HYBRID).partial_fit(texts) for _ in range(2))
    line = "no sentence can be parsed by the grammar: nothing was learned from them"
    with pytest.warns(UserWarning, match=line) as caught:
        assert model.partial_fit(["aba", "ξ"]) is model
    assert [one.filename for one in caught] == [__file__]
    assert (model.n_steps_, model.skipped_, len(model.trace_)) == (1, 0, 1)
    assert model.corpus_ == same.corpus_
    first, second = (one.partial_fit(texts[:7]).subtrees() for one in (model, same))
    assert first == second
    unborn = AdaptorGrammar(rules, unparsed="skip", **HYBRID)
    with pytest.warns(UserWarning, match=line):
        unborn.partial_fit(["aba"])
    with pytest.raises(NotFittedError):
        unborn.segment(["ab"])


def test_steps_that_there_are_not():
    for settings in (
        {},
        {"inference": "mean-field"},
        {**HYBRID, "schedule": "batch"},
        {**HYBRID, "grammar": "topic"},
    ):
        with pytest.raises(UserError, match="partial_fit learns sentences online"):
            AdaptorGrammar(**settings).partial_fit(LINES[:5])
    sampled = AdaptorGrammar("unigram", max_iter=2, random_state=0).fit(LINES[:20])
    field = AdaptorGrammar("unigram", max_iter=2, random_state=0, inference="mean-field").fit(LINES[:20])
    for model in (sampled, field):
        model.set_params(inference="hybrid")
        with pytest.raises(UserError, match='not learned by inference="hybrid"; call fit to start again'):
            model.partial_fit(LINES[:5])
    model = AdaptorGrammar("unigram", **HYBRID).partial_fit(LINES[:20])
    with pytest.raises(UserError, match="has changed; call fit"):
        model.set_params(grammar="collocation").partial_fit(LINES[:5])


# How well sentences are cut, while learning


ONLINE = {"inference": "hybrid", "schedule": Online(20, total="seen"), "max_iter": 1, "random_state": 0}


def segmentations(model):
    return {record["step"]: record["segmentation"] for record in model.trace_ if "segmentation" in record}


def test_f1_is_measured_where_blanks_tell_the_words(tmp_path):
    model = AdaptorGrammar("unigram", **ONLINE).fit(GOLD)
    found = segmentations(model)
    assert list(found) == [1, 2, 4, 8, 15]  # of 15 steps: powers of two, and the last
    assert {one["documents"] for one in found.values()} == {20}
    assert found[15]["token_f1"] > max(0.6, found[1]["token_f1"])
    sample = [GOLD[number] for number in np.linspace(0, len(GOLD) - 1, 20).round().astype(int)]
    scores = scores_of(model.learned_.model, sample)  # by more trees, of all that is remembered
    assert found[15]["token_f1"] == pytest.approx(scores["token"]["f1"], abs=0.1)
    assert found[15]["boundary_f1"] == pytest.approx(scores["boundary"]["f1"], abs=0.1)
    model.save(tmp_path / "m")
    assert segmentations(AdaptorGrammar.load(tmp_path / "m")) == found


def test_measuring_changes_nothing_of_what_is_learned():
    model, without = (AdaptorGrammar("unigram", **ONLINE).fit(lines) for lines in (GOLD, LINES))
    assert segmentations(model)
    assert segmentations(without) == {}
    assert model.subtrees() == without.subtrees()
    assert [record["score"] for record in model.trace_] == [record["score"] for record in without.trace_]


def test_trees_of_other_strings_change_no_cut():
    model = AdaptorGrammar("collocation", **ONLINE).fit(GOLD)
    online, counts = model.learned_.engine.model, model.learned_.engine.table.whole()
    sentences = model.learned_.model.sentences_in(model.learned_.model.lines_of(LINES[:30]).content)
    whole = online.learned(model.learned_.params, counts)
    part = online.learned(model.learned_.params, counts, sentences.letters)
    assert 0 < len(part.customers) < len(whole.customers)
    both = (one.parses(sentences.letters, sentences.starts, 0) for one in (whole, part))
    for one, other in zip(*both, strict=True):
        assert one.nats == pytest.approx(other.nats, rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "texts"),
    [
        ({"inference": "mcmc", "schedule": None}, GOLD),
        ({"grammar": RULES.replace("W", "S"), "symbols": "characters"}, ["a b", "b a"] * 9),
        ({"grammar": "topic", "n_topics": 2}, ["dog cat dog", "sum term sum"] * 5),
        ({"symbols": "spaced"}, GOLD),
    ],
    ids=["sampled", "one symbol", "topics", "blanks are between symbols"],
)
def test_nothing_is_measured_where_nothing_could_be(settings, texts):
    model = AdaptorGrammar(**{"grammar": "unigram", **ONLINE, **settings}).fit(texts)
    assert segmentations(model) == {}


def test_batches_are_measured_too():
    settings = {**ONLINE, "schedule": "batch", "max_iter": 6}
    model = AdaptorGrammar("unigram", **settings).fit(GOLD)
    assert list(segmentations(model)) == [1, 2, 4, 6]
