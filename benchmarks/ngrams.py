"""Language models: speed of learning and predicting, and memory, compared with KenLM.

`make bench WHAT=ngrams` learns a trigram model and one of unbounded contexts from nine tenths of the Brown
corpus, on one thread, and predicts the rest; some three minutes on one idle core. KenLM reads our ARPA file,
if it is installed (pip install kenlm, which needs a compiler and CMake).
`make bench WHAT=ngrams KENLM=path/to/bin` (or --kenlm) names the folder of its program lmplz, whose
Kneser-Ney model is then measured too. CPU seconds, the least of several runs. The tables are printed row by
row and kept in bench-results/.
"""

import argparse
import importlib
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks import processes
from benchmarks.harness import Report, Row, options, run
from numpy.typing import NDArray
from reproduce.texts import texts

from stickbreaker import Analysis, Corpus, NgramModel, VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.kernels.pitman_yor import find_ways, predict_unbounded, predict_words
from stickbreaker.ngrams.learner import NGRAMS
from stickbreaker.ngrams.model.contexts import with_ends
from stickbreaker.ngrams.model.language_model import LanguageModel, text_before

SWEEPS = 40
REPEATS = 5
RARE = "<rare>"  # stands for unknown words in lmplz's input: it uses <unk> itself
LEARNING = (
    "program", "words", "contexts", "slots", "CPU s", "CPU s/sweep", "tokens/s", "chain bytes/slot",
    "saved bytes/slot", "perplexity", "of known words",
)  # fmt: skip
PREDICTING = (
    "program", "samples", "places known M/s", "numbers known M/s", "spellings known M/s", "memory MB",
)  # fmt: skip
AGREEING = ("words", "number", "perplexity of ours", "of KenLM", "most that log10 p differs")


class Text(NamedTuple):
    """Sentences to predict."""

    lines: list[str]
    words: NDArray[np.int64]  # by number
    starts: NDArray[np.int64]  # of sentences


def measure(report: Report, args: argparse.Namespace) -> None:
    if not report.has("Brown"):
        return
    documents = [text.lower() for text in texts("Brown")]
    train, test = [text for i, text in enumerate(documents) if i % 10], documents[::10]
    with tempfile.TemporaryDirectory() as place:
        learned = learning(report, train, test, args.kenlm, Path(place))
        predicting(report, learned, test, Path(place))


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--kenlm", type=Path, help="the folder of lmplz")
    return found


