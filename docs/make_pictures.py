"""Draws the picture of each model's page: docs/images/NAME.svg.

python docs/make_pictures.py
"""

import sys
from collections.abc import Callable
from math import exp, log10
from pathlib import Path

from picture import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, WIDTH, Picture, coloured
from scipy.special import psi

FOLDER = Path(__file__).parent / "images"
SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def lda() -> str:
    p = Picture()
    topics = (
        ("topic 1", "robot motor arm", BLUE),
        ("topic 2", "plant bed soil", GREEN),
        ("topic 3", "oven cake bake", ORANGE),
    )
    for n, (name, words, colour) in enumerate(topics):
        p.note(160 * n, 14, name)
        p.words(160 * n, 40, [(word, colour) for word in words.split()], 160 * n + 152)
    p.note(0, 82, "a document is a mixture of topics")
    p.bars(0, 90, WIDTH, (("0.5", BLUE), ("0.33", GREEN), ("0.17", ORANGE)))
    p.note(0, 132, "each of its words comes from one of them")
    text = "a b:robot with an b:arm and a b:motor waters the g:plant in its g:bed while the o:cake rises"
    return p.svg(int(p.words(0, 158, coloured(text))) + 14)


def sampling() -> str:
    p = Picture()
    sweeps = (
        ("start", "b:robot o:motor g:cake b:oven g:servo", (0.4, 0.4, 0.2)),
        ("sweep 1", "b:robot b:motor g:cake o:oven g:servo", (0.4, 0.4, 0.2)),
        ("sweep 2", "b:robot b:motor o:cake o:oven g:servo", (0.4, 0.2, 0.4)),
        ("sweep 50", "b:robot b:motor o:cake o:oven b:servo", (0.6, 0.0, 0.4)),
    )
    p.note(400, 14, "shares")
    for n, (name, words, shares) in enumerate(sweeps):
        y = 40 + 34 * n
        p.note(0, y, name)
        p.words(72, y, coloured(words))
        p.bars(
            400, y - 13, 80, [(str(s), c) for s, c in zip(shares, (BLUE, GREEN, ORANGE), strict=True) if s]
        )
    p.note(0, 176, "One word after another draws its topic again, given those of all others.")
    return p.svg(186)


def hdp() -> str:
    p = Picture()
    p.note(0, 14, "weights of topics: a stick, broken again and again")
    colours = (BLUE, ORANGE, GREEN, PURPLE, RED)
    p.bars(0, 24, WIDTH, [*zip(("0.34", "0.24", "0.16", "0.09", "0.06"), colours, strict=True)], 24)
    p.box(427, 24, 52, GREY, 24, dashed=True)
    p.note(WIDTH, 66, "infinitely many more", "end")
    p.note(0, 92, "documents use the same topics, in shares of their own")
    shares = (
        ("0.7", "0.2", "0", "0", "0.1"),
        ("0.1", "0.1", "0.6", "0.2", "0"),
        ("0.3", "0.5", "0.05", "0.15", "0"),
    )
    for n, own in enumerate(shares):
        p.bars(0, 102 + 24 * n, WIDTH, [(s, c) for s, c in zip(own, colours, strict=True) if s != "0"])
    p.note(0, 200, "split")
    p.bars(44, 188, 70, [("1", BLUE)])
    p.line("M122 196H144", arrow=True)
    p.bars(152, 188, 80, (("0.55", BLUE), ("0.45", "#57b6d9")))
    p.note(262, 200, "merge")
    p.bars(312, 188, 80, (("0.5", ORANGE), ("0.5", RED)))
    p.line("M398 196H412", arrow=True)
    p.bars(418, 188, 62, [("1", ORANGE)])
    return p.svg(212)


