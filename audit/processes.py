"""Part `processes`: fitted estimators of every kind that are sent to other processes, and work there."""

import copy
import io
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audit.compare import product
from audit.materials import KINDS, LEXICONS, MODELS, documents_of, subject
from audit.parts import Part
from audit.programs import run
from audit.results import SAME, SILENT, Decision, refusal

DIFFERS = 3  # the status of a child that found a difference
WAYS = (
    "pickle",
    "cloudpickle",
    "joblib file",
    "deepcopy",
    "fork",
    "spawn",
    "forkserver",
    "loky",
    "grid search",
)


class Processes(Part):
    name = "processes"
    weight = 1.0
    sample = 8

    def kinds(self) -> tuple[str, ...]:
        whole = [kind for kind in KINDS if kind in MODELS or kind in LEXICONS]
        return tuple(
            f"{way} of {kind}" for way in WAYS for kind in whole if way != "grid search" or kind in MODELS
        )

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        way, _, material = kind.partition(" of ")
        self.materials.copy(material, place)
        given = documents_of(material) if material in MODELS else ""
        done = run(
            "--version", place, before=(work_elsewhere, way, subject(material), given, draw.randint(1, 3))
        )
        if done.code == DIFFERS:
            return Decision(SILENT, done.err.strip()[-300:])
        return Decision(SAME) if done.code == 0 else refusal(done)


def public_of(path: Path) -> Any:
    """The class of a saved model or lexicon that users import."""
    import stickbreaker
    from stickbreaker.estimators.kinds import Kind, kind_at

    saved = kind_at(path, "evaluate")
    return saved.public() if isinstance(saved, Kind) else getattr(stickbreaker, saved.name)


def documents_for(estimator: Any, given: str) -> Any:
    """The corpus that commands would read: a file and --text-field, or nothing, as in `documents_of`."""
    from stickbreaker.console.inputs import ReadingChoice, open_documents

    if not given:
        return None
    file, _, fields = given.partition(" --text-field ")
    return open_documents(estimator, (file,), ReadingChoice(text_field=fields or "text"))


def work_of(estimator: Any, file: str, given: str) -> tuple[str, str]:
    """What an estimator saves, and its score of documents, or the line that refuses them."""
    from stickbreaker import UserError

    estimator.save(Path(file))
    made = product(Path(file))
    shutil.rmtree(file)
    content = repr(sorted(made.items(), key=lambda pair: pair[0]))
    if not given:
        return content, ""
    try:
        return content, repr(estimator.score(documents_for(estimator, given)))
    except UserError as error:
        return content, str(error)


def learn_again(estimator: Any, given: str) -> str:
    """What another estimator with the same parameters learns, in two passes."""
    from sklearn.base import clone

    other = clone(estimator).set_params(max_iter=2)
    other.fit(documents_for(estimator, given))
    return repr(other.score(documents_for(estimator, given)))


def task(estimator: Any, folder: str, given: str, learns: bool) -> tuple[str, ...]:
    """What is done here and in another process, to compare them."""
    os.chdir(folder)
    learned = learn_again(estimator, given) if learns else ""
    return (*work_of(estimator, f"{os.getpid()}.saved", given), learned)


def put_into(connection: Any, *arguments: Any) -> None:
    """In another process: send back what `task` gives."""
    connection.send(task(*arguments))


def in_process(way: str) -> Callable[..., tuple[str, ...]]:
    """A function that does `task` in a process that is started in a way."""
    import multiprocessing

    def ask(*arguments: Any) -> tuple[str, ...]:
        context: Any = multiprocessing.get_context(way)
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=put_into, args=(sending, *arguments))
        process.start()
        sending.close()
        try:
            return receiving.recv()
        except EOFError:
            process.join()
            print(f"the process ended with {process.exitcode}", file=sys.stderr, flush=True)
            os._exit(DIFFERS)

    return ask


def in_loky(*arguments: Any) -> tuple[str, ...]:
    """Do `task` in processes of joblib; all give the same."""
    import joblib

    one, other = joblib.Parallel(n_jobs=2)(joblib.delayed(task)(*arguments) for _ in range(2))
    return one if one == other else ("processes differ",)


def copied(way: str, estimator: Any) -> Any:
    """An estimator as another program would have it from its bytes."""
    import pickle

    import cloudpickle
    import joblib

    if way == "deepcopy":
        return copy.deepcopy(estimator)
    if way == "joblib file":
        file = io.BytesIO()
        joblib.dump(estimator, file)
        file.seek(0)
        return joblib.load(file)
    return pickle.loads((cloudpickle if way == "cloudpickle" else pickle).dumps(estimator))


def search_grid(estimator: Any, given: str) -> list[str]:
    """The scores of a search over parameters, in this process and in two others."""
    import json

    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    file = given.split()[0]
    lines = Path(file.replace("held", "lines")).read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    found: list[str] = []
    for jobs in (1, 2):
        search = GridSearchCV(clone(estimator), {"max_iter": [1, 2]}, cv=2, n_jobs=jobs, error_score="raise")
        search.fit(texts)
        found.append(repr(search.cv_results_["mean_test_score"].tolist()))
    return found


def work_elsewhere(way: str, name: str, given: str, threads: int) -> None:
    """In the child: a saved model works here, and then elsewhere, and gives the same."""
    estimator = public_of(Path(name)).load(Path(name))
    learns = bool(given)
    if hasattr(estimator, "n_jobs"):
        estimator.set_params(n_jobs=threads)
    if way == "grid search":
        if not given.startswith("held.jsonl"):  # of trees and several languages no texts are split
            return
        here, there = search_grid(estimator, given)
        if here != there:
            print(f"{way}: {there[-100:]} for {here[-100:]}", file=sys.stderr, flush=True)
            os._exit(DIFFERS)
        return
    folder = os.getcwd()
    here = task(estimator, folder, given, learns)
    if way in ("fork", "spawn", "forkserver"):
        there = in_process(way)(estimator, folder, given, learns)
    elif way == "loky":
        there = in_loky(estimator, folder, given, learns)
    else:
        there = task(copied(way, estimator), folder, given, learns)
    if here != there:
        where = [number for number, (one, other) in enumerate(zip(here, there, strict=False)) if one != other]
        shown = "; ".join(f"{there[number][-100:]} for {here[number][-100:]}" for number in where)
        print(f"{way}: another result: {shown}", file=sys.stderr, flush=True)
        os._exit(DIFFERS)
