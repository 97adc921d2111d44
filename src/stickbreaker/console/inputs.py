"""The options for reading documents or opening a corpus, and the functions that do it."""

import math
import os.path
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from stickbreaker.console.console import NumberRange, ProgressLine, from_option, note, options_into
from stickbreaker.core.errors import UserError, counted, noun_for, shortened_path
from stickbreaker.core.option_names import as_options, command_line
from stickbreaker.estimators.document_files import DocumentFiles

if TYPE_CHECKING:  # importing these takes longer than --help may take
    from stickbreaker.corpus import Analysis, Corpus, ReadingOptions, Vocabulary, VocabularyRule
    from stickbreaker.corpus.building import AnyAnalysis
    from stickbreaker.corpus.readers.position import Position
    from stickbreaker.estimators.learned import AnyLearned
    from stickbreaker.estimators.learner import AnyLearner

FORMATS = (
    "jsonl", "csv", "tsv", "parquet", "arrow", "conllu", "mallet", "lda-c", "uci", "mm", "counts", "lines",
    "documents", "files",
)  # fmt: skip
DATE_FORMAT = {
    "metavar": "[FIELD=]FORM",
    "help": "Date format: epoch, epoch-ms, twitter, or a pattern such as %d/%m/%Y. Without FIELD, for all "
    "fields with names of dates.  [default: ISO 8601 and other unambiguous formats]",
}
LANGUAGE = {"default": "en", "common": True, "help": "Code or English name; none: no language."}
NORMALIZATION = {"choices": ["NFC", "NFKC", "none"], "default": "NFC"}
LOWERCASE = {"names": "--lowercase/--no-lowercase", "default": True}
TOKEN_PATTERN = {
    "metavar": "REGEX",
    "help": "Pattern of a token.  [default: letters, marks and digits, with a letter; apostrophes inside]",
}
SEGMENTATION = {
    "choices": ["language", "pattern", "characters", "icu"],
    "default": "language",
    "help": "How scripts without spaces are split. language: Chinese, Japanese, Thai, Lao, Khmer and "
    "Burmese by characters. icu finds their words, and needs stickbreaker[icu].",
}
SENTENCES = {
    "choices": ["punctuation", "line", "document"],
    "default": "punctuation",
    "help": "What ends a sentence: punctuation and empty lines, every line, or the document. CoNLL-U files "
    "have sentences of their own.",
}

LONG_DOCUMENT = 2_000  # words in more than half of the documents, from which --split is named
BLOCKS_TO_MEASURE = 32  # at most, of a large corpus


@dataclass(frozen=True)
class ReadingChoice:
    """The options on how documents are read; `given`: those that the user gave."""

    format: str | None = from_option(choices=FORMATS, help="Format of the input.  [default: by file name]")
    text_field: str = from_option(
        default="text",
        metavar="FIELD",
        common=True,
        help="Field or column with the text; title+text joins two, en=FIELD,de=FIELD names one for each "
        "language. For CoNLL-U: form or lemma.",
    )
    upos: str | None = from_option(
        metavar="NOUN,VERB|all",
        help="CoNLL-U: read only words of these parts of speech.  [default: all, or those of the model]",
    )
    id_field: str | None = from_option(
        metavar="FIELD",
        help="Field or column with the id; none: number the documents, whatever ids they have.  "
        '[default: "id" where present]',
    )
    language_field: str | None = from_option(
        metavar="FIELD", help="Field or column with the language; rows with the same id are one document."
    )
    separator: str | None = from_option(
        metavar="CHARACTER", help="CSV, TSV: column separator.  [default: by format]"
    )
    quotes: str = from_option(
        choices=["double", "none"],
        default="double",
        help="CSV, TSV: whether cells may be in double quotes; none: quotes are ordinary characters.",
    )
    header: str = from_option(
        choices=["first", "none"],
        default="first",
        help="CSV, TSV: whether the first row names the columns; none: it is a document, columns are 1, 2 …",
    )
    date_format: str | None = from_option(**DATE_FORMAT)
    without: str | None = from_option(
        metavar="FIELD,FIELD", help="Fields or columns that are not kept as metadata."
    )
    split: str | None = from_option(
        metavar="paragraphs|sentences:N|words:N",
        help="Split long documents into parts; each part has the metadata of the whole document, and its id "
        "in the field part_of.",
    )
    drop_repeats: str | None = from_option(
        metavar="exact|near[:SHARE]",
        help="Leave out documents with the same text as an earlier one, or about the same: this share of "
        "three-word sequences in common, .8 by default. Texts under 100 characters stay.",
    )
    repeats_to: str | None = from_option(
        metavar="FILE", help="Write the id of each repeated document, and of the one that it repeats."
    )
    vocab: str | None = from_option(
        metavar="FILE",
        help="Words for LDA-C, UCI and Matrix Market, one per line, or a gensim Dictionary saved as text.",
    )
    on_error: str = from_option(
        choices=["fail", "skip"], default="fail", help="What to do with a document that cannot be read."
    )
    largest_text: int = from_option(
        type=click.IntRange(1, 1_000_000),
        default=64,
        metavar="MB",
        help="Largest size of a line, row, single-document file, packed table or list of words.",
    )
    longest_gap: int = from_option(
        type=click.IntRange(0, 10**12),
        default=10_000,
        metavar="N",
        help="UCI, Matrix Market: largest number of consecutive documents without entries.",
    )
    given: tuple[str, ...] = ()

    @property
    def largest_bytes(self) -> int:
        """The limit of --largest-text, in bytes."""
        return self.largest_text * 1_000_000

    @property
    def tells_languages(self) -> bool:
        """Whether the options name fields that say in which language each text is."""
        return self.language_field is not None or "=" in self.text_field

    def options(self) -> "ReadingOptions":
        """These options in the form that the readers take."""
        from stickbreaker.corpus import ReadingOptions

        given = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "given"}
        given["largest_text"] = self.largest_bytes
        given["upos"] = None if self.upos is None else () if self.upos == "all" else self.upos.split(",")
        given["without"] = () if self.without is None else tuple(map(str.strip, self.without.split(",")))
        given["separator"] = {"tab": "\t", "\\t": "\t"}.get(self.separator or "", self.separator)
        return ReadingOptions(**given)


