"""The files that `effect` and `over-time` write besides what they print: a table and a picture."""

from pathlib import Path
from typing import Any

import click

from stickbreaker.console.table_files import refuse_table, write_tables
from stickbreaker.core.files import refuse_file, write_atomic


def refuse_outputs(out: Path | None, picture: Path | None, *, overwrite: bool) -> None:
    """Before a command begins, refuse files that exist or have no known ending."""
    if out is not None:
        refuse_table(out, overwrite)
    if picture is not None:
        refuse_file(picture, overwrite)
        if picture.suffix != ".svg":
            raise click.UsageError("--picture needs a file that ends in .svg")


def write_outputs(found: Any, out: Path | None, picture: Path | None, *, overwrite: bool) -> None:
    """Write the table and the picture of a verb's result to the files that the user gave."""
    if out is not None:
        table = found.table()
        write_tables([table], table.schema, out, overwrite=overwrite)
    if picture is not None:
        write_atomic(picture, found.picture().encode(), overwrite=overwrite)
