"""Word intrusion: the questions, and the page that asks them."""

import json
import re
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import LDA, UserError
from stickbreaker.topics.evaluation.intrusion import APART, WORDS, intrusion_questions

K, V = 6, 300
SPELLED = [f"w{v}" for v in range(V)]


def topics(seed):
    """Topics of Dirichlet draws, and the words that stand for each."""
    beta = np.random.default_rng(seed).dirichlet(np.full(V, 0.1), K)
    return beta, [[SPELLED[v] for v in np.argsort(-row)[:10]] for row in beta]


@given(st.integers(0, 50), st.integers(1, 9))
def test_an_intruder_stands_for_another_topic(seed, n):
    beta, top = topics(seed)
    for one in intrusion_questions(beta, top, SPELLED, n=n, seed=seed):
        word = one.words[one.intruder]
        assert sorted(set(one.words) - {word}) == sorted(top[one.topic][:WORDS])
        assert any(word in own for k, own in enumerate(top) if k != one.topic)
        rank = (beta[one.topic] > beta[one.topic][int(word[1:])]).sum()
        assert rank >= APART


def test_questions_are_about_different_topics_that_are_used():
    beta, top = topics(1)
    found = intrusion_questions(beta, top, SPELLED, left_out=[2], n=10)
    assert sorted(one.topic for one in found) == [0, 1, 3, 4, 5]
    assert found == intrusion_questions(beta, top, SPELLED, left_out=[2], n=10)
    assert found != intrusion_questions(beta, top, SPELLED, left_out=[2], n=10, seed=1)
    assert (
        len({one.intruder for seed in range(9) for one in intrusion_questions(beta, top, SPELLED, seed=seed)})
        == 6
    )


def test_topics_that_are_alike_have_no_question():
    beta, top = topics(0)
    with pytest.raises(UserError, match="two or more different topics"):
        intrusion_questions(beta[[0, 0]], [top[0], top[0]], SPELLED)


def quiz_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))


def test_the_program_writes_a_page(cli, model, tmp_path):
    model = shutil.copytree(model, tmp_path / "model")
    cli("name", model, "--topic", "0=<script>alert(1)</script>")
    told = json.loads(cli("intruders", model, "--out", tmp_path / "quiz.html", "--json").stdout)
    page = (tmp_path / "quiz.html").read_text()
    questions = quiz_of(page)["questions"]
    assert told["questions"] == len(questions) == len(LDA.load(model).alpha_)
    assert "NPMI" in questions[0]["about"]
    for outside in ("http://", "https://", "src=", "@import", "url("):
        assert outside not in page
    error = cli("intruders", model, "--out", tmp_path / "quiz.html", code=1).stderr
    assert "already exists" in error


def test_a_polylingual_model_is_asked_in_its_first_language(cli, tmp_path):
    english, german = (("sea", "ship", "sail", "wave"), ("house", "door", "roof", "wall")), (
        ("meer", "schiff", "segel", "welle"), ("haus", "tür", "dach", "wand"),
    )  # fmt: skip
    rows = [{"en": " ".join(english[n % 2] * 3), "de": " ".join(german[n % 2] * 3)} for n in range(20)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    fields = ("--text-field", "de=de,en=en")
    cli("fit", "lda", tmp_path / "pairs.jsonl", *fields, "--topics", "2", "--out", tmp_path / "model")
    cli("intruders", tmp_path / "model", "--out", tmp_path / "quiz.html")
    questions = quiz_of((tmp_path / "quiz.html").read_text())["questions"]
    assert questions
    assert {word for one in questions for word in one["words"]} <= {word for own in german for word in own}
    table = tmp_path / "table.csv"
    cli("evaluate", tmp_path / "model", tmp_path / "pairs.jsonl", *fields, "--diagnostics", table)
    held = [row.rpartition(",")[2].strip('"').split() for row in table.read_text().splitlines()[1:]]
    assert len(held) == 2
    assert all(set(own) <= {word for each in german for word in each} for own in held)


@pytest.mark.browser
def test_answers_are_counted(browser, cli, model, tmp_path):
    cli("intruders", model, "--out", tmp_path / "quiz.html")
    questions = quiz_of((tmp_path / "quiz.html").read_text())["questions"]
    page = browser.new_context(offline=True, viewport={"width": 390, "height": 800}).new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "quiz.html").as_uri())
    for number, question in enumerate(questions):
        place = question["intruder"] if number != 1 else (question["intruder"] + 1) % len(question["words"])
        page.locator("fieldset").nth(number).locator("button").nth(place).click()
    n = len(questions)
    assert page.locator("output").inner_text() == f"{n - 1} of {n} found; by chance {n / 6:.1f}"
    assert page.locator("button.right").count() == n
    assert page.locator("button.wrong").count() == 1
    assert page.locator("button:enabled").count() == 0
    assert questions[0]["about"] in page.locator("fieldset").nth(0).inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert wrong == []