class TextChoice(Protocol):
    """What `open_or_build` needs to analyse texts: some command's options.

    `given`: the options that the user gave.
    """

    @property
    def given(self) -> tuple[str, ...]: ...

    def analysis(self, largest: int | None = None) -> "Analysis":
        """Make the analysis. Raises UserError, also for lists of words of more than `largest` bytes."""
        ...

    def rule(self, largest: int | None = None) -> "VocabularyRule | None":
        """The rule by which the vocabulary is chosen; None: the default. Raises UserError."""
        ...


@dataclass(frozen=True)
class AnalysisChoice:
    """The options on how texts are analysed and which words the vocabulary has.

    `given`: the options that the user gave.
    """

    language: str = from_option(**LANGUAGE)
    normalization: str = from_option(**NORMALIZATION)
    lowercase: bool = from_option(**LOWERCASE)
    stop_words: str = from_option(
        default="language",
        metavar="language|none|FILE",
        help="Stop words: the language's own, none, or those in a file.",
    )
    extra_stop_words: str | None = from_option(metavar="FILE", help="More stop words, one per line.")
    stemming: bool = from_option(names="--stemming/--no-stemming", default=False, help="Snowball stems.")
    lemmas: bool = from_option(
        names="--lemmas/--no-lemmas",
        default=False,
        help="Replace words by their dictionary form: mice by mouse. Needs stickbreaker[lemmas].",
    )
    clean: str | None = from_option(
        choices=["web"], help="Leave out web addresses, @users and HTML tags; read &amp; as &."
    )
    token_pattern: str | None = from_option(**TOKEN_PATTERN)
    segmentation: str = from_option(**SEGMENTATION)
    min_length: int = from_option(least=1, default=2, help="Minimum length of a word, in characters.")
    min_documents: int | None = from_option(
        least=1,
        help="Minimum number of documents with a word.  [default: one for each 500 documents, 1 to 5; 2 if "
        "texts are short]",
    )
    max_share: float | None = from_option(
        type=NumberRange(0, 1, min_open=True),
        help="Maximum share of documents with a word.  [default: 0.5, more if documents are long; at least "
        "ten documents]",
    )
    phrases: bool = from_option(
        names="--phrases/--no-phrases", default=False, help="Join words that often occur together: new_york."
    )
    vocabulary_size: int | None = from_option(
        least=1, help="Size of the vocabulary: keep the most frequent words.  [default: all]"
    )
    vocabulary: str | None = from_option(metavar="FILE", help="Use these words instead, one per line.")
    hash: str | None = from_option(
        metavar="N|others",
        help="Hash words to N rows by their spelling; others: hash words that the vocabulary would leave out "
        "to the rows of its words.",
    )
    given: tuple[str, ...] = ()

    def analysis(self, largest: int | None = None) -> "Analysis":
        """Make the analysis. Raises UserError, also for lists of stop words of more than `largest` bytes."""
        from stickbreaker.corpus import Analysis
        from stickbreaker.corpus.readers import read_words

        own = self.stop_words not in ("language", "none")
        listed = partial(read_words, distinct=False, largest=largest)
        return Analysis(
            language=None if self.language.lower() == "none" else self.language,
            normalization=None if self.normalization == "none" else self.normalization,
            lowercase=self.lowercase,
            stop_words=listed(self.stop_words) if own else self.stop_words,
            extra_stop_words=listed(self.extra_stop_words) if self.extra_stop_words else (),
            stemming=self.stemming,
            lemmas=self.lemmas,
            clean=self.clean,
            token_pattern=self.token_pattern,
            min_length=self.min_length,
            segmentation=self.segmentation,
        )

    def of_all_words(self) -> "AnalysisChoice":
        """The same options, but with bounds that leave no eligible word out, unless the user gave others.

        The bounds are those on the number and share of documents with a word.
        """
        bounds = {"min_documents": 1, "max_share": 1.0}
        return replace(self, **{name: value for name, value in bounds.items() if name not in self.given})

    def rule(self, largest: int | None = None) -> "VocabularyRule":
        """The rule by which the vocabulary is chosen, from the options.

        Raises UserError for a list of words that cannot be read or has more than `largest` bytes, or a wrong
        `--hash`.
        """
        from stickbreaker.corpus import Vocabulary, VocabularyRule
        from stickbreaker.corpus.readers import read_words

        words = read_words(self.vocabulary, largest=largest) if self.vocabulary else None
        if self.hash not in (None, "others"):
            if words is not None:
                raise UserError(
                    "--hash N makes rows of its own", remedy="--vocabulary goes with --hash others"
                )
            if not self.hash.isdecimal():
                raise UserError(f"--hash {self.hash}", remedy="give a whole number of rows, or others")
            words = Vocabulary.buckets(int(self.hash)).words
        hashed = self.hash is not None
        return VocabularyRule(self.min_documents, self.max_share, self.vocabulary_size, words, hashed)