def cpu_seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU seconds of the fastest of some runs; one before them compiles."""
    work()
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def learning(
    report: Report, train: list[str], test: list[str], programs: Path | None, place: Path
) -> dict[str, NgramModel]:
    """The table of programs that learn; the models."""
    report.section(
        "Learning",
        f"Nine tenths of Brown, {SWEEPS} sweeps, words that occur four times; a slot is a word in a context. "
        "chain bytes: of the arrays of a chain, without samples; saved: of the model's folder, with ten. "
        "Perplexity of the other tenth, ends of sentences included, with and without unknown words, which "
        "count as one word.",
        LEARNING,
    )
    analysis = analysis_of_all_words(Analysis(sentences="line"), "spaced")
    corpus = Corpus.from_texts(train, analysis=analysis, rule=VocabularyRule(1, 1.0))
    learned: dict[str, NgramModel] = {}
    for name, order in (("trigrams", 3), ("unbounded", "unbounded")):
        model = NgramModel(order, max_iter=SWEEPS, random_state=0)
        start = time.process_time()
        model.fit(corpus)
        row: Row = {"program": name, "CPU s": time.process_time() - start, **chain_row(model, corpus)}
        model.save(place / name)
        saved = sum(file.stat().st_size for file in (place / name).rglob("*") if file.is_file())
        row["saved bytes/slot"] = saved / len(model.learned_.model.contexts.slot_keys)
        text = text_of(model, test)
        nats = model.learned_.model.log_probabilities(text.words, text.starts)
        report.row({**row, **perplexities(nats, known_words(model, text))})
        learned[name] = model
    report.row(kneser_ney_row(learned["trigrams"], train, test, programs, place))
    return learned


def chain_row(model: NgramModel, corpus: Corpus) -> Row:
    """A new chain's size and the time of its fastest sweep."""
    chain: Any = NGRAMS.new_run(model.settings, corpus, 1)[1].chains.samplers[0]
    tokens = float(chain.score().tokens)
    numbers = iter(range(2 * SWEEPS))
    seconds = cpu_seconds(lambda: chain.sweep(next(numbers), 1), SWEEPS // 2)
    held = (*chain._layout, *chain._seating, *chain._stops, chain._events.own)
    n_bytes = sum(array.nbytes for array in held if isinstance(array, np.ndarray))
    n_slots = len(chain._layout.parents)
    return {
        "words": len(model.words_),
        "contexts": len(chain._layout.depths),
        "slots": n_slots,
        "CPU s/sweep": seconds,
        "tokens/s": tokens / seconds,
        "chain bytes/slot": n_bytes / n_slots,
    }


def text_of(model: NgramModel, texts: list[str]) -> Text:
    """Sentences by the numbers of a model's words."""
    lines = [line for text in texts for line in text.split("\n") if line.split()]
    starts = np.cumsum([0, *(len(line.split()) for line in lines)])[:-1]
    return Text(lines, numbers_of(model, lines), starts)


def numbers_of(model: NgramModel, lines: list[str]) -> NDArray[np.int64]:
    numbers = {word: number for number, word in enumerate(model.words_)}
    unknown = model.learned_.numbers.unknown
    return np.array([numbers.get(word, unknown) for line in lines for word in line.split()])


def known_words(model: NgramModel, text: Text) -> NDArray[np.bool_]:
    """Which words and ends of sentences are not the unknown one."""
    return with_ends(text.words, text.starts, model.learned_.numbers.end)[0] != model.learned_.numbers.unknown


def perplexities(nats: NDArray[np.float64], known: NDArray[np.bool_]) -> Row:
    whole, part = np.exp(-nats.mean()), np.exp(-nats[known].mean())
    return {"perplexity": f"{whole:.1f}", "of known words": f"{part:.1f}"}


def kneser_ney_row(
    model: NgramModel, train: list[str], test: list[str], programs: Path | None, place: Path
) -> Row:
    """KenLM's estimate of the same trigrams of the same words: interpolated modified Kneser-Ney."""
    row: Row = {"program": "KenLM, Kneser-Ney"}
    kenlm = module_of_kenlm()
    if programs is None or kenlm is None:
        why = "--kenlm was not given" if kenlm else "not installed (pip install kenlm)"
        return {**row, "words": f"not measured: {why}"}
    known = set(model.words_)

    def marked(texts: list[str]) -> list[str]:
        sentences = text_of(model, texts).lines
        return [" ".join(word if word in known else RARE for word in line.split()) for line in sentences]

    source, arpa = place / "train.txt", place / "kneser-ney.arpa"
    source.write_text("\n".join(marked(train)) + "\n")
    command = [programs / "lmplz", "-o", "3", "-S", "1G", "-T", place, "--text", source, "--arpa", arpa]
    try:
        seconds = processes.cpu_seconds(command)
    except RuntimeError as error:
        return {**row, "words": f"did not run: {error}"}
    nats = kenlm_nats(kenlm.Model(str(arpa)), marked(test))
    return {**row, "CPU s": seconds, **perplexities(nats, known_words(model, text_of(model, test)))}


def module_of_kenlm() -> Any:
    """KenLM in Python, or None."""
    try:
        return importlib.import_module("kenlm")
    except ImportError:
        return None


def kenlm_nats(model: Any, lines: list[str]) -> NDArray[np.float64]:
    """log p of each word and end of a sentence."""
    return np.log(10.0) * np.array([found[0] for line in lines for found in model.full_scores(line)])


def predicting(report: Report, learned: dict[str, NgramModel], test: list[str], place: Path) -> None:
    """The tables of speed of prediction and of agreement with KenLM."""
    report.section(
        "Predicting",
        "The tenth of Brown. A prediction is p of one word by one sample; the model's p is their mean. "
        "places known: the places of words and contexts in the model; numbers known: words by number; "
        "KenLM takes only spellings. memory: what the first prediction adds to the model.",
        PREDICTING,
    )
    for name, model in learned.items():
        text = text_of(model, test)
        for part in (model.learned_.model, last_sample(model.learned_.model)):
            report.row({"program": name, **prediction_row(model, part, text)})
    model, text = learned["trigrams"], text_of(learned["trigrams"], test)
    kenlm, arpa = module_of_kenlm(), place / "trigrams.arpa"
    row: Row = {"program": "KenLM, our trigrams"}
    if kenlm is None:
        report.row({**row, "samples": "not installed (pip install kenlm)"})
        return
    write_arpa(model.learned_.model, model.learned_.base, arpa)
    reader = kenlm.Model(str(arpa))
    seconds = cpu_seconds(lambda: [reader.score(line) for line in text.lines])
    n_events = len(text.words) + len(text.lines)
    report.row({**row, "samples": 1, "spellings known M/s": n_events / seconds / 1e6})
    agreement(report, model, text, kenlm_nats(reader, text.lines))


def last_sample(model: LanguageModel) -> LanguageModel:
    """A model with only the last of its samples."""
    ends = None if model.ends is None else model.ends[-1:]
    names = "customers", "tables", "discounts", "concentrations"
    return replace(model, ends=ends, **{name: getattr(model, name)[-1:] for name in names})


def prediction_row(model: NgramModel, part: LanguageModel, text: Text) -> Row:
    """Predictions per CPU second of a model with some of its samples."""
    marked, positions = with_ends(text.words, text.starts, part.end)
    symbols, places = text_before(marked, positions, part.end)
    restaurants, slots = np.empty((2, len(places), part.longest + 1), np.int64)
    find_ways(symbols, places, part.trie, restaurants, slots)
    base, out = np.full(len(places), 1.0 / part.contexts.n_words), np.empty(len(places))
    predict = predict_words if part.ends is None else predict_unbounded

    def from_spellings() -> None:
        part.log_probabilities(numbers_of(model, text.lines), text.starts)

    ways: dict[str, Callable[[], object]] = {
        "places known M/s": lambda: predict(base, restaurants, slots, part.shares, out),
        "numbers known M/s": lambda: part.log_probabilities(text.words, text.starts),
        "spellings known M/s": from_spellings,
    }
    n_predictions = len(places) * len(part.discounts)
    added = (*part.shares, part.trie.restaurant_table, part.trie.slot_table)
    return {
        "samples": len(part.discounts),
        **{name: n_predictions / cpu_seconds(work) / 1e6 for name, work in ways.items()},
        "memory MB": sum(array.nbytes for array in added) / (1 << 20),
    }


def agreement(report: Report, model: NgramModel, text: Text, theirs: NDArray[np.float64]) -> None:
    """Whether KenLM computes from our file what our last sample predicts."""
    report.section(
        "Agreement",
        "KenLM reads our last sample of trigrams in the ARPA format; it keeps numbers in single precision.",
        AGREEING,
    )
    nats = last_sample(model.learned_.model).log_probabilities(text.words, text.starts)
    known = known_words(model, text)
    for name, chosen in (("all", np.ones(len(known), np.bool_)), ("known", known), ("unknown", ~known)):
        differ = np.abs(nats - theirs)[chosen].max() / np.log(10.0)
        report.row(
            {
                "words": name,
                "number": int(chosen.sum()),
                "perplexity of ours": f"{np.exp(-nats[chosen].mean()):.4f}",
                "of KenLM": f"{np.exp(-theirs[chosen].mean()):.4f}",
                "most that log10 p differs": f"{differ:.1e}",
            }
        )


if __name__ == "__main__":
    run("ngrams", "Language models", parser(), measure)
