"""The parameters of adaptor grammars, and what can be read from a learned one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import Kind as JsonKind
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import by_size
from stickbreaker.corpus import Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.grammars.model.compiled import Compiled
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.grammar_sentences import SentenceReader, Sentences, SymbolReader
from stickbreaker.grammars.model.named import (
    BY_NAME,
    WORD,
    collocation_syllable,
    mark_of,
    marked_topic,
    topic,
    with_words,
)
from stickbreaker.grammars.model.parser import LearnedGrammar, Parse
from stickbreaker.grammars.parameters import BATCH_SIZE, FIRST_BATCH, GrammarParameters
from stickbreaker.grammars.segmentation_agreement import TRACE_FIELDS, GrammarScores
from stickbreaker.grammars.text_symbols import (
    TextLines,
    analysis_of_symbols,
    characters_of,
    is_punctuation,
    known_words,
    terminals_of,
    word_reader,
)
from stickbreaker.learning.run import Limits, RunState, ScoreNames
from stickbreaker.learning.schedules import Batch, Online, Schedule

SWEEPS = 200  # if max_iter is
PASSES: dict[type[Schedule], int] = {Online: 3, Batch: 20}


class Subtree(NamedTuple):
    """A subtree that an adapted symbol remembers, with how often it is used.

    symbol: the adapted symbol; text: the terminals of the subtree; customers: its uses (in variational
    inference, expected uses); tables: how many tables of the symbol's restaurant (Pitman-Yor process) have
    it (in variational inference, 1).
    """

    symbol: str
    text: tuple[str, ...]
    customers: float
    tables: int


@with_parameter_section
class GrammarEstimator(GrammarParameters, Estimator):
    """A grammar in which chosen ("adapted") symbols remember whole subtrees, such as words or collocations.

    Adaptor grammars: Johnson et al. 2007.

    Attributes
    ----------
    grammar_ : the `Grammar`; symbols_ its adapted symbols, general ones before those that they are made of.
    discounts_, concentrations_ : of the adapted symbols' Pitman-Yor processes.
    skipped_ : number of sentences that were skipped.
    bound_ : log p(sentences, trees, tables) of the last sample, in nats per symbol.
    n_iter_ : sweeps done; trace_ : list of records.

    >>> from stickbreaker import AdaptorGrammar
    >>> texts = ["adog", "acat", "thedog", "thecat"] * 5
    >>> model = AdaptorGrammar("unigram", init="incremental", random_state=0).fit(texts)
    >>> model.segment(["thedogacat"])
    [['the', 'dog', 'a', 'cat']]
    """

    kind: ClassVar[str] = "AdaptorGrammar"
    _score_names: ClassVar[ScoreNames] = GrammarScores(
        "symbol", "sentences", "log p(sentences, trees, tables)"
    )
    _trace_fields: ClassVar[Mapping[str, JsonKind]] = TRACE_FIELDS

    # From parameters to a run

    def _params_to_save(self) -> dict[str, object]:
        given = self.grammar
        return {
            **super()._params_to_save(),
            "grammar": given.to_text() if isinstance(given, Grammar) else given,
        }

    @property
    def _sampled(self) -> bool:
        """Whether inference is by a Markov chain; if not, it is variational."""
        return self.inference == "mcmc"

    def _learning_schedule(self) -> Schedule:
        """The schedule of variational inference: the parameter `schedule`, or its default, with all settings.

        Raises UserError if the parameter is not a schedule.
        """
        given = self.schedule
        if given is None:
            given = "online" if self.inference == "hybrid" else "batch"
        if given == "online":
            first = FIRST_BATCH.get(self.grammar) if isinstance(self.grammar, str) else None
            return Online(BATCH_SIZE, total="seen", first_batch=first).with_defaults(
                **self._schedule_defaults
            )
        if isinstance(given, Online):
            return given.with_defaults(**self._schedule_defaults)
        if given == "batch" or isinstance(given, Batch):
            return Batch()
        raise UserError(f"schedule={given!r}", remedy='schedule is "online", Online(...) or "batch"')

    @property
    def _n_passes(self) -> int:
        """The number of sweeps (Markov chain) or passes over the text (variational inference) to make."""
        if self.max_iter is not None:
            return int(self.max_iter)
        return SWEEPS if self._sampled else PASSES[type(self._learning_schedule())]

    def _given_grammar(self) -> Grammar | None:
        """The grammar that the user gave as a text or a `Grammar`; None if it is one of the named grammars.

        Raises UserError for anything else.
        """
        if isinstance(self.grammar, Grammar):
            return self.grammar
        if not isinstance(self.grammar, str):
            raise UserError(f"grammar={self.grammar!r}", remedy="grammar is a name, a text or a Grammar")
        if self.grammar in BY_NAME:
            return None
        if "->" not in self.grammar:
            names = ", ".join(BY_NAME)
            raise UserError(f"there is no grammar {shown(self.grammar)}", remedy=f"there are: {names}")
        return Grammar.from_text(self.grammar)

    def _limits(self) -> Limits:
        return Limits(self._n_passes, 0.0)

    def _next_verb(self) -> str | None:
        return "report" if self._of_topics else None

    @property
    def _of_topics(self) -> bool:
        """Whether the grammar is the one named "topic", in which each word of a document is a sentence."""
        return self.grammar == "topic"

    @property
    def _marks_documents(self) -> bool:
        """Whether each word begins with a symbol that marks its document.

        This is so for the grammar "topic" unless inference is "hybrid", which knows documents.
        """
        return self._of_topics and self.inference != "hybrid"

    def _reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return (
            (None, None) if self._of_topics else (analysis_of_symbols(self.symbols), VocabularyRule(1, 1.0))
        )

    def _grammar_of(self, vocabulary: Vocabulary, n_documents: int) -> Grammar:
        """The grammar to learn: the user's own, or a named one, built for the vocabulary's symbols.

        Words that the user listed (`known`) are added as rules. n_documents: in a topic grammar, each may
        have a symbol of its own. Raises UserError if the text has no symbols.
        """
        grammar = self._unaided_grammar(vocabulary, n_documents)
        words = known_words(self.known, self.symbols)
        return with_words(grammar, words) if words else grammar

    def _unaided_grammar(self, vocabulary: Vocabulary, n_documents: int) -> Grammar:
        """The grammar to learn, before rules for the words that the user listed (`known`) are added.

        It is the one that the user gave, unchanged, or a named one, built for the vocabulary's symbols. A
        topic grammar may also have a symbol for each of the `n_documents`. Raises UserError if a named one
        would have no symbols.
        """
        given = self._given_grammar()
        if given is not None:
            return given
        words: Sequence[str] = vocabulary.words
        if self._of_topics:
            words = sorted({one for word in words for one in characters_of(word)})
        elif self.punctuation == "boundaries":
            words = [word for word in words if not is_punctuation(word)]
        if not words:
            raise UserError("the text has no symbol", remedy="give one with text")
        if self._of_topics:
            if not self._marks_documents:
                return topic(words, int(self.n_topics))
            marks = [mark_of(number) for number in range(n_documents)]
            return marked_topic(words, marks, int(self.n_topics))
        if self.grammar == "collocation-syllable":
            return collocation_syllable(words, self.vowels)
        return BY_NAME[str(self.grammar)](words)

    def _reader(self, vocabulary: Vocabulary, terminals: tuple[str, ...], n_documents: int) -> SentenceReader:
        """The reader that turns documents of a corpus into sentences of the grammar's terminals."""
        if self._of_topics:
            return word_reader(vocabulary.words, terminals, n_documents if self._marks_documents else None)
        boundaries = self.punctuation == "boundaries"
        return SymbolReader(terminals_of(vocabulary, terminals, boundaries=boundaries))

    # The learned grammar

    def _take_learned(self, params: Record, state: RunState, learned: LearnedGrammar) -> None:
        """Set the fitted attributes from a learned grammar, its params and the state of its run."""
        self._take_state(state)
        self.params_: Record = params
        self.state_: RunState = state
        self.grammar_ = self._grammar_of(self.vocabulary_, self.corpus_["documents"])
        self.learned_ = learned
        self.skipped_ = int(params["skipped"].values)
        self.n_features_in_ = len(self.vocabulary_)

    @property
    def compiled_(self) -> Compiled:
        """The learned grammar's rules and symbols as flat arrays, for kernels."""
        return self.learned_.grammar

    @property
    def symbols_(self) -> tuple[str, ...]:
        """The names of the adapted symbols; each comes before those that occur in its subtrees."""
        return tuple(self.compiled_.names[symbol] for symbol in self.compiled_.adapted)

    @property
    def discounts_(self) -> Array:
        """The discount of each adapted symbol."""
        return self.learned_.discounts

    @property
    def concentrations_(self) -> Array:
        """The concentration of each adapted symbol."""
        return self.learned_.concentrations

    def _sizes(self) -> dict[str, int]:
        places = np.bincount(self.learned_.places, minlength=len(self.symbols_))
        return {f"{name}_subtrees": int(n) for name, n in zip(self.symbols_, places, strict=True) if n}

    def subtrees(self, symbol: str | None = None) -> list[Subtree]:
        """The remembered subtrees of each adapted symbol, most used first; or those of one `symbol` only.

        Raises UserError for a symbol that is not adapted.
        """
        if symbol is not None and symbol not in self.symbols_:
            remedy = f"there are: {', '.join(self.symbols_) or 'none'}"
            raise UserError(f"no adapted symbol is named {shown(symbol)}", remedy=remedy)
        learned, terminals = self.learned_, self.compiled_.terminals
        letters, offsets = learned.yields
        found = [
            Subtree(
                self.symbols_[place],
                tuple(terminals[k] for k in letters[offsets[row] : offsets[row + 1]]),
                _plain(learned.customers[row]),
                int(learned.tables[row]),
            )
            for row, place in enumerate(learned.places)
        ]
        found = [one for one in found if symbol is None or one.symbol == symbol]
        ordered: list[Subtree] = []
        for name in self.symbols_:
            own = sorted((one for one in found if one.symbol == name), key=lambda one: one.text)
            ordered += by_size(own, [one.customers for one in own])
        return ordered

    def _symbol_number(self, symbol: str | None) -> int:
        """The number of the symbol whose subtrees are the pieces of a segmentation.

        symbol: its name; None: "Word", or else the last adapted symbol. The start symbol, which occurs once
        per sentence, is then chosen only if there is no other. Raises UserError for an unknown symbol.
        """
        names, start = self.compiled_.names, self.compiled_.start
        if symbol is None:
            words = [names.index(one) for one in self.grammar_.symbols if one == WORD]
            wanted = [*words, *reversed(self.compiled_.adapted.tolist())]
            return next((number for number in wanted if number != start), start)
        if symbol not in self.grammar_.symbols:
            remedy = f"there are: {', '.join(self.grammar_.symbols[:20])}"
            raise UserError(f"the grammar has no symbol {shown(symbol)}", remedy=remedy)
        return names.index(symbol)

    def _join(self, symbols: Sequence[str]) -> str:
        """Join symbols to a text: characters directly, others with spaces between them."""
        return ("" if self.symbols == "characters" else " ").join(symbols)

    def _parses_of(
        self, sentences: Sentences, n_trees: int, *, best: bool = False, seed: int = 0
    ) -> Iterator[Parse]:
        """Parse sentences, which may have symbols unseen in training: see `LearnedGrammar.parses`."""
        learned = self.learned_.opened
        letters = sentences.numbered(learned.new_symbol)
        return learned.parses(letters, sentences.starts, n_trees, best=best, seed=seed)

    def _drawn_cuts(
        self, sentences: Sentences, symbol: int, n_trees: int, *, seed: int = 0
    ) -> tuple[Array, NDArray[np.bool_]]:
        """At each place in sentences, the share of drawn trees in which a subtree of `symbol` begins or ends.

        Returns the shares before each terminal of all sentences, and whether each sentence can be parsed
        (see `LearnedGrammar.cuts`).
        """
        learned = self.learned_.opened
        letters = sentences.numbered(learned.new_symbol)
        return learned.cuts(letters, sentences.starts, symbol, n_trees, seed=seed)

    def _nats_of(self, sentences: Sentences) -> Array:
        """(sentences,) log p of each in nats; -inf if it cannot be parsed.

        All symbols unseen in training count as one and the same symbol.
        """
        learned = self.learned_.opened
        return learned.nats(sentences.numbered(learned.new_symbol), sentences.starts)

    @property
    def _symbols_read(self) -> Vocabulary:
        """The symbols that texts are read with: those of the vocabulary, in its order, then terminals that
        only the grammar or the known words have."""
        if self._of_topics:
            return self.vocabulary_
        index = self.vocabulary_.index
        more = [terminal for terminal in self.compiled_.terminals if terminal not in index]
        return Vocabulary.of((*self.vocabulary_.words, *more)) if more else self.vocabulary_

    def _lines_of(self, texts: Iterable[str]) -> TextLines:
        """Split texts into symbols, and look these up in `_symbols_read`."""
        return TextLines.of(texts, self.analysis_, self._symbols_read)

    def _numbers_of(self) -> NDArray[np.int64]:
        """For each of `_symbols_read`, its number among the grammar's terminals; see `terminals_of`."""
        boundaries = self.punctuation == "boundaries"
        return terminals_of(self._symbols_read, self.compiled_.terminals, boundaries=boundaries)

    def _sentences_in(self, content: Sequences) -> Sentences:
        """The sentences of these documents, whose words are rows of `_symbols_read`."""
        documents = np.arange(len(content.offsets) - 1)
        reader = self._reader(self._symbols_read, self.compiled_.terminals, self.corpus_["documents"])
        return reader.read(content, documents=documents)


def _plain(number: np.number) -> float:
    """A number as a Python int if it is whole, else as a float."""
    return int(number) if float(number).is_integer() else float(number)