@dataclass(frozen=True)
class StructureChoice:
    """The options on what a corpus stores besides words: sentences, trees, and tokens usually dropped."""

    sentences: str = from_option(**SENTENCES)
    trees: bool = from_option(
        is_flag=True, help="CoNLL-U: also store heads and tags; multiword tokens are split into their words."
    )
    tags: str | None = from_option(
        choices=["upos", "xpos"],
        help="CoNLL-U with --trees: column of the tags.  [default: upos, or xpos for words whose upos is _]",
    )
    all_words: bool = from_option(
        is_flag=True,
        help="Keep all words except those in fewer than --min-documents documents: also stop words, single "
        "letters, numbers; with --trees every token, also punctuation.",
    )


reading_options = options_into(ReadingChoice, "reading", "Documents")
analysis_options = options_into(AnalysisChoice, "choice", "Words")
structure_options = options_into(StructureChoice, "structure", "Structure")


def open_or_build(
    inputs: tuple[str, ...],
    reading: ReadingChoice,
    *,
    choice: TextChoice | None = None,
    analysis: "AnyAnalysis | None" = None,
    vocabulary: "Vocabulary | None" = None,
    out: Path | None = None,
    overwrite: bool = False,
    structure: StructureChoice | None = None,
) -> "Corpus":
    """Open `inputs` if it is one stored corpus; otherwise build a corpus from these files of documents.

    A corpus is built at `out`, or in memory if that is None, and stores what `structure` says. Files are
    analysed by the options `choice`, or by a model's `analysis` and `vocabulary`. A corpus that is opened
    gets the model's `vocabulary`; a note is printed if it was analysed differently. Raises UserError, also if
    options for files are given with a corpus.
    """
    from stickbreaker.core.files import recover
    from stickbreaker.corpus import Corpus
    from stickbreaker.corpus.store import is_store

    if len(inputs) == 1:
        recover(Path(inputs[0]))
    if len(inputs) == 1 and is_store(Path(inputs[0])):
        given = (*reading.given, *(() if choice is None else choice.given))
        if given:
            option = "--" + given[0].replace("_", "-")
            raise UserError(
                f"is a corpus already, {option} has no effect", where=inputs[0], remedy="leave it out"
            )
        corpus = Corpus.open(inputs[0])
        own = corpus.analysis
        if analysis is not None and own is not None and not _alike(own, analysis):
            note(
                f"{shortened_path(inputs[0])}: the corpus was analysed differently from the model's, so "
                "words may not match; raw files are analysed as the model's corpus was"
            )
        return corpus if vocabulary is None else corpus.with_vocabulary(vocabulary, analysis)
    return build_corpus(inputs, reading, choice, analysis, vocabulary, out, overwrite, structure)


