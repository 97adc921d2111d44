"""Parameters by the names of other programs: one table for messages and documentation."""

import copy
import importlib
import inspect
import re
from pathlib import Path

import pytest
from sklearn.decomposition import LatentDirichletAllocation

from stickbreaker import HDP, LDA, AdaptorGrammar, NgramModel, SyntacticTopics
from stickbreaker.estimators.other_programs import OTHER_METHODS, OTHER_NAMES

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
NAMES = {name: row for row in OTHER_NAMES for name in row.names}
OWN = {name for kind in (LDA, HDP) for name in inspect.signature(kind).parameters}
GENSIM = """num_topics id2word distributed chunksize passes update_every alpha eta decay offset eval_every
    iterations gamma_threshold minimum_probability random_state ns_conf minimum_phi_value per_word_topics
    callbacks dtype workers corpus max_chunks max_time kappa tau K T gamma scale var_converge outputdir"""
TOMOTOPY = """tw min_cf min_df rm_top k alpha eta seed corpus initial_k gamma iter workers parallel
    optim_interval burn_in"""
MALLET = """num_topics num_iterations optimize_interval optimize_burn_in use_symmetric_alpha alpha beta
    random_seed num_threads num_top_words"""


def message(kind, name):
    with pytest.raises(TypeError) as caught:
        kind(**{name: 1})
    return str(caught.value).partition("; ")[2]


@pytest.mark.parametrize(
    ("kind", "name", "hint"),
    [
        (LDA, "kappa", "here it is schedule=Online(kappa=…)"),
        (LDA, "tau", "here it is schedule=Online(tau0=…)"),
        (LDA, "id2word", "here it is fit(Corpus.from_gensim(bags, id2word))"),
        (HDP, "T", "here it is n_topics"),
        (HDP, "K", "here it is tables, if it is gensim's, else n_topics"),
        (LDA, "K", "here it is n_topics"),
        (HDP, "gamma", "here it is concentration"),
        (LDA, "min_df", "here it is Corpus.from_texts(…, rule=VocabularyRule(min_documents=…))"),
        (NgramModel, "min_cf", "here it is min_count"),
        (LDA, "rm_top", "here it is Corpus.from_texts(…, rule=VocabularyRule(max_share=…))"),
        (HDP, "initial_k", "here it is n_topics"),
        (LDA, "optimize_interval", 'here it is alpha="learned"'),
        (LDA, "eval_every", "leave it out, since the score is computed in every pass"),
        (LDA, "iterations", "here it is doc_max_iter, if it is gensim's, else max_iter"),
        (NgramModel, "iterations", "here it is max_iter"),
        (LDA, "alhpa", "did you mean alpha?"),
    ],
)
def test_the_hint_is_the_parameter_of_that_meaning(kind, name, hint):
    assert message(kind, name) == hint


def test_all_parameters_of_other_programs_have_an_answer():
    sklearn = inspect.signature(LatentDirichletAllocation).parameters
    given = {*sklearn, *GENSIM.split(), *TOMOTOPY.split(), *MALLET.split()}
    assert given - OWN - NAMES.keys() == set()
    guesses = [name for name in given - OWN if message(HDP, name).startswith(("did you mean", "it has"))]
    assert not guesses
    assert len(NAMES) == sum(len(row.names) for row in OTHER_NAMES)


def test_answers_name_parameters_that_there_are():
    for row in OTHER_NAMES:
        for here in row.here:
            for name in re.findall(r"(?:^|\()([a-z_]+)=", here):
                assert name in OWN | {
                    "batch_size",
                    "kappa",
                    "tau0",
                    "total",
                    "burn_in",
                    "min_documents",
                    "max_share",
                }


