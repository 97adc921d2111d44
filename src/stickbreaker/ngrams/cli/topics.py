"""`stickbreaker topics` of a language model with topics: their words, and the phrases that they prefer."""

from stickbreaker.console.console import Outcome
from stickbreaker.console.requests import TopicsRequest
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.topk import descending

PHRASES = 5  # of a topic


def list_topics(asked: TopicsRequest) -> Outcome:
    """List the topics in use, the largest first, with words and phrases; returns them, and the function that
    makes text of them."""
    from stickbreaker.estimators.model_files import load_of
    from stickbreaker.ngrams.learner import TOPIC_NGRAMS

    model = load_of(TOPIC_NGRAMS, asked.model, verb="topics")
    shares, words = model.topic_shares, model.top_words(asked.top)
    phrases, probabilities = model.top_phrases(PHRASES), model.probabilities_of(words)
    in_use = [k for k in descending(shares).tolist() if shares[k] > 0.0]
    topics = [
        {
            "topic": k,
            "share": float(shares[k]),
            "words": words[k],
            "probabilities": probabilities[k],
            "phrases": phrases[k],
        }
        for k in in_use
    ]
    result = {
        "model": str(asked.model),
        "common_share": float(max(0.0, 1.0 - shares.sum())),
        "topics": topics,
        "unused": sorted(set(range(model.n_shares)) - set(in_use)),
    }
    return result, _as_text


def _as_text(result: JsonObject) -> str:
    """A table with one line per topic: number, share of the words, its words, its phrases.

    Lines below it show the share of the common model, and the unused topics.
    """
    rows = [
        (
            str(topic["topic"]),
            f"{100 * topic['share']:.1f} %",
            " ".join(topic["words"]),
            " | ".join(topic["phrases"]),
        )
        for topic in result["topics"]
    ]
    head = ("topic", "share", "words", "phrases")
    rooms = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        f"{topic:>{rooms[0]}}  {share:>{rooms[1]}}  {words:<{rooms[2]}}  {phrases}".rstrip()
        for topic, share, words, phrases in (head, *rows)
    ]
    if result["common_share"] > 0.0:
        lines.append(f"common to all documents: {100 * result['common_share']:.1f} % of the words")
    unused = ", ".join(map(str, result["unused"]))
    return "\n".join([*lines, *([f"unused: {unused}"] if unused else [])])
