"""Help of a command by headings: the options that most runs use, or with `--help all` every one."""

from collections.abc import Sequence

import click

FEW = 15  # options, up to which a command lists all of them, in one list
OWN = "Options"  # the heading of what has no other


class HeadedOption(click.Option):
    """An option of a command: under which heading `--help all` lists it, and whether `--help` does too.

    heading: an empty word for the options that the command itself has. common: shown in either case, as
    those without a heading are.
    """

    def __init__(
        self, declarations: Sequence[str], heading: str = "", common: bool = False, **settings: object
    ) -> None:
        super().__init__(declarations, **settings)  # pyright: ignore[reportArgumentType]
        self.heading = heading
        self.common = common or not heading


class HeadedCommand(click.Command):
    """A command whose `--help` lists the options that most runs use, if it has many; `--help all` all."""

    @classmethod
    def of(cls, command: click.Command, epilog: str) -> click.Command:
        """The same command with help of this form, which ends with `epilog`."""
        return cls(
            command.name,
            command.context_settings,
            command.callback,
            command.params,
            help=command.help,
            epilog=epilog,
            short_help=command.short_help,
            no_args_is_help=command.no_args_is_help,
            hidden=command.hidden,
            deprecated=command.deprecated,
        )

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option of help, which takes the word "all" if there is more to show."""
        plain = super().get_help_option(ctx)
        if plain is None or not self._is_long():
            return plain

        def shown(ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
            if value is not None and not ctx.resilient_parsing:
                ctx.meta[HeadedCommand.__name__] = value
                click.echo(ctx.get_help(), color=ctx.color)
                ctx.exit()

        return click.Option(
            self.get_help_option_names(ctx),
            is_flag=False,
            flag_value="common",
            type=click.Choice(["common", "all"]),
            metavar="[all]",
            is_eager=True,
            expose_value=False,
            callback=shown,
            help="Show these options, or all, and exit.",
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options under their headings, in the order of the first option of each."""
        everything = not self._is_long() or ctx.meta.get(HeadedCommand.__name__) == "all"
        rows: dict[str, list[tuple[str, str]]] = {OWN: []}
        left_out: dict[str, None] = {}
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            heading = getattr(option, "heading", "")
            if row is None:
                continue
            if everything or getattr(option, "common", True):
                under = heading if everything and self._is_long() else ""
                rows.setdefault(under or OWN, []).append(row)
            else:
                left_out[heading] = None
        for heading, own in rows.items():
            with formatter.section(heading):
                formatter.write_dl(own)
        if left_out:
            formatter.write_paragraph()
            *first, last = (f"{heading[0].lower()}{heading[1:]}" for heading in left_out)
            named = f"{', '.join(first)} and {last}" if first else last
            formatter.write_text(f"More options, on {named}: {ctx.command_path} --help all")

    def _is_long(self) -> bool:
        """Whether the command has more options than its short help shows."""
        shown = [one for one in self.params if isinstance(one, click.Option) and not one.hidden]
        return len(shown) > FEW and any(not getattr(one, "common", True) for one in shown)
