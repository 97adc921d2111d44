"""CoNLL-U: annotated sentences, one word per line in ten columns, documents separated by `# newdoc`.

Kept are the tokens, the sentences and the text, and for a document its id and its `# meta::` comments; with
`trees`, also the head and the tag of every word.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document, Scalar
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.limits import too_large
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

_TAG_COLUMNS = {None: (3, 4), "upos": (3,), "xpos": (4,)}
_COLUMNS = {"text": "form", "form": "form", "lemma": "lemma"}
_ID_COMMENT = "newdoc id"
_BEGINNING = ("newdoc", _ID_COMMENT)  # comments
_PLUS = "# global.columns ="  # the first line of CoNLL-U Plus
_PLUS_COLUMNS = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]
_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")
_HEAD = re.compile(r"[0-9]{1,9}")
_KIND = "malformed CoNLL-U"


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a document for each `# newdoc`; a file without such comments is one document.

    `--text-field form`, the default, takes words as the text shows them (for a multiword token, its own
    form); `lemma` takes the lemmas of the words. With `--trees` the words of a multiword token are tokens, by
    their own forms, since trees are of words; empty nodes are in no tree. Tags are those of `--tags upos` or
    `xpos`; by default UPOS, or XPOS of words whose UPOS is `_`. With `--upos`, tokens are the words of these
    parts of speech, those of multiword tokens by their own forms. A sentence that is malformed is left out.

    A document's id is that of `# newdoc id`, else its place; with `--id-field sent_id`, the id of its first
    sentence, as in files with a sentence per document; with `--id-field none`, its place, and `newdoc id` is
    metadata. A document without the comment that `--id-field` names is left out.
    """
    column = _COLUMNS.get(options.text_field)
    if column is None:
        problem = f"CoNLL-U has no column {options.text_field!r} of words"
        raise UserError(problem, where=source.name, remedy="take --text-field form or --text-field lemma")
    gathered: _Gathered | None = None
    for block in _blocks(source, column == "lemma", options, problems):
        if gathered is None or block.begins_document:
            if gathered is not None:
                yield from gathered.documents(source)
            gathered = _Gathered(block, source, options)
            if gathered.identity is None:
                remedy = "name a comment of all first sentences by --id-field, or leave it out"
                bad = Bad(
                    "no id", f"no comment {options.id_field!r} in the document's first sentence", remedy
                )
                problems.tell(bad, source.name, block.line)
        try:
            gathered.add(block)
        except Bad as bad:
            problems.tell(bad, source.name, gathered.line)
    if gathered is not None:
        yield from gathered.documents(source)


