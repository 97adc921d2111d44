"""The corpora of the reproductions and the benchmarks, in ../shared/data: texts, aligned pages, sentence
pairs, and how they are cut into parts."""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stickbreaker.core.random_streams import stream

DATA = Path(__file__).parents[2] / "shared/data"
LEXICON = DATA / "lexicons/empath.dic"
DICTIONARY = Path("/usr/share/dict/words")  # Debian: apt install wamerican
TEXTS = {
    "AP": ("ap/ap.jsonl.gz",),
    "20 Newsgroups": ("20newsgroups/train.jsonl.gz",),
    "20 Newsgroups, whole": ("20newsgroups/train.jsonl.gz", "20newsgroups/test.jsonl.gz"),
    "blogs": ("blogs/posts.jsonl.gz",),
    "NIPS": ("nips-text/docs.jsonl.gz",),
    "film reviews": ("imdb-reviews/train.jsonl.gz",),
    "de-news": ("de-news-en/docs.jsonl.gz", "de-news-en/seed_dictionary.txt"),
    "Brown": ("brown/brown.jsonl.gz",),
    "Penn Treebank": tuple(f"ptb-lm/{part}.txt.gz" for part in ("train", "valid", "test")),
    "Brent": ("br-phono/br-phono.txt",),
    "Chinese": tuple(
        f"chinese-segmentation/{part}.txt.gz"
        for part in ("ctb6_train", "ctb6_test", "pku_test_gold", "cityu_test_gold")
    ),
    "treebank sample": ("ptb-sample/wsj_dependencies.conllu.gz",),
    "EWT": tuple(f"ud-english-ewt/en_ewt-ud-{part}.conllu.gz" for part in ("train", "dev", "test")),
    "Sequoia": tuple(
        f"ud-french-sequoia/fr_sequoia-ud-{part}.conllu.gz" for part in ("train", "dev", "test")
    ),
    "WikiText-2": tuple(f"wikitext-2/{part}.txt.gz" for part in ("train", "valid", "test")),
    "IMDb": ("imdb-reviews/train.jsonl.gz", "imdb-reviews/test.jsonl.gz"),
    "AP counts": ("ap/ap.ldac.gz",),
    "NIPS counts": ("nips-bow/docs.ldac.gz",),
}
DICTIONARIES = {"de": "dict-de-en/de-en.tsv.gz", "zh": "dict-zh-en/cedict.tsv.gz"}  # into English
PAGES = {  # corpus: file, languages
    "LibreOffice": ("libreoffice-help/paragraphs.jsonl.gz", ("de", "en", "zh")),
    "manuals": ("polylingual-manuals/docs.jsonl.gz", ("de", "en", "es", "fr")),
    "GIMP": ("polylingual-gimp/docs.jsonl.gz", ("de", "en")),
}
BITEXTS = {  # sentence pairs: file, languages
    "libreoffice": ("libreoffice-help/paragraphs.jsonl.gz", ("de", "en", "zh")),
    "wesnoth": ("wesnoth-en-de/en-de.jsonl.gz", ("de", "en", "zh")),
    "multi30k": ("multi30k/train.jsonl.gz", ("de", "en")),
    "ted": ("ted-iwslt14-de-en/valid.jsonl.gz", ("de", "en")),
    "wmt": ("wmt-sample-en-de/en-de.jsonl.gz", ("de", "en")),
}
OUTSIDE = {"de": "wmt22-domains/de-en.jsonl.gz", "zh": "wmt22-domains/en-zh.jsonl.gz"}  # pairs with English

Page = dict[str, str]  # language code: text


def missing(names: Iterable[str]) -> list[str]:
    """A line for each corpus, lexicon or dictionary that is not there."""
    files = {name: [DATA / file for file in parts] for name, parts in TEXTS.items()}
    files |= {name: [DATA / file] for name, (file, _) in PAGES.items()}
    files |= {name: [DATA / file] for name, (file, _) in BITEXTS.items()}
    files |= {f"dictionary of {code}": [DATA / file] for code, file in DICTIONARIES.items()}
    files |= {f"outside pairs of {code}": [DATA / file] for code, file in OUTSIDE.items()}
    files |= {"lexicon": [LEXICON], "dictionary": [DICTIONARY]}
    return [
        f"MISSING: {name}: {file} does not exist"
        for name in names
        for file in files[name]
        if not file.exists()
    ]


def texts(name: str) -> list[str]:
    """The documents of a corpus in one language."""
    return [row["text"] for row in rows(name)]


def rows(name: str) -> list[dict[str, Any]]:
    """The documents of a corpus in one language, with all their fields."""
    return [row for file in TEXTS[name] if file.endswith(".jsonl.gz") for row in read_rows(DATA / file)]


def pages(name: str) -> list[Page]:
    """The aligned pages of a corpus; paragraphs that come one by one are joined."""
    file, languages = PAGES[name]
    joined: dict[str, dict[str, list[str]]] = {}
    for row in read_rows(DATA / file):
        page = joined.setdefault(row["doc"], {})
        for language in languages:
            if row.get(language):
                page.setdefault(language, []).append(row[language])
    return [{code: "\n".join(parts) for code, parts in page.items()} for page in joined.values()]


def bitext_rows(name: str) -> Iterator[dict[str, Any]]:
    """The sentence pairs of a set: texts by language, and the document if one is named."""
    yield from read_rows(DATA / BITEXTS[name][0])


def outside_rows(source: str) -> Iterator[dict[str, Any]]:
    """Sentence pairs of a language and English from sources other than BITEXTS, each with a document and a
    domain."""
    yield from read_rows(DATA / OUTSIDE[source])


def cut(documents: list[Any], *shares: float) -> list[list[Any]]:
    """Documents in random parts of these shares, and the rest last.

    >>> [len(part) for part in cut(list(range(10)), 0.2, 0.1)]
    [2, 1, 7]
    """
    order = stream(0, "parts").permutation(len(documents)).tolist()
    parts: list[list[Any]] = []
    for share in shares:
        size = round(share * len(documents))
        parts.append([documents[place] for place in sorted(order[:size])])
        order = order[size:]
    return [*parts, [documents[place] for place in sorted(order)]]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a compressed file of JSON Lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
