"""The parts of the translation study that need no decoder: the gain of lexicons by topic."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from parts import Part, side_by_side
from texts import BITEXTS
from translation_bitexts import TARGET, prepare
from translation_runs import GOLD, Plan, Run, learn, summary
from translation_tables import above_zero, gains, levels, orders, seconds
from translation_topics import LDA_OF_SOURCE, MODELS, ONE_TO_ONE, PLDA, corpora

from pages import Section

INFERENCES = ("gibbs", "mean-field", "hybrid")  # the first with all models and seeds
TOPICS = (10, 30)
MAIN = (LDA_OF_SOURCE, PLDA, ONE_TO_ONE)
SEEDS = (0, 1, 2)
SEEDS_FULL = (0, 1, 2, 3, 4)


def plans_of(source: str, folder: str, full: bool) -> list[Plan]:
    """The runs of a bitext. Without FULL=1, the first inference has all models with three seeds; the others
    have some models with one."""
    plans = [Plan(source, folder, GOLD)]
    for topics in TOPICS:
        for inference in INFERENCES:
            for model in MODELS:
                seeds = SEEDS_FULL if full else _seeds(inference, model)
                plans += [Plan(source, folder, model, inference, topics, seed) for seed in seeds]
    return plans


def _seeds(inference: str, model: str) -> tuple[int, ...]:
    if inference == INFERENCES[0]:
        return SEEDS
    return SEEDS[:1] if model in MAIN else ()


def measure_of(source: str) -> Callable[[bool], dict[str, Any]]:
    """What measures the part of a source language."""

    def measure(full: bool) -> dict[str, Any]:
        with TemporaryDirectory() as folder:
            sizes = prepare(source, Path(folder), lambda line: print(line, flush=True))
            held = corpora(source, folder)
            concepts = {name: len(tree.concepts) for name, tree in held.trees.items()}
            runs = side_by_side(plans_of(source, folder, full), learn, summary)
        return {
            "source": source,
            "sizes": sizes,
            "concepts": concepts,
            "coverage": held.coverage,
            "runs": runs,
        }

    return measure


def section(data: dict[str, Any]) -> Section:
    """The tables of a part, and what was to come out."""
    runs = [Run.from_json(each) for each in data["runs"]]
    (pairs, documents), (test_pairs, test_documents) = (data["sizes"][name] for name in ("train", "test"))
    concepts = ", ".join(
        f"{name.removeprefix('ptLDA, ')} {number:,} ({_shares(data['coverage'][name])})"
        for name, number in data["concepts"].items()
    )
    return Section(
        f"Lexicons by topic, {data['source']} and {TARGET}",
        [
            f"{pairs:,} pairs of sentences of {documents:,} documents to learn from, {test_pairs:,} of "
            f"{test_documents:,} to test by. Documents get topics from their source side alone. Concepts, "
            f"and the shares of tokens that they have: {concepts}.",
            levels(runs),
            gains(runs),
            "The claims of the thesis are by BLEU; here by the gain.",
            orders(runs),
            *above_zero(runs),
            "Seconds to learn the topics. In the thesis, on 1.6 million pairs, Gibbs takes nearly a week for "
            "1,000 sweeps, the others less than a day on a cluster.",
            seconds(runs),
        ],
    )


def _shares(coverage: dict[str, float]) -> str:
    return ", ".join(f"{share:.0%} in {code}" for code, share in coverage.items())


def _sets(source: str) -> tuple[str, ...]:
    return *(name for name, (_, codes) in BITEXTS.items() if source in codes), f"dictionary of {source}"


PART = Part(_sets("de"), (25, 300), measure_of("de"), section)
PART_CHINESE = Part(_sets("zh"), (None, 200), measure_of("zh"), section)