@dataclass
class _Block:
    """A sentence while its lines are read, up to an empty line: its comments by name, and its words.

    `shown`: the forms that the text shows; `spaced`: whether a space follows each; `tokens`: what the
    document gets as tokens; `shown_by`: for each token, the index of the form in `shown`; `heads` and `tags`:
    for trees, by token.
    """

    line: int
    lemmas: bool
    trees: bool
    upos: tuple[str, ...] = ()  # the parts of speech of tokens; empty: all
    tag_columns: tuple[int, ...] = ()  # the first nonempty one has a word's tag
    comments: dict[str, str] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    spaced: list[bool] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    shown_by: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # line numbers in the file, one for each head
    words: int = 0
    covered: int = 0  # the last word of the last multiword token
    bad: bool = False
    size: int = 0  # number of characters

    @property
    def begins_document(self) -> bool:
        return any(name in self.comments for name in _BEGINNING)

    def drop(self) -> None:
        """Drop what was read of the sentence and mark it as bad; comments that begin a document are kept."""
        self.bad = True
        self.comments = {name: self.comments[name] for name in _BEGINNING if name in self.comments}
        for held in (self.shown, self.spaced, self.tokens, self.shown_by, self.heads, self.tags, self.lines):
            held.clear()

    def comment(self, line: str) -> None:
        name, _, value = line[1:].partition("=")
        self.comments[name.strip()] = value.strip()

    def word(self, line: str, number_of_line: int) -> None:
        """Add the line of a word or multiword token (1-2); ignore that of an empty node (1.1). Raises Bad."""
        columns = line.split("\t")
        found = _ID.fullmatch(columns[0])
        if len(columns) != 10 or found is None or not columns[1]:
            problem = f"the line has {len(columns)} columns and begins with {columns[0][:30]!r}"
            raise Bad(
                _KIND, problem, "a line has ten columns, separated by tabs: a number, a form, a lemma, …"
            )
        number, kind, last = int(found[1]), found[2], int(found[3] or 0)
        if kind == ".":
            return  # it occurs in the enhanced tree only
        if number != self.words + 1 or (kind == "-" and not self.covered < number < last):
            problem = f"{columns[0]} follows word {self.words}"
            raise Bad(_KIND, problem, "words are numbered from 1 in every sentence; an empty line ends it")
        if kind == "-":
            self.covered = last
            self._show(columns)
            if not (self.lemmas or self.trees or self.upos):
                self._token(columns[1])
            return
        self.words = number
        if number > self.covered:
            self._show(columns)
        if self.upos and columns[3] not in self.upos:
            return
        if self.lemmas:
            self._token(columns[1] if columns[2] in ("_", "") else columns[2])
        elif self.trees or self.upos or number > self.covered:
            self._token(columns[1])
        if self.trees:
            self._node(columns)
            self.lines.append(number_of_line)

    def _node(self, columns: list[str]) -> None:
        """Add a word's head and tag. Raises Bad."""
        if _HEAD.fullmatch(columns[6]) is None:
            problem = f"word {columns[0]} has the head {columns[6][:30]!r}"
            raise Bad(_KIND, problem, "a head is the number of a word, or 0 at the root")
        self.heads.append(int(columns[6]) - 1)
        given = (columns[column] for column in self.tag_columns)
        self.tags.append(next((tag for tag in given if tag not in ("_", "")), "_"))

    def _show(self, columns: list[str]) -> None:
        self.shown.append(columns[1])
        self.spaced.append("SpaceAfter=No" not in columns[9].split("|"))

    def _token(self, token: str) -> None:
        self.tokens.append(token)
        self.shown_by.append(len(self.shown) - 1)

    def text_and_starts(self) -> tuple[str, list[int]]:
        """The sentence's text and where each of its tokens begins in it.

        The text is the comment `# text`, or the word forms joined if that comment does not fit them.
        """
        text = self.comments.get("text", "")
        starts = _found(text, self.shown)
        if starts is None:
            pieces = [form + " " * blank for form, blank in zip(self.shown, self.spaced, strict=True)]
            text, starts = "".join(pieces).removesuffix(" "), [0]
            for piece in pieces:
                starts.append(starts[-1] + len(piece))
        return text, [starts[shown] for shown in self.shown_by]


def _found(text: str, forms: Iterable[str]) -> list[int] | None:
    """The position of each word form in a text; None unless it is these forms in order and white space."""
    starts, end = list[int](), 0
    for form in forms:
        while text[end : end + 1].isspace():
            end += 1
        if not text.startswith(form, end):
            return None
        starts.append(end)
        end += len(form)
    return None if text[end:].strip() else starts


def _blocks(source: Source, lemmas: bool, options: ReadingOptions, problems: Problems) -> Iterator[_Block]:
    block: _Block | None = None
    blanks = words = 0
    for number, line in lines_of(source, problems, options.largest_text):
        if line.startswith(_PLUS) and line[len(_PLUS) :].split() != _PLUS_COLUMNS:
            remedy = f"give the columns {' '.join(_PLUS_COLUMNS)}, in this order"
            raise UserError("CoNLL-U Plus with other columns", where=source.name, line=number, remedy=remedy)
        if not line.strip():
            if block is not None:
                yield _ended(block, source, problems)
            block = None
            continue
        block = block or _Block(number, lemmas, options.trees, options.upos or (), _TAG_COLUMNS[options.tags])
        try:
            _take(block, line, number, options.largest_text)
        except Bad as bad:
            block.bad = True
            problems.tell(bad, source.name, number)
        if block.shown:
            words, blanks = words + 1, blanks + (block.shown[-1] == "_")
    if block is not None:
        yield _ended(block, source, problems)
    if words and words == blanks:
        remedy = "get the words of the treebank, which come apart from it"
        raise UserError("all words are _, so the file has no text", where=source.name, remedy=remedy)


def _take(block: _Block, line: str, number: int, largest: int) -> None:
    """Add line `number` of the file to a sentence of at most `largest` characters.

    Raises Bad if the line is wrong, or when the sentence becomes too large; its further lines are ignored.
    """
    if block.size > largest:
        return
    block.size += len(line) + 1
    if block.size > largest:
        block.drop()
        raise too_large("the sentence", largest)
    if line.startswith("#"):
        block.comment(line)
    elif not block.bad:
        block.word(line, number)


