"""What a verb imports."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.running import SMALL

UNWANTED = {  # half a second or more each, and no verb needs them
    "sklearn",
    "scipy.stats",
    "scipy.optimize",
}
HEAVY = {"numba", "scipy", "pandas"}  # what is only read needs none (pandas: pyarrow looks for it at times)
CHILD = """
import sys
from stickbreaker.cli import main
main(sys.argv[1:], standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
LINES = {  # a command line, with {} for places, and what else it does not import
    "fit lda {data} --out {dir}/m": {"rich", "jinja2"},
    "resume {model}": {"rich", "jinja2"},
    "topics {model}": {*HEAVY, "rich", "jinja2"},
    "transform {model} {data} --out {dir}/t.csv": {"rich", "jinja2"},
    "evaluate {model} {data}": {"rich", "jinja2"},
    "report {model} --out {dir}/r.html": {*HEAVY, "rich"},
    "corpus build {data} --out {dir}/c": {"scipy.special"},
    "corpus info {corpus}": HEAVY,
}


@pytest.fixture(scope="module")
def places(cli, model, planted, tmp_path_factory) -> dict[str, Path]:
    corpus = tmp_path_factory.mktemp("corpus") / "corpus"
    cli("corpus", "build", planted, "--out", corpus)
    return {"model": model, "data": planted, "corpus": corpus}


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
def test_verbs_import_what_they_need(line, places, tmp_path):
    words = line.format(**places, dir=tmp_path).split()
    options = SMALL if words[0] == "fit" else ()
    told = subprocess.run(
        [sys.executable, "-c", CHILD, *words, *map(str, options)], capture_output=True, text=True, check=True
    )
    imported = set(told.stderr.splitlines()[-1].split())
    assert "stickbreaker.cli" in imported
    assert not imported & (UNWANTED | LINES[line])
