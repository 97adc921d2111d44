"""`stickbreaker compare`: the topics of several models, matched and side by side."""

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import MODEL, command, emit, option, printable
from stickbreaker.core.errors import counted, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.topics.cli.ranking import ranking_option
from stickbreaker.topics.cli.topics import unused_line

if TYPE_CHECKING:
    from stickbreaker.topics.evaluation import Matching
    from stickbreaker.topics.topic_estimator import TopicEstimator

WIDTH = 46  # characters of a column of words


@click.command(epilog="Example: stickbreaker compare seed0.model seed1.model")
@click.argument("models", nargs=-1, required=True, metavar="MODEL MODEL...", type=MODEL)
@option("--top", default=6, least=1, help="Words a topic.")
@ranking_option
@command
def compare(models: tuple[Path, ...], top: int, by: str, as_json: bool) -> None:
    """Match the topics of models, and print them side by side, the most alike first.

    Each topic of the first model is paired with one of every other, so that the pairs are as alike as can be:
    1 is the same distribution of words, 0 no word in common. Models of the same corpus and other seeds show
    which topics can be relied on. Topics that have next to no words of the text are unused, and not matched.
    Models whose common words have less than a twentieth of the probability of either are refused.
    """
    if len(models) < 2:
        raise click.UsageError("give two models or more")
    from stickbreaker.topics.topic_estimator import load_topics

    loaded = [load_topics(path, "compare") for path in models]
    comparisons = [
        _compared(loaded[0], other, path, top, by) for other, path in zip(loaded[1:], models[1:], strict=True)
    ]
    rest = zip(loaded[1:], models[1:], strict=True)
    others = [_matched(a, b, path)[0].mean for (a, _), (b, path) in combinations(rest, 2)]
    means = [*(one["mean"] for one in comparisons), *others]
    result = {
        "model": str(models[0]),
        "topics": len(loaded[0].alpha_),
        "unused": loaded[0].unused_topics_,
        "comparisons": comparisons,
        "mean": sum(means) / len(means),
    }
    emit(result, as_json, _as_text)


def _matched(first: "TopicEstimator", second: "TopicEstimator", path: Path) -> "tuple[Matching, int]":
    """Match the topics in use of two models; also returns the number of words that both vocabularies have.

    Errors name the second model, at `path`.
    """
    from stickbreaker.topics.evaluation import match_models

    with naming(path):
        return match_models(
            first.topic_word_,
            first.vocabulary_,
            second.topic_word_,
            second.vocabulary_,
            (first.unused_topics_, second.unused_topics_),
        )


def _compared(
    first: "TopicEstimator", second: "TopicEstimator", path: Path, top: int, by: str
) -> dict[str, object]:
    matching, shared = _matched(first, second, path)
    words, others = _top_words(first, top, by), _top_words(second, top, by)
    names, other_names = first.topic_names_, second.topic_names_
    pairs = zip(matching.first.tolist(), matching.second.tolist(), matching.similarity.tolist(), strict=True)
    return {
        "model": str(path),
        "topics": len(second.alpha_),
        "unused": second.unused_topics_,
        "shared_words": shared,
        "mean": matching.mean,
        "pairs": [
            {
                "topic": k,
                "with": j,
                "similarity": alike,
                "name": names[k],
                "with_name": other_names[j],
                "words": words[k],
                "with_words": others[j],
            }
            for k, j, alike in pairs
        ],
        "only_first": [
            {"topic": k, "name": names[k], "words": words[k]} for k in matching.only_first.tolist()
        ],
        "only_second": [
            {"topic": k, "name": other_names[k], "words": others[k]} for k in matching.only_second.tolist()
        ],
    }


def _top_words(estimator: "TopicEstimator", top: int, by: str) -> list[list[str]]:
    """The top words of each topic, about `top` of them. In a polylingual model, each language has an equal
    part, at least one word.
    """
    return estimator.top_words(max(1, top // len(estimator.vocabulary_.parts)), by=by)


def _as_text(result: JsonObject) -> str:
    lines: list[str] = []
    for one in result["comparisons"]:
        lines += [
            f"{result['model']} ({counted(result['topics'], 'topic')}) and {one['model']} ({one['topics']}): "
            f"{one['mean']:.3f} alike on average, {counted(one['shared_words'], 'word')} in both",
            f"alike  topic  {'words':<{WIDTH}}  topic  words",
        ]
        for pair in one["pairs"]:
            left, right = _cut(pair["name"], pair["words"]), _cut(pair["with_name"], pair["with_words"])
            lines.append(
                f"{pair['similarity']:5.2f}  {pair['topic']:>5}  {left:<{WIDTH}}  {pair['with']:>5}  {right}"
            )
        for single in one["only_first"]:
            lines.append(f"    -  {single['topic']:>5}  {_cut(single['name'], single['words'])}")
        for single in one["only_second"]:
            right = _cut(single["name"], single["words"])
            lines.append(f"    -  {'':>5}  {'':<{WIDTH}}  {single['topic']:>5}  {right}")
        lines += unused_line(result["unused"], f" in {result['model']}")
        lines += [*unused_line(one["unused"], f" in {one['model']}"), ""]
    if len(result["comparisons"]) > 1:
        lines.append(f"all pairs of models: {result['mean']:.3f} alike on average")
    return "\n".join(lines).rstrip()


def _cut(name: str | None, words: list[str]) -> str:
    """A topic in a column of the output: its name, if it has one, and its words on one line, cut to the
    column's width.
    """
    line = printable(" ".join(" ".join([*([] if name is None else [name + ":"]), *words]).split()))
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
