"""Help of commands with many options: those that most runs use first, all by heading on request."""

import click
import pytest
from click.testing import CliRunner

from stickbreaker.console.console import option
from stickbreaker.console.headings import FEW, HeadedCommand

LONG = ("fit lda", "fit hdp", "fit grammar", "fit ngram", "corpus build", "transform", "evaluate")
MOST = 25  # options, and so the lines of a screen, that the short help has


def options_in(text: str) -> list[str]:
    lines = [line.split() for line in text.splitlines() if line.startswith("  -")]
    return [next(word for word in line if word.startswith("--")).partition("/")[0] for line in lines]


@pytest.mark.parametrize("verb", LONG)
def test_short_help_is_a_part_of_the_whole(cli, verb):
    short, whole = (cli(*verb.split(), "--help", *more).stdout for more in ([], ["all"]))
    assert len(options_in(short)) < MOST
    assert len(options_in(whole)) > FEW
    assert [name for name in options_in(whole) if name in options_in(short)] != []
    assert set(options_in(short)) < set(options_in(whole))
    assert f"stickbreaker {verb} --help all" in " ".join(short.split()).replace("main", "stickbreaker")
    assert "--help all" not in whole
    assert "\nDocuments:\n" in whole
    assert "\nDocuments:\n" not in short


def test_every_option_is_listed_once(cli):
    whole = options_in(cli("fit", "lda", "--help", "all").stdout)
    assert len(whole) == len(set(whole)) > 70


def command_of(number: int) -> click.Command:
    """A command with one common option and `number` others, under a heading."""

    def called(**_: object) -> None:
        pass

    for name in [f"--rare{place}" for place in range(number)]:
        called = option(name, heading="Rare")(called)
    called = option("--often", heading="Rare", common=True)(option("--own")(called))
    return HeadedCommand.of(click.command("try")(called), "The end.")


def test_a_command_with_few_options_shows_all():
    told = CliRunner().invoke(command_of(FEW - 2), ["--help"]).output
    assert len(options_in(told)) == FEW + 1
    assert "Rare:" not in told
    assert "More options" not in told


def test_headings_follow_the_order_of_options():
    one = command_of(FEW)
    short, whole = (CliRunner().invoke(one, ["--help", *more]).output for more in ([], ["all"]))
    assert options_in(short) == ["--often", "--own", "--help"]
    assert "More options, on rare: try --help all" in short
    assert whole.index("Options:") < whole.index("--own") < whole.index("Rare:") < whole.index("--often")
    assert len(options_in(whole)) == FEW + 3
    assert "The end." in short
    assert CliRunner().invoke(one, ["--help", "some"]).exit_code == 2
