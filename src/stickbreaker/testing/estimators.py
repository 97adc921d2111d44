"""The laws that every estimator obeys, whatever it learns: for fitting, saving, resuming and scoring."""

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.engines import Interrupted, LocalEngine
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.kinds import kinds
from stickbreaker.estimators.learned import AnyLearned, as_read_now
from stickbreaker.estimators.model_files import load
from stickbreaker.estimators.setting_values import to_json
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.trace import UNTIMED
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.subjects import about
from stickbreaker.topics.evaluation import Topics, completion_of
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.word_ranking import RANKINGS
from stickbreaker.topics.plan import plan_of

Method = Callable[[object], object]  # of an estimator: takes documents
MANY = 40  # documents that are enough for topics
FEW = 8  # documents whose values are compared between forms
WRONG: Mapping[str, object] = {"max_iter": 0, "tol": -1.0, "n_jobs": 0, "random_state": "seed", "engine": "x"}


def untimed(trace: list[dict[str, object]]) -> list[dict[str, object]]:
    """A trace without the fields in which two equal runs may differ, such as times."""
    return [{name: value for name, value in record.items() if name not in UNTIMED} for record in trace]


def contents(path: Path) -> JsonObject:
    """All files of a model's directory by name, for comparison: their bytes; the trace without times."""
    held: JsonObject = {}
    for file in sorted(path.rglob("*")):
        held[str(file.relative_to(path))] = None if file.is_dir() else file.read_bytes()
    held["trace.jsonl"] = untimed([json.loads(line) for line in held["trace.jsonl"].splitlines()])
    return held


def begin(model: Any, corpus: Corpus, path: Path, **options: Any) -> ModelDirectory:
    """Make the directory of a model with a run of an estimator, as `model_runs.begin`."""
    return model_runs.begin(kinds()[model.kind].how(), model.settings, corpus, path, **options)


def new_run(model: Any, corpus: Corpus, seed: int, held_out: float = 0.0) -> tuple[Any, Any]:
    """A run of an estimator that has not begun, and its state."""
    return kinds()[model.kind].how().new_run(model.settings, corpus, seed, held_out)


def settings_text(model: Any) -> str:
    """A fitted model's settings as JSON, as in its manifest."""
    learned: AnyLearned = model.learned_
    return json.dumps(to_json(learned.facts.settings.values(), learned.learner.setting_types))


