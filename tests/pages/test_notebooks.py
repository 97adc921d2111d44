"""What notebooks show: tables of fitted estimators, and their report in a frame."""

from __future__ import annotations

import json
import re
import tempfile
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from tests.running import planted_documents

from stickbreaker import HDP, LDA, AdaptorGrammar, Corpus, NgramModel, UserError
from stickbreaker.corpus.overview import Overview, as_html
from stickbreaker.estimators.given_models import learned_in
from stickbreaker.estimators.kinds import page_of_saved
from stickbreaker.topics.evaluation.learned_documents import share_learned_from
from stickbreaker.topics.report.topic_page import page_of

TEXTS = [document["text"] for document in planted_documents(60)]
HOSTILE = '</script><img src=x onerror="window.hacked=1">'


def fitted_topics() -> LDA:
    return LDA(3, max_iter=5, tol=0.0, n_jobs=1, random_state=1).fit(TEXTS)


@pytest.fixture(scope="module")
def lda() -> LDA:
    return fitted_topics()


@pytest.fixture(scope="module")
def ngrams() -> NgramModel:
    return NgramModel(2, min_count=1, max_iter=4, random_state=0).fit(TEXTS)


@pytest.fixture(scope="module")
def grammar() -> AdaptorGrammar:
    texts = ["adog", "acat", "thedog", "thecat"] * 5
    return AdaptorGrammar("unigram", max_iter=20, random_state=0).fit(texts)


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


