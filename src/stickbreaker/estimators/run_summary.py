"""What is known at the end of a run: what was learned, how it was learned, and what to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import noun_for
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import command_line
from stickbreaker.estimators.kinds import kind_of, kinds, object_at
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.learning.run import Run, RunState, ScoreNames
from stickbreaker.saved import ModelDirectory


@dataclass(frozen=True, repr=False)
class FinishedModel(VerbResult):
    """Base of what is known of a finished run: the path of its `model`; `resumed`: whether it was continued.

    By itself it is that of a run that had ended before; `can_update`: its model can learn from more.
    """

    model: str
    resumed: bool = False
    can_update: bool = field(default=False, compare=False)

    @property
    def estimator(self) -> Any:
        """The model as an estimator."""
        from stickbreaker.estimators.verbs import load

        return load(self.model)

    def as_json(self) -> JsonObject:
        return {"model": self.model, "status": "done", "resumed": self.resumed}

    def __str__(self) -> str:
        update = command_line("update", self.model, "FILE")
        more = f"; to learn from more documents: {update}" if self.can_update else ""
        return f"{self.model}: finished already{more}"


def finished_before(path: Path) -> FinishedModel:
    """What is known of the model at a path whose run had ended before. Raises UserError if there is none."""
    kind = kind_of(ModelDirectory(path).manifest(), path)
    return FinishedModel(str(path), can_update="update" in kind.verbs)


@dataclass(frozen=True, repr=False)
class RunSummary(FinishedModel):
    """What a run has learned: `sizes`, such as {"topics": 20}, of how many `documents`, in how many `passes`
    and `steps`; its last `score` of a `kind`, in nats per token, and that of documents held out, if any.

    `further`: numbers that its kind adds, and `lines` about these; `following`: the commands to use next.
    """

    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    documents: int = 0
    passes: int = 0
    steps: int = 0
    converged: bool = False
    score: float | None = None
    kind: str = ""
    held_out: float | None = None
    seed: int = 0
    further: Mapping[str, Any] = field(default_factory=dict[str, Any])
    lines: Sequence[str] = field(default=(), compare=False)
    following: Sequence[str] = field(default=(), compare=False)
    names: ScoreNames = field(default=ScoreNames(), compare=False)

    def as_json(self) -> JsonObject:
        names = ("documents", "passes", "steps", "converged", "score", "kind", "held_out", "seed")
        own = {name: getattr(self, name) for name in names}
        return {**super().as_json(), **self.sizes, **own, **self.further}

    def __str__(self) -> str:
        held_out = "" if self.held_out is None else f", held-out {self.held_out:.4f} nats/{self.names.token}"
        unit = ("sweep", "sweeps") if self.kind == "joint" else ("pass", "passes")
        steps = f"{self.passes} {noun_for(self.passes, *unit)}"
        nouns = {name: name.replace("_", " ").removesuffix("s") for name in self.sizes}
        numbers = [f"{number} {noun_for(number, nouns[name])}" for name, number in self.sizes.items()]
        learned = " and ".join([*filter(None, [", ".join(numbers[:-1])]), *numbers[-1:]])
        score = self.names.of(self.kind, self.score if self.score is not None else float("nan"))
        line = (
            f"{self.model}: {learned or 'learned'} from {self.documents} "
            f"{noun_for(self.documents, 'document')} in {steps}, {score}{held_out}"
        )
        following = (f"Next: {command_line(verb, self.model)}" for verb in self.following)
        return "\n".join([line, *self.lines, *following])


def summary_of(
    path: Path, learned: AnyLearned, job: Run, state: RunState, *, resumed: bool = False
) -> RunSummary:
    """The summary of a run that has ended, whose model is saved at a path; resumed: it was interrupted."""
    kind, verb = kinds()[learned.kind], learned.next_verb()
    further: JsonObject = {}
    lines: list[str] = []
    if kind.summary is not None:
        further, lines = object_at(kind.summary)(learned)
    return RunSummary(
        str(path),
        resumed,
        sizes=learned.sizes(),
        documents=job.n_documents,
        passes=state.passes,
        steps=state.step,
        converged=state.converged,
        score=state.scores[-1] if state.scores else None,
        kind=state.kind,
        held_out=state.held_out[-1] if state.held_out else None,
        seed=job.seed,
        further=further,
        lines=lines,
        following=kind.verbs[:1] if verb is None else (verb,),
        names=learned.learner.score_names,
    )
