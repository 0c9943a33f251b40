"""litebridge check-device: runs the conformance kit on a device."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lite.tools.conformance.check_device import check_device as run_check
from lite.tools.conformance.findings import SECTIONS, Conformance
from lite.tools.conformance.page import conformance_page
from lite.tools.options.output import ANSWER_IS_NO, debug_option, write_file
from lite.tools.terminal import counting, print_table, print_text

MOST_SHOWN = 30
"""The largest number of wrong findings that are printed; the files contain all."""

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("check-device", short_help="Run the conformance kit on a device.")
@click.argument("name")
@click.option("--json", "json_file", type=_FILE, metavar="FILE", help="Write all findings as JSON.")
@click.option("--html", "html_file", type=_FILE, metavar="FILE", help="Write all findings as a page.")
@click.option(
    "--op", "ops", multiple=True, metavar="OP", help="Run only the cases of this op; can be repeated."
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    type=click.Choice(SECTIONS),
    help="Run only this section; can be repeated.",
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
    """Run the conformance kit on the device NAME, or NAME{key=value} with options.

    \b
    Examples:
      litebridge check-device sim_npu --op relu --op conv2d
      litebridge check-device sim_npu --section cache --html conformance.html

    \b
    Sections:
      device     version, limits and bridges
      ops        each op case as a model: with inputs, with weights, with open
                 sizes, and with only its first output
      partition  graphs of which the device runs a part
      runs       inputs, results and clones
      shapes     inputs of several sizes
      cache      compiled models: loaded here and in another process, damaged
      threads    clones in several threads
      faults     the device fails at each point: the host computes the result,
                 or litebridge raises an error

    Each finding is passed (the result equals the host's within the tolerance of the device's precision, by
    default 1e-3 of its largest value, and integers are equal), declined (the device gives a reason) or
    wrong.  The score is the share of passed findings among those that are not declined.  Each section runs
    in a process of its own, which the device may end: that check is wrong, and the rest goes on.  The files
    are written after each section.  The exit status is 3 if a finding is wrong, or if none passed.
    """

    def write(conformance: Conformance) -> None:
        if json_file is not None:
            write_file(json_file, json.dumps(conformance.to_dict(), indent=2) + "\n")
        if html_file is not None:
            write_file(html_file, conformance_page(conformance))

    with counting(f"checking {name}") as show:
        conformance = run_check(name, ops, sections, show, in_children=True, so_far=write)
    _print(conformance)
    for path in (json_file, html_file):
        if path is not None:
            click.echo(f"wrote {path}")
    if not conformance.ok:
        ctx.exit(ANSWER_IS_NO)


def _print(conformance: Conformance) -> None:
    supported = [tally for tally in conformance.ops() if tally.passed or tally.wrong]
    columns = ("passed", "declined", "wrong")
    if supported:
        rows = [(t.name, t.passed, t.declined, t.wrong, t.detail) for t in supported]
        print_table(("op", *columns, "most frequent reason"), rows)
        click.echo()
    rows = [
        (t.name, t.passed, t.declined, t.wrong, "-" if t.score is None else f"{100 * t.score:.4g} %")
        for t in conformance.sections()
    ]
    print_table(("section", *columns, "score"), rows)
    if conformance.wrong:
        click.echo()
        wrong = [(f.section, f.name, f.form or None, f.detail) for f in conformance.wrong]
        print_table(("section", "wrong", "form", "detail"), wrong[:MOST_SHOWN])
        if len(wrong) > MOST_SHOWN:
            click.echo(f"and {len(wrong) - MOST_SHOWN} more, which --json writes to a file")
    click.echo()
    print_text(conformance.sentence())
