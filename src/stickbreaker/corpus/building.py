"""Builds the parts of a corpus (blocks of documents, vocabulary, analysis, facts) from documents."""

import dataclasses
import shutil
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from stickbreaker.core.arguments import refuse_no_list, refuse_other_class
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.files import atomic_directory
from stickbreaker.core.json_checks import is_mapping
from stickbreaker.corpus.blocks import (
    BLOCK_DOCUMENTS,
    BlockSource,
    DocumentSource,
    TableSource,
    blocks_of,
    sentence_starts,
    table_and_words,
)
from stickbreaker.corpus.counting import Rules, Tally
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import checked_ids, scalars_of, storable, storable_all
from stickbreaker.corpus.phrases.phrase_building import join_phrases, joined_document
from stickbreaker.corpus.phrases.phrase_search import PhraseRule
from stickbreaker.corpus.readers.document_inputs import as_list, is_record, tokens_of, wrong_document
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.sequences import refuse_no_trees
from stickbreaker.corpus.store import (
    VOCABULARY_FILE,
    Facts,
    StoredFile,
    StoreSource,
    StoreWriter,
    described,
    is_store,
    write_facts,
)
from stickbreaker.corpus.text.analysis import (
    AnalysedText,
    Analysis,
    MarksWarning,
    default_analysis,
    tokens_without_marks,
)
from stickbreaker.corpus.text.dropped_words import DroppedWords, dropped_words
from stickbreaker.corpus.text.language_check import (
    SHARE_JOINED,
    JoinedWordsWarning,
    LanguageSample,
    LanguageWarning,
)
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis, by_code, choose_by_language
from stickbreaker.corpus.vocabulary import LONGEST_WORD, Vocabulary, VocabularyRule, language_of, tagged

if TYPE_CHECKING:
    from stickbreaker.corpus.text.word_finding import FoundText, WordFinder


READ_TOGETHER = 1 << 17  # characters of texts that are analysed together
WORTH_A_KERNEL = 1 << 18  # characters


@dataclass(frozen=True)
class Recipe:
    """The settings by which documents become a corpus.

    `kind`: "text" or "bag"; `analysis` None: the default one for texts; `rule` chooses the vocabulary, unless
    `vocabulary` is given; `phrases`: the rule for finding phrases, which are then joined (None: do not);
    `progress` is called with the number of documents so far. With `forms`, tokens that documents already have
    are normalised in the same way as those that the analysis finds in texts.
    """

    kind: str
    analysis: Analysis | PolylingualAnalysis | None
    rule: VocabularyRule
    vocabulary: Vocabulary | None = None  # used unchanged, instead of the rule
    progress: Callable[[int], None] | None = None
    forms: bool = False
    phrases: PhraseRule | None = None  # to be found and joined

    def __post_init__(self) -> None:
        refuse_other_class("analysis", self.analysis, Analysis, PolylingualAnalysis)
        refuse_other_class("rule", self.rule, VocabularyRule)
        remedy = "give it as rule" if isinstance(self.vocabulary, VocabularyRule) else ""
        refuse_other_class("vocabulary", self.vocabulary, Vocabulary, remedy=remedy)
        refuse_other_class("phrases", self.phrases, bool, PhraseRule)


@dataclass(frozen=True)
class About:
    """Facts about a corpus besides its documents, vocabulary and analysis; None: not computed.

    `rule`: chose the vocabulary; `languages`: documents per language; `skipped`: documents left out, by kind
    of problem, and `first_skipped` the first message of each; `content`, `fingerprint`: digests without and
    with the vocabulary; `totals`: (known tokens, documents without any); `path`: its directory (None: in
    memory); `dropped`: words left out of the vocabulary, one entry per reason; `name`: what messages and
    results call it, such as the files that it was read from (None: it was given in Python).
    """

    rule: VocabularyRule = field(default_factory=VocabularyRule)
    languages: Mapping[str, int] = field(default_factory=dict[str, int])
    metadata_fields: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    first_skipped: Mapping[str, str] = field(default_factory=dict[str, str])
    content: str | None = None
    fingerprint: str | None = None
    totals: tuple[float, int] | None = None
    path: Path | None = None
    tag_names: tuple[str, ...] | None = None  # of a corpus with trees
    dropped: tuple[DroppedWords, ...] = ()
    name: str | None = None

    @classmethod
    def stored(cls, directory: Path, facts: Facts) -> "About":
        """Make the facts about a stored corpus from its `corpus.json` (`facts`), in `directory`."""
        settings = facts.vocabulary_rule
        return cls(
            VocabularyRule(
                settings.get("min_documents"),
                settings.get("max_share"),
                settings.get("size"),
                hashed=settings.get("hashed", False),
            ),
            facts.languages,
            facts.metadata_fields,
            facts.skipped,
            facts.first_skipped,
            facts.content,
            facts.fingerprint,
            (facts.n_tokens, facts.n_empty),
            directory,
            facts.tag_names,
            tuple(map(DroppedWords.from_dict, facts.dropped or ())),
        )


