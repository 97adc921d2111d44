"""Word intrusion: can a person find the word that does not belong to a topic?

Chang, Boyd-Graber, Gerrish, Wang and Blei, Reading tea leaves (2009).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.topics import purposes

WORDS = 5  # of the topic
APART = 50  # the intruder is not among that many first words of the topic


class Question(NamedTuple):
    """A question of word intrusion: words of a topic mixed with one intruder, in the order shown; `intruder`
    is its index among `words`.
    """

    topic: int
    words: list[str]
    intruder: int  # its index among the words


def intrusion_questions(
    topic_word: Array,
    top_words: Sequence[Sequence[str]],
    words: Sequence[str],
    left_out: Sequence[int] = (),
    n: int = 10,
    seed: int = 0,
) -> list[Question]:
    """Questions of word intrusion about up to `n` topics, drawn at random.

    `topic_word` (topics × words); `top_words`: each topic's top words, of which the first five are shown;
    `words`: the vocabulary; `left_out`: topics to ignore. Candidates for a topic's intruder are top words of
    other topics that are not among the first 50 words of this one (in a vocabulary of fewer than 100 words:
    not in the first half). The intruder is drawn from the half of the candidates that is least probable in
    this topic. Topics without candidates are skipped; UserError if no topic has any.

    >>> beta = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
    >>> found = intrusion_questions(beta, [["a", "b"], ["d", "c"]], ["a", "b", "c", "d"])
    >>> sorted(question.words[question.intruder] for question in found)
    ['a', 'd']
    """
    number = {word: place for place, word in enumerate(words)}
    used = [k for k in range(len(topic_word)) if k not in left_out]
    generator = stream(seed, purposes.INTRUSION)
    questions: list[Question] = []
    for k in [used[place] for place in generator.permutation(len(used)).tolist()]:
        own = list(top_words[k][:WORDS])
        ranks = np.argsort(np.argsort(-topic_word[k], kind="stable"), kind="stable")
        least = min(APART, len(words) // 2)
        others = dict.fromkeys(word for other in used if other != k for word in top_words[other])
        strange = [word for word in others if word not in own and ranks[number[word]] >= least]
        if not strange or len(own) < 2:
            continue
        strange.sort(key=lambda word, ranks=ranks: -int(ranks[number[word]]))
        intruder = strange[int(generator.integers((len(strange) + 1) // 2))]
        order = generator.permutation(len(own) + 1).tolist()
        shown = [[*own, intruder][place] for place in order]
        questions.append(Question(k, shown, shown.index(intruder)))
        if len(questions) == n:
            break
    if not questions:
        remedy = "give a model with two or more different topics"
        raise UserError("no topic has improbable words that are top words of another", remedy=remedy)
    return questions
