"""Lexicons by topic of planted bitexts: the right word wins, whatever the topics come from."""

import numpy as np
import pytest
from tests.translation.planted_bitexts import BOTH, DOMAINS, OWN, planted_pairs, straight_links

from stickbreaker import HDP, LDA, ConceptTree, Corpus
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, VocabularyRule
from stickbreaker.translation.alignment.aligned_words import as_lists
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.directed_lexicon import BY_DEFAULT
from stickbreaker.translation.lexicon.domains import KnownDomains, TopicDomains
from stickbreaker.translation.lexicon.terms import terms_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon, sentences_with
from stickbreaker.translation.sentence_pairs import Pair

RULE = VocabularyRule(min_documents=1, max_share=1.0)
CONCEPTS = [
    {"concept": german, "words": {"de": [german], "en": [english]}}
    for words in OWN.values()
    for german, english in words.items()
]


@pytest.fixture(scope="module")
def train():
    return Bitext.of(planted_pairs(), "de", "en")


@pytest.fixture(scope="module")
def held_out():
    """Documents of both domains that nothing was learned from."""
    return Bitext.of(planted_pairs(10, seed=1, first=30), "de", "en")


def corpus_of(bitext, languages):
    """The documents of a bitext in some of its languages."""
    texts = dict(zip(("de", "en"), bitext.document_texts, strict=True))
    if len(languages) == 1:
        (code,) = languages
        return Corpus.from_texts(texts[code], analysis=Analysis(code, stop_words="none"), rule=RULE)
    rows = [dict(zip(languages, row, strict=True)) for row in zip(*map(texts.get, languages), strict=True)]
    return Corpus.from_texts(rows, rule=RULE)


@pytest.fixture(scope="module")
def models(train):
    """Fitted topics by name."""
    german, both = corpus_of(train, ["de"]), corpus_of(train, ["de", "en"])
    quick = {"random_state": 0, "max_iter": 60}
    return {
        "LDA of one language": LDA(2, **quick).fit(german),
        "LDA of both": LDA(2, **quick).fit(both),
        "HDP": HDP(random_state=0, max_iter=30).fit(german),
        "concepts": LDA(2, words=ConceptTree(CONCEPTS), **quick).fit(both),
    }


@pytest.fixture(scope="module")
def by_domain(train):
    return TopicLexicon.learn(train, links=straight_links(train))


NAMES = ("LDA of one language", "LDA of both", "HDP", "concepts")


def check_right_words(lexicon, held_out, least=0.1):
    """In documents of a domain, the translation of that domain is the most probable; topics gain."""
    shares = lexicon.shares_of(held_out.document_texts[0], held_out.domains)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
    for word, right in BOTH.items():
        entry = lexicon.entry(word)
        assert {*right} <= {*entry.translations}
        for own, domain in zip(shares, held_out.domains, strict=True):
            p = dict(zip(entry.translations, entry.found.topic_p @ own, strict=True))
            assert max(p, key=p.get) == right[DOMAINS.index(domain)]
    scores = lexicon.score(held_out, straight_links(held_out))
    for way in scores:
        assert len(way.plain) == len(held_out.sides[0].words)
    forward, backward = scores
    assert forward.gain.mean() > least
    assert abs(backward.gain.mean()) < 0.1  # each English word is one in German, wherever it is
    for domain in DOMAINS:
        assert forward.gain[np.array(held_out.domains)[forward.document] == domain].mean() > least


@pytest.mark.parametrize("name", NAMES)
def test_the_right_word_wins_by_topics(train, held_out, models, name):
    lexicon = TopicLexicon.learn(train, models[name], straight_links(train))
    assert lexicon.forward.n_topics == lexicon.shares.shape[1] == len(lexicon.domains.names)
    check_right_words(lexicon, held_out)


def test_the_right_word_wins_by_domain(by_domain, held_out):
    assert by_domain.domains.names == DOMAINS
    check_right_words(by_domain, held_out, least=0.3)  # at most log 2 of half of the words


def test_the_right_word_wins_with_an_aligner(train, held_out, models):
    lexicon = TopicLexicon.learn(train, models["LDA of both"])
    assert lexicon.aligner is not None
    links = as_lists(lexicon.align(held_out))
    straight = as_lists(straight_links(held_out))
    right = sum(len({*a} & {*b}) for a, b in zip(links, straight, strict=True))
    assert right > 0.9 * sum(map(len, straight))
    assert lexicon.score(held_out)[0].gain.mean() > 0.1


def test_topics_of_a_document_come_from_its_source_alone(train, models):
    lexicon = TopicLexicon.learn(train, models["LDA of both"], straight_links(train))
    mute = Bitext.of([pair._replace(target="x") for pair in planted_pairs(4, seed=2, first=40)], "de", "en")
    whole = Bitext.of(planted_pairs(4, seed=2, first=40), "de", "en")
    np.testing.assert_array_equal(lexicon.domains.of_bitext(mute), lexicon.domains.of_bitext(whole))


def test_terms_are_what_was_planted(by_domain):
    found = terms_of(by_domain, min_gain=0.1)
    assert {term.word for term in found} == {*BOTH}
    for term in found:
        assert 0.6 < term.gain <= np.log(2)
        ways = {by_domain.domains.names[one.topic]: one.translation for one in term.topics}
        assert ways == dict(zip(DOMAINS, BOTH[term.word], strict=True))
        assert sum(one.share for one in term.topics) == pytest.approx(1.0)
        assert all(one.p > 0.9 and 0.4 < one.p_all < 0.6 for one in term.topics)
    assert not terms_of(by_domain, min_gain=0.7)
    assert not terms_of(by_domain, min_count=10_000)


# domains