class StopAfter(Observer):
    """Stops a run as Ctrl-C does, when it has made `steps` steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.stop: Callable[[], None]

    def take(self, stop: Callable[[], None]) -> None:
        """Receive the function that stops the run; called when the run begins."""
        self.stop = stop

    def step(self, job: object, state: object, record: object) -> bool:
        self.left -= 1
        if self.left <= 0:
            self.stop()
        return False


class EstimatorTests(ABC):
    """Tests that hold for every estimator. Subclass and implement `make(**settings)` and `corpus()`.

    Two models count as equal if all files of their directories are equal, except for times in the trace.
    """

    wrong: ClassVar[Mapping[str, object]] = WRONG  # parameters, each with an invalid value
    takes_texts: ClassVar[bool] = True  # whether it learns from texts; else they are refused with a remedy
    _fitted: ClassVar[dict[tuple[object, ...], Any]] = {}

    @abstractmethod
    def make(self, **settings: object) -> Any:
        """A new estimator with five passes or sweeps and `random_state` 0, unless `settings` differ."""

    @abstractmethod
    def corpus(self) -> Corpus:
        """A corpus that is learned quickly: documents for more than two shards, one of them empty."""

    def fitted(self, source: str = "corpus", **settings: object) -> Any:
        """A fitted model, learned once for all tests of a class; returns a copy, whose parameters may be set.

        source: the name of the method that returns the documents to learn from.
        """
        model = self.make(**settings)
        given = repr(sorted(model.get_params().items()))
        key = (type(self), source, self.corpus().fingerprint, given)
        if key not in self._fitted:
            self._fitted[key] = model.fit(getattr(self, source)())
        return copy.copy(self._fitted[key])

    def unseen(self) -> Sequence[object]:
        """Documents without a word that the model knows."""
        return ["zebra", ""]

    def documents(self) -> Sequence[object]:
        """The documents of `corpus()` as a list: texts, or dicts of texts by language."""
        corpus = self.corpus()
        blocks = range(len(corpus.block_sizes))
        return [document.text for block in blocks for document in corpus.documents(block)]

    def methods(self, model: Any) -> dict[str, Method]:
        """All methods that take documents, by name, to test their input: `fit` is that of a new estimator."""
        return {"fit": self.make().fit, "score": model.score, "perplexity": model.perplexity}

    def nothing_to_score(self) -> Sequence[object]:
        """Documents that cannot be scored, because they have no word that can be predicted."""
        return self.unseen()

    def run(self, path: Path, corpus: Corpus, *stops: int, threads: int = 1) -> JsonObject:
        """Fit a new estimator in the directory `path`, with interruptions; returns the files that it leaves.

        stops: numbers of steps; the run is stopped and resumed after each, counted from the last resumption.
        """
        begin(self.make(), corpus, path)
        for steps in stops:
            watch = StopAfter(steps)
            with pytest.raises(Interrupted):
                model_runs.resume(path, every=0.0, threads=threads, watch=[watch], stopper=watch.take)
        model_runs.resume(path, every=60.0, threads=threads)
        return contents(path)

    def saved(self, model: Any, path: Path) -> JsonObject:
        """Save a fitted model at `path`; returns the directory's files for comparison (`contents`)."""
        model.save(path)
        return contents(path)

    def test_same_bytes_for_any_number_of_threads(self, tmp_path: Path) -> None:
        """Law 2: the same files for any number of threads; another seed gives other numbers."""
        corpus = self.corpus()
        models = [self.fitted(n_jobs=n) for n in (1, 2, 3)]
        first, *others = [self.saved(model, tmp_path / str(i)) for i, model in enumerate(models)]
        assert all(other == first for other in others)
        assert models[1].score(corpus) == models[0].score(corpus)
        reseeded = self.make().set_params(random_state=77).fit(corpus)
        assert self.saved(reseeded, tmp_path / "seed")["state.safetensors"] != first["state.safetensors"]

    def test_saved_and_loaded_gives_the_same_numbers(self, tmp_path: Path) -> None:
        """Law 8: a saved and loaded model gives the same numbers, and has the same parameters."""
        corpus, model = self.corpus(), self.fitted()
        first = self.saved(model, tmp_path / "first")
        loaded = type(model).load(tmp_path / "first")
        assert self.saved(loaded, tmp_path / "second") == first
        assert loaded.score(corpus) == model.score(corpus)
        assert loaded.trace_ == model.trace_
        assert settings_text(loaded) == settings_text(model)
        model.save(tmp_path / "one.zip")
        packed = type(model).load(tmp_path / "one.zip")
        assert self.saved(packed, tmp_path / "third") == first
        learned = load(tmp_path / "first")
        assert learned.kind == model.kind
        assert learned.log_probability(corpus) == model.learned_.log_probability(corpus)

    def test_a_resumed_run_equals_an_uninterrupted_one(self, tmp_path: Path) -> None:
        """Law 2: a run that is stopped twice, and resumed with other threads, gives the same files."""
        corpus = self.corpus().write(tmp_path / "corpus")
        whole = self.run(tmp_path / "whole", corpus)
        assert len(whole["trace.jsonl"]) >= 4
        assert self.run(tmp_path / "halves", corpus, 1, 1, threads=2) == whole

    def test_a_callback_ends_the_run(self) -> None:
        seen: list[int] = []

        def watch(record: JsonObject) -> bool:
            seen.append(record["step"])
            return record["step"] == 2

        model = self.make(callbacks=[watch]).fit(self.corpus())
        assert [record["step"] for record in model.trace_] == seen[-2:] == [1, 2]
        assert 3 not in seen
        assert np.isfinite(model.score(self.corpus()))
        assert len(self.make(callbacks=[lambda record: record["step"]]).fit(self.corpus()).trace_) > 2

    @about("inputs")
    def test_a_wrong_parameter_is_named_in_one_line(self) -> None:
        corpus = self.corpus()
        for name, value in self.wrong.items():
            with pytest.raises(UserError) as error:
                self.make(**{name: value}).fit(corpus)
            line = str(error.value)
            assert name in line, (name, line)
            assert "\n" not in line
            assert ";" in line, "a remedy follows"

    def test_it_can_be_cloned_and_fitted_again(self, tmp_path: Path) -> None:
        """Fitting again gives the same model, and so does a clone; parameters keep their given values."""
        from sklearn.base import clone

        corpus, model = self.corpus(), self.make()
        given = dict(model.get_params())
        first = self.saved(model.fit(corpus), tmp_path / "first")
        assert model.get_params() == given
        copied: Any = clone(model)
        assert repr(copied.get_params()) == repr(given)
        assert self.saved(copied.fit(corpus), tmp_path / "copied") == first
        assert self.saved(model.fit(corpus), tmp_path / "again") == first

    @about("inputs")
    def test_what_is_not_fitted_says_so(self, tmp_path: Path) -> None:
        from sklearn.exceptions import NotFittedError

        for use in (lambda: self.make().score(self.corpus()), lambda: self.make().save(tmp_path / "model")):
            with pytest.raises(NotFittedError):
                use()
        assert not (tmp_path / "model").exists()

    @about("inputs")
    def test_nothing_to_learn_from_or_to_score_is_refused(self) -> None:
        model = self.fitted()
        for use, X in ((self.make().fit, []), (model.score, self.nothing_to_score())):
            with pytest.raises(UserError) as error:
                use(X)
            assert "\n" not in str(error.value)

    @about("inputs")
    def test_documents_come_in_every_form(self, tmp_path: Path) -> None:
        """The same texts in any accepted form (list, generator, array, table …) give the same results."""
        if not self.takes_texts:
            with pytest.raises(UserError, match="trees"):
                self.make().fit(["a text without trees"])
            return
        documents = list(self.documents())
        model = self.fitted("documents")
        first = self.saved(model, tmp_path / "list")
        assert self.saved(self.make().fit(one for one in documents), tmp_path / "generator") == first
        few = documents[-FEW:]
        values = {name: taken(few) for name, taken in self.readings(model).items()}
        for form, given in forms_of_texts(few).items():
            for name, taken in self.readings(model).items():
                assert same_values(taken(given()), values[name]), (form, name)

    @about("inputs")
    def test_tokens_come_in_every_form(self) -> None:
        """The same lists of tokens in any accepted form (arrays, Arrow columns …) give the same results."""
        documents = self.documents()[-FEW:] if self.takes_texts else [None]
        if not isinstance(documents[0], str):
            return  # a text for each of several languages has no list of tokens
        model = self.fitted("documents")
        tokens = [model.analysis_.analyse(text).words for text in documents]
        values = {name: taken(tokens) for name, taken in self.readings(model).items()}
        for form, given in forms_of_tokens(tokens).items():
            for name, taken in self.readings(model).items():
                assert same_values(taken(given()), values[name]), (form, name)

    @about("inputs")
    def test_scikit_learn_names_the_topics_of_a_column_of_texts(self) -> None:
        """In tables, pipelines and unions, columns of topics have names, and the shares are those of `fit`.

        This holds for pandas and polars, and a copy of a fitted model has no topics.
        """
        documents = list(self.documents())[:MANY] if self.takes_texts else []
        if not documents or not hasattr(self.make(), "transform"):
            return
        from sklearn.base import clone
        from sklearn.compose import ColumnTransformer
        from sklearn.pipeline import FeatureUnion, make_pipeline
        from sklearn.preprocessing import StandardScaler

        pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
        model = self.make()
        shares, names = model.fit_transform(documents), model.get_feature_names_out(["body"])
        table: Any = ColumnTransformer([("own", self.make(), "body"), ("rest", "passthrough", ["year"])])
        frame = pandas.DataFrame({"body": documents, "year": 1988}, index=range(5, 5 + len(documents)))
        for library, given in (("pandas", frame), ("polars", polars.DataFrame(frame.to_dict("list")))):
            found = clone(table).set_output(transform=library).fit_transform(given)
            assert list(found.columns) == [*(f"own__{name}" for name in names), "rest__year"]
            assert same_values(found.to_numpy()[:, :-1].astype(float), shares)
            assert library == "polars" or found.index.equals(frame.index)
        steps: Any = make_pipeline(FeatureUnion([("one", self.make())]), StandardScaler()).fit(documents)
        assert steps.get_feature_names_out().tolist() == [f"one__{name}" for name in names]
        assert not clone(steps[0].transformer_list[0][1]).__sklearn_is_fitted__()

    def readings(self, model: Any) -> dict[str, Method]:
        """A fitted model's methods that take documents and return numbers, by name.

        Tests compare their results for several forms of the same documents.
        """
        return {"score": model.score}

    @about("inputs")
    def test_what_cannot_be_documents_is_refused_with_the_remedy(self) -> None:
        """Every method refuses what cannot be documents, such as bytes, in one line with a remedy."""
        documents = list(self.documents())[:FEW] if self.takes_texts else ["a text"]
        model = self.fitted("documents") if self.takes_texts else self.fitted()
        for given, said in wrong_documents(documents):
            for name, take in self.methods(model).items():
                with pytest.raises(UserError) as error:
                    take(given)
                assert said in str(error.value), (name, said, str(error.value))
                assert "\n" not in str(error.value)

    @about("inputs")
    def test_a_matrix_of_zeros_is_nothing_to_learn_from(self) -> None:
        with pytest.raises(UserError) as error:
            self.make().fit(np.zeros((4, 3)))
        assert "\n" not in str(error.value)