AnyAnalysis = Analysis | PolylingualAnalysis
Parts = tuple[BlockSource, Vocabulary, AnyAnalysis | None, About | Callable[[], About]]
StoredParts = tuple[StoreSource, Vocabulary, AnyAnalysis | None, About]


def rule_for(kind: str, rule: VocabularyRule | None, fixed: tuple[str, ...] | None) -> VocabularyRule:
    """The rule by which a new corpus chooses its vocabulary; `rule`: what was asked for (None: the default).

    For texts it is that rule. For bags (`kind` "bag"), the default rule keeps all words of the input's
    vocabulary file (`fixed`), in their order; in any other rule, a limit that is not set excludes no word.
    """
    if kind == "bag" and (rule is None or rule == VocabularyRule()):
        return VocabularyRule(words=fixed)
    if kind == "bag" and rule is not None:
        return dataclasses.replace(
            rule,
            min_documents=rule.min_documents or 1,
            max_share=1.0 if rule.max_share is None else rule.max_share,
        )
    return rule or VocabularyRule()


def then(documents: Iterable[Document], check: Callable[[], None]) -> Iterator[Document]:
    """Yield the documents; after the last one, call `check`, which may raise an error."""
    yield from documents
    check()


def phrase_rule(phrases: bool | PhraseRule, kind: str, vocabulary: Vocabulary | None) -> PhraseRule | None:
    """The rule for finding phrases; None if none are wanted (`phrases` False).

    Raises UserError for bags, which have no order, and if a `vocabulary` is given.
    """
    if phrases is False:
        return None
    if kind != "text":
        remedy = "build it from text, or leave phrases out"
        raise UserError("bags of words have no order, and so no phrases", remedy=remedy)
    if vocabulary is not None:
        remedy = "leave phrases out: those of its analysis are joined"
        raise UserError("no phrases are found for a vocabulary that is given", remedy=remedy)
    return PhraseRule() if phrases is True else phrases


def in_memory(documents: Iterable[Document], recipe: Recipe, problems: Problems, named: str) -> Parts:
    """Build a corpus in memory; returns its parts: blocks of documents, vocabulary, analysis and facts.

    named: the input's name in errors. If the recipe has a vocabulary, the analysed documents are held as
    lists (`DocumentSource`), and the facts are returned as a function that counts them when it is called.
    """
    if recipe.vocabulary is not None:
        blocks: list[list[Document]] = []
        worker = _Analyst(recipe, problems)
        analysis = _pass(documents, worker, blocks.append, named)
        source = DocumentSource(recipe.kind, blocks)
        return source, recipe.vocabulary, analysis, partial(_about_source, source, worker)
    tables: list[pa.Table] = []
    tally, analysis = _counted_pass(documents, recipe, problems, tables.append, named)
    if recipe.phrases is not None:
        source, tables = TableSource(recipe.kind, tables), []
        tally, analysis = join_phrases(source, tally, analysis, recipe.phrases, tables.append)
    return TableSource(recipe.kind, tables), *_parts(tally, recipe, analysis, problems)


def on_disk(
    documents: Iterable[Document], recipe: Recipe, problems: Problems, named: str, directory: Path
) -> StoredParts:
    """Build a corpus in a directory; returns its parts: blocks of documents, vocabulary, analysis and facts.

    Only the documents are written (`finish` writes the rest). named: the input's name in errors.
    """
    tally, analysis, files = _written(documents, recipe, problems, named, directory)
    if recipe.phrases is not None:
        tally, analysis, files = _joined_on_disk(recipe, recipe.phrases, tally, analysis, files, directory)
    source = StoreSource(directory, recipe.kind, files, tally.tags is not None).as_written()
    vocabulary, analysis, about = _parts(tally, recipe, analysis, problems)
    if recipe.kind == "text" and not vocabulary.hashed:
        about = dataclasses.replace(about, totals=tally.totals(source.entries, vocabulary))
    return source, vocabulary, analysis, about