def point_topics() -> str:
    p = Picture()
    p.note(0, 14, "a topic of 10,000 tokens had a word …: the word's weight in it")
    for n, count in enumerate((0, 0.1, 1, 10)):
        spread = exp(psi(0.01 + count) - psi(0.01 * 20_000 + 10_000))
        point = (count + 0.05) / (0.05 * 20_000 + 10_000)
        y = 32 + 50 * n
        p.text(0, y + 21, f"{count:g} times")
        for m, (weight, colour) in enumerate(((spread, GREY), (point, BLUE))):
            digit, power = f"{weight:.0e}".split("e")
            width = max(2.0, 30 * (12 + log10(weight)))
            p.bar(82, y + 20 * m, width, colour)
            p.note(90 + width, y + 13 + 20 * m, f"{digit} · 10{str(int(power)).translate(SUPERSCRIPT)}")
    p.bar(82, 236, 14, GREY)
    p.note(102, 249, "a distribution over β")
    p.bar(290, 236, 14, BLUE)
    p.note(310, 249, "point topic")
    return p.svg(258)


def open_vocabulary() -> str:
    p = Picture()
    p.note(0, 14, "a topic: its words in order, and a rest for all other strings")
    for y, words in (
        (42, ("robot", "motor", "servo", "circuit")),
        (154, ("robot", "motor", "gripper", "servo")),
    ):
        x = 0.0
        for word in words:
            x = p.chip(x, y, word, BLUE) + 4
        p.chip(x + 4, y, "all other strings", GREY, dashed=True)
    p.note(0, 84, "a document with a new word")
    p.words(0, 108, coloured("the b:motor turns the o:gripper"))
    p.line("M196 116L176 134", arrow=True)
    p.note(0, 190, "Its first probability is that of its letters. Words that are no longer used")
    p.note(0, 208, "(circuit) are dropped.")
    return p.svg(218)


def polylingual() -> str:
    p = Picture()
    p.note(0, 14, "English")
    p.note(250, 14, "German")
    p.words(0, 40, coloured("a g:bed with g:soil for g:plants and b:robots"), 226)
    p.words(250, 40, coloured("ein g:Beet mit g:Erde für g:Pflanzen und b:Roboter"), 480)
    p.note(0, 130, "one document: one mixture of the same topics")
    p.bars(0, 140, WIDTH, (("0.75", GREEN), ("0.25", BLUE)))
    for n, (own, other, colour) in enumerate(
        (("bed plants soil", "Beet Pflanzen Erde", GREEN), ("robots motor", "Roboter Motor", BLUE))
    ):
        x = 250 * n
        p.note(x, 184, f"topic {n + 1}")
        p.words(x, 208, [(word, colour) for word in own.split()])
        p.words(x, 236, [(word, colour) for word in other.split()])
    return p.svg(248)


def guided() -> str:
    p = Picture()
    p.note(0, 14, "your list")
    p.words(0, 42, coloured("o:time o:date* o:day*"))
    p.note(0, 80, "the topic")
    rows = (
        ("time", 60, 170),
        ("date", 60, 90),
        ("day", 60, 60),
        ("datetime", 0, 120),
        ("format", 0, 70),
        ("timezone", 0, 50),
    )
    for n, (word, prior, counts) in enumerate(rows):
        y = 92 + 24 * n
        p.text(76, y + 13, word, anchor="end")
        p.bar(84, y, prior, ORANGE)
        p.bar(84 + prior, y, counts, BLUE)
    p.bar(340, 140, 14, ORANGE)
    p.note(360, 153, "by your list")
    p.bar(340, 164, 14, BLUE)
    p.note(360, 177, "by documents")
    return p.svg(244)


