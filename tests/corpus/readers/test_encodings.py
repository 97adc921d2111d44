"""Texts that look like UTF-8 and are not, and wrong codes of UTF-16 and UTF-32."""

import pytest
from tests.corpus.readers.reading import error_in, read, skipping


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("東京の猫", "iso2022_jp", "ISO-2022"),
        ("한국어", "iso2022_kr", "ISO-2022"),
        ("图书馆", "hz", "HZ"),
        ("caf\u00e9", "utf-7", "UTF-7"),
        ("\u041f\u0440\u0438\u0432\u0435\u0442", "utf-7", "UTF-7"),
    ],
)
def test_encodings_of_ascii_characters_are_refused_by_name(tmp_path, text, encoding, name):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one cat\n" + text.encode(encoding) + b"\ntwo dogs\n")
    assert f": the text is in {name}, not UTF-8; convert the file to UTF-8" in error_in(path)
    assert [one.text for one in skipping(path)[0]] == ["one cat", "two dogs"]


@pytest.mark.parametrize(
    "text",
    [
        "A+B- and C+ABC-D",
        "2+2 is +4",
        "~{x} and {~",
        "\x1b[31mred\x1b(B",
        "+BAE Systems",
        "a +AAA-",
        "Ctrl+Alt+Down Arrow",
    ],
)
def test_plain_text_that_only_looks_like_them(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert [one.text for one in read(path)] == [text]


@pytest.mark.parametrize(("encoding", "bad"), [("utf-32", b"\xff\xff\xff\x7f"), ("utf-16", b"\x00\xd8")])
def test_a_bad_code_spoils_one_line(tmp_path, encoding, bad):
    path, lines = tmp_path / "a.txt", [f"line {number} of the sea" for number in range(20_000)]
    content = "\n".join(lines).encode(encoding)
    place = content.index("line 7 ".encode(encoding + "-le"))
    path.write_bytes(content[:place] + bad + content[place:])
    documents, problems = skipping(path)
    assert [one.text for one in documents] == lines[:7] + lines[8:]
    assert problems.counts == {"undecodable bytes": 1}
    path.write_bytes("one\ntwo".encode(encoding)[:-1])
    problem = ":2: character 3 is not UTF-16 or UTF-32, by which the file begins, or is cut off; convert"
    assert error_in(path).startswith(problem)