def _ended(block: _Block, source: Source, problems: Problems) -> _Block:
    if not block.bad and block.words < block.covered:
        block.bad = True
        problem = f"the sentence ends before word {block.covered}, which a multiword token covers"
        problems.tell(Bad(_KIND, problem, "give every word a line"), source.name, block.line)
    if block.trees and not block.bad:
        try:
            _refuse_no_tree(block.heads)
        except _NoTree as error:
            block.bad = True
            remedy = "heads must lead to the root: a head is another word of the sentence, or 0"
            problems.tell(Bad(_KIND, str(error), remedy), source.name, block.lines[error.word])
    return block


class _NoTree(Exception):
    """Heads that do not form a tree; `word` is the first one with a wrong head, numbered from 0."""

    def __init__(self, word: int, problem: str) -> None:
        super().__init__(problem)
        self.word = word


def _refuse_no_tree(heads: list[int]) -> None:
    """Raise _NoTree if a head is outside the sentence, or heads form a circle.

    A head is the position of a word, from 0, or -1 for a root, of which there may be several.
    """
    size = len(heads)
    for word, head in enumerate(heads):
        if head >= size:
            problem = f"word {word + 1} has the head {head + 1}, but its sentence has {size} words"
            raise _NoTree(word, problem)
    rooted = [False] * size
    for word in range(size):
        path, above = set[int](), word
        while above >= 0 and not rooted[above]:
            if above in path:
                raise _NoTree(above, f"word {above + 1} depends on itself")
            path.add(above)
            above = heads[above]
        for one in path:
            rooted[one] = True


class _Gathered:
    """A document collected sentence by sentence, from its first one; dropped if it is too large.

    `identity`: its id; None, and the document is dropped, if it lacks the comment that the options name.
    """

    def __init__(self, first: _Block, source: Source, options: ReadingOptions) -> None:
        self.line, self.largest, self.trees = first.line, options.largest_text, options.trees
        self.size = 0  # number of characters of its lines
        self._clear()
        place = f"{source.label}:{first.line}" if first.begins_document else source.label
        given = first.comments.get(_ID_COMMENT) or None
        if options.numbers_ids:
            self.identity, self.given = place, given
        elif options.id_field is None:
            self.identity, self.given = given or place, None
        else:
            self.identity, self.given = first.comments.get(options.id_field) or None, None

    def _clear(self) -> None:
        self.metadata: dict[str, Scalar] = {}
        self.texts: list[str] = []
        self.length = 0
        self.tokens: list[str] = []
        self.starts: list[int] = []
        self.sentences: list[int] = []
        self.heads: list[int] = []
        self.tags: list[str] = []

    def add(self, block: _Block) -> None:
        """Add a sentence, unless it was malformed; of that, only `# meta::` comments are kept.

        Raises Bad, once, when the document grows too large; all its sentences are then dropped, later ones
        too.
        """
        if self.size > self.largest:
            return
        self.size += 0 if block.bad else block.size
        if self.size > self.largest:
            self._clear()
            raise too_large("the document", self.largest)
        for name, value in block.comments.items():
            if name.startswith("meta::"):
                self.metadata.setdefault(name.removeprefix("meta::"), value)
        if not block.shown or block.bad:
            return
        text, starts = block.text_and_starts()
        if self.texts:
            self._append("\n\n" if {"newpar", "newpar id"} & block.comments.keys() else " ")
        if block.tokens:
            self.sentences.append(len(self.tokens))
        self.starts.extend(self.length + start for start in starts)
        self.tokens.extend(block.tokens)
        self.heads.extend(block.heads)
        self.tags.extend(block.tags)
        self._append(text)

    def _append(self, text: str) -> None:
        self.texts.append(text)
        self.length += len(text)

    def documents(self, source: Source) -> Iterator[Document]:
        """Yield the document; nothing if it was too large, or has no id."""
        if self.size > self.largest or self.identity is None:
            return
        if self.given is not None:
            self.metadata.setdefault(_ID_COMMENT, self.given)
        yield Document(
            self.identity,
            "".join(self.texts),
            tokens=self.tokens,
            starts=self.starts,
            sentences=self.sentences,
            heads=self.heads if self.trees else None,
            tags=self.tags if self.trees else None,
            metadata=self.metadata,
            where=source.name,
            line=self.line,
        )


READER = Reader("conllu", "CoNLL-U, documents by # newdoc", (".conllu",), "text", read)
