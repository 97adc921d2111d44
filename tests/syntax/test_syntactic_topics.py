"""Syntactic topics as users learn them: laws of estimators, trees that are hard, what is scored and shown."""

import pickle
import shutil
import threading
import tracemalloc
import warnings
from dataclasses import FrozenInstanceError, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import logsumexp
from tests.tiers import law_cases, sampled

from stickbreaker import Analysis, Corpus, SyntacticTopics, UserError, VocabularyRule
from stickbreaker.core.errors import Interrupted
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.estimators import model_runs
from stickbreaker.saved import ModelDirectory
from stickbreaker.syntax.kernels.tree_topics import Weights, sum_topics
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.learner import SYNTAX
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.model.syntax_chain import KEPT
from stickbreaker.syntax.sentence_scores import halves
from stickbreaker.syntax.settings import SyntaxSettings
from stickbreaker.syntax.tree_words import TreeWords
from stickbreaker.testing import EstimatorTests
from stickbreaker.testing.estimators import StopAfter, begin

SUBJECTS = (("team", "goal", "coach"), ("bank", "share", "price"))
ALL_WORDS = analysis_of_all_words(Analysis(language=None), "spaced")


def sentence(words, generator):
    """A verb, its subject with an article, and an object: parents may follow their words."""
    subject, thing = generator.choice(words, 2)
    verb, article = generator.choice(["wins", "takes", "sees"]), generator.choice(["the", "a"])
    return [article, subject, verb, thing], [1, 2, -1, 2], ["DET", "NOUN", "VERB", "NOUN"]


def document(sentences):
    """A document of (tokens, heads within the sentence, tags)."""
    tokens, heads, tags, starts = [], [], [], []
    for words, above, parts in sentences:
        starts.append(len(tokens))
        tokens += words
        heads += above
        tags += parts
    return Document(None, tokens=tokens, heads=heads, tags=tags, sentences=starts)


def corpus_of(documents, minimum=1, **settings):
    rule = VocabularyRule(minimum, 1.0)
    return Corpus.from_documents(documents, analysis=ALL_WORDS, rule=rule, **settings)


def planted(n=300, seed=3):
    """Documents of one of two subjects, and an empty one."""
    generator = np.random.default_rng(seed)
    documents = [document([sentence(SUBJECTS[d % 2], generator) for _ in range(2 + d % 4)]) for d in range(n)]
    return corpus_of([*documents, document([])])


PLANTED = planted()
CONFIGURATIONS = {
    "whole": {},
    "hdp": {"limit": "hdp"},
    "itic": {"limit": "itic"},
    "one chain": {"chains": 1, "samples": 2},
    "mean-field": {"inference": "mean-field"},
    "online": {"inference": "mean-field", "schedule": "online"},
    "tags": {"unknown": "tag"},
}
FIRST = ("whole", "online", "tags")


@pytest.mark.long("the fits that all laws share")
class TestLaws(EstimatorTests):
    takes_texts = False
    wrong: ClassVar = {
        "n_topics": 0,
        "limit": "lda",
        "unknown": "spelled",
        "eta": 0.0,
        "max_iter": 0,
        "samples": 0,
        "chains": 0,
        "inference": "magic",
        "tol": -1.0,
        "n_jobs": 0,
        "random_state": "seed",
    }

    @pytest.fixture(autouse=True, params=law_cases(CONFIGURATIONS, FIRST))
    def configuration(self, request):
        self.settings = CONFIGURATIONS[request.param]

    def make(self, **settings):
        return SyntacticTopics(
            **{"n_topics": 4, "max_iter": 5, "random_state": 0, **self.settings, **settings}
        )

    def corpus(self):
        return PLANTED

    def methods(self, model):
        return {**super().methods(model), "transform": model.transform}

    def test_shares_are_those_of_each_document_alone(self):
        model = self.fitted()
        whole = model.transform(PLANTED)
        assert whole.sum(axis=1) == pytest.approx(np.ones(len(whole)))
        documents = PLANTED.documents(0)
        few = Corpus.from_documents(documents[5:2:-1], analysis=ALL_WORDS, vocabulary=PLANTED.vocabulary)
        assert model.transform(few).tobytes() == np.ascontiguousarray(whole[5:2:-1]).tobytes()
        samples = model.learned_.samples
        tau = samples.tau[: samples.own]
        tau = tau / tau.sum(axis=1, keepdims=True)
        assert whole[-1] == pytest.approx(tau.mean(axis=0))
        shares = [self.fitted(n_jobs=n).transform(PLANTED).tobytes() for n in (1, 3)]
        assert shares[0] == shares[1] == whole.tobytes()

    def test_what_topics_are_sums_to_one(self):
        model = self.fitted()
        assert model.topic_word_.sum(axis=1) == pytest.approx(np.ones(4))
        assert model.topic_word_.shape == (4, len(model.words_))
        assert model.topic_shares_.sum() == pytest.approx(1.0)
        for shares in (model.head_topics_, model.topic_tags_):
            sums = shares.sum(axis=1)
            assert ((np.abs(sums - 1.0) < 1e-9) | (sums == 0.0)).all()
        tokens, held = PLANTED.source.entries(0).offsets[-1], model.learned_.samples
        assert held.tags[0].sum() == tokens
        near = 0.05 if model.schedule == "online" else 1e-9  # a stream's counts are estimates
        assert held.transitions[0].sum() == pytest.approx(tokens, rel=near)