def prevalence() -> str:
    p = Picture()
    p.note(0, 14, "expected share of a topic, with the interval")
    rows = (("party A", 150, 40, ORANGE), ("party B", 250, 30, BLUE))
    for n, (name, centre, half, colour) in enumerate(rows):
        y = 46 + 34 * n
        p.text(70, y + 5, name, anchor="end")
        p.bar(90 + centre - half, y - 1.5, 2 * half, colour, 3)
        p.bar(90 + centre - 4, y - 8, 8, colour, 16)
    p.line("M90 104L470 104")
    for share in (0, 10, 20, 30):
        p.note(90 + 12.0 * share, 122, f"{share} %", anchor="middle")
    p.note(0, 160, "a document of A may have these shares, before it is read")
    p.bars(0, 172, 480, (("0.125", ORANGE), ("0.475", GREY), ("0.4", GREEN)))
    p.note(0, 216, "a document of B")
    p.bars(0, 228, 480, (("0.208", BLUE), ("0.425", GREY), ("0.367", GREEN)))
    return p.svg(252)


def concepts() -> str:
    p = Picture()
    p.text(240, 20, "a topic", anchor="middle", bold=True)
    for x, name, left, right in ((120, "house", "Haus", "home"), (360, "plant", "Pflanze", "seedling")):
        p.line(f"M{240 + (x - 240) * 0.12:g} 28L{x} 66", arrow=True)
        p.text(x, 84, f"concept: {name}", anchor="middle")
        for word, end in ((left, x - 78), (name, x), (right, x + 72)):
            p.line(f"M{x} 92L{end} 132", arrow=True)
            width = 8.4 * len(word) + 10
            p.chip(end - width / 2, 152, word, BLUE if name == "house" else GREEN)
    p.note(0, 190, "A topic chooses a concept, then one of its words. If it has Haus,")
    p.note(0, 208, "house and home become more probable in it too.")
    return p.svg(218)


def syntax() -> str:
    p = Picture()
    sentences = (
        ("in a document about sport", "x:the g:team b:wins g:matches"),
        ("in a document about money", "x:the o:bank b:takes o:losses"),
    )
    for n, (document, text) in enumerate(sentences):
        y = 78 + 120 * n
        p.note(0, y - 64, document)
        for column, (word, colour) in enumerate(coloured(text)):
            p.chip(40 + 110 * column - (8.4 * len(word) + 10) / 2, y, word, colour)
        for head, word, high in ((1, 0, 24), (2, 1, 24), (2, 3, 24)):
            a, b = 40 + 110 * head, 40 + 110 * word
            p.line(f"M{a} {y - 20}C{a} {y - 20 - high} {b} {y - 20 - high} {b} {y - 20}", arrow=True)
    p.note(0, 232, "Below a verb come nouns. The document says of what: sport or money.")
    return p.svg(242)


def ngrams() -> str:
    p = Picture()
    rows = (
        ("the old …", (150, 70, 12), "counts of this context"),
        ("old …", (110, 80, 16), "if it is rare: the shorter one"),
        ("…", (44, 40, 36), "all words"),
        ("no text yet", (10, 10, 10), "every word alike"),
    )
    for n, (context, widths, said) in enumerate(rows):
        y = 8 + 72 * n
        p.text(0, y + 32, context, bold=True)
        for m, (word, width, colour) in enumerate(
            zip(("man", "dog", "river"), widths, (BLUE, GREEN, ORANGE), strict=True)
        ):
            p.text(126, y + 13 + 19 * m, word, 13, "end")
            p.bar(132, y + 1 + 19 * m, width, colour, 14)
        p.note(294, y + 32, said)
        if n:
            p.line(f"M30 {y + 10}V{y - 28}", arrow=True)
    return p.svg(282)


def topic_ngrams() -> str:
    p = Picture()
    p.text(0, 20, "she sat by the bank …")
    p.note(220, 20, "the next word by each topic")
    rows = (
        ("money", (90, 20, 50), ORANGE),
        ("parks", (20, 120, 20), GREEN),
        ("all topics", (30, 30, 60), GREY),
    )
    for n, (topic, widths, colour) in enumerate(rows):
        y = 36 + 66 * n
        p.chip(0, y + 32, topic, colour)
        for m, (word, width) in enumerate(zip(("account", "of the river", "and"), widths, strict=True)):
            p.text(218, y + 13 + 19 * m, word, 13, "end")
            p.bar(226, y + 1 + 19 * m, width, colour, 14)
    p.note(0, 254, "what the document has been about so far decides between them")
    p.bars(0, 262, WIDTH, (("0.1", ORANGE), ("0.65", GREEN), ("0.25", GREY)))
    return p.svg(284)


