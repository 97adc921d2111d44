"""Arguments of another class than they should have are one line, at all public doors to corpora."""

import numpy as np
import pandas as pd
import pytest

from stickbreaker import LDA, Analysis, Corpus, UserError, Vocabulary, VocabularyRule
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.phrases.phrase_search import PhraseRule

TEXTS = ["a river bank", "a boat on the river"]
DOORS = {
    "texts": Corpus.from_texts,
    "tokens": Corpus.from_tokens,
    "documents": Corpus.from_documents,
    "a document": lambda other: Corpus.from_documents([other]),
    "ids": lambda other: Corpus.from_texts(TEXTS, ids=other),
    "metadata": lambda other: Corpus.from_texts(TEXTS, metadata=other),
    "a record": lambda other: Corpus.from_texts(TEXTS, metadata=[other, other]),
    "analysis": lambda other: Corpus.from_texts(TEXTS, analysis=other),
    "rule": lambda other: Corpus.from_texts(TEXTS, rule=other),
    "vocabulary": lambda other: Corpus.from_texts(TEXTS, vocabulary=other),
    "phrases": lambda other: Corpus.from_texts(TEXTS, phrases=other),
    "frame": Corpus.from_frame,
    "names": lambda other: Corpus.from_matrix([[1, 2]], other),
    "bags": lambda other: Corpus.from_gensim(other, {0: "river"}),
    "dictionary": lambda other: Corpus.from_gensim([[(0, 1)]], other),
    "reading": lambda other: Corpus.build(__file__, reading=other),
    "seen through": lambda other: Corpus.from_texts(TEXTS).with_vocabulary(other),
    "words": Vocabulary.of,
    "fit": LDA(2).fit,
    "partial_fit": LDA(2).partial_fit,
    "callbacks": lambda other: LDA(2, max_iter=1, callbacks=other).fit(TEXTS),
    "least": lambda other: VocabularyRule(min_documents=other),
    "share": lambda other: VocabularyRule(max_share=other),
    "fixed words": lambda other: VocabularyRule(words=other),
    "language": lambda other: Analysis(language=other),
    "stop words": lambda other: Analysis(stop_words=other),
    "pattern": lambda other: Analysis(token_pattern=other),
    "score": lambda other: PhraseRule(min_score=other),
}


@pytest.mark.parametrize("door", DOORS)
def test_an_object_of_another_class_is_one_line(door):
    for other in (3j, object()):
        with pytest.raises(UserError) as caught:
            DOORS[door](other)
        assert "\n" not in str(caught.value)


def test_a_rule_in_place_of_a_vocabulary():
    told = "vocabulary is of the class VocabularyRule; give it as rule"
    with pytest.raises(UserError, match=told):
        Corpus.from_texts(TEXTS, vocabulary=VocabularyRule(1))


def test_a_list_in_place_of_gensims_dictionary():
    with pytest.raises(UserError, match=r"id2word is of the class list; give gensim's Dictionary, or a dict"):
        Corpus.from_gensim([[(0, 1)]], ["river"])


def test_what_is_like_the_declared_type_is_taken():
    rule = VocabularyRule(min_documents=np.int64(1), max_share=1, words=["river"])
    assert rule.words == ("river",)
    assert Analysis(stop_words=["a"], min_length=np.int32(2)).stop_words == ("a",)
    with pytest.raises(UserError, match=r"min_documents=True; min_documents is a whole number or None"):
        VocabularyRule(min_documents=True)
    with pytest.raises(UserError, match=r"words='river'; words is a tuple or None"):
        VocabularyRule(words="river")


def test_two_columns_of_one_name():
    frame = pd.DataFrame([["a b", "c d"]], columns=["text", "text"])
    with pytest.raises(UserError, match="two columns are named 'text'; give each a name of its own"):
        Corpus.from_frame(frame)


def test_ids_that_repeat_name_both_remedies(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text("name\tx\tthe cat sat\nname\ty\ta dog ran\n")
    with pytest.raises(UserError, match=r'another id_field, id_field="none" to number documents'):
        Corpus.build(path, reading=ReadingOptions(format="mallet"))
