"""LDA keeps scikit-learn's conventions, and this library's: no result depends on threads or company."""

import copy
import itertools
import logging
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.running import TOPICS

import stickbreaker
from stickbreaker import (
    HDP,
    LDA,
    AdaptorGrammar,
    Corpus,
    Gibbs,
    NgramModel,
    Online,
    SyntacticTopics,
    TopicNgramModel,
    UserError,
)
from stickbreaker.corpus.shards import shard_of
from stickbreaker.testing.estimators import untimed
from stickbreaker.topics.evaluation import completion_of
from stickbreaker.topics.model.solvers.mean_field import tokens_of_documents


def quick(**settings):
    """An LDA for small data: three topics, one thread, no end but max_iter."""
    return LDA(**{"n_topics": 3, "max_iter": 4, "tol": 0.0, "n_jobs": 1, "random_state": 0, **settings})


def counts(documents=40, words=12, seed=0):
    return np.random.default_rng(seed).poisson(0.7, (documents, words)).astype(float)


def same(one, other):
    """Whether two fitted models are equal to the last byte."""
    names = ("components_", "topic_word_", "alpha_", "eta_", "topic_shares_", "bound_", "n_iter_")
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return arrays and untimed(one.trace_) == untimed(other.trace_)


@parametrize_with_checks(
    [kind(n_topics=3, max_iter=3, n_jobs=1, random_state=0) for kind in (LDA, HDP)]
    + [LDA(n_topics=3, words="open", max_iter=3, n_jobs=1, random_state=0)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


# Input and output


def test_names_of_the_columns(texts):
    pytest.importorskip("pandas")
    lda = quick().set_output(transform="pandas").fit(texts)
    assert lda.get_feature_names_out().tolist() == ["lda0", "lda1", "lda2"]
    assert lda.transform(texts[:2]).columns.tolist() == ["lda0", "lda1", "lda2"]


@pytest.mark.parametrize("words", ["closed", "open"])
def test_names_of_the_columns_do_not_depend_on_that_of_the_texts(texts, words, tmp_path):
    """Texts are one column, whatever it is called; a matrix has those of the fit, and no others."""
    lda = quick(words=words).fit(texts)
    lda.save(tmp_path / "m")
    for model in (lda, LDA.load(tmp_path / "m")):
        assert model.get_feature_names_out(["text"]).tolist() == ["lda0", "lda1", "lda2"]
    lda.fit(np.ones((3, 2)))
    assert len(lda.get_feature_names_out(["a", "b"])) == 3
    with pytest.raises(ValueError, match="equal to number of features"):
        lda.get_feature_names_out(["text"])


def test_an_open_vocabulary_has_the_columns_of_its_first_matrix(texts):
    """More texts, or a corpus with other words, add words; a matrix has the columns of the fit."""
    lda = quick(words="open").fit(texts)
    assert not hasattr(lda, "n_features_in_"), "texts have no columns"
    lda.partial_fit(["a novel word"]).partial_fit(np.ones((2, 3))).partial_fit(np.ones((2, 4)))
    assert {"novel", "x3"} <= set(lda.vocabulary_.words)
    lda = quick(words="open").fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="X has 3 features, but LDA is expecting 2"):
        lda.partial_fit(np.ones((3, 3)))
    lda.partial_fit(Corpus.from_matrix(np.ones((3, 3)), ["x0", "boat", "bank"])).partial_fit(["a novel word"])
    assert lda.n_features_in_ == 2
    assert lda.transform(np.ones((3, 2))).shape == (3, 3)
    assert {"boat", "novel"} <= set(lda.vocabulary_.words)


@pytest.mark.parametrize("width", [11, 12])
@pytest.mark.parametrize("value", [1.0, -1.0, np.nan, np.inf, -np.inf, 0.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_rows_that_need_no_check_are_those_that_pass_it(monkeypatch, width, value, dtype):
    lda = quick().fit(counts())
    pandas = pytest.importorskip("pandas")
    named = quick().fit(pandas.DataFrame(counts(), columns=[f"w{word}" for word in range(12)]))
    matrices = [
        make(np.full((height, width), value).astype(dtype))
        for make in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array)
        for height in (0, 1, 3)
        if np.isfinite(value) or dtype != np.int64
    ]
    for model, X in itertools.product((lda, named), matrices):
        outcomes = []
        for passes in (type(model)._passes, lambda self, X: False):
            monkeypatch.setattr("stickbreaker.estimators.front.Front._passes", passes)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    found = model.transform(X).tolist()
                except ValueError as error:
                    found = repr(error)
            outcomes.append((found, [str(one.message) for one in caught]))
            monkeypatch.undo()
        assert outcomes[0] == outcomes[1]


def test_named_columns_are_words():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(counts(words=3), columns=["fish", "boat", "coin"])
    lda = quick().fit(frame)
    assert lda.vocabulary_.words == ("fish", "boat", "coin")
    with pytest.raises(ValueError, match="feature names"):
        lda.transform(frame[["coin", "boat", "fish"]])
    lda.fit(counts(words=3))
    assert not hasattr(lda, "feature_names_in_")


def test_words_of_texts_are_the_names_of_features(texts):
    lda = quick().fit(texts)
    assert tuple(lda.feature_names_in_) == lda.vocabulary_.words
    assert len(lda.feature_names_in_) == lda.n_features_in_
    matrix = np.eye(lda.n_features_in_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # columns without names go by their place
        by_array, by_matrix = lda.transform(matrix), lda.transform(sparse.csr_array(matrix))
    assert by_array.tobytes() == by_matrix.tobytes()
    assert by_array[0].tobytes() == lda.transform([lda.vocabulary_.words[0]])[0].tobytes()
    with pytest.raises(ValueError, match="X has 3 features, but LDA is expecting"):
        lda.transform(np.eye(3))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(matrix, columns=lda.feature_names_in_)
    assert lda.transform(frame).tobytes() == by_array.tobytes()
    with pytest.raises(ValueError, match="feature names"):
        lda.transform(frame[frame.columns[::-1]])


def test_documents_have_no_weights(texts):
    with pytest.raises(
        TypeError, match=r"LDA.fit has no sample_weight: documents have no weights; repeat those"
    ):
        quick().fit(texts, sample_weight=[1.0] * len(texts))
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        quick().fit(texts, weights=None)


def test_a_verbose_fit_prints_a_line_a_pass(texts, capsys):
    model = LDA(2, max_iter=4, tol=0.0, random_state=0, verbose=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(texts)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"pass {n}" for n in range(1, 5)]
    logger = logging.getLogger("stickbreaker")
    assert not logger.handlers
    assert logger.level == logging.NOTSET
    quick().fit(texts)
    assert not capsys.readouterr().err
    online = LDA(2, schedule=Online(batch_size=10), max_iter=2, random_state=0, verbose=1).fit(texts)
    assert online.n_iter_ == len(capsys.readouterr().err.splitlines())


def test_lines_go_where_a_user_has_sent_them(texts, capsys, caplog):
    with caplog.at_level(logging.INFO, logger="stickbreaker"):
        quick(verbose=True).fit(texts)
    assert "pass 1, step 1" in caplog.text
    assert not capsys.readouterr().err


def test_what_a_fit_prints_is_not_saved(texts, tmp_path):
    quick(verbose=True).fit(texts).save(tmp_path / "m")
    assert LDA.load(tmp_path / "m").verbose is False


OF_OTHER_KINDS = {
    "engine",
    "n_init",
    "guide",
    "prior",
}  # parameters of some, fixed in others
SCIKIT_LEARN = {"get_params", "set_params", "get_metadata_routing"}  # methods of every estimator there
OF_TRANSFORMERS = {"fit_transform", "get_feature_names_out", "set_output"}


@pytest.mark.parametrize("made", [LDA, HDP, NgramModel, TopicNgramModel, SyntacticTopics, AdaptorGrammar])
def test_users_see_what_the_docs_show(made):
    """A class has no public name, own or inherited, but parameters, documented methods, what is learned.

    Editors complete from these names, without `dir`. What runs, files and reports call has an underscore.
    """
    pages = sorted((Path(__file__).parents[2] / "docs" / "reference" / "api").glob("*.md"))
    text = "\n".join(page.read_text("utf-8") for page in pages)
    members = re.search(rf"autoclass:: stickbreaker.{made.__name__}\n   :members: (.*)", text)[1].split(", ")
    model = made("unigram") if made is AdaptorGrammar else made()
    public = {
        name
        for one in made.__mro__
        for name in (*vars(one), *vars(one).get("__annotations__", {}))
        if not name.startswith("_") and not name.endswith("_")
    }
    expected = {*members, *model.get_params(), *SCIKIT_LEARN, "kind"}
    if hasattr(made, "transform"):
        expected |= OF_TRANSFORMERS
    if made is AdaptorGrammar:
        expected |= {"set_fit_request"}  # scikit-learn's, since `fit` takes `sample_weight`
    assert expected <= public <= expected | OF_OTHER_KINDS
    shown = {name for name in dir(model) if not name.startswith("_")}
    assert {*model.get_params(), "fit", "load"} <= shown <= public
    for name in shown:
        assert getattr(model, name, "nothing") != "nothing", "works before a fit"


def test_a_column_of_texts(texts):
    pandas = pytest.importorskip("pandas")
    expected = quick().fit(texts)
    assert same(quick().fit(np.array(texts)), expected)
    assert same(quick().fit(pandas.Series(texts, index=range(5, 65))), expected)


def columns_of(texts):
    """Columns and tables with the same texts, by what they are."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    years = list(range(len(texts)))
    made = {"text": texts, "year": years}
    return {
        "pandas column": pandas.Series(texts, index=years[::-1]),
        "polars column": polars.Series(texts),
        "arrow column": pyarrow.array(texts),
        "arrow column in parts": pyarrow.chunked_array([texts[:20], texts[20:]]),
        "pandas table": pandas.DataFrame(made),
        "polars table": polars.DataFrame(made),
        "arrow table": pyarrow.table(made),
    }


@pytest.mark.parametrize("kind", columns_of(["a"] * 21))
def test_columns_and_tables_of_texts(texts, kind):
    X = columns_of(texts)[kind]
    own = quick().fit(texts)
    assert same(quick().fit(X), own)
    assert np.array_equal(own.transform(X), own.transform(texts))


@pytest.mark.parametrize("kind", ["pandas table", "polars table", "arrow table"])
def test_a_table_without_a_column_of_that_name(texts, kind):
    X = columns_of(texts)[kind]
    renamed = X.rename_columns(["body", "year"]) if kind[0] == "a" else X.rename(**renaming(kind))
    with pytest.raises(UserError, match=r"no column 'text' \(columns: body, year\); give the column alone"):
        quick().fit(renamed)


def renaming(kind):
    """How a table of a package renames its column of texts."""
    names = {"text": "body"}
    return {"columns": names} if kind[:2] == "pa" else {"mapping": names}


def test_other_kinds_suggest_what_they_have():
    with pytest.raises(TypeError, match="NgramModel has no parameter 'n_components'; it has order, samples"):
        NgramModel(n_components=3)

    class Mine(LDA):
        def __init__(self, size):
            super().__init__(n_topics=size)

    assert (Mine(3).n_topics, clone(quick()).n_topics) == (3, 3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_topics'"):
        Mine(n_topics=3)


def test_the_package_lists_what_there_is():
    assert set(stickbreaker.__all__) <= set(dir(stickbreaker))
    assert all(getattr(stickbreaker, name) is not None for name in stickbreaker.__all__)
    assert not {"importlib", "Any", "TYPE_CHECKING"} & set(dir(stickbreaker))


def test_kinds_of_input_agree(texts):
    corpus = Corpus.from_texts(texts)
    matrix = np.zeros((corpus.n_documents, corpus.n_words))
    bags = corpus.bags(0)
    rows = np.repeat(np.arange(corpus.n_documents), np.diff(bags.offsets))
    matrix[rows, bags.words] = bags.counts
    lda = quick().fit(texts)
    theta = lda.transform(texts)
    tokens = [text.split() for text in texts]
    for X in (corpus, tokens, tuple(tokens), matrix, sparse.csr_matrix(matrix), sparse.coo_array(matrix)):
        assert np.array_equal(lda.transform(X), theta)
    for X in (corpus, Corpus.from_matrix(matrix, feature_names=corpus.vocabulary.words)):
        assert same(quick().fit(X), lda)


def test_a_pipeline_with_counts(texts):
    from sklearn.feature_extraction.text import CountVectorizer

    pipeline = make_pipeline(CountVectorizer(), quick())
    assert pipeline.fit_transform(texts).shape == (60, 3)


def test_copies(texts):
    lda = quick(schedule=Online(batch_size=16), callbacks=[print]).fit(texts)
    for other in (pickle.loads(pickle.dumps(lda)), copy.deepcopy(lda)):
        assert same(other, lda)
        assert np.array_equal(other.transform(texts), lda.transform(texts))
        assert same(other.partial_fit(texts), copy.deepcopy(lda).partial_fit(texts))
    assert clone(lda).get_params() == lda.get_params()


@pytest.mark.parametrize("method", ["transform", "score", "perplexity", "top_words", "save"])
def test_not_fitted(method, tmp_path):
    broken = quick(alpha=-1)
    for start in (broken.fit, broken.partial_fit):
        with pytest.raises(UserError):
            start(counts())
        argument = {"top_words": 3, "save": tmp_path / "model"}.get(method, counts())
        with pytest.raises(NotFittedError):
            getattr(broken, method)(argument)


def test_a_failed_first_step_fixes_no_vocabulary(texts):
    lda = quick(max_iter=0)
    with pytest.raises(UserError):
        lda.partial_fit(["some other words"])
    assert same(lda.set_params(max_iter=4).partial_fit(texts), quick().partial_fit(texts))


# A function of the document alone


@pytest.mark.parametrize("n_topics", [3, 130])
def test_transform_is_a_function_of_the_document(n_topics):
    draw = np.random.default_rng(1)
    X = counts(300, 20) * draw.random((300, 20))  # weights whose sums are rounded; several shards
    lda = quick(n_topics=n_topics, max_iter=2).fit(X)
    theta = lda.transform(X)
    assert np.allclose(theta.sum(axis=1), 1, atol=1e-12)
    assert (theta > 0).all()
    order = draw.permutation(300)
    assert np.array_equal(lda.transform(X[order]), theta[order])
    assert np.array_equal(lda.transform(X[order[:37]]), theta[order[:37]])
    assert np.array_equal(np.concatenate([lda.transform(row[None]) for row in X[:60]]), theta[:60])
    assert np.array_equal(lda.set_params(n_jobs=3).transform(X), theta)


def test_weights_of_a_document_add_up_alone():
    """Differences of running sums would carry the rounding of the documents before."""
    draw = np.random.default_rng(0)
    weights = (draw.random((100, 7)) + 0.01) * 10.0 ** draw.integers(-8, 9, (100, 1))
    bags = Corpus.from_matrix(weights).bags(0)
    together = tokens_of_documents(shard_of(bags, np.arange(100), 7))
    alone = [tokens_of_documents(shard_of(bags.slice(d, d + 1), np.arange(1), 7))[0] for d in range(100)]
    assert np.array_equal(together, alone)


def test_documents_without_known_words(texts):
    lda = quick(alpha=[0.2, 0.3, 0.5]).fit(texts)
    for X in (["", "zebra"], [[], ["zebra"]], np.zeros((2, 24)), [[]], [""]):
        theta = lda.transform(X)
        assert np.array_equal(theta, np.tile(lda.alpha_ / lda.alpha_.sum(), (len(X), 1)))
    assert np.array_equal(lda.transform(["river zebra"]), lda.transform(["river"]))
    for X in (["zebra"], [[]]):
        with pytest.raises(UserError, match="nothing to score"):
            lda.score(X)


def test_wholly_unseen_documents_warn(texts):
    lda = quick().fit(texts)
    with pytest.warns(UserWarning, match="no document has a word that the model knows"):
        shares = lda.transform(["haus dach", "meer"])
    assert shares == pytest.approx(np.tile(lda.alpha_ / lda.alpha_.sum(), (2, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda.transform(["haus dach", "river"])


def test_the_score_of_a_word_never_met_is_its_posterior_mean():
    lda = LDA(1, random_state=0).fit(np.array([[5, 3, 0], [2, 4, 0]] * 10))
    assert lda.score([[0, 0, 1]]) == pytest.approx(np.log(lda.topic_word_[0, 2]), rel=1e-12)
    assert lda.score([[0, 0, 1]]) == pytest.approx(-9.547, abs=1e-3)
    assert lda.bound([[0, 0, 1]]) == pytest.approx(-105.5, abs=0.1)
    assert lda.perplexity([[0, 0, 3]]) == pytest.approx(1 / lda.topic_word_[0, 2], rel=1e-12)


def test_a_grid_search_chooses_what_predicts_best():
    """Topics drawn with eta 0.05; the bound prefers 0.3, for words that are rare in what was learned from."""
    rng = np.random.default_rng(0)
    topics, shares = rng.dirichlet(np.full(400, 0.05), 4), rng.dirichlet(np.full(4, 0.2), 150)
    X = np.array([rng.multinomial(30, theta @ topics) for theta in shares])
    etas, halves = [0.01, 0.1, 0.3], KFold(2)
    lda = LDA(4, max_iter=20, tol=0.0, random_state=0, n_jobs=1)
    assert GridSearchCV(lda, {"eta": etas}, cv=halves, refit=False).fit(X).best_params_ == {"eta": 0.1}
    found = {}
    for eta in etas:
        models = [(clone(lda).set_params(eta=eta).fit(X[train]), X[test]) for train, test in halves.split(X)]
        completed = [completion_of(m, x).nats for m, x in models]
        found[eta] = (sum(completed), sum(m.bound(x) for m, x in models))
    assert max(etas, key=lambda eta: found[eta][0]) == 0.1
    assert max(etas, key=lambda eta: found[eta][1]) == 0.3


def test_score_is_a_mean_over_tokens(texts):
    lda = quick().fit(texts)
    alone = [lda.score([text]) for text in texts[:20]]
    lengths = [len(text.split()) for text in texts[:20]]
    assert lda.score(texts[:20]) == pytest.approx(np.average(alone, weights=lengths), rel=1e-12)
    assert lda.perplexity(texts) == np.exp(-lda.score(texts))
    assert lda.score([*texts, "zebra", ""]) == lda.score(texts)


# Seeds


def test_random_states(texts):
    one = quick(random_state=np.random.RandomState(3)).fit(texts)
    assert same(quick(random_state=np.random.RandomState(3)).fit(texts), one)
    assert same(quick(random_state=one.seed_).fit(texts), one)
    drawn = quick(random_state=None).fit(texts)
    assert same(quick(random_state=drawn.seed_).fit(texts), drawn)
    assert quick(random_state=np.random.default_rng(3)).fit(texts).seed_ != drawn.seed_


# Parameters


@pytest.mark.parametrize(
    ("alpha", "expected"), [(0.2, [0.2] * 3), ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), (1, [1.0] * 3)]
)
@pytest.mark.parametrize("schedule", ["batch", "online"])
def test_a_given_alpha_stays(alpha, expected, schedule):
    assert quick(alpha=alpha, schedule=schedule).fit(counts()).alpha_.tolist() == expected


def test_priors_are_learned():
    X = counts()
    for schedule in ("batch", Online(batch_size=10)):
        lda = quick(alpha="learned", eta="learned", schedule=schedule, max_iter=12).fit(X)
        assert len(set(lda.alpha_.tolist())) == 3
        assert isinstance(lda.eta_, float)
        assert lda.eta_ != 1 / 3


@pytest.mark.parametrize("shape", [(12,), (3, 12)])
def test_an_eta_of_words(shape):
    eta = np.full(shape, 0.01)
    eta[..., 4] = 1000.0
    lda = quick(eta=eta).fit(counts())
    assert np.array_equal(lda.eta_, eta)
    assert (lda.topic_word_.argmax(axis=1) == 4).all()
    assert np.allclose(lda.topic_word_.sum(axis=1), 1)
    if len(shape) == 2:
        eta[1:, 4] = 0.01
        assert (quick(eta=eta).fit(counts()).topic_word_.argmax(axis=1) == 4).tolist() == [True, False, False]


WRONG = [
    ("n_topics", [0, -1, 2.5, "many", True]),
    ("inference", ["viterbi", None]),
    ("schedule", ["weekly", None, 3]),
    ("alpha", [0, -1.0, np.nan, np.inf, "guess", [1.0, 2.0], [1.0, 2.0, -3.0], [[1.0, 1.0, 1.0]], {}]),
    ("eta", [0, -0.1, np.nan, "guess", np.ones(3), np.ones((12, 3)), np.zeros((3, 12)), 1e7]),
    ("words", ["some", None, 3]),
    ("init", ["zeros", None]),
    ("n_init", [0, 1.5]),
    ("max_iter", [0, -1, 1.5, np.inf]),
    ("tol", [-1e-3, np.nan, "small", np.inf]),
    ("doc_max_iter", [0, 2.5]),
    ("doc_tol", [-1.0, np.nan]),
    ("engine", ["spark"]),
    ("n_jobs", [0, 1.5, "all"]),
    ("random_state", ["seed", 1.5]),
]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG for value in values])
def test_a_wrong_parameter_is_named(name, value):
    with pytest.raises(UserError) as told:
        quick(**{name: value}).fit(counts())
    line = str(told.value)
    assert name in line
    assert "\n" not in line
    assert ";" in line  # the remedy


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", 0),
        ("batch_size", 2.5),
        ("batch_size", None),
        ("kappa", -0.1),
        ("kappa", 1.1),
        ("kappa", np.nan),
        ("kappa", "fast"),
        ("tau0", 0),
        ("tau0", np.inf),
        ("total", -5),
    ],
)
def test_a_wrong_schedule_is_named(name, value):
    with pytest.raises(UserError, match=rf"Online\({name}=.*\); {name} is a "):
        Online(**{name: value})


def test_keep_local_needs_batch():
    with pytest.raises(UserError, match="keep_local needs batch or memoised mean-field inference"):
        quick(keep_local=True, schedule="online").fit(counts())


# The run


def test_a_callback_stops_the_run(texts):
    seen = []
    lda = quick(max_iter=50, callbacks=[lambda record: seen.append(record) or len(seen) == 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        lda.fit(texts)
    assert (len(seen), lda.n_iter_, lda.converged_) == (3, 3, False)
    assert [record["step"] for record in seen] == [1, 2, 3]
    quick(max_iter=3, callbacks=[lambda record: record["step"]]).fit(texts)  # only True stops


def test_convergence(texts):
    with pytest.warns(ConvergenceWarning, match="2 passes were not enough") as told:
        quick(max_iter=2, tol=1e-4).fit(texts)
    assert told[0].filename == __file__
    lda = quick(max_iter=200, tol=1e-4).fit(texts)
    assert lda.converged_
    assert 4 <= lda.n_iter_ < 200
    assert quick(max_iter=7).fit(texts).n_iter_ == 7


def test_topics_are_found(texts):
    lda = LDA(n_topics=3, random_state=1, n_jobs=1, max_iter=100).fit(texts)
    found = {frozenset(words) for words in lda.top_words(8)}
    assert found == {frozenset(topic) for topic in TOPICS}
    best = lda.representative_documents(texts, 4)
    assert all(len({d % 3 for d in documents}) == 1 for documents in best)


def test_n_init_keeps_the_best(texts):
    scores = []
    one = quick(max_iter=10).fit(texts)
    best = quick(max_iter=10, n_init=4, callbacks=[lambda r: scores.append(r["pass_score"]) and None])
    best.fit(texts)
    assert len(scores) == 40
    assert best.bound_ == max(scores[9::10])
    assert best.bound_ >= one.bound_ == scores[9]


@pytest.mark.parametrize("init", ["random", "documents"])
def test_both_starts_learn(texts, init):
    lda = quick(init=init, max_iter=20).fit(texts)
    assert lda.bound_ > -3.0  # the unigram's is -3.2


def test_the_carried_bound_never_falls(texts):
    lda = quick(keep_local=True, doc_max_iter=200, doc_tol=1e-7, max_iter=30).fit(texts)
    scores = [record["score"] for record in lda.trace_]
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(scores))


def test_online_settings(texts):
    lda = quick(schedule=Online(batch_size=25, kappa=0.5, tau0=4.0), max_iter=2).fit(texts)
    assert [record["documents"] for record in lda.trace_] == [25, 50, 60, 85, 110, 120]
    assert [record["rate"] for record in lda.trace_] == [(4.0 + step) ** -0.5 for step in range(6)]
    unshuffled = Online(batch_size=25, kappa=0.5, tau0=4.0, shuffle=False)
    assert not same(quick(schedule=unshuffled, max_iter=2).fit(texts), lda)
    doubled = Online(batch_size=25, kappa=0.5, tau0=4.0, total=120)
    more = quick(schedule=doubled, max_iter=2).fit(texts)
    assert more.components_.sum() > 1.2 * lda.components_.sum()


# partial_fit


def test_a_first_step_is_an_online_step(texts):
    online = Online(batch_size=60, kappa=0.7, tau0=64.0, shuffle=False)
    given = {"alpha": 0.5, "point_topics": True}
    whole = quick(schedule=online, max_iter=1, **given).fit(texts)
    part = quick(schedule=online, **given).partial_fit(texts)
    assert np.array_equal(part.components_, whole.components_)
    batch = quick(max_iter=1, **given).fit(texts)
    sure = quick(schedule=Online(kappa=0.0), **given).partial_fit(texts)
    assert np.allclose(sure.components_, batch.components_, rtol=1e-9)


def test_steps_of_a_stream(texts):
    online = Online(batch_size=20, shuffle=False, total=60, kappa=0.7, tau0=2.0)
    whole = quick(schedule=online, max_iter=1).fit(Corpus.from_texts(texts))
    parts = quick(schedule=online)
    for start in (0, 20, 40):
        parts.partial_fit(Corpus.from_texts(texts[start : start + 20], vocabulary=whole.vocabulary_))
    # the same steps from starts that differ in one factor: the seed's weight is that of the first corpus
    assert [r["rate"] for r in parts.trace_] == [r["rate"] for r in whole.trace_]
    assert [r["documents"] for r in parts.trace_] == [20, 40, 60]
    assert (parts.n_iter_, parts.bound_) == (3, parts.trace_[-1]["score"])


def test_the_first_call_fixes_the_vocabulary():
    lda = quick().partial_fit(["fish boat", "coin bank", "fish coin"])
    words = lda.vocabulary_.words
    before = lda.components_.copy()
    lda.partial_fit(["fish comet", "comet comet"])
    assert lda.vocabulary_.words == words
    assert lda.components_.shape == (3, 4)
    assert not np.array_equal(lda.components_, before)
    known = quick().partial_fit(["fish boat", "coin bank", "fish coin"]).partial_fit(["fish", ""])
    assert np.array_equal(lda.components_, known.components_)


def test_the_size_of_a_stream_is_what_was_seen(texts):
    """With rate 1 a step's counts are those of D documents: `total`, or those seen so far."""
    prior = 3 * 24 * 0.05
    grows = quick(schedule=Online(kappa=0.0))
    for seen, start in ((20, 0), (40, 20), (60, 40)):
        grows.partial_fit(Corpus.from_texts(texts[start : start + 20], vocabulary=_words(texts)))
        assert grows.components_.sum() - prior == pytest.approx(seen * 15)
    fixed = quick(schedule=Online(kappa=0.0, total=1000)).partial_fit(texts)
    assert fixed.components_.sum() - prior == pytest.approx(1000 * 15)


def _words(texts):
    return Corpus.from_texts(texts).vocabulary


def test_fit_forgets_what_was_learned_before(texts):
    lda = quick().partial_fit(["fish boat"])
    assert same(lda.fit(texts), quick().fit(texts))


# Extremes: everything stays finite, and theta sums to one

ONE_WORD = np.eye(40)
EXTREMES = {
    "huge counts": ({}, counts() * 1e6),
    "weights": ({}, counts() * 0.37),
    "tiny weights": ({}, counts() * 1e-6),
    "one word": ({}, counts(words=1) + 1),
    "one document": ({}, counts(documents=1) + 1),
    "one of each": ({"eta": "learned"}, np.ones((1, 1))),
    "one topic": ({"n_topics": 1}, counts()),
    "one topic, all learned": ({"n_topics": 1, "eta": "learned"}, counts()),
    "more topics than documents": ({"n_topics": 50}, counts(5)),
    "more topics than documents, seeded": ({"n_topics": 50, "init": "documents"}, counts(5)),
    "a thousand topics": ({"n_topics": 1000, "max_iter": 10}, ONE_WORD),
    "a thousand topics, fixed": ({"n_topics": 1000, "alpha": 1e-3}, ONE_WORD),
    "a thousand topics, carried": ({"n_topics": 1000, "keep_local": True, "eta": "learned"}, ONE_WORD),
    "a thousand topics, online": ({"n_topics": 1000, "schedule": Online(batch_size=3)}, ONE_WORD),
    "a tiny alpha": ({"alpha": 1e-12}, counts()),
    "a tiny eta": ({"eta": 1e-12}, counts()),
    "a huge alpha": ({"alpha": 1e6}, counts()),
    "a huge eta": ({"eta": 1e6}, counts()),
    "empty documents": ({}, np.vstack([counts(), np.zeros((3, 12))])),
}


@pytest.mark.parametrize("case", EXTREMES)
def test_extremes(case):
    settings, X = EXTREMES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".* topics of .*: many will be similar")
        lda = quick(**settings).fit(X)
        theta = lda.transform(X)
    for values in (lda.components_, lda.topic_word_, lda.alpha_, theta, lda.bound_, lda.score(X)):
        assert np.isfinite(values).all()
    assert np.allclose(theta.sum(axis=1), 1)
    assert np.allclose(lda.topic_word_.sum(axis=1), 1)
    assert (lda.components_ > 0).all()
    assert np.isfinite([record["score"] for record in lda.trace_]).all()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: LDA(keep_local="yes"), "keep_local='yes'; keep_local is True or False"),
        (lambda: LDA(words="open", schedule="online", eta="much"), "eta"),
        (lambda: LDA(words="open", schedule="online", eta=np.ones(3)), "eta has the shape"),
        (lambda: HDP(words="open", moves=[]), "moves"),
        (lambda: HDP(moves=5), "moves=5"),
        (lambda: LDA(inference=Gibbs(delayed="yes")), "delayed='yes'.*; delayed is True or False"),
        (lambda: LDA(inference=Gibbs(delayed=1)), "delayed=1"),
    ],
)
def test_parameters_of_other_types_are_refused(make, told, texts):
    with pytest.raises(UserError, match=told):
        make().fit(texts)


def test_weights_beyond_single_precision_are_refused():
    with pytest.raises(UserError, match=r"the weight 1e\+20 cannot be used; weights are at most 1e\+09"):
        quick().fit(np.full((2, 2), 1e20))


@pytest.mark.parametrize("X", ["one string", "", [], ()])
def test_no_list_of_documents_is_refused(X):
    with pytest.raises(UserError, match=r"one string was given|there is no document"):
        quick().fit(X)
