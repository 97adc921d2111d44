"""Variational runs of grammars, started from settings and a corpus, or from a checkpoint."""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Model
from stickbreaker.core import purposes
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Array, Field, Record, TruncatedCounts
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.engine_choice import engine_of
from stickbreaker.estimators.learned import Facts
from stickbreaker.estimators.setting_values import threads_of
from stickbreaker.grammars.document_shares import nats_of_documents
from stickbreaker.grammars.gold_sample import segmentation_measure
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.model.cached_trees import CachedTrees
from stickbreaker.grammars.model.compiled import Compiled, compiled
from stickbreaker.grammars.model.documents.document_grammar import DocumentGrammar
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.mean_field_grammar import MeanFieldGrammar, support_of
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.grammars.model.tree_chain import AdaptorChain
from stickbreaker.grammars.plan import SCORE_NAMES, grammar_of, limits_of, reader_of, schedule_for
from stickbreaker.grammars.settings import GrammarSettings
from stickbreaker.grammars.training_sentences import held_out_sentences, training_sentences
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingState
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import state_of

TRUNCATION = 10_000  # cached trees per symbol, by default
INTEGER_PARAMS = ("letters", "lengths", "cuts", "kept", "skipped")  # integer params about the text
FEWEST, SYMBOLS = 50, 60  # trees of mean-field inference: at least, and one for that many symbols of the text
SHOWN = 300  # sentences that a report can show
SHARES = 4  # shards per minibatch, about: each costs a third of a millisecond
SHARDS = (20, 128)  # documents per shard, at least and at most


def new_run(
    settings: GrammarSettings, corpus: Corpus, seed: int, held_out: float, folder: Path | None
) -> tuple[Run, RunState]:
    """Prepare a variational run on a corpus; returns it and its initial state.

    Raises UserError for sentences that cannot be parsed, unless `unparsed` skips these. held_out: the share
    of documents to hold out; folder: for the engine's files.
    """
    job, grammar = _job(settings, corpus, seed, held_out, folder)
    return start_run(job, *training_sentences(settings, corpus, job.source, grammar))