class Tags(HTMLParser):
    """All tags of an HTML text with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


# the report


def test_it_is_the_page_that_the_program_makes(lda, ngrams, grammar, tmp_path):
    for model in (lda, ngrams, grammar):
        path = tmp_path / model.kind
        model.save(path)
        made = page_of_saved(path, "A title", {}).html()
        assert model.report(title="A title").html == made
        assert type(model).load(path).report(title="A title").html == made


def test_a_frame_has_the_whole_page_and_nothing_but_it(lda):
    page = lda.report(title=HOSTILE, documents=[f"{HOSTILE} {text}" for text in TEXTS])
    (frame,) = Tags(page._repr_html_()).found
    assert frame[0] == "iframe"
    assert frame[1]["srcdoc"] == page.html
    assert frame[1]["title"] == HOSTILE
    assert frame[1]["sandbox"] == "allow-scripts allow-downloads"
    assert "Content-Security-Policy" in page.html


def documents_of(page):
    return data_of(page.html)["choices"].get("document", {"documents": []})["documents"]


def test_documents_are_shown_as_a_run_of_the_program_shows_them(cli, lda, planted, tmp_path):
    plain = lda.report()
    assert documents_of(plain) == []
    page = lda.report(documents=TEXTS)
    assert len(documents_of(page)) == 60
    assert '"baseline":["word frequencies alone (unigram)"' in page.html
    documents = planted_documents(60)
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    (tmp_path / "d.jsonl").write_text(lines)
    corpus = Corpus.build(tmp_path / "d.jsonl", tmp_path / "corpus")
    with_labels = lda.report(documents=corpus).html
    assert "label" in with_labels[with_labels.index('id="groups"') :]


def test_documents_that_were_not_learned_from_are_counted_by_themselves(lda, tmp_path):
    assert len(documents_of(lda.report(documents=TEXTS[:7]))) == 7
    lda.save(tmp_path / "model", documents=TEXTS[:7])
    page = page_of(tmp_path / "model", "t")
    assert page.report.documents_total == 7
    assert page.report.unigram == page_of_plain(lda, tmp_path).report.unigram  # of the words learned from


def test_nobody_takes_the_documents_of_a_report_for_those_learned_from(lda, tmp_path):
    others = [f"{text} river" for text in TEXTS[:20]]
    for name, documents, share in (("own", TEXTS, 0.0), ("others", others, None)):
        lda.save(tmp_path / name, documents=documents)
        model = LDA.load(tmp_path / name)
        corpus = Corpus.from_texts(others, analysis=model.analysis_, vocabulary=model.vocabulary_)
        assert share_learned_from(learned_in(model), corpus) == share


def page_of_plain(model, tmp_path):
    model.save(tmp_path / "plain")
    return page_of(tmp_path / "plain", "t")


def test_a_loaded_model_has_its_documents_until_it_learns_more(tmp_path):
    model = fitted_topics()
    model.save(tmp_path / "model", documents=TEXTS)
    loaded = LDA.load(tmp_path / "model")
    assert len(documents_of(loaded.report())) == 60
    loaded.partial_fit(TEXTS[:5])
    assert documents_of(loaded.report()) == []
    (tmp_path / "model" / "model.json").unlink()
    other = LDA.load(_saved(model, tmp_path / "other"))
    (tmp_path / "other").rename(tmp_path / "gone")
    assert other.report().title == "LDA"


def _saved(model, path):
    model.save(path)
    return path


def test_words_of_a_language_model_are_shown_with_sentences(ngrams):
    assert "Sentences by surprise" in ngrams.report(documents=TEXTS).html
    assert "This model keeps no sentences" not in ngrams.report(documents=TEXTS).html
    assert "This model keeps no sentences" in ngrams.report().html


def test_an_open_vocabulary_shows_documents():
    model = HDP(4, words="open", max_iter=1, tol=0.0, n_jobs=1, random_state=0, schedule="online").fit(TEXTS)
    assert len(documents_of(model.report(documents=TEXTS))) == 60


def test_it_is_written_where_nothing_is(lda, tmp_path):
    out = tmp_path / "report.html"
    page = lda.report(out)
    assert out.read_text(encoding="utf-8") == page.html
    with pytest.raises(UserError, match="already exists; choose another path or give overwrite=True"):
        lda.report(out)
    with pytest.raises(UserError, match="already exists"):
        page.save(out)
    assert page.save(out, overwrite=True) == out
    lda.report(str(out), title="Other", overwrite=True)
    assert "<title>Other</title>" in out.read_text(encoding="utf-8")
    with pytest.raises(UserError, match="there is no such directory"):
        page.save(tmp_path / "nowhere" / "report.html")


def test_nothing_stays_behind(lda, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lda.report(documents=TEXTS, compare=lda)
    with pytest.raises(UserError):
        lda.report(group_field="colour")
    assert list(tmp_path.iterdir()) == []


def test_another_model_is_matched(lda, tmp_path):
    other = LDA(2, max_iter=3, tol=0.0, random_state=0).fit(TEXTS)
    assert '"partner in LDA"' in lda.report(compare=other).html
    other.save(tmp_path / "older")
    assert '"partner in older"' in lda.report(compare=tmp_path / "older").html


def test_mistakes_name_parameters_and_no_place_that_is_gone(lda, ngrams, grammar):
    cases = [
        (lambda: lda.report(group_field="colour"), "no document has a field 'colour'"),
        (lambda: lda.report(language="de"), "there is no language 'de'"),
        (lambda: ngrams.report(date_field="year"), "date_field does not apply to a model of the kind Ng"),
        (lambda: ngrams.report(compare=lda), "compare does not apply to a model of the kind NgramModel"),
        (lambda: ngrams.report(language="de"), "language does not apply to a model of the kind NgramModel"),
        (
            lambda: grammar.report(documents=["adog"]),
            "the report of a model of the kind AdaptorGrammar shows no",
        ),
    ]
    for call, begins in cases:
        with pytest.raises(UserError) as caught:
            call()
        assert str(caught.value).startswith(begins)
        assert "--" not in str(caught.value)
    with pytest.raises(NotFittedError):
        LDA(3).report()
    with pytest.raises(NotFittedError):
        lda.report(compare=LDA(3))


# tables


def test_a_fitted_estimator_is_a_table_of_what_was_learned(lda, ngrams, grammar):
    shown = lda._repr_html_()
    assert lda._repr_mimebundle_() == {"text/plain": repr(lda), "text/html": shown}
    assert "3 topics, learned from 60 documents" in shown
    assert all(", ".join(words) in shown for words in lda.top_words(6))
    assert f"{100 * lda.topic_shares_.max():.1f} %" in shown
    assert f"{ngrams.learned_.sizes()['contexts']:,}" in ngrams._repr_html_()
    most = grammar.subtrees("Word")[0]
    assert f"{''.join(most.text)} ({most.customers})" in grammar._repr_html_()
    for model in (lda, ngrams, grammar):
        table = unescape(model._repr_html_())
        assert not re.search(r"<script|<style|https?:|#|color: (?!inherit)", table)


def test_names_and_unused_topics_are_told_apart():
    model = LDA(40, max_iter=4, tol=0.0, random_state=0, guide={"boats": ["boat", "river"]}).fit(TEXTS * 10)
    shown = model._repr_html_()
    assert "boats: " in shown
    used = 40 - len(model.unused_topics_)
    assert shown.count("<tr>") == 1 + min(used, 30)
    if model.unused_topics_:
        assert "with next to no words" in shown


def test_an_unfitted_estimator_is_as_scikit_learn_shows_it(lda):
    assert "sk-" in LDA(3)._repr_html_()
    with config_context(display="text"):
        assert not hasattr(lda, "_repr_html_")
        assert list(lda._repr_mimebundle_()) == ["text/plain"]


def test_text_of_a_table_is_only_ever_text():
    table = as_html(Overview(HOSTILE, [HOSTILE], [[HOSTILE, "a\u202eb\x1b", "\ud800"]], HOSTILE), HOSTILE)
    assert {tag for tag, _ in Tags(table).found} == {
        *("div", "code", "table", "thead", "tbody", "tr", "th", "td"),
    }
    assert unescape(table).count(HOSTILE) == 5
    assert "a\N{REPLACEMENT CHARACTER}b" in table
    table.encode("utf-8")


def test_letters_that_need_an_invisible_one_stay_whole():
    for name in ("می\u200cخواهم", "👩\u200d🔬 science"):
        assert name in as_html(Overview("", ["words"], [[name]]), "")


# in a browser


@pytest.mark.smoke
@pytest.mark.browser
def test_a_page_in_a_frame_works_and_stays_there(browser, lda, tmp_path):
    file = tmp_path / "notebook.html"
    text = "<script>window.hacked=0</script>" + lda.report(documents=TEXTS)._repr_html_()
    file.write_text(f"<!doctype html>{text}", encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page, troubles = context.new_page(), []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(file.as_uri())
    frame = page.frames[1]
    assert frame.locator(".index button").count() == 3
    frame.locator("nav a[href='#vocabulary']").click()
    page.wait_for_function("true")
    assert frame.evaluate("document.querySelector('#vocabulary').getBoundingClientRect().top") < 100
    assert frame.locator(".index button").count() == 3  # the frame has still the page
    frame.locator(".index button").nth(1).click()
    reach = "(() => { try { return parent.document.title } catch { return 'kept out' } })()"
    assert frame.evaluate(reach) == "kept out"
    assert not [one for one in troubles if "Blocked a frame" not in one]
    context.close()


# Of VS Code's notebooks (backLayerWebView.ts, with its setting notebook.experimental.enableCsp); `script-src`
# and `style-src` have further sources there, which only allow more
VSCODE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:"
)
VSCODE_OUTPUT = """<!doctype html><html><head>{policy}</head><body><div id="output"></div><script>
const output = document.getElementById("output");
output.innerHTML = {html};
if ({trusted}) for (const script of output.querySelectorAll("script")) {{
  const again = document.createElement("script");
  again.textContent = script.textContent;
  script.replaceWith(again);
}}
</script></body></html>"""


@pytest.mark.browser
@pytest.mark.parametrize("policy", ["", VSCODE_POLICY])
@pytest.mark.parametrize("trusted", [True, False])
def test_a_report_works_in_vs_code(browser, lda, tmp_path, policy, trusted):
    """By the rules of VS Code's renderer: an output is set as innerHTML in a sandboxed frame without network,
    with its policy if that is on; scripts of the output itself run if the workspace is trusted."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    html = json.dumps(lda.report(documents=TEXTS)._repr_html_()).replace("</", "<\\/")
    content = VSCODE_OUTPUT.format(policy=meta, html=html, trusted=json.dumps(trusted))
    sandbox = "allow-same-origin allow-pointer-lock allow-scripts allow-downloads allow-forms"
    (tmp_path / "webview.html").write_text(content, encoding="utf-8")
    outer = tmp_path / "window.html"
    outer.write_text(
        f'<!doctype html><iframe sandbox="{sandbox}" src="webview.html" width="1200" height="800"></iframe>'
    )
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page, troubles, requests = context.new_page(), [], []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(outer.as_uri())
    frame = page.frame_locator("iframe").frame_locator("iframe")
    frame.locator(".index button").nth(1).click()
    assert frame.locator(".index button").count() == 3
    assert {url.partition(":")[0] for url in requests} <= {"file", "data", "about"}
    assert not troubles
    context.close()


def test_names_given_after_loading_are_on_the_page(model):
    loaded = LDA.load(model)
    before = loaded.report().html
    html = loaded.name_topics({0: "ships & sails", 1: "ships & sails"}).report().html
    assert "ships \\u0026 sails" in html
    assert "ships \\u0026 sails" not in before
    assert "shown as 2: topics with the same name are merged" in html
    assert 'id="documents"' in html
    assert not (model / "names.json").exists()
    assert "ships &amp; sails: " in loaded._repr_html_()
