"""CoNLL-U."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping
from tests.corpus.readers.samples import FRENCH, word

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions, VocabularyRule


def test_documents_sentences_and_words(tmp_path):
    for packing, packed in packings(FRENCH.encode()).items():
        path = tmp_path / f"a.conllu{packing}"
        path.write_bytes(packed)
        first, second = read(path)
        assert (first.id, first.line, first.metadata) == ("one", 1, {"genre": "news = wire"})
        assert first.text == "«Du pain!»\n\nOui. in spite of du_"
        assert first.tokens == ["«", "Du", "pain", "!", "»", "Oui", ".", "in spite of", "du", "_"]
        assert first.starts == [0, 1, 4, 8, 9, 12, 15, 17, 29, 31]
        assert first.sentences == [0, 5, 7]
        line = FRENCH[: FRENCH.index("# newdoc\n")].count("\n") + 1
        assert (second.id, second.line, second.text) == (f"a.conllu{packing}:{line}", line, "Fin")


def test_lemmas(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(FRENCH)
    first, second = read(path, text_field="lemma")
    assert first.tokens == ["«", "de", "le", "pain", "!", "»", "oui", ".", "in spite of", "de", "le", "_"]
    assert first.starts == [0, 1, 1, 4, 8, 9, 12, 15, 17, 29, 29, 31]
    assert first.sentences == [0, 6, 8]
    assert second.tokens == ["fin"]
    corpus = Corpus.build(path)
    assert corpus.documents(0)[0].sentences == [0, 5, 7]


def test_a_file_without_newdoc_is_one_document(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("# only a comment\n\n" + word(1, "Yes") + "\n" + word(1, "No"))
    (document,) = read(path)
    assert (document.id, document.text, document.sentences) == ("a.conllu", "Yes No", [0, 1])
    path.write_text("\n\n")
    assert read(path) == []
    path.write_text(word(1, "a") + "\n# newdoc id = b\n" + word(1, "b"))
    assert [(one.id, one.text) for one in read(path)] == [("a.conllu", "a"), ("b", "b")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "1\tNo\n",
            ":4: the line has 2 columns and begins with '1'; a line has ten columns, separated by tabs",
        ),
        (word("x", "No"), ":4: the line has 10 columns and begins with 'x'; a line"),
        (word(1, ""), ":4: the line has 10 columns and begins with '1'; a line"),
        (word("1", "No").replace("\t", " "), ":4: the line has 1 columns and begins with '1 No _"),
        (word(2, "No"), ":4: 2 follows word 0; words are numbered from 1 in every sentence; an empty line"),
        (word(1, "No") + word(1, "No"), ":5: 1 follows word 1; words"),
        (word("1-1", "No") + word(1, "No"), ":4: 1-1 follows word 0"),
        (word("1-3", "Nope") + word(1, "No") + word("2-3", "No"), ":6: 2-3 follows word 1"),
        ("# text = No\n" + word("1-2", "Nope") + word(1, "No"), ":4: the sentence ends before word 2, which"),
        (word(1, "No") + "2\t\udcff" + word("", "").lstrip("\t"), ":5: byte 0xff at position 3 is not UTF-8"),
    ],
)
def test_bad_sentences_are_left_out(tmp_path, lines, expected):
    path = tmp_path / "a.conllu"
    text = "# newdoc id = a\n" + word(1, "Yes") + "\n" + lines + "\n# newdoc id = b\n" + word(1, "Fine")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert error_in(path).startswith(expected)
    documents, problems = skipping(path)
    assert [one.id for one in documents] == ["a", "b"]
    assert documents[1].text == "Fine"
    assert sum(problems.counts.values()) == 1
    if "undecodable bytes" not in problems.counts:  # of such a sentence the other words remain
        assert documents[0].tokens == ["Yes"]


def test_other_columns_are_refused(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(FRENCH)
    for option in ("upos", "en=form,de=lemma"):
        with pytest.raises(UserError) as caught:
            skipping(path, text_field=option)
        assert str(caught.value).startswith(
            f"{path}: CoNLL-U has no column {option!r} of words; take text_field="
        )


FORMS = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6)
SENTENCES = st.lists(
    st.lists(st.tuples(FORMS, FORMS, st.booleans()), min_size=1, max_size=4), min_size=1, max_size=3
)


@settings(deadline=None)
@given(documents=st.lists(SENTENCES, max_size=3), with_text=st.booleans())
def test_what_was_written_is_read(tmp_path_factory, documents, with_text):
    lines = []
    for number, sentences in enumerate(documents):
        lines.append(f"# newdoc id = d{number}\n")
        for sentence in sentences:
            shown = "".join(form + " " * blank for form, _, blank in sentence).strip()
            lines.append(f"# text = {shown}\n" if with_text else "# text_en = x\n")
            for place, (form, lemma, blank) in enumerate(sentence, 1):
                lines.append(word(place, form, lemma, "_" if blank else "SpaceAfter=No"))
            lines.append("\n")
    path = tmp_path_factory.mktemp("conllu") / "a.conllu"
    path.write_text("".join(lines))
    for column, place in (("form", 0), ("lemma", 1)):
        found = read(path, text_field=column)
        assert [one.id for one in found] == [f"d{number}" for number in range(len(documents))]
        for document, sentences in zip(found, documents, strict=True):
            words = [one for sentence in sentences for one in sentence]
            expected = [one[0] if one[1] == "_" and place else one[place] for one in words]
            assert document.tokens == expected
            for start, (form, _, _) in zip(document.starts, words, strict=True):
                assert document.text.startswith(form, start)
            assert len(document.sentences) == len(sentences)


TAGGED = """# newdoc id = one
# text = The mice saw it.
1\tThe\tthe\tDET\t_\t_\t2\t_\t_\t_
2\tmice\tmouse\tNOUN\t_\t_\t3\t_\t_\t_
3\tsaw\tsee\tVERB\t_\t_\t0\t_\t_\t_
4\tit\tit\tPRON\t_\t_\t3\t_\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t3\t_\t_\t_