def fitted(corpus=PLANTED, **settings):
    return SyntacticTopics(**{"n_topics": 6, "max_iter": 60, "random_state": 0, **settings}).fit(corpus)


@pytest.mark.slow
def test_it_finds_parts_of_speech_by_subject():
    """Nouns of two subjects are apart, verbs and articles are of both; the limits see one of these alone."""
    model = fitted()
    words = {word: row for row, word in enumerate(model.words_)}

    def topic_of(word):
        return int((model.topic_word_[:, words[word]] * model.topic_shares_).argmax())

    nouns = [{topic_of(word) for word in subject} for subject in SUBJECTS]
    assert not nouns[0] & nouns[1]
    assert not {topic_of("wins"), topic_of("the")} & set.union(*nouns)
    assert topic_of("wins") != topic_of("the")
    verbs, tags = topic_of("wins"), model.tags_
    assert model.topic_tags_[verbs, tags.index("VERB")] > 0.99
    assert model.head_topics_[-1, verbs] > 0.99
    others = [verbs, topic_of("the")]
    assert model.head_topics_[verbs, others].sum() < 0.01, "below verbs stand nouns"
    scores = {limit: fitted(limit=limit).score(planted(60, seed=9)) for limit in (None, "itic", "hdp")}
    assert scores[None] > scores["itic"] + 0.1
    assert scores[None] > scores["hdp"] + 0.3


def test_words_are_predicted_by_an_exact_sum():
    """Of one sample without documents: log p of even-numbered sentences, by another sum over their trees."""
    model = fitted(limit="itic", samples=1, chains=1, max_iter=1)
    trees = PLANTED.trees(0)
    half = halves(trees)
    predicted = model.learned_.words.ordered(half.predicted)
    nats = np.empty(predicted.n_documents)
    held = model.learned_.samples
    assert len(held.tau) == 1
    even = np.zeros((predicted.n_documents, 6))
    sum_topics(predicted.nodes, Weights(even, held.log_pi[0], held.beta[0]), nats)
    scores = model.learned_.word_scores(PLANTED, 0)
    assert scores.nats.sum() == pytest.approx(nats.sum())
    assert len(scores.nats) == len(half.predicted.words)
    assert model.learned_.log_probability(PLANTED) == pytest.approx((nats.sum(), len(scores.nats)))


def test_samples_are_averaged_as_probabilities():
    model = fitted(limit="itic", samples=3, max_iter=30, chains=2)
    held, trees = model.learned_.samples, PLANTED.trees(0)
    half = halves(trees)
    predicted = model.learned_.words.ordered(half.predicted)
    each = np.empty((len(held.tau), predicted.n_documents))
    even = np.zeros((predicted.n_documents, 6))
    for sample, nats in enumerate(each):
        sum_topics(predicted.nodes, Weights(even, held.log_pi[sample], held.beta[sample]), nats)
    assert len(each) == 2 * held.own > 4
    mean = logsumexp(each, axis=0) - np.log(len(each))
    assert model.learned_.word_scores(PLANTED, 0).nats.sum() == pytest.approx(mean.sum())


