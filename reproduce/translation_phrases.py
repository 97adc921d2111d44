"""The parts of the translation study with a decoder: sentences by phrases, with topics and without."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import mean, pstdev
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from reproduce.pages import Section, Table
from reproduce.parts import Part, side_by_side
from reproduce.translation_bitexts import TARGET, Material, material, prepare
from reproduce.translation_lexicons import needs
from reproduce.translation_runs import GOLD
from reproduce.translation_topics import LDA_OF_SOURCE, ONE_TO_ONE, corpora, domains_of, learn_topics

from stickbreaker import Analysis, Corpus, TopicNgramModel
from stickbreaker.core.random_streams import share_of, stream
from stickbreaker.corpus import VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.bleu import Reference, ngram_matches
from stickbreaker.translation.lexicon.domains import KnownDomains
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.learning_phrases import learn_phrases
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, PhraseModel
from stickbreaker.translation.phrases.saved_phrases import read_phrases, write_phrases
from stickbreaker.translation.phrases.token_documents import token_documents
from stickbreaker.translation.phrases.translating import translate_documents, tune
from stickbreaker.translation.phrases.translation_scores import METRICS, translation_scores
from stickbreaker.translation.sentence_tokens import tokens_of

NONE = "no topics"
K, INFERENCE, ETA, TOPIC_SEED = 30, "mean-field", 0.1, 0
DEV, TEST, DEV_SEED = 0.06, 0.4, 3  # of the documents held out: to tune weights on, and to test by
ROUNDS, TUNINGS, TUNINGS_FULL = 5, 2, 5
RESAMPLED = 2_000
SYSTEMS = (NONE, GOLD, LDA_OF_SOURCE, ONE_TO_ONE)
BY_RANK, RANKS = f"{ONE_TO_ONE}, by rank", 3  # with FULL=1: Eidelman's features, for the 3 largest topics
TRIGRAMS = "trigrams"  # the language model that is learned if none is given
ONE_TOPIC, MANY_TOPICS = "1 topic of language", f"{K} topics of language"
LANGUAGE_TOPICS = {ONE_TOPIC: 1, MANY_TOPICS: K}  # with FULL=1: no topics but in the language model
LANGUAGE_SWEEPS, LANGUAGE_SAMPLES = 40, 4
OUTSIDE = 0.5  # of the documents of the outside set; all with FULL=1
LANGUAGE_NOTE = (
    "The last two have no topics but those of the language model, trigrams by topic (thesis, section 5.4), "
    f"with {LANGUAGE_SAMPLES} samples of {LANGUAGE_SWEEPS} sweeps where the others have one of 20. So "
    f"{MANY_TOPICS!r} is compared with {ONE_TOPIC!r}, which differs in nothing else."
)


class PhrasePlan(NamedTuple):
    """A system, tuned once."""

    source: str
    folder: str
    system: str
    tuning: int
    outside: float  # share of the documents of the outside set that are translated too


class PhraseRun(NamedTuple):
    """How good its translations of the test documents are."""

    system: str
    tuning: int
    dev_bleu: float
    scores: dict[str, float]  # bleu, ter, chrf, length
    by_set: dict[str, float]  # BLEU
    documents: list[list[int]]  # of each, what BLEU counts: matches and n-grams by length, words of both
    weights: dict[str, float]
    outside: dict[str, float]  # BLEU of the outside set, "all" and by domain; {} where it was not translated


def prepare_phrases(source: str, folder: Path, full: bool) -> dict[str, Any]:
    """Split and align the bitext, count phrases, learn the language models (`full`: those with topics too),
    and save all that."""

    def say(line: str) -> None:
        print(line, flush=True)

    sizes = prepare(source, folder, say)
    lexicon = _lexicon(source, str(folder), GOLD)
    plain = learn_phrases(lexicon, None, say)
    models = {TRIGRAMS: plain}
    for name, topics in LANGUAGE_TOPICS.items() if full else ():
        say(name)
        learn_language(lexicon.bitext, topics).save(folder / f"{name}.model")
        models[name] = learn_phrases(lexicon, folder / f"{name}.model", table=plain.table)
    for name, model in models.items():
        (folder / name).mkdir()
        write_phrases(folder / name, model.table, model.language_model)
    return {"source": source, "sizes": sizes, "options": plain.table.n_options}


def learn_language(bitext: Bitext, topics: int) -> TopicNgramModel:
    """Trigrams by topic, or of one topic, of the documents of the target side, with as many sweeps and
    samples."""
    texts = [
        "\n".join(" ".join(tokens_of(line, TARGET)) for line in text.split("\n"))
        for text in bitext.document_texts[1]
    ]
    rule = VocabularyRule(min_documents=1, max_share=1.0)
    analysis = analysis_of_all_words(Analysis(sentences="line"), "spaced")
    model = TopicNgramModel(
        topics,
        order=3,
        prior="switching" if topics > 1 else "none",
        min_count=2,
        max_iter=LANGUAGE_SWEEPS,
        samples=LANGUAGE_SAMPLES,
        random_state=TOPIC_SEED,
    )
    return model.fit(Corpus.from_texts(texts, analysis=analysis, rule=rule))


@cache
def _lexicon(source: str, folder: str, system: str) -> TopicLexicon:
    """The lexicon of a system; without topics, that of the sets, whose domains are then not looked at."""
    held = material(source, folder)
    system = ONE_TO_ONE if system == BY_RANK else system
    if system not in (LDA_OF_SOURCE, ONE_TO_ONE):
        domains = KnownDomains.of_bitext_fields(held.train)
    else:
        topics = learn_topics(system, INFERENCE, K, ETA, TOPIC_SEED, corpora(source, folder))
        domains = domains_of(topics, system, source, folder)
    return TopicLexicon.with_domains(held.train, domains, held.links)


def run_system(plan: PhrasePlan) -> PhraseRun:
    """Tune a system on some documents held out, and score its translations of the others."""
    held, lexicon = material(plan.source, plan.folder), _lexicon(plan.source, plan.folder, plan.system)
    language = plan.system if plan.system in LANGUAGE_TOPICS else TRIGRAMS
    table, language_model = read_phrases(Path(plan.folder) / language, held.train.words)
    adapts = plan.system not in (NONE, *LANGUAGE_TOPICS)
    ranks = RANKS if plan.system == BY_RANK else 0
    model = PhraseModel(lexicon, table, language_model, FIRST_WEIGHTS, adapts, ranks)
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
    scores, counts = _translated(model, held.test, test)
    elsewhere: dict[str, float] = {}
    if plan.outside:
        some = [d for d, name in enumerate(held.outside.names) if share_of(name, DEV_SEED) < plan.outside]
        found, _ = _translated(model, held.outside, some, ("bleu",))
        elsewhere = {"all": found["bleu"], **{name: one["bleu"] for name, one in found["domains"].items()}}
    return PhraseRun(
        plan.system,
        plan.tuning,
        100 * best.bleu,
        {name: scores[name] for name in ("bleu", "ter", "chrf", "length")},
        {name: one["bleu"] for name, one in scores["domains"].items()},
        counts,
        {name: model.weights[name] for name in model.features},
        elsewhere,
    )


def _translated(
    model: PhraseModel, bitext: Bitext, numbers: Sequence[int], metrics: Sequence[str] = METRICS
) -> tuple[dict[str, Any], list[list[int]]]:
    """Scores of the translations of some documents, by number, and of each what BLEU counts."""
    documents, references = token_documents(model.lexicon, bitext)
    found = translate_documents(model, [documents[d] for d in numbers], threads=1)
    texts = [[list(own[0].words) if own else [] for own in each] for each in found]
    wanted = [references[d] for d in numbers]
    document_of = [d for d, own in zip(numbers, wanted, strict=True) for _ in own]
    domains = {
        name: [i for i, d in enumerate(document_of) if bitext.domains[d] == name]
        for name in dict.fromkeys(bitext.domains[d] for d in numbers)
    }
    flat = [" ".join(one) for each in texts for one in each]
    scores = translation_scores(flat, [" ".join(one) for each in wanted for one in each], domains, metrics)
    return scores, [counts_of(own, reference) for own, reference in zip(texts, wanted, strict=True)]


def parts_of(held: Material) -> tuple[list[int], list[int]]:
    """The documents of the test bitext that weights are tuned on, and those whose translations are scored."""
    places = [share_of(name, DEV_SEED) for name in held.test.names]
    dev = [d for d, place in enumerate(places) if place < DEV]
    return dev, [d for d, place in enumerate(places) if DEV <= place < DEV + TEST]


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


def plans_of(source: str, folder: str, full: bool) -> list[PhrasePlan]:
    """The runs: with FULL=1 each system is tuned five times and translates the whole outside set; else the
    first four systems twice, and half the outside set by the first tuning."""
    if full:
        systems = (*SYSTEMS, BY_RANK, *LANGUAGE_TOPICS)
        return [PhrasePlan(source, folder, name, n, 1.0) for name in systems for n in range(TUNINGS_FULL)]
    tunings = [(name, n) for name in SYSTEMS for n in range(TUNINGS)]
    return [PhrasePlan(source, folder, name, n, 0.0 if n else OUTSIDE) for name, n in tunings]


def measure_of(source: str) -> Callable[[bool], dict[str, Any]]:
    """What measures the part of a source language: all systems, each tuned several times."""

    def measure(full: bool) -> dict[str, Any]:
        with TemporaryDirectory() as folder:
            facts = prepare_phrases(source, Path(folder), full)
            held = material(source, folder)
            dev, test = (int(np.isin(held.test.document_of, part).sum()) for part in parts_of(held))
            runs = side_by_side(plans_of(source, folder, full), run_system, summary)
        return {**facts, "sentences": [dev, test], "runs": runs}

    return measure


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
        base = ONE_TOPIC if name == MANY_TOPICS else NONE
        sure = None if name == NONE else better_share(typical[name], typical[base])
        rows.append(
            [
                name,
                f"{mean(figures):.2f}",
                f"{pstdev(figures):.2f}",
                " ".join(f"{one:.2f}" for one in figures),
                *(f"{mean(run.scores[metric] for run in own):.2f}" for metric in ("ter", "chrf")),
                mean(run.scores["length"] for run in own),
                sure,
            ]
        )
    sets = list(runs[0].by_set)
    by_set = [
        [name, *(f"{mean(run.by_set[one] for run in own):.2f}" for one in sets)]
        for name, own in groups.items()
    ]
    outside = {name: [run.outside for run in own if run.outside] for name, own in groups.items()}
    domains = list(dict.fromkeys(name for own in outside.values() for one in own for name in one))
    elsewhere = [
        [name, *(f"{mean(one[d] for one in own):.2f}" for d in domains)]
        for name, own in outside.items()
        if own
    ]
    return Section(
        f"Sentences by phrases, {data['source']} to {TARGET}",
        [
            f"{data['options']:,} translations of phrases of at most 5 + 5 words, trigrams learned from the "
            f"target side, a stack decoder. Weights are tuned on {dev:,} sentences of documents held out and "
            f"measured on {test:,} of others, in lower case with one reference; topics are of K = {K}, "
            f"{INFERENCE}. Each system is tuned several times, by other random numbers; the spread is their "
            "standard deviation. The last column: in what share of samples of the documents (paired "
            "bootstrap) the run nearest to its mean is above that without topics.",
            *([LANGUAGE_NOTE] if MANY_TOPICS in groups else []),
            Table(("system", "BLEU", "spread", "by tuning", "TER", "chrF", "length", "above"), rows),
            "BLEU by set, means over tunings.",
            Table(("system", *sets), by_set),
            "BLEU outside: sentences of WMT 2022, by domain, of which nothing was learned or tuned.",
            Table(("system", *domains), elsewhere),
            "The thesis has up to 1.2 BLEU more with topics, on news with four references.",
        ],
    )


def _nearest_the_mean(runs: Sequence[PhraseRun]) -> PhraseRun:
    """The run whose BLEU is nearest to the mean, as the thesis takes it for significance."""
    middle = mean(run.scores["bleu"] for run in runs)
    return min(runs, key=lambda run: abs(run.scores["bleu"] - middle))


PART = Part(needs("de"), (19, 120), measure_of("de"), section)
PART_CHINESE = Part(needs("zh"), (None, 90), measure_of("zh"), section)
