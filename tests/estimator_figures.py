"""Figures of how estimators are built: `python -m tests.estimator_figures [FOLDER]` prints them.

FOLDER: of a package's source, this one's by default. For each public class, the classes of ours above it, and
their private methods and attributes; private names that other modules use; imports inside functions; and the
frames of a run of `fit` from the command to `advance`, the step of learning.
"""

import ast
import inspect
import sys
import tempfile
from collections import Counter
from pathlib import Path

import stickbreaker
from stickbreaker.estimators.kinds import kinds
from tests.running import planted_documents, write_trees
from tests.test_privacy import is_private, private_names, uses

ROOT = Path(stickbreaker.__file__).parent
PUBLIC = {"_asdict", "_fields", "_replace"}  # of named tuples, in spite of the name


def classes_above(kind: type) -> list[type]:
    """The classes of this package that a class inherits from."""
    return [one for one in kind.__mro__[1:] if one.__module__.startswith("stickbreaker")]


def trees_in(root: Path) -> dict[str, ast.AST]:
    """The modules in a folder, parsed, by path."""
    return {str(path.relative_to(root)): ast.parse(path.read_text("utf-8")) for path in root.rglob("*.py")}


def private_uses(trees: dict[str, ast.AST]) -> Counter[str]:
    """Private names that a module uses without defining them, with the number of such modules."""
    own = {name: private_names(tree) for name, tree in trees.items()}
    ours = set().union(*own.values()) - PUBLIC
    return Counter(name for file, tree in trees.items() for name in uses(tree) if name in ours - own[file])


def deferred_imports(trees: dict[str, ast.AST]) -> int:
    """The number of imports inside functions."""
    return sum(
        isinstance(inner, ast.Import | ast.ImportFrom)
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    )


def frames_to_a_step(*command: str) -> int:
    """The frames of ours between the function of a command and the step of learning that it reaches first."""
    from click.testing import CliRunner

    from stickbreaker.cli import main
    from stickbreaker.learning import sampling, variational

    seen: list[int] = []

    def count() -> None:
        names = [one.frame.f_globals["__name__"] for one in inspect.stack()[2:]]
        ours = [name for name in names if name.startswith("stickbreaker")]
        seen.append(len(ours))

    before = variational.advance, sampling._sweep
    variational.advance = lambda *given, **more: (count(), before[0](*given, **more))[1]
    sampling._sweep = lambda *given, **more: (count(), before[1](*given, **more))[1]
    try:
        done = CliRunner().invoke(main, list(command))
    finally:
        variational.advance, sampling._sweep = before
    if not seen:
        raise SystemExit(f"{' '.join(command)} reached no step: {done.output}")
    return seen[0]


def main(words: list[str]) -> None:
    """Print the figures."""
    for kind in kinds().values():
        public = kind.public()
        above = classes_above(public)
        names = {name for one in (public, *above) for name in vars(one) if not name.startswith("__")}
        print(
            f"{public.__name__}: {len(above)} classes of ours above it, {len(names)} names in these, "
            f"{len(set(filter(is_private, names)))} of them private"
        )
    trees = trees_in(Path(words[0]) if words else ROOT)
    private = private_uses(trees)
    print(f"private names used by other modules: {len(private)}, {private.total()} times")
    print(f"imports inside functions: {deferred_imports(trees)}")
    with tempfile.TemporaryDirectory() as place:
        write_trees(Path(place, "parsed.conllu"))
        Path(place, "texts.txt").write_text("\n".join(one["text"] for one in planted_documents(30)))
        for name, source, *options in (
            ("lda", "texts.txt", "--topics", "3", "--iterations", "1"),
            ("syntax", "parsed.conllu", "--topics", "3", "--iterations", "2", "--inference", "mean-field"),
        ):
            asked = ("fit", name, f"{place}/{source}", "--out", f"{place}/{name}", "--seed", "1", *options)
            print(f"frames of ours from the command to a step, fit {name}: {frames_to_a_step(*asked)}")


if __name__ == "__main__":
    main(sys.argv[1:])
