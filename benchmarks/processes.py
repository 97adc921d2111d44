"""Work in processes of its own, so that the peak of memory is the program's and no run warms up another."""

import compileall
import importlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Result = dict[str, Any]

ROOT = Path(__file__).parents[1]
KEPT = {"PYTHONDONTWRITEBYTECODE": ""}  # compiled modules are kept, whatever the environment at hand says
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def last_line(printed: str) -> str:
    """The last line of a text, or an empty one."""
    return (printed.strip().splitlines() or [""])[-1]


def answer(
    function: Callable[..., Result],
    *arguments: Any,
    reason: Callable[[str], str] = last_line,
    variables: Mapping[str, str] | None = None,
) -> Result:
    """What a function returns, called in a process of its own, or {"error": why it failed}.

    Arguments and result travel as JSON. `reason`: finds the reason of a failure in the standard error.
    `variables` are added to the environment. BLAS runs on one thread, because its threads would add to those
    of n_jobs.
    """
    module = function.__module__
    if module == "__main__":
        module = sys.modules["__main__"].__spec__.name  # type: ignore[union-attr]
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.processes", module, function.__name__]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    fixed = {**ONE_THREAD, "PYTHONHASHSEED": "0", "PYTHONPATH": paths}
    environment = {**os.environ, **fixed, **(variables or {})}
    done = subprocess.run(
        [*command, json.dumps(arguments)], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode == 0:
        return json.loads(last_line(done.stdout))
    return {"error": reason(done.stderr) or f"exit status {done.returncode}"}


def children_seconds() -> float:
    """CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@cache
def compile_modules() -> None:
    """Compile the package's modules next to their sources, where Python looks for them; once per process."""
    compileall.compile_dir(ROOT / "src", quiet=1)


def cpu_seconds(command: Sequence[object], text: str | None = None, **variables: str) -> float:
    """CPU seconds of a command and its children. `text`: its standard input. `variables` are added to its
    environment. Raises RuntimeError with the last line of its errors if it fails.

    The package's modules are compiled beforehand, as an install does it.
    """
    compile_modules()
    before = children_seconds()
    words, environment = [str(word) for word in command], {**os.environ, **KEPT, **variables}
    done = subprocess.run(words, input=text, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]} failed: {last_line(done.stderr)[:100]}")
    return children_seconds() - before


def main() -> None:
    """Call a function by the name of its module and its own, and print its result."""
    module, name, arguments = sys.argv[1:]
    print(json.dumps(getattr(importlib.import_module(module), name)(*json.loads(arguments))))


if __name__ == "__main__":
    main()