# text = So!
1\tSo\tso\tADV\t_\t_\t0\t_\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t_\t_\t1\t_\t_\t_

# text = Gatos du parc
1\tGatos\tgato\tNOUN\t_\t_\t0\t_\t_\t_
2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_
2\tde\tde\tADP\t_\t_\t4\t_\t_\t_
3\tle\tle\tDET\t_\t_\t4\t_\t_\t_
4\tparc\tparc\tNOUN\t_\t_\t1\t_\t_\t_
"""


@pytest.mark.parametrize(
    ("settings", "tokens", "starts", "sentences"),
    [
        ({"upos": ("noun", "VERB")}, ["mice", "saw", "Gatos", "parc"], [4, 9, 21, 30], [0, 2]),
        ({"upos": ("NOUN",), "text_field": "lemma"}, ["mouse", "gato", "parc"], [4, 21, 30], [0, 1]),
        ({"upos": ("DET",)}, ["The", "le"], [0, 27], [0, 1]),
        ({"upos": ("X",)}, [], [], []),
        ({"upos": ()}, ["The", "mice", "saw", "it", ".", "So", "!", "Gatos", "du", "parc"], None, [0, 5, 7]),
    ],
)
def test_words_of_some_parts_of_speech(tmp_path, settings, tokens, starts, sentences):
    path = tmp_path / "a.conllu"
    path.write_text(TAGGED)
    (document,) = read(path, **settings)
    assert document.text == "The mice saw it. So! Gatos du parc"
    assert document.tokens == tokens
    assert starts in (None, document.starts)
    assert document.sentences == sentences


def test_a_model_reads_the_parts_of_speech_that_it_learned_from(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(TAGGED)
    learned = Corpus.build(
        path, tmp_path / "c", reading=ReadingOptions(upos=("NOUN",)), rule=VocabularyRule(1)
    )
    known = Corpus.open(tmp_path / "c")
    assert known.analysis.upos == ("NOUN",)
    again = Corpus.build(path, analysis=known.analysis, vocabulary=known.vocabulary)
    assert again.documents(0)[0].tokens == learned.documents(0)[0].tokens == ["mice", "gatos", "parc"]
    whole = Corpus.build(
        path, analysis=known.analysis, vocabulary=known.vocabulary, reading=ReadingOptions(upos=())
    )
    assert len(whole.documents(0)[0].tokens) == 10


def test_parts_of_speech_that_cannot_be(tmp_path):
    with pytest.raises(UserError, match=r"unknown part of speech 'NOUNS'; known: ADJ, .*, X"):
        ReadingOptions(upos=("NOUNS",))
    with pytest.raises(UserError, match="trees are of all words"):
        ReadingOptions(upos=("NOUN",), trees=True)
    (tmp_path / "a.txt").write_text("some text")
    with pytest.raises(UserError, match=r"a.txt: the format has no parts of speech.*upos all"):
        Corpus.build(tmp_path / "a.txt", reading=ReadingOptions(upos=("NOUN",)))


def test_another_order_of_columns_and_missing_words_are_refused(tmp_path):
    path = tmp_path / "a.conllu"
    row = "1\tcats\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
    path.write_text(f"# global.columns = {columns}\n{row}")
    assert read(path)[0].tokens == ["cats"]
    path.write_text(f"# global.columns = {columns.replace('FORM LEMMA', 'LEMMA FORM')}\n{row}")
    with pytest.raises(
        UserError, match=r"a\.conllu:1: CoNLL-U Plus with other columns; give the columns ID FORM"
    ):
        read(path)
    path.write_text(row.replace("cats", "_") * 2)
    with pytest.raises(UserError, match="all words are _, so the file has no text; get the words"):
        read(path)
    path.write_text(row.replace("cats", "_") + row)
    assert read(path)[0].tokens == ["_", "cats"]
    path.write_text("# newdoc id = a\n" + row)
    assert [one.id for one in read(path, id_field="none")] == ["a.conllu:1"]


def test_ids_of_documents(tmp_path):
    path = tmp_path / "a.conllu"
    first = "# newdoc id = one\n# sent_id = s1\n" + word(1, "river") + "\n"
    path.write_text(
        first + "# newdoc\n# sent_id = s2\n" + word(1, "boat") + "\n# sent_id = s3\n" + word(1, "bank")
    )

    def read(**options):
        corpus = Corpus.build(path, reading=ReadingOptions(**options), rule=VocabularyRule(1, 1.0))
        return [(one.id, one.metadata) for one in corpus]

    assert read() == [("one", {}), ("a.conllu:5", {})]
    assert read(id_field="sent_id") == [("s1", {}), ("s2", {})]
    assert read(id_field="none") == [("a.conllu:1", {"newdoc id": "one"}), ("a.conllu:5", {})]
    with pytest.raises(
        UserError, match=r"a.conllu:5: no comment 'newdoc id' in the document's first sentence"
    ):
        read(id_field="newdoc id")
    assert read(id_field="newdoc id", on_error="skip") == [("one", {})]
