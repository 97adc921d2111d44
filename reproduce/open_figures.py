"""Figures 7.3 to 7.6 as they are shown, and what was claimed of them."""

from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

import numpy as np
from reproduce.chart import Line
from reproduce.claims import Claim, claims
from reproduce.open_dtm import MINIBATCHES, RARE, RATE
from reproduce.open_runs import DICT, DTM, HYBRID, NULL, OPEN, Settings
from reproduce.pages import Chart, Table

MEASURES = {"pmi": "PMI by WikiText-2", "npmi": "NPMI by the stream itself"}
Run = dict[str, Any]
Group = tuple[str, list[Run]]  # a row's name, and its runs with the settings chosen, a seed each


def blocks(data: dict[str, Any]) -> list[str | Table | Chart]:
    """What was done; figures and tables; the claims."""
    size, groups = data["size"], groups_of(data)
    shown = size["batches"][-1]
    own = [group for group in groups if group[1][0]["settings"]["batch"] == shown]
    return [
        f"{data['documents']:,} documents in order, one pass, K = {size['topics']}, α = 1/K; the dictionary "
        f"has {data['dictionary']:,} words. PMI is the mean over the pairs of a topic's ten top words, by "
        f"the {data['reference']:,} paragraphs of WikiText-2 (stemmed by Snowball); pairs that never meet "
        "there count 0, and their share is in the table. NPMI is by all documents of the stream, seen or "
        f"not. Both are means over topics. Shown are, of the tries of each row ({len(size['closed'])}), the "
        f"settings of the highest NPMI at the end, means over seeds ({len(size['seeds'])}): the paper, too, "
        "chose by the measure that it reports. The words of full-hash cannot be shown.",
        f"{DTM}: {size['sweeps']} sweeps, epochs of {MINIBATCHES} minibatches, words of {RARE} documents or "
        f"more, first steps of {RATE:g}, {len(size['variances'])} tries."
        if data[DTM]
        else f"{DTM} is left out here.",
        *(
            Chart(f"{size['name']}, S = {shown}", "documents seen", told, _lines(own, measure))
            for measure, told in MEASURES.items()
        ),
        _rows_table(groups),
        "The open vocabulary (hybrid), κ = 0.8, τ0 = 64, one seed (Figures 7.3 and 7.4), at the end:",
        _grid_table(data["grid"], ("concentration", "truncation", "reorder_every"), ("α^β", "T", "U")),
        "Learning rates, U = 20 (Figure 7.5), at the end:",
        _grid_table(data["rates"], ("kind", "kappa", "tau0"), ("vocabulary", "κ", "τ0")),
        *claims(_claims(data, own)),
    ]


def groups_of(data: dict[str, Any]) -> list[Group]:
    """Each row's runs with the settings of the highest mean NPMI at the end, those of dtm last."""
    rows: dict[str, dict[str, list[Run]]] = {}
    for run in [*data["rows"], *data[DTM]]:
        settings = run["settings"]
        name = f"{settings['kind']}, {settings['engine']}" if "kind" in settings else DTM
        tried = rows.setdefault(f"{name}, S = {settings['batch']}", {})
        tried.setdefault(str({**settings, "seed": 0}), []).append(run)
    return [(name, max(tried.values(), key=lambda runs: _end(runs, "npmi"))) for name, tried in rows.items()]


def _end(runs: Iterable[Run], measure: str) -> float:
    return mean(run[measure][-1] for run in runs)


def _lines(groups: Sequence[Group], measure: str) -> list[Line]:
    return [
        Line(name, runs[0]["at"], np.mean([run[measure] for run in runs], axis=0).tolist())
        for name, runs in groups
    ]


def _rows_table(groups: Sequence[Group]) -> Table:
    columns = ("row", "settings", "NPMI", "PMI", "pairs unknown", "NPMI at first", "PMI at first")
    return Table(
        columns,
        [
            [
                name,
                _chosen(runs[0]["settings"]),
                *(f"{_end(runs, measure):.4f}" for measure in ("npmi", "pmi", "strange")),
                *(f"{mean(run[measure][0] for run in runs):.4f}" for measure in ("npmi", "pmi")),
            ]
            for name, runs in groups
        ],
    )


