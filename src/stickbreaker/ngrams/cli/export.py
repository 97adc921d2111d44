"""`stickbreaker export` of a language model."""

from stickbreaker.console.console import note
from stickbreaker.console.requests import ExportRequest
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.model_files import load_of
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.learner import NGRAMS, TOPIC_NGRAMS

COMMON = "common"  # the model that all documents share, where a topic is asked for


def write_sample(asked: ExportRequest) -> tuple[JsonObject, str]:
    """Write the n-grams of one sample of a language model to an ARPA file.

    Returns how many there are of each order, as values and as a line for the user.
    """
    learned = load_of(NGRAMS, asked.model, verb="export")
    ngrams = write_arpa(learned.model, learned.base, asked.out, asked.sample, overwrite=asked.overwrite)
    return _outcome(ngrams, asked.sample, learned.n_samples)


def write_topic(asked: ExportRequest) -> tuple[JsonObject, str]:
    """Write the n-grams of one topic of a language model to an ARPA file, by one sample; with `--topic
    common`, those of the common model.

    Returns their numbers by order, as values and as a line for the user. Raises UserError if no topic is
    given, or there is none with this number.
    """
    learned = load_of(TOPIC_NGRAMS, asked.model, verb="export")
    if asked.topic is None:
        problem = "a document's words come from a mixture of topics, which the ARPA format cannot say"
        raise UserError(problem, where=asked.model, remedy=f"give --topic N or --topic {COMMON}")
    if asked.topic != COMMON and not asked.topic.isdecimal():
        remedy = f"topics are numbers from 0 on, or {COMMON}"
        raise UserError(f"there is no topic {shown(asked.topic)}", remedy=remedy)
    model = learned.language_of_topic(None if asked.topic == COMMON else int(asked.topic), asked.sample)
    ngrams = write_arpa(model, learned.base, asked.out, overwrite=asked.overwrite)
    figures, line = _outcome(ngrams, asked.sample, learned.n_samples)
    return {**figures, "topic": asked.topic}, line


def _outcome(ngrams: dict[int, int], sample: int, n_samples: int) -> tuple[JsonObject, str]:
    """What the export of n-grams reports, as values and as a line for the user; `ngrams`: their number by
    order.

    Prints a note if the model has several samples, of which the file has only one.
    """
    if n_samples > 1:
        note(f"one of {n_samples} samples, exactly; the model itself predicts by their mean, which is better")
    orders = ", ".join(f"{count:,} of order {order}" for order, count in ngrams.items())
    return {"ngrams": ngrams, "sample": sample % n_samples}, f"n-grams, {orders}"
