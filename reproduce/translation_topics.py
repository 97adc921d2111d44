"""Topics of the documents of a bitext: of their source side, of both sides, with and without concepts."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from reproduce.polylingual import analysis, joined
from reproduce.texts import DATA, DICTIONARIES
from reproduce.translation_bitexts import TARGET, Material, material
from scipy.sparse import csr_matrix

from stickbreaker import LDA, ConceptTree, Corpus
from stickbreaker.core.records import Array
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.vocabulary import tagged
from stickbreaker.topics.concepts.concept_sources import concepts_of_pairs
from stickbreaker.topics.concepts.dictionaries import Entry, dictionary_entries
from stickbreaker.topics.evaluation.cross_lingual import one_side
from stickbreaker.topics.model.vocabularies.concept_tree import Concept
from stickbreaker.translation.lexicon.domains import Domains, TopicDomains
from stickbreaker.translation.lexicon.link_counts import LinkCounts, LinkedWords

LDA_OF_SOURCE, TLDA, PLDA = "LDA", "tLDA", "pLDA"
ONE_TO_ONE, ALL_PAIRS, ALIGNED_PAIRS = (
    f"ptLDA, {kind}" for kind in ("one-to-one", "all pairs", "aligned pairs")
)
TREES = (ONE_TO_ONE, ALL_PAIRS, ALIGNED_PAIRS)
MODELS = (LDA_OF_SOURCE, TLDA, PLDA, *TREES)
ALPHA = 0.01  # as in the thesis
SWEEPS, PASSES = 300, 100
# The thesis has pairs of words that met 500 to 50,000 times in 1.6 million pairs of sentences
MET = (500 / 1.6e6, 50_000 / 1.6e6)


class Corpora(NamedTuple):
    """Documents to learn from, and the trees over the words of both languages."""

    source: Corpus  # the source sides alone
    both: Corpus
    trees: dict[str, ConceptTree]  # of TREES
    coverage: dict[str, dict[str, float]]  # share of each language's tokens whose words are of a concept


@cache
def corpora(source: str, folder: str) -> Corpora:
    """Those of a bitext that `prepare` saved."""
    held = material(source, folder)
    sides = held.train.document_texts
    both = Corpus.from_texts(
        [{source: one, TARGET: other} for one, other in zip(*sides, strict=True)], analysis=analysis()
    )
    least, most = (share * held.train.n_pairs for share in MET)
    dictionary = list(dictionary_entries(DATA / DICTIONARIES[source]))
    alike = both.vocabulary, both.analysis, (source, TARGET)
    made = {
        ONE_TO_ONE: concepts_of_pairs(dictionary, *alike, "one-to-one"),
        ALL_PAIRS: concepts_of_pairs(dictionary, *alike, "all"),
        ALIGNED_PAIRS: concepts_of_pairs(
            linked_pairs(held), *alike, "all", least_count=least, most_count=most
        ),
    }
    assert isinstance(both.analysis, PolylingualAnalysis)
    return Corpora(
        Corpus.from_texts(sides[0], analysis=both.analysis.by_language[source]),
        both,
        {name: ConceptTree(selection.concepts) for name, selection in made.items()},
        {name: selection.coverage for name, selection in made.items()},
    )


def linked_pairs(held: Material) -> Iterator[Entry]:
    """The pairs of words that were linked, with how often they were."""
    train = held.train
    linked = LinkedWords.of(train.sides, held.links, train.document_of)
    counts = LinkCounts.of(linked, (len(train.words[0]), len(train.words[1])), len(train.names))
    times = counts.by_document.sum(axis=1).ravel().tolist()[0]
    for number, (f, e) in enumerate(zip(counts.words.tolist(), counts.translations.tolist(), strict=True)):
        yield Entry(number + 1, train.words[0][f], train.words[1][e], times[number])


def domains_of(model: LDA, name: str, source: str, folder: str) -> Domains:
    """How documents get the topics of one of MODELS, from their source side."""
    return JoinedTopics(model, source, folder) if name == TLDA else TopicDomains(model, source)


class JoinedTopics(Domains):
    """Topics that are distributions over the words of both languages at once."""

    kind = "joined"

    def __init__(self, model: LDA, source: str, folder: str) -> None:
        self.model, self.source, self.both = model, source, corpora(source, folder).both

    @property
    def names(self) -> list[str]:
        return [" ".join(words) for words in self.model.top_words(3)]

    def shares(self, sources: Sequence[str], domains: Sequence[str]) -> Array:
        texts = [{self.source: text} for text in sources]
        alike = {"analysis": self.both.analysis, "vocabulary": self.both.vocabulary}
        return self.model.learned_.shares_of_bags(joined(Corpus.from_texts(texts, **alike)))

    def write(self, directory: Path) -> dict[str, Any]:
        raise NotImplementedError("the study saves no lexicon")


def learn_topics(name: str, inference: str, topics: int, eta: float, seed: int, held: Corpora) -> LDA:
    """One of MODELS, fitted on one thread."""
    model = LDA(
        topics,
        alpha=ALPHA,
        eta=eta,
        inference=inference,
        words=_words(name, held),
        max_iter=SWEEPS if inference == "gibbs" else PASSES,
        random_state=seed,
        n_jobs=1,
    )
    if name == LDA_OF_SOURCE:
        return model.fit(held.source)
    return model.fit(_each_side(held.both) if name == TLDA else held.both)


def _words(name: str, held: Corpora) -> str | ConceptTree:
    """The words slot; of tLDA the one-to-one pairs as concepts of words of one vocabulary."""
    if name != TLDA:
        return held.trees.get(name, "closed")
    return ConceptTree([_tagged(concept) for concept in held.trees[ONE_TO_ONE].named().values()])


def _tagged(concept: Concept) -> Concept:
    """The same concept over words of one vocabulary."""
    words = [tagged(code, word) for code, own in sorted(concept.words.items()) for word in own]
    return Concept(concept.name, {"": tuple(words)})


def _each_side(both: Corpus) -> Corpus:
    """A document for each side, "de:haus" a word like any other."""
    bags = joined(both)
    sides = Bags.join([one_side(bags, rows) for rows in both.vocabulary.ranges.values()])
    shape = len(sides.unseen), both.n_words
    return Corpus.from_matrix(
        csr_matrix((sides.counts, sides.words, sides.offsets), shape), both.vocabulary.words
    )
