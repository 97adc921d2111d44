"""Finds words and the beginnings of sentences in UTF-8 texts, by the same rules as the patterns of
`corpus/text`.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, Bytes, Integers

Flags = NDArray[np.bool_]

# classes of characters, as bits
LETTER = np.uint8(1)
MARK = np.uint8(2)
NUMBER = np.uint8(4)
INVISIBLE = np.uint8(8)  # belongs to the letter before it
APOSTROPHE = np.uint8(16)
SPACE = np.uint8(32)
SMALL = np.uint8(64)  # a small letter
STOP = np.uint8(128)  # may end a sentence

INSIDE = LETTER | MARK | NUMBER  # what may follow an apostrophe
PUNCTUATION, LINE, DOCUMENT = range(3)  # rules for what ends sentences
_LINE_ENDS = (10, 13)
_WIDE_STOPS = (0x3002, 0xFF01, 0xFF1F, 0xFF61, 0x17D4, 0x17D5)  # they end a sentence, whatever follows
_CLOSING = (0x22, 0x27, 0x201D, 0x2019, 0x29, 0x5D)  # quotes and brackets, between a full stop and a space
_ACRONYM_QUOTES = (0x22, 0x5F4)  # of Hebrew
_MIDDLE_DOT = 0xB7
_LS = (0x6C, 0x4C)


@kernel_part(**PART)
def _character(text, at):
    """Decode the UTF-8 character that begins at byte `at`; returns its code point and the next position."""
    first = np.int64(text[at])
    if first < 0x80:
        return first, at + 1
    if first < 0xE0:
        return ((first & 0x1F) << 6) | np.int64(text[at + 1] & 0x3F), at + 2
    if first < 0xF0:
        middle = np.int64(text[at + 1] & 0x3F) << 6
        return ((first & 0x0F) << 12) | middle | np.int64(text[at + 2] & 0x3F), at + 3
    middle = (np.int64(text[at + 1] & 0x3F) << 12) | (np.int64(text[at + 2] & 0x3F) << 6)
    return ((first & 0x07) << 18) | middle | np.int64(text[at + 3] & 0x3F), at + 4


@kernel_part(**PART)
def _end_of_sentence(text, at, end, after_stop, classes):
    """The position after a sentence that ends at byte `at`; -1 if none ends there.

    A character of the class STOP, with others and closing quotes after it, ends a sentence if spaces follow,
    which belong to it, and then no small letter. The stops `_WIDE_STOPS` always end one; a line end does
    before an empty line. after_stop: whether the character before `at` is a STOP too.
    """
    character, place = _character(text, at)
    if classes[character] & STOP and not after_stop:
        while place < end:
            character, after = _character(text, place)
            if not classes[character] & STOP:
                break
            place = after
        while place < end:
            character, after = _character(text, place)
            if character not in _CLOSING:
                break
            place = after
        first_space = place
        while place < end:
            character, after = _character(text, place)
            if not classes[character] & SPACE:
                break
            place = after
        small = place < end and classes[_character(text, place)[0]] & SMALL
        return place if place > first_space and not small else -1
    if character in _WIDE_STOPS:
        return place
    if character in _LINE_ENDS:
        if character == 13 and place < end and text[place] == 10:
            place += 1
        while place < end:
            character, after = _character(text, place)
            if character in _LINE_ENDS:
                return after
            if not classes[character] & SPACE:
                return -1
            place = after
    return -1


@kernel_part(**PART)
def _is_joint(character, before, after, classes):
    """Whether a character joins two letters to one word: a quote in Hebrew acronyms, the dot of l·l."""
    if character == _MIDDLE_DOT:
        return before in _LS and after in _LS
    if character not in _ACRONYM_QUOTES:
        return False
    hebrew = (0x5D0 <= before <= 0x5F2) or (0xFB1D <= before <= 0xFB4F)
    if not (hebrew and classes[before] & LETTER and classes[after] & LETTER):
        return False
    return (0x5D0 <= after <= 0x5F2) or (0xFB1D <= after <= 0xFB4F)


@kernel_part(**PART)
def _end_of_word(text, at, letter, end, classes, inside, apostrophes, by_annex):
    """The position (in bytes) after a word, of which `letter` is the first, which ends at byte `at`.

    inside: the bits of characters that may follow a letter; apostrophes: whether words may contain one;
    by_annex: whether they may contain the quotes of Hebrew acronyms and the dot of l·l.
    """
    place = at
    last = letter  # the last character without its marks
    while place < end:
        character, after = _character(text, place)
        kind = classes[character]
        if kind & inside:
            place = after
            if not kind & (MARK | INVISIBLE):
                last = character
        elif kind & APOSTROPHE and apostrophes:
            found = False
            while after < end:  # skip invisible marks, which may follow the apostrophe
                character, after = _character(text, after)
                if classes[character] & INSIDE:
                    found = True
                if found or not classes[character] & inside:
                    break
            if not found:
                return place
            place, last = after, character
        elif by_annex and (character == _MIDDLE_DOT or character in _ACRONYM_QUOTES):
            following = np.int64(0)
            while after < end:  # skip invisible marks
                following, after = _character(text, after)
                if not classes[following] & INVISIBLE:
                    break
            if not _is_joint(character, last, following, classes):
                return place
            place, last = after, following
        else:
            return place
    return place


@njit(**OPTIONS)
def find_word_spans(
    text: Bytes,
    ends: Integers,
    classes: Bytes,
    inside: np.uint8,
    apostrophes: bool,
    by_annex: bool,
    rule: int,
    begins_out: Integers,
    lengths_out: Integers,
    starts_out: Integers,
    counts_out: Integers,
    sentences_out: Integers,
    sentence_counts_out: Integers,
) -> tuple[int, int]:
    """Find the words of documents, and which begin sentences; returns the numbers of words and of sentences.

    Input: text (bytes), the documents' texts, concatenated; ends (documents), where each ends; classes, the
    bits of every character; inside, the bits of characters that may follow a word's first letter; rule, what
    ends sentences (PUNCTUATION, LINE or DOCUMENT). Sentences without words do not count.

    Output for each word: begins_out, its first byte in `text`; lengths_out, its length in bytes; starts_out,
    the index of its first character in its document. For each sentence: sentences_out, the number of its
    first word in the document. For each document: counts_out and sentence_counts_out, its numbers of words
    and sentences.

    A word is a letter, with all digits directly before it, followed by letters, marks and digits. An
    apostrophe followed by one of these continues the word, if `apostrophes`. With `by_annex`, digits before a
    letter may have marks, and the quotes of Hebrew acronyms and the dot of l·l continue a word.
    """
    n_words = n_sentences = 0
    begin = 0
    for d in range(len(ends)):
        end = ends[d]
        first, first_sentence = n_words, n_sentences
        place = begin
        characters = 0  # characters of the document before `place`
        digits, digits_start = -1, 0  # the start of the run of digits that ends at `place`
        fresh = True  # the next word begins a sentence
        sentence_from = place  # ends of sentences do not overlap
        after_stop = False
        while place < end:
            character, after = _character(text, place)
            kind = classes[character]
            if kind & LETTER:
                if digits < 0:
                    digits, digits_start = place, characters
                after = _end_of_word(text, after, character, end, classes, inside, apostrophes, by_annex)
                begins_out[n_words] = digits
                lengths_out[n_words] = after - digits
                starts_out[n_words] = digits_start
                if fresh:
                    sentences_out[n_sentences] = n_words - first
                    n_sentences += 1
                    fresh = False
                n_words += 1
                for i in range(place, after):  # bytes that begin a character
                    characters += (text[i] & 0xC0) != 0x80
                place = after
                digits = -1
                after_stop = False
                continue
            if kind & NUMBER:
                if digits < 0:
                    digits, digits_start = place, characters
            else:
                if not (by_annex and kind & (MARK | INVISIBLE)):
                    digits = -1
                if rule == PUNCTUATION:
                    if place >= sentence_from and not kind & INSIDE:
                        found = _end_of_sentence(text, place, end, after_stop, classes)
                        if found >= 0:
                            sentence_from, fresh = found, True
                elif rule == LINE and character in _LINE_ENDS:
                    fresh = True
            after_stop = kind & STOP != 0
            place = after
            characters += 1
        begin = end
        counts_out[d] = n_words - first
        sentence_counts_out[d] = n_sentences - first_sentence
    return n_words, n_sentences


@njit(**OPTIONS)
def mark_breaks(
    text: Bytes, ends: Integers, is_break: Bytes, starts: Integers, offsets: Integers, breaks_out: Flags
) -> None:
    """Mark in breaks_out the next word after each break, such as a comma, in the same document.

    is_break (code points): 1 for breaks, 2 for those that are none between l and l. text (bytes) has
    documents one after another, from ends[d] to ends[d + 1]; the words of document d begin at its characters
    starts[offsets[d]:offsets[d + 1]]. breaks_out (words) is all false before.
    """
    for d in range(len(ends) - 1):
        word, last = offsets[d], offsets[d + 1]
        place = np.int64(ends[d])
        characters = 0
        before = np.int64(0)
        while place < ends[d + 1] and word < last:
            character, place = _character(text, place)
            while word < last and starts[word] < characters:
                word += 1
            kind = is_break[character]
            if kind == 2 and before in _LS and place < ends[d + 1] and text[place] in _LS:
                kind = np.uint8(0)
            if word < last and kind:
                breaks_out[word] = True
            characters += 1
            before = character
