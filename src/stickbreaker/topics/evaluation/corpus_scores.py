"""Scores of a whole corpus, block by block, for topics from any source.

Topics are given by a record, `Topics`; nothing here depends on an estimator.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_no
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation.coherence import Coherence, Coherences, coherence
from stickbreaker.topics.evaluation.completion import completion_of_rest, split_halves, unigram_score
from stickbreaker.topics.evaluation.cross_lingual import (
    both_sides,
    chance_mrr,
    cross_lingual_npmi,
    one_side,
    retrieval_mrr,
)
from stickbreaker.topics.evaluation.diversity import TOP, top_words_of, topic_diversity
from stickbreaker.topics.evaluation.given import as_read_for, as_topics
from stickbreaker.topics.evaluation.left_to_right import alike, left_to_right_score, refuse_weights
from stickbreaker.topics.model.topic_words import Dense
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.model.word_ranking import DEFAULT, WordEvidence, ranking

UNIGRAM_PRIOR = 0.01  # tokens added to each word by the unigram model


class BlockPrior(NamedTuple):
    """The priors of a block's documents: `covariates` (documents × columns), by which they differ, and
    `alphas` (documents × K).
    """

    covariates: NDArray[np.floating]
    alphas: NDArray[np.floating]


class Topics(NamedTuple):
    """Topics to be scored, from any program, with the data that the scores in this module need.

    `topic_word` (K × V): rows sum to one, in each language of a polylingual vocabulary; `alpha` (K): the
    Dirichlet prior of topics in documents; `vocabulary` (V words); `infer`: a function from documents to
    their topic shares (documents × K).

    For ranking words: `shares` (K): the topics' shares of all tokens (None: equal); `counted`: in how many
    documents topics use words, an estimator's `word_documents_` (None: estimated from `topic_word`);
    `counts_words`: whether the vocabulary has counts of a training corpus.

    `prior_of`: if the prior of topics depends on documents' metadata, a function that returns the priors of a
    block of a corpus; `infer` then takes their covariates as a second argument.
    """

    topic_word: NDArray[np.floating]
    alpha: NDArray[np.floating]
    vocabulary: Vocabulary
    infer: Callable[..., NDArray[np.floating]]
    shares: NDArray[np.floating] | None = None
    counted: WordDocuments | None = None
    counts_words: bool = True
    prior_of: Callable[[Corpus, int], BlockPrior | None] | None = None

    def prior(self, corpus: Corpus, block: int) -> BlockPrior | None:
        """The priors of a block's documents if they differ between documents; None if all have `alpha`."""
        return None if self.prior_of is None else self.prior_of(corpus, block)

    def infer_in(self, corpus: Corpus, block: int) -> Callable[[Bags], NDArray[np.floating]]:
        """`infer` for documents of a block, or parts of them, each with its own prior."""
        prior = self.prior(corpus, block)
        return self.infer if prior is None else lambda bags: self.infer(bags, prior.covariates)

    def ranked(self, n: int, rows: slice = slice(None), by: str = DEFAULT) -> NDArray[np.int64]:
        """The numbers of the first `n` words of each topic (K × n), best first, among the words in `rows` of
        the vocabulary.

        `by`: the name of the ranking, as for `coherence_of`.
        """
        n_topics = len(self.topic_word)
        shares = np.full(n_topics, 1.0 / max(n_topics, 1)) if self.shares is None else self.shares
        words = Dense(np.asarray(self.topic_word, np.float64))
        per_token = self.vocabulary.documents_per_token if self.counts_words else None
        evidence = WordEvidence(words, np.asarray(shares, np.float64), per_token, self.counted)
        return ranking(by)(evidence, n, rows).words


class Sides(NamedTuple):
    """How well topics fit documents that are aligned in two languages (each has a text in both).

    documents: how many were scored; mrr: mean reciprocal rank of a document's text in one language, when all
    texts in this language are sorted by how similar their topic shares are to those of its text in the other
    (mean of both directions); chance: the same for a random order; cross_lingual_npmi: NPMI of pairs of top
    words, one of each language.
    """

    documents: int
    mrr: float
    chance: float
    cross_lingual_npmi: Coherence


