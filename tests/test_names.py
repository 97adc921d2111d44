"""Names are the field's: words that had many meanings here stay away, and a file's name tells what is in it.

The rules and the glossary are in CONTRIBUTING.md.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "stickbreaker"
FILES = sorted(SOURCE.rglob("*.py"))
BANNED = {
    "told",
    "asked",
    "begun",
    "kept",
    "settle",
    "small",
    "ask",
    "verdict",
    "again",
    "arriving",
    "gathering",
}
SAME_THING = {  # files of one name, which are the same thing in several rooms
    *(
        "__init__.py",
        "corpus.py",
        "kind.py",
        "learned.py",
        "learner.py",
        "plan.py",
        "purposes.py",
        "settings.py",
        "stats_sum.py",
        "table_view.py",
    ),
    *("compare.py", "effect.py", "intruders.py", "make_concepts.py", "nearest.py", "over_time.py"),
    *("rescore.py", "score.py", "segment.py"),
    *("join_documents.py", "learn.py", "lexicon_export.py", "list_terms.py", "rerank.py"),
    *("run_system.py", "tune.py", "word.py"),
    *("dirichlet.py", "hdp.py", "left_to_right.py", "string_prior.py", "truncated_table.py"),
    *("franchise.py", "hybrid.py", "mean_field.py", "split_merge.py"),
    *("delayed_gibbs.py", "gibbs.py", "hdp_gibbs.py", "tree_gibbs.py"),
    "decoder.py",
    *("fit.py", "evaluate.py", "export.py", "topics.py", "sentence_scores.py", "report_documents.py"),
    *("documents.py", "learning.py", "sentences.py"),
}


def definitions(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every class, function and field that a file defines."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("test_"):
            yield node.lineno, node.name
        for field in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield field.lineno, field.target.id


@pytest.mark.ci
def test_names_are_made_of_words_with_one_meaning():
    wrong = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in FILES
        for line, name in definitions(path)
        if BANNED & set(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r" \1", name).lower()))
    ]
    assert wrong == []


def test_one_word_stays_away_altogether():
    assert [str(path) for path in FILES if re.search(r"\btold\b", path.read_text())] == []


def test_no_two_rooms_have_different_files_of_one_name():
    rooms = defaultdict(list)
    for path in FILES:
        rooms[path.name].append(str(path.parent.relative_to(SOURCE)))
    doubles = {name: where for name, where in rooms.items() if len(where) > 1}
    assert {name: where for name, where in doubles.items() if name not in SAME_THING} == {}
    assert SAME_THING - set(doubles) == set()


def test_the_glossary_has_its_words():
    glossary = (ROOT / "CONTRIBUTING.md").read_text().split("## Words")[1].split("\n## ")[0]
    assert len(re.findall(r"^\| \*\*", glossary, re.MULTILINE)) >= 40
