"""-p, the list of passes that a command runs, and the names in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import click

from lite.errors import ConfigError, suggest
from lite.passes.aliases import resolve
from lite.passes.pipelines import complete, default_pipeline
from lite.spec.grammar import parse_spec, split_specs
from lite.tools.options.values import F


def passes_option(command: F) -> F:
    """-p or --passes, as `passes`: a list of specs, or None."""
    return click.option(
        "-p",
        "--passes",
        metavar="LIST",
        callback=_read_passes,
        help="Run these passes instead of the default ones, such as 'name,name{key=value}'.  Mandatory "
        "passes are added.  `litebridge passes` lists all passes.",
    )(command)


def full_list(passes: Sequence[str] | None) -> list[str]:
    """The user's list with the mandatory passes added, or the default list."""
    return default_pipeline() if passes is None else complete(passes)


def pass_name(spec: str) -> str:
    """litebridge's name of the pass in a spec."""
    return resolve(parse_spec(spec).name)


def check_listed(names: Collection[str], specs: Sequence[str]) -> list[str]:
    """litebridge's names of the passes `names`; raises `ConfigError` if `specs` lacks one of them."""
    listed = [pass_name(spec) for spec in specs]
    for name in names:
        if resolve(name) not in listed:
            raise ConfigError(
                f"no pass {name!r} is in the list{suggest(name, listed)}; litebridge opt MODEL --show-passes "
                "shows the list"
            )
    return [resolve(name) for name in names]


def _read_passes(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else split_specs(value)