def _written(
    documents: Iterable[Document], recipe: Recipe, problems: Problems, named: str, directory: Path
) -> tuple[Tally, AnyAnalysis | None, tuple[StoredFile, ...]]:
    """Analyse documents and write them into a directory; returns counts, the analysis used, and the files."""
    writer = StoreWriter(directory, recipe.kind, packed=recipe.phrases is None)
    try:
        tally, analysis = _counted_pass(documents, recipe, problems, writer.write, named, on_disk=True)
    finally:
        files = writer.close()
    return tally, analysis, files


def _joined_on_disk(
    recipe: Recipe,
    rule: PhraseRule,
    tally: Tally,
    analysis: AnyAnalysis | None,
    files: tuple[StoredFile, ...],
    directory: Path,
) -> tuple[Tally, AnyAnalysis | None, tuple[StoredFile, ...]]:
    """Find phrases in the documents of a directory, and write the documents again with these joined.

    Returns the new counts, the analysis with the phrases, and the new files; the old files are removed.
    """
    aside = directory / "without-phrases"
    aside.mkdir()
    for file in files:
        (directory / file.name).rename(aside / file.name)
    source = StoreSource(aside, recipe.kind, files, tally.tags is not None).as_written()
    writer = StoreWriter(directory, recipe.kind)
    try:
        tally, analysis = join_phrases(source, tally, analysis, rule, writer.write)
    finally:
        files = writer.close()
    shutil.rmtree(aside)
    return tally, analysis, files


def _counted_pass(
    documents: Iterable[Document],
    recipe: Recipe,
    problems: Problems,
    take: Callable[[pa.Table], None],
    named: str,
    *,
    on_disk: bool = False,
) -> tuple[Tally, AnyAnalysis | None]:
    """Analyse documents and call `take` with each block's table; returns the counts and the analysis used.

    on_disk: `take` writes blocks to files. If no phrases will be joined in these, the counts note for each
    document a word that the vocabulary is likely to have (`Tally`), so that few blocks must be read again to
    count empty documents. Raises UserError if there is no document, naming the input (`named`).
    """
    worker = _Analyst(recipe, problems)
    last = on_disk and recipe.phrases is None  # no blocks are made from these
    tally = _new_tally(recipe, worker.fields, worker.rules_against if last else None)
    tally.is_digested = recipe.phrases is None  # the digest covers tokens with phrases joined

    def count(block: list[Document]) -> None:
        table, words = table_and_words(block, recipe.kind)
        tally.add(table, words)
        take(table)

    return tally, _pass(documents, worker, count, named)


def _new_tally(recipe: Recipe, fields: dict[str, None], rules_against: Rules | None = None) -> Tally:
    rule = "punctuation" if recipe.analysis is None else recipe.analysis.sentences
    return Tally(recipe.kind, fields, recipe.kind == "text" and rule != "punctuation", rules_against)


def _pass(
    documents: Iterable[Document], worker: "_Analyst", take: Callable[[list[Document]], None], named: str
) -> AnyAnalysis | None:
    """Analyse documents, cut them into blocks and call `take` with each block.

    Returns the analysis used, None if nothing was analysed. Raises UserError if there is no document; `named`
    is the name of the input in the message.
    """
    empty = True
    for block in blocks_of(worker.analysed(documents), worker.recipe.kind):
        empty = False
        take(block)
    if empty:
        remedy = (
            "all were skipped: see the problems counted"
            if worker.problems.counts
            else "give an input that holds text"
        )
        raise UserError("no document found: the corpus would be empty", where=named, remedy=remedy)
    worker.warn()
    return worker.used


def _about_source(source: BlockSource, worker: "_Analyst") -> About:
    """Count the facts about the documents of a source, for a corpus whose vocabulary was given.

    Reads all blocks.
    """
    tally = _new_tally(worker.recipe, worker.fields)
    for block in range(len(source.sizes)):
        tally.add(source.read(block))
    return _about(tally, worker.recipe, worker.problems)


