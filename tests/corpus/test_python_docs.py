"""The demo corpus: its rules on a small made-up library, its shape on the running Python."""

import textwrap
from pathlib import Path

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import python_docs
from stickbreaker.corpus.readers.python_docs import python_documents, stop_words, words_of

PROSE = "Sockets connect clients with servers over networks; a socket listens, a client connects. " * 4


def library(root: Path, **files: str) -> list[Document]:
    for name, source in files.items():
        path = root / (name.replace(".", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), "utf-8")
    return list(python_documents(root))


def test_a_class_and_the_rest_of_its_module_are_units(tmp_path: Path) -> None:
    source = f'''
        """Module. {PROSE}"""

        class StreamReader:
            """{PROSE}"""
            def read(self):
                """Wait until readline finds a newline."""

        class Small:
            """Mailbox."""
        '''
    found = library(tmp_path, **{"net.stream_io": source})
    assert [document.id for document in found] == ["net.stream_io#1", "net.stream_io.StreamReader#1"]
    assert all((document.tokens or [])[:6] == ["net", "stream", "io"] * 2 for document in found)
    assert "mailbox" in (found[0].tokens or [])  # a small class joins the rest of its module
    assert "readline" in (found[1].tokens or [])
    assert found[1].metadata == {"title": "net.stream_io.StreamReader", "module": "net.stream_io"}


def test_code_doctests_rules_addresses_and_licences_are_dropped(tmp_path: Path) -> None:
    source = f'''
        # Copyright somebody: wombat wombat wombat wombat.

        # gazelle = antelope(zebra); giraffe
        #
        # Penguins waddle over frozen seas.
        # ---------------------------------
        """{PROSE}

        >>> doctestword = 1
        doctestresult

        See https://urlword.org/page for otters.
        =========

            codeword = f(x)[0] == {{}}
        """
        text = """
        inside a plain string
        """
        '''
    (document,) = library(tmp_path, animals=source)
    tokens = set(document.tokens or [])
    assert {"penguin", "penguins"} & tokens
    assert "otters" in tokens
    for word in (
        "wombat",
        "gazelle",
        "giraffe",
        "doctestword",
        "doctestresult",
        "urlword",
        "codeword",
        "plain",
    ):
        assert word not in tokens
    assert "---" not in (document.text or "")


def test_names_are_split_and_stop_words_dropped() -> None:
    assert words_of("The HTTPServer's socket_address isn't a returned XMLParser's value") == [
        "http",
        "server",
        "socket",
        "address",
        "xml",
        "parser",
    ]


def test_a_plural_folds_only_if_its_singular_occurs(tmp_path: Path) -> None:
    (document,) = library(
        tmp_path, net=f'"""{PROSE} Addresses, an address, queries, query, trousers, status."""'
    )
    tokens = document.tokens or []
    assert tokens.count("address") == 2
    assert tokens.count("query") == 2
    assert {"trousers", "status", "socket"} <= set(tokens)
    assert "sockets" not in tokens


def test_long_units_are_cut_between_sentences(tmp_path: Path) -> None:
    long = " ".join(
        f"Walruses swim past glacier{'abcdefghij'[i % 10] * 2}, seals follow." for i in range(100)
    )
    found = library(tmp_path, arctic=f'"""{long}"""')
    assert len(found) > 2
    assert [document.id for document in found] == [f"arctic#{i + 1}" for i in range(len(found))]
    assert all(len(document.tokens or []) < 80 + 2 + 25 for document in found)
    assert all((document.text or "").endswith("follow.") for document in found)


def test_language_topics(tmp_path: Path) -> None:
    (document,) = library(tmp_path, **{"pydoc_data.topics": f"topics = {{'yielding': {PROSE!r}}}"})
    assert document.id == "language.yielding#1"
    assert (document.tokens or [])[:4] == ["language", "yielding"] * 2


def test_what_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (:")
    (tmp_path / "binary.py").write_bytes(b"\x00\xff\xfe")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "inside.py").write_text(f'"""{PROSE}"""')
    assert [document.id for document in library(tmp_path, net=f'"""{PROSE}"""')] == ["net#1"]


def test_a_python_without_sources_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no documentation.*\.py files.*; run the demo") as caught:
        next(python_documents(tmp_path))
    assert "\n" not in str(caught.value)


def test_stop_words_are_clean() -> None:
    assert {"the", "argument", "arguments"} <= stop_words()
    assert not stop_words() & {"http", "socket", "file", "date"}


@pytest.mark.slow
def test_the_running_python() -> None:
    found = list(python_documents())
    ids = [document.id for document in found]
    assert len(found) > 500
    assert (ids[0], (found[0].tokens or [])[:2]) == ("__future__#1", ["future", "future"])
    assert len(set(ids)) == len(ids)
    units = [str(name).rpartition("#")[0] for name in ids]
    assert units == sorted(units)
    assert not any(unit.startswith(("idlelib", "test.", "encodings")) for unit in units)
    for document in found:
        tokens = document.tokens or []
        assert document.text
        assert len(tokens) >= python_docs.FEWEST_WORDS
        assert all(token == token.lower() and " " not in token for token in tokens)
