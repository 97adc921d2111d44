"""What commands print of small models of every kind, to compare before and after a change of the code.

`python -m tests.command_outputs MODELS OUT` makes the models, unless the folder MODELS has them, and writes
the text and the JSON of each command into a file of the folder OUT; `diff -r` compares two such folders.
Times alone may differ.
"""

import sys
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from stickbreaker import Corpus, TopicNgramModel
from stickbreaker.cli import main as program
from tests.running import german, planted_documents, write_lines, write_trees

SMALL = "--threads 1 --seed 1"
MAKE = {  # what each is made by
    "lda": f"fit lda one.jsonl --topics 3 {SMALL}",
    "other": "fit lda one.jsonl --topics 4 --threads 1 --seed 2",
    "half": f"fit lda one.jsonl --topics 3 --held-out .3 {SMALL}",
    "hdp": f"fit hdp one.jsonl --topics 8 {SMALL}",
    "two": f"fit lda both.jsonl --topics 3 --text-field en=en,de=de {SMALL}",
    "open": f"fit lda one.jsonl --topics 3 --words open --schedule online {SMALL}",
    "stm": f"fit syntax trees.conllu --topics 4 --iterations 30 {SMALL}",
    "ngram": "fit ngram lines.txt --order 2 --iterations 20 --seed 1",
    "grammar": "fit grammar spaced.txt --iterations 20 --seed 1",
    "lexicon": "translate learn both.jsonl --from en --to de --topics two --document-field id",
}
COMMANDS = {
    "evaluate": (
        "lda new.jsonl",
        "lda one.jsonl --left-to-right --particles 3 --bound --labels label --by company",
        "half one.jsonl --reference new.jsonl --by relevance",
        "hdp new.jsonl --completion .3",
        "two both.jsonl --text-field en=en,de=de",
        "open strange.jsonl",
        "lda strange.jsonl --unseen spelled --spelling-of open",
        "stm trees.conllu",
        "ngram new.txt",
        "ngram new.txt --rescale lda",
        "ngram new.txt --interpolate arpa --weight .3",
        "ngram new.txt --interpolate arpa --tune-on lines.txt",
        "arpa new.txt",
        "topic-ngram new.txt",
        "grammar spaced.txt",
        "grammar new.txt --nonterminal Word",
        "lexicon both.jsonl",
        "ngram new.txt --completion .2",
        "lda new.jsonl --nonterminal Word",
        "lda new.jsonl --particles 3",
        "grammar spaced.txt --bound",
        "stm new.jsonl --labels label",
        "lexicon both.jsonl --unseen spelled",
        "ngram new.txt --exponent .2",
        "ngram new.txt --weight .2",
        "lda new.jsonl --completion 1",
    ),
    "topics": (
        "lda",
        "lda --top 3 --by probability",
        "hdp --by documents",
        "two --top 4",
        "open",
        "open --at 1",
        "lda --at 1",
        "stm --top 2",
        "topic-ngram",
        "ngram",
        "grammar",
        "stm --by documents",
        "lda --top 0",
    ),
    "nearest": (
        "lda new.jsonl --id d3 --id d5 --among one.corpus --top 2",
        "lda new.jsonl --top 1",
        "two both.jsonl --text-field en=en,de=de --from en --to de --top 2",
        "lda new.jsonl --id nobody",
        "lda new.jsonl --from de",
        "ngram new.jsonl",
    ),
    "compare": ("lda other", "lda other hdp --top 3 --by relevance", "two lda", "lda", "lda ngram"),
    "transform": (
        "lda new.jsonl --out - --metadata",
        "stm trees.conllu --out -",
        "topic-ngram new.txt --out -",
    ),
    "intruders": ("lda --out quiz.html --overwrite", "two --out quiz.html --overwrite --questions 2"),
    "effect": ("lda one.jsonl --formula label", "lda one.jsonl --formula label --topic 1 --draws 5"),
    "over-time": ("lda one.jsonl --by year", "lda one.jsonl --by month --group-field label --topic 1"),
    "search-k": ("one.corpus --topics 2,3 --seeds 2 --iterations 5 --held-out .3 --threads 1 --out search",),
    "segment": ("grammar new.txt",),
    "score": ("ngram new.txt", "arpa new.txt", "topic-ngram new.txt"),
    "parse": ("grammar new.txt",),
    "rules": ("grammar",),
    "corpus describe": ("one.corpus",),
}


def write(place: Path) -> None:
    """Write documents and models into the present folder."""
    documents, new = planted_documents(), planted_documents(20, seed=1)
    write_lines(place / "one.jsonl", documents)
    write_lines(place / "new.jsonl", new)
    strange = [{**one, "text": one["text"] + f" strange{n}"} for n, one in enumerate(new)]
    write_lines(place / "strange.jsonl", strange)
    both = [
        {"id": a["id"], "en": a["text"], "de": " ".join(map(german, b["text"].split()))}
        for a, b in zip(documents, planted_documents(seed=1), strict=True)
    ]
    write_lines(place / "both.jsonl", both)
    write_trees(place / "trees.conllu")
    for name, own in (("lines", documents), ("new", new)):
        (place / f"{name}.txt").write_text("\n".join(one["text"] for one in own) + "\n")
    words, draw = ["aba", "cod", "efe"], np.random.default_rng(0)
    sentences = [" ".join(draw.choice(words, 4)) for _ in range(60)]
    (place / "spaced.txt").write_text("\n".join(sentences) + "\n")
    run("corpus build one.jsonl --out one.corpus")
    for name, line in MAKE.items():
        found = run(f"{line} --out {name}")
        assert (place / name).exists(), found
    run("export ngram --format arpa --out arpa")
    texts = Corpus.from_texts([one["text"] for one in documents])
    TopicNgramModel(3, max_iter=20, random_state=1, n_jobs=1).fit(texts).save(place / "topic-ngram")


def run(line: str) -> str:
    """What a command prints, on both streams, and its exit status."""
    done = CliRunner().invoke(program, line.split())
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return f"{done.exit_code}\n{done.stdout}\n--- standard error\n{done.stderr}"


def main(models: Path, out: Path) -> None:
    """Write what every command prints."""
    out.mkdir(parents=True)
    models.mkdir(exist_ok=True)
    import os

    out = out.absolute()
    os.chdir(models)
    if not Path("topic-ngram").exists():
        write(Path())
    for command, lines in COMMANDS.items():
        for line in lines:
            for more in ("", " --json"):
                name = f"{command} {line}{more}".replace("/", "_")
                (out / name).write_text(run(f"{command} {line}{more}"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
