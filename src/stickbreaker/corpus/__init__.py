"""The data to learn from: readers, text analysis, vocabulary, the store on disk, and shards for models."""

from stickbreaker.corpus.corpus import Corpus
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.phrases.phrase_search import PhraseRule
from stickbreaker.corpus.readers import ReadingOptions
from stickbreaker.corpus.sequences import Sequences, Trees
from stickbreaker.corpus.shards import Bags, Shard, shard_of
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.corpus.text.dropped_words import DroppedWords
from stickbreaker.corpus.vocabulary import Vocabulary, VocabularyRule

__all__ = [
    "Analysis",
    "Bags",
    "Corpus",
    "Document",
    "DroppedWords",
    "PhraseRule",
    "ReadingOptions",
    "Sequences",
    "Shard",
    "Trees",
    "Vocabulary",
    "VocabularyRule",
    "shard_of",
]
