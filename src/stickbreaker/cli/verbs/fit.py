"""`stickbreaker fit`: a group with a command for each kind of model."""

import os.path

import click

from stickbreaker.console.suggestions import SuggestingGroup
from stickbreaker.core.option_names import command_line
from stickbreaker.estimators.kinds import kinds, object_at


class FitGroup(SuggestingGroup):
    """The group `fit`, whose commands come from the kinds of models and are imported on use.

    If a file is given in place of the kind, the error says that the kind is missing.
    """

    def places(self) -> dict[str, str]:
        """Where each command is, "module:command", by its name."""
        return {name: place for kind in kinds().values() for name, place in kind.fit.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.places())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self.places().get(cmd_name)
        return None if place is None else object_at(place)

    def unknown(self, ctx: click.Context, name: str) -> str:
        if not (os.path.exists(name) or any(mark in name for mark in "./*")):
            return super().unknown(ctx, name)
        *most, last = self.places()
        names = f"{', '.join(most)} or {last}"
        return (
            f"give the kind of model before {name!r}: {names}. For topics: "
            f"{command_line('fit lda', name, '--out MODEL')}"
        )


@click.group(cls=FitGroup, epilog="Example: stickbreaker fit lda news.jsonl --out model --topics 50")
def fit() -> None:
    """Learn a model from a corpus."""
