"""Updates of models with more documents: one online step per minibatch, as in `partial_fit`."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date as day
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import Interrupted, UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import command_line
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import model_files
from stickbreaker.estimators.corpus_facts import digest_of_documents
from stickbreaker.estimators.kinds import kinds
from stickbreaker.estimators.learned import AnyLearned, Update
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.estimators.verb_settings import UpdateSettings
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.directory import refuse_existing

Watch = Callable[[Update], bool]  # gets the record of an update after each step; returns whether to stop


@dataclass(frozen=True, repr=False)
class UpdatedModel(VerbResult):
    """A model after an update: `sizes` of what it has learned, such as {"topics": 20}; `documents` of the
    update, and `documents_in_all`.

    `unseen_share`: of the words of these documents, those that the model did not know before, which are left
    out, or new words of an open vocabulary (`open_words`). `updates`: how many it has had. `path`: where it
    is saved, None if it is not. `learned`: what it knows now.
    """

    model: str
    sizes: JsonObject
    documents: int
    documents_in_all: int
    unseen_share: float
    open_words: bool
    updates: int
    path: Path | None = None
    learned: AnyLearned | None = field(default=None, compare=False)

    @property
    def estimator(self) -> Any:
        """The updated model as an estimator."""
        learned = self.learned
        assert learned is not None
        public: Any = kinds()[learned.kind].public()
        return public.of(learned)

    def as_json(self) -> JsonObject:
        names = ("documents", "documents_in_all", "unseen_share", "open_words", "updates")
        own = {name: getattr(self, name) for name in names}
        return {"model": self.model, "status": "done", **self.sizes, **own}

    def __str__(self) -> str:
        words = "were new to it" if self.open_words else "are not known"
        line = (
            f"{self.model}: learned from {counted(self.documents, 'document')} more, "
            f"{self.documents_in_all:,} in all; {100 * self.unseen_share:.1f} % of the words {words}"
        )
        return line if self.path is None else f"{line}\nNext: {command_line('report', self.path)}"


def update(
    learned: AnyLearned,
    corpus: Corpus,
    settings: UpdateSettings,
    *,
    path: Path | None = None,
    checkpoint_every: float = 60.0,
    overwrite: bool = False,
    watch: Watch = lambda update: False,
) -> UpdatedModel:
    """Update a model with more documents, in their order; what is given stays as it is.

    path: where to save it, at the end and every `checkpoint_every` seconds; an update that was interrupted
    there is continued if `learned` is what was saved. Raises UserError if something else is there, unless
    `overwrite`, and for an unfinished run; Interrupted, after it has saved, if `watch` returns True.
    """
    saved = learned.facts.saved
    if saved is not None and saved.manifest["status"] != "done":
        remedy = "end it first: stickbreaker resume"
        raise UserError("is a run under way", where=saved.path, remedy=remedy)
    if not corpus.n_documents:
        raise UserError("there is no document", where=corpus.name, remedy="give documents with text")
    continued = path is not None and interrupted_update(path)
    if path is not None and not continued:
        refuse_existing(path, overwrite)
    date = settings.date or day.today().isoformat()
    under_way = Updating(learned, corpus, date, path)
    size = settings.batch_size or learned.learner.minibatch(learned.facts.settings)
    _make_steps(under_way, size, checkpoint_every, watch, overwrite=overwrite or continued)
    return _result(under_way)


def _make_steps(under_way: "Updating", size: int, every: float, watch: Watch, *, overwrite: bool) -> None:
    """Make the remaining steps of an update, of `size` documents each; if it has a path, it is saved every
    `every` seconds and at the end."""
    last, stop = time.monotonic(), watch(under_way.update)
    for _ in under_way.steps(size):
        stop = watch(under_way.update) or stop
        if under_way.path is None or under_way.update.is_done:
            continue
        if stop or time.monotonic() - last >= every:
            under_way.save(under_way.path, overwrite=overwrite)
            overwrite, last = True, time.monotonic()
            if stop:
                raise Interrupted
    if under_way.path is not None:
        under_way.save(under_way.path, overwrite=overwrite)


def _result(under_way: "Updating") -> UpdatedModel:
    learned, update = under_way.learned, under_way.update
    facts = learned.facts
    return UpdatedModel(
        model=learned.kind if under_way.path is None else str(under_way.path),
        sizes=learned.sizes(),
        documents=update.total,
        documents_in_all=facts.corpus["documents"],
        unseen_share=under_way.corpus.unseen_share if update.unseen_share is None else update.unseen_share,
        open_words=learned.learner.is_open(facts.settings),
        updates=len(facts.updates),
        path=under_way.path,
        learned=learned,
    )


class Updating:
    """An update of a model with more documents, which may be interrupted and continued.

    It makes an online step per minibatch; `learned` is what is known after the last one.
    """

    def __init__(self, learned: AnyLearned, corpus: Corpus, date: str, path: Path | None) -> None:
        """Begin an update, or continue one that was interrupted.

        corpus: the documents, with the model's vocabulary; date: for the record of a new update; path: where
        it is saved, None: it is not. Raises UserError if an update with other documents was interrupted.
        """
        self.learned, self.corpus, self.path = learned, corpus, path
        fingerprint = digest_of_documents(corpus)
        updates = learned.facts.updates
        last = updates[-1] if updates else None
        if last is not None and not last.is_done:
            if last.fingerprint != fingerprint:
                problem = (
                    f"an update with other documents was interrupted after {last.documents:,} of "
                    f"{last.total:,}"
                )
                raise UserError(problem, where=path, remedy="give them again, or update a copy from before")
            return
        begun = Update(date, 0, corpus.n_documents, fingerprint, corpus.unseen_share)
        self.learned = learned.but(updates=[*updates, begun])

    @property
    def update(self) -> Update:
        """The model's record of this update, with its progress: the last of its updates."""
        return self.learned.facts.updates[-1]

    def steps(self, size: int) -> Iterator[TraceRecord]:
        """Make the remaining steps, of `size` documents each; yields the trace record of each."""
        while not self.update.is_done:
            start = self.update.documents
            part = self.corpus.part(start, start + size)
            before, done = self.learned, self.update._replace(documents=start + part.n_documents)
            more = before.learner.learn_more(before.facts.settings, before, _as_learned_from(before, part))
            assert more is not None, "of documents that a model could not learn from, it returns what it was"
            self.learned = more.but(updates=[*before.facts.updates[:-1], done])
            yield self.learned.facts.trace[-1]

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Save the model as it is now to a path. After the last step, documents for its report are saved too.

        They are saved only if reports of its kind show documents.
        """
        documents = self.corpus if self.update.is_done and self.learned.learner.shows_documents else None
        model_files.save(self.learned, path, overwrite=overwrite, documents=documents)


def interrupted_update(path: Path) -> bool:
    """Whether the model at `path` exists, and is in the middle of an update."""
    if not (path / "model.json").exists():
        return False
    updates = Update.from_manifest(ModelDirectory(path).manifest())
    return bool(updates) and not updates[-1].is_done


def _as_learned_from(learned: AnyLearned, part: Corpus) -> Corpus:
    """The documents in the form that `Learner.learn_more` takes: for an open vocabulary, with all words."""
    return part.with_all_words() if learned.learner.is_open(learned.facts.settings) else part