def as_table():
    """The table in Markdown: names and answers as code, remarks as text."""
    lines = ["| parameter there | in | here |", "|---|---|---|"]
    for row in OTHER_NAMES:
        answers = [here for here in row.here if here == row.here[0] or here not in row.here[0]]
        cells = [", ".join(f"`{name}`" for name in row.names), ", ".join(row.programs)]
        lines.append("| " + " | ".join([*cells, " or ".join(map(as_code, answers))]) + " |")
    return "\n".join(lines)


def as_code(answer):
    return answer if answer.startswith("leave") else re.sub(r"^(.+?)(?=$|, if |, after )", r"`\1`", answer)


def test_the_documentation_has_the_same_table():
    assert as_table() in (HOWTO / "migration.md").read_text(encoding="utf-8")


def table_of_methods():
    lines = ["| there | in | here |", "|---|---|---|"]
    for row in OTHER_METHODS:
        names = ", ".join(f"`{name}`" for name in row.names)
        lines.append(f"| {names} | {', '.join(row.programs)} | `{row.here}` |")
    return "\n".join(lines)


def test_the_documentation_has_the_table_of_methods():
    assert table_of_methods() in (HOWTO / "migration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", [LDA(2), HDP(), SyntacticTopics(2), NgramModel(), AdaptorGrammar()])
def test_a_method_of_another_program_names_ours(model):
    told = 0
    for row in OTHER_METHODS:
        for name in row.names:
            assert not hasattr(model, name), name
            with pytest.raises(AttributeError) as caught:
                getattr(model, name)
            own = re.match(r"[a-z_]+(?![a-z_.])", row.here)
            if own is None or hasattr(type(model), own[0]):
                assert str(caught.value) == f"{type(model).__name__} has no {name!r}; here it is {row.here}"
                told += 1
            else:
                assert "here it is" not in str(caught.value)
    assert told >= (len(OTHER_METHODS) if isinstance(model, LDA) else 4)


def test_methods_have_one_answer_and_module_functions_exist():
    names = [name for row in OTHER_METHODS for name in row.names]
    assert len(names) == len(set(names))
    for row in OTHER_METHODS:
        module, _, function = row.here.partition("(")[0].rpartition(".")
        if module.startswith("stickbreaker"):
            assert hasattr(importlib.import_module(module), function)


@pytest.mark.parametrize("model", [LDA(2), SyntacticTopics(2)])
def test_what_a_fit_learns_is_missing_before(model):
    name = type(model).__name__
    with pytest.raises(AttributeError, match=f"{name} has no topic_word_ before a fit"):
        _ = model.topic_word_
    with pytest.raises(AttributeError, match="has no attribute 'topic_words_'"):
        _ = model.topic_words_
    assert not hasattr(copy.copy(model), "topic_word_")


SHORT = {"LDA(": "n_topics", "Online(": "batch_size", "VocabularyRule(": "rule", "--topics": "n_topics"}
OPTIONS = {
    "--seed": "random_state",
    "--iterations": "max_iter",
    "--threads": "n_jobs",
    "--top ": "show_topics",
}


@pytest.mark.parametrize("program", ["gensim", "tomotopy", "mallet", "scikit-learn", "stm"])
def test_pages_of_programs_agree_with_the_table(program):
    rows = [
        line
        for line in (HOWTO / f"from-{program}.md").read_text(encoding="utf-8").split("\n")
        if line[:3] == "| `"
    ]
    found = 0
    for theirs, ours in (line[2:].split(" | ", 1) for line in rows):
        said = ours + "".join(name for short, name in {**SHORT, **OPTIONS}.items() if short in ours)
        names = re.findall(r"[(` ]([A-Za-z]\w*)=", theirs)
        names += [one.replace("-", "_") for one in re.findall(r"--([a-z-]+)", theirs) if program == "mallet"]
        for row in [NAMES[name] for name in names if name in NAMES]:
            wanted = re.findall(r"[A-Za-z]\w*(?==|\(|,|$)", row.here[0])
            assert row.here[0].startswith("leave") or any(one in said for one in wanted), (row.names, ours)
            found += 1
    assert found
