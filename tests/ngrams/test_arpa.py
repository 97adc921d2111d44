"""The ARPA format, read by a reader that knows nothing of the model."""

import gzip
import math

import numpy as np
import pytest

from stickbreaker import NgramModel, UserError
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.model.language_model import LanguageModel

TEXT = ["The cat sat. The cat ran. The dog sat on the mat. A dog ran.", "The cat sat on a mat. The end."]


def read_arpa(path):
    """log10 p and back-off weights by n-gram, as the format's description has it."""
    ngrams, counts, order = {}, {}, 0
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("ngram "):
            size, count = line[6:].split("=")
            counts[int(size)] = int(count)
        elif line.endswith("-grams:"):
            order = int(line[1 : line.index("-")])
        elif line and not line.startswith("\\") and order:
            p, words, *back = line.split("\t")
            key = tuple(words.split(" "))
            assert len(key) == order
            assert key not in ngrams
            ngrams[key] = float(p), float(back[0]) if back else 0.0
    for order, count in counts.items():
        assert sum(len(key) == order for key in ngrams) == count
    return ngrams, max(counts)


def log10_p(ngrams, context, word):
    """log10 p(word | context), backing off."""
    if (*context, word) in ngrams:
        return ngrams[*context, word][0]
    if not context:
        return ngrams["<unk>",][0]
    return ngrams.get(tuple(context), (0.0, 0.0))[1] + log10_p(ngrams, context[1:], word)


def log10_sentence(ngrams, order, words):
    whole = ["<s>", *words, "</s>"]
    return sum(
        log10_p(ngrams, tuple(whole[max(0, place - order + 1) : place]), whole[place])
        for place in range(1, len(whole))
    )


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("sample", [0, -1])
def test_a_reader_finds_the_same_numbers(tmp_path, order, sample):
    model = NgramModel(order, min_count=2, max_iter=20, samples=4, random_state=0).fit(TEXT)
    counts = write_arpa(model.learned_.model, model.learned_.base, tmp_path / "m.arpa", sample)
    ngrams, highest = read_arpa(tmp_path / "m.arpa")
    assert highest == order
    assert sum(counts.values()) == len(ngrams)
    alone = one_sample(model, sample)
    for words in (
        ["the", "cat", "sat"],
        ["the", "the", "dog", "ran", "cat"],
        [],
        ["<unk>", "cat", "<unk>", "the"],
    ):
        numbers = np.array([model.words_.index(word) for word in words], np.int64)
        nats = alone.log_probabilities(numbers, np.zeros(1, np.int64)).sum()
        assert log10_sentence(ngrams, order, words) * math.log(10) == pytest.approx(nats, rel=1e-9)
    for context in [(), ("the",), ("<s>",), ("<s>", "the"), ("cat", "sat"), ("zebra", "cat")]:
        context = context[-(order - 1) :] if order > 1 else ()
        total = sum(10 ** log10_p(ngrams, context, word) for word in model.words_)
        assert total == pytest.approx(1.0)


def one_sample(model, sample):
    """The predictions of a single sample."""
    whole = model.learned_.model
    rows = [sample % len(whole.discounts)]
    return LanguageModel(
        whole.contexts,
        whole.customers[rows],
        whole.tables[rows],
        whole.discounts[rows],
        whole.concentrations[rows],
        None,
    )


def test_spelled_words_share_what_is_left(tmp_path):
    model = NgramModel(2, unknown="spelled", max_iter=10, samples=1, random_state=0).fit(TEXT)
    write_arpa(model.learned_.model, model.learned_.base, tmp_path / "m.arpa")
    ngrams, _ = read_arpa(tmp_path / "m.arpa")
    words = [*model.words_, "<unk>"]
    assert sum(10 ** log10_p(ngrams, (), word) for word in words) == pytest.approx(1.0)
    found = {one.word: one.p for one in model.next_words("the", 100)}
    assert 10 ** log10_p(ngrams, ("<s>",), "the") == pytest.approx(model.next_words("", 1)[0].p)
    assert 10 ** log10_p(ngrams, ("the",), "cat") == pytest.approx(found["cat"])


def test_what_it_cannot_say_is_refused(tmp_path):
    unbounded = NgramModel("unbounded", min_count=1, max_iter=3, random_state=0).fit(TEXT)
    with pytest.raises(UserError, match="mixes orders"):
        write_arpa(unbounded.learned_.model, unbounded.learned_.base, tmp_path / "m.arpa")
    for word in ("a b", "<s>", "</s>", "\u00a0"):
        model = NgramModel(2, min_count=1, max_iter=3, random_state=0).fit([["a", word, "b"]])
        with pytest.raises(UserError, match="cannot hold the word"):
            write_arpa(model.learned_.model, model.learned_.base, tmp_path / "m.arpa")
    model = NgramModel(2, min_count=1, max_iter=4, samples=2, random_state=0).fit(TEXT)
    with pytest.raises(UserError, match="no sample 7"):
        write_arpa(model.learned_.model, model.learned_.base, tmp_path / "m.arpa", 7)
    assert not list(tmp_path.iterdir())


def test_a_packed_file_has_the_same_text_and_equal_bytes(tmp_path):
    model = NgramModel(2, max_iter=2, samples=1, random_state=0).fit(TEXT)
    for name in ("a.arpa", "a.arpa.gz", "b.arpa.gz"):
        write_arpa(model.learned_.model, model.learned_.base, tmp_path / name)
    packed = (tmp_path / "a.arpa.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.arpa").read_bytes()
    assert packed == (tmp_path / "b.arpa.gz").read_bytes()
