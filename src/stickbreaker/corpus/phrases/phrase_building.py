"""Finds phrases in documents that were analysed without them, and joins them, to build a corpus."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.blocks import BlockSource, entries_of
from stickbreaker.corpus.counting import Tally
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.phrases.joining import Round, breaks_in, join_words, joined_word
from stickbreaker.corpus.phrases.phrase_blocks import RoundIndex, TokenBlock
from stickbreaker.corpus.phrases.phrase_search import PhraseRule, find_phrases
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.vocabulary import untagged

AS_GIVEN = Analysis(  # for tokens that documents come with
    language=None,
    normalization=None,
    lowercase=False,
    stop_words="none",
    token_pattern=r"\S++",
    min_length=1,
    segmentation="pattern",
    sentences="document",
    letters="plain",
)


def join_phrases(
    source: BlockSource,
    tally: Tally,
    analysis: Analysis | PolylingualAnalysis | None,
    rule: PhraseRule,
    take: Callable[[pa.Table], None],
) -> tuple[Tally, Analysis | PolylingualAnalysis]:
    """Find the phrases of analysed documents, and call `take` with each block's table with these joined.

    Returns the counts of the joined blocks, and the analysis with the phrases. tally: the counts before.
    Raises UserError for documents with trees, whose words cannot be joined.
    """
    if tally.tags is not None:
        raise UserError("words of trees cannot be joined to phrases", remedy="leave one of the two out")
    used = analysis or AS_GIVEN
    join = _joined_in_a_language if isinstance(used, PolylingualAnalysis) else joined_word
    blocks = _Blocks(source, used.letters)
    rounds = find_phrases(
        blocks.tokens,
        tally.counts.vocabulary(),
        lambda word: used.rule_against(word) is None,
        join,
        rule,
        tally.n_documents,
    )
    from stickbreaker.corpus.text.word_finding import ArrowWords  # imports numba

    joined = Tally(tally.kind, tally.fields, tally.sentences, used.rules_against)
    words = ArrowWords()
    for block, before in blocks.with_tables(rounds):
        table = block.table(before)
        joined.add(table, words.numbered(entries_of(table, tally.kind).spelled))
        take(table)
    return joined, used.with_phrases(rounds)


def joined_document(document: Document, rounds: tuple[Round, ...], letters: str) -> Document:
    """A document with the phrases in its tokens joined; where tokens and sentences begin is adapted.

    letters: how its text was read, as in `Analysis`.

    >>> rounds = ({("new", "york"): "new_york"},)
    >>> joined_document(Document("a", tokens=["new", "york"]), rounds, "unicode").tokens
    ['new_york']
    """
    sentences = np.asarray([] if document.sentences is None else document.sentences, np.int32)
    breaks = sentences
    if document.text is not None and document.starts is not None:
        starts = np.asarray(document.starts, np.int32)
        breaks = np.union1d(sentences, breaks_in(document.text, starts, letters))
    words, places = join_words(document.tokens or [], breaks, rounds)
    starts = None if document.starts is None else np.asarray(document.starts, np.int32)[places]
    begins = None if document.sentences is None else np.searchsorted(places, sentences).astype(np.int32)
    return dataclasses.replace(document, tokens=words, starts=starts, sentences=begins)


def _joined_in_a_language(first: str, second: str) -> str:
    """The word that a phrase of two words tagged with their language becomes: "en:new_york"."""
    return joined_word(first, untagged(second))


class _Blocks:
    """The tokens of a source's blocks, for several passes over them.

    Where phrases cannot continue (`TokenBlock.breaks`) is computed in the first pass and remembered.
    letters: how texts were read, as in `Analysis`.
    """

    def __init__(self, source: BlockSource, letters: str) -> None:
        self.source, self.letters = source, letters
        self._breaks: list[NDArray[np.uint8]] = []

    def tokens(self, rounds: Sequence[Round]) -> Iterator[TokenBlock]:
        """The tokens of each block with phrases joined."""
        indices = list(map(RoundIndex.of, rounds))
        for block in range(len(self.source.sizes)):
            known = block < len(self._breaks)
            columns = ["tokens"] if known else ["text", "tokens", "starts", "sentences"]
            yield self._block(block, self.source.columns(block, columns)).joined(indices)

    def with_tables(self, rounds: Sequence[Round]) -> Iterator[tuple[TokenBlock, pa.Table]]:
        """For each block, its tokens with phrases joined, and the stored table that they came from."""
        indices = list(map(RoundIndex.of, rounds))
        for block in range(len(self.source.sizes)):
            table = self.source.read(block)
            yield self._block(block, table).joined(indices), table

    def _block(self, block: int, table: pa.Table) -> TokenBlock:
        if block == len(self._breaks):
            found = TokenBlock.of(table, letters=self.letters)
            self._breaks.append(np.packbits(found.breaks))
            return found
        return TokenBlock.of(table, self._breaks[block])
