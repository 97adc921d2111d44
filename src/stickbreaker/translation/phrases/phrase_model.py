"""The phrase model: phrase table, language model, features and weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.corpus.shards import entries_between
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.translation.decoding.decoder import SentenceOptions
from stickbreaker.translation.decoding.topic_backoff_model import TopicBackoffModel
from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.kernels.phrase_options import Options, Weights
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.lexical_links import (
    LexicalLinks,
    lexical_links,
    null_probabilities,
    words_of_pairs,
)
from stickbreaker.translation.phrases.phrase_table import GivenScores, PhraseTable

PLAIN = ("phrase", "phrase_reverse", "lexical", "lexical_reverse", "phrases")
MIXTURE = ("topic_lexical", "topic_lexical_reverse")  # features of a document's topics, mixed
MOST_RANKS = 10
RANKED = tuple(f"topic_rank_{rank}" for rank in range(1, MOST_RANKS + 1))  # or one for each large topic
OF_SEARCH = ("language_model", "words", "distortion")
UNKNOWN = -10.0  # each log probability of a word copied to the translation
FIRST_WEIGHTS = {  # before tuning, similar to those of Moses
    "phrase": 0.2,
    "phrase_reverse": 0.2,
    "lexical": 0.2,
    "lexical_reverse": 0.2,
    "phrases": 0.2,
    "language_model": 0.5,
    "words": 1.0,
    "distortion": 0.3,
    **dict.fromkeys((*MIXTURE, *RANKED), 0.0),
}


@dataclass(frozen=True, eq=False, repr=False)
class PhraseModel:
    """A phrase table, a language model and the weights of features: what documents are translated with.

    A translation option, a phrase pair f, e of the table, has features that are log probabilities in nats,
    and the constant 1. phrase and phrase_reverse are p(e | f) and p(f | e) of whole phrases, lexical and
    lexical_reverse their lexical weights, by the lexicon or from the table's file.

    With `adapts`, there are features for a document's topics: topic_lexical and topic_lexical_reverse are the
    log lexical weights by its mixture of topics, minus those of all documents. If `ranks` is not 0, there is
    instead one feature for each of the document's `ranks` largest topics k, the largest first (Eidelman,
    Boyd-Graber and Resnik 2012, section 3), since a feature per topic number would mean something else in
    every document:

        log (lexical weight by p(e | f; k) · p(k | d))
    """

    lexicon: TopicLexicon
    table: PhraseTable
    language_model: BackoffModel | TopicBackoffModel
    weights: dict[str, float]  # by the names of `features`
    adapts: bool = True
    ranks: int = 0

    def __repr__(self) -> str:
        return f"PhraseModel({self.lexicon!r}, adapts={self.adapts}, ranks={self.ranks})"

    @property
    def option_features(self) -> tuple[str, ...]:
        """The names of the features that each translation option (a phrase pair of the table) has."""
        return PLAIN + (RANKED[: self.ranks] or MIXTURE if self.adapts else ())

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all features of a translation, in order: those of options, then those of the
        search."""
        return self.option_features + OF_SEARCH

    def decoder_weights(self) -> Weights:
        """The weights of the model's features as the decoder takes them."""
        own = np.array([self.weights[name] for name in self.option_features])
        return Weights(own, *(self.weights[name] for name in OF_SEARCH))

    @property
    def unknown_share(self) -> float:
        """The share of the bitext's target words that the language model does not know; if it is large, the
        model was probably learned from texts tokenised otherwise."""
        arrays, words = self.language_model.arrays, self.lexicon.bitext.sides[1].words
        return float((arrays.numbers[words] == arrays.unknown).mean())

    @cached_property
    def _source_numbers(self) -> dict[str, int]:
        """The number of each source word by spelling: of the bitext's words, then of those that only the
        phrase table has."""
        own, more = self.lexicon.numbers[0], self.table.more_words[0]
        return own if not more else own | {word: len(own) + place for place, word in enumerate(more)}

    @cached_property
    def _null(self) -> tuple[Array, Array]:
        """p of each word given null, that is, without a link: for target words, then for source words (each
        words + 1, the last for words outside the bitext)."""
        linked, (source, target) = self.lexicon.linked, self.lexicon.bitext.sides
        sizes = [len(words) for words in self.lexicon.bitext.words]
        return (
            null_probabilities(linked, target.words, sizes[1]),
            null_probabilities(linked.reversed(), source.words, sizes[0]),
        )

    @cached_property
    def _all_shares(self) -> Array:
        """The share of each topic in the links of all documents (topics)."""
        counts = self.lexicon.forward.word_topic_counts.sum(axis=0)
        return counts / max(float(counts.sum()), 1e-300)

    def features_of(self, options: NDArray[np.int64], shares: Array | None) -> Array:
        """The features of translation options, given by their numbers in the table (options × features).

        shares (topics,): of their document. If None, there is no document: topic_lexical features are zero,
        and features by rank use the topics' shares of all links.
        """
        plain: list[Array] = []
        topical: list[Array] = []
        ranked = self._all_shares if shares is None else shares
        lexicons = (self.lexicon.forward, self.lexicon.backward)
        for links, one, null in zip(
            lexical_links(self.table, options, lexicons), lexicons, self._null, strict=True
        ):
            distinct, places = np.unique(links.pairs, return_inverse=True)
            pairs, links = words_of_pairs(distinct, one), links._replace(pairs=places)
            plain.append(links.weights(one.p_plain(*pairs), null))
            if self.adapts and not self.ranks:
                adapted = one.p_plain(*pairs) if shares is None else one.p_topics(*pairs) @ shares
                topical.append(links.weights(adapted, null) - plain[-1])
            elif self.adapts and not topical:  # p of the target words only, since the source is empty
                topical += self._by_rank(links, one.p_topics(*pairs), null, ranked)
        scores = self.table.scores
        lexical = scores.log_lexical[options] if isinstance(scores, GivenScores) else np.stack(plain, axis=1)
        return np.column_stack([scores.log_p(options), lexical, np.ones(len(options)), *topical])

    def _by_rank(self, links: LexicalLinks, p: Array, null: Array, shares: Array) -> list[Array]:
        """For each of a document's `ranks` largest topics, an array with its feature of each option
        (options,).

        If there are fewer topics, the last one is repeated. links: of the options; p (word pairs × topics):
        p(e | f; k); null: p of words given null; shares (topics,).
        """
        order = descending(shares, self.ranks)
        found = [
            links.weights(np.ascontiguousarray(p[:, k]), null) + np.log(max(float(shares[k]), 1e-10))
            for k in order.tolist()
        ]
        return found + [found[-1]] * (self.ranks - len(found))

    def options_of(self, sentences: list[list[str]], shares: Array | None = None) -> list[SentenceOptions]:
        """The translation options of sentences (lists of tokens) in a document with these topic shares.

        Each sentence is in the decoder's form; a word that no option translates alone can be copied. shares
        (topics,); None: without a document.
        """
        numbers = self._source_numbers
        spans = [self._spans(np.array([numbers.get(t, -1) for t in one], np.int32)) for one in sentences]
        wanted = np.unique(np.concatenate([np.zeros(0, np.int64), *(one[2] for one in spans)]))
        features = self.features_of(wanted, shares)
        return [
            self._sentence(tokens, *own, features[np.searchsorted(wanted, own[2])])
            for tokens, own in zip(sentences, spans, strict=True)
        ]

    def _spans(
        self, words: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The translation options of a sentence, from its word numbers (-1: unknown).

        Returns where the span of each begins and ends (exclusive), and the option's number in the table.
        """
        begin = np.repeat(np.arange(len(words)), MOST)
        lengths = np.tile(np.arange(1, MOST + 1, dtype=np.int8), len(words))
        inside = begin + lengths <= len(words)
        begin, lengths = begin[inside], lengths[inside]
        phrases = self.table.index.find(words, begin, lengths)
        known = phrases >= 0
        begin, lengths, phrases = begin[known], lengths[known], phrases[known]
        after, options = entries_between(self.table.starts[phrases], self.table.starts[phrases + 1])
        begins = np.repeat(begin, np.diff(after))
        return begins, begins + np.repeat(lengths, np.diff(after)), options

    def _sentence(
        self,
        tokens: list[str],
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        options: NDArray[np.int64],
        features: Array,
    ) -> SentenceOptions:
        """A sentence in the decoder's form, from its options' spans, numbers in the table, and features.

        Words that no option translates alone are copied to the translation, with log probabilities of
        `UNKNOWN`.
        """
        single = np.zeros(len(tokens), np.bool_)
        single[begins[ends - begins == 1]] = True
        passed: dict[str, int] = {}
        own = np.flatnonzero(~single)
        n_words = len(self.language_model.words)
        themselves = [n_words + passed.setdefault(tokens[place], len(passed)) for place in own.tolist()]
        after, places = entries_between(self.table.offsets[options], self.table.offsets[options + 1])
        words = np.concatenate([self.table.target_words[places], np.array(themselves, np.int64)])
        row = np.array([0.0 if name in MIXTURE else UNKNOWN for name in self.option_features])
        row[PLAIN.index("phrases")] = 1.0
        held = Options(
            np.concatenate([begins, own]),
            np.concatenate([ends, own + 1]),
            np.concatenate([after, after[-1] + np.arange(1, len(own) + 1)]),
            words.astype(np.int64),
            np.concatenate([features, np.tile(row, (len(own), 1))]),
        )
        longest = int((held.ends - held.begins).max(initial=1))
        return SentenceOptions(len(tokens), longest, held, tuple(passed))
