"""The parts of the translation study that need no decoder: the gain of lexicons by topic."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reproduce.pages import Section
from reproduce.parts import Part, side_by_side
from reproduce.texts import BITEXTS
from reproduce.translation_bitexts import TARGET, prepare
from reproduce.translation_runs import GOLD, Plan, Run, learn, summary
from reproduce.translation_tables import above_zero, gains, levels, orders, outside_gains, seconds
from reproduce.translation_topics import LDA_OF_SOURCE, MODELS, ONE_TO_ONE, PLDA, corpora

INFERENCES = ("gibbs", "mean-field", "hybrid")
TOPICS = (10, 30)
ETA = 0.1  # chosen by documents held out of those to learn from, as better for most models than the other
ETAS = (0.01, ETA)  # the first is the default of LDA
MAIN = (LDA_OF_SOURCE, PLDA, ONE_TO_ONE)
SEEDS = (0, 1, 2)
SEEDS_FULL = (0, 1, 2, 3, 4)


def plans_of(source: str, folder: str, full: bool) -> list[Plan]:
    """The runs of a bitext: with FULL=1 everything with five seeds, else see `_seeds`."""
    plans = [Plan(source, folder, GOLD)]
    for topics in TOPICS:
        for inference in INFERENCES:
            for eta in ETAS:
                for model in MODELS:
                    seeds = SEEDS_FULL if full else _seeds(topics, inference, eta, model)
                    plans += [Plan(source, folder, model, inference, topics, eta, seed) for seed in seeds]
    return plans


def _seeds(topics: int, inference: str, eta: float, model: str) -> tuple[int, ...]:
    """Three seeds at the larger K, of the main models by every inference and of all by Gibbs sampling, which
    tries another eta too; one seed at the smaller K."""
    gibbs = inference == INFERENCES[0]
    if topics == TOPICS[-1] and model in MAIN:
        return SEEDS if gibbs or eta == ETA else ()
    if eta != ETA or not (gibbs or model in MAIN):
        return ()
    return SEEDS if topics == TOPICS[-1] else SEEDS[:1]


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
    sizes = data["sizes"]
    (pairs, documents), (test_pairs, test_documents) = (sizes[name] for name in ("train", "test"))
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
            "Outside: {:,} pairs of {:,} documents from other places (WMT 2022), by their domains.".format(
                *sizes["outside"]
            ),
            outside_gains(runs),
            "Seconds to learn the topics. In the thesis, on 1.6 million pairs, Gibbs takes nearly a week for "
            "1,000 sweeps, the others less than a day on a cluster.",
            seconds(runs),
        ],
    )


def _shares(coverage: dict[str, float]) -> str:
    return ", ".join(f"{share:.0%} in {code}" for code, share in coverage.items())


def needs(source: str) -> tuple[str, ...]:
    """The data that are translated from a language into English, and a dictionary."""
    sets = [name for name, (_, codes) in BITEXTS.items() if source in codes]
    return *sets, f"dictionary of {source}", f"outside pairs of {source}"


PART = Part(needs("de"), (20, 300), measure_of("de"), section)
PART_CHINESE = Part(needs("zh"), (None, 200), measure_of("zh"), section)