def test_known_domains_are_sharp_and_unknown_ones_average(by_domain):
    shares = by_domain.shares_of(["x"] * 4, ["money", "park", "", "sports"])
    assert shares[:2].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert shares[2].tolist() == shares[3].tolist() == [0.5, 0.5]


def test_documents_without_domains_are_refused():
    bitext = Bitext.of([Pair("a", "b")], "de", "en")
    with pytest.raises(UserError, match="no document has a domain"):
        TopicLexicon.learn(bitext, links=straight_links(bitext))


@pytest.mark.parametrize("languages", [["en"], ["en", "fr"]])
def test_topics_of_another_language_are_refused(train, models, languages):
    texts = corpus_of(train, ["en"])
    if len(languages) == 2:
        rows = [{"en": one, "fr": one} for one in train.document_texts[1]]
        texts = Corpus.from_texts(rows, rule=RULE)
    other = LDA(2, random_state=0, max_iter=2).fit(texts)
    with pytest.raises(UserError, match=r"the topics are of texts in en.*, not in de; learn topics of"):
        TopicLexicon.learn(train, other, straight_links(train))


def test_no_text_has_the_topics_of_all(models):
    for name in NAMES:
        domains = TopicDomains(models[name], "de")
        shares = domains.shares(["", "unbekannt", "kredit zins"], [""] * 3)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
        np.testing.assert_allclose(shares[0], shares[1], atol=1e-9)
        assert domains.shares([], []).shape == (0, len(domains.names))


# corners


@pytest.mark.parametrize("pairs", [[Pair("a", "b", "d", "x")], [Pair("a b", "c", "d", "x")] * 3])
def test_one_pair_or_document_is_enough(pairs):
    bitext = Bitext.of(pairs, "de", "en")
    lexicon = TopicLexicon.learn(bitext)
    assert lexicon.strengths == (BY_DEFAULT, BY_DEFAULT)  # nothing can be held out
    assert (len(lexicon.links.offsets), lexicon.forward.n_topics) == (len(pairs) + 1, 1)
    forward, _ = lexicon.score(bitext, straight_links(bitext))
    np.testing.assert_allclose(forward.gain, 0.0, atol=1e-12)  # one domain tells nothing
    assert all(term.gain < 1e-12 for term in terms_of(lexicon, 0.0, 1.0))


def test_sentences_without_links_count_nothing(train):
    links = straight_links(train)
    none = type(links)(links.source[:0], links.target[:0], links.offsets * 0)
    lexicon = TopicLexicon.learn(train, links=none)
    assert lexicon.strengths == (BY_DEFAULT, BY_DEFAULT)
    assert not len(lexicon.forward.counts.words)
    assert terms_of(lexicon, 0.0, 1.0) == []
    with pytest.raises(UserError, match="the word 'bank' has no translation in de or en"):
        lexicon.entry("bank")


def test_new_sentences_may_have_only_strange_words(by_domain, train, models):
    strange = Bitext.of([Pair("völlig neu", "quite strange", "d")], "de", "en")
    for lexicon in (by_domain, TopicLexicon.learn(train, models["HDP"], straight_links(train))):
        forward, backward = lexicon.score(strange, straight_links(strange))
        for way in (forward, backward):
            assert np.isfinite(way.plain).all()
            np.testing.assert_allclose(way.gain, 0.0, atol=1e-12)


def test_a_lexicon_of_given_links_has_no_aligner(by_domain, held_out):
    with pytest.raises(UserError, match="learned from given links and has no aligner; give links of the new"):
        by_domain.score(held_out)


def test_words_of_either_side(by_domain):
    german, english = by_domain.entry("Bank"), by_domain.entry("bench")
    assert (german.language, german.word) == ("de", "bank")
    assert (english.language, english.translations[0]) == ("en", "bank")
    assert by_domain.entry("bank", "en").translations == ("bank",)
    assert german.links == german.found.links.sum() == pytest.approx(german.word_topic_counts.sum())
    for word, language, says in (
        ("bank", "fr", "the lexicon has no language 'fr'; it has de and en"),
        ("two words", None, "the word 'two words' has no translation in de or en"),
        ("", None, "the word '' has no translation"),
        ("kredit", "en", "the word 'kredit' has no translation in en; check its spelling"),
        ("x" * 10_000, None, "has no translation"),
    ):
        with pytest.raises(UserError) as caught:
            by_domain.entry(word, language)
        assert says in str(caught.value)
        assert len(str(caught.value)) < 400


def test_sentences_show_a_word_with_its_translations(by_domain, train):
    places = sentences_with(by_domain, "bank", "de", ("bank", "bench", "loan"))
    texts = train.texts(range(train.n_pairs))
    for translation in ("bank", "bench"):
        wanted = [n for n, (a, b) in enumerate(texts) if "bank" in a.split() and translation in b.split()]
        assert sorted(set(places[translation].tolist())) == wanted
    assert not len(places["loan"])
    back = sentences_with(by_domain, "bench", "en", ("bank",))
    assert sorted(set(back["bank"].tolist())) == sorted(set(places["bench"].tolist()))


def test_threads_change_nothing(train, models):
    one, two = (TopicLexicon.learn(train, models["LDA of both"], threads=threads) for threads in (1, 2))
    for name in one.links._fields:
        np.testing.assert_array_equal(getattr(one.links, name), getattr(two.links, name))
    np.testing.assert_array_equal(one.shares, two.shares)
    assert one.strengths == two.strengths


def test_domains_of_a_field_are_in_order():
    pairs = [Pair("a", "b", name, domain) for name, domain in (("1", "z"), ("2", "a"), ("3", "z"), ("4", ""))]
    domains = KnownDomains.of_bitext_fields(Bitext.of(pairs, "de", "en"))
    assert (domains.names, domains.documents) == (("a", "z"), (1, 2))