class HeldOutScore(NamedTuple):
    """Log probability, summed in nats, of the `tokens` words of held-out documents, by the topics (`nats`)
    and by a unigram model as a baseline.
    """

    nats: float
    unigram_nats: float
    tokens: float

    @property
    def nats_per_word(self) -> float:
        """Mean log probability of a word under the topics."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """Perplexity of the words under the topics, exp(-nats per word); lower is better."""
        return float(np.exp(-self.nats_per_word))

    @property
    def unigram_perplexity(self) -> float:
        """Perplexity of the words under the unigram model, exp(-nats per word)."""
        return float(np.exp(-self.unigram_nats_per_word))

    @property
    def unigram_nats_per_word(self) -> float:
        """Mean log probability of a word under the unigram model."""
        return self.unigram_nats / self.tokens


def unigram_probabilities(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """A unigram model of the training corpus, as a baseline: the share of each word (V), after 0.01 is added
    to its count. Shares sum to one, in each language if there are several.

    >>> unigram_probabilities(Vocabulary.of(["river", "bank"])).tolist()
    [0.5, 0.5]
    """
    refuse_no("vocabulary", vocabulary, Vocabulary, "corpus.vocabulary")
    weights = vocabulary.tokens + UNIGRAM_PRIOR
    for rows in _ranges(vocabulary).values():
        weights[rows] /= weights[rows].sum()
    return weights


def completion_of(topics: Topics | object, corpus: Corpus | object, share: float = 0.5) -> HeldOutScore:
    """Score topics by document completion of a corpus: the words of one part of each document are predicted
    from the other part.

    `topics`: a `Topics`, a fitted model or the path of one; `corpus`: documents in any form (for a
    `Topics` a corpus with its vocabulary), whose unknown words are ignored. `share`: the share of each
    document's tokens that is observed, not predicted. A document's score does not depend on others. Raises
    UserError without a word to score.
    """
    own, corpus = as_topics(topics), as_read_for(topics, corpus)
    unigram, digests = unigram_probabilities(own.vocabulary), own.vocabulary.digests

    def words(rows: NDArray[np.integer]) -> NDArray[np.floating]:
        return own.topic_word[:, rows]

    parts = [
        completion_of_blocks(own.infer_in(corpus, b), words, unigram, digests, [corpus.bags(b)], share)
        for b in range(len(corpus.block_sizes))
    ]
    scored = HeldOutScore(*(sum(part[i] for part in parts) for i in range(3)))
    _some(scored.tokens)
    return scored


def completion_of_blocks(
    infer: Callable[[Bags], NDArray[np.floating]],
    topic_words: Callable[[NDArray[np.integer]], NDArray[np.floating]],
    unigram: NDArray[np.floating],
    digests: NDArray[np.uint64],
    blocks: Iterable[Bags],
    share: float = 0.5,
) -> HeldOutScore:
    """Document completion of blocks of documents, for topics that are read only at the words needed, as by
    `completion_of_rest`.

    infer: returns documents' topic shares (documents × topics); topic_words: as for `completion_of_rest`;
    unigram (words): word probabilities of the baseline; digests (words): `Vocabulary.digests`; share: of the
    tokens that are observed. The result has sums, which can be added over blocks; all are 0 if there is no
    word to score.
    """
    nats = base = tokens = 0.0
    for bags in blocks:
        observed, rest = split_halves(bags, share, digests=digests)
        if rest.counts.sum() > 0:
            scored = completion_of_rest(rest, infer(observed), topic_words)
            nats += scored.nats
            tokens += scored.tokens
            base += unigram_score(rest, unigram).nats
    return HeldOutScore(nats, base, tokens)


def left_to_right_of(topics: Topics | object, corpus: Corpus | object, particles: int = 20) -> HeldOutScore:
    """Left-to-right likelihood of a corpus's whole documents; arguments as for `completion_of`.

    Time grows with the squares of document lengths and with `particles`. Raises UserError without a word to
    score, and for fractional weights.
    """
    topics, corpus = as_topics(topics), as_read_for(topics, corpus)
    unigram = unigram_probabilities(topics.vocabulary)
    languages = max(1, len(topics.vocabulary.languages))
    nats = base = tokens = 0.0
    first = 0
    for block, bags in enumerate(_blocks(corpus)):
        refuse_weights(bags, first)
        first += len(bags.unseen)
        if bags.counts.sum() > 0:
            prior = topics.prior(corpus, block)
            alphas = topics.alpha[None, :] if prior is None else prior.alphas
            for own, members in alike(alphas, len(bags.unseen)):
                part = bags if prior is None else bags.take(members)
                if part.counts.sum() == 0.0:
                    continue
                # one distribution over all languages is needed: equal shares first, then rescaled
                word, digests = topics.topic_word / languages, topics.vocabulary.digests
                scored = left_to_right_score(part, word, own, particles, digests=digests)
                nats += scored.nats + scored.tokens * np.log(languages)
                tokens += scored.tokens
            base += unigram_score(bags, unigram).nats
    return HeldOutScore(float(nats), base, _some(tokens))


def coherence_of(
    topics: Topics | object,
    corpus: Corpus | object,
    n: int = 10,
    by: str = DEFAULT,
    documents: Callable[[int], NDArray[np.int64]] | None = None,
) -> dict[str | None, Coherences]:
    """Coherence of the first `n` words of each topic in a reference corpus, by language: {None: …} if the
    topics have only one. `topics` and `corpus` as for `completion_of`.

    The words are ranked `by` "support", "documents", "company", "relevance" or "probability". Languages with
    fewer than two words, or missing in the reference, are left out. `documents`: which ones are counted, as
    for `coherence`; words occur together best in the documents that they were chosen by, so count others.
    Raises UserError for another `by`, and for "company" if it was not counted.
    """
    own, corpus = as_topics(topics), as_read_for(topics, corpus)
    top = spelled_tops(lambda rows: own.ranked(n, rows, by), own.vocabulary)
    known = corpus.languages
    return {
        language: coherence(words, corpus, language=language, documents=documents)
        for language, words in top.items()
        if language is None or not known or language in known
    }


def diversity_of(topics: Topics | object, n: int = TOP, by: str = DEFAULT) -> float:
    """Diversity of topics, the share of distinct words among the first `n` of each, ranked as in
    `coherence_of`; with several languages, their mean.

    >>> words, infer = Vocabulary.of(["river", "bank"]), lambda bags: np.ones((len(bags.unseen), 2))
    >>> diversity_of(Topics(np.array([[0.6, 0.4], [0.4, 0.6]]), np.ones(2), words, infer), 1)
    1.0
    """
    topics = as_topics(topics)
    each = [topic_diversity(topics.ranked(n, rows, by)) for rows in topics.vocabulary.parts]
    return sum(each) / len(each)


def spelled_tops(
    top: Callable[[slice], NDArray[np.int64]], vocabulary: Vocabulary
) -> dict[str | None, list[list[str]]]:
    """The top words of each topic as strings, by language; {None: …} if there is only one. Languages with
    fewer than two words are left out.

    `top`: a function from a range of rows of the vocabulary to the numbers of each topic's top words (K × n).
    """
    tops = {language: top(rows) for language, rows in _ranges(vocabulary).items()}
    return {
        language: [[vocabulary.words[row] for row in topic] for topic in found.tolist()]
        for language, found in tops.items()
        if found.shape[1] >= 2
    }


def compare_sides(
    topics: Topics | object, corpus: Corpus | object, most: int = 10_000
) -> dict[tuple[str, str], Sides]:
    """For each pair of languages of a polylingual model, by their codes, how well topics fit documents that
    have a text in both.

    Topics are inferred from the text in each language alone, for the first `most` such documents; pairs of
    languages without any are left out. Ten top words per topic and language are compared.
    """
    topics, corpus = as_topics(topics), as_read_for(topics, corpus)
    pairs: dict[tuple[str, str], Sides] = {}
    for first, second in combinations(topics.vocabulary.languages, 2):
        rows = [topics.vocabulary.ranges[code] for code in (first, second)]
        aligned = _aligned(corpus, rows[0], rows[1], most)
        found = len(aligned.unseen)
        if found:
            one, other = (topics.infer(one_side(aligned, side)) for side in rows)
            mrr = (retrieval_mrr(one, other) + retrieval_mrr(other, one)) / 2
            tops = [top_words_of(topics.topic_word, 10, side) for side in rows]
            meetings = cross_lingual_npmi(tops[0], tops[1], [aligned], len(topics.vocabulary))
            pairs[first, second] = Sides(found, mrr, chance_mrr(found), meetings)
    return pairs


def _aligned(corpus: Corpus, first: slice, second: slice, most: int) -> Bags:
    """The first `most` documents of a corpus that have words in both of two languages.

    first, second: the rows of each language in the vocabulary.
    """
    parts: list[Bags] = []
    left = most
    for bags in _blocks(corpus):
        both = both_sides(bags, first, second)
        parts.append(both.slice(0, min(left, len(both.unseen))))
        left -= len(parts[-1].unseen)
        if left == 0:
            break
    return Bags.join(parts)


def _ranges(vocabulary: Vocabulary) -> Mapping[str | None, slice]:
    """The vocabulary rows of each language; {None: all rows} if there is only one."""
    return {**vocabulary.ranges} or {None: slice(None)}


def _blocks(corpus: Corpus) -> Iterator[Bags]:
    return (corpus.bags(block) for block in range(len(corpus.block_sizes)))


def _some(tokens: float) -> float:
    if tokens == 0.0:
        raise UserError(
            "there is nothing to score", remedy="no document has a word of the model's vocabulary"
        )
    return tokens
