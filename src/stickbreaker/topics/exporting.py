"""Topics and topic shares in the formats of other programs: MALLET, gensim, pyLDAvis.

An existing file is replaced with `overwrite`; otherwise UserError is raised.
"""

import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_file
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.topics.evaluation.cross_lingual import one_side
from stickbreaker.topics.learned import TopicsLearned, topics_in
from stickbreaker.topics.model.word_ranking import PROBABILITY


def write_doc_topics(model: object, corpus: Corpus, path: str | Path, *, overwrite: bool = True) -> None:
    """Write topic shares like MALLET's `--output-doc-topics`: `number TAB id TAB share TAB share …`.

    `corpus` is read with the model's vocabulary, block by block. White space in an id becomes single spaces.
    Numbers are written with full precision.
    """
    learned = topics_in(model, "export")
    seen, number = learned.with_words(corpus), 0
    with atomic_file(Path(path), overwrite=overwrite) as partial, _text(partial) as file:
        for block in range(len(seen.block_sizes)):
            shares = learned.shares(seen, block)
            for name, row in zip(seen.ids(block), shares.tolist(), strict=True):
                file.write("\t".join([str(number), _one_field(name, " "), *map(repr, row)]) + "\n")
                number += 1


def write_topic_keys(model: object, path: str | Path, n_words: int = 20, *, overwrite: bool = True) -> None:
    """Write top words like MALLET's `--output-topic-keys`: `topic TAB alpha TAB word word …`.

    They are the most probable words, as in MALLET. Spaces inside a word become "_". For a polylingual model,
    each language's top words follow one another, spelled with their language.
    """
    learned = topics_in(model, "export")
    with atomic_file(Path(path), overwrite=overwrite) as partial, _text(partial) as file:
        for topic, words in enumerate(learned.top_words(n_words, by=PROBABILITY)):
            spelled = " ".join(_one_field(word, "_") for word in words)
            file.write(f"{topic}\t{float(learned.alpha[topic])!r}\t{spelled}\n")


def write_gensim_topics(
    model: object, path: str | Path, n_words: int = 10, *, overwrite: bool = True
) -> None:
    """Write topics as gensim's `print_topics` logs them: `topic #0 (0.100): 0.021*"word" + …`."""
    learned = topics_in(model, "export")
    topics = dict(learned.show_topics(-1, n_words))
    with atomic_file(Path(path), overwrite=overwrite) as partial, _text(partial) as file:
        for topic, words in sorted(topics.items()):
            file.write(f"topic #{topic} ({learned.alpha[topic]:.3f}): {_one_field(words, ' ')}\n")


def to_gensim(fitted: object) -> Any:
    """The topics as a gensim `LdaModel`, with its dictionary and priors; needs gensim.

    Its `get_topics()` returns `topic_word_`, divided by the number of languages if there are several; its
    topics also have the expected counts, by which gensim infers the topics of documents. It can be saved by
    its own `save` for `LdaModel.load`, which unpickles: only load your own files. Raises UserError if gensim
    is not installed.
    """
    learned = topics_in(fitted, "export")
    try:
        corpora, models = import_module("gensim.corpora"), import_module("gensim.models")
    except ImportError:
        raise UserError("gensim is not installed", remedy="install it: pip install gensim") from None
    vocabulary, topics = learned.vocabulary, _normalised(learned.topic_word)
    dictionary = corpora.Dictionary()
    dictionary.token2id = {word: row for row, word in enumerate(vocabulary.words)}
    if vocabulary.is_counted:
        dictionary.dfs = dict(enumerate(vocabulary.documents.tolist()))
        dictionary.cfs = dict(enumerate(vocabulary.tokens.round().astype(int).tolist()))
    dictionary.num_docs = int(learned.facts.corpus["documents"])
    counts = topics * np.asarray(learned.components, np.float64).sum(axis=1, keepdims=True)
    prior = max(float(counts.min()) / 2, 1e-12)  # added by gensim to the counts of a topic
    model = models.LdaModel(
        num_topics=len(topics),
        id2word=dictionary,
        alpha=np.asarray(learned.alpha, np.float64),
        eta=prior,
        dtype=np.float64,
    )
    model.state.sstats = counts - prior
    model.sync_state()
    return model


def pyldavis_inputs(model: object, corpus: Corpus, language: str | None = None) -> dict[str, object]:
    """The arguments of `pyLDAvis.prepare`, for a model and a corpus.

    `topic_term_dists` (topics × words) and `doc_topic_dists` (documents × topics), rows of which sum to one,
    `doc_lengths` (documents), `vocab` (words), `term_frequency` (words) in the corpus. Documents without a
    known word are left out, since pyLDAvis refuses them, so positions can differ from the corpus. For a
    polylingual model choose one `language`: words and lengths are those of this language, of the documents
    that have it; topic shares are inferred from all their words.

    Raises UserError if no document is left, or the language is missing or unknown.

    >>> from stickbreaker import LDA
    >>> corpus = Corpus.from_texts(["river bank", "", "bank money"])
    >>> inputs = pyldavis_inputs(LDA(n_topics=2, random_state=0).fit(corpus), corpus)
    >>> inputs["doc_topic_dists"].shape, inputs["doc_lengths"].tolist()
    ((2, 2), [2.0, 2.0])
    """
    learned = topics_in(model, "export")
    words = _words_shown(learned, language)
    frequency = np.zeros(len(words.spelled))
    parts = list(_documents(learned, corpus, words, frequency))
    lengths = np.concatenate([part[1] for part in parts]) if parts else np.zeros(0)
    _refuse_nothing(len(lengths))
    return {
        "topic_term_dists": words.topics,
        "doc_topic_dists": np.concatenate([part[0] for part in parts]),
        "doc_lengths": lengths,
        "vocab": list(words.spelled),
        "term_frequency": frequency,
    }


