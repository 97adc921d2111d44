"""What one does with lexicons, from Python: functions that take what users have, and what they return."""

import json

import pytest
from tests.translation.conftest import WAY
from tests.translation.planted_bitexts import planted_pairs

from stickbreaker import Bitext, TopicLexicon, UserError, translation

SOURCE = [pair.source for pair in planted_pairs(2, seed=1, first=30)]


@pytest.fixture(scope="module")
def phrases():
    """A lexicon with phrases, by the domains of its pairs."""
    bitext = Bitext.of([tuple(pair) for pair in planted_pairs()], "de", "en")
    return translation.learn(bitext, phrases=True, n_jobs=1)


def test_words_and_terms_are_records_that_commands_print(cli, learned, tmp_path):
    lexicon = TopicLexicon.load(learned / "lexicon")
    (tmp_path / "letter.txt").write_text(SOURCE[0])
    for given, document, options in (
        (lexicon, None, ()),
        (learned / "lexicon", SOURCE[0], ("--document", tmp_path / "letter.txt")),
        (str(learned / "lexicon"), tmp_path / "letter.txt", ("--document", tmp_path / "letter.txt")),
    ):
        found = translation.word(given, "bank", document=document, top=2)
        line = ("translate", "word", learned / "lexicon", "bank", "--top", 2, *options)
        assert cli(*line).stdout.rstrip("\n") == str(found)
        assert json.loads(cli(*line, "--json").stdout) == found.as_json()
    terms = translation.terms(learned / "lexicon", min_count=3)
    line = ("translate", "terms", learned / "lexicon", "--min-count", 3)
    assert cli(*line).stdout.rstrip("\n") == str(terms)
    assert json.loads(cli(*line, "--json").stdout) == terms.as_json()
    assert {"bank", "leiter"} <= {term.word for term in translation.terms(lexicon, min_count=3).terms}


def test_a_lexicon_is_learned_tuned_and_translates(cli, phrases, tmp_path):
    assert (phrases.topics, phrases.model.lexicon is phrases.lexicon) == (2, True)
    phrases.save(tmp_path / "lexicon")
    dev = Bitext.of([tuple(pair) for pair in planted_pairs(4, seed=1, first=30)], "de", "en")
    tuned = translation.tune(phrases.model, dev, rounds=2, n_jobs=1)
    assert (tuned.path, tuned.sentences, len(tuned.rounds)) == (None, dev.n_pairs, 2)
    assert phrases.model.weights != tuned.model.weights or tuned.bleu == 100 * tuned.rounds[0].bleu
    (tmp_path / "source.txt").write_text("\n".join(SOURCE) + "\n")
    for given in (phrases.model, tmp_path / "lexicon"):
        found = translation.run(given, SOURCE, n_jobs=1)
        assert len(found.texts) == len(SOURCE)
        line = ("translate", "run", tmp_path / "lexicon", tmp_path / "source.txt", "--threads", 1, "--out")
        text = cli(*line, tmp_path / "german.txt", "--overwrite").stdout.rstrip("\n")
        assert text == f"{tmp_path / 'german.txt'}: {found}"
        assert (tmp_path / "german.txt").read_text().splitlines() == found.texts
    two = translation.run(phrases.model, [SOURCE[:3], SOURCE[3:]], n_best=2, n_jobs=1)
    assert (two.documents, len(two.candidates), len(two.candidates[0])) == (2, len(SOURCE), 2)
    with pytest.raises(UserError, match="the lexicon can only translate words; learn it with phrases=True"):
        translation.run(phrases.lexicon, SOURCE)
    with pytest.raises(UserError, match="n_best=20000; give at most 10,000"):
        translation.run(phrases.model, SOURCE, n_best=20_000)


def test_candidates_are_ranked_again(cli, phrases, tmp_path):
    system = translation.run(phrases.model, SOURCE, n_best=3, n_jobs=1)
    references = [pair.target for pair in planted_pairs(2, seed=1, first=30)]
    weights = translation.rerank_weights(phrases.lexicon, system.candidates, SOURCE, references)
    assert weights.bleu_after >= weights.bleu_before
    for given in (weights, dict(weights.weights)):
        ranked = translation.rerank(phrases.lexicon, system.candidates, SOURCE, weights=given)
        assert len(ranked.best) == len(SOURCE)
    (tmp_path / "source.txt").write_text("\n".join(SOURCE) + "\n")
    system.write(tmp_path / "a.nbest", n_best=True)
    phrases.save(tmp_path / "lexicon")
    weights.write(tmp_path / "weights.json")
    options = ("--source", tmp_path / "source.txt", "--weights", tmp_path / "weights.json")
    line = ("translate", "rerank", tmp_path / "lexicon", tmp_path / "a.nbest", *options)
    cli(*line, "--out", tmp_path / "b.nbest")
    ranked.write(tmp_path / "own.nbest")
    assert (tmp_path / "own.nbest").read_bytes() == (tmp_path / "b.nbest").read_bytes()


def test_lexicons_and_documents_are_written(cli, learned, phrases, tmp_path):
    found = translation.export(phrases.lexicon, tmp_path / "lex", form="moses", document=SOURCE[0])
    assert [*found.files] == [str(tmp_path / "lex.f2e"), str(tmp_path / "lex.e2f")]
    assert found.adapted
    table = translation.export(phrases.model, tmp_path / "table.gz", form="phrase-table")
    assert table.of == "phrases"
    joined = translation.documents(phrases.lexicon.bitext)
    joined.write(tmp_path / "own.jsonl")
    cli("translate", "documents", learned / "pairs.jsonl", *WAY, "--out", tmp_path / "docs.jsonl")
    assert (tmp_path / "own.jsonl").read_bytes() == (tmp_path / "docs.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            lambda one: translation.word(3, "bank"),
            "an object of the class int was given instead of a lexicon",
        ),
        (lambda one: translation.word(one.lexicon, "haus"), "the word 'haus' has no translation in de or en"),
        (lambda one: translation.word(one.lexicon, "bank", top=0), "top=0; top is a whole number above 0"),
        (lambda one: translation.word(one.lexicon, "bank", document=3), "of the class int was given instead"),
        (lambda one: translation.terms("nowhere"), "nowhere: there is no such lexicon"),
        (lambda one: translation.run(one.model, "a text\n"), "a text"),
        (lambda one: translation.run(one.model, 3), "the source is of the class int, not a list"),
        (lambda one: translation.rerank(one.lexicon, ["0 ||| a"], SOURCE), "weights or a weight is needed"),
        (
            lambda one: translation.rerank(one.lexicon, ["0 ||| a", "1 ||| b"], SOURCE[:1], weight=1.0),
            "the n-best list: has 2 sentences, the source has 1",
        ),
        (lambda one: translation.export(one.lexicon, "x", form="tmx"), "form='tmx'; form is \"lexicon\""),
        (lambda one: translation.learn(one.lexicon.bitext, language_model="x"), "language_model needs phra"),
    ],
)
def test_a_mistake_is_one_line(phrases, call, line):
    with pytest.raises(UserError) as error:
        call(phrases)
    assert line in str(error.value)
    assert "\n" not in str(error.value)
