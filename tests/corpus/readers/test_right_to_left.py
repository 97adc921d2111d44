"""Lines of Arabic and Hebrew in PDF files arrive in the order in which they are read."""

import itertools

import pytest
from tests.corpus.readers.samples import pdf_pages

from stickbreaker.corpus.readers.pdf_files import extract_pdf
from stickbreaker.corpus.readers.right_to_left import PlacedCharacter, line_in_reading_order

# "عليكم سنة 1998 في Paris", printed by a browser, as PDFium gives it: words in reverse order, and one that is
# right; each character with its place
PRINTED = [
    *(("م", 512.6), ("ك", 520.5), ("ي", 527.2), ("ل", 530.8), ("ع", 534.7), (" ", 508.7)),
    *(("س", 500.0), ("ن", 496.0), ("ة", 490.0)),
    *(("1", 456.5), ("9", 464.1), ("9", 471.8), ("8", 479.4), ("ي", 436.9), ("ف", 446.9), (" ", 433.1)),
    *(("P", 400.0), ("a", 407.0), ("r", 413.0), ("i", 418.0), ("s", 421.0)),
]
WIDTHS = {"م": 7.8, "ك": 6.8, "ي": 9.9, "ل": 4.0, "ع": 6.0, "س": 8.0, "ن": 4.0, "ة": 6.0, "ف": 5.0, " ": 3.8}


def placed(characters):
    return [PlacedCharacter(text, x, x + WIDTHS.get(text, 6.0), x) for text, x in characters]


def drawn_from_the_left(text):
    return placed([(character, 10.0 * number) for number, character in enumerate(text)])


def test_words_are_put_in_order_by_their_places():
    assert line_in_reading_order(placed(PRINTED), 12.0, add_spaces=True) == "عليكم سنة 1998 في Paris"


@pytest.mark.parametrize(
    ("seen", "read"),  # from left to right, and as it is read
    [
        ("םולש", "שלום"),
        ("2.5 ב 1948 תנש", "שנת 1948 ב 2.5"),
        ("In םולש הלימ is a word of 2 languages", "In מילה שלום is a word of 2 languages"),
        ("םולש New York 12 תיב לודג", "גדול בית New York 12 שלום"),
    ],
)
def test_numbers_and_other_scripts_run_from_the_left(seen, read):
    assert line_in_reading_order(drawn_from_the_left(seen), 10.0, add_spaces=False) == read


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("(םולש)", "(שלום)"),
        ("תיב (םולש) הלימ", "מילה (שלום) בית"),
        ("In (םולש) is a word", "In (שלום) is a word"),
        ("(is) םולש", "שלום (is)"),
        ("םולש (New York) תיב", "בית (New York) שלום"),
        ("read (תיב) and [תיב]", "read (בית) and [בית]"),
        ("תיב ((תיב) םולש)", "(שלום (בית)) בית"),
        ("תיב (םיב)תיב", "בית(בים) בית"),
    ],
)
def test_brackets_open_before_words_and_close_behind_them(seen, read):
    """Whichever of them PDFium mirrored, which it does in some lines only."""
    mirrored = seen.translate(str.maketrans("()[]", ")(]["))
    for characters in (seen, mirrored):
        assert line_in_reading_order(drawn_from_the_left(characters), 10.0, add_spaces=False) == read
    pytest.importorskip("pypdfium2")
    assert extract_pdf(drawn(seen), None).text == read


def test_marks_and_ligatures_are_read_with_their_letters():
    lam_alef = [("م", 0.0), ("ا", 8.0), ("ل", 8.0), ("س", 14.0)]  # one glyph: in reverse order
    assert line_in_reading_order(placed(lam_alef), 10.0, add_spaces=False) == "سلام"
    stored_so = [("م", 0.0), ("ل", 8.0), ("ا", 8.0), ("س", 14.0)]  # as some files have it
    assert line_in_reading_order(placed(stored_so), 10.0, add_spaces=False) == "سلام"
    mark = [PlacedCharacter("ن", 0.0, 6.0, 0.0), PlacedCharacter("س", 6.0, 12.0, 6.0)]
    mark.insert(1, PlacedCharacter("\u0651", 8.0, 10.0, 9.0))
    assert line_in_reading_order(mark, 10.0, add_spaces=False) == "س\u0651ن"


def test_every_order_in_which_glyphs_may_be_drawn_is_read_alike():
    for order in itertools.permutations(drawn_from_the_left("הנש")):
        assert line_in_reading_order(order, 10.0, add_spaces=False) == "שנה"


def drawn(text):
    """A PDF file of one line, whose glyphs are named and drawn from left to right."""
    kinds = list(dict.fromkeys(text))
    names = " ".join("/space" if one == " " else f"/uni{ord(one):04X}" for one in kinds)
    font = (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Any /FirstChar 1 /LastChar {len(kinds)} "
        f"/Widths [{'500 ' * len(kinds)}] /Encoding << /Differences [1 {names}] >> >>"
    )
    codes = bytes(kinds.index(one) + 1 for one in text).hex()
    return pdf_pages(f"<{codes}> Tj".encode(), font=font.encode())


def test_arabic_of_a_file_is_letters_in_order():
    pytest.importorskip("pypdfium2")
    forms = "".join(map(chr, [0xFE8D, 0xFEDF, 0xFEB4, 0xFEFC, 0xFEE1]))  # السلام in presentation forms
    for text in (forms, "السلام", "السلام عليكم", "سنة 1998"):
        seen = text[::-1].replace("8991", "1998")
        assert extract_pdf(drawn(seen), None).text == text.replace(forms, "السلام")
    assert extract_pdf(drawn("\ufe70\ufedf\ufe8d"), None).text == "ال\u064b"  # not a word and a mark
