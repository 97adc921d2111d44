"""Analyses and vocabulary rules that drop no words (`all_words=True`, `--all-words`)."""

from dataclasses import replace

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.readers.base import ReadingOptions, text_fields
from stickbreaker.corpus.text.analysis import SPACED, Analysis
from stickbreaker.corpus.text.letters import LETTER_RULES
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.text.segmentation import OTHER_LETTER
from stickbreaker.corpus.vocabulary import Vocabulary, VocabularyRule


def analysis_of_all_words(analysis: Analysis, tokens: str = "words") -> Analysis:
    """Return a copy of the analysis that drops no words: stop words, single letters and numbers count too.

    Only the marks `<s>` and `</s>` of sentences are dropped. `tokens`: "words", or "spaced" for everything
    between spaces. A custom token pattern is unchanged.

    >>> analysis_of_all_words(Analysis()).analyse("In 1984 I was 3.5!").words
    ['in', '1984', 'i', 'was', '3.5']
    >>> analysis_of_all_words(Analysis("zh")).analyse("我在1998年").words
    ['我', '在', '1998', '年']
    """
    kept = {"stop_words": "none", "extra_stop_words": (), "min_length": 1}
    whole = replace(analysis, **kept, possessives="apart", sentence_marks="dropped")
    if analysis.token_pattern is not None:
        return whole
    if tokens == "spaced":
        return replace(whole, token_pattern=SPACED, segmentation="pattern")
    segmentation = whole.resolved().segmentation
    digits = r"\p{N}++"
    if whole.letters == "unicode":
        digits = rf"\p{{N}}[\p{{N}}\p{{M}}{LETTER_RULES[whole.letters].marks}]*+"
    number = f"{digits}(?:[.,:]{digits})*"
    if segmentation == "pattern":
        return replace(whole, token_pattern=rf"{whole.pattern}|{number}(?!\p{{L}})")
    pattern = f"{whole.pattern}|{number}(?!{OTHER_LETTER})"  # a number may touch letters without spaces
    return replace(whole, token_pattern=pattern, segmentation="icu" if segmentation == "icu" else "pattern")


def settings_of_all_words(
    kind: str,
    reading: ReadingOptions,
    analysis: Analysis | PolylingualAnalysis | None,
    rule: VocabularyRule | None,
    vocabulary: Vocabulary | None,
) -> tuple[Analysis, VocabularyRule]:
    """Return the analysis and vocabulary rule of a corpus that drops only words in too few documents.

    analysis, rule: the settings to start from (None: the defaults). With trees, all tokens are words,
    including punctuation; in texts, words and numbers are. Raises UserError for bags (`kind` "bag"), for
    several languages, and if a given setting drops words, as a given `vocabulary` always does.

    >>> settings_of_all_words("text", ReadingOptions(), None, None, None)[1].max_share
    1.0
    >>> settings_of_all_words("text", ReadingOptions(), Analysis(min_length=3), None, None)
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: all_words=True keeps every word, min_length drops words; leave one out
    """
    if kind == "bag":
        problem = "all_words=True has no effect on bags, which have all words of their list"
        raise UserError(problem, remedy="leave it out")
    several = reading.language_field is not None or isinstance(text_fields(reading.text_field), dict)
    if several or isinstance(analysis, PolylingualAnalysis):
        problem = "all_words=True goes with texts in one language"
        raise UserError(problem, remedy="leave it out, or build a corpus of each language")
    analysis, rule = analysis or Analysis(), rule or VocabularyRule()
    dropping = _dropping(analysis, rule, vocabulary)
    if dropping:
        verb = "drops" if len(dropping) == 1 else "drop"
        problem = f"all_words=True keeps every word, {' and '.join(dropping)} {verb} words"
        raise UserError(problem, remedy="leave one out")
    tokens = "spaced" if reading.trees else "words"
    return analysis_of_all_words(analysis, tokens), replace(rule, max_share=1.0)


def _dropping(analysis: Analysis, rule: VocabularyRule, vocabulary: Vocabulary | None) -> list[str]:
    """The names of the given settings that would drop words, for a message."""
    settings = {
        "stop_words": bool(analysis.stop_words) and not isinstance(analysis.stop_words, str),
        "extra_stop_words": bool(analysis.extra_stop_words),
        "min_length": analysis.min_length > Analysis().min_length,
        "max_share": rule.max_share is not None and rule.max_share < 1.0,
        "the rule's size": rule.size is not None,
        "the rule's list of words": rule.words is not None,
        "the vocabulary that is given": vocabulary is not None,
    }
    return [name for name, drops in settings.items() if drops]
