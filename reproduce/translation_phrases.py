"""The part of the translation study with a decoder: sentences by phrases, with topics and without."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import mean, pstdev
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from parts import Part, side_by_side
from texts import BITEXTS
from translation_bitexts import TARGET, Material, material, prepare
from translation_runs import GOLD
from translation_topics import LDA_OF_SOURCE, ONE_TO_ONE, corpora, domains_of, learn_topics

from pages import Section, Table
from stickbreaker.core.random_streams import share_of, stream
from stickbreaker.translation.bleu import Reference, ngram_matches
from stickbreaker.translation.lexicon.domains import KnownDomains
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.learning_phrases import learn_phrases
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, PhraseModel
from stickbreaker.translation.phrases.saved_phrases import read_phrases, write_phrases
from stickbreaker.translation.phrases.token_documents import token_documents
from stickbreaker.translation.phrases.translating import translate_documents, tune
from stickbreaker.translation.phrases.translation_scores import translation_scores

SOURCE = "de"
NONE = "no topics"
K, INFERENCE, ETA, TOPIC_SEED = 30, "mean-field", 0.1, 0
DEV, TEST, DEV_SEED = 0.06, 0.4, 3  # of the documents held out: to tune weights on, and to test by
ROUNDS, TUNINGS, TUNINGS_FULL = 5, 3, 5
RESAMPLED = 2_000
SYSTEMS = (NONE, GOLD, LDA_OF_SOURCE, ONE_TO_ONE)
BY_RANK, RANKS = f"{ONE_TO_ONE}, by rank", 3  # with FULL=1: Eidelman's features, for the 3 largest topics


class PhrasePlan(NamedTuple):
    """A system, tuned once."""

    folder: str
    system: str
    tuning: int


class PhraseRun(NamedTuple):
    """How good its translations of the test documents are."""

    system: str
    tuning: int
    dev_bleu: float
    scores: dict[str, float]  # bleu, ter, chrf, length
    by_set: dict[str, float]  # BLEU
    documents: list[list[int]]  # of each, what BLEU counts: matches and n-grams by length, words of both
    weights: dict[str, float]


def prepare_phrases(folder: Path) -> dict[str, Any]:
    """Split and align the bitext, count phrases, learn the language model, and save all that."""
    sizes = prepare(SOURCE, folder, lambda line: print(line, flush=True))
    model = learn_phrases(_lexicon(str(folder), GOLD), None, lambda line: print(line, flush=True))
    write_phrases(folder, model.table, model.language_model)
    return {"sizes": sizes, "options": model.table.n_options}


@cache
def _lexicon(folder: str, system: str) -> TopicLexicon:
    """The lexicon of a system; without topics, that of the sets, whose domains are then not looked at."""
    held = material(SOURCE, folder)
    system = ONE_TO_ONE if system == BY_RANK else system
    if system in (NONE, GOLD):
        domains = KnownDomains.of_bitext_fields(held.train)
    else:
        topics = learn_topics(system, INFERENCE, K, ETA, TOPIC_SEED, corpora(SOURCE, folder))
        domains = domains_of(topics, system, SOURCE, folder)
    return TopicLexicon.with_domains(held.train, domains, held.links)


def run_system(plan: PhrasePlan) -> PhraseRun:
    """Tune a system on some documents held out, and score its translations of the others."""
    held, lexicon = material(SOURCE, plan.folder), _lexicon(plan.folder, plan.system)
    table, language_model = read_phrases(Path(plan.folder), held.train.words)
    ranks = RANKS if plan.system == BY_RANK else 0
    model = PhraseModel(lexicon, table, language_model, FIRST_WEIGHTS, plan.system != NONE, ranks)
    documents, references = token_documents(lexicon, held.test)
    dev, test = parts_of(held)
    rounds = tune(
        model,
        [documents[d] for d in dev],
        [references[d] for d in dev],
        rounds=ROUNDS,
        seed=1000 * plan.tuning,
        threads=1,
    )
    best = max(rounds, key=lambda one: one.bleu)
    model = replace(model, weights=best.weights)
    found = translate_documents(model, [documents[d] for d in test], threads=1)
    texts = [[list(own[0].words) if own else [] for own in each] for each in found]
    wanted = [references[d] for d in test]
    sets = {
        name: [i for i, d in enumerate(_flat_documents(test, wanted)) if held.test.domains[d] == name]
        for name in dict.fromkeys(held.test.domains)
    }
    flat = [" ".join(one) for each in texts for one in each]
    scores = translation_scores(flat, [" ".join(one) for each in wanted for one in each], sets)
    return PhraseRun(
        plan.system,
        plan.tuning,
        100 * best.bleu,
        {name: scores[name] for name in ("bleu", "ter", "chrf", "length")},
        {name: one["bleu"] for name, one in scores["domains"].items()},
        [counts_of(own, reference) for own, reference in zip(texts, wanted, strict=True)],
        {name: model.weights[name] for name in model.features},
    )


def parts_of(held: Material) -> tuple[list[int], list[int]]:
    """The documents of the test bitext that weights are tuned on, and those whose translations are scored."""
    places = [share_of(name, DEV_SEED) for name in held.test.names]
    dev = [d for d, place in enumerate(places) if place < DEV]
    return dev, [d for d, place in enumerate(places) if DEV <= place < DEV + TEST]


def _flat_documents(documents: Sequence[int], references: Sequence[Sequence[Any]]) -> list[int]:
    """The document of each sentence."""
    return [d for d, own in zip(documents, references, strict=True) for _ in own]


def counts_of(texts: Sequence[list[str]], references: Sequence[list[str]]) -> list[int]:
    """What BLEU adds up over a document: matches of n-grams of 1 to 4 words, n-grams, words, words wanted."""
    pairs = zip(texts, references, strict=True)
    counts = [ngram_matches(words, Reference.of(reference)) for words, reference in pairs]
    matches, totals = np.array(counts).reshape(-1, 2, 4).sum(axis=0).tolist()
    return [*matches, *totals, sum(map(len, texts)), sum(map(len, references))]


def bleu_of(counts: np.ndarray) -> np.ndarray:
    """BLEU, 0 to 100, of sums of counts (… × 10)."""
    matches, totals, own, wanted = counts[..., :4], counts[..., 4:8], counts[..., 8], counts[..., 9]
    log_p = np.log(np.maximum(matches, 1e-9) / np.maximum(totals, 1)).mean(axis=-1)
    return 100 * np.exp(log_p + np.minimum(0.0, 1.0 - wanted / np.maximum(own, 1)))


def better_share(one: PhraseRun, other: PhraseRun) -> float:
    """Share of samples of the documents, with replacement, in which a run's BLEU is above another's: paired
    bootstrap (Koehn 2004)."""
    a, b = (np.array(run.documents, np.float64) for run in (one, other))
    draws = stream(0, "bootstrap").integers(0, len(a), (RESAMPLED, len(a)))
    return float(np.mean([bleu_of(a[d].sum(axis=0)) > bleu_of(b[d].sum(axis=0)) for d in draws]))


def summary(run: PhraseRun) -> str:
    """A line of a run that has ended."""
    scores = run.scores
    return (
        f"{run.system}, tuning {run.tuning}: BLEU {scores['bleu']:.2f} (dev {run.dev_bleu:.2f}), TER "
        f"{scores['ter']:.2f}, chrF {scores['chrf']:.2f}, length {scores['length']:.3f}"
    )


def measure(full: bool) -> dict[str, Any]:
    """All systems, each tuned several times."""
    tunings = TUNINGS_FULL if full else TUNINGS
    with TemporaryDirectory() as folder:
        facts = prepare_phrases(Path(folder))
        held = material(SOURCE, folder)
        dev, test = (int(np.isin(held.test.document_of, part).sum()) for part in parts_of(held))
        systems = (*SYSTEMS, BY_RANK) if full else SYSTEMS
        plans = [PhrasePlan(folder, system, tuning) for system in systems for tuning in range(tunings)]
        return {**facts, "sentences": [dev, test], "runs": side_by_side(plans, run_system, summary)}


def section(data: dict[str, Any]) -> Section:
    """BLEU with topics and without, and how sure the difference is."""
    runs = [PhraseRun(*each) for each in data["runs"]]
    dev, test = data["sentences"]
    groups: dict[str, list[PhraseRun]] = {}
    for run in runs:
        groups.setdefault(run.system, []).append(run)
    typical = {name: _nearest_the_mean(own) for name, own in groups.items()}
    rows = []
    for name, own in groups.items():
        figures = [run.scores["bleu"] for run in own]
        sure = None if name == NONE else better_share(typical[name], typical[NONE])
        rows.append(
            [
                name,
                mean(figures),
                pstdev(figures),
                " ".join(f"{one:.2f}" for one in figures),
                *(mean(run.scores[metric] for run in own) for metric in ("ter", "chrf", "length")),
                sure,
            ]
        )
    sets = list(runs[0].by_set)
    by_set = [[name, *(mean(run.by_set[one] for run in own) for one in sets)] for name, own in groups.items()]
    return Section(
        f"Sentences by phrases, {SOURCE} to {TARGET}",
        [
            f"{data['options']:,} translations of phrases of at most 5 + 5 words, trigrams learned of the "
            f"target side, a stack decoder. Weights are tuned on {dev:,} sentences of documents held out and "
            f"measured on {test:,} of others, in lower case with one reference; topics are of K = {K}, "
            f"{INFERENCE}. Each system is tuned several times, by other random numbers. The last column: in "
            "what share of samples of the documents (paired bootstrap) the run nearest to its mean is above "
            "that without topics.",
            Table(("system", "BLEU", "spread", "by tuning", "TER", "chrF", "length", "above"), rows),
            "BLEU by set, means over tunings.",
            Table(("system", *sets), by_set),
            "The thesis has up to 1.2 BLEU more with topics, on news with four references.",
        ],
    )


def _nearest_the_mean(runs: Sequence[PhraseRun]) -> PhraseRun:
    """The run whose BLEU is nearest to the mean, as the thesis takes it for significance."""
    middle = mean(run.scores["bleu"] for run in runs)
    return min(runs, key=lambda run: abs(run.scores["bleu"] - middle))


PART = Part((*BITEXTS, f"dictionary of {SOURCE}"), (16, 60), measure, section)
