"""litebridge diff: compares two artifacts."""

from __future__ import annotations

from pathlib import Path

import click

from lite.tools.analysis.artifact_info import artifact_info, differences
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.terminal import print_json, print_table


@click.command(short_help="Compare two artifacts.")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@json_option
@debug_option
def diff(first: Path, second: Path, as_json: bool) -> None:
    """Show in which parts two artifacts (.lbm) differ.

    \b
    Examples:
      litebridge diff old.lbm new.lbm
      litebridge diff old.lbm new.lbm --json

    Compares versions, inputs, settings, ops, regions with the keys of their device models, and the checksums
    of all members.  The exit status is 3 if anything differs.
    """
    rows = differences(artifact_info(first), artifact_info(second))
    if as_json:
        print_json({"differences": [{"name": name, "first": one, "second": two} for name, one, two in rows]})
    elif rows:
        print_table(("fact", first.name, second.name), rows)
    else:
        click.echo("no difference")
    if rows:
        click.get_current_context().exit(ANSWER_IS_NO)
