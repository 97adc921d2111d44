"""What commands print of small models of every kind, to compare before and after a change of the code.

`python -m tests.command_outputs MODELS OUT [COMMAND ...]` makes the models, unless the folder MODELS has
them, and writes the text and the JSON of each command, or of those named, into a file of the folder OUT, with
the digests of the files that it wrote; `diff -r` compares two such folders. Commands work on a copy of the
models. Times alone may differ.
"""

import hashlib
import itertools
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from stickbreaker import LDA, Corpus, TopicNgramModel
from stickbreaker.cli import main as program
from stickbreaker.estimators.kinds import kinds
from stickbreaker.estimators.model_runs import begin
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
    "phrases": "translate learn both.jsonl --from en --to de --topics two --document-field id --phrases",
}
IN = "--from en --to de"
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
    "segment": (
        "grammar new.txt",
        "grammar spaced.txt --nonterminal Word --out cut.txt",
        "grammar counts.txt --format counts",
        "grammar new.jsonl --overwrite",
        "grammar new.txt --nonterminal No",
        "lda new.txt",
    ),
    "score": ("ngram new.txt", "arpa new.txt", "topic-ngram new.txt", "lda new.txt"),
    "generate": ("ngram --sentences 3 --seed 2", "topic-ngram --topic 1", "ngram --topic 1"),
    "rescore": ("ngram any.nbest --scale .2 --out best.nbest", "arpa any.nbest --best --out best.txt"),
    "parse": (
        "grammar new.txt",
        "grammar spaced.txt --how samples --trees 2 --out trees.txt",
        "grammar spaced.txt --how minimum-risk",
        "grammar new.txt --trees 2",
        "lda new.txt",
    ),
    "rules": ("grammar", "grammar --nonterminal Word --top 3", "grammar --top 0", "ngram"),
    "corpus info": ("one.corpus",),
    "name": (
        "lda --topic 0=rain --topic 1=rain",
        "lda --topic 7=rain",
        "lda --topic rain",
        "lda given.json",
        "lda --from-file answer.txt",
        "lda --remove",
        "ngram --topic 0=rain",
    ),
    "merge": (
        "lda 0,2 --out merged",
        "other --topics 2 --out fewer --overwrite",
        "lda --out m",
        "lda 0,9 --out m",
    ),
    "update": (
        "lda new.jsonl --out newer --overwrite --date 2026-11-30",
        "hdp new.jsonl --date 2026-11-30 --batch-size 7",
        "grammar new.txt --out grown --overwrite --date 2026-11-30",
        "ngram new.txt --out longer --overwrite --date 2026-11-30",
        "open strange.jsonl --date 2026-11-30",
        "stm trees.conllu",
        "lda new.jsonl --date yesterday",
    ),
    "fit": (
        f"lda one.jsonl --topics 3 --out fitted --overwrite {SMALL}",
        f"hdp one.jsonl --topics 4 --iterations 3 --out fitted --overwrite {SMALL}",
        f"lda one.jsonl --topics 3 --held-out .3 --out fitted --overwrite {SMALL}",
        "grammar spaced.txt --iterations 5 --seed 1 --out fitted --overwrite",
        "ngram lines.txt --order 2 --iterations 5 --seed 1 --out fitted --overwrite",
        f"syntax trees.conllu --topics 4 --iterations 5 --out fitted --overwrite {SMALL}",
        f"lda one.jsonl --topics 3 --out lda {SMALL}",
        f"lda one.jsonl --topics 3 --stream --words open --schedule online --out fitted --overwrite {SMALL}",
    ),
    "resume": ("lda", "begun --threads 1", "lexicon", "nothing", "stm"),
    "report": (
        "lda --out page.html --overwrite",
        "grammar --out page.html --overwrite --title G",
        "lda",
        "grammar --out page.html --overwrite --group-field label",
    ),
    "export": (
        "lda --format gensim-topics --out lda.txt --overwrite",
        "lda --format mallet-topic-keys --out lda.txt --overwrite --top 3",
        "lda one.corpus --format mallet-doc-topics --out lda.txt --overwrite",
        "lda one.corpus --format pyldavis --out lda.json --overwrite",
        "lda --format pyldavis --out lda.json",
        "lda one.corpus --format gensim-topics --out lda.txt",
        "stm --format dot --out stm.dot --overwrite --top 3",
        "ngram --format arpa --out ngram.arpa --overwrite",
        "topic-ngram --format arpa --out ngram.arpa --overwrite --topic common",
        "topic-ngram --format arpa --out x.arpa",
        "ngram --format dot --out x.dot",
        "lda --format zip --out lda.zip --overwrite",
        "lda --format zip --out x.zip --top 3",
        "ngram --format arpa --out x.arpa --topic 1",
    ),
    "translate word": (
        "lexicon river",
        "lexicon river --document letter.txt --top 2",
        "lexicon nowhere",
        "phrases water --language en",
        "lda water",
    ),
    "translate terms": (
        "lexicon --min-count 1 --min-gain 0",
        "lexicon --all-words --min-count 1 --min-gain 0 --out terms.csv --overwrite",
        "phrases",
    ),
    "translate documents": (
        f"both.jsonl {IN} --document-field id --out joined.jsonl --tokens joined.txt --overwrite",
    ),
    "translate export": (
        "lexicon --format lexicon --out lex.txt --overwrite",
        "lexicon --format moses --out lex --document letter.txt --overwrite",
        "phrases --format phrase-table --out lex.gz --overwrite",
        "lexicon --format phrase-table --out x.gz",
        "lexicon --format lexicon --out x.txt --min-p 1",
    ),
    "translate rerank": (
        "lexicon some.nbest --source source.txt --tune target.txt --out weights.json --overwrite",
        "lexicon some.nbest --source source.txt --weights weights.json --out best.nbest --overwrite",
        "lexicon some.nbest --source source.txt --weight .3 --out best.nbest --overwrite",
        "lexicon some.nbest --source source.txt --out x.nbest",
        "lexicon some.nbest --source letter.txt --weight .3 --out x.nbest",
    ),
    "translate run": (
        "phrases source.txt --out german.txt --overwrite --threads 1",
        "phrases source.txt --out german.nbest --n-best 3 --overwrite --threads 1",
        "lexicon source.txt --out x.txt",
        "phrases source.txt --out x.txt --n-best 100000",
    ),
    "translate tune": (
        "phrases both.jsonl --rounds 2 --threads 1",
        "phrases both.jsonl --rounds 1 --topics ranks --threads 1",
        "lexicon both.jsonl",
    ),
    "translate learn": (
        f"both.jsonl {IN} --topics two --document-field id --out again --overwrite",
        f"both.jsonl {IN} --topics two --document-field id --out again --overwrite --phrases",
        f"both.jsonl {IN} --out again",
        f"both.jsonl {IN} --by-domain --out again --phrase-table x",
    ),
    "concepts": ("pairs.tsv --corpus both.corpus --from en --to de --out tree.jsonl --overwrite",),
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
    lines = [a["text"] for a in new][:8]
    (place / "source.txt").write_text("\n".join(lines) + "\n")
    (place / "target.txt").write_text("\n".join(" ".join(map(german, one.split())) for one in lines) + "\n")
    (place / "letter.txt").write_text(lines[0] + "\n")
    (place / "counts.txt").write_text("".join(f"{one}\t{n + 1}\n" for n, one in enumerate(sentences[:4])))
    (place / "any.nbest").write_text("".join(f"0 ||| {one} ||| -{n}\n" for n, one in enumerate(lines)))
    candidates = [
        (n, " ".join(map(german, one.split()[cut:])), cut) for n, one in enumerate(lines) for cut in (3, 1, 0)
    ]
    (place / "some.nbest").write_text(
        "".join(f"{n} ||| {text} ||| lm= {cut}.5 tm= 1 {cut} ||| -{cut}\n" for n, text, cut in candidates)
    )
    (place / "answer.txt").write_text("0: rain\n2: money, mostly\n")
    (place / "pairs.tsv").write_text("\n".join(f"{one}\t{german(one)}" for one in lines[0].split()) + "\n")
    run("corpus build one.jsonl --out one.corpus")
    run("corpus build both.jsonl --text-field en=en,de=de --out both.corpus")
    for name, line in MAKE.items():
        found = run(f"{line} --out {name}")
        assert (place / name).exists(), found
    run("export ngram --format arpa --out arpa")
    texts = Corpus.from_texts([one["text"] for one in documents])
    TopicNgramModel(3, max_iter=20, random_state=1, n_jobs=1).fit(texts).save(place / "topic-ngram")
    begun = LDA(3, max_iter=9, random_state=1, n_jobs=1)
    begin(kinds()[begun.kind].how(), begun.settings, Corpus.open(place / "one.corpus"), place / "begun")