def start_run(
    job: VariationalRun, sentences: Sentences, skipped: int
) -> tuple[VariationalRun, VariationalState]:
    """Start the engine's table of remembered subtrees for a new run; returns the run and its initial state.

    The table starts empty, except in mean-field inference, whose subtrees are chosen here and then fixed.
    sentences: the training sentences; the state stores the first ones for the report. skipped: how many
    sentences were left out.
    """
    model = job.model
    if isinstance(model, MeanFieldGrammar):
        given = bool((model.truncations != TRUNCATION).any())
        most = None if given else max(FEWEST, len(sentences.letters) // SYMBOLS)
        cached = _support(job, most)
        counts = np.reshape(list(cached.values()), (len(cached), len(model.grammar.adapted)))
        job.engine.start(model, counts, list(cached))
    else:
        job.engine.start(model, model.seed((), 0.0, job.seed), [])
    return job, job.first_state({**model.start(), **_first_sentences(model, sentences, skipped)})


def _support(job: VariationalRun, most: int | None) -> dict[str, Array]:
    """Choose the subtrees that mean-field inference will remember; returns {tree key: counts} (`support_of`).

    They are chosen among trees that the engine samples for the whole text with the rules alone. most: the
    largest number of subtrees per adapted symbol, since each one lowers the bound, even if it is never used;
    None: only the model's truncations limit it.
    """
    model = job.model
    assert isinstance(model, MeanFieldGrammar)
    drawing = OnlineGrammar(**{item.name: getattr(model, item.name) for item in fields(model) if item.init})
    job.engine.start(drawing, drawing.seed((), 0.0, job.seed), [])
    shards, seed = job.source.all_shards(), derived_seed(job.seed, purposes.START)
    drawn = job.engine.map(drawing.start(), shards, len(shards), seed).new_rows
    job.engine.commit(carry=False)
    return support_of(model, drawn, most)


def _first_sentences(model: Model, sentences: Sentences, skipped: int) -> Record:
    """Params that store the first `SHOWN` sentences, for the report, and the number of skipped sentences."""
    assert isinstance(model, OnlineGrammar)
    starts = sentences.starts[: SHOWN + 1]
    letters = sentences.letters[: starts[-1]]
    cuts = np.zeros((len(model.grammar.adapted), len(letters)), np.uint16)
    values = (letters, np.diff(starts), cuts, np.array(0), np.array(skipped))
    axes = (("letters",), ("sentences",), ("symbols", "letters"), (), ())
    return {
        name: Field(value, axis, additive=False)
        for name, value, axis in zip(INTEGER_PARAMS, values, axes, strict=True)
    }


def skipped_in(state: RunState) -> int:
    """How many sentences a run skips, before its first step."""
    if isinstance(state, VariationalState):
        return int(state.params["skipped"].values)
    assert isinstance(state, SamplingState)
    chain = next(iter(state.chains.samplers))
    assert isinstance(chain, AdaptorChain)
    return int(chain.given["skipped"].values)


def resume_run(
    settings: GrammarSettings, corpus: Corpus, snapshot: Snapshot, folder: Path
) -> tuple[Run, RunState]:
    """The run that continues from the checkpoint `snapshot`, and its state.

    Raises ValueError if the checkpoint is invalid.
    """
    seed, held_out = snapshot.manifest["settings"]["random_state"], snapshot.manifest["held_out"]
    job, _ = _job(settings, corpus, seed, held_out, folder)
    return job, _take_state(job.engine, job.model, snapshot)


def restored(facts: Facts[GrammarSettings], snapshot: Snapshot, folder: Path) -> GrammarLearned:
    """What a run had learned, from its snapshot. Raises ValueError for an invalid table."""
    model = model_of_grammar(facts.settings, facts.vocabulary, facts.corpus["documents"])
    engine = LocalEngine(threads_of(facts.settings.n_jobs), folder=folder)
    return learned_by(facts, engine, _take_state(engine, model, snapshot))


def learned_by(facts: Facts[GrammarSettings], engine: Engine, state: VariationalState) -> GrammarLearned:
    """What a run has learned, from its state and its engine, which has the table."""
    model = engine.model if isinstance(engine, LocalEngine) else None
    assert isinstance(model, OnlineGrammar)
    own = local_fork(engine, model, threads_of(facts.settings.n_jobs), copied=False)
    counts = own.table.whole()
    assert isinstance(counts, TruncatedCounts)
    return GrammarLearned.of_sticks(facts, own, state, model.learned(state.params, counts))


def _take_state(engine: Engine, model: Model, snapshot: Snapshot) -> VariationalState:
    """Load a snapshot's table into the engine; returns the run's state.

    Raises ValueError if the snapshot is invalid or belongs to another grammar.
    """
    assert isinstance(model, OnlineGrammar)
    engine.restore(model, snapshot.arrays, snapshot.keys)
    state = state_of(snapshot, INTEGER_PARAMS)
    counts = engine.table.whole()
    assert isinstance(counts, TruncatedCounts)
    model.refuse_others(state.params, counts)
    return state


def model_of_grammar(
    settings: GrammarSettings,
    vocabulary: Vocabulary,
    n_documents: int,
    read_before: CachedTrees | None = None,
) -> OnlineGrammar:
    """The variational model that settings describe, for the symbols of a vocabulary.

    n_documents: of the corpus, for grammars that mark documents. read_before: the remembered trees of an
    earlier model of the same grammar, so that they need not be parsed again.
    """
    grammar = grammar_of(settings, vocabulary, n_documents)
    flat, schedule = compiled(grammar), schedule_for(settings)
    size = schedule.batch_size if isinstance(schedule, Online) else SHARES * SHARDS[1]
    kind = MeanFieldGrammar if settings.inference == "mean-field" else OnlineGrammar
    if flat.by_document:
        kind = DocumentGrammar
    return kind(
        flat,
        reader_of(settings, vocabulary, flat.terminals, n_documents),
        _truncations(settings.truncation, grammar, flat),
        samples=settings.samples,
        refine_every=settings.refine_every,
        learn_processes=settings.processes == "learned",
        learn_weights=settings.weights == "learned",
        shard_size=int(np.clip(-(-size // SHARES), *SHARDS)),
        read_before=read_before,
    )


def _truncations(
    given: int | Mapping[str, int] | None, grammar: Grammar, flat: Compiled
) -> NDArray[np.int64]:
    """(adapted symbols,) The largest number of subtrees that each may remember.

    It is the one given for the symbol or for all symbols, else the grammar's own, else `TRUNCATION`. Raises
    UserError if one is given for a symbol that is not adapted.
    """
    by_symbol: dict[str, int] = dict(given) if isinstance(given, Mapping) else {}
    wrong = next((name for name in by_symbol if name not in grammar.adapted), None)
    if wrong is not None:
        problem = f"truncation has {wrong!r}, which is not an adapted symbol"
        raise UserError(problem, remedy=f"there are: {', '.join(grammar.adapted) or 'none'}")
    every = None if given is None or isinstance(given, Mapping) else int(given)
    most: list[int] = []
    for symbol in flat.adapted.tolist():
        name = flat.names[symbol]
        own = grammar.adapted[name].truncation or TRUNCATION
        most.append(by_symbol.get(name, own if every is None else every))
    return np.array(most, np.int64)


def _job(
    settings: GrammarSettings, corpus: Corpus, seed: int, held_out: float, folder: Path | None
) -> tuple[VariationalRun, Compiled]:
    model = model_of_grammar(settings, corpus.vocabulary, corpus.n_documents)
    source = Source(corpus, held_out, unit=Sequences, shard_size=model.shard_size)
    evaluate = None
    if held_out:
        sentences = held_out_sentences(settings, source, corpus, model.grammar)
        evaluate = partial(_held_out_score, sentences=sentences)
    job = VariationalRun(
        model=model,
        engine=engine_of(settings, model, folder=folder),
        schedule=schedule_for(settings),
        source=source,
        seed=seed,
        limits=limits_of(settings),
        evaluate=evaluate,
        measure=segmentation_measure(settings, corpus, source, model.grammar),
        scores=SCORE_NAMES,
    )
    return job, model.grammar


def _held_out_score(engine: Engine, model: OnlineGrammar, params: Record, sentences: Sentences) -> float:
    """Score held-out sentences by the grammar that a run has learned so far: log p in nats per symbol."""
    counts = engine.table.whole()
    assert isinstance(counts, TruncatedCounts)
    learned = model.learned(params, counts).opened
    if learned.alpha is not None:
        return nats_of_documents(learned, sentences) / len(sentences.letters)
    return float(learned.nats(sentences.letters, sentences.starts).sum()) / len(sentences.letters)
