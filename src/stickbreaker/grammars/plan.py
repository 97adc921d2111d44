"""What the settings of a grammar mean: its inference, schedule, rules, and how it reads sentences."""

from collections.abc import Mapping, Sequence

from stickbreaker.core.errors import UserError, is_whole, shown
from stickbreaker.corpus import Vocabulary
from stickbreaker.estimators.setting_values import engine_name
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.grammar_sentences import SentenceReader, SymbolReader
from stickbreaker.grammars.model.named import (
    BY_NAME,
    collocation_syllable,
    mark_of,
    marked_topic,
    topic,
    with_words,
)
from stickbreaker.grammars.model.tree_chain import Moves
from stickbreaker.grammars.segmentation_agreement import GrammarScores
from stickbreaker.grammars.settings import BATCH_SIZE, FIRST_BATCH, GrammarSettings
from stickbreaker.grammars.text_symbols import (
    characters_of,
    is_punctuation,
    known_words,
    terminals_of,
    word_reader,
)
from stickbreaker.learning.run import Limits, ScoreNames
from stickbreaker.learning.schedules import Batch, Online, Schedule

SWEEPS = 200  # if max_iter is None
PASSES: dict[type[Schedule], int] = {Online: 3, Batch: 20}
LARGEST = 10**18  # of a truncation
SCORE_NAMES: ScoreNames = GrammarScores("symbol", "sentences", "log p(sentences, trees, tables)")


def is_sampled(settings: GrammarSettings) -> bool:
    """Whether inference is by a Markov chain; if not, it is variational."""
    return settings.inference == "mcmc"


def schedule_for(settings: GrammarSettings) -> Schedule:
    """The schedule of variational inference: `schedule` or its default, with all settings.

    Raises UserError if it is not a schedule that grammars have.
    """
    given = settings.schedule
    if given is None:
        given = "online" if settings.inference == "hybrid" else "batch"
    if given == "online":
        first = FIRST_BATCH.get(settings.grammar) if isinstance(settings.grammar, str) else None
        online = Online(BATCH_SIZE, total="seen", first_batch=first)
        return online.with_defaults(**settings.schedule_defaults)
    if isinstance(given, Online):
        return given.with_defaults(**settings.schedule_defaults)
    if given == "batch" or isinstance(given, Batch):
        return Batch()
    raise UserError(f"schedule={given!r}", remedy='schedule is "online", Online(...) or "batch"')


def limits_of(settings: GrammarSettings) -> Limits:
    """The limit at which a run ends: sweeps (Markov chain), or passes over the text (variational)."""
    if settings.max_iter is not None:
        return Limits(int(settings.max_iter), 0.0)
    return Limits(SWEEPS if is_sampled(settings) else PASSES[type(schedule_for(settings))], 0.0)


def moves_of(settings: GrammarSettings) -> Moves:
    """What a sweep of a Markov chain does."""
    hot = settings.temperature > 1.0
    cooling = limits_of(settings).max_iter // 2 if settings.cooling is None else int(settings.cooling)
    return Moves(
        incremental=settings.init == "incremental",
        relabel=settings.relabel,
        learn_processes=settings.processes == "learned",
        learn_rules=settings.weights == "learned",
        hottest=float(settings.temperature),
        cooling=cooling if hot else 0,
    )


# Rules


def has_topics(settings: GrammarSettings) -> bool:
    """Whether the grammar is the one named "topic", in which each word of a document is a sentence."""
    return settings.grammar == "topic"


def marks_documents(settings: GrammarSettings) -> bool:
    """Whether each word begins with a symbol that marks its document.

    This is so for the grammar "topic" unless inference is "hybrid", which knows documents.
    """
    return has_topics(settings) and settings.inference != "hybrid"


def given_grammar(settings: GrammarSettings) -> Grammar | None:
    """The grammar that the user gave as a text or a `Grammar`; None if it is one of the named grammars.

    Raises UserError for anything else.
    """
    given = settings.grammar
    if isinstance(given, Grammar):
        return given
    if not isinstance(given, str):
        raise UserError(f"grammar={given!r}", remedy="grammar is a name, a text or a Grammar")
    if given in BY_NAME:
        return None
    if "->" not in given:
        names = ", ".join(BY_NAME)
        raise UserError(f"there is no grammar {shown(given)}", remedy=f"there are: {names}")
    return Grammar.from_text(given)