def _chosen(settings: dict[str, Any]) -> str:
    return Settings(**settings).chosen() if "kind" in settings else f"variance {settings['variance']:g}"


def _grid_table(runs: Sequence[Run], names: Sequence[str], columns: Sequence[str]) -> Table:
    rows = [
        [*(run["settings"][name] for name in names), f"{run['npmi'][-1]:.4f}", f"{run['pmi'][-1]:.4f}"]
        for run in runs
    ]
    return Table((*columns, "NPMI", "PMI"), rows)


def _claims(data: dict[str, Any], groups: Sequence[Group]) -> list[Claim]:
    listed: list[Claim] = []
    for measure in MEASURES:
        listed += _comparisons(dict(groups), measure, data["size"]["batches"][-1])
        listed += _sensitivity(data, measure)
    return listed


def _comparisons(groups: dict[str, list[Run]], measure: str, batch: int) -> list[Claim]:
    """The claims of Figure 7.6, by one of the measures."""
    opened = groups[f"{OPEN}, {HYBRID}, S = {batch}"]
    rivals = {name: runs for name, runs in groups.items() if name.startswith((f"{NULL},", f"{DICT},"))}
    ours, best = _end(opened, measure), max(rivals, key=lambda name: _end(rivals[name], measure))
    top = _end(rivals[best], measure)
    lead = [_mean_at(opened, measure, place) - _mean_at(rivals[best], measure, place) for place in (0, -1)]
    told = measure.upper()
    listed: list[Claim] = [
        (
            "paper",
            f"{told}: open is above null and dict at the end",
            f"{ours:.4f}; {best} {top:.4f}",
            ours > top,
        ),
        (
            "paper",
            f"{told}: more so with more documents",
            f"lead over {best}: {lead[0]:+.4f} at first, {lead[1]:+.4f} at the end",
            lead[1] > lead[0],
        ),
    ]
    for name, runs in groups.items():
        if name.startswith(DTM):
            end = _end(runs, measure)
            listed.append(("paper", f"{told}: and above dtm", f"{ours:.4f}; {end:.4f}", ours > end))
    return listed


def _mean_at(runs: Sequence[Run], measure: str, place: int) -> float:
    return mean(run[measure][place] for run in runs)


def _sensitivity(data: dict[str, Any], measure: str) -> list[Claim]:
    """The claims of Figures 7.3 to 7.5; those of a setting that has one value are left out."""
    told, grid, listed = measure.upper(), data["grid"], list[Claim]()
    by = {name: _by(grid, name, measure) for name in ("concentration", "truncation", "reorder_every")}
    if len(by["concentration"]) > 1 and len(by["truncation"]) > 1:
        strong, weak = (max(found.values()) - min(found.values()) for found in list(by.values())[:2])
        listed.append((
            "paper",
            f"{told}: more sensitive to α^β than to T",
            f"means differ by up to {strong:.4f} and {weak:.4f}",
            strong > weak,
        ))  # fmt: skip
    delays = by["reorder_every"]
    if len(delays) > 1:
        few, many = min(delays), max(delays)
        found = f"U = {many}: {delays[many]:.4f}, U = {few}: {delays[few]:.4f}"
        listed.append(("paper", f"{told}: rare reordering is better", found, delays[many] > delays[few]))
    ends = {
        kind: [run[measure][-1] for run in data["rates"] if run["settings"]["kind"] == kind]
        for kind in (OPEN, NULL)
    }
    ranges = [max(found) - min(found) for found in ends.values()]
    return [
        *listed,
        (
            "paper",
            f"{told}: no more sensitive to κ and τ0 than LDA with a fixed vocabulary",
            f"ends differ by {ranges[0]:.4f}; those of null by {ranges[1]:.4f}",
            ranges[0] <= ranges[1],
        ),
    ]


def _by(runs: Sequence[Run], name: str, measure: str) -> dict[Any, float]:
    """Value of a setting: the mean score at the end."""
    values = sorted({run["settings"][name] for run in runs})
    return {value: _end([run for run in runs if run["settings"][name] == value], measure) for value in values}
