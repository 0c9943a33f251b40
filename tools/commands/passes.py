"""litebridge passes: lists the passes and their default order, or shows one."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence

import click

from lite.dataclass import dataclass
from lite.errors import ConfigError, suggest
from lite.passes.aliases import ALIASES, is_unneeded, known_names, resolve
from lite.passes.base import Pass
from lite.passes.pipelines import HEAD, TAIL, default_pipeline
from lite.passes.registry import find_pass, pass_names
from lite.spec.grammar import parse_spec
from lite.tools.options.output import debug_option, json_option
from lite.tools.terminal import print_facts, print_json, print_table


@dataclass(frozen=True)
class OptionRow:
    """An option of a pass; `default` is a Python expression, or None for a required option."""

    name: str
    type: str
    default: str | None


@dataclass(frozen=True)
class PassRow:
    """A pass; `positions` are its positions in the default list, from 0."""

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


@click.command(short_help="List the passes in their order, or show one.")
@click.argument("name", required=False)
@json_option
@debug_option
def passes(name: str | None, as_json: bool) -> None:
    """List the passes and the default order, or show the pass NAME.

    \b
    Examples:
      litebridge passes
      litebridge passes fc_fuse_pass
      litebridge passes lite_conv_bn_fuse_pass --json

    The first table is the default list in its order.  The option -p of other commands, or
    Config(passes=[...]), replaces the optional passes; missing mandatory passes are added.  The second
    table has all passes with their options, which a list contains as name{key=value}.  A pass must come
    after the passes in the column `comes after`, if the list contains them.

    Names of Paddle-Lite are accepted: the column `aliases` has the names of equivalent passes, and a pass
    that litebridge does not need is skipped with a message.
    """
    if name is not None:
        row = pass_row(_find(name))
        if as_json:
            print_json(row)
        else:
            _print_one(row)
        return
    rows = [pass_row(_find(each)) for each in pass_names()]
    if as_json:
        print_json({"default": default_pipeline(), "mandatory": [*HEAD, *TAIL], "passes": rows})
    else:
        _print_all(rows)


def pass_row(cls: type[Pass]) -> PassRow:
    """The description of a pass."""
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
        sorted(alias for alias, target in ALIASES.items() if target == cls.name),
    )


def _find(name: str) -> type[Pass]:
    cls = find_pass(resolve(name))
    if cls is not None:
        return cls
    if is_unneeded(name):
        raise ConfigError(
            f"{name} is a pass of Paddle-Lite that litebridge does not need; it is skipped in a list"
        )
    raise ConfigError(
        f"no pass is called {name!r}{suggest(name, known_names())}; litebridge passes lists them"
    )


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
    options = [(each.name, each.type, each.default or "required") for each in row.options]
    print_table(("option", "type", "default"), options, "\noptions")
    click.echo(f"\n{row.doc}")