def grammar_of(settings: GrammarSettings, vocabulary: Vocabulary, n_documents: int) -> Grammar:
    """The grammar to learn: the user's own, or a named one, built for the vocabulary's symbols.

    Words that the user listed (`known`) are added as rules. n_documents: in a topic grammar, each may have a
    symbol of its own. Raises UserError if the text has no symbols.
    """
    grammar = _unaided_grammar(settings, vocabulary, n_documents)
    words = known_words(settings.known, settings.symbols)
    return with_words(grammar, words) if words else grammar


def _unaided_grammar(settings: GrammarSettings, vocabulary: Vocabulary, n_documents: int) -> Grammar:
    """The grammar to learn, before rules for the words that the user listed (`known`) are added.

    Arguments as of `grammar_of`. Raises UserError if a named one would have no symbols.
    """
    given = given_grammar(settings)
    if given is not None:
        return given
    words: Sequence[str] = vocabulary.words
    if has_topics(settings):
        words = sorted({one for word in words for one in characters_of(word)})
    elif settings.punctuation == "boundaries":
        words = [word for word in words if not is_punctuation(word)]
    if not words:
        raise UserError("the text has no symbol", remedy="give one with text")
    if has_topics(settings):
        if not marks_documents(settings):
            return topic(words, int(settings.n_topics))
        marks = [mark_of(number) for number in range(n_documents)]
        return marked_topic(words, marks, int(settings.n_topics))
    if settings.grammar == "collocation-syllable":
        return collocation_syllable(words, settings.vowels)
    return BY_NAME[str(settings.grammar)](words)


def reader_of(
    settings: GrammarSettings, vocabulary: Vocabulary, terminals: tuple[str, ...], n_documents: int
) -> SentenceReader:
    """The reader that turns documents of a corpus into sentences of the grammar's terminals."""
    if has_topics(settings):
        return word_reader(vocabulary.words, terminals, n_documents if marks_documents(settings) else None)
    boundaries = settings.punctuation == "boundaries"
    return SymbolReader(terminals_of(vocabulary, terminals, boundaries=boundaries))


# What is refused


def refuse_settings(settings: GrammarSettings) -> None:
    """Raise UserError for settings that are invalid, or that cannot be combined."""
    _refuse_ways(settings)
    _refuse_truncation(settings.truncation)
    known_words(settings.known, settings.symbols)
    given = given_grammar(settings)
    if given is not None and given.by_document and settings.inference != "hybrid":
        problem = (
            f"{given.by_document} has rules by document, which inference={settings.inference!r} cannot learn"
        )
        raise UserError(problem, remedy='learn by inference="hybrid"')


def refuse_vocabulary(settings: GrammarSettings, vocabulary: Vocabulary) -> None:
    """Raise UserError for a corpus whose words cannot be symbols of a grammar.

    These are words of several languages, hashed words, and words where characters are expected.
    """
    if vocabulary.languages:
        problem = "a text in several languages has no word order"
        raise UserError(problem, remedy="learn a grammar of each language")
    if vocabulary.hashed:
        raise UserError("words that share rows have no symbols", remedy="leave out --hash")
    if settings.symbols == "characters" and not has_topics(settings):
        several = next((word for word in vocabulary.words if len(characters_of(word)) > 1), None)
        if several is not None:
            problem = f"the corpus was not read as characters: it has the symbol {shown(several)}"
            remedy = "give the text, or read symbols between spaces: --symbols spaced"
            raise UserError(problem, remedy=remedy)


def _refuse_ways(settings: GrammarSettings) -> None:
    """Raise UserError for an unknown engine or schedule, or an online schedule with mean-field inference."""
    engine_name(settings.engine)
    if is_sampled(settings):
        return
    online = isinstance(schedule_for(settings), Online)
    if online and settings.inference == "mean-field":
        problem = 'schedule="online" does not go with inference="mean-field"'
        raise UserError(problem, remedy='learn by inference="hybrid", or in batches')


def _refuse_truncation(given: object) -> None:
    """Raise UserError unless a truncation is None, a whole number above 0, or such numbers by symbol."""
    by_symbol: Mapping[str, object] = given if isinstance(given, Mapping) else {"": given}
    if given is not None and not all(is_whole(n, 1) and n <= LARGEST for n in by_symbol.values()):
        remedy = 'truncation is a whole number above 0, or {"Word": number}'
        raise UserError(f"truncation={given!r}", remedy=remedy)
