"""Topics over concepts, in one language and in two: LDA, pLDA, tLDA and ptLDA (chapter 5 of the thesis).

`make reproduce WHAT=trees` says first how long it takes; `FULL=1` (or --full) has every way of inference and
share of links on LibreOffice's help too. `python -m reproduce.trees manuals` runs one part and leaves the
others as they were. The results are printed as they come and kept in reproduce-results/ as trees.json,
trees.md and trees.html after each part.
"""

from collections.abc import Callable
from statistics import mean
from typing import Any

from reproduce.pages import Section
from reproduce.parts import Part, Study, main
from reproduce.tree_runs import MODELS, Plan, Run, chance, material, measure, table

LINKED = (0.0, 0.05, 0.25, 1.0)
INFERENCES = ("gibbs", "mean-field", "hybrid")
SEEDS = (0, 1, 2)
PAGES = "manuals+GIMP"


def manuals(full: bool) -> dict[str, Any]:
    """Every model, inference and share of links on 739 pages in German and English."""
    return _measured(PAGES, "de", MODELS, INFERENCES, LINKED)


def help_pages(other: str) -> Callable[[bool], dict[str, Any]]:
    """LibreOffice's help in English and another language."""

    def measured(full: bool) -> dict[str, Any]:
        inferences = INFERENCES if full else ("gibbs", "mean-field")
        return _measured("LibreOffice", other, MODELS[2:], inferences, LINKED if full else (0.0, 0.25))

    return measured


def _measured(
    names: str, other: str, models: tuple[str, ...], inferences: tuple[str, ...], links: tuple[float, ...]
) -> dict[str, Any]:
    held = material(names, other)
    plans = [
        Plan(names, other, model, inference, linked, seed)
        for linked in links
        for inference in inferences
        for model in models
        for seed in SEEDS
    ]
    return {
        "pages": [len(held.train), len(held.test.unseen)],
        "concepts": held.concepts,
        "coverage": held.coverage,
        "chance": chance(names, other),
        "runs": measure(plans),
    }


def section(title: str) -> Callable[[dict[str, Any]], Section]:
    """A table, and what was to come out."""

    def told(data: dict[str, Any]) -> Section:
        runs = [Run(*held) for held in data["runs"]]
        train, test = data["pages"]
        counts = ", ".join(f"{name} {number:,}" for name, number in data["concepts"].items())
        coverage = ", ".join(
            f"{share:.0%} of the tokens in {code}" for code, share in data["coverage"].items()
        )
        return Section(
            title,
            [
                f"{train} pages to learn from, {test} to test by; by chance the other side of a page has a "
                f"mean reciprocal rank of {data['chance']:.3f}. Concepts: {counts}; the dictionary's pairs "
                f"of words, one-to-one, have {coverage}. Of these a tenth is in no tree: the column of "
                "cosines has how much more alike the topics of such pairs are than those of random pairs.",
                table(runs),
                *_aims(runs),
            ],
        )

    return told


def _aims(runs: list[Run]) -> list[str]:
    """MRR of ptLDA compared with pLDA, and of tLDA with LDA: in the thesis, BLEU is above in both."""
    lines = []
    for linked in sorted({run.linked for run in runs}):
        for inference in dict.fromkeys(run.inference for run in runs):
            found = {
                model: mean(own)
                for model in MODELS
                if (
                    own := [
                        r.mrr for r in runs if (r.model, r.inference, r.linked) == (model, inference, linked)
                    ]
                )
            }
            if len(found) < 3:
                continue
            gains = [f"{found[tree] - found['pLDA']:+.3f} ({tree})" for tree in MODELS[3:]]
            beside = (
                f"; tLDA compared with LDA {found['tLDA'] - found['LDA']:+.3f}" if "tLDA" in found else ""
            )
            lines.append(
                f"{linked:.0%} linked, {inference}: compared with pLDA {' and '.join(gains)}{beside}."
            )
    return lines


def introduction(dates: str) -> list[str]:
    """What the page says first."""
    return [
        "Concepts that tie words (K. Zhai, thesis of 2014, chapter 5). The thesis measures BLEU alone, "
        "where tLDA is above LDA and ptLDA above pLDA; here one side of a page that was not learned from "
        "looks for the other by its topics. A share of the pages is linked: the others are a document a "
        "side. LDA and tLDA have one distribution over the words of both languages, pLDA and ptLDA one per "
        "language. K = 20, alpha learned, eta 0.01, strength 100, three seeds.",
        f"Measured {dates}; seconds are by the clock, with two runs side by side.",
    ]


STUDY = Study(
    "trees",
    "Topics over concepts, reproduced",
    introduction,
    {
        "manuals": Part(
            ("manuals", "GIMP", "dictionary of de"), (12, 12), manuals, section("Manuals, German and English")
        ),
        "help-de": Part(
            ("LibreOffice", "dictionary of de"),
            (6, 25),
            help_pages("de"),
            section("Help, German and English"),
        ),
        "help-zh": Part(
            ("LibreOffice", "dictionary of zh"),
            (6, 25),
            help_pages("zh"),
            section("Help, Chinese and English"),
        ),
    },
)


if __name__ == "__main__":
    main(STUDY, __doc__ or "")