class GivenFiles(DocumentFiles):
    """The files that a command's arguments name, as documents for verbs: read when the model is known."""

    def __init__(self, inputs: tuple[str, ...], reading: ReadingChoice) -> None:
        self.name = " ".join(inputs)
        self.paths, self.reading = inputs, reading

    @property
    def options(self) -> "ReadingOptions":
        return self.reading.options()

    @property
    def given(self) -> tuple[str, ...]:
        return self.reading.given

    def as_corpus(
        self, analysis: "AnyAnalysis", vocabulary: "Vocabulary", *, trees: bool = False
    ) -> "Corpus":
        structure = StructureChoice(trees=True) if trees else None
        found = open_or_build(
            self.paths, self.reading, analysis=analysis, vocabulary=vocabulary, structure=structure
        )
        return found.named(self.name)


def open_documents_for(learned: "AnyLearned", inputs: tuple[str, ...], reading: ReadingChoice) -> "Corpus":
    """Open a corpus, or read files of documents, with the analysis and vocabulary of what was learned."""
    return open_or_build(
        inputs,
        reading,
        analysis=learned.facts.analysis,
        vocabulary=learned.vocabulary,
        structure=structure_of(learned.learner),
    )


def structure_of(learner: "AnyLearner") -> StructureChoice | None:
    """What a corpus must store for a kind to read: trees, if it learns from them; None: the default."""
    return StructureChoice(trees=True) if learner.reads_trees else None


def _refuse_model(given: str) -> None:
    """Raise UserError if the path is a saved model instead of a corpus or documents."""
    if os.path.isfile(os.path.join(given, "model.json")):  # a name that is too long is not a file
        remedy = (
            f"to continue its run: {command_line('resume', given)}; for new documents: "
            f"{command_line('transform', given, 'FILE --out T.csv')}"
        )
        raise UserError("is a model, not a corpus or files of documents", where=given, remedy=remedy)


def _show_documents(line: ProgressLine, position: "Position", documents: int) -> None:
    """Show how many documents were read, the share of the files, and the speed, on a progress line."""
    if not line.due:
        return
    rate = documents / max(time.monotonic() - line.start, 1e-3)
    line.show(f"{bar_of(position.share)}{counted(documents, 'document')} read  {rate:,.0f} documents/s")


@contextmanager
def warnings_as_notes(*kinds: type[Warning], at_end: bool = False) -> Iterator[None]:
    """A context in which Python warnings of some kinds are printed as notes of the program.

    They are printed at once. With `at_end` they are printed when the context ends, and warnings of other
    kinds are dropped.
    """
    with warnings.catch_warnings(record=at_end) as remarks:
        for kind in kinds:
            warnings.simplefilter("always", kind)
        show = warnings.showwarning

        def noted(message: Warning | str, *rest: Any, **others: Any) -> None:
            if isinstance(message, kinds):
                note(_note_of(message))
            else:
                show(message, *rest, **others)

        if not at_end:
            warnings.showwarning = noted  # type: ignore[assignment]
        yield
    for remark in remarks or ():
        if isinstance(remark.message, kinds):
            note(_note_of(remark.message))


def _note_of(message: Warning) -> str:
    """The text that the program prints for a warning, with the option that helps."""
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.corpus.readers.repeats import RepeatsWarning
    from stickbreaker.corpus.text.language_check import LanguageWarning

    if isinstance(message, LanguageWarning):
        return f"{message.problem}; give --language {message.code}"
    if isinstance(message, ReadingWarning):
        return message.problem
    if isinstance(message, RepeatsWarning):
        return f"note: {message.problem}; --drop-repeats exact leaves them out"
    return f"note: {message}"


def bar_of(share: float | None) -> str:
    """A progress bar of characters for a share of 0 to 1; empty if it is None.

    >>> bar_of(0.5), bar_of(None)
    ('[############............]  50 %  ', '')
    """
    if share is None:
        return ""
    done = round(24 * share)
    return f"[{'#' * done}{'.' * (24 - done)}] {100 * share:3.0f} %  "


