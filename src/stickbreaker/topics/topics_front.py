"""What the public classes of topic models, LDA and HDP, share: words and names of topics, online learning."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import largest
from stickbreaker.corpus.frames import as_frame
from stickbreaker.corpus.readers.document_inputs import once_read
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.front import FrontOfTopics, OnlineFront, per_token
from stickbreaker.estimators.learned import Update
from stickbreaker.learning.variational import VariationalState
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.model.word_ranking import DEFAULT
from stickbreaker.topics.names.given_names import names_by_id
from stickbreaker.topics.names.names_file import read_names
from stickbreaker.topics.settings import TopicSettings

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Tags

    from stickbreaker.topics.search.search_points import SearchPoint


class TopicsFront(FrontOfTopics[TopicSettings, TopicsLearned], OnlineFront[TopicSettings, TopicsLearned]):
    """Base of LDA and HDP. Attributes that end in "_" are read from `learned_`."""

    # What was learned

    @property
    def components_(self) -> Array:
        """Dirichlet parameters of topics' words under q(beta) (topics × words): expected counts plus eta. For
        an open vocabulary, only the expected counts.
        """
        return self.learned_.components

    @property
    def topic_word_(self) -> Array:
        """The expected word probabilities of topics, E[beta] (topics × words)."""
        return self.learned_.topic_word

    @property
    def alpha_(self) -> Array:
        """The prior of topics in documents (topics)."""
        return self.learned_.alpha

    @property
    def eta_(self) -> float | Array:
        """The Dirichlet parameter of topics' words: a number, or an array (words) or (topics × words). Raises
        AttributeError for an open vocabulary.
        """
        return self.learned_.eta

    @property
    def concentration_(self) -> float:
        """For an open vocabulary, which has no `eta_`, the concentration of topics around the distribution
        over all strings. Raises AttributeError for a closed one.
        """
        return self.learned_.concentration

    @property
    def rest_(self) -> Array:
        """For an open vocabulary, the total probability that each topic assigns to words it has not met
        (topics); zeros for a closed one.
        """
        return self.learned_.rest

    @property
    def topic_shares_(self) -> Array:
        """The share of the tokens that each topic explains (topics)."""
        return self.learned_.topic_shares

    @property
    def unused_topics_(self) -> list[int]:
        """The topics with hardly any tokens."""
        return self.learned_.unused_topics

    @property
    def topic_ids_(self) -> list[int]:
        """The lasting id of each topic."""
        return self.learned_.topic_ids

    @property
    def topic_names_(self) -> tuple[str | None, ...]:
        """The name of each topic, by `name_topics` or the guide; None without one."""
        return self.learned_.topic_names

    @property
    def given_names_(self) -> Mapping[int, str]:
        """The names that `name_topics` gave, by lasting id."""
        return self.learned_.given_names

    @property
    def merges_(self) -> tuple[tuple[int, ...], ...]:
        """For each time that topics were merged after a fit, the new number of each topic."""
        return self.learned_.merges

    @property
    def word_documents_(self) -> WordDocuments | None:
        """Counts of the documents learned from that rank topics' words; None if there are none."""
        return self.learned_.word_documents

    @property
    def concept_shares(self) -> tuple[Sequence[str], Array]:
        """Names of the concepts, and the share of each topic's tokens that belong to them (concepts ×
        topics). Both are empty for a model without concepts.
        """
        return self.learned_.concept_shares

    @property
    def guided_names(self) -> list[str | None]:
        """For each topic, its name in the guide; None for topics without one."""
        return self.learned_.guided_names

    @property
    def search_(self) -> "Sequence[SearchPoint]":
        """The runs of a search, that of the model last; empty without one."""
        return self.learned_.search

    @property
    def updates_(self) -> Sequence[Update]:
        """The updates of the model with more documents."""
        return self.learned_.facts.updates

    @property
    def engine_(self) -> LocalEngine:
        """The engine with the table of counts."""
        return self.learned_.engine

    @property
    def topic_columns_(self) -> NDArray[np.int64]:
        """The table's column of each topic."""
        return self.learned_.columns

    @property
    def params_(self) -> Record:
        """The model's parameters, besides the table."""
        return self.learned_.params

    @property
    def state_(self) -> VariationalState:
        """The state of the run, from which `partial_fit` continues."""
        return self.learned_.state

    # Conventions of scikit-learn

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn from the documents `X` by one online step, as one minibatch in their order; continues what
        `fit` or earlier calls have learned.

        The first call fixes the analysis of texts, and the vocabulary if it is closed.

        `kappa`, `tau0` and `total` of an `Online` schedule apply; the corpus size D is `total`, or the number
        of documents seen so far, those of `fit` counted once. Calls from several threads are processed one
        after another, in order.
        """
        return super().partial_fit(X)

    def fit_transform(self, X: object, y: object = None, **fit_params: object) -> NDArray[np.float64]:
        """Fit to the documents `X`, then return their topic shares: `fit` and `transform` in one call."""
        return super().fit_transform(once_read(X), y, **fit_params)

    def score(self, X: object, y: object = None) -> float:
        """Log probability of documents given what was learned, in nats per token: higher is better.

        Each word is predicted from the words before it, with the posterior means of the topics: given these,
        the probabilities of all words sum to one, whatever the inference. Not affected by `fold_in`. Tokens
        of unknown words are left out; with an open vocabulary they are predicted by their spelling. For the
        objective of inference see `bound`.

        Raises UserError if no document has a known word.
        """
        return super().score(X)

    def bound(self, X: object) -> float:
        """The lower bound on the log probability of documents that inference maximises, in nats per token.

        It contains E[log beta], and so is far below `score` for rare words: use it to compare runs on the
        same documents, not as a prediction. With `fold_in="sampled"` it is estimated. Unknown words are left
        out.

        Raises UserError if no document has a known word.
        """
        check_is_fitted(self)
        return per_token(*self._now.bound(self._to_read(X)))

    # Words of topics

    def top_words(self, n: int = 10, language: str | None = None, by: str = DEFAULT) -> list[list[str]]:
        """The `n` top words of each topic.

        `by` "support": words that many of the topic's documents support, more than elsewhere, with the first
        30 also ordered by how often they occur within 200 words of each other; "documents": words in a larger
        share of the topic's documents than of all documents, weighted by that share; "company": these, with
        the first 30 also ordered by how often they occur together in documents; "relevance": frequent in the
        topic, and more than elsewhere (Sievert and Shirley 2014, λ of 0.6); "probability": the most frequent.
        For a polylingual model, those of each language in turn, such as "de:haus", or those of one
        `language`. Words of `unused_topics_` are not meaningful. Raises
        UserError for another `by`, for "company" if documents were not counted (streams), and for a language
        that the model does not have.
        """
        check_is_fitted(self)
        return self.learned_.top_words(n, language, by)

    def top_concepts(self, n: int = 10) -> list[list[tuple[str, float]]]:
        """For each topic, (name, share) of the `n` concepts that have most of its tokens; empty lists for a
        model without concepts.
        """
        check_is_fitted(self)
        return self.learned_.top_concepts(n)

    def show_topics(
        self, num_topics: int = 10, num_words: int = 10, formatted: bool = True
    ) -> list[tuple[int, Any]]:
        """The `num_topics` largest topics in gensim's format: (number, '0.021*"word" + …'), largest first.

        Words are the most probable ones, as in gensim. -1 as `num_topics` returns all topics. With
        `formatted` False, a list of (word, probability) replaces the text.
        """
        check_is_fitted(self)
        return self.learned_.show_topics(num_topics, num_words, formatted=formatted)

    # Names, merges, metadata

    def name_topics(self, names: Mapping[int, str | None]) -> Self:
        """Name topics, by number (the row of `components_`); None or "" removes a name.

        Topics with the same name are merged in the report and in `stickbreaker topics`; the model itself does
        not change. Names override those of a guide, and are saved with the model. Raises UserError, without
        naming any topic, for a topic that does not exist, and for a name that is not a text, has more than
        100 characters, or characters that cannot be printed.
        """
        learned = self._with_topics_to("name")
        self._take(learned.renamed(names_by_id(learned, names)), self._columns)
        return self

    def label_prompt(self, documents: Sequence[Sequence[str]] | None = None, top: int = 10) -> str:
        """A prompt by which any language model can name the topics, by their `top` words.

        documents: for each topic, texts of its most typical documents, whose beginnings are added. Give the
        answer to `stickbreaker name --from-file`, or what `names_in_answer` of
        `stickbreaker.topics.names.label_prompt` finds in it to `name_topics`. Nothing is sent anywhere.
        Raises UserError before a fit.
        """
        from stickbreaker.topics.names.label_prompt import prompt_for

        return prompt_for(self._with_topics_to("name"), documents, top)

    def merge_topics(self, topics: Sequence[Sequence[int]]) -> Self:
        """Merge topics for good: each list of topic numbers becomes one topic, as in [[3, 7], [2, 5, 9]].

        The largest topic of a list stays, with the words and documents of all, and its name (or that of the
        largest one that has a name). All other topics keep their words, shares and names, but not their
        numbers: `merges_[-1]` has the new number of each old topic. The model is changed, not copied; shares
        of new documents in the merged topic are about the sums of those before. Stored shares of documents
        are added up, also by date and group. With a guide, its topic stays, and gets the words of all.

        Raises UserError, and changes nothing, for lists of fewer than two topics, that overlap, repeat a
        topic or name one that does not exist, and before a fit.
        """
        from stickbreaker.topics.merging import merged

        before = self._with_topics_to("merge")
        learned = merged(before, topics)
        old, new = before.facts.settings.values(), learned.facts.settings.values()
        for name in old:  # parameters with a value for each topic
            if new[name] is not old[name] and getattr(self, name) is not None:
                setattr(self, name, new[name])
        self._take(learned, self._columns)
        return self

    def reduce_topics(self, n_topics: int) -> Self:
        """Merge similar topics (`merge_topics`) until `n_topics` are left.

        Each time, the two topics become one whose merge loses least of what topics say about words: small
        and similar ones (Slonim and Tishby 1999). Topics with the same name are merged first; unused ones
        become part of the largest. Raises UserError for a number that is not below that of the topics.
        """
        from stickbreaker.topics.merging import groups_for

        return self.merge_topics(groups_for(self._with_topics_to("merge"), n_topics))

    def _with_topics_to(self, verb: str) -> TopicsLearned:
        """What was learned. Raises UserError if nothing was yet, so that there are no topics to `verb`."""
        if not self.__sklearn_is_fitted__():
            raise UserError(f"there are no topics to {verb}", remedy="call fit first")
        return self._now

    def save(self, path: str | Path, *, overwrite: bool = False, documents: object = None) -> None:
        """Save the fitted model to `path`: a directory without pickles, or one file if it ends in .zip.

        documents: what `fit` takes; at most 2,000 of them are stored for the report, with their beginnings.
        Parameters that were set after the fit are not saved, but for those that act on new documents. If the
        model replaces the saved one that it was loaded from, names that others gave to topics of that one
        meanwhile are taken over. Raises UserError if `path` exists, unless `overwrite`.
        """
        super().save(path, overwrite=overwrite, documents=documents)
        names = read_names(Path(path)) if Path(path).is_dir() else self.given_names_
        if names != self.given_names_:
            self._take(self.learned_.renamed(names), self._columns)

    def effects(self, X: object, formula: str, *, draws: int = 25, random_state: int = 0) -> "pd.DataFrame":
        """Effects of documents' metadata on their topics, by a formula as in R: "party + year".

        X: documents with metadata, as for `fit`. Returns one row per topic and term: `topic`, `name`, `term`,
        `estimate` (change of the topic's share, 0 to 1, per unit of the term), `error` (its standard error),
        and the bounds `low` and `high` of the central 95 % of the draws (see `evaluation.effects`). Raises
        UserError for an invalid formula, and if formulaic or pandas is missing.
        """
        from stickbreaker.topics.effects_of_metadata import effects_of_metadata

        check_is_fitted(self)
        found = effects_of_metadata(self._now, self._to_read(X), formula, draws=draws, seed=random_state)
        return as_frame(found.table(self.topic_names_))

    def representative_documents(self, X: object, n: int = 5) -> list[list[int]]:
        """For each topic, the positions in `X` of the `n` documents that have the largest share of it,
        largest first; ties in order of `X`.
        """
        refuse_other_number("n", n)
        theta = self.transform(X)
        return largest(theta.T, n)[0].tolist()