def write_pyldavis(
    model: object,
    corpus: Corpus,
    path: str | Path,
    language: str | None = None,
    *,
    overwrite: bool = True,
) -> int:
    """Write the arguments of `pyLDAvis.prepare` to a file as JSON, documents block by block, so that large
    corpora fit in memory. Returns the number of documents. Arguments and errors as for `pyldavis_inputs`.

    Load it with `pyLDAvis.prepare(**json.load(open(path)))`.
    """
    learned = topics_in(model, "export")
    words = _words_shown(learned, language)
    frequency = np.zeros(len(words.spelled))
    all_lengths: list[float] = []

    def shares_of_documents() -> Iterator[Array]:
        for shares, lengths in _documents(learned, corpus, words, frequency):
            all_lengths.extend(lengths.tolist())
            yield shares
        _refuse_nothing(len(all_lengths))

    with atomic_file(Path(path), overwrite=overwrite) as partial, _text(partial) as file:
        file.write('{"doc_topic_dists": ')
        file.writelines(_json_rows(shares_of_documents()))
        file.write(',\n"topic_term_dists": ')
        file.writelines(_json_rows([words.topics]))
        rest = {"doc_lengths": all_lengths, "term_frequency": frequency.tolist(), "vocab": words.spelled}
        for name, values in rest.items():
            file.write(f',\n"{name}": {json.dumps(values, allow_nan=False)}')
        file.write("}\n")
    return len(all_lengths)


def _json_rows(parts: Iterable[Array]) -> Iterator[str]:
    """Write the rows of several arrays as one JSON list: yields its text row by row."""
    before = "["
    for part in parts:
        for row in part:
            yield before + json.dumps(row.tolist(), allow_nan=False)
            before = ",\n"
    yield "]"


class _Words(NamedTuple):
    """The words to export, all or those of one language: the range of their rows in the vocabulary, their
    spellings, and the topics restricted to them (topics × words, rows sum to one).
    """

    rows: slice
    spelled: tuple[str, ...]
    topics: NDArray[np.float64]


def _words_shown(learned: TopicsLearned, language: str | None) -> _Words:
    """The words to export: all words of a model, or those of one language of a polylingual model.

    Raises UserError if the language is missing or unknown.
    """
    vocabulary = learned.vocabulary
    known = ", ".join(vocabulary.languages)
    if language is None and known:
        raise UserError(f"the model has several languages ({known})", remedy="choose one with --language")
    if language is not None and language not in vocabulary.languages:
        held = f"the model has {known}" if known else "the model has one language, leave out --language"
        raise UserError(f"the model has no language {language!r} to choose", remedy=held)
    rows = slice(0, len(vocabulary)) if language is None else vocabulary.ranges[language]
    spelled = vocabulary.words if language is None else vocabulary.spelled[rows]
    return _Words(rows, spelled, _normalised(learned.topic_word[:, rows]))


def _documents(
    learned: TopicsLearned, corpus: Corpus, words: _Words, frequency: Array
) -> Iterator[tuple[Array, Array]]:
    """Yield for each block the topic shares (documents × topics) and the lengths in tokens of its documents.
    Documents without words to export, and blocks of only such documents, are left out.

    words: those to export; only these count in lengths. frequency (one entry per word to export): changed in
    place, since the words' counts in each block are added to it.
    """
    seen = learned.with_words(corpus)
    for block in range(len(seen.block_sizes)):
        bags = seen.bags(block)
        shown = one_side(bags, words.rows)
        frequency += np.bincount(shown.words, shown.counts, len(learned.vocabulary))[words.rows]
        lengths = tokens_by_document(shown.offsets, shown.counts)
        kept = np.flatnonzero(lengths > 0)
        if len(kept):
            yield _normalised(learned.shares(seen, block)[kept]), lengths[kept]


def _normalised(rows: Array) -> NDArray[np.float64]:
    """Rows divided by their sums, in double precision."""
    rows = np.asarray(rows, np.float64)
    return rows / rows.sum(axis=1, keepdims=True)


def _refuse_nothing(documents: int) -> None:
    if not documents:
        raise UserError("there is nothing to show", remedy="no document has a word that the model knows")


def _one_field(text: str, blank: str) -> str:
    """Text with each run of white space replaced by `blank`."""
    return blank.join(text.split())


def _text(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")