def forms_of_texts(documents: Sequence[object]) -> dict[str, Callable[[], object]]:
    """The same documents in other forms that estimators accept, as functions by the form's name.

    documents: texts, or dicts of texts by language.
    """
    forms: dict[str, Callable[[], object]] = {
        "tuple": lambda: tuple(documents),
        "generator": lambda: iter(documents),
    }
    texts = [document for document in documents if isinstance(document, str)]
    if texts:
        forms |= {
            "array": lambda: np.array(texts, object),
            "column": lambda: pa.array(texts),
            "table": lambda: pa.table({"year": [1988] * len(texts), "text": texts}),
            "batches": lambda: pa.table({"text": texts}).to_reader(),
            "records": lambda: [{"text": text, "year": 1988} for text in texts],
        }
    return forms


def forms_of_tokens(tokens: Sequence[Sequence[str]]) -> dict[str, Callable[[], object]]:
    """The same lists of tokens in other forms that estimators accept, as functions by the form's name."""
    return {
        "arrays": lambda: [np.array(document, object) for document in tokens],
        "array of arrays": lambda: as_array_of_arrays(tokens),
        "column": lambda: pa.array(tokens, pa.list_(pa.string())),
        "table": lambda: pa.table({"text": pa.array(tokens, pa.list_(pa.string()))}),
        "records": lambda: [{"text": document} for document in tokens],
        "generator": lambda: (iter(document) for document in tokens),
    }


