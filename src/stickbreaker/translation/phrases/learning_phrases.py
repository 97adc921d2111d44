"""From a lexicon to a phrase model: counts phrases, and learns a language model of the target side."""

from collections.abc import Callable
from pathlib import Path

from stickbreaker.core.errors import UserError, naming
from stickbreaker.corpus import Corpus, VocabularyRule
from stickbreaker.estimators.model_files import load
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.settings import NgramSettings
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.translation.decoding.topic_backoff_model import TopicBackoffModel
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, PhraseModel
from stickbreaker.translation.phrases.phrase_table import PhraseTable

ORDER, SWEEPS, LEAST_COUNT = 3, 20, 2  # of the language model


def learn_phrases(
    lexicon: TopicLexicon,
    language_model: Path | None = None,
    progress: Callable[[str], None] | None = None,
    table: PhraseTable | None = None,
) -> PhraseModel:
    """Make the phrase model of a lexicon's bitext, with untuned weights and without features of topics.

    `table`: a given phrase table (`read_phrase_table`); None: phrases are counted in the bitext.
    `language_model`: an ARPA file or a saved n-gram model, with topics or without, of lower-case texts in the
    target language; None: trigrams are learned from the bitext's target side. `progress` is called with the
    name of each part of the work. Raises UserError if `language_model` is another file.
    """
    say: Callable[[str], None] = progress or (lambda _: None)
    say("phrases")
    words = lexicon.bitext.words
    if table is None:
        table = PhraseTable.of(lexicon.bitext.sides, lexicon.links, (len(words[0]), len(words[1])))
    say("language model")
    target = words[1] + table.more_words[1]
    model = _trigrams(lexicon, target) if language_model is None else _read_model(language_model, target)
    return PhraseModel(lexicon, table, model, FIRST_WEIGHTS, adapts=False)


def _trigrams(lexicon: TopicLexicon, target: tuple[str, ...]) -> BackoffModel:
    """Learn a trigram model of the target side of the bitext, by a hierarchical Pitman-Yor process.

    `target`: all words that the decoder numbers, also those outside the bitext.
    """
    from stickbreaker.estimators.model_runs import learn
    from stickbreaker.ngrams.learner import NGRAMS

    words = lexicon.bitext.words[1]
    rule = VocabularyRule(min_documents=1, max_share=1.0)
    corpus = Corpus.from_tokens(lexicon.bitext.sides[1].spelled(words), rule=rule)
    settings = NgramSettings(ORDER, min_count=LEAST_COUNT, max_iter=SWEEPS, samples=1, random_state=0)
    return BackoffModel.of(learn(NGRAMS, settings, corpus), target)


def _read_model(path: Path, words: tuple[str, ...]) -> BackoffModel | TopicBackoffModel:
    """Read a language model for target `words`: an ARPA file, or the directory of an n-gram model.

    Raises UserError for anything else.
    """
    if not path.exists():
        raise UserError("no such file or directory", where=path, remedy="check the path")
    if not path.is_dir():
        return BackoffModel.read(path, words)
    model = load(path)
    if isinstance(model, TopicNgramLearned):
        with naming(path):
            return TopicBackoffModel.of(model, words)
    if not isinstance(model, NgramLearned):
        remedy = "give a model from fit ngram, or a file in the ARPA format"
        raise UserError(f"is a model of the kind {model.kind}", where=path, remedy=remedy)
    return BackoffModel.of(model, words)
