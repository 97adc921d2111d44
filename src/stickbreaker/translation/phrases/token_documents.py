"""Documents to translate, as tokens with topic shares."""

from collections.abc import Sequence
from typing import TypeVar

from stickbreaker.core.records import Array
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.one_side import SourceText
from stickbreaker.translation.phrases.translating import TokenDocument
from stickbreaker.translation.sentence_tokens import tokens_of

T = TypeVar("T")


def token_documents(
    lexicon: TopicLexicon, bitext: Bitext, shares: Array | None = None
) -> tuple[list[TokenDocument], list[list[list[str]]]]:
    """The documents of a bitext, ready for translation (source tokens and topic shares), and their reference
    translations as tokens.

    `shares` (documents × topics): those of `lexicon.domains`, if already known.
    """
    shares = lexicon.domains.of_bitext(bitext) if shares is None else shares
    documents = [TokenDocument([], own) for own in shares]
    references: list[list[list[str]]] = [[] for _ in documents]
    for number, (source, target) in zip(
        bitext.document_of.tolist(), bitext.texts(range(bitext.n_pairs)), strict=True
    ):
        documents[number].sentences.append(tokens_of(source, bitext.source))
        references[number].append(tokens_of(target, bitext.target))
    return documents, references


def source_documents(lexicon: TopicLexicon, text: SourceText) -> list[TokenDocument]:
    """The documents of a source text, ready for translation: lists of tokens, with their topic shares."""
    documents = [TokenDocument([], own) for own in lexicon.shares_of(text.documents, text.domains)]
    for number, sentence in zip(text.document_of, text.sentences, strict=True):
        documents[number].sentences.append(tokens_of(sentence, lexicon.bitext.source))
    return documents


def in_order(document_of: Sequence[int], by_document: Sequence[Sequence[T]]) -> list[T]:
    """Put items that are grouped by document into the order of all sentences, in one list.

    by_document: a list of items for each document, one per sentence; document_of: the document number of each
    sentence.
    """
    at = [iter(own) for own in by_document]
    return [next(at[number]) for number in document_of]