def run(line: str) -> str:
    """What a command prints, on both streams, and its exit status."""
    done = CliRunner().invoke(program, line.split())
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return f"{done.exit_code}\n{done.stdout}\n--- standard error\n{done.stderr}"


def digests(line: str) -> str:
    """The digests of the files that a command wrote: at --out and --tokens, or in a directory there."""
    words = line.split()
    places = [Path(value) for name, value in itertools.pairwise(words) if name in ("--out", "--tokens")]
    near = [one for place in places for one in (place, *Path().glob(f"{place.name}.?2?"))]
    files = [
        file
        for one in near
        for file in ([one] if one.is_file() else sorted(one.rglob("*")))
        if file.is_file()
    ]
    of_times = ("model.json", "trace.jsonl", "lexicon.json")
    return "".join(
        f"{file}: {hashlib.sha256(file.read_bytes()).hexdigest()}\n"
        for file in files
        if file.name not in of_times
    )


def main(models: Path, out: Path, *only: str) -> None:
    """Write what every command prints, or those named."""
    out.mkdir(parents=True)
    models.mkdir(exist_ok=True)
    out, models, here = out.absolute(), models.absolute(), Path.cwd()
    os.chdir(models)
    if not Path("topic-ngram").exists():
        write(Path())
    with tempfile.TemporaryDirectory() as scratch:
        copied = shutil.copytree(models, Path(scratch, "models"))
        os.chdir(copied)
        for command, lines in COMMANDS.items():
            for line in lines if not only or command in only else ():
                for more in ("", " --json"):
                    name = f"{command} {line}{more}".replace("/", "_")
                    text = run(f"{command} {line}{more}")
                    (out / name).write_text(text + digests(line))
        os.chdir(here)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