def _about(tally: Tally, recipe: Recipe, problems: Problems) -> About:
    return About(
        recipe.rule,
        tally.languages,
        tuple(tally.fields),
        dict(problems.counts),
        dict(problems.first),
        tally.content,
        tag_names=tally.tag_names,
    )


def _parts(
    tally: Tally, recipe: Recipe, analysis: AnyAnalysis | None, problems: Problems
) -> tuple[Vocabulary, AnyAnalysis | None, About]:
    about = _about(tally, recipe, problems)
    if recipe.vocabulary is not None:
        return recipe.vocabulary, analysis, about
    counts = tally.counts.vocabulary()
    if isinstance(analysis, PolylingualAnalysis):
        vocabulary, dropped = choose_by_language(recipe.rule, counts, analysis, tally.languages)
        return vocabulary, analysis, dataclasses.replace(about, dropped=dropped)
    if analysis is None:
        reasons = ["max_length" if len(word) > LONGEST_WORD else None for word in counts.words]
    else:
        reasons = analysis.rules_against(counts.words) if tally.reasons is None else tally.reasons.reasons
    eligible = np.array([reason is None for reason in reasons], np.bool_)
    vocabulary = recipe.rule.choose(counts, eligible, tally.n_documents)
    if not vocabulary.tokens.any():
        remedy = "give words spelled as the analysis spells them"
        raise UserError("the vocabulary is empty: none of the given words occurs", remedy=remedy)
    dropped = dropped_words(recipe.rule, counts, reasons, tally.n_documents, vocabulary)
    return vocabulary, analysis, dataclasses.replace(about, dropped=dropped)


