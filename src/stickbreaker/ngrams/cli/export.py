"""`stickbreaker export` of a language model."""

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.exports import ExportRequest
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned

COMMON = "common"  # the model that all documents share, where a topic is asked for


def write_sample(asked: ExportRequest) -> tuple[JsonObject, str, *tuple[str, ...]]:
    """Write the n-grams of one sample of a language model to an ARPA file.

    Returns how many there are of each order, as values and as a line for the user.
    """
    learned, sample = asked.learned, asked.settings.sample
    assert isinstance(learned, NgramLearned)
    ngrams = write_arpa(learned.model, learned.base, asked.out, sample, overwrite=asked.overwrite)
    return _outcome(ngrams, sample, learned.n_samples)


def write_topic(asked: ExportRequest) -> tuple[JsonObject, str, *tuple[str, ...]]:
    """Write the n-grams of one topic of a language model to an ARPA file, by one sample; with `--topic
    common`, those of the common model.

    Returns their numbers by order, as values and as a line for the user. Raises UserError if no topic is
    given, or there is none with this number.
    """
    learned, topic, sample = asked.learned, asked.settings.topic, asked.settings.sample
    assert isinstance(learned, TopicNgramLearned)
    if topic is None:
        problem = "a document's words come from a mixture of topics, which the ARPA format cannot say"
        raise UserError(problem, where=asked.where, remedy=f"give --topic N or --topic {COMMON}")
    if topic != COMMON and not topic.isdecimal():
        remedy = f"topics are numbers from 0 on, or {COMMON}"
        raise UserError(f"there is no topic {shown(topic)}", remedy=remedy)
    model = learned.language_of_topic(None if topic == COMMON else int(topic), sample)
    ngrams = write_arpa(model, learned.base, asked.out, overwrite=asked.overwrite)
    figures, line, *remarks = _outcome(ngrams, sample, learned.n_samples)
    return {**figures, "topic": topic}, line, *remarks


def _outcome(ngrams: dict[int, int], sample: int, n_samples: int) -> tuple[JsonObject, str, *tuple[str, ...]]:
    """What the export of n-grams reports, as values and as a line for the user; `ngrams`: their number by
    order. Also a remark if the model has several samples, of which the file has only one.
    """
    remark = f"one of {n_samples} samples, exactly; the model itself predicts by their mean, which is better"
    orders = ", ".join(f"{count:,} of order {order}" for order, count in ngrams.items())
    found = {"ngrams": ngrams, "sample": sample % n_samples}, f"n-grams, {orders}"
    return (*found, remark) if n_samples > 1 else found
