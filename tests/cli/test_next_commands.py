"""The command that a run names at its end can be given as it stands."""

import shlex

import pytest


@pytest.mark.parametrize("name", ["my  model", "it's", "-m"])
@pytest.mark.parametrize("kind", [("lda", "--topics", 2), ("ngram", "--order", 2)])
def test_the_next_command_is_one(cli, tmp_path, monkeypatch, name, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text(
        "a river bank\nbank money loan\nmoney river boat\n" * 4, encoding="utf-8"
    )
    done = cli("fit", *kind, "texts.txt", f"--out={name}", "--iterations", 2)
    line = next(line for line in done.stdout.splitlines() if line.startswith("Next: "))
    program, *words = shlex.split(line.removeprefix("Next: "))
    assert program == "stickbreaker"
    assert cli(*words).stdout
    refused = cli("fit", "lda", f"./{name}", "--out", "other", code=1).stderr
    words = shlex.split(refused.split("to continue its run: ")[1].split("; for new documents")[0])
    assert "finished already" in cli(*words[1:]).stdout
