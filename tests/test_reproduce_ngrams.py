"""The texts, models and page of the language models' reproduction, at tiny size."""

import gzip
import json
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("reproduction")

LINES = ("the old man saw the sea .", "the sea was old in 1952 .", "a man sat by the sea and saw it .")


def lines_of(number):
    generator = np.random.default_rng(number)
    return [LINES[place] for place in generator.integers(0, len(LINES), 12)]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny corpora where ../shared would be."""
    from reproduce import ngram_texts, texts

    for name, rows in {
        "brown/brown": [{"label": "ab"[n % 2], "text": "\n".join(lines_of(n))} for n in range(10)],
        "ap/ap": [{"text": " ".join(lines_of(n))} for n in range(12)],
        "imdb-reviews/train": [{"text": " ".join(lines_of(n))} for n in range(20, 32)],
        "nips-text/docs": [{"text": "Networks learn.\nThey learn 10 bits!\n" * (n + 3)} for n in range(6)],
    }.items():
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir()
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    (tmp_path / "ptb-lm").mkdir()
    for number, part in enumerate(("train", "valid", "test")):
        text = "".join(f" {line} <unk> \n" for line in lines_of(number) * 4)
        (tmp_path / f"ptb-lm/{part}.txt.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.setattr(ngram_texts, "DATA", tmp_path)


def test_numbers_are_tokens_of_digits_without_letters():
    from reproduce.ngram_texts import NUMBER, masked

    assert masked(["1", "1,000.5", "$3", "-2%", "1/2"]) == [NUMBER] * 5
    words = ["1st", "1960s", "B-52", "", "...", "a"]
    assert masked(words) == words


def test_two_documents_of_each_genre_are_held_out(data):
    from reproduce.ngram_texts import LIBRARY, brown

    splits = brown((0, 1), LIBRARY)
    assert [split.name for split in splits] == ["last two", "seed 0", "seed 1"]
    for split in splits:
        held_out = {int(document.id) for document in split.parts["test"]}
        assert sorted(number % 2 for number in held_out) == [0, 0, 1, 1]
        assert held_out.isdisjoint(int(document.id) for document in split.train)
        assert len(split.train) == 6
    assert [document.id for document in splits[0].parts["test"]] == ["6", "7", "8", "9"]
    repeated = brown((1,), LIBRARY)[1]
    assert [each.id for each in repeated.parts["test"]] == [each.id for each in splits[2].parts["test"]]
    assert splits[0].train[0].sentences[:3] == [0, *np.cumsum([len(s.split()) for s in lines_of(0)])[:2]]


def test_the_readings_differ_in_the_words_that_they_know(data):
    from reproduce.ngram_texts import LIBRARY, PAPER, PROTOTYPE, split_of

    from stickbreaker.corpus import Document

    train = [Document("a", tokens=["A"] * 3 + ["a"] * 2 + ["b"] * 4)]
    test = [Document("b", tokens=["A"] + ["c"] * 5 + ["a"])]
    marked = split_of("", PAPER, train, test)
    assert marked.min_count == 1
    assert marked.train[0].tokens == ["A"] * 3 + ["<unk>"] * 2 + ["b"] * 4
    assert marked.parts["test"][0].tokens == ["A"] + ["<unk>"] * 6
    alone = split_of("", LIBRARY, train, test)
    assert (alone.train, alone.parts["test"], alone.min_count) == (train, test, 4)
    assert PROTOTYPE.lower
    assert not PAPER.lower


def test_papers_are_cut_into_sentences(data):
    from reproduce.ngram_texts import nips

    split = nips(4, 2)
    assert (len(split.train), len(split.parts["test"])) == (4, 2)
    paper = split.train[0]
    assert paper.tokens[:8] == ["Networks", "learn", ".", "They", "learn", "#", "bits", "!"]
    assert paper.sentences[:3] == [0, 3, 8]


def test_both_methods_have_the_same_words_and_contexts(data):
    from reproduce.ngram_runs import measure, measure_kneser_ney
    from reproduce.ngram_texts import LIBRARY, brown

    split = brown((), LIBRARY)[0]
    sizes, runs = measure(split, (1, 2, 3), (1, 2, 3), sweeps=4)
    for smoothed, sampled in zip(runs[:3], runs[3:], strict=True):
        assert smoothed.order == sampled.order
        assert smoothed.contexts == smoothed.stored == sampled.contexts == sampled.stored
    known = {word for document in split.train for word in document.tokens}
    assert sizes.types == len(known) + 2
    assert sizes.train == sum(len(each.tokens) + len(each.sentences) for each in split.train)
    assert sizes.unknown == {"test": 0.0}
    train, parts = split.corpora()
    assert measure_kneser_ney(split, train, parts, 2).scores == runs[1].scores


def test_kneser_ney_predicts_one_in_all(data):
    """The probabilities of all words after each context that the scored text has sum to one."""
    from reproduce.kneser_ney import kneser_ney
    from reproduce.ngram_runs import marked_words, ways
    from reproduce.ngram_texts import LIBRARY, brown

    from stickbreaker.ngrams.model.contexts import contexts_of, symbols_before
    from stickbreaker.ngrams.word_numbers import WordNumbers

    train, parts = brown((), LIBRARY)[0].corpora()
    numbers = WordNumbers.of(train.vocabulary, 30, spelled=False)
    marked, positions = marked_words(train, numbers)
    contexts, deepest = contexts_of(
        marked, symbols_before(marked, positions, numbers.end), numbers.n_words, 2
    )
    model = kneser_ney(contexts, deepest)
    marked, positions = marked_words(parts["test"], numbers)
    before = symbols_before(marked, positions, numbers.end)
    for place in range(0, len(marked), 11):
        symbols = [np.full(numbers.n_words, before(distance)[place]) for distance in (1, 2)]
        p = model.probability(*ways(contexts, np.arange(numbers.n_words), symbols))
        assert p.sum() == pytest.approx(1.0)


def test_the_figures_of_a_model_are_those_of_its_scores(data):
    from reproduce.ngram_runs import UNBOUNDED, Run, measure_pitman_yor, single_samples
    from reproduce.ngram_texts import LIBRARY, brown

    from stickbreaker import NgramModel

    split = brown((), LIBRARY)[0]
    train, parts = split.corpora()
    for order in (1, 3, UNBOUNDED):
        run = measure_pitman_yor(split, train, parts, order, sweeps=6)
        model = NgramModel(order, max_iter=6, samples=3, random_state=0).fit(train)
        held_out = parts["test"].with_vocabulary(model.vocabulary_)
        nats, events = model.learned_.part_scores(held_out)["all"]
        assert run.scores["test"].all_words == pytest.approx(np.exp(-nats / events))
        assert run.scores["test"].samples >= run.scores["test"].all_words  # Jensen
        assert len(list(single_samples(model.learned_.model))) == 3
        assert Run.from_json(json.loads(json.dumps(run))) == run


def test_lengths_of_contexts_add_up_to_the_words_of_the_text(data):
    from reproduce.ngram_runs import lengths_of_contexts, measure
    from reproduce.ngram_texts import LIBRARY, brown

    from stickbreaker import NgramModel

    split = brown((), LIBRARY)[0]
    sizes, (run,) = measure(split, ("unbounded",), (), sweeps=6)
    assert sum(run.lengths) == pytest.approx(sizes.train)
    assert min(run.lengths) >= 0.0
    trigrams = NgramModel(3, max_iter=4, samples=2, random_state=0).fit(split.corpora()[0])
    lengths = lengths_of_contexts(trigrams.learned_.model)
    first = sum(len(document.sentences) for document in split.train)  # has the beginning alone
    assert lengths == [0.0, first, sizes.train - first]


def test_the_gain_is_the_sum_of_what_it_is_due_to(data):
    from reproduce.ngram_gain import documents, gain_of, split_of
    from reproduce.ngram_runs import measure_kneser_ney

    for held_out in ("documents", "sentences"):
        split = split_of("Brown", documents("Brown"), held_out)
        gain = gain_of(split, sweeps=4)
        assert gain.kneser_ney == pytest.approx(
            measure_kneser_ney(split, *split.corpora(), 3).scores["test"][0]
        )
        assert sum(nats for _, nats in gain.seen) == pytest.approx(gain.nats), "every word has been seen"
        assert sum(share for share, _ in gain.seen) == pytest.approx(1.0)
        assert np.sum(gain.trigrams, axis=0) == pytest.approx(gain.seen[-1]), "of every count"
    whole = split_of("Brown", documents("Brown"), "documents")
    assert len(whole.parts["test"]) == 1
    assert len(whole.train) == 9


def test_all_parts_are_measured_and_written(data, tmp_path, monkeypatch, capsys):
    from reproduce import ngram_brown, ngram_nips, ngrams
    from reproduce.parts import main

    parts = ngrams.STUDY.parts
    size = ngram_brown.Size((0,), 1, 4)
    measures = {
        "brown": lambda full: ngram_brown.measure_all(full, size),
        "ptb": lambda full: parts["ptb"].measure(full, 4),
        "gain": parts["gain"].measure,
        "nips": lambda full: ngram_nips.measure_all(full, ngram_nips.Size(4, 2, 4)),
    }
    study = ngrams.STUDY._replace(
        parts={name: part._replace(measure=measures[name]) for name, part in parts.items()}
    )
    monkeypatch.delenv("FULL", raising=False)
    monkeypatch.setattr(sys, "argv", ["ngrams", "--out", str(tmp_path / "out")])
    main(study, "")
    printed = capsys.readouterr().out
    assert "left out: nips, which runs with FULL=1 only\nbrown, ptb, gain: about" in printed
    for reading in ("paper", "prototype", "library"):
        assert f"| {reading} | last two | HPYLM, unbounded |" in printed
    monkeypatch.setattr(sys, "argv", ["ngrams", "nips", "--full", "--out", str(tmp_path / "out")])
    main(study, "")
    text = (tmp_path / "out/ngrams.md").read_text(encoding="utf-8")
    assert [line for line in text.split("\n") if line.startswith("## ")] == [
        "## Brown",
        "## Penn Treebank",
        "## Where the gain comes from",
        "## NIPS",
    ]
    assert "| Mikolov | Kneser-Ney, n = 5: 141.2 |" in text
    assert "22,705 types" in text
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".html", ".json", ".md"]


def test_aims_say_what_came():
    from reproduce.ngram_brown import aims, longer_aims
    from reproduce.ngram_runs import KNESER_NEY, PITMAN_YOR, UNBOUNDED, Perplexity, Run

    def run(method, order, level, contexts=100):
        scores = {"test": Perplexity(level, level + 10.0)}
        lengths = [1.0, 2.0, 1.0] if order == UNBOUNDED else []
        return Run(method, order, "a", "paper", scores, 1.0, 1.0, contexts, contexts, lengths)

    def holds(three, four, none):
        runs = [run(KNESER_NEY, 3, 186.4), run(KNESER_NEY, 4, 187.4)]
        runs += [run(PITMAN_YOR, 3, three), run(PITMAN_YOR, 4, four), run(PITMAN_YOR, UNBOUNDED, none, 40)]
        return [row[-1] for row in (*aims(runs), *longer_aims(runs))]

    assert holds(180.6, 179.4, 180.0) == [True, True, True, True, True, True]
    assert holds(184.0, 185.0, 190.0) == [False, False, False, True, False, True]


def test_without_the_corpora_all_parts_are_left_out(monkeypatch, tmp_path, capsys):
    from reproduce import texts
    from reproduce.ngrams import STUDY
    from reproduce.parts import main

    monkeypatch.setattr(texts, "DATA", tmp_path / "nowhere")
    monkeypatch.setattr(sys, "argv", ["ngrams", "--full", "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="nothing to do"):
        main(STUDY, "")
    printed = capsys.readouterr().out
    assert "MISSING: Brown: " in printed
    assert "left out: ptb" in printed
