"""Trees and tags of CoNLL-U, and files in which they are wrong."""

import itertools
import random

import pytest
from tests.corpus.readers.reading import error_in, read, skipping

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import ReadingOptions


def node(number: int | str, form: str, head: int | str, upos: str = "X", xpos: str = "_") -> str:
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t_\t_\t_\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.conllu"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_whatever_a_file_may_hold_is_read(path, ends):
    lines = [
        "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n",
        "# newdoc\n# newpar\n# sent_id = 1\n",
        node("0.1", "before", "_"),
        node("1-2", "du", "_"),
        node(1, "de", 3),
        "# a comment between words\n",
        node(2, "le", 3),
        node(3, "pain", 0, "NOUN"),
        node("3.1", "noir", "_"),
        node(4, "oui", 0, "INTJ"),
        "  \n\n\n# newdoc id = two\n\n",
        "# newdoc id = three\n",
        node(1, "seul", 0),
    ]
    path.write_bytes("".join(lines).replace("\n", ends).encode())
    first, empty, last = read(path, trees=True)
    assert (first.id, empty.id, last.id) == ("a.conllu:1", "two", "three")
    assert first.tokens == ["de", "le", "pain", "oui"]
    assert first.heads == [2, 2, -1, -1], "two roots are a forest"
    assert first.tags == ["X", "X", "NOUN", "INTJ"]
    assert (empty.tokens, empty.heads, empty.tags) == ([], [], [])
    assert (last.tokens, last.heads) == (["seul"], [-1])


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (None, ["NOUN", "VBZ", "RB", "_"]),
        ("upos", ["NOUN", "_", "_", "_"]),
        ("xpos", ["NN", "VBZ", "RB", "_"]),
    ],
)
def test_tags_of_either_column(path, tags, expected):
    words = [("dogs", "NOUN", "NN"), ("bark", "_", "VBZ"), ("now", "", "RB"), ("ok", "_", "_")]
    lines = [node(place, form, 0, upos, xpos) for place, (form, upos, xpos) in enumerate(words, 1)]
    path.write_text("".join(lines))
    (document,) = read(path, trees=True, tags=tags)
    assert document.tags == expected


def test_tags_are_of_trees():
    with pytest.raises(UserError, match=r"unknown tags 'feats'; take upos or xpos"):
        ReadingOptions(trees=True, tags="feats")
    with pytest.raises(UserError, match=r'tags="xpos" has no effect without trees=True'):
        ReadingOptions(tags="xpos")


GOOD = node(1, "fine", 0)
ROOT = "; heads must lead to the root: a head is another word of the sentence, or 0"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (node(1, "a", 0) + node(2, "b", 3), ":6: word 2 has the head 3, but its sentence has 2 words" + ROOT),
        (node(1, "a", 0) + node(2, "b", 999_999_999), ":6: word 2 has the head 999999999, but its sentence"),
        (node(1, "a", 0) + node(2, "b", 2), ":6: word 2 depends on itself" + ROOT),
        (node(1, "a", 2) + node(2, "b", 1), ":5: word 1 depends on itself" + ROOT),
        (node(1, "a", 2) + node(2, "b", 3) + node(3, "c", 2), ":6: word 2 depends on itself" + ROOT),
        (node(1, "a", 0) + node(2, "b", 3) + node(3, "c", 2), ":6: word 2 depends on itself" + ROOT),
        (node(1, "a", "_"), ":5: word 1 has the head '_'; a head is the number of a word, or 0 at the root"),
        (node(1, "a", ""), ":5: word 1 has the head ''; a head"),
        (node(1, "a", "-1"), ":5: word 1 has the head '-1'; a head"),
        (node(1, "a", "1.1"), ":5: word 1 has the head '1.1'; a head"),
        (node(1, "a", "1" * 10), ":5: word 1 has the head '1111111111'; a head"),
        ("1\ta\t_\tX\t_\t_\t0\n", ":5: the line has 7 columns and begins with '1'; a line has ten columns"),
        (node("1-2", "ab", "_") + node(1, "a", 0), ":4: the sentence ends before word 2"),
        (node(2, "a", 0), ":5: 2 follows word 0; words are numbered from 1"),
    ],
)
def test_a_sentence_without_a_tree_is_named_by_its_line(path, lines, expected):
    path.write_text(f"# newdoc id = a\n{GOOD}\n# sent_id = 2\n{lines}\n# newdoc id = b\n{GOOD}")
    assert error_in(path, trees=True).startswith(expected)
    documents, problems = skipping(path, trees=True)
    assert [(one.id, one.tokens, one.heads) for one in documents] == [
        ("a", ["fine"], [-1]),
        ("b", ["fine"], [-1]),
    ]
    assert dict(problems.counts) == {"malformed CoNLL-U": 1}


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00" * 9,
        b"PK\x03\x04\x14\x00\x00\x00" * 9,
        b"\x00" * 4_000,
        b"A text, and no treebank.\nOf two lines.\n",
        b'{"text": "dogs bark"}\n',
    ],
)
def test_what_is_no_treebank_is_refused_in_a_line(path, content):
    path.write_bytes(content)
    assert error_in(path, trees=True).startswith(":1: ")


def test_long_sentences_are_read_and_their_circles_found(path):
    """5,000 words, each below the next, and in any order of words."""
    size = 5_000
    chain = [*range(2, size + 1), 0]
    order = random.Random(0).sample(range(1, size + 1), size)
    shuffled = [0] * size
    for above, below in itertools.pairwise(order):
        shuffled[below - 1] = above
    for heads in (chain, shuffled):
        path.write_text("".join(node(place, "w", head) for place, head in enumerate(heads, 1)))
        (document,) = read(path, trees=True)
        assert document.heads == [head - 1 for head in heads]
    chain[-1] = 1
    path.write_text("".join(node(place, "w", head) for place, head in enumerate(chain, 1)))
    assert error_in(path, trees=True).startswith(":1: word 1 depends on itself")