def as_array_of_arrays(tokens: Sequence[Sequence[str]]) -> NDArray[np.object_]:
    """Lists of tokens as pandas has them after reading a Parquet column of lists: an array of arrays."""
    out = np.empty(len(tokens), object)
    out[:] = [np.array(document, object) for document in tokens]
    return out


def wrong_documents(documents: Sequence[object]) -> list[tuple[object, str]]:
    """Objects that every method must refuse as documents, each with text that the error must contain."""
    nan = float("nan")
    return [
        ([[], [(0, 2), (1, 1)]], "Corpus.from_gensim"),
        ([[(0, 2), (1, 1)], [(0, 1), (2, 1)]], "Corpus.from_gensim"),
        ([nan, *documents], "document 0 is missing (nan); leave it out"),
        ([*documents, None], "is missing (None); leave it out"),
        ([b"a cat", *documents], 'decode it: value.decode("utf-8")'),
        (b"a cat", "decode"),
        ("a cat", "give a list of texts"),
        (set("ab"), "give a list of texts"),
        (Path("a.txt"), "Corpus.build(path)"),
        ([Path("a.txt")], "Corpus.build(paths)"),
        ([[1, 2], [3]], "give tokens as strings"),
        ([{"body": "a cat"}], "Corpus.from_frame"),
        (pa.table({"body": ["a cat"]}), "Corpus.from_frame"),
    ]


def same_values(one: object, other: object) -> bool:
    """Whether two arrays or numbers are equal to the last bit."""
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()