def _alike(one: "AnyAnalysis", other: "AnyAnalysis") -> bool:
    """Whether two analyses find the same tokens in a text.

    The name of the text field does not matter, unless it is "lemma".
    """
    from stickbreaker.corpus import Analysis

    if (
        isinstance(one, Analysis)
        and isinstance(other, Analysis)
        and "lemma" not in (one.text_field, other.text_field)
    ):
        other = replace(other, text_field=one.text_field)
    return one.resolved() == other.resolved()


def build_corpus(
    inputs: tuple[str, ...],
    reading: ReadingChoice,
    choice: TextChoice | None,
    analysis: "AnyAnalysis | None" = None,
    vocabulary: "Vocabulary | None" = None,
    out: Path | None = None,
    overwrite: bool = False,
    structure: StructureChoice | None = None,
) -> "Corpus":
    """Build a corpus from files of documents; arguments are those of `open_or_build`.

    Progress, and notes on skipped documents and on possible mistakes, are printed. Raises UserError.
    """
    from stickbreaker.corpus import Analysis, Corpus
    from stickbreaker.corpus.readers.position import Position
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.corpus.readers.repeats import RepeatsWarning
    from stickbreaker.corpus.text.analysis import MarksWarning
    from stickbreaker.corpus.text.language_check import LanguageWarning

    for given in inputs:
        _refuse_model(given)
    if choice is not None and "language" in choice.given and reading.tells_languages:
        problem = "--language has no effect if --text-field or --language-field determines the languages"
        raise UserError(problem, remedy="leave it out")
    if choice is not None:
        analysis = choice.analysis(reading.largest_bytes)
        if structure is not None:
            analysis = replace(analysis, sentences=structure.sentences)
    elif isinstance(analysis, Analysis) and "text_field" in reading.given:
        analysis = replace(analysis, text_field=reading.text_field)
    line, position = ProgressLine(changes=0.2, lines=math.inf), Position()
    kept = structure or StructureChoice()
    options = replace(reading.options(), trees=kept.trees, tags=kept.tags, position=position)
    with warnings_as_notes(LanguageWarning, MarksWarning, ReadingWarning, RepeatsWarning, at_end=True):
        built = Corpus.build(
            inputs,
            out,
            reading=options,
            analysis=analysis,
            rule=choice.rule(reading.largest_bytes) if choice is not None else None,
            vocabulary=vocabulary,
            phrases=isinstance(choice, AnalysisChoice) and choice.phrases,
            all_words=kept.all_words,
            overwrite=overwrite,
            progress=partial(_show_documents, line, position),
        )
        seconds, number = time.monotonic() - line.start, built.n_documents
        line.show(f"{number:,} {noun_for(number, 'document')} read in {seconds:.1f} s", last=True)
    for kind, count in built.skipped.items():
        note(f"skipped {count} ({kind}); the first: {as_options(built.about.first_skipped.get(kind, ''))}")
    if choice is not None and not kept.all_words and reading.split is None:
        _note_long_documents(built)
    if isinstance(choice, AnalysisChoice) and not kept.all_words:
        _note_empty_documents(built)
    return built


def _note_empty_documents(corpus: "Corpus") -> None:
    """Print a note if documents of a corpus have no word of its vocabulary, with the remedy if rare words
    were left out."""
    if not corpus.n_empty:
        return
    fewest = [one.bound or 0.0 for one in corpus.dropped if one.rule == "min_documents"]
    why = ": they are blank, or have only words that are left out (corpus info)"
    if fewest and fewest[0] > 1:
        why = f", which leaves out words of fewer than {fewest[0]:g} documents; --min-documents 1 keeps all"
    have = "has" if corpus.n_empty == 1 else "have"
    of = f"{corpus.n_empty:,} of {counted(corpus.n_documents, 'document')}"
    note(f"note: {of} {have} no word of the vocabulary{why}")


def _note_long_documents(corpus: "Corpus") -> None:
    """Print a note if most documents of a corpus of texts are long: topics follow what is said together,
    which is a few hundred words. In a large corpus, blocks at equal distances are looked at.
    """
    if not corpus.ordered or not corpus.block_sizes:
        return
    step = -(-len(corpus.block_sizes) // BLOCKS_TO_MEASURE)
    offsets = [corpus.source.entries(n).offsets for n in range(0, len(corpus.block_sizes), step)]
    lengths = sorted(n for each in offsets for n in (each[1:] - each[:-1]).tolist())
    median = lengths[len(lengths) // 2] if lengths else 0
    if median > LONG_DOCUMENT:
        note(
            f"note: half of the documents have more than {median - 1:,} words; topics say more if they are "
            "cut into parts: --split words:500, or --split paragraphs"
        )
