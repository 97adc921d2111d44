"""Updates finished models with more documents: one online step per minibatch, as in `partial_fit`."""

# pyright: reportPrivateUsage=false

from collections.abc import Iterator
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import saving
from stickbreaker.estimators.corpus_facts import digest_of_documents
from stickbreaker.estimators.estimator import Estimator, Update
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory


class Updating:
    """An update of a saved model with more documents, which may be interrupted and continued.

    It makes an online step per minibatch.
    """

    def __init__(self, estimator: Estimator, corpus: Corpus, path: Path, date: str) -> None:
        """Begin an update of the model saved at `path`, or continue one that was interrupted.

        corpus: the documents, with the model's vocabulary; date: for the record of a new update. Raises
        UserError if an update with other documents was interrupted.
        """
        self.estimator, self.corpus, self.path = estimator, corpus, path
        fingerprint = digest_of_documents(corpus)
        last = estimator.updates_[-1] if estimator.updates_ else None
        if last is not None and last.documents < last.total:
            if last.fingerprint != fingerprint:
                problem = (
                    f"an update with other documents was interrupted after {last.documents:,} of "
                    f"{last.total:,}"
                )
                raise UserError(problem, where=path, remedy="give them again, or update a copy from before")
            return
        begun = Update(date, 0, corpus.n_documents, fingerprint, corpus.unseen_share)
        estimator.updates_ = [*estimator.updates_, begun]

    @property
    def update(self) -> Update:
        """The model's record of this update, with its progress: the last of `estimator.updates_`."""
        return self.estimator.updates_[-1]

    def steps(self, size: int) -> Iterator[TraceRecord]:
        """Make the remaining steps, of `size` documents each; yields the trace record of each."""
        while self.update.documents < self.update.total:
            start = self.update.documents
            part = self.corpus.part(start, start + size)
            self.estimator._learn_more(_as_learned_from(self.estimator, part))
            done = self.update._replace(documents=start + part.n_documents)
            self.estimator.updates_ = [*self.estimator.updates_[:-1], done]
            yield self.estimator.trace_[-1]

    def save(self, *, overwrite: bool) -> None:
        """Save the model as it is now. After the last step, documents for its report are saved too.

        They are saved only if reports of its kind show documents.
        """
        done = self.update.documents == self.update.total
        shows = type(self.estimator)._write_report_documents is not Estimator._write_report_documents
        documents = self.corpus if done and shows else None
        saving.save(self.estimator, self.path, overwrite=overwrite, documents=documents)


def interrupted_update(path: Path) -> bool:
    """Whether the model at `path` exists, and is in the middle of an update."""
    if not (path / "model.json").exists():
        return False
    updates = Update.from_manifest(ModelDirectory(path).manifest())
    return bool(updates) and updates[-1].documents < updates[-1].total


def load_to_update(path: Path, threads: int | None = None) -> Estimator:
    """Load a model to update. Raises UserError for an unfinished run, or a kind that cannot be updated."""
    estimator = saving.load(path, threads, verb="update")
    if ModelDirectory(path).manifest()["status"] != "done":
        raise UserError("is a run under way", where=path, remedy="end it first: stickbreaker resume")
    return estimator


def _as_learned_from(estimator: Estimator, part: Corpus) -> Corpus:
    """The documents in the form that `_learn_more` takes: for an open vocabulary, with all their words."""
    return part.with_all_words() if estimator._is_open else part
