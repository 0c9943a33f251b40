"""litebridge passes: which passes there are, and in which order they run."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import click

from lite.errors import ConfigError, suggest
from lite.passes.aliases import ALIASES, is_unneeded, known_names, resolve
from lite.passes.base import Pass
from lite.passes.pipelines import HEAD, TAIL, default_pipeline
from lite.passes.registry import find_pass, pass_names
from lite.spec.grammar import parse_spec
from lite.tools.parameters import debug_option, json_option
from lite.tools.terminal import print_facts, print_json, print_table


@dataclass(frozen=True)
class OptionRow:
    """An option of a pass; `default` is Python's text of it, None where it must be given."""

    name: str
    type: str
    default: str | None


@dataclass(frozen=True)
class PassRow:
    """One pass; `positions` are its places in the default list, counted from 0."""

    name: str
    summary: str
    doc: str
    mandatory: bool
    positions: Sequence[int]
    after: Sequence[str]
    targets: Sequence[str]
    whole_program: bool
    options: Sequence[OptionRow]
    aliases: Sequence[str]


@click.command(short_help="List the passes in order, or tell all about one.")
@click.argument("name", required=False)
@json_option
@debug_option
def passes(name: str | None, as_json: bool) -> None:
    """List the passes and the order in which they run, or tell all about one.

    \b
    Examples:
      litebridge passes
      litebridge passes fc_fuse_pass
      litebridge passes lite_conv_bn_fuse_pass --json

    The first table is the default list in order.  A list of your own (-p of the other commands,
    Config(passes=[...])) replaces the optional ones; mandatory ones that it lacks are added.  The
    second table has every pass with its options, which are written as name{key=value}, and the
    passes that must not come later in a list that has them.

    Names of Paddle-Lite work, too: aliases stand with the pass that does the same; those that
    nothing needs here are skipped with a message.
    """
    if name is not None:
        row = pass_row(_find(name))
        if as_json:
            print_json(row)
        else:
            _print_one(row)
        return
    rows = [pass_row(_find(known)) for known in pass_names()]
    if as_json:
        print_json({"default": default_pipeline(), "mandatory": [*HEAD, *TAIL], "passes": rows})
    else:
        _print_all(rows)


def pass_row(cls: type[Pass]) -> PassRow:
    """What a pass says of itself."""
    doc = inspect.getdoc(cls) or ""
    return PassRow(
        cls.name,
        " ".join(doc.partition("\n\n")[0].split()).rstrip(":"),
        doc,
        cls.name in (*HEAD, *TAIL),
        [n for n, spec in enumerate(default_pipeline()) if parse_spec(spec).name == cls.name],
        cls.after,
        cls.targets,
        cls.whole_program,
        [_option_row(field) for field in dataclasses.fields(cls)],
        sorted(alias for alias, ours in ALIASES.items() if ours == cls.name),
    )


def _find(name: str) -> type[Pass]:
    cls = find_pass(resolve(name))
    if cls is not None:
        return cls
    if is_unneeded(name):
        raise ConfigError(
            f"{name} is a pass of Paddle-Lite that nothing here needs; lists may name it, it is skipped"
        )
    raise ConfigError(f"no pass is called {name!r}{suggest(name, known_names())}")


def _option_row(field: dataclasses.Field[object]) -> OptionRow:
    has_default = field.default is not dataclasses.MISSING
    return OptionRow(field.name, str(field.type), repr(field.default) if has_default else None)


def _print_all(rows: Sequence[PassRow]) -> None:
    order = [
        (number, name, "mandatory" if name in (*HEAD, *TAIL) else "optional")
        for number, name in enumerate(parse_spec(spec).name for spec in default_pipeline())
    ]
    print_table(("number", "pass", "kind"), order, "default list")
    print_table(
        ("pass", "default", "what it does", "options", "comes after", "aliases"),
        [
            (
                row.name,
                "yes" if row.positions else "no",
                row.summary,
                " ".join(_option_text(option) for option in row.options),
                " ".join(row.after),
                " ".join(row.aliases),
            )
            for row in rows
        ],
        "\nall passes",
    )


def _option_text(option: OptionRow) -> str:
    return f"{option.name}: {option.type}" + ("" if option.default is None else f"={option.default}")


def _print_one(row: PassRow) -> None:
    print_facts(
        {
            "pass": row.name,
            "in the default list": row.positions or "no",
            "mandatory": row.mandatory,
            "comes after": row.after or None,
            "only for targets": row.targets or None,
            "runs on": "the main graph, once" if row.whole_program else "every block, inner ones first",
            "aliases": row.aliases or None,
        }
    )
    options = [(each.name, each.type, each.default or "must be given") for each in row.options]
    print_table(("option", "type", "default"), options, "\noptions")
    click.echo(f"\n{row.doc}")