def test_halves_are_every_other_sentence():
    words = [(["a"], [-1], ["X"]), (["b", "c"], [1, -1], ["X", "Y"]), (["d"], [-1], ["X"])]
    corpus = corpus_of([document(words), document([]), document(words[:1]), document(words[1:])])
    half = halves(corpus.trees(0))
    seen = [
        half.seen.words[a:b].tolist() for a, b in zip(half.seen.offsets, half.seen.offsets[1:], strict=False)
    ]
    rows = {word: row for row, word in enumerate(corpus.vocabulary.words)}
    spelled = {row: word for word, row in rows.items()}
    assert [[spelled[row] for row in one] for one in seen] == [["a", "d"], [], [], ["b", "c"]]
    assert [spelled[row] for row in half.predicted.words.tolist()] == ["b", "c", "a", "d"]
    assert half.owners.tolist() == [0, 2, 3]
    assert half.predicted.heads.tolist() == [1, -1, -1, -1]


def test_unknown_words_are_blank_or_their_tag():
    corpus = corpus_of(
        [document([(["a", "rare"], [1, -1], ["D", "N"])]), document([(["a"], [-1], ["D"])])], 2
    )
    assert corpus.vocabulary.words == ("a",)
    tags = corpus.about.tag_names
    trees = corpus.trees(0)
    blank, tagged = (TreeWords(corpus.vocabulary, tags, unknown) for unknown in ("blank", "tag"))
    assert blank.ordered(trees).nodes.words.tolist() == [-1, 0, 0]
    assert tagged.ordered(trees).nodes.words.tolist() == [2, 0, 0]
    assert tagged.names == ("a", "<D>", "<N>")
    other = TreeWords(corpus.vocabulary, ("D",), "tag")
    assert other.ordered(trees).nodes.words.tolist() == [-1, 0, 0], "a tag that was not learned from"
    for unknown in ("blank", "tag"):
        model = SyntacticTopics(2, unknown=unknown, max_iter=4, random_state=0).fit(corpus)
        assert model.learned_.word_scores(corpus, 0).nats.shape == (2,), (
            "words of the vocabulary alone are scored"
        )


HARD = {
    "one word": [document([(["a"], [-1], ["X"])])] * 3,
    "forests": [document([(["a", "b", "c"], [-1, 0, -1], ["X", "X", "X"])] * 2)] * 2,
    "a chain of 5,000": [document([(["a", "b"] * 2500, list(range(-1, 4999)), ["X"] * 5000)] * 2)],
    "a head of 5,000": [document([(["a", "b"] * 2500, [-1] + [0] * 4999, ["X"] * 5000)] * 2)],
    "empty documents": [document([]), document([(["a"], [-1], ["X"])] * 2), document([])],
    "heads that follow": [document([(["a", "b", "c"], [1, 2, -1], ["X", "Y", "Z"])] * 2)],
}


@pytest.mark.parametrize("name", sampled(HARD, 6))
@pytest.mark.parametrize("limit", [None, "hdp", "itic"])
def test_hard_trees(name, limit):
    corpus = corpus_of(HARD[name])
    model = SyntacticTopics(3, limit=limit, max_iter=4, random_state=0).fit(corpus)
    assert np.isfinite(model.score(corpus))
    assert model.transform(corpus).sum(axis=1) == pytest.approx(np.ones(len(HARD[name])))


def test_what_has_no_trees_is_refused_in_one_line():
    model = fitted(max_iter=2)
    for use in (model.score, model.transform, SyntacticTopics(2).fit):
        for given in (
            ["a text"],
            [["a", "text"]],
            np.ones((2, len(model.vocabulary_))),
            Corpus.from_texts(["a text"]),
        ):
            with pytest.raises(UserError) as error:
                use(given)
            assert "\n" not in str(error.value)


def test_documents_without_a_known_word():
    model = fitted(max_iter=2)
    corpus = corpus_of([document([(["zebra"], [-1], ["NOUN"])])])
    with pytest.warns(UserWarning, match="no document has a word"):
        assert model.transform(corpus).sum() == pytest.approx(1.0)
    with pytest.raises(UserError, match="nothing to score"):
        model.score(corpus)


def test_a_running_model_is_its_last_checkpoint(tmp_path):
    corpus = PLANTED.write(tmp_path / "corpus")
    made = SyntacticTopics(4, max_iter=6, chains=2, random_state=0)
    begin(made, corpus, tmp_path / "m", held_out=0.1)
    watch = StopAfter(4)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    early = SyntacticTopics.load(tmp_path / "m")
    assert early.n_iter_ == 4
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    late = SyntacticTopics.load(tmp_path / "m")
    assert late.n_iter_ == 6
    assert late.trace_[-1]["held_out"] < 0.0
    assert late.score(corpus) != early.score(corpus)


