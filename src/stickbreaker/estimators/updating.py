"""Finished models that learn from more documents: an online step for each minibatch, as of `partial_fit`."""

from collections.abc import Iterator
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.token_bags import corpus_of_tokens
from stickbreaker.estimators import saving
from stickbreaker.estimators.corpus_facts import digest_of_documents
from stickbreaker.estimators.estimator import Estimator, Update
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.saved import ModelDirectory


class Updating:
    """An update of a saved model under way: what it learns from, and how far it has come.

    `update` is the record that the model keeps of it, the last of `estimator.updates_`.
    """

    def __init__(self, estimator: Estimator, corpus: Corpus, path: Path, date: str) -> None:
        """`corpus`: the documents, seen through the model's vocabulary; `path`: where the model is saved.

        Goes on where an update with the same documents was interrupted. Raises UserError where one with
        others was.
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
        begun = Update(date, 0, corpus.n_documents, fingerprint)
        estimator.updates_ = [*estimator.updates_, begun]

    @property
    def update(self) -> Update:
        """How far it has come."""
        return self.estimator.updates_[-1]

    def steps(self, size: int) -> Iterator[TraceRecord]:
        """The steps that are left, of `size` documents each, and the record of each."""
        while self.update.documents < self.update.total:
            start = self.update.documents
            part = self.corpus.part(start, start + size)
            self.estimator.learn_more(_as_learned_from(self.estimator, part))
            done = self.update._replace(documents=start + part.n_documents)
            self.estimator.updates_ = [*self.estimator.updates_[:-1], done]
            yield self.estimator.trace_[-1]

    def save(self, *, overwrite: bool) -> None:
        """Save the model as it is; at the end with the documents for its report, if that has some."""
        done = self.update.documents == self.update.total
        shows = type(self.estimator).write_report_documents is not Estimator.write_report_documents
        documents = self.corpus if done and shows else None
        saving.save(self.estimator, self.path, overwrite=overwrite, documents=documents)


def interrupted_update(path: Path) -> bool:
    """Whether the model at `path` is there, and in the midst of an update."""
    if not (path / "model.json").exists():
        return False
    updates = Update.from_manifest(ModelDirectory(path).manifest())
    return bool(updates) and updates[-1].documents < updates[-1].total


def load_to_update(path: Path, threads: int | None = None) -> Estimator:
    """The model at `path`. Raises UserError for a run that is not finished, and kinds that learn no more."""
    estimator = saving.load(path, threads, verb="update")
    if ModelDirectory(path).manifest()["status"] != "done":
        raise UserError("is a run under way", where=path, remedy="end it first: stickbreaker resume")
    return estimator


def _as_learned_from(estimator: Estimator, part: Corpus) -> Corpus:
    """Documents as `partial_fit` sees them: of an open vocabulary all words that may enter."""
    if not estimator.is_open:
        return part
    documents = [one for block in range(len(part.block_sizes)) for one in part.documents(block)]
    texts = [one.text for one in documents if one.text is not None]
    if len(texts) == len(documents):
        rule = estimator.reads_texts_by()[1]
        return Corpus.from_texts(texts, analysis=estimator.analysis_, rule=rule)
    return corpus_of_tokens([list(one.tokens or one.words or ()) for one in documents])