class _Analyst:
    """Finds the tokens and ids of documents, as a recipe asks; reports problems, such as repeated ids.

    Tokens and ids that a document has are kept; texts are analysed, in batches. `used` is the analysis to
    store with the corpus: the recipe's or, if it has none, the default one as soon as some document comes as
    text, else None. If documents have a text for each language, it has a part for each.
    """

    def __init__(self, recipe: Recipe, problems: Problems) -> None:
        self.recipe = recipe
        self.problems = problems
        self.base = recipe.analysis or default_analysis()
        self.analysis = None if recipe.kind == "bag" else self.base.resolved()
        self.used = None if recipe.analysis is None else self.analysis
        if recipe.vocabulary is not None and recipe.vocabulary.languages and isinstance(self.base, Analysis):
            self.base = PolylingualAnalysis.of(self.base, recipe.vocabulary.languages)
            self.analysis = self.base.resolved()
        self.polylingual: bool | None = True if isinstance(self.base, PolylingualAnalysis) else None
        self.sample = LanguageSample()
        self.rounds = () if recipe.analysis is None else recipe.analysis.rounds
        self.marks = 0  # marks of sentences that were left out
        self.seen: set[int] = set()
        self.fields: dict[str, None] = {}  # of metadata, in order of first occurrence
        self.characters = 0  # of texts that were analysed
        self.finder: WordFinder | None = None

    def rules_against(self, words: Sequence[str]) -> list[str | None]:
        """For each word, the name of the analysis's rule that keeps it out of a vocabulary, or None."""
        return [None] * len(words) if self.analysis is None else self.analysis.rules_against(words)

    def analysed(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents with their tokens, in order; texts are analysed in batches."""
        return self._together(self._prepared(documents))

    def _prepared(self, documents: Iterable[Document]) -> Iterator[tuple[Document, str]]:
        """Yield the usable documents with their ids; wrong ones, and repeated ids, are reported instead.

        They have tokens, except for those whose texts will be analysed in a batch.
        """
        number = 0
        for document in documents:
            refuse_other_class(f"document {number}", document, Document)
            identity = storable(document.id) if document.id is not None else str(number)
            key = hash(identity)
            if key in self.seen:
                remedy = (
                    "ids must differ; give another --id-field, --id-field none to number documents, "
                    "or --on-error skip to keep the first"
                )
                self._report("duplicate id", document, f"the id {shown(identity)} was used before", remedy)
                continue
            self.seen.add(key)
            prepared = self._with_tokens(document, identity)
            if prepared is not None:
                self.fields.update(dict.fromkeys(prepared.metadata))
                number += 1
                yield prepared, identity
                if self.recipe.progress is not None:
                    self.recipe.progress(number)

    def _together(self, documents: Iterable[tuple[Document, str]]) -> Iterator[Document]:
        """The documents in order, with tokens; texts that still lack tokens are analysed in batches.

        documents: as `_prepared` yields them, with ids.
        """
        waiting: list[tuple[Document, str]] = []
        characters = 0
        for document, identity in documents:
            if document.text is None or document.tokens is not None or self.recipe.kind == "bag":
                yield from self._finished(waiting)
                waiting, characters = [], 0
                yield document
                continue
            waiting.append((document, identity))
            characters += len(document.text)
            if characters > READ_TOGETHER or len(waiting) == BLOCK_DOCUMENTS:
                yield from self._finished(waiting)
                waiting, characters = [], 0
        yield from self._finished(waiting)

    def _finished(self, waiting: list[tuple[Document, str]]) -> Iterator[Document]:
        """The documents of a batch (given with their ids), with the tokens of their texts."""
        if not waiting:
            return
        assert isinstance(self.analysis, Analysis)
        texts, language = [storable(document.text or "") for document, _ in waiting], self.analysis.language
        tokens = self._tokens_of(self.analysis, texts)
        for (document, identity), text, found in zip(waiting, texts, tokens, strict=True):
            yield _analysed(document, identity, text, document.language or language, found)

    def _tokens_of(self, analysis: Analysis, texts: list[str]) -> Sequence["AnalysedText | FoundText"]:
        """The tokens of each text; by a compiled kernel once there is enough text to load it for."""
        self.characters += sum(map(len, texts))
        if self.finder is None and analysis.is_by_letters and self.characters > WORTH_A_KERNEL:
            from stickbreaker.corpus.text.word_finding import WordFinder

            self.finder = WordFinder(analysis)
        return list(map(analysis.analyse, texts)) if self.finder is None else self.finder.analyse(texts)

    def _with_tokens(self, document: Document, identity: str) -> Document | None:
        """A document with its tokens and id. Returns None if it was wrong, which is reported to `problems`.

        A text to be analysed in a batch later (`_together`) is returned unchanged.
        """
        given = document.tokens if self.recipe.kind == "text" else document.words
        plain = self.analysis is None or given is not None
        if plain or (document.text is None and document.texts is None):
            return self._with_given(document, identity, given)
        if (document.texts is not None) != self._expects_sides(document):
            if document.texts is None:
                problem = "one text where a text for each language is expected"
                remedy = (
                    "give JSON Lines or CSV with a text field for each language "
                    "(--text-field en=FIELD,de=FIELD)"
                )
                if self.recipe.vocabulary is not None:
                    remedy = f"build a corpus with --language CODE first, or {remedy}"
            else:
                problem, remedy = "several texts where one is expected", "name one text field"
            self._report("other languages", document, problem, remedy)
            return None
        if document.texts is not None:
            return self._with_sides(document, identity, document.texts)
        assert isinstance(self.analysis, Analysis)
        assert document.text is not None
        self.used = self.analysis
        text = storable(document.text)
        self.marks += len(self.analysis.marks_in(text))
        if self.recipe.vocabulary is None and not self.sample.is_full:
            self.sample.add(text)
        return document

    def warn(self) -> None:
        """Warn if sentence marks were left out, or texts seem to be in another language than assumed."""
        if self.marks:
            warnings.warn(MarksWarning(self.marks), stacklevel=2)
        used = self.used
        if isinstance(used, Analysis) and self.recipe.vocabulary is None:
            share, word = self.sample.joined_words()
            if share >= SHARE_JOINED and len(used.words_of(word)) > 1:
                warnings.warn(JoinedWordsWarning(share, word), stacklevel=2)
        if isinstance(used, Analysis) and used.language is not None and self.recipe.vocabulary is None:
            other = self.sample.other_than(used.language)
            if other is not None:
                warnings.warn(LanguageWarning(other, used.language), stacklevel=2)

    def _with_given(self, document: Document, identity: str, given: Sequence[str] | None) -> Document | None:
        """The document with the tokens or words that it came with (`given`), in the form that is stored.

        Lone surrogates are replaced and, as the recipe asks, tokens normalised and phrases joined. Returns
        None for a document that was reported: its tokens lack a language, or its trees are malformed.
        """
        clean = None if given is None else storable_all(given)
        known = self._languages()
        if clean and known and not any(language_of(token) in known for token in clean):
            remedy = f"write them as {tagged(known[0], 'word')}, or give texts by language"
            self._report("tokens without a language", document, "tokens carry no language", remedy)
            return None
        if clean and self.recipe.forms and isinstance(self.analysis, Analysis):
            if self.analysis.sentence_marks == "dropped" and document.sentences is None:
                clean = list(tokens_without_marks(clean))
            clean = [self.analysis.form(token) for token in clean]
        document = _with_words(document, identity, clean, self.recipe.kind)
        if clean and self.rounds and document.heads is None and self.recipe.kind == "text":
            assert self.analysis is not None
            document = joined_document(document, self.rounds, self.analysis.letters)
        if document.heads is not None and not self._has_trees(document):
            return None
        return document

    def _has_trees(self, document: Document) -> bool:
        """Whether a document's heads and tags form trees of its tokens; if not, the document is reported."""
        tokens, heads, tags = document.tokens or [], document.heads or [], document.tags or []
        offsets = np.array([0, len(tokens)])
        try:
            if not len(tokens) == len(heads) == len(tags):
                raise ValueError(f"{len(tokens)} tokens with {len(heads)} heads and {len(tags)} tags")
            sentences = np.array([] if document.sentences is None else document.sentences, np.int32)
            starts = sentence_starts(np.array([len(sentences)]), sentences.astype(np.int64), offsets)
            refuse_no_trees(starts, np.array(heads, np.int32))
        except (ValueError, OverflowError, pa.ArrowException) as error:
            self._report(
                "malformed trees", document, f"no trees: {error}", "give every token a head and a tag"
            )
            return False
        return True

    def _languages(self) -> tuple[str, ...]:
        """The languages with which given tokens must be tagged ("en:word"); empty if they need no tag."""
        if self.recipe.vocabulary is not None:
            return self.recipe.vocabulary.languages
        analysis = self.analysis
        return tuple(sorted(analysis.languages)) if isinstance(analysis, PolylingualAnalysis) else ()

    def _expects_sides(self, document: Document) -> bool:
        """Whether documents must have a text per language. The recipe decides, or else the first document."""
        if self.polylingual is None:
            fixed = self.recipe.vocabulary is not None  # the analysis comes from a model
            self.polylingual = document.texts is not None and not fixed
        return self.polylingual

    def _with_sides(self, document: Document, identity: str, texts: Mapping[str, str]) -> Document | None:
        try:
            sides = {code: storable(text) for code, text in by_code(texts).items()}
        except Bad as bad:
            self._report(bad.kind, document, bad.problem, bad.remedy)
            return None
        if isinstance(self.base, Analysis):
            known = self.analysis.languages if isinstance(self.analysis, PolylingualAnalysis) else ()
            if not set(sides) <= set(known):
                self.analysis = PolylingualAnalysis.of(self.base, [*known, *sides]).resolved()
        assert isinstance(self.analysis, PolylingualAnalysis)
        self.used = self.analysis
        try:
            text, tokens = self.analysis.analyse_sides(sides)
        except UserError as error:
            self._report("unknown language", document, error.problem, error.remedy)
            return None
        return _analysed(document, identity, text, "+".join(sorted(sides)), tokens)

    def _report(self, kind: str, document: Document, problem: str, remedy: str) -> None:
        where = document.where or None
        self.problems.report(kind, UserError(problem, where=where, line=document.line, remedy=remedy))


def _with_words(document: Document, identity: str, words: list[str] | None, kind: str) -> Document:
    """The document with these words as its tokens (kind "text") or as its bag of words, and with this id."""
    is_text = kind == "text"
    return dataclasses.replace(
        document,
        id=identity,
        text=None if document.text is None else storable(document.text),
        tokens=words if is_text else None,
        tags=None if document.tags is None else storable_all(document.tags),
        words=None if is_text else words,
    )


def _analysed(
    document: Document, identity: str, text: str, language: str | None, tokens: "AnalysedText | FoundText"
) -> Document:
    """A document of this id, text and tokens, with the metadata and the place of `document`."""
    words, starts, sentences = tokens
    return Document(
        identity,
        text,
        words,
        starts,
        sentences,
        language=language,
        metadata=document.metadata,
        where=document.where,
        line=document.line,
    )


def documents_from(
    values: Iterable[object],
    what: str,
    ids: Sequence[str] | None,
    metadata: Sequence[Mapping[str, object]] | None,
) -> Iterator[Document]:
    """Yield documents from strings or dicts of texts by language (`what` "text"), or token lists ("tokens").

    ids None: "0", "1", … Raises UserError for values of another type, repeated ids, and `ids` or `metadata`
    of another length.
    """
    if isinstance(values, str):
        raise UserError(f"one string where a list of {what} belongs", remedy="put it into a list")
    wanted = "a string" if what == "text" else "a list of strings"
    refuse_no_list(f"the list of {what}", values)
    values = as_list(values)
    known = None if ids is None else checked_ids(ids, len(values))
    if metadata is not None:
        refuse_no_list("metadata", metadata)
        metadata = list(metadata)
    if metadata is not None and len(metadata) != len(values):
        raise UserError(
            f"{len(metadata)} metadata for {len(values)} documents", remedy="give one per document"
        )
    for number, value in enumerate(values):
        own: Mapping[str, object] = {} if metadata is None else metadata[number]
        refuse_other_class(f"metadata of document {number}", own, dict, Mapping)
        fields = scalars_of(own or {})
        identity = str(number) if known is None else known[number]
        if what == "text" and isinstance(value, str):
            yield Document(identity, text=value, metadata=fields)
        elif what == "text" and is_mapping(value) and not is_record(value):
            yield Document(identity, texts=_sides_of(value, number), metadata=fields)
        elif what == "tokens" and (tokens := tokens_of(value)) is not None:
            yield Document(identity, tokens=tokens, metadata=fields)
        else:
            raise wrong_document(value, number, wanted)


def _sides_of(value: Mapping[Any, Any], number: int) -> dict[str, str]:
    """A document's texts by language code, without those that are None. number: the document's, for messages.

    Raises UserError if none is left, or if the mapping is not from strings to strings.
    """
    sides = {code: text for code, text in value.items() if text is not None}
    if not all(isinstance(part, str) for pair in sides.items() for part in pair):
        remedy = 'give its texts by language, as {"en": "…"}'
        raise UserError(f"document {number} maps something else than languages to texts", remedy=remedy)
    if not sides:
        problem = f"document {number} has no text in any language"
        raise UserError(problem, remedy='leave it out, or give a text, as {"en": "…"}')
    return sides


@contextmanager
def new_directory(path: Path, overwrite: bool) -> Generator[Path]:
    """A context that yields a directory to write a corpus into, which is renamed to `path` at the end.

    If the context fails, nothing is left. Raises UserError if something is at `path`: with `overwrite`, a
    corpus or an empty directory is replaced, other things never.
    """
    check = partial(_refuse_others, path, overwrite)
    with atomic_directory(path, overwrite=overwrite, check=check) as directory:
        yield directory


def _refuse_others(path: Path, overwrite: bool) -> None:
    """Raise UserError if something at the path must not be replaced by a new corpus.

    With `overwrite`, a corpus or an empty directory may be.
    """
    if not (path.exists() or path.is_symlink()):
        return
    if not overwrite:
        raise UserError("already exists", where=path, remedy="give another path, or --overwrite")
    empty = path.is_dir() and not any(path.iterdir())
    if path.is_symlink() or not (is_store(path) or empty):
        raise UserError("exists and is not a corpus", where=path, remedy="give another path")


def finish(
    directory: Path,
    source: StoreSource,
    vocabulary: Vocabulary,
    analysis: AnyAnalysis | None,
    about: About,
    totals: tuple[float, int],
    fingerprint: str,
) -> None:
    """Write the vocabulary and then corpus.json into a corpus's directory that has its documents already.

    totals: (known tokens, documents without any); fingerprint: of the corpus.
    """
    path = directory / VOCABULARY_FILE
    vocabulary.write(path)
    facts = Facts(
        kind=source.kind,
        analysis=None if analysis is None else analysis.resolved().to_dict(),
        vocabulary_rule=about.rule.to_dict(),
        n_tokens=totals[0],
        n_empty=totals[1],
        languages=dict(about.languages),
        metadata_fields=about.metadata_fields,
        skipped=dict(about.skipped),
        first_skipped=dict(about.first_skipped),
        content=about.content,
        fingerprint=fingerprint,
        vocabulary=described(path),
        files=source.files,
        tag_names=about.tag_names,
        dropped=tuple(dropped.to_dict() for dropped in about.dropped) or None,
    )
    write_facts(directory, facts)
