"""The example at the end of each command's help runs."""

import gzip
import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from tests.children import run_program
from tests.commands import every_command, taken
from tests.docs_sessions import DOCS, run_page
from tests.running import write_trees

SPARK = {"stream lda", "stream hdp"}  # need Spark; tests/spark runs their like


EXAMPLES = {
    words: str(command.epilog).removeprefix("Example: ")
    for words, command in every_command()
    if not isinstance(command, click.Group) and words not in SPARK
}


def run(folder: Path, line: str) -> None:
    ended = run_program(shlex.split(line)[1:], folder)
    assert ended.returncode == 0, f"{line}\n{ended.stdout}\n{ended.stderr}"


def renamed(folder: Path, **names: str) -> None:
    """Copies of files and models under the names that examples have for them: new=old."""
    for new, old in names.items():
        target = folder / new.replace("__", ".")
        (shutil.copytree if (folder / old).is_dir() else shutil.copy)(folder / old, target)


def topics(folder: Path) -> None:
    run_page(DOCS / "howto" / "index.md", folder, "console")
    renamed(folder, model="posts.model", seed0__model="posts.model", seed1__model="posts.model")
    renamed(folder, news__jsonl="posts.jsonl", test__jsonl="new.jsonl", december__jsonl="new.jsonl")
    (folder / "posts.jsonl.gz").write_bytes(gzip.compress((folder / "posts.jsonl").read_bytes()))
    posts = [json.loads(line) for line in (folder / "posts.jsonl").read_text().splitlines()]
    speeches = (post | {"party": post["author"], "year": 2000 + n % 4} for n, post in enumerate(posts))
    (folder / "speeches.jsonl").write_text("\n".join(map(json.dumps, speeches)))
    run(folder, "stickbreaker corpus build speeches.jsonl --out speeches.corpus")


def languages(folder: Path) -> None:
    run_page(DOCS / "tutorials" / "two-languages.md", folder, "console")
    renamed(folder, model="news.model", pages__corpus="news.corpus")
    (folder / "de-en.tsv").write_text("spiel\tmatch\nmannschaft\tteam\nbank\tbank\n")


def grammar(folder: Path) -> None:
    run_page(DOCS / "howto" / "segment-new-text.md", folder, "console")
    renamed(folder, model="lines.model", sentences__txt="lines.txt")


def sentences(folder: Path) -> None:
    run_page(DOCS / "howto" / "score-sentences.md", folder, "console")
    renamed(folder, model="sentences.model", letters__txt="fresh.txt")
    (folder / "novel.txt").write_text((folder / "fresh.txt").read_text() * 4)
    (folder / "test.nbest").write_text("0 ||| the cat sat ||| -1.5\n0 ||| the sat cat ||| -1.0\n")


def trees(folder: Path) -> None:
    write_trees(folder / "news.conllu")


def bitext(folder: Path) -> None:
    run_page(DOCS / "howto" / "translate-a-word.md", folder, "console")
    renamed(folder, model="pairs.model", dev__jsonl="pairs.jsonl", letters__jsonl="pairs.jsonl")
    (folder / "letter.txt").write_text("Die Bank steht im Park.\n")
    (folder / "test.de").write_text("die bank steht im park\n")
    candidates = ("the bank stands in the park", "the bench stands in the park")
    lines = (f"0 ||| {text} ||| LM0= -{n} ||| -{n}\n" for n, text in enumerate(candidates, 1))
    (folder / "test.nbest").write_text("".join(lines))


def bitext_to_learn(folder: Path) -> None:
    bitext(folder)
    (folder / "documents.jsonl").unlink()
    shutil.rmtree(folder / "lexicon")


def system(folder: Path) -> None:
    bitext(folder)
    shutil.rmtree(folder / "lexicon")
    learn = "stickbreaker translate learn pairs.jsonl --from de --to en --topics model"
    run(folder, f"{learn} --out lexicon --phrases")


def tuned(folder: Path) -> None:
    system(folder)
    run(folder, "stickbreaker translate tune lexicon dev.jsonl")


MADE: dict[str, Callable[[Path], None]] = {  # what lies in the folder where the example is run
    "concepts": languages,
    "nearest": languages,
    "fit grammar": grammar,
    "segment": grammar,
    "parse": grammar,
    "rules": grammar,
    "fit ngram": sentences,
    "score": sentences,
    "rescore": sentences,
    "generate": sentences,
    "fit syntax": trees,
    "translate documents": bitext_to_learn,
    "translate learn": bitext_to_learn,
    "translate tune": system,
    "translate run": tuned,
    **dict.fromkeys(("translate word", "translate terms", "translate export", "translate rerank"), bitext),
}
WITHOUT = {  # what the example itself makes
    "fit lda": ("model",),
    "fit hdp": ("model",),
    "fit ngram": ("model",),
    "fit grammar": ("model",),
    "corpus build": ("posts.corpus",),
    "export": ("posts.json",),
}


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """The folder of each maker, made once."""
    made: dict[str, Path] = {}

    def find(maker: Callable[[Path], None]) -> Path:
        if maker.__name__ not in made:
            made[maker.__name__] = tmp_path_factory.mktemp(maker.__name__)
            maker(made[maker.__name__])
        return made[maker.__name__]

    return find


def test_commands_take_the_arguments_of_their_examples():
    for words, example in EXAMPLES.items():
        assert taken(example).info_name == words


def test_what_no_command_takes_is_seen():
    for line in ("stickbreaker fit lda a.txt --oot b", "stickbreaker fit lda a.txt --topics x"):
        with pytest.raises(click.ClickException):
            taken(line)
    with pytest.raises(LookupError):
        taken("stickbreaker fitt lda a.txt")


@pytest.mark.slow
@pytest.mark.parametrize("words", EXAMPLES)
def test_the_example_runs(words, folder_of, tmp_path):
    folder = shutil.copytree(folder_of(MADE.get(words, topics)), tmp_path / "here")
    for name in WITHOUT.get(words, ()):
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    assert EXAMPLES[words].startswith(f"stickbreaker {words}")
    run(folder, EXAMPLES[words])
