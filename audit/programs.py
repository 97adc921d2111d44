"""Runs the program in children of a server that has its imports behind it: a try costs little."""

import ctypes
import multiprocessing
import multiprocessing.process
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audit.results import Done

MEMORY = 12 << 30  # bytes of address space that a command may take beyond what the server has
LIMIT = 40.0  # seconds until a command is looked at: does it compute?
IDLE = 10.0  # seconds without computing, after which it hangs
LONG = 10.0  # times the limit: seconds of computing after which it hangs, too, and at most of waiting
BEGUN = ".begun"  # the ending of a file that is there once the command begins
always: list[tuple[Any, ...]] = []  # functions that every child calls first, with their arguments
_context: Any = None
_starting = threading.Lock()


def context() -> Any:
    """The way children are started."""
    global _context
    if _context is None:
        _context = multiprocessing.get_context("forkserver")
        _context.set_forkserver_preload(["audit.warm"])
    return _context


def _become(path: str, flags: int, descriptor: int) -> None:
    opened = os.open(path, flags, 0o644)
    os.dup2(opened, descriptor)
    os.close(opened)


def _command(words: Sequence[str], place: str, streams: tuple[str, str, str], before: list[Any]) -> None:
    """In the child: be the program."""
    import resource  # not on Windows

    os.setpgid(0, 0)
    os.chdir(place)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: end with the server
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _become(streams[0], os.O_RDONLY, 0)
    for descriptor in (1, 2):
        _become(streams[descriptor], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, descriptor)
    sys.stdin = os.fdopen(0, closefd=False)  # the server gave its children none
    from stickbreaker.cli import main

    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a server in the background ignores
    for function, *arguments in before:
        function(*arguments)
    Path(streams[2]).with_suffix(BEGUN).touch()
    main(list(words), prog_name="stickbreaker")


class Program:
    """The program, started with some words in a folder; what it prints goes to files outside it."""

    def __init__(
        self,
        words: Sequence[object],
        place: Path,
        *,
        stdin: Path | None = None,
        stdout: str | None = None,
        before: tuple[Any, ...] | None = None,
        log: str = "command",
        logs: Path | None = None,
    ) -> None:
        self.words = tuple(str(word) for word in words)
        logs = logs or place.with_name(f"{place.name}.logs")
        logs.mkdir(exist_ok=True)
        self.streams = (
            str(stdin or os.devnull),
            stdout or str(logs / f"{log}.out"),
            str(logs / f"{log}.err"),
        )
        Path(self.streams[2]).with_suffix(BEGUN).unlink(missing_ok=True)
        calls = [*always, *([] if before is None else [before])]
        arguments = (self.words, str(place), self.streams, calls)
        self.process = context().Process(target=_command, args=arguments)
        with _starting:  # starting one asks how the others are, and would take their exit status from them
            self.process.start()
            multiprocessing.process._children.discard(self.process)

    def alive(self) -> bool:
        return self.process.is_alive()

    def begins(self) -> bool:
        """Whether the command has begun: imports are done, and its signals are its own."""
        return Path(self.streams[2]).with_suffix(BEGUN).exists()

    def kill(self, number: int | None = None) -> None:
        """Send a signal (default: SIGKILL) to the child and what it started."""
        number = signal.SIGKILL if number is None else number
        for send in (os.killpg, os.kill):
            try:
                send(self.process.pid, number)
            except (ProcessLookupError, PermissionError):
                continue

    def wait(self, limit: float = LIMIT, *, patient: bool = True) -> Done:
        """How it ended. After `limit` seconds it is killed if it waits for something; if it computes it
        gets more time if we are `patient`, since machines may be busy."""
        self.process.join(limit)
        slow = self.alive() and self._computes(limit, patient)
        code = self.process.exitcode
        if code is None:
            self.kill()
            self.process.join()
        out, err = (_text(Path(name)) for name in self.streams[1:])
        self.process.close()
        return Done(self.words, code, out, err, slow)

    def _computes(self, limit: float, patient: bool) -> bool:
        """Wait until a command ends, hangs, or has had time enough; whether it then is merely slow."""
        end = time.monotonic() + (LONG * limit if patient else 0.0)
        while True:
            before = computed(self.process.pid)
            self.process.join(IDLE)
            spent = computed(self.process.pid)
            if not self.alive() or spent - before < 0.02 * IDLE or spent > LONG * limit:
                return False
            if time.monotonic() > end:
                return True


def computed(group: int | None) -> float:
    """Seconds that the processes of a group have computed; 0 if the system does not say."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if group in (int(file.parent.name), int(fields[2])):  # a process that begins has no group yet
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""


def run(
    words: Sequence[object] | str,
    place: Path,
    *,
    limit: float = LIMIT,
    patient: bool = True,
    **options: Any,
) -> Done:
    """Run a command to its end. A text is split at spaces."""
    split = words.split() if isinstance(words, str) else words
    return Program(split, place, **options).wait(limit, patient=patient)
