"""Trees of concepts from dictionaries, alignments, constraints and WordNet."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker import Analysis, ConceptTree, UserError, Vocabulary
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.topics.concepts.concept_sources import (
    concepts_of_constraints,
    concepts_of_pairs,
    concepts_of_synsets,
)
from stickbreaker.topics.concepts.dictionaries import (
    FORMATS,
    Entry,
    Synset,
    WordFile,
    dictionary_entries,
    synsets_of,
)
from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

GERMAN = ("haus", "heim", "baum", "bank", "und")
ENGLISH = ("house", "home", "tree", "bench", "bank", "and")
ANALYSIS = PolylingualAnalysis({"de": Analysis(language="de"), "en": Analysis(language="en")})


def counted(words, documents):
    return Vocabulary(tuple(words), np.array(documents), np.array(documents, float))


BOTH = Vocabulary.joined(
    {
        "de": counted([f"de:{word}" for word in GERMAN], [50, 9, 30, 20, 90]),
        "en": counted([f"en:{word}" for word in ENGLISH], [45, 10, 33, 3, 21, 80]),
    }
)
LINES = (
    "Haus\thouse\nHaus\thome\nHeim\thome\nHeim\thouse\nBaum\ttree\n"
    "Bank\tbench\nBank\tbank\nzu Haus\tat home\nHut\that\n"
)


def write(tmp_path, text, name="d.tsv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def pairs_of(selection):
    return {(*concept.words["de"], *concept.words["en"]) for concept in selection.concepts}


def test_a_word_is_in_one_concept_and_pairs_are_those_most_alike(tmp_path):
    entries = dictionary_entries(write(tmp_path, LINES))
    found = concepts_of_pairs(entries, BOTH, ANALYSIS, ("de", "en"))
    assert pairs_of(found) == {("haus", "house"), ("heim", "home"), ("baum", "tree"), ("bank", "bank")}
    assert (found.entries, found.several_words, found.not_in_vocabulary, found.pairs) == (9, 1, 1, 7)
    assert found.coverage["de"] == pytest.approx(109 / 199)
    assert compiled(ConceptTree(found.concepts), BOTH).concepts == 4


def test_all_pairs_are_senses_up_to_a_number(tmp_path):
    path = write(tmp_path, LINES)
    every = concepts_of_pairs(dictionary_entries(path), BOTH, ANALYSIS, ("de", "en"), "all")
    assert len(every.concepts) == 7
    few = concepts_of_pairs(dictionary_entries(path), BOTH, ANALYSIS, ("de", "en"), "all", most=1)
    assert pairs_of(few) == pairs_of(
        concepts_of_pairs(dictionary_entries(path), BOTH, ANALYSIS, ("de", "en"))
    )


def test_the_other_direction_gives_the_same_pairs(tmp_path):
    turned = "".join(f"{b}\t{a}\n" for a, b in (line.split("\t") for line in LINES.splitlines()))
    found = concepts_of_pairs(dictionary_entries(write(tmp_path, turned)), BOTH, ANALYSIS, ("en", "de"))
    assert {(*c.words["de"], *c.words["en"]) for c in found.concepts} == {
        ("haus", "house"), ("heim", "home"), ("baum", "tree"), ("bank", "bank")
    }  # fmt: skip


def test_what_met_most_often_comes_first(tmp_path):
    path = write(tmp_path, "Haus\thome\t9\nHaus\thouse\t2\nHeim\thouse\t1\nBaum\ttree\t0.5\n")
    found = concepts_of_pairs(dictionary_entries(path), BOTH, ANALYSIS, ("de", "en"), least_count=1.0)
    assert pairs_of(found) == {("haus", "home"), ("heim", "house")}


def test_what_met_too_often_is_passed_over(tmp_path):
    path = write(tmp_path, "Haus\thome\t9\nHaus\thouse\t2\nHeim\thome\t1\n")
    counts = {"least_count": 1.0, "most_count": 2.0}
    found = concepts_of_pairs(dictionary_entries(path), BOTH, ANALYSIS, ("de", "en"), **counts)
    assert pairs_of(found) == {("haus", "house"), ("heim", "home")}


CEDICT = (
    "# a comment\n房子 房子 [fang2 zi5] /house/building (single- or two-story)/\n"
    "樹 树 [shu4] /tree/CL:棵[ke1]/to plant/\n"
)
TABBED = "樹\t树\tshu4\ttree/to plant/a bench\n"


def test_senses_of_chinese_words(tmp_path):
    found = [(e.word, e.translation) for e in dictionary_entries(write(tmp_path, CEDICT))]
    assert found == [
        ("房子", "house"),
        ("房子", "building"),
        ("树", "tree"),
        ("树", "CL:棵"),
        ("树", "plant"),
    ]
    tabbed = [(e.word, e.translation) for e in dictionary_entries(write(tmp_path, TABBED), traditional=True)]
    assert tabbed == [("樹", "tree"), ("樹", "plant"), ("樹", "bench")]


ONE = counted(["house", "home", "dwelling", "tree", "oak", "wood"], [5, 4, 3, 2, 2, 1])


def test_constraints_are_concepts(tmp_path):
    path = write(tmp_path, "MERGE_\thouse\tHome\tcastle\n\nMERGE_\ttree\toak\nMERGE_\tx\ty\n", "c.txt")
    found = concepts_of_constraints(WordFile.open(path).constraints(), ONE, Analysis(language="en"))
    assert [concept.words[""] for concept in found.concepts] == [("house", "home"), ("tree", "oak")]
    assert found.not_in_vocabulary == 1
    for line, problem in (
        ("SPLIT_\ta\tb", "separates words"),
        ("MERGE_\ta", "not a constraint"),
        ("a\tb", "not a constr"),
    ):
        with pytest.raises(UserError, match=problem) as error:
            list(WordFile.open(write(tmp_path, f"MERGE_\ta\tb\n{line}\n", "c.txt")).constraints())
        assert error.value.line == 2
    with pytest.raises(UserError, match="is not a dictionary"):
        list(dictionary_entries(path))


NOUNS = """  1 This file is made up.
00000010 03 n 01 entity 0 001 ~ 00000020 n 0000 | all there is
00000020 03 n 01 plant 0 002 @ 00000010 n 0000 ~ 00000030 n 0000 | green
00000030 20 n 02 tree 0 woody_plant 1 001 @ 00000020 n 0000 | tall
00000040 20 n 01 oak 0 001 @ 00000030 n 0000 | hard
00000050 06 n 03 house 0 home 0 dwelling(p) 0 001 @ 00000010 n 0000 | to live in
"""


def test_sets_of_synonyms_stand_below_those_that_they_are_kinds_of(tmp_path):
    write(tmp_path, NOUNS, "data.noun")
    synsets = list(synsets_of(tmp_path))
    assert synsets[2] == Synset("noun.00000030", {"": ("tree",)}, "noun.00000020")
    found = concepts_of_synsets(synsets, ONE, Analysis(language="en"))
    assert [(c.name, tuple(c.words[""]), c.parent) for c in found.concepts] == [
        ("tree (noun.00000030)", ("tree",), None),
        ("oak (noun.00000040)", ("oak",), "tree (noun.00000030)"),
        ("house (noun.00000050)", ("house", "home", "dwelling"), None),
    ]
    flat = concepts_of_synsets(synsets, ONE, Analysis(language="en"), depth=1)
    assert [tuple(c.words[""]) for c in flat.concepts] == [("tree", "oak"), ("house", "home", "dwelling")]
    tree = compiled(ConceptTree(found.concepts), ONE)
    assert (tree.concepts, tree.given) == (2, 3)  # the oak alone ties nothing


GERMAN_NOUNS = """# An open wordnet\tdeu\thttps://example.org\tlicence
00000030-n\tdeu:lemma\tBaum
00000030-n\tdeu:def\t0\tgross
00000030-n\tlemma\tgrosser Baum
00000050-n\tdeu:lemma\tHaus
00000050-n\tdeu:lemma\tHeim
00000050-n\tdeu:lemma\tHaus
00000090-n\tdeu:lemma\tund
"""


def test_synsets_have_words_of_several_languages(tmp_path):
    write(tmp_path, NOUNS, "data.noun")
    german = write(tmp_path, GERMAN_NOUNS, "wn-data-deu.tab")
    synsets = list(synsets_of(tmp_path, "en", {"de": german}))
    assert synsets[4].words == {"en": ("house", "home", "dwelling"), "de": ("Haus", "Heim")}
    assert synsets[3].words == {"en": ("oak",), "de": ()}
    found = concepts_of_synsets(synsets, BOTH, ANALYSIS)
    assert [(c.name, dict(c.words), c.parent) for c in found.concepts] == [
        ("tree (noun.00000030)", {"de": ("baum",), "en": ("tree",)}, None),
        ("house (noun.00000050)", {"de": ("haus", "heim"), "en": ("house", "home")}, None),
    ]
    assert found.coverage["de"] == pytest.approx((50 + 9 + 30) / 199)
    tree = compiled(ConceptTree(found.concepts), BOTH)
    assert (tree.concepts, tree.apart) == (2, 0)
    german_alone = concepts_of_synsets(
        synsets_of(tmp_path, None, {"": german}), counted(GERMAN, [5, 4, 3, 2, 9]), Analysis(language="de")
    )
    assert [dict(c.words) for c in german_alone.concepts] == [{"": ("baum",)}, {"": ("haus", "heim")}]


def test_a_kind_is_in_both_languages_although_a_level_between_is_in_one(tmp_path):
    """The plant has no word here, so the tree is at the top; the oak, in German alone, is below it."""
    write(tmp_path, NOUNS, "data.noun")
    lines = GERMAN_NOUNS + "00000040-n\tdeu:lemma\tBank\n"
    found = concepts_of_synsets(
        synsets_of(tmp_path, "en", {"de": write(tmp_path, lines, "d.tab")}), BOTH, ANALYSIS
    )
    oak = found.concepts[1]
    assert (oak.name, dict(oak.words), oak.parent) == (
        "bank (noun.00000040)", {"de": ("bank",)}, "tree (noun.00000030)"
    )  # fmt: skip
    flat = concepts_of_synsets(
        synsets_of(tmp_path, "en", {"de": tmp_path / "d.tab"}), BOTH, ANALYSIS, depth=1
    )
    assert dict(flat.concepts[0].words) == {"de": ("baum", "bank"), "en": ("tree",)}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("Haus\thouse\n", "no words of synsets"),
        ("00000070-n\tlemma\tHaus\n00000080-n\tlemma\tHeim\n00000030-n\tlemma\tBaum\n", "2 of its 3 synsets"),
    ],
)
def test_words_of_other_synsets_are_refused(tmp_path, lines, problem):
    write(tmp_path, NOUNS, "data.noun")
    file = write(tmp_path, lines, "wn-data-deu.tab")
    with pytest.raises(UserError, match=problem) as error:
        list(synsets_of(tmp_path, "en", {"de": file}))
    assert error.value.where == str(file)
    with pytest.raises(UserError, match="no language 'fr'"):
        concepts_of_synsets([Synset("noun.1", {"fr": ("maison",)}, None)], BOTH, ANALYSIS)


def test_a_malformed_line_of_wordnet_is_named(tmp_path):
    write(tmp_path, NOUNS + "00000060 06 n zz house\n", "data.noun")
    with pytest.raises(UserError, match="malformed") as error:
        list(synsets_of(tmp_path))
    assert error.value.line == 7
    with pytest.raises(UserError, match=r"no data\.noun"):
        list(synsets_of(tmp_path / "none"))


@pytest.mark.parametrize(
    ("languages", "vocabulary", "problem"),
    [
        (("de", "fr"), BOTH, "no language 'fr'"),
        (("de", "de"), BOTH, "both languages are"),
        (("de", "en"), ONE, "one language"),
    ],
)
def test_other_languages_are_refused(languages, vocabulary, problem):
    with pytest.raises(UserError, match=problem):
        concepts_of_pairs([Entry(1, "a", "b")], vocabulary, ANALYSIS, languages)


def test_nothing_found_is_told():
    with pytest.raises(UserError, match="1 entries make no concept"):
        concepts_of_pairs([Entry(1, "Hut", "hat")], BOTH, ANALYSIS, ("de", "en"))
    entries = [Entry(1, "Haus", "house", 2.0), Entry(2, "Baum", "tree", 1.0)]
    with pytest.raises(UserError, match="no pair has a count of 3 or more; the highest is 2"):
        concepts_of_pairs(entries, BOTH, ANALYSIS, ("de", "en"), least_count=3.0)
    with pytest.raises(UserError, match=r"no pair has a count of 0\.5 or less; the lowest is 1"):
        concepts_of_pairs(entries, BOTH, ANALYSIS, ("de", "en"), most_count=0.5)
    with pytest.raises(UserError, match="languages de, en"):
        concepts_of_constraints([(1, ["a", "b"])], BOTH, None)


def test_columns_the_other_way_round_are_named():
    """Also where a few words are spelled alike in both languages."""
    entries = [
        Entry(i, *pair) for i, pair in enumerate([("Haus", "house"), ("Baum", "tree"), ("Heim", "home")])
    ]
    with pytest.raises(UserError, match="seems to be in de: give de before en"):
        concepts_of_pairs(entries, BOTH, ANALYSIS, ("en", "de"))
    alike = [*entries, Entry(4, "bank", "bank")]
    found = concepts_of_pairs(alike, BOTH, ANALYSIS, ("en", "de"))
    assert (len(found.concepts), found.reversed_pairs, found.is_reversed()) == (1, 4, True)
    found = concepts_of_pairs(alike, BOTH, ANALYSIS, ("de", "en"))
    assert (len(found.concepts), found.reversed_pairs, found.is_reversed()) == (4, 1, False)


def test_a_corpus_by_characters_is_named_as_the_cause():
    """Most words of CC-CEDICT have several characters, and the analysis makes a word of each."""
    zh = PolylingualAnalysis({"zh": Analysis(language="zh"), "en": Analysis(language="en")})
    words = {"zh": Vocabulary.of(["zh:银", "zh:行", "zh:树"]), "en": Vocabulary.of(["en:bank", "en:tree"])}
    entries = [Entry(1, "银行", "bank"), Entry(2, "利息", "interest"), Entry(3, "树", "tree")]
    with pytest.raises(UserError, match=r"make no concept.* several characters.* segmentation icu"):
        concepts_of_pairs(entries[:2], Vocabulary.joined(words), zh, ("zh", "en"))
    found = concepts_of_pairs(entries, Vocabulary.joined(words), zh, ("zh", "en"))
    assert (len(found.concepts), found.several_words, found.by_characters) == (1, 2, 2)
    assert found.mostly_characters()


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"a\xff\tb\n", "convert the file to UTF-8"), (b"\x1f\x8b\x08x", "copy or compress it again")],
)
def test_no_option_is_named_that_there_is_not(tmp_path, content, told):
    path = tmp_path / "d.tsv"
    path.write_bytes(content)
    for read in (lambda: list(dictionary_entries(path)), lambda: ConceptTree.read(path)):
        with pytest.raises(UserError) as error:
            read()
        assert error.value.remedy == told


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("# a comment\n\nMERGE_\ta\tb", "constraints"),
        ("SPLIT_ a b", "constraints"),
        ("a\tb\t3", "counts"),
        ("a\tb", "tsv"),
        ("樹 树 [shu4] /tree/", "cedict"),
        ("", "tsv"),
    ],
)
def test_a_format_is_that_of_the_first_line(tmp_path, line, form):
    assert WordFile.open(write(tmp_path, line)).form == form


@settings(max_examples=150, deadline=None)
@given(st.text(), st.sampled_from([*FORMATS, None, "constraints", "wordnet"]))
def test_any_text_is_read_or_refused_with_a_line(tmp_path_factory, text, form):
    folder = tmp_path_factory.mktemp("dictionaries", numbered=True)
    path = folder / "data.noun"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        if form == "constraints":
            list(WordFile.open(path, form).constraints())
        elif form == "wordnet":
            list(synsets_of(folder))
        else:
            list(dictionary_entries(path, form))
    except UserError as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.lists(st.sampled_from(ONE.words)), st.sampled_from("abcde"))
    )
)
def test_any_sets_of_synonyms_make_a_tree(drawn):
    """Circles of sets too, which WordNet does not have."""
    synsets = [
        Synset(key, {"": tuple(words)}, parent)
        for key, words, parent in {one[0]: one for one in drawn}.values()
    ]
    for depth in (None, 1, 2):
        known = {word for _, words, _ in synsets for word in words[""]}
        if not known:
            with pytest.raises(UserError, match="no concept"):
                concepts_of_synsets(synsets, ONE, None, depth)
            continue
        found = concepts_of_synsets(synsets, ONE, None, depth)
        assert {word for concept in found.concepts for word in concept.words[""]} <= known
