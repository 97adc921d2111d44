"""A corpus: documents in their original form, seen through a vocabulary."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_no_list, refuse_other_class
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import share_of
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import building, store
from stickbreaker.corpus.block_cache import BlockCache
from stickbreaker.corpus.blocks import BlockSource, Entries, TableSource, documents_of, tokens_of
from stickbreaker.corpus.counting import Digest, WordCounts, bags_of
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.hashing import hashed_rows
from stickbreaker.corpus.matrix import MatrixSource, matrix_parts
from stickbreaker.corpus.phrases.phrase_search import PhraseRule
from stickbreaker.corpus.readers import ReadingOptions, read_inputs, refuse_unmet_parts, text_fields
from stickbreaker.corpus.readers.arrow_tables import frame_documents
from stickbreaker.corpus.readers.document_inputs import naming_from_texts, refuse_documents
from stickbreaker.corpus.readers.problems import Problems, ReadingNotes
from stickbreaker.corpus.readers.repeats import Dropped, Repeats
from stickbreaker.corpus.sequences import Sequences, Trees, sequences_of, trees_of
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.text.all_words import settings_of_all_words
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.corpus.text.dropped_words import DroppedWords
from stickbreaker.corpus.text.parts import Split, split_documents, words_for_repeats
from stickbreaker.corpus.text.polylingual import (
    PolylingualAnalysis,
    aligned,
    analysis_from,
    refuse_other_languages,
    with_every_language,
)
from stickbreaker.corpus.vocabulary import LONGEST_WORD, Vocabulary, VocabularyRule, tagged

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from stickbreaker.corpus.readers.problems import Problems


class Corpus:
    """Documents in order, on disk or in memory, and their bags under a vocabulary.

    Made by `Corpus.build`, `open`, `from_texts`, `from_tokens`, `from_documents`, `from_frame`, `from_matrix`
    or `from_gensim`. Documents are numbered from 0 and read block by block; `block_sizes` gives the documents
    of each block. A corpus does not change, and may be read from several threads.

    >>> corpus = Corpus.from_texts(["A cat sat.", "Two cats."])
    >>> corpus.n_documents, corpus.vocabulary.words
    (2, ('cat', 'cats', 'sat'))
    """

    def __init__(
        self,
        source: BlockSource,
        vocabulary: Vocabulary,
        analysis: building.AnyAnalysis | None,
        about: building.About | Callable[[], building.About],
        language: str | None = None,
    ) -> None:
        self.source = source
        self.vocabulary = vocabulary
        self.analysis = analysis
        self._about = about
        self._language = language  # languages to add to its words before they are looked up
        self.block_sizes: tuple[int, ...] = source.sizes
        self.n_documents: int = sum(source.sizes)
        self._cache = BlockCache()
        self._own_words = isinstance(source, MatrixSource) and (
            source.words is vocabulary.words or source.words == vocabulary.words
        )

    # Ways to make one

    @classmethod
    def build(
        cls,
        inputs: str | Path | Sequence[str | Path],
        out: str | Path | None = None,
        *,
        reading: ReadingOptions | None = None,
        analysis: building.AnyAnalysis | None = None,
        rule: VocabularyRule | None = None,
        vocabulary: Vocabulary | None = None,
        phrases: bool | PhraseRule = False,
        all_words: bool = False,
        overwrite: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> "Corpus":
        """Read files, directories, globs or "-" (standard input) into a corpus.

        `out` is the directory to make; None keeps the corpus in memory. `rule` chooses the vocabulary, unless
        `vocabulary` is given, which is used as it is (to score new text by a model). `phrases` joins words
        that often stand together, "new_york", by a `PhraseRule` or (True) the default one, and stores them in
        the analysis, so that new text is joined in the same way. With `all_words`, only words in too few
        documents are dropped: with trees every token is a word, including punctuation; in texts, words and
        numbers are. Memory is bounded by a block, one number per document and the distinct words (with
        phrases, four million pairs of them); a build that fails leaves nothing behind. `progress` is called
        with the number of documents so far. Raises UserError for any problem with an input.

        >>> Corpus.build("no-such-file.jsonl")
        Traceback (most recent call last):
        stickbreaker.core.errors.UserError: no-such-file.jsonl: no such file or directory; check the path
        """

        refuse_documents(inputs)
        refuse_other_class("reading", reading, ReadingOptions)
        notes = ReadingNotes()
        reading = dataclasses.replace(reading or ReadingOptions(), met=set(), dated=set(), notes=notes)
        dropped = None if reading.drop_repeats is None else Dropped.parse(reading.drop_repeats)
        split = None if reading.split is None else Split.parse(reading.split)
        several = reading.language_field is not None or isinstance(text_fields(reading.text_field), dict)
        if split is not None and several:
            problem = "texts in several languages cannot be split, since their parts would not match"
            raise UserError(problem, remedy="leave out split")
        if isinstance(analysis, Analysis) and vocabulary is not None and reading.text_field == "text":
            field = analysis.text_field
            reading = dataclasses.replace(reading, text_field=field, of_model=field != "text")
        if isinstance(analysis, Analysis) and reading.trees and reading.tags is None:
            reading = dataclasses.replace(reading, tags=analysis.tags)
        if isinstance(analysis, Analysis) and reading.upos is None:
            reading = dataclasses.replace(reading, upos=analysis.upos)
        given = [inputs] if isinstance(inputs, str | Path) else list(inputs)
        problems = Problems(skip=reading.on_error == "skip")
        with naming_from_texts(inputs):
            documents, kind, fixed = read_inputs([str(one) for one in given], reading, problems)
        cuts = analysis if isinstance(analysis, Analysis) else None
        if dropped is not None or vocabulary is None:  # does not matter for new documents of a model
            words_of = words_for_repeats(cuts)
            listed_in = None if reading.repeats_to is None else Path(reading.repeats_to)
            documents = Repeats(dropped, problems, words_of, listed_in, overwrite).look_at(documents)
        if split is not None:
            documents = split_documents(documents, split, cuts)
        if all_words:
            analysis, rule = settings_of_all_words(kind, reading, analysis, rule, vocabulary)
        if reading.language_field is not None:
            apart = vocabulary is not None
            documents = aligned(documents, problems, reading.language_field, apart=apart)
        fields = text_fields(reading.text_field)
        if isinstance(fields, dict):
            documents = with_every_language(documents, fields)
        else:
            name = "text" if fields == "form" else fields  # the default for CoNLL-U
            analysis = analysis or Analysis()
            if isinstance(analysis, Analysis):
                analysis = dataclasses.replace(
                    analysis, text_field=name, tags=reading.tags, upos=reading.upos or ()
                )
        documents = building.then(documents, partial(refuse_unmet_parts, reading))
        rule = building.rule_for(kind, rule, fixed)
        found = building.phrase_rule(phrases, kind, vocabulary)
        recipe = building.Recipe(
            kind, analysis or Analysis(), rule, vocabulary, progress, forms=True, phrases=found
        )
        return cls._assemble(documents, recipe, problems, out, overwrite, ", ".join(map(str, given)))

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        out: str | Path | None = None,
        *,
        analysis: building.AnyAnalysis | None = None,
        rule: VocabularyRule | None = None,
        vocabulary: Vocabulary | None = None,
        phrases: bool | PhraseRule = False,
        overwrite: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> "Corpus":
        """A corpus of text documents, on disk (`out`) or in memory; those that have tokens are not analysed.

        `analysis` None: texts get the default one; if all documents have tokens, no token is a stop word.

        >>> Corpus.from_documents([Document("a", tokens=["one", "word"])]).ids(0)
        ['a']
        """

        refuse_no_list("the list of documents", documents)
        found = building.phrase_rule(phrases, "text", vocabulary)
        rule = rule or VocabularyRule()
        recipe = building.Recipe("text", analysis, rule, vocabulary, progress, phrases=found)
        return cls._assemble(documents, recipe, Problems(skip=False), out, overwrite, "documents")

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str] | Iterable[Mapping[str, str]],
        ids: Sequence[str] | None = None,
        metadata: Sequence[Mapping[str, object]] | None = None,
        *,
        analysis: building.AnyAnalysis | None = None,
        rule: VocabularyRule | None = None,
        vocabulary: Vocabulary | None = None,
        phrases: bool | PhraseRule = False,
    ) -> "Corpus":
        """A corpus in memory, made from strings. Ids default to "0", "1", …

        A document with texts in several languages is a dict of texts by language code; missing languages are
        left out or None. Raises UserError for other values.

        >>> Corpus.from_texts(["a cat", "a dog"], ids=["c", "d"]).ids(0)
        ['c', 'd']
        """
        documents = building.documents_from(texts, "text", ids, metadata)
        return cls.from_documents(
            documents, analysis=analysis or Analysis(), rule=rule, vocabulary=vocabulary, phrases=phrases
        )

    @classmethod
    def from_tokens(
        cls,
        tokens: Iterable[Sequence[str]],
        ids: Sequence[str] | None = None,
        metadata: Sequence[Mapping[str, object]] | None = None,
        *,
        analysis: building.AnyAnalysis | None = None,
        rule: VocabularyRule | None = None,
        vocabulary: Vocabulary | None = None,
        phrases: bool | PhraseRule = False,
    ) -> "Corpus":
        """A corpus in memory from lists of tokens, which are used unchanged.

        No token is a stop word unless `analysis` makes it one.

        >>> Corpus.from_tokens([["the", "cat"], ["the", "dog"]]).n_words
        3
        """
        documents = building.documents_from(tokens, "tokens", ids, metadata)
        return cls.from_documents(
            documents, analysis=analysis, rule=rule, vocabulary=vocabulary, phrases=phrases
        )

    @classmethod
    def from_frame(
        cls,
        frame: object,
        text_field: str = "text",
        id_field: str | None = None,
        language_field: str | None = None,
        out: str | Path | None = None,
        *,
        date_format: str | None = None,
        analysis: building.AnyAnalysis | None = None,
        rule: VocabularyRule | None = None,
        vocabulary: Vocabulary | None = None,
        phrases: bool | PhraseRule = False,
        overwrite: bool = False,
    ) -> "Corpus":
        """A corpus of the rows of a table (pandas, polars, Arrow or the like), or of a list of dicts.

        The text column holds strings, or lists of strings, which are taken as tokens; "en=text_en,de=text_de"
        names a column for each language. Other columns become metadata, dates as ISO 8601; `date_format` is
        that of `ReadingOptions`. Ids default to the column "id" if there is one, or "0", "1", … Raises
        UserError naming the row that is wrong.

        >>> import pyarrow as pa
        >>> corpus = Corpus.from_frame(pa.table({"text": ["a cat", "a dog"], "year": [1988, 1989]}))
        >>> corpus.documents(0)[1].metadata
        {'year': 1989}
        """

        reading = ReadingOptions(
            text_field=text_field, id_field=id_field, language_field=language_field, date_format=date_format
        )
        problems = Problems(skip=False)
        documents = building.then(frame_documents(frame, reading), partial(refuse_unmet_parts, reading))
        if language_field is not None:
            documents = aligned(documents, problems, language_field, apart=vocabulary is not None)
        found = building.phrase_rule(phrases, "text", vocabulary)
        recipe = building.Recipe("text", analysis, rule or VocabularyRule(), vocabulary, phrases=found)
        return cls._assemble(documents, recipe, problems, out, overwrite, "the table")

    @classmethod
    def from_matrix(
        cls,
        matrix: object,
        feature_names: Sequence[str] | Vocabulary | None = None,
        ids: Sequence[str] | None = None,
    ) -> "Corpus":
        """A corpus of bags in memory, from a matrix (documents × words, sparse or dense) of weights >= 0.

        Words default to "0", "1", …; all are in the vocabulary, in order. A given vocabulary is used
        unchanged, with its counts. Zeros are dropped, duplicates added. Raises UserError for an empty matrix,
        and for a weight that is negative, NaN or above 1e9.

        >>> Corpus.from_matrix([[1, 0], [2, 3]]).n_tokens
        6.0
        """
        source, vocabulary = matrix_parts(matrix, feature_names, ids)
        return cls(source, vocabulary, None, building.About(rule=VocabularyRule(1, 1.0)))

    @classmethod
    def from_gensim(
        cls, bags: Iterable[Any], id2word: Mapping[int, str], ids: Sequence[str] | None = None
    ) -> "Corpus":
        """A corpus in memory of gensim's bags, lists of (number, count), with the dictionary of their words.

        Raises UserError naming a document that contains something else.

        >>> Corpus.from_gensim([[(0, 2), (1, 1)], []], {0: "cat", 1: "dog"}).n_empty
        1
        """
        from stickbreaker.corpus.readers.gensim_bags import matrix_of

        return cls.from_matrix(*matrix_of(bags, id2word), ids=ids)

    @classmethod
    def open(cls, path: str | Path) -> "Corpus":
        """Open a built corpus. Raises UserError naming the file that is missing, damaged or foreign."""
        directory = Path(path)
        facts = store.read_facts(directory)
        with making_sense_of(directory / store.FACTS_FILE, store.REBUILD):
            analysis = None if facts.analysis is None else analysis_from(facts.analysis)
            about = building.About.stored(directory, facts)
        source = store.StoreSource(directory, facts.kind, facts.files, facts.tag_names is not None)
        vocabulary = Vocabulary.read(directory / store.VOCABULARY_FILE)
        with making_sense_of(directory / store.FACTS_FILE, store.REBUILD):
            refuse_other_languages(analysis, vocabulary)
            if not len(vocabulary):
                raise ValueError("the vocabulary is empty")
        return cls(source, vocabulary, analysis, about)

    @classmethod
    def _assemble(
        cls,
        documents: Iterable[Document],
        recipe: building.Recipe,
        problems: "Problems",
        out: str | Path | None,
        overwrite: bool,
        named: str,
    ) -> "Corpus":
        if out is None:
            return cls(*building.in_memory(documents, recipe, problems, named))
        with building.new_directory(Path(out), overwrite) as directory:
            parts = building.on_disk(documents, recipe, problems, named, directory)
            cls(*parts)._write_facts(directory, parts[0])
        return cls.open(out)

    # What it contains

    @functools.cached_property
    def about(self) -> building.About:
        """Further facts, such as languages and skipped documents; if needed, counted at first use."""
        return self._about() if callable(self._about) else self._about

    @property
    def path(self) -> Path | None:
        """The directory of the corpus; None in memory."""
        return self.about.path

    @property
    def name(self) -> str | None:
        """What messages and results call it: its path, or the files that it was read from; None in memory."""
        path = self.path
        return self.about.name or (None if path is None else str(path))

    def named(self, name: str) -> "Corpus":
        """The same corpus with a name for messages and results, such as the files that it was read from."""
        about = dataclasses.replace(self.about, name=name)
        return Corpus(self.source, self.vocabulary, self.analysis, about, self._language)

    @property
    def kind(self) -> str:
        """ "text" (tokens in order) or "bag" (words and weights)."""
        return self.source.kind

    @property
    def ordered(self) -> bool:
        """Whether the order of tokens is known."""
        return self.kind == "text"

    @property
    def n_words(self) -> int:
        """The number of words in the vocabulary."""
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> float:
        """The number (for bags: total weight) of tokens whose word is in the vocabulary."""
        return self._totals[0]

    @property
    def n_empty(self) -> int:
        """The number of documents without a word of the vocabulary."""
        return self._totals[1]

    @property
    def unseen_share(self) -> float:
        """The share of unknown words, in [0, 1], among the tokens that are known or that the analysis admits.

        Reads all blocks.

        >>> Corpus.from_texts(["cat dog"]).with_vocabulary(Vocabulary.of(["dog"])).unseen_share
        0.5
        """
        blocks = range(len(self.block_sizes))
        unseen = sum(float(self.bags(block).unseen.sum(dtype=np.float64)) for block in blocks)
        return unseen / max(1e-300, unseen + self.n_tokens)

    @property
    def wordless_share(self) -> float:
        """The share of all tokens, in [0, 1], that the vocabulary excludes for a reason other than rarity.

        They are stop words, words in too many documents, or words outside a given list; words in too few
        documents, or beyond the vocabulary's size, are not included. In trees, such tokens are nodes without
        a word, unless `all_words` (`--all-words`) is set. Reads all blocks. Raises UserError for bags.

        >>> Corpus.from_texts(["A cat and a dog."]).wordless_share
        0.6
        """
        if not self.ordered:
            raise UserError("the corpus holds bags of words, without tokens", where=self.path)
        blocks = range(len(self.block_sizes))
        tokens = sum(int(self.source.entries(block).offsets[-1]) for block in blocks)
        rare = sum(one.tokens for one in self.dropped if one.rule in ("min_documents", "size"))
        return max(0.0, tokens - self.n_tokens - rare) / max(tokens, 1)

    @property
    def languages(self) -> dict[str, int]:
        """The number of documents in each language, by language code."""
        return dict(self.about.languages)

    @property
    def metadata_fields(self) -> tuple[str, ...]:
        """The names of the metadata fields that occur."""
        return self.about.metadata_fields

    @property
    def skipped(self) -> dict[str, int]:
        """The number of documents left out in the build (on_error="skip"), per kind of problem."""
        return dict(self.about.skipped)

    @property
    def dropped(self) -> tuple[DroppedWords, ...]:
        """The words that were left out when the vocabulary was chosen, one entry per rule.

        Empty for bags, for matrices, and for a vocabulary that was given.

        >>> [(one.rule, one.words, one.frequent) for one in Corpus.from_texts(["The cat, the dog."]).dropped]
        [('stop_words', 1, ('the',))]
        """
        return self.about.dropped

    @functools.cached_property
    def fingerprint(self) -> str:
        """A digest of ids, tokens or weights, and vocabulary; the same wherever the corpus is stored."""
        if self.about.fingerprint is not None:
            return self.about.fingerprint
        digest = Digest()
        digest.strings("vocabulary", list(self.vocabulary.words))
        if self.vocabulary.hashed:
            digest.strings("others", ["hashed"])
        if self.about.content is not None:
            digest.array("content", np.frombuffer(self.about.content.encode(), np.uint8))
            return digest.hex()
        for block in range(len(self.block_sizes)):
            bags = self.bags(block)
            digest.strings("ids", self.ids(block))
            digest.array("lengths", np.diff(bags.offsets))
            digest.array("words", bags.words)
            digest.array("counts", bags.counts)
        return digest.hex()

    # Reading

    def bags(self, block: int) -> Bags:
        """A block's documents as bags of known words.

        `unseen` counts the tokens of unknown words that the analysis would admit to a vocabulary (all unknown
        words if there is no analysis).

        >>> Corpus.from_texts(["cat cat dog"]).bags(0).counts.tolist()
        [2.0, 1.0]
        """
        if self._own_words and isinstance(self.source, MatrixSource):
            return self.source.bag(block)
        return self._cache.get(Bags, block, self._make_bags)

    def sequences(self, block: int) -> Sequences:
        """The tokens of a block's documents in order, and their sentences.

        Raises UserError for a corpus of bags, which have no order.

        >>> Corpus.from_texts(["cat cat. Dog!"]).sequences(0).starts.tolist()
        [0, 2]
        """
        if not self.ordered:
            remedy = "build a corpus from text, or from tokens in order"
            raise UserError(
                "the corpus holds bags of words, which have no order", where=self.path, remedy=remedy
            )
        return self._cache.get(Sequences, block, self._make_sequences)

    def trees(self, block: int) -> Trees:
        """The tokens of a block's documents in order, with heads and tags.

        Raises UserError for a corpus that was built without them.
        """
        if self.about.tag_names is None:
            remedy = "build it from CoNLL-U with --trees"
            raise UserError("the corpus has no trees", where=self.path, remedy=remedy)
        return self._cache.get(Trees, block, self._make_trees)

    def ids(self, block: int) -> list[str]:
        """The ids of a block's documents."""
        return self.source.ids(block)

    def documents(self, block: int, places: Sequence[int] | None = None) -> list[Document]:
        """The documents of a block, or those at some positions in it, with text, tokens and metadata."""
        with making_sense_of(self.path, store.REBUILD):
            table = self.source.read(block)
            return documents_of(table if places is None else table.take(list(places)))

    def __len__(self) -> int:
        """The number of documents."""
        return self.n_documents

    def __bool__(self) -> bool:
        """True: a corpus is true even without documents."""
        return True

    def __getitem__(self, number: int) -> Document:
        """A document by its number; a number below 0 counts from the end. Raises IndexError.

        >>> corpus = Corpus.from_texts(["A cat sat.", "Two cats."])
        >>> corpus[0].text, corpus[-1].id, len(corpus)
        ('A cat sat.', '1', 2)
        """
        place = number + self.n_documents if number < 0 else number
        if not 0 <= place < self.n_documents:
            raise IndexError(f"document {number} of {self.n_documents}")
        for block, size in enumerate(self.block_sizes):
            if place < size:
                return self.documents(block, [place])[0]
            place -= size
        raise IndexError(number)

    def __iter__(self) -> Iterator[Document]:
        """The documents in order, a block at a time."""
        for block in range(len(self.block_sizes)):
            yield from self.documents(block)

    def to_frame(self) -> "pd.DataFrame":
        """A pandas DataFrame with a row per document: id, text (if any), number of known tokens, metadata.

        A field that has the name of another column is called "metadata.id" and so on. Raises UserError if
        pandas is not installed.
        """
        from stickbreaker.corpus.frames import frame_of

        return frame_of(self)

    def part(self, start: int, stop: int) -> "Corpus":
        """The documents from number `start` to before `stop`, in memory, under the same vocabulary.

        Bounds beyond the corpus are clipped. Facts such as `languages` stay those of the whole corpus.

        >>> Corpus.from_texts(["A cat sat.", "Two cats.", "A cat."]).part(1, 3).ids(0)
        ['1', '2']
        """
        first = 0
        tables: list[pa.Table] = []
        for block, size in enumerate(self.block_sizes):
            begin, end = max(start - first, 0), min(stop - first, size)
            if begin < end:
                tables.append(self.source.read(block).slice(begin, end - begin))
            first += size
        about = dataclasses.replace(self.about, fingerprint=None, totals=None, content=None, path=None)
        source = TableSource(self.kind, tables)
        return Corpus(source, self.vocabulary, self.analysis, about, self._language)

    def with_vocabulary(
        self, vocabulary: Vocabulary, analysis: building.AnyAnalysis | None = None
    ) -> "Corpus":
        """The same documents seen through another vocabulary, whose words are matched by spelling.

        `analysis` decides which unknown tokens count as unseen (None: the corpus's own). A text in one
        language can be seen through a vocabulary of several languages that includes it. Raises UserError for
        texts in several languages and a vocabulary of one.

        >>> corpus = Corpus.from_texts(["cat dog"]).with_vocabulary(Vocabulary.of(["dog"]))
        >>> corpus.n_tokens, corpus.bags(0).unseen.tolist()
        (1.0, [1.0])
        """
        refuse_other_class("vocabulary", vocabulary, Vocabulary)
        about = dataclasses.replace(self.about, fingerprint=None, totals=None, dropped=())
        analysis = analysis or self.analysis
        if self.kind != "text":
            return Corpus(self.source, vocabulary, analysis, about)
        if self.vocabulary.languages and self._language is None:  # the words carry their language
            if not vocabulary.languages:
                raise _unlike(self.vocabulary.languages, ())
            return Corpus(self.source, vocabulary, analysis, about)
        own = self._language or (self.analysis.language if isinstance(self.analysis, Analysis) else None)
        if vocabulary.languages:
            if own not in vocabulary.languages:
                raise _unlike((own or "none",), vocabulary.languages)
            return Corpus(self.source, vocabulary, analysis, about, own)
        if isinstance(analysis, PolylingualAnalysis):
            analysis = analysis.by_language.get(own or "")
        return Corpus(self.source, vocabulary, analysis, about)

    def with_all_words(self) -> "Corpus":
        """The same documents seen through a vocabulary of all their words that the analysis admits.

        This is how a model with an open vocabulary reads documents. The order of words is that of
        `VocabularyRule`; without any word, the vocabulary is the word "-". Reads all blocks.

        >>> corpus = Corpus.from_texts(["a cat and a dog"]).with_vocabulary(Vocabulary.of(["dog"]))
        >>> corpus.with_all_words().vocabulary.words
        ('cat', 'dog')
        """
        counts = WordCounts()
        for block in range(len(self.block_sizes)):
            counts.add(self.source.entries(block))
        found = counts.vocabulary()
        eligible = np.array([len(word) <= LONGEST_WORD for word in found.words], np.bool_)
        if self.analysis is not None and self.kind == "text":
            eligible = self.analysis.eligible(found.words)
        if not eligible.any():
            return self.with_vocabulary(Vocabulary.of(["-"]))
        return self.with_vocabulary(VocabularyRule(1, 1.0).choose(found, eligible, self.n_documents))

    def write(self, out: str | Path, overwrite: bool = False, *, held_out: float = 0.0) -> "Corpus":
        """Save as a directory `out`; returns the saved corpus.

        With `held_out`, a share, only the training documents of a fit with the same `held_out` are saved (the
        others are chosen by a hash of their ids); the vocabulary still counts all. Raises UserError if `out`
        exists and may not be overwritten, for texts of one language under a vocabulary of several, and if no
        document is left.
        """
        if self._language is not None:
            remedy = "write it with its own vocabulary"
            raise UserError("the words of the corpus do not carry the vocabulary's languages", remedy=remedy)
        with building.new_directory(Path(out), overwrite) as directory:
            writer = store.StoreWriter(directory, self.kind)
            for block in range(len(self.block_sizes)):
                table = self.source.read(block)
                if held_out:
                    table = table.filter([share_of(name) >= held_out for name in self.ids(block)])
                writer.write(table)
            trees = self.about.tag_names is not None
            files = writer.close()
            if not any(sum(file.blocks) for file in files):
                if self.n_documents:
                    raise UserError("every document is held out", remedy="lower held_out")
                raise UserError("the corpus has no documents", remedy="write one that has some")
            source = store.StoreSource(directory, self.kind, files, trees)
            saved = self
            if held_out:
                about = dataclasses.replace(self.about, content=None, fingerprint=None, totals=None)
                saved = Corpus(source, self.vocabulary, self.analysis, about)
            saved._write_facts(directory, source)
        return Corpus.open(out)

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else str(self.path)
        return f"Corpus({self.n_documents} documents, {self.n_words} words, {self.kind}, {place})"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the corpus's sizes, and the beginnings of its first documents."""
        from stickbreaker.corpus.frames import html_of

        return html_of(self)

    @functools.cached_property
    def _totals(self) -> tuple[float, int]:
        if self.about.totals is not None:
            return self.about.totals
        tokens, empty = 0.0, 0
        for block in range(len(self.block_sizes)):
            bags = self.bags(block)
            tokens += float(bags.counts.sum(dtype=np.float64))
            empty += int((np.diff(bags.offsets) == 0).sum())
        return tokens, empty

    def _make_bags(self, block: int) -> Bags:
        entries = self.source.entries(block)
        return bags_of(entries, *self._rows(entries), self.n_words)

    def _make_sequences(self, block: int) -> Sequences:
        with making_sense_of(self.source.place(block), store.REBUILD):
            return self._sequences(*self.source.tokens(block))

    def _make_trees(self, block: int) -> Trees:
        with making_sense_of(self.source.place(block), store.REBUILD):
            table = self.source.columns(block, ["tokens", "sentences", "heads", "tags"])
            return trees_of(table, self._sequences(*tokens_of(table)), self.about.tag_names or ())

    def _sequences(self, entries: Entries, starts: NDArray[np.int64]) -> Sequences:
        return sequences_of(entries, starts, self._rows(entries)[0])

    def _rows(self, entries: Entries) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """For each distinct word of a block: its vocabulary row (-1: none), and whether it counts as unseen.

        A word counts as unseen if the vocabulary does not list it but the analysis admits it. In a hashed
        vocabulary, such a word also has a row, chosen by its hash.
        """
        language, spelled = self._language, entries.spelled
        if language is not None:
            spelled = [tagged(language, word) for word in entries.words()]
        rows = self.vocabulary.lookup(spelled)
        eligible = rows < 0
        strange = np.flatnonzero(eligible)
        if len(strange):
            words = entries.spellings(strange)
            tagged_words = words if language is None else [tagged(language, word) for word in words]
            if self.analysis is not None and self.kind == "text":
                eligible[strange] = self.analysis.eligible(
                    words if isinstance(self.analysis, Analysis) else tagged_words
                )
            if self.vocabulary.hashed:
                shared = eligible[strange]
                rows[strange[shared]] = hashed_rows(compress(tagged_words, shared.tolist()), self.n_words)
        return rows, eligible

    def _write_facts(self, directory: Path, source: BlockSource) -> None:
        assert isinstance(source, store.StoreSource)
        totals, fingerprint = self._totals, self.fingerprint
        building.finish(directory, source, self.vocabulary, self.analysis, self.about, totals, fingerprint)


def _unlike(own: tuple[str, ...], wanted: tuple[str, ...]) -> UserError:
    """The error for a corpus and a vocabulary whose languages do not match."""
    if not wanted:
        problem = f"the texts are in several languages ({', '.join(own)}) and the vocabulary is in one"
        return UserError(problem, remedy="build the corpus from the texts of that language")
    problem = f"the texts' language ({', '.join(own)}) is not one of the vocabulary's ({', '.join(wanted)})"
    return UserError(
        problem, remedy="build the corpus with --language or with a text field for each language"
    )
