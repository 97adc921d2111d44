"""Updates finished models with more documents: one online step per minibatch, as in `partial_fit`."""

from collections.abc import Iterator
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.estimators import model_files
from stickbreaker.estimators.corpus_facts import digest_of_documents
from stickbreaker.estimators.learned import AnyLearned, Update
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory


class Updating:
    """An update of a saved model with more documents, which may be interrupted and continued.

    It makes an online step per minibatch; `learned` is what is known after the last one.
    """

    def __init__(self, learned: AnyLearned, corpus: Corpus, path: Path, date: str) -> None:
        """Begin an update of the model saved at `path`, or continue one that was interrupted.

        corpus: the documents, with the model's vocabulary; date: for the record of a new update. Raises
        UserError if an update with other documents was interrupted.
        """
        self.learned, self.corpus, self.path = learned, corpus, path
        fingerprint = digest_of_documents(corpus)
        updates = learned.facts.updates
        last = updates[-1] if updates else None
        if last is not None and last.documents < last.total:
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
        while self.update.documents < self.update.total:
            start = self.update.documents
            part = self.corpus.part(start, start + size)
            before, done = self.learned, self.update._replace(documents=start + part.n_documents)
            more = before.learner.learn_more(before.facts.settings, before, _as_learned_from(before, part))
            assert more is not None, "of documents that a model could not learn from, it returns what it was"
            self.learned = more.but(updates=[*before.facts.updates[:-1], done])
            yield self.learned.facts.trace[-1]

    def save(self, *, overwrite: bool) -> None:
        """Save the model as it is now. After the last step, documents for its report are saved too.

        They are saved only if reports of its kind show documents.
        """
        done = self.update.documents == self.update.total
        documents = self.corpus if done and self.learned.learner.shows_documents else None
        model_files.save(self.learned, self.path, overwrite=overwrite, documents=documents)


def interrupted_update(path: Path) -> bool:
    """Whether the model at `path` exists, and is in the middle of an update."""
    if not (path / "model.json").exists():
        return False
    updates = Update.from_manifest(ModelDirectory(path).manifest())
    return bool(updates) and updates[-1].documents < updates[-1].total


def load_to_update(path: Path, threads: int | None = None) -> AnyLearned:
    """Load a model to update. Raises UserError for an unfinished run, or a kind that cannot be updated."""
    learned = model_files.load(path, threads, verb="update")
    if ModelDirectory(path).manifest()["status"] != "done":
        raise UserError("is a run under way", where=path, remedy="end it first: stickbreaker resume")
    return learned


def _as_learned_from(learned: AnyLearned, part: Corpus) -> Corpus:
    """The documents in the form that `Learner.learn_more` takes: for an open vocabulary, with all words."""
    return part.with_all_words() if learned.learner.is_open(learned.facts.settings) else part
