"""What the settings of a language model mean: words, contexts, and the text of a chain."""

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.learning.run import Limits
from stickbreaker.ngrams.model.chain import TextEvents, events_of
from stickbreaker.ngrams.model.contexts import contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.model.earlier_words import EarlierWords
from stickbreaker.ngrams.sentence_scores import joined
from stickbreaker.ngrams.settings import UNBOUNDED, LanguageSettings
from stickbreaker.ngrams.word_numbers import Base, WordNumbers

LONGEST = 20  # words of a context in an unbounded model: longer ones are repetitions of text
NOT_IN_VOCABULARY = 0.25  # of the tokens, at most: if more are missing, they were left out on purpose


def limits_of(settings: LanguageSettings) -> Limits:
    """The limits at which a run ends: its sweeps."""
    return Limits(settings.max_iter, 0.0)


def longest_context(settings: LanguageSettings) -> int:
    """The number of words in the longest context."""
    return LONGEST if settings.order == UNBOUNDED else int(settings.order) - 1


def numbers_of(settings: LanguageSettings, vocabulary: Vocabulary) -> WordNumbers:
    """The numbers of a vocabulary's words, by the settings `min_count` and `unknown`.

    Raises UserError if no word is known.
    """
    return WordNumbers.of(vocabulary, settings.min_count, spelled=settings.unknown == "spelled")


def source_of(corpus: Corpus, held_out: float) -> Source:
    """The documents of a corpus to learn from, and those held out.

    Raises UserError if a share is held out but no held-out document has a sentence.
    """
    source = Source(corpus, held_out, unit=Sequences)
    held = (source.block(block, held_out=True)[1] for block in range(source.n_blocks))
    if held_out and not any(len(content.starts) for content in held):
        raise UserError("no held-out document has a sentence", remedy="raise the held-out share")
    return source


def text_events(
    settings: LanguageSettings, corpus: Corpus, source: Source, earlier: EarlierWords | None = None
) -> tuple[TextEvents, Base]:
    """What a chain learns from, and G0: the words of the training documents of `source`, after any `earlier`
    words.

    Raises UserError if too much of the text is not in its vocabulary; with `earlier` words this is only
    checked if unknown words are scored by their letters.
    """
    numbers, text = numbers_of(settings, corpus.vocabulary), joined(source.in_order())
    if earlier is None or numbers.spelled:
        _refuse_left_out(corpus, text, spelled=numbers.spelled)
    marked, positions = with_ends(numbers.numbered(text.words), text.starts, numbers.end)
    before = symbols_before(marked, positions, numbers.end)
    if earlier is not None:
        marked, before = np.concatenate([earlier.words, marked]), earlier.before(before)
    base = _base_of(numbers, int((marked == numbers.end).sum()), len(marked))
    unbounded = settings.order == UNBOUNDED
    longest = longest_context(settings)
    contexts, deepest = contexts_of(marked, before, numbers.n_words, longest, shared=unbounded)
    events = events_of(contexts, deepest, np.exp(base.log_p), unbounded=unbounded)
    sentences = np.searchsorted(text.offsets, text.starts, side="right") - 1
    documents = sentences[np.cumsum(positions == 0) - 1]
    return TextEvents(events, deepest, documents, len(text.offsets) - 1), base


def _base_of(numbers: WordNumbers, n_sentences: int, n_events: int) -> Base:
    """The base distribution G0: uniform, or by the letters of words if unknown words are scored by theirs.

    n_sentences, n_events: counts of sentences and of words and ends in the text; by letters, their ratio is
    G0 of an end.
    """
    return Base.of_spelling(numbers, n_sentences / n_events) if numbers.spelled else Base.even(numbers)


def _refuse_left_out(corpus: Corpus, text: Sequences, *, spelled: bool) -> None:
    """Raise UserError if too many tokens of a text are not in the corpus's vocabulary.

    At most the share `NOT_IN_VOCABULARY` may be missing, or any number if the vocabulary is a list of words
    that the user chose. spelled: whether unknown words are scored by their letters; then none may be missing.
    """
    if corpus.about.rule.words is not None and not spelled:
        return  # a list of words chosen by the user
    share = float((text.words < 0).mean()) if len(text.words) else 0.0
    if share > (0.0 if spelled else NOT_IN_VOCABULARY):
        problem = f"{100 * share:.1f} % of the tokens are not in the vocabulary of the corpus"
        remedy = "build it with --stop-words none --min-length 1 --min-documents 1 --max-share 1"
        raise UserError(problem, where=corpus.path, remedy=remedy)