def translation() -> str:
    p = Picture()
    p.text(0, 20, "bank", bold=True)
    p.note(52, 20, "in English, by what the document is about")
    rows = (("all documents", 0.60), ("a tree at a lake", 0.95), ("an account", 0.06))
    for n, (document, bench) in enumerate(rows):
        y = 38 + 34 * n
        p.text(0, y + 14, document)
        p.bars(140, y, 340, ((str(bench), GREEN), (str(1 - bench), ORANGE)), 20)
        for at, share in ((148, bench), (472, 1 - bench)):
            if share > 0.2:
                word, anchor = ("bench", "start") if at == 148 else ("bank", "end")
                p.note(at, y + 15, f"{word} {share:.2f}", anchor, colour="#111")
    return p.svg(140)


def grammars() -> str:
    p = Picture()
    p.text(240, 20, "youwanttoseethebook", anchor="middle")
    p.line("M240 30V52", arrow=True)
    x, ends = 28.0, []
    for word in ("you", "want", "to", "see", "the", "book"):
        right = p.chip(x, 136, word, BLUE if word in ("you", "the", "see") else GREY)
        ends.append((x + right) / 2)
        x = right + 34
    p.text(240, 70, "Sentence", anchor="middle")
    for end in ends:
        p.line(f"M240 76L{end:g} 94")
        p.note(end, 108, "Word", "middle")
    p.note(0, 178, "remembered, and cheap to use again")
    for n, (word, uses) in enumerate((("you", 296), ("the", 163), ("see", 90))):
        y = 188 + 26 * n
        p.chip(0, y + 16, word, BLUE)
        p.bar(52, y, uses, BLUE)
        p.note(60 + uses, y + 13, f"{uses} times")
    return p.svg(268)


def online_grammars() -> str:
    p = Picture()
    p.note(0, 14, "a few sentences")
    for n, line in enumerate(("youwantthebook", "lookatthedoggie", "seethedoggie")):
        p.text(0, 42 + 26 * n, line)
    p.line("M142 64H160", arrow=True)
    p.note(168, 14, "drawn trees")
    for n, line in enumerate(("you want thebook", "look at the doggie", "see the doggie")):
        x = 168.0
        for word in line.split():
            width = 7.2 * len(word) + 4
            p.box(x, 27 + 26 * n, width, BLUE, 21)
            p.text(x + width / 2, 42 + 26 * n, word, 13, "middle")
            x += width + 3
    p.line("M324 64H342", arrow=True)
    p.note(352, 14, "remembered")
    for n, (word, old, new) in enumerate(
        (("the", 30, 14), ("you", 26, 7), ("doggie", 0, 14), ("thebook", 8, 0))
    ):
        p.text(408, 42 + 24 * n, word, 13, "end")
        p.bar(414, 31 + 24 * n, old, GREY, 14)
        p.bar(414 + old, 31 + 24 * n, new, BLUE, 14)
    p.note(0, 148, "Each step blends what its trees use into what is known. What is not")
    p.note(0, 166, "used again fades, and is dropped.")
    return p.svg(176)


PICTURES: dict[str, Callable[[], str]] = {
    "lda": lda,
    "sampling": sampling,
    "hdp": hdp,
    "point-topics": point_topics,
    "open-vocabulary": open_vocabulary,
    "polylingual": polylingual,
    "guided": guided,
    "prevalence": prevalence,
    "concepts": concepts,
    "syntax": syntax,
    "ngrams": ngrams,
    "topic-ngrams": topic_ngrams,
    "translation": translation,
    "grammars": grammars,
    "online-grammars": online_grammars,
}


def main(folder: Path = FOLDER) -> None:
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