class TopicEstimatorTests(EstimatorTests):
    """Tests that hold for every estimator with topics: those of `EstimatorTests`, and more."""

    def methods(self, model: Any) -> dict[str, Method]:
        own = {"transform": model.transform, "representatives": model.representative_documents}
        new = {"fit_transform": self.make().fit_transform, "partial_fit": self.make().partial_fit}
        return {**super().methods(model), **own, **new}

    def readings(self, model: Any) -> dict[str, Method]:
        return {**super().readings(model), "transform": model.transform}

    @about("inputs")
    def test_fit_transform_of_a_generator_is_that_of_its_list(self) -> None:
        documents = list(self.documents())
        whole = self.fitted("documents").transform(documents)
        assert same_values(self.make().fit_transform(one for one in documents), whole)
        assert same_values(self.make().fit_transform(documents), whole)

    def nothing_to_score(self) -> Sequence[object]:
        return ["", ""] if plan_of(self.make().settings).is_open else self.unseen()

    def test_probabilities_of_one_word_documents_sum_to_one(self) -> None:
        """The probabilities of all possible documents of one word sum to one.

        This holds in each language, over all strings if the vocabulary is open, and for each way of fold-in.
        """
        model = self.fitted()
        words = model.vocabulary_.words
        alone = [Corpus.from_matrix(row[None, :], feature_names=words) for row in np.eye(len(words))]
        p = np.exp([model.score(one) for one in alone])
        assert p == pytest.approx(model.alpha_ / model.alpha_.sum() @ self.mean_words(model), rel=1e-9)
        others = 0.0
        if model.learned_.is_open:
            strings = [*words, "zebra"]
            spelled = np.exp(model.learned_.model.words.log_spelling(model.params_, strings))
            others = np.exp(model.score(["zebra"])) * (1.0 - spelled[:-1].sum()) / spelled[-1]
        for rows in model.vocabulary_.parts:
            assert p[rows].sum() + others == pytest.approx(1.0, abs=1e-9)
        sampled = model.set_params(fold_in="sampled")
        assert np.exp([sampled.score(one) for one in alone]).tolist() == p.tolist()

    def mean_words(self, model: Any) -> Array:
        """E[beta] of known words (topics × words).

        With an open vocabulary, this includes the probability that a topic's new words are spelled like them.
        """
        if not model.learned_.is_open:
            return model.topic_word_
        spelled = np.exp(model.learned_.model.words.log_spelling(model.params_, model.vocabulary_.words))
        return model.topic_word_ + np.outer(model.rest_, spelled)

    def test_scores_do_not_depend_on_the_order_of_the_vocabulary(self) -> None:
        """A model whose words are listed the other way round gives documents the same shares and scores.

        Only for topics over the words of one language, where the table of counts can be turned.
        """
        model: Any = self.fitted()
        if not model.learned_.model.words.dirichlet or model.vocabulary_.languages or np.ndim(model.eta_):
            return
        model, engine = model.set_params(fold_in="sampled"), LocalEngine(1)
        own = as_read_now(model.learned_, model)
        words = own.vocabulary.at(range(len(own.vocabulary))[::-1])
        facts = replace(own.facts, vocabulary=words)
        turned = own.plan.model(words, facts.analysis)
        engine.start(turned, own.engine.table.counts(slice(None))[::-1])
        other = type(model).of(TopicsLearned.of(facts, turned, engine, own.state))
        corpus = self.corpus()
        assert other.vocabulary_.words == model.vocabulary_.words[::-1]
        assert other.score(corpus) == pytest.approx(model.score(corpus), rel=1e-9)
        assert np.abs(other.transform(corpus) - model.transform(corpus)).max() < 1e-3
        predicted = [
            completion_of(Topics(one.topic_word, one.alpha, one.vocabulary, one.shares_of_bags), given).nats
            for one in (own, other.learned_)
            for given in [corpus.with_vocabulary(one.vocabulary)]
        ]
        assert predicted[1] == pytest.approx(predicted[0], rel=1e-6)

    def test_log_probability_is_a_sum_over_documents(self) -> None:
        """The log probability of documents is a sum over them; the bound is below it."""
        corpus, model = self.corpus(), self.fitted()
        counts, words = self.counts(corpus)
        parts = [counts[:7], counts[7:140], counts[140:]]
        scored = [
            model.learned_.log_probability(Corpus.from_matrix(part, feature_names=words)) for part in parts
        ]
        nats, tokens = model.learned_.log_probability(corpus)
        assert np.sum(scored, axis=0) == pytest.approx([nats, tokens], rel=1e-12)
        assert model.bound(corpus) < model.score(corpus) == nats / tokens < 0.0
        assert model.perplexity(corpus) == np.exp(-model.score(corpus))

    def test_topic_shares_are_the_same_for_any_number_of_threads(self) -> None:
        """Law 2: the same topic shares for any number of threads."""
        corpus = self.corpus()
        models = [self.fitted(n_jobs=n) for n in (1, 2, 3)]
        first, *others = [model.transform(corpus).tobytes() for model in models]
        assert all(other == first for other in others)
        first, *others = [[model.top_words(5, by=by) for by in RANKINGS] for model in models]
        assert all(other == first for other in others)

    def test_words_are_counted_in_the_documents_learned_from(self) -> None:
        """Counts of documents by word and topic (`word_documents_`) agree with a count over the corpus."""
        corpus, model = self.corpus(), self.fitted()
        counted = model.word_documents_
        assert [side.rows for side in counted.sides] == list(model.vocabulary_.parts)
        matrix, words = self.counts(corpus)
        of_word = dict(zip(words, (matrix > 0).sum(axis=0).tolist(), strict=True))
        for side in counted.sides:
            assert (side.documents <= side.of_word * (1.0 + 1e-9)).all()
            assert side.totals.sum() == pytest.approx(side.total, rel=1e-9)
            spelled = [model.vocabulary_.words[row] for row in side.words[0].tolist()]
            assert side.of_word[0].tolist() == [of_word[word] for word in spelled]
        assert all(model.top_words(3, by=by) for by in RANKINGS)

    def test_saved_and_loaded_gives_the_same_topics(self, tmp_path: Path) -> None:
        """Law 8: a saved and loaded model gives the same topics, names and shares.

        The shares do not depend on the order of documents or words.
        """
        corpus, model = self.corpus(), self.fitted().name_topics({0: "first"})
        model.save(tmp_path / "model")
        loaded = type(model).load(tmp_path / "model")
        theta = model.transform(corpus)
        assert loaded.topic_names_ == model.topic_names_
        assert loaded.topic_names_[0] == "first"
        assert loaded.transform(corpus).tobytes() == theta.tobytes()
        assert loaded.components_.tobytes() == model.components_.tobytes()
        assert loaded.topic_word_.tobytes() == model.topic_word_.tobytes()
        for by in RANKINGS:
            assert loaded.top_words(5, by=by) == model.top_words(5, by=by)
        counts, words = self.counts(corpus)
        order, generator = np.arange(len(words)), np.random.default_rng(0)
        generator.shuffle(order)
        documents = generator.permutation(len(counts))
        names = [words[column] for column in order]
        shuffled = Corpus.from_matrix(counts[documents][:, order], feature_names=names)
        assert loaded.transform(shuffled).tobytes() == theta[documents].tobytes()

    def test_topic_shares_are_a_function_of_the_document(self) -> None:
        """A document's topic shares do not depend on other documents, their order, or threads.

        A document without known words has the prior's shares.
        """
        corpus, model = self.corpus(), self.fitted()
        whole = model.transform(corpus)
        assert np.abs(whole.sum(axis=1) - 1.0).max() < 1e-9
        counts, words = self.counts(corpus)
        for rows in (slice(7, 8), slice(40, 200)):
            alone = Corpus.from_matrix(counts[rows], feature_names=words)
            assert model.transform(alone).tobytes() == whole[rows].tobytes()
        assert model.set_params(n_jobs=3).transform(corpus).tobytes() == whole.tobytes()
        unknown = model.transform(self.unseen())
        assert np.abs(unknown - model.alpha_ / model.alpha_.sum()).max() < 1e-9

    def counts(self, corpus: Corpus) -> tuple[Array, list[str]]:
        """A corpus as a matrix (documents × words), and the names of its columns."""
        out = np.zeros((corpus.n_documents, corpus.n_words))
        first = 0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            rows = first + np.repeat(np.arange(len(bags.offsets) - 1), np.diff(bags.offsets))
            out[rows, bags.words] = bags.counts
            first += len(bags.offsets) - 1
        return out, list(corpus.vocabulary.words)
