"""Evaluation of topics from any source: functions of arrays, top words and corpora.

Held-out likelihood, by completion or left to right, of known words or of all strings; coherence and diversity
of top words; stability over seeds; classification of labels; aligned documents; number of topics.
"""

from stickbreaker.topics.evaluation.classification import Accuracy, LabelScores, classify_labels
from stickbreaker.topics.evaluation.coherence import Coherence, Coherences, c_v, coherence, npmi, umass
from stickbreaker.topics.evaluation.completion import (
    Completion,
    completion_score,
    split_halves,
    unigram_score,
)
from stickbreaker.topics.evaluation.cooccurrence import Meetings, Tokens
from stickbreaker.topics.evaluation.corpus_scores import (
    HeldOutScore,
    Sides,
    Topics,
    coherence_of,
    compare_sides,
    completion_of,
    diversity_of,
    left_to_right_of,
    unigram_probabilities,
)
from stickbreaker.topics.evaluation.cross_lingual import (
    both_sides,
    chance_mrr,
    cross_lingual_npmi,
    one_side,
    retrieval_mrr,
)
from stickbreaker.topics.evaluation.diversity import effective_topics, top_words_of, topic_diversity
from stickbreaker.topics.evaluation.intrusion import Question, intrusion_questions
from stickbreaker.topics.evaluation.left_to_right import left_to_right_score, log_probability
from stickbreaker.topics.evaluation.matching import (
    Matching,
    match_models,
    match_topics,
    shared_words,
    stability,
    topic_similarity,
)
from stickbreaker.topics.evaluation.nearest import Nearest, nearest_documents
from stickbreaker.topics.evaluation.open_vocabulary import (
    OpenTopics,
    StringScore,
    completion_of_strings,
    left_to_right_of_strings,
    log_probability_of_strings,
    with_one_more_word,
)
from stickbreaker.topics.model.unused_topics import unused_topics
from stickbreaker.topics.search.number_of_topics import Fewest, Peak, fewest_topics, next_number, peak_of
from stickbreaker.topics.search.topics_that_hold import Suggestion, suggest_topics, weakest_quarter

__all__ = [
    "Accuracy",
    "Coherence",
    "Coherences",
    "Completion",
    "Fewest",
    "HeldOutScore",
    "LabelScores",
    "Matching",
    "Meetings",
    "Nearest",
    "OpenTopics",
    "Peak",
    "Question",
    "Sides",
    "StringScore",
    "Suggestion",
    "Tokens",
    "Topics",
    "both_sides",
    "c_v",
    "chance_mrr",
    "classify_labels",
    "coherence",
    "coherence_of",
    "compare_sides",
    "completion_of",
    "completion_of_strings",
    "completion_score",
    "cross_lingual_npmi",
    "diversity_of",
    "effective_topics",
    "fewest_topics",
    "intrusion_questions",
    "left_to_right_of",
    "left_to_right_of_strings",
    "left_to_right_score",
    "log_probability",
    "log_probability_of_strings",
    "match_models",
    "match_topics",
    "nearest_documents",
    "next_number",
    "npmi",
    "one_side",
    "peak_of",
    "retrieval_mrr",
    "shared_words",
    "split_halves",
    "stability",
    "suggest_topics",
    "top_words_of",
    "topic_diversity",
    "topic_similarity",
    "umass",
    "unigram_probabilities",
    "unigram_score",
    "unused_topics",
    "weakest_quarter",
    "with_one_more_word",
]