def test_a_corpus_that_lacks_words_is_remarked():
    documents = PLANTED.documents(0)
    lacking = Corpus.from_documents(documents, analysis=Analysis(min_length=5), rule=VocabularyRule(1, 1.0))
    with pytest.warns(UserWarning, match="were left out of the corpus: build it with trees=True"):
        SyntacticTopics(2, max_iter=2, random_state=0).fit(lacking)


def test_a_corpus_without_trees_is_refused_without_a_remark():
    lacking = Corpus.from_texts(["the cat sat on a mat"] * 3, rule=VocabularyRule(1, 1.0))
    assert lacking.wordless_share > 0.4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserError, match="the corpus has no trees"):
            SyntacticTopics(2, max_iter=2).fit(lacking)


@pytest.mark.parametrize("eta", [1e-320, 1e7, 1e308])
@pytest.mark.parametrize("inference", ["gibbs", "mean-field"])
def test_an_eta_without_sense_is_refused(eta, inference):
    with pytest.raises(UserError, match=r"eta is a number from 1e-100 to 1e\+06"):
        SyntacticTopics(2, eta=eta, inference=inference, max_iter=2).fit(PLANTED)


@pytest.mark.parametrize("eta", sampled([1e-100, 1e6], 1))
@pytest.mark.parametrize("inference", ["gibbs", "mean-field"])
@pytest.mark.filterwarnings("ignore:4 passes")
def test_extreme_etas_have_numbers(eta, inference):
    assert np.isfinite(fitted(eta=eta, inference=inference, max_iter=4).score(PLANTED))


def test_only_schedules_that_it_has_are_named():
    for schedule in ("always", "memoised"):
        with pytest.raises(UserError) as error:
            SyntacticTopics(2, inference="mean-field", schedule=schedule).fit(PLANTED)
        assert str(error.value) == f'schedule={schedule!r}; schedule is "batch", "online" or Online(...)'


ALTERED = {
    "beta": (0.0, 2.0),
    "tau": (0.0, 1e301),
    "log_pi": (1e308, -1e308),
    "alpha_documents": (0.0, 1e308),
    "transitions": (-1.0, 1e308),
    "tags": (-1.0, 1e308),
}


@pytest.mark.parametrize("name", ALTERED)
def test_numbers_that_no_chain_gives_are_refused(name):
    params = fitted(max_iter=2, chains=1).learned_.params
    for value in ALTERED[name]:
        values = params[name].values.copy()
        values.flat[0] = value
        with pytest.raises(ValueError, match=f"{name} has impossible values"):
            LearnedSyntax.of({**params, name: params[name]._replace(values=values)}, "none")
    halved = params["beta"]._replace(values=params["beta"].values / 2)
    with pytest.raises(ValueError, match="do not sum to one"):
        LearnedSyntax.of({**params, "beta": halved}, "none")


def test_topics_of_another_number_are_refused():
    learned = fitted(max_iter=2).learned_
    other = replace(learned.facts, settings=learned.facts.settings.but(n_topics=7))
    with pytest.raises(ValueError, match="the number of topics differs"):
        SyntaxLearned.of(other, learned.params)


