"""The program and scripts of Python in children of a server that has their imports behind it.

What they print, their exit status and their folder are as in a process of its own; they only start quicker.
What is about the start itself (imports, signals, compilation) needs the installed program. Windows has no
such servers: there they are processes of their own.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import CompletedProcess

from audit import programs

from tests.running import PROGRAM

SERVER = "forkserver" in multiprocessing.get_all_start_methods()
if SERVER:
    context = programs.context()
    context.set_forkserver_preload(["tests.warm"])
else:
    context = multiprocessing.get_context()


def run_program(words: list[str], folder: Path) -> "CompletedProcess[str]":
    """`stickbreaker` with these words, in a folder."""
    if not SERVER:
        return _run([str(PROGRAM), *words], folder)
    done = programs.run(words, folder, limit=600.0)
    return CompletedProcess(words, -9 if done.code is None else done.code, done.out, done.err)


def run_script(source: str | Path, folder: Path) -> "CompletedProcess[str]":
    """A file of Python, or Python as text, run in a folder, which also is its place for temporary files."""
    with tempfile.TemporaryDirectory() as outside:
        script = source if isinstance(source, Path) else Path(outside, "script.py")
        if isinstance(source, str):
            script.write_text(source, encoding="utf-8")
        if not SERVER:
            return _run([sys.executable, str(script)], folder)
        printed = [Path(outside, name) for name in ("out", "err")]
        child = programs.context().Process(
            target=_script, args=(str(script), str(folder), *map(str, printed))
        )
        child.start()
        child.join()
        out, err = (file.read_text(encoding="utf-8") for file in printed)
        return CompletedProcess([str(script)], child.exitcode or 0, out, err)


def _run(command: list[str], folder: Path) -> "CompletedProcess[str]":
    """In a process of its own."""
    variables = {**os.environ, "TMP": str(folder), "TEMP": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, encoding="utf-8", check=False
    )


def _script(script: str, folder: str, out: str, err: str) -> None:
    """In the child."""
    for number, name in ((1, out), (2, err)):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = None
    sys.argv = [script]
    runpy.run_path(script, run_name="__main__")
