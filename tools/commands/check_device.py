"""litebridge check-device: does a device keep to what it promises?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from lite.tools.conformance.check_device import check_device as run_check
from lite.tools.conformance.findings import SECTIONS, Conformance
from lite.tools.conformance_page import conformance_page
from lite.tools.parameters import debug_option
from lite.tools.terminal import counting, print_table

DOES_NOT_CONFORM = 3
"""Exit status when something is wrong."""

MOST_SHOWN = 30
"""Lines of what is wrong; the files have all."""

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("check-device", short_help="Run the conformance kit on a device.")
@click.argument("name")
@click.option("--json", "json_file", type=_FILE, metavar="FILE", help="Write every finding.")
@click.option("--html", "html_file", type=_FILE, metavar="FILE", help="Write a page.")
@click.option("--op", "ops", multiple=True, metavar="OP", help="Only the cases of this op; may be repeated.")
@click.option(
    "--section",
    "sections",
    multiple=True,
    type=click.Choice(SECTIONS),
    help="Only this part of the kit; may be repeated.",
)
@debug_option
@click.pass_context
def check_device(
    ctx: click.Context,
    name: str,
    json_file: Path | None,
    html_file: Path | None,
    ops: tuple[str, ...],
    sections: tuple[str, ...],
) -> None:
    """Put the conformance kit to the device NAME, which may have options behind it, as in NAME{key=value}.

    \b
    Examples:
      litebridge check-device sim_npu --op relu --op conv2d
      litebridge check-device sim_npu --section cache --section faults --html conformance.html

    \b
    Sections:
      device     what it says of itself
      ops        every op case, as a model of its own: with inputs fed, with weights, with open sizes
      partition  graphs of which it takes a part
      runs       inputs, results and clones
      shapes     inputs of several sizes
      cache      kept models: loaded here and in another process, damaged
      threads    clones in several threads
      faults     made to fail at each point: the host answers, or an error is raised

    Each answer is right (the host's numbers, to 1e-3 of the largest; integers equal), declined with a
    sentence, or wrong.  The score is the share of right ones among those not declined.  The exit status
    is 3 when something is wrong, or nothing was taken.
    """
    with counting(f"checking {name}") as show:
        found = run_check(name, ops, sections, show)
    if json_file is not None:
        json_file.write_text(json.dumps(found.to_dict(), indent=2) + "\n", encoding="utf-8")
    if html_file is not None:
        html_file.write_text(conformance_page(found), encoding="utf-8")
    _print(found)
    for path in (json_file, html_file):
        if path is not None:
            click.echo(f"wrote {path}")
    if not found.ok:
        ctx.exit(DOES_NOT_CONFORM)


def _print(found: Conformance) -> None:
    taken = [tally for tally in found.ops() if tally.passed or tally.wrong]
    columns = ("passed", "declined", "wrong")
    if taken:
        rows = [(t.name, t.passed, t.declined, t.wrong, t.detail) for t in taken]
        print_table(("op", *columns, "most frequent reason"), rows)
        click.echo()
    rows = [
        (t.name, t.passed, t.declined, t.wrong, "-" if t.score is None else f"{100 * t.score:.4g} %")
        for t in found.sections()
    ]
    print_table(("section", *columns, "score"), rows)
    if found.wrong:
        click.echo()
        shown = [(f.section, f.name, f.form or None, f.detail) for f in found.wrong]
        print_table(("section", "wrong", "form", "what"), shown[:MOST_SHOWN])
        if len(shown) > MOST_SHOWN:
            click.echo(f"and {len(shown) - MOST_SHOWN} more: see --json")
    click.echo(f"\n{found.sentence()}")