def test_scores_of_many_samples_need_no_more_memory():
    model, trees = fitted(max_iter=2, chains=1), PLANTED.trees(0)
    half, few = halves(trees), model.learned_.samples
    parts = model.learned_.words.ordered(half.predicted), half.owners, model.learned_.words.ordered(half.seen)
    many = replace(few, **{name: np.concatenate([getattr(few, name)] * 20) for name in KEPT})
    peaks = []
    for learned in (few, many):
        tracemalloc.start()
        learned.log_words(*parts, 0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize(
    ("inference", "name", "said"),
    [
        ("gibbs", "chain/0/beta", "beta has impossible values"),
        ("gibbs", "chain/1/log_theta", "log_theta has impossible values"),
        ("gibbs", "chain/0/samples/tau", "tau has impossible values"),
        ("mean-field", "small/tau", "tau has impossible values"),
        ("mean-field", "small/count_pulls", "count_pulls has impossible values"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_checkpoints_with_numbers_that_no_run_gives_are_refused(tmp_path, inference, name, said):
    corpus = PLANTED.write(tmp_path / "corpus")
    chains = 2 if inference == "gibbs" else None
    made = SyntacticTopics(3, max_iter=8, chains=chains, inference=inference, tol=0.0, random_state=0)
    begin(made, corpus, tmp_path / "m")
    watch = StopAfter(6)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    snapshot = ModelDirectory(tmp_path / "m").read()
    SYNTAX.resume_run(made.settings, corpus, snapshot, tmp_path / "m")
    snapshot.arrays[name].flat[0] = 1e305
    with pytest.raises(ValueError, match=said):
        SYNTAX.resume_run(made.settings, corpus, snapshot, tmp_path / "m")


@pytest.mark.parametrize("inference", ["gibbs", "mean-field"])
def test_where_all_documents_are_held_out_there_is_nothing_to_learn(tmp_path, inference):
    corpus = corpus_of([document([(["a"], [-1], ["X"])])])  # its share of the numbers is below .9
    made = SyntacticTopics(3, max_iter=3, inference=inference, random_state=0)
    with pytest.raises(UserError, match="no document to learn from; lower the held-out share"):
        begin(made, corpus, tmp_path / "m", held_out=0.9)
    assert not (tmp_path / "m").exists()


def test_a_run_that_was_killed_after_its_last_step_is_finished_by_resume(tmp_path):
    corpus = PLANTED.write(tmp_path / "corpus")
    made = SyntacticTopics(3, inference="mean-field", schedule="online", max_iter=1, random_state=0)
    begin(made, corpus, tmp_path / "m", held_out=0.2)
    watch = StopAfter(1)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    directory = ModelDirectory(tmp_path / "m")
    snapshot = directory.read()
    snapshot.manifest["run"]["passes"] = 1
    job, _ = SYNTAX.resume_run(made.settings, corpus, snapshot, tmp_path / "m")
    shutil.rmtree(tmp_path / "corpus")
    assert 0 < job.n_documents < len(PLANTED.documents(0)), "as the summary of the run has it"


# Settings, results and the class that users import


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    model = fitted(max_iter=2)
    learned, score = model.learned_, model.score(PLANTED)
    for change in ({"n_topics": 0}, {"inference": "mean-field", "unknown": "tag"}):
        with pytest.raises(UserError):
            model.set_params(**change).fit(PLANTED)
    with pytest.raises(UserError):
        model.set_params(n_topics=6, inference="gibbs").fit(["a text without trees"])
    assert model.learned_ is learned
    assert model.score(PLANTED) == score


def test_what_was_asked_and_learned_never_changes():
    model = fitted(max_iter=2)
    own = model.learned_
    for record, name in ((model.settings, "n_topics"), (own, "facts"), (own.facts, "trace")):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, None)
    assert model.set_params(max_iter=3).fit(PLANTED).learned_ is not own
    assert len(own.facts.trace) == 2


def test_parameters_that_were_set_after_a_fit_are_not_saved_unless_they_act_on_documents(tmp_path):
    model = fitted(max_iter=2)
    score = model.score(PLANTED)
    model.set_params(n_topics=3, n_jobs=2).save(tmp_path / "m")
    assert model.score(PLANTED) == score
    loaded = SyntacticTopics.load(tmp_path / "m")
    assert (loaded.n_topics, loaded.settings.n_jobs) == (6, None)
    assert loaded.score(PLANTED) == score
    with pytest.raises(UserError, match="n_jobs is a whole number above 0, -1 or None"):
        model.set_params(n_jobs=0).transform(PLANTED)


def test_a_result_is_learned_pickled_and_shown_by_the_class():
    settings = SyntaxSettings(6, max_iter=2, random_state=0)
    learned = model_runs.learn(SYNTAX, settings, PLANTED)
    shown = SyntacticTopics.of(learned)
    assert shown.score(PLANTED) == fitted(max_iter=2).score(PLANTED)
    assert shown.get_params().items() >= {"n_topics": 6, "max_iter": 2, "random_state": 0}.items()
    assert learned.topics_in_use, "is cached, and not pickled"
    again = pickle.loads(pickle.dumps(learned))
    assert "topics_in_use" not in vars(again)
    assert again.log_probability(PLANTED) == learned.log_probability(PLANTED)


@pytest.mark.parametrize("n", [-1, 0, 2.5, "a"])
def test_numbers_of_words_that_make_no_sense(n):
    with pytest.raises(UserError, match="; n is a whole number from 1"):
        fitted(max_iter=2).top_words(n)


def test_callbacks_that_are_no_list_are_refused():
    with pytest.raises(UserError, match="callbacks is of the class int, not a list"):
        fitted(max_iter=2, callbacks=3)


def test_threads_that_fit_one_model_all_learn():
    model, found = SyntacticTopics(3, max_iter=3, random_state=0), []
    threads = [threading.Thread(target=lambda: found.append(model.fit(PLANTED).learned_)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.log_probability(PLANTED) for one in found}) == 1
    assert model.learned_ in found
