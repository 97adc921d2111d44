"""The text, encoding and date of web pages."""

import importlib
import time

import pytest

from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.web_pages import extract_page

pytest.importorskip("trafilatura")

ANSWER = "A cat sat on the mat all day, and did not look at the dogs that ran along by the river."


def page(body, head="<title>T</title>"):
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


def declared(name, content):
    return b'<html><head><meta charset="%s"></head><body><p>%s</p></body></html>' % (name.encode(), content)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<div><p>{ANSWER}</p></div><div><p>{ANSWER}</p></div>", f"{ANSWER}\n{ANSWER}"),
        (
            f"<div><h2>One</h2><p>{ANSWER}</p></div><div><h2>Two</h2><p>{ANSWER}</p></div>",
            f"One\n{ANSWER}\nTwo\n{ANSWER}",
        ),
        ("<center>one</center><font>two</font>", "one\ntwo"),
        (
            "<table><tr><td><ul><li>one</li><li>two</li></ul></td><td>three</td></tr></table>",
            "one\ntwo\nthree",
        ),
        (f"<nav>Home <a>Contact</a></nav><article><p>{ANSWER}</p></article><footer>Imprint</footer>", ANSWER),
        ("<div>" * 300 + "<p>deep</p>" + "</div>" * 300 + "<p>after</p>", "deep\nafter"),
    ],
)
def test_all_blocks_of_the_main_text_arrive(body, text):
    assert extract_page(page(body), None).text == text


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("shift_jis", "cp932", "番号①㈱の本"),
        ("iso-2022-jp", "iso2022_jp", "東京の図書館"),
        ("EUC-JP", "euc_jis_2004", "番号①㈱の本"),
        ("iso-8859-1", "cp1252", "a “word” – café"),
        ("gb2312", "gb18030", "图书馆镕"),
        ("euc-kr", "cp949", "도서관의 똠"),
        ("big5", "big5hkscs", "圖書館"),
        ("koi8-r", "koi8_r", "Книга"),
        ("utf-16", "utf-8", "Größe"),
    ],
)
def test_the_declared_encoding_is_used_by_its_name_on_the_web(name, codec, text):
    found = extract_page(declared(name, text.encode(codec)), None)
    assert (found.text, dict(found.remarks)) == (text, {})


@pytest.mark.parametrize("content", ["Größe".encode() + b"\xff", "Größe".encode()[:-2]])
def test_bad_bytes_are_replaced_and_counted(content):
    found = extract_page(declared("utf-8", content), None)
    assert found.text == content.decode("utf-8", "replace")
    assert found.remarks == {"characters of web pages are not in the encoding declared": 1}


def test_order_marks_and_xml_declarations():
    text = "<html><body><p>Größe</p></body></html>"
    meta = '<html><head><meta charset="koi8-r"></head><body><p>Größe</p></body></html>'
    assert extract_page(b"\xef\xbb\xbf" + meta.encode(), None).text == "Größe"
    xml = b'<?xml version="1.0" encoding="ISO-8859-1"?>' + text.encode("latin-1")
    assert extract_page(xml, None).text == "Größe"


def test_an_encoding_is_guessed_only_without_declaration():
    text = "<p>Größe und Länge sind für Mädchen und Jungen schön zu wissen, sagte der Bürgermeister.</p>"
    assert extract_page(text.encode(), None).remarks == {}
    assert extract_page(text.encode("latin-1"), None).remarks == {
        "web pages declare no encoding, which is guessed": 1
    }


@pytest.mark.parametrize(
    ("head", "body", "date"),
    [
        ("", "<p>Call 0800-1998 for more, or come on 5 May 2001.</p><p>Copyright 2003</p>", None),
        ('<meta property="article:published_time" content="2020-05-06T01:02:03Z">', "<p>x</p>", "2020-05-06"),
        ('<meta name="DC.date" content="6 May 2020">', "<p>x</p>", "2020-05-06"),
        ("", '<p>x</p><time datetime="2020-05-06">yesterday</time>', "2020-05-06"),
        (
            '<script type="application/ld+json">{"@graph": [{"datePublished": "2020-05-06"}]}</script>',
            '<p>x</p><time datetime="2001-01-01">then</time>',
            "2020-05-06",
        ),
        ('<script type="application/ld+json">{"datePublished": }</script>', "<p>x</p>", None),
    ],
)
def test_dates_are_those_that_the_page_states(head, body, date):
    found = extract_page(page(body, head), None).about["date"]
    assert (found and found.isoformat()) == date


def test_many_attributes_take_no_time():
    many = " ".join(f'a{number}="x"' for number in range(100_000))
    start = time.process_time()
    assert extract_page(page(f"<p {many}>A cat sat.</p>"), None).text == "A cat sat."
    assert time.process_time() - start < 20  # 90 s with them


def test_what_is_nested_too_deeply_is_refused():
    with pytest.raises(Bad, match="nested too deeply"):
        extract_page(page("<div>" * 2500 + "deep"), None)


def test_text_is_bounded():
    with pytest.raises(Bad, match="larger than 100 bytes"):
        extract_page(page(f"<p>{ANSWER}</p><p>{ANSWER}</p>"), 100)


@pytest.mark.parametrize(
    "body",
    ["<table><tr><td>cat</td></tr></table>" * 2_000, "<div>" * 1_500 + "cat" + "</div>" * 1_500],
    ids=["tables", "levels"],
)
def test_many_tables_and_levels_take_linear_time(monkeypatch, body):
    maker = importlib.import_module("justext.core").ParagraphMaker  # which takes the square of their number
    monkeypatch.setattr(maker, "make_paragraphs", lambda *_: pytest.fail("justext was asked"))
    assert "cat" in extract_page(f"<html><body>{body}</body></html>".encode(), None).text


def test_a_page_that_is_too_large_for_a_search_is_read_whole():
    body = "".join(f"<p>cat {number}</p>" for number in range(10_001))
    found = extract_page(f"<title>T</title><body><nav>menu</nav>{body}".encode(), None)
    assert (found.text.count("cat"), found.about["title"]) == (10_001, "T")
    assert list(found.remarks) == [
        "web pages are too large to look for their main text, and are read with their menus"
    ]
