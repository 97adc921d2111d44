"""Verbs as functions: models and documents in every form, what commands print, one line for a mistake."""

import inspect
import json
import re

import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from tests.running import planted_documents, write_lines
from tests.test_privacy import is_private

import stickbreaker
from stickbreaker import (
    HDP,
    LDA,
    AdaptorGrammar,
    Corpus,
    NgramModel,
    SyntacticTopics,
    TopicNgramModel,
    UserError,
    VocabularyRule,
)
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.kinds import kinds
from stickbreaker.ngrams.learner import NGRAMS
from stickbreaker.ngrams.settings import NgramSettings
from stickbreaker.topics import evaluation
from stickbreaker.topics.open_topics import scored_topics

NEW = [document["text"] for document in planted_documents(20, seed=1)]
IDS = [document["id"] for document in planted_documents(20, seed=1)]


@pytest.fixture(scope="module")
def lda(texts):
    return LDA(3, random_state=1, n_jobs=1).fit(texts)


@pytest.fixture(scope="module")
def saved(lda, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model"
    lda.save(path)
    return path


@pytest.fixture(scope="module")
def new_file(tmp_path_factory):
    return write_lines(tmp_path_factory.mktemp("new") / "new.jsonl", planted_documents(20, seed=1))


def test_a_model_may_be_an_estimator_a_result_or_a_path(lda, saved):
    forms = [lda, lda.learned_, saved, str(saved)]
    for verb, more in (("topics_of", ()), ("evaluate", (NEW,)), ("nearest", (NEW,))):
        found = [getattr(stickbreaker, verb)(one, *more).as_json() for one in forms]
        names = [one.pop("model", None) for one in found]
        assert names in ([None] * 4, ["LDA", "LDA", str(saved), str(saved)])
        assert all(one == found[0] for one in found)
    compared = stickbreaker.compare(*forms).as_json()
    assert [one["mean"] for one in compared["comparisons"]] == [1.0] * 3


def test_documents_may_be_the_path_of_files_or_of_a_corpus(lda, new_file, tmp_path):
    path = tmp_path / "new.corpus"
    given = Corpus.build(new_file, path)
    expected = stickbreaker.evaluate(lda, given.with_vocabulary(lda.vocabulary_)).as_json()
    for form in (new_file, str(new_file), path, str(path)):
        assert stickbreaker.evaluate(lda, form).as_json()["perplexity"] == expected["perplexity"]
    searched = [stickbreaker.search_topics(one, [2], seeds=1, max_iter=2) for one in (str(path), given)]
    assert searched[0].table[0].nats_per_word == searched[1].table[0].nats_per_word
    with pytest.raises(UserError, match=r"no-such\.jsonl: no such file or directory"):
        stickbreaker.evaluate(lda, tmp_path / "no-such.jsonl")
    grammar = AdaptorGrammar("unigram", max_iter=2, random_state=0).fit(["adog", "acat"])
    lines = tmp_path / "lines.txt"
    lines.write_text("adog\nacat\n", encoding="utf-8")
    assert (
        stickbreaker.segment(grammar, lines).pieces == stickbreaker.segment(grammar, ["adog", "acat"]).pieces
    )


def test_topics_as_a_table_have_the_words_of_the_list(lda):
    found = stickbreaker.topics_of(lda, top=3)
    rows = found.table().to_pylist()
    assert [row["words"].split() for row in rows] == [list(topic.words) for topic in found.topics]
    assert [row["topic"] for row in rows] == [topic.topic for topic in found.topics]


def test_documents_may_be_texts_tokens_a_table_records_counts_or_a_corpus(lda):
    corpus = Corpus.from_texts(NEW)
    counts = lda.vocabulary_.words
    rows = [[text.split().count(word) for word in counts] for text in NEW]
    forms = [
        NEW,
        (text for text in NEW),
        [text.split() for text in NEW],
        pd.DataFrame({"text": NEW}),
        [{"text": text} for text in NEW],
        corpus,
    ]
    scores = [stickbreaker.evaluate(lda, one) for one in forms]
    assert {one.perplexity for one in scores} == {scores[0].perplexity}
    assert {str(one) for one in scores} == {str(scores[0])}
    for matrix in (csr_matrix(rows), pd.DataFrame(rows, columns=list(counts)), rows):
        assert stickbreaker.evaluate(lda, matrix).perplexity == scores[0].perplexity


def test_records_are_what_the_commands_print(cli, lda, saved, new_file):
    corpus = Corpus.build(new_file)
    every = {"left_to_right": True, "particles": 2, "bound": True, "labels": "label", "by": "relevance"}
    options = ("--left-to-right", "--particles", 2, "--bound", "--labels", "label", "--by", "relevance")
    for command, line, found in (
        ("evaluate", (saved, new_file, *options), stickbreaker.evaluate(saved, corpus, **every)),
        ("topics", (saved, "--top", 3), stickbreaker.topics_of(saved, top=3)),
        ("nearest", (saved, new_file, "--id", "d3"), stickbreaker.nearest(saved, corpus, ids=["d3"])),
        ("compare", (saved, saved), stickbreaker.compare(saved, saved)),
    ):
        printed = json.loads(cli(command, *line, "--json").stdout)
        text, own = cli(command, *line).stdout.rstrip("\n"), found.as_json()
        for one in (printed, own):
            (one.get("left_to_right") or {}).pop("seconds", None)
        assert printed == own
        assert re.sub(r"\(\d+\.\d s\)", "", text) == re.sub(r"\(\d+\.\d s\)", "", str(found))
        assert repr(found) == str(found)


def test_records_have_values_with_names(lda):
    scores = stickbreaker.evaluate(lda, NEW, diagnostics=True)
    assert scores.nats_per_word > scores.unigram_nats_per_word + 0.3
    assert (scores.documents, scores.learned_from, scores.labels) == (20, None, None)
    assert scores.diagnostics.column("topic").to_pylist() == [0, 1, 2]
    assert "diagnostics" not in scores.as_json()
    listed = stickbreaker.topics_of(lda, top=4)
    assert [one.share for one in listed.topics] == sorted((one.share for one in listed.topics), reverse=True)
    assert all(len(one.words) == len(one.probabilities) == 4 for one in listed.topics)
    found = stickbreaker.nearest(lda, NEW, ids="3", top=2)
    assert [(query.id, len(query.nearest)) for query in found.queries] == [("3", 2)]
    with pytest.raises(AttributeError):
        found.queries = ()


def test_a_model_in_memory_knows_the_documents_that_it_learned_from(lda, texts):
    assert stickbreaker.evaluate(lda, texts).learned_from == 1.0


def test_the_reference_of_coherence_is_named_by_what_it_is(lda, new_file, tmp_path):
    stored = Corpus.build(new_file, tmp_path / "new.corpus")
    for reference, name in ((stored, str(tmp_path / "new.corpus")), (NEW, "list"), (None, None)):
        scores = stickbreaker.evaluate(lda, NEW, reference=reference)
        assert scores.coherence[0].reference == name


def test_scores_take_models_and_documents_as_they_are(lda, saved, texts):
    corpus = Corpus.from_texts(NEW, vocabulary=lda.vocabulary_)
    wanted = evaluation.completion_of(scored_topics(lda.learned_), corpus)
    for model in (lda, saved):
        assert evaluation.completion_of(model, NEW) == evaluation.completion_of(model, corpus) == wanted
        assert evaluation.diversity_of(model) == evaluation.diversity_of(scored_topics(lda.learned_))
    words = lda.top_words(5)
    found = [evaluation.coherence(words, one).npmi.mean for one in (texts, Corpus.from_texts(texts))]
    assert found[0] == found[1] == pytest.approx(evaluation.coherence_of(lda, texts, 5)[None].npmi.mean)
    matched = evaluation.match_topics(lda, saved)
    assert (matched.first == matched.second).all()
    assert evaluation.stability([lda, saved]) == 1.0
    assert evaluation.intrusion_questions is not None
    with pytest.raises(UserError, match="a model and an array were given"):
        evaluation.match_topics(lda, lda.topic_word_)
    with pytest.raises(UserError, match="documents are given by documents=texts"):
        lda.report(texts)
    with pytest.raises(UserError, match="an object of the class list was given instead of topics"):
        evaluation.completion_of(NEW, NEW)


def test_effects_and_intruders(lda, tmp_path):
    pytest.importorskip("formulaic")
    frame = pd.DataFrame(planted_documents(40, seed=2))
    found = stickbreaker.effects(lda, frame, "label", topics=[1])
    assert found.as_json()["terms"] == ["Intercept", "label[T.1]", "label[T.2]"]
    assert any(line.startswith("topic 1: ") for line in str(found).splitlines())
    assert found.table().num_rows == 9
    assert found.picture().startswith("<svg")
    quiz = stickbreaker.intruders(lda, questions=2)
    quiz.write(tmp_path / "quiz.html")
    assert "Which word does not belong? LDA" in (tmp_path / "quiz.html").read_text()
    assert len(str(quiz).splitlines()) == len(quiz.questions) == 2


def test_concepts_are_a_tree(cli, texts, tmp_path):
    (tmp_path / "pairs.tsv").write_text("river\tfluss\nwater\twasser\nsea\tmeer\n")
    rows = [{"en": "river water boat", "de": "fluss wasser boot"}, {"en": "river sail", "de": "fluss wasser"}]
    corpus = Corpus.from_texts(rows * 3, rule=VocabularyRule(1, 1.0))
    corpus.write(tmp_path / "both.corpus")
    found = stickbreaker.make_concepts(tmp_path / "pairs.tsv", corpus, source="en", target="de")
    assert (found.concepts, found.entries, found.not_in_vocabulary) == (2, 3, 1)
    assert {word for concept in found.tree.concepts for own in concept.words.values() for word in own} == {
        *("river", "fluss", "water", "wasser")
    }
    line = (
        "concepts",
        tmp_path / "pairs.tsv",
        "--corpus",
        tmp_path / "both.corpus",
        "--from",
        "en",
        "--to",
        "de",
    )
    out = tmp_path / "tree.jsonl"
    text = cli(*line, "--out", out).stdout
    assert text.startswith(f"{out}: {found}\nNext: ")
    found.write(tmp_path / "own.jsonl")
    assert (tmp_path / "own.jsonl").read_bytes() == out.read_bytes()
    printed = json.loads(cli(*line, "--out", out, "--overwrite", "--json").stdout)
    assert printed == {"out": str(out), **found.as_json()}
    with pytest.raises(UserError, match="most needs"):
        stickbreaker.make_concepts(tmp_path / "pairs.tsv", corpus, source="en", target="de", most=2)


def test_transform_is_a_table(cli, lda, saved, new_file, tmp_path):
    found = stickbreaker.transform(lda, NEW, metadata=True)
    assert found.table().column_names == ["id", "topic", "topic0", "topic1", "topic2"]
    assert found.frame()[["topic0", "topic1", "topic2"]].to_numpy().tolist() == lda.transform(NEW).tolist()
    printed = json.loads(cli("transform", saved, new_file, "--out", tmp_path / "a.csv", "--json").stdout)
    assert printed == {"out": str(tmp_path / "a.csv"), **found.as_json()}
    text = cli("transform", saved, new_file, "--out", tmp_path / "a.csv", "--overwrite").stdout.rstrip("\n")
    assert text == f"{tmp_path / 'a.csv'}: {found}"
    with pytest.warns(UserWarning, match="no document has a word that the model knows"):
        assert len(stickbreaker.transform(lda, ["zzz"]).table()) == 1


def test_a_search_for_the_number_of_topics(texts, tmp_path):
    settings = {"seeds": 2, "max_iter": 8, "held_out": 0.2, "n_jobs": 1}
    found = stickbreaker.search_topics(texts, [1, 3], **settings)
    assert (found.out, [row.topics for row in found.table], found.suggested.topics) == (None, [1, 3], 3)
    assert found.best.n_topics == 3
    assert found.table[1].stability > 0.9
    assert found.reason in str(found)
    stored = stickbreaker.search_topics(texts, [3], path=tmp_path / "search", **settings)
    assert stored.table[0].nats_per_word == found.table[1].nats_per_word
    assert (tmp_path / "search" / "search.html").exists()
    assert str(stored).endswith(f"Figures: {tmp_path / 'search' / 'search.html'}")
    with pytest.raises(UserError, match="topics is a list of whole numbers"):
        stickbreaker.search_topics(texts, ["many"])


def test_an_estimator_keeps_its_threads(lda):
    before = lda.n_jobs
    one, two = (stickbreaker.evaluate(lda, NEW, n_jobs=number) for number in (1, 2))
    assert (str(one), lda.n_jobs) == (str(two), before)


def test_every_kind_loads_and_is_evaluated(tmp_path, texts):
    sentences = ["aba cod", "cod efe aba", "efe aba"] * 4
    quick = {"max_iter": 4, "random_state": 0, "n_jobs": 1}
    models = {
        "LDA": LDA(2, **quick).fit(texts),
        "HDP": HDP(2, **quick).fit(texts),
        "NgramModel": NgramModel(2, **quick).fit(texts),
        "TopicNgramModel": TopicNgramModel(2, **quick).fit(texts),
        "AdaptorGrammar": AdaptorGrammar("unigram", max_iter=4, random_state=0).fit(sentences),
    }
    assert set(models) == set(kinds()) - {"SyntacticTopics", "TagTopics"}
    for name, model in models.items():
        model.save(tmp_path / name)
        again = stickbreaker.load(tmp_path / name)
        assert type(again) is type(model)
        documents = sentences if name == "AdaptorGrammar" else NEW
        scores = [stickbreaker.evaluate(one, documents) for one in (model, again, tmp_path / name)]
        assert len({str(one) for one in scores}) == 1
    assert scores[0].token.f1 > 0.0
    rescaled = stickbreaker.evaluate(models["NgramModel"], NEW, rescale=models["LDA"])
    assert rescaled.rescale == "LDA"
    mixed = stickbreaker.evaluate(models["NgramModel"], NEW, interpolate=tmp_path / "NgramModel", tune_on=NEW)
    assert mixed.parts["all"].perplexity == pytest.approx(mixed.parts["first_alone"].perplexity)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda lda: stickbreaker.evaluate(lda, "a text"), "one string was given instead of a list of texts"),
        (
            lambda lda: stickbreaker.evaluate(3, NEW),
            "an object of the class int was given instead of a model",
        ),
        (lambda lda: stickbreaker.evaluate(LDA(2), NEW), "this LDA has not learned anything; call fit"),
        (lambda lda: stickbreaker.evaluate(SyntacticTopics(2), NEW), "this SyntacticTopics has not learned"),
        (lambda lda: stickbreaker.evaluate(lda, NEW, symbol=1), "has no setting 'symbol'; its settings: "),
        (lambda lda: stickbreaker.evaluate(lda, NEW, completion=2), "completion=2; completion is a number"),
        (lambda lda: stickbreaker.evaluate(lda, NEW, unseen="no"), "unseen='no'; unseen is"),
        (lambda lda: stickbreaker.evaluate(lda, [[1, 2]]), "the matrix has 2 columns, the model 24 words"),
        (lambda lda: stickbreaker.evaluate(lda, ["zzz"]), "there is nothing to score"),
        (lambda lda: stickbreaker.topics_of(lda, top=0), "top=0; top is a whole number above 0"),
        (lambda lda: stickbreaker.topics_of(lda, at="1990"), "there are no snapshots of its topics"),
        (lambda lda: stickbreaker.nearest(lda, NEW, ids=3), "ids is of the class int, not a list"),
        (lambda lda: stickbreaker.nearest(lda, NEW, ids="x"), "no document with a known word has the id 'x'"),
        (lambda lda: stickbreaker.compare(lda), "1 model to compare; give two or more"),
        (lambda lda: stickbreaker.compare(lda, NEW), "an object of the class list was given instead of a m"),
        (lambda lda: stickbreaker.load("nowhere"), "nowhere: there is no such model"),
        (
            lambda lda: stickbreaker.evaluate(lda, "none.jsonl"),
            "none.jsonl: no such file or directory; check",
        ),
        (lambda lda: stickbreaker.load(lda), "path is of the class LDA; give the path of a saved model"),
        (
            lambda lda: stickbreaker.resume(lda),
            "path is of the class LDA; give the path of a model whose run",
        ),
        (
            lambda lda: stickbreaker.make_concepts(None, NEW),
            "dictionary is of the class NoneType; give the p",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_mistake_is_one_line(lda, call, line):
    with pytest.raises(UserError) as error:
        call(lda)
    assert str(error.value).startswith(line) or line in str(error.value)
    assert "\n" not in str(error.value)


def test_texts_are_segmented(cli, tmp_path):
    sentences = ["aba cod", "cod efe aba", "efe aba"] * 4
    model = AdaptorGrammar("unigram", max_iter=20, random_state=0).fit(sentences)
    model.save(tmp_path / "model")
    write_lines(tmp_path / "new.jsonl", [{"id": str(n), "text": one} for n, one in enumerate(sentences[:3])])
    found = stickbreaker.segment(model, sentences[:3])
    assert found.pieces == model.segment(sentences[:3])
    line = ("segment", tmp_path / "model", tmp_path / "new.jsonl")
    assert cli(*line).stdout.rstrip("\n") == str(found)
    assert json.loads(cli(*line, "--json").stdout) == found.as_json()
    with pytest.raises(UserError, match="a Corpus keeps no spaces"):
        stickbreaker.segment(model, Corpus.from_texts(NEW))
    for more, options in (({}, ()), ({"how": "samples", "trees": 2}, ("--how", "samples", "--trees", 2))):
        drawn = stickbreaker.parse(tmp_path / "model", sentences[:3], **more)
        line = ("parse", tmp_path / "model", tmp_path / "new.jsonl", *options)
        assert cli(*line).stdout.rstrip("\n") == str(drawn)
        printed = [json.loads(one) for one in cli(*line, "--json").stdout.splitlines()]
        assert printed == drawn.as_json()["texts"]
    with pytest.raises(UserError, match='trees needs how="samples"'):
        stickbreaker.parse(model, sentences, trees=2)
    with pytest.warns(UserWarning, match="1 of 1 text has symbols that are new to the model"):
        assert stickbreaker.segment(model, ["xyz"]).with_new_symbols == 1
    for more, options in (
        ({}, ()),
        ({"nonterminal": "Word", "top": 1}, ("--nonterminal", "Word", "--top", 1)),
    ):
        learned = stickbreaker.rules(model, **more)
        line = ("rules", tmp_path / "model", *options)
        assert cli(*line).stdout.rstrip("\n") == str(learned)
        assert json.loads(cli(*line, "--json").stdout) == learned.as_json()


def test_sentences_are_scored_drawn_and_ranked(cli, texts, new_file, tmp_path):
    model = NgramModel(2, max_iter=10, random_state=0).fit(texts)
    model.save(tmp_path / "model")
    found = stickbreaker.score(model, NEW)
    assert [one.nats for one in found.sentences] == [one.nats for one in model.score_sentences(NEW)]
    corpus = Corpus.build(new_file)
    for more, options in (({}, ()), ({"words": True}, ("--words",))):
        line = ("score", tmp_path / "model", new_file, *options)
        own = stickbreaker.score(tmp_path / "model", corpus, **more)
        assert json.loads(cli(*line, "--json").stdout) == own.as_json()
        assert cli(*line).stdout.rstrip("\n") == str(own)
    drawn = stickbreaker.generate(model, sentences=3, random_state=1)
    printed = cli("generate", tmp_path / "model", "--sentences", 3, "--seed", 1).stdout
    assert printed.rstrip("\n") == str(drawn) == "\n".join(drawn.sentences)
    lists = ["0 ||| zebra yak ||| 0", f"0 ||| {NEW[0]} ||| -90", "1 ||| river ||| 0"]
    (tmp_path / "a.nbest").write_text("\n".join(lists) + "\n")
    ranked = stickbreaker.rescore(model, lists, scale=0.1)
    assert (ranked.best, ranked.as_json()) == (["zebra yak", "river"], {"sentences": 2, "changed": 0})
    ranked.write(tmp_path / "own.nbest")
    line = (
        "rescore",
        tmp_path / "model",
        tmp_path / "a.nbest",
        "--scale",
        0.1,
        "--out",
        tmp_path / "b.nbest",
    )
    assert cli(*line).stdout.rstrip("\n") == f"{tmp_path / 'b.nbest'}: {ranked}"
    assert (tmp_path / "b.nbest").read_bytes() == (tmp_path / "own.nbest").read_bytes()
    for call, problem in (
        (lambda: stickbreaker.score(model, NEW, weight=0.5), "weight needs interpolate"),
        (lambda: stickbreaker.score(model, NEW, document=NEW), "document does not apply to a language model"),
        (lambda: stickbreaker.generate(model, topic=1), "topic does not apply to a language model without"),
        (lambda: stickbreaker.rescore(model, ["no list"]), "line 0 is not a candidate"),
        (lambda: stickbreaker.rescore(model, 3), "an object of the class int was given instead of n-best"),
    ):
        with pytest.raises(UserError, match=problem):
            call()


def test_a_language_model_in_the_arpa_format_loads(cli, texts, tmp_path):
    NgramModel(2, max_iter=4, random_state=0).fit(texts).save(tmp_path / "model")
    cli("export", tmp_path / "model", "--format", "arpa", "--out", tmp_path / "arpa")
    model = stickbreaker.load(tmp_path / "arpa")
    assert repr(model) == "ArpaModel(24 words, order 2)"
    assert str(stickbreaker.evaluate(model, NEW)) == str(stickbreaker.evaluate(tmp_path / "arpa", NEW))
    assert stickbreaker.evaluate(model, NEW).learned_from is None


def test_an_update_leaves_what_it_was_given_as_it_is(cli, lda, saved, texts, new_file, tmp_path):
    words = lda.components_.copy()
    more = stickbreaker.update(lda, NEW, batch_size=2, date="2026-11-30")
    assert (more.model, more.documents, more.updates) == ("LDA", len(NEW), 1)
    assert (lda.components_ == words).all()
    again = LDA.load(saved).partial_fit(NEW[:2])
    for start in range(2, len(NEW), 2):
        again.partial_fit(NEW[start : start + 2])
    assert (more.estimator.components_ == again.components_).all()
    found = stickbreaker.update(saved, NEW, batch_size=2, date="2026-11-30", path=tmp_path / "newer")
    line = ("update", saved, new_file, "--batch-size", 2, "--date", "2026-11-30", "--out")
    assert json.loads(cli(*line, tmp_path / "other", "--json").stdout) == {
        **found.as_json(),
        "model": str(tmp_path / "other"),
    }
    assert (LDA.load(tmp_path / "newer").components_ == more.estimator.components_).all()
    ngram = NgramModel(2, max_iter=4, random_state=0).fit(texts)
    assert stickbreaker.update(ngram, NEW).estimator.corpus_["documents"] == len(texts) + len(NEW)
    assert ngram.corpus_["documents"] == len(texts)
    for call, problem in (
        (lambda: stickbreaker.update(lda, NEW, date="May"), "date='May' is not a day; give it as 2026-11-30"),
        (lambda: stickbreaker.update(lda, []), "there is no document; give "),
        (lambda: stickbreaker.update(lda, NEW, path=tmp_path / "newer"), "already exists"),
        (lambda: stickbreaker.update(lda, NEW, batch_size=0), "batch_size=0; batch_size is a whole number"),
    ):
        with pytest.raises(UserError, match=problem):
            call()


def test_a_run_is_resumed(cli, texts, tmp_path):
    corpus = Corpus.from_texts(texts)
    corpus.write(tmp_path / "corpus")
    settings = NgramSettings(2, max_iter=4, samples=2, random_state=0)
    for name in ("own", "other"):
        model_runs.begin(NGRAMS, settings, Corpus.open(tmp_path / "corpus"), tmp_path / name)
    found = stickbreaker.resume(tmp_path / "own")
    assert found.estimator.perplexity(texts) == NgramModel(2, max_iter=4, samples=2, random_state=0).fit(
        corpus
    ).perplexity(texts)
    printed = json.loads(cli("resume", tmp_path / "other", "--json").stdout)
    assert printed == {**found.as_json(), "model": str(tmp_path / "other")}
    again = stickbreaker.resume(tmp_path / "own")
    assert cli("resume", tmp_path / "own").stdout.rstrip("\n") == str(again)
    with pytest.raises(UserError, match="there is no such model"):
        stickbreaker.resume(tmp_path / "nothing")


def test_models_are_exported_and_reported(cli, lda, saved, texts, tmp_path):
    ngram = NgramModel(2, max_iter=4, samples=2, random_state=0).fit(texts)
    ngram.save(tmp_path / "ngram")
    corpus = Corpus.from_texts(NEW)
    corpus.write(tmp_path / "corpus")
    for model, place, form, settings, options in (
        (lda, saved, "gensim-topics", {"top": 3}, ("--top", 3)),
        (ngram, tmp_path / "ngram", "arpa", {"sample": 0}, ("--sample", 0)),
        (lda, saved, "mallet-doc-topics", {"documents": corpus}, (tmp_path / "corpus",)),
    ):
        found = stickbreaker.export(model, tmp_path / "own", form, **settings, overwrite=True)
        line = (
            "export",
            place,
            *options[-1:] * (form == "mallet-doc-topics"),
            "--format",
            form,
            "--overwrite",
        )
        more = () if form == "mallet-doc-topics" else options
        printed = cli(*line, *more, "--out", tmp_path / "other", "--json").stdout
        own = json.loads(json.dumps(found.as_json()))
        assert json.loads(printed) == {**own, "out": str(tmp_path / "other")}
        assert (tmp_path / "own").read_bytes() == (tmp_path / "other").read_bytes()
    stickbreaker.export(lda, tmp_path / "m.zip", "zip")
    assert (LDA.load(tmp_path / "m.zip").components_ == lda.components_).all()
    page = stickbreaker.report(saved, tmp_path / "page.html", title="Rivers")
    assert (tmp_path / "page.html").read_text() == page.html
    for call, line in (
        (
            lambda: stickbreaker.export(lda, tmp_path / "x", "arpa"),
            "LDA cannot be written as arpa; use",
        ),
        (
            lambda: stickbreaker.export(lda, tmp_path / "x", "pyldavis"),
            "is about documents: give some",
        ),
        (
            lambda: stickbreaker.export(ngram, tmp_path / "x", "arpa", top=3),
            "top does not apply to arpa",
        ),
        (
            lambda: stickbreaker.export(lda, tmp_path / "own", "gensim-topics"),
            "already exists; choose",
        ),
        (
            lambda: stickbreaker.report(ngram, group_field="label"),
            "group_field does not apply to",
        ),
        (lambda: stickbreaker.report(3), "class int was given instead of a model"),
    ):
        with pytest.raises(UserError) as error:
            call()
        assert line in str(error.value)


def test_signatures_name_arrays_in_short():
    """What `help()` and notebooks show of a public function has no type of an array written out."""
    long: list[str] = []
    for name in stickbreaker.__all__:
        public = getattr(stickbreaker, name)
        functions = [public] if inspect.isfunction(public) else [public.__init__, *vars(public).values()]
        for one in functions:
            function = getattr(one, "__func__", one)
            shown = inspect.isfunction(function) and not is_private(function.__name__)
            if shown and "numpy.dtype" in str(inspect.signature(function)):
                long.append(f"{name}.{function.__name__}")
    assert long == []
