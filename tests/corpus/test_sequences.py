"""Tokens in order, sentences and trees, of corpora in memory and on disk."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tiers import EXHAUSTIVE

from stickbreaker.cli import main
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import (
    Analysis,
    Corpus,
    Document,
    ReadingOptions,
    Sequences,
    Trees,
    Vocabulary,
    VocabularyRule,
    blocks,
    store,
)
from stickbreaker.corpus.source import Source

WORDS = ("cat", "dog", "fox", "emu")
TAGS = ("NOUN", "VERB", "X")
SENTENCE = st.lists(st.sampled_from([*WORDS, "unknown"]), min_size=1, max_size=7)
DOCUMENTS = st.lists(st.lists(SENTENCE, max_size=4), min_size=1, max_size=9)


@st.composite
def trees(draw, size: int) -> list[int]:
    """Heads of a sentence: words in some order, each below one before it, or at the root."""
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order):
        above = draw(st.integers(-1, place - 1))
        heads[word] = -1 if above < 0 else order[above]
    return heads


@st.composite
def tree_documents(draw) -> list[Document]:
    made: list[Document] = []
    for number, sentences in enumerate(draw(DOCUMENTS)):
        tokens = [word for sentence in sentences for word in sentence]
        starts = np.cumsum([0, *map(len, sentences)])[:-1].tolist()
        heads = [head for sentence in sentences for head in draw(trees(len(sentence)))]
        tags = [draw(st.sampled_from(TAGS)) for _ in tokens]
        made.append(Document(str(number), tokens=tokens, sentences=starts, heads=heads, tags=tags))
    return made


def parts(content: Sequences | Trees, corpus: Corpus) -> list[list[tuple]]:
    """Documents as sentences of what is known of each token."""
    words = np.array([*corpus.vocabulary.words, None])[content.words].tolist()
    more = ()
    if isinstance(content, Trees):
        more = content.heads.tolist(), [content.tag_names[tag] for tag in content.tags]
    tokens, out = list(zip(words, *more, strict=True)), []
    for start, stop in zip(content.offsets[:-1], content.offsets[1:], strict=True):
        own = [s for s in content.starts if start <= s < stop]
        out.append([tokens[a:b] for a, b in zip(own, [*own[1:], stop], strict=False)])
    return out


def expected(document: Document) -> list[list[tuple]]:
    known = [word if word in WORDS else None for word in document.tokens]
    more = () if document.heads is None else (document.heads, document.tags)
    tokens, own = list(zip(known, *more, strict=True)), document.sentences
    return [tokens[a:b] for a, b in zip(own, [*own[1:], len(tokens)], strict=False)]


def both(documents, path: Path, **settings):
    """A corpus in memory, and the same from disk."""
    given = {"vocabulary": Vocabulary.of(WORDS), **settings}
    return (
        Corpus.from_documents(documents, **given),
        Corpus.from_documents(documents, path / "corpus", overwrite=True, **given),
    )


@pytest.mark.long("many corpora that Hypothesis draws")
@settings(max_examples=40 if EXHAUSTIVE else 12, deadline=None)
@given(documents=tree_documents(), data=st.data())
def test_what_was_written_is_read(tmp_path_factory, documents, data):
    """Also in blocks of few, taken, cut and joined in any order; bags are those of the tokens alone."""
    path = tmp_path_factory.getbasetemp()
    bare = [dataclasses.replace(document, heads=None, tags=None) for document in documents]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_DOCUMENTS", data.draw(st.integers(1, 4)))
        memory, stored = both(documents, path)
        plain = Corpus.from_documents(bare, vocabulary=Vocabulary.of(WORDS))
    assert memory.fingerprint == stored.fingerprint != plain.fingerprint
    n_blocks = len(stored.block_sizes)
    for unit in (Sequences, Trees):
        wanted = [expected(document) for document in (bare if unit is Sequences else documents)]
        for corpus in (memory, stored):
            whole = unit.join([unit.of_block(corpus, block) for block in range(n_blocks)])
            assert parts(whole, corpus) == wanted
        source = Source(stored, unit=unit, shard_size=2)
        backwards = np.arange(len(documents))[::-1].copy()
        assert parts(source.read(backwards), stored) == wanted[::-1]
        for shard in source.shards(backwards):
            assert shard.n_documents <= 2
            assert shard.rows.tolist() == sorted(set(shard.rows.tolist()))
            rows = np.append(shard.rows, -1).astype(np.int32)
            back = shard.content.with_words(rows[shard.content.words])
            assert parts(back, stored) == [wanted[d] for d in shard.documents]
        order = np.array(data.draw(st.lists(st.integers(0, len(documents) - 1), max_size=6)), np.int64)
        assert parts(whole.take(order), stored) == [wanted[d] for d in order]
        cut = data.draw(st.integers(0, len(documents)))
        halves = [whole.slice(0, cut), whole.slice(cut, len(documents))]
        assert parts(halves[1], stored) == wanted[cut:]
        assert parts(unit.join(halves), stored) == wanted
    for block in range(n_blocks):
        for one, other in zip(stored.bags(block), plain.bags(block), strict=True):
            assert np.array_equal(one, other)
    again = stored.write(path / "again", overwrite=True)
    assert again.fingerprint == stored.fingerprint
    assert parts(again.trees(0), again) == parts(stored.trees(0), stored)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.lists(st.sampled_from(WORDS), max_size=3), max_size=4), min_size=1, max_size=5))
def test_every_line_is_a_sentence(documents):
    """But for empty lines, which have none."""
    texts = ["\n".join(map(" ".join, lines)) for lines in documents]
    corpus = Corpus.from_texts(texts, analysis=Analysis(sentences="line"), vocabulary=Vocabulary.of(WORDS))
    found = [[[word for (word,) in line] for line in one] for one in parts(corpus.sequences(0), corpus)]
    assert found == [[line for line in lines if line] for lines in documents]


def test_long_sentences_and_empty_documents(tmp_path):
    tokens = [WORDS[i % 4] if i % 5 else "unknown" for i in range(10_000)]
    documents = [
        Document("a", tokens=[]),
        Document("b", tokens=tokens, sentences=[0]),
        Document("c", tokens=["dog"]),
    ]
    for corpus in both(documents, tmp_path):
        found = corpus.sequences(0)
        assert found.offsets.tolist() == [0, 0, 10_000, 10_001]
        assert found.starts.tolist() == [0, 10_000]
        assert (found.words[::5][:2000] == -1).all()
        assert found.words.dtype == np.int32


@pytest.mark.parametrize(
    ("rule", "starts"),
    [("punctuation", [0, 2, 5]), ("line", [0, 3, 5]), ("document", [0])],
)
def test_what_ends_sentences(tmp_path, rule, starts):
    text = "One cat. Two\ndogs run.\nNow. \n"
    analysis = Analysis(sentences=rule)
    memory = Corpus.from_texts([text], analysis=analysis)
    assert memory.sequences(0).starts.tolist() == starts
    stored = memory.write(tmp_path / "out")
    assert stored.analysis.sentences == rule
    assert stored.sequences(0).starts.tolist() == starts
    other = Corpus.from_texts([text])
    assert (stored.fingerprint == other.fingerprint) == (rule == "punctuation")
    assert ("sentences" in json.loads((tmp_path / "out" / "corpus.json").read_text())["analysis"]) == (
        rule != "punctuation"
    )
    with pytest.raises(UserError, match="unknown ends of sentences 'tweet'; take punctuation, line or"):
        Analysis(sentences="tweet")


def test_both_languages_have_their_sentences():
    corpus = Corpus.from_texts(
        [{"en": "One. Two.", "de": "Eins.\nZwei drei"}],
        analysis=Analysis(sentences="line", stop_words="none"),
    )
    assert corpus.sequences(0).starts.tolist() == [0, 1, 3]


def test_unknown_words_that_share_rows_have_them():
    rule = VocabularyRule(words=("cat",), hashed=True)
    corpus = Corpus.from_texts(["the cat saw zebras"], rule=rule)
    assert corpus.sequences(0).words.tolist() == [-1, 0, 0, 0], "stop words have no row"


def test_a_corpus_tells_what_it_lacks():
    with pytest.raises(UserError, match="bags of words, which have no order; build a corpus from text"):
        Corpus.from_matrix([[1]]).sequences(0)
    with pytest.raises(UserError, match="the corpus has no trees; build it from CoNLL-U with trees=True"):
        Corpus.from_texts(["a cat"]).trees(0)


@pytest.mark.parametrize(
    ("heads", "tags", "problem"),
    [
        ([1, -1], ["X", "X"], "3 tokens with 2 heads"),
        ([1, -1, 1], ["X", "X"], "2 tags"),
        ([1, -1, -2], ["X"] * 3, "heads that are not words of their sentence"),
        ([1, -1, 1], ["X"] * 3, "heads that are not words of their sentence"),
        ([1, 0, -1], ["X"] * 3, "words that depend on themselves"),
        ([1, -1, 10**12], ["X"] * 3, "no trees"),
    ],
)
def test_documents_without_trees_are_refused(heads, tags, problem):
    document = Document("a", tokens=["cat", "dog", "fox"], sentences=[0, 2], heads=heads, tags=tags)
    with pytest.raises(UserError, match=problem):
        Corpus.from_documents([document])


def test_trees_of_some_documents_are_refused():
    documents = [Document("a", tokens=["cat"], heads=[-1], tags=["X"]), Document("b", tokens=["dog"])]
    for order in (documents, documents[::-1]):
        with pytest.raises(UserError, match="with trees and without cannot be mixed"):
            Corpus.from_documents(order)


# Files of others


def altered(tmp_path, column, value, **facts) -> Corpus:
    """A corpus whose column was replaced, digests and all."""
    documents = [
        Document(
            "a",
            tokens=["cat", "dog", "fox"],
            sentences=[0, 2],
            heads=[1, -1, -1],
            tags=["NOUN", "VERB", "X"],
        )
    ]
    out = tmp_path / "corpus"
    Corpus.from_documents(documents, out)
    path = out / "documents-00000.parquet"
    table = pq.read_table(path)
    place = table.column_names.index(column)
    kind = table.schema.field(column).type
    values = pa.array([value], pa.list_(pa.string())) if column == "tags" else pa.array([value], kind)
    if column == "tags" and value is not None:
        values = pa.ListArray.from_arrays(
            pa.array([0, len(value)], pa.int32()), values.flatten().dictionary_encode()
        )
    pq.write_table(table.set_column(place, column, values), path, compression="zstd")
    found = json.loads((out / "corpus.json").read_text())
    record = {**found, **facts, "files": [dataclasses.asdict(store.described(path, (1,)))]}
    record.pop("digest")
    (out / "corpus.json").write_bytes(store.encoded_facts(record))
    return Corpus.open(out)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("sentences", [0, 3]),
        ("sentences", [1, 2]),
        ("sentences", [0, 0]),
        ("sentences", [0, -1]),
        ("heads", [1, -1, 1]),
        ("heads", [1, 0, -1]),
        ("heads", [1, -1]),
        ("heads", [-2, -1, -1]),
        ("heads", None),
        ("tags", ["NOUN", "VERB"]),
        ("tags", ["NOUN", "VERB", "other"]),
        ("tags", None),
    ],
)
def test_hostile_columns_are_refused(tmp_path, column, value):
    corpus = altered(tmp_path, column, value)
    with pytest.raises(UserError) as error:
        corpus.trees(0)
    assert str(error.value).startswith(str(tmp_path / "corpus" / "documents-00000.parquet"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("names", [["X", "NOUN", "VERB"], ["X", "X"], [1], "X"])
def test_hostile_names_of_tags_are_refused(tmp_path, names):
    with pytest.raises(UserError, match=r"corpus\.json: the file is damaged"):
        altered(tmp_path, "heads", [1, -1, -1], tag_names=names)


def test_altered_bytes_are_refused_by_name(tmp_path):
    out = tmp_path / "corpus"
    Corpus.from_documents([Document("a", tokens=["cat"], heads=[-1], tags=["X"])], out)
    path = out / "documents-00000.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"documents-00000\.parquet: the file is damaged"):
        Corpus.open(out).trees(0)


# On the command line

FRENCH = """# newdoc id = one
# text = Du pain.
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_
3\tpain\tpain\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No
3.1\tnoir\tnoir\tADJ\t_\t_\t_\t_\t3:amod\t_
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_
"""


def build(tmp_path, content, *options):
    given, out = tmp_path / "a.conllu", tmp_path / "out"
    given.write_text(content)
    arguments = ["corpus", "build", str(given), "--out", str(out), "--overwrite", "--stop-words", "none"]
    return CliRunner().invoke(main, [*arguments, "--max-share", "1", *options]), out


@pytest.mark.parametrize("options", [(), ("--text-field", "lemma")])
def test_trees_of_conllu(tmp_path, options):
    result, out = build(tmp_path, FRENCH, "--trees", *options)
    assert result.exit_code == 0, result.output
    assert "text, tokens in order, with trees" in result.output
    corpus = Corpus.open(out)
    document = corpus.documents(0)[0]
    assert document.tokens == ["de", "le", "pain", ".", "oui"]
    assert document.starts == [0, 0, 3, 7, 9]
    found = corpus.trees(0)
    assert found.starts.tolist() == [0, 4]
    assert found.heads.tolist() == [2, 2, -1, 2, -1]
    assert [found.tag_names[tag] for tag in found.tags] == ["ADP", "DET", "NOUN", "PUNCT", "INTJ"]
    result, out = build(tmp_path, FRENCH)
    assert "with trees" not in result.output
    assert Corpus.open(out).documents(0)[0].tokens == ["du", "pain", ".", "oui"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("\t0\troot\t_\tSpaceAfter", "\t9\troot\t_\tSpaceAfter", "word 3 has the head 9, but its"),
        ("\t0\troot\t_\tSpaceAfter", "\t1\troot\t_\tSpaceAfter", "word 1 depends on itself"),
        ("\t0\troot\t_\tSpaceAfter", "\t_\troot\t_\tSpaceAfter", "word 3 has the head '_'"),
        ("\t0\troot\t_\tSpaceAfter", "\t3.1\troot\t_\tSpaceAfter", "word 3 has the head '3.1'"),
    ],
)
def test_sentences_that_are_no_trees(tmp_path, old, new, problem):
    content = FRENCH.replace(old, new)
    result, _ = build(tmp_path, content, "--trees")
    assert result.exit_code == 1
    assert problem in result.stderr
    result, out = build(tmp_path, content, "--trees", "--on-error", "skip")
    assert Corpus.open(out).documents(0)[0].tokens == ["oui"]
    assert build(tmp_path, content)[0].exit_code == 0, "without trees nobody looks at heads"


def test_other_formats_have_no_trees(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a cat\n")
    with pytest.raises(UserError, match=r"a\.txt: the format has no trees; give CoNLL-U"):
        Corpus.build(path, reading=ReadingOptions(trees=True))


def test_sentences_on_the_command_line(tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out"
    path.write_text(json.dumps({"text": "cat dog. Fox\nemu"}) + "\n")
    for rule, starts in (("punctuation", [0, 2]), ("line", [0, 3]), ("document", [0])):
        arguments = ["corpus", "build", str(path), "--out", str(out), "--overwrite", "--sentences", rule]
        assert CliRunner().invoke(main, arguments).exit_code == 0
        assert Corpus.open(out).sequences(0).starts.tolist() == starts
