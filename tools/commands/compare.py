"""litebridge compare: where two models, or two ways to run one, part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lite.errors import InputError
from lite.ir.types import Array
from lite.session.predictor import Predictor, create_predictor
from lite.spec.grammar import split_specs
from lite.tools.commands.run import DIFFERS, TOLERANCE
from lite.tools.differences import Differences, Recording, ValueDifference
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_config
from lite.tools.places import read_places
from lite.tools.reference import Comparison
from lite.tools.reference import compare as compare_arrays
from lite.tools.terminal import print_json, print_table

SIDES = ("a", "b")


@dataclass(frozen=True)
class Findings:
    """What came out: the outputs, the values between, and the first of those that differs."""

    outputs: Sequence[Comparison]
    differences: Differences

    def sentence(self) -> str:
        """Where the two part."""
        first = self.differences.first
        if first is None:
            return f"values that both have: {len(self.differences.matched)}, none of which differs"
        op = first.op_b if first.op_a == first.op_b else f"{first.op_a} in A, {first.op_b} in B"
        error = "" if first.error is None else f", relative error {first.error:.3g}"
        return f"the first value that differs is {first.title}, written by {op}: {first.problem}{error}"


def _option_pair(
    name: str, reader: Callable[[str], object], metavar: str, help_text: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def read(_: click.Context, __: click.Parameter, value: str | None) -> object:
        return None if value is None else reader(value)

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for side in reversed(SIDES):
            text = help_text if side == "a" else "The same for B."
            option = click.option(f"--{name}-{side}", metavar=metavar, callback=read, help=text)
            command = option(command)
        return command

    return add


@click.command(short_help="Find the op from which two runs differ.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@_option_pair("params", Path, "FILE", "Parameters of A, where they are not beside the model file.")
@_option_pair("passes", split_specs, "LIST", "Passes for A instead of the default ones; '' is none.")
@_option_pair("places", read_places, "LIST", "Targets for kernels of A: target[/dtype[/layout]],…")
@_option_pair("precision", str, "TEXT", "Precision of A: default or strict.")
@_option_pair("devices", split_specs, "LIST", "Devices of A; values are compared at the ends of regions.")
@feed_options
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=TOLERANCE,
    show_default=True,
    help="Largest max|a-b| / max|a| of floats; integers must be equal.",
)
@json_option
@debug_option
def compare(
    a: Path,
    b: Path | None,
    feed: FeedOptions,
    tolerance: float,
    as_json: bool,
    **settings: Any,
) -> None:
    """Run A and B (A once more, if not given) on the same inputs and compare value by value.

    \b
    Examples:
      litebridge compare model_dir --passes-b "" --shape x=2,4
      litebridge compare model_dir model_dir --input x=x.npy --tolerance 1e-5
      litebridge compare model_dir --precision-a strict --shape x=2,4 --json
      litebridge compare model_dir --passes-a "" --devices-b sim_npu --shape x=2,4

    A is the reference.  Values are matched by the name and version of their variable; those that only
    one side has (a fusion leaves out what is between its ops) are listed.  The last line names the
    first op, in the order of B, whose values differ by more than --tolerance.  The exit status is 3
    when an output differs.  Outputs and inputs of two models are matched by name or, where B has
    other names, by position.  All values of A are kept in memory meanwhile.
    """
    configs = [_side(settings, side, model) for side, model in zip(SIDES, (a, b or a), strict=True)]
    if b is None and configs[0] == configs[1]:
        raise click.UsageError("nothing to compare: name a second model, or say what differs, as --passes-b")
    sides = [create_predictor(model_config(**config)) for config in configs]
    found = find_differences(sides[0], sides[1], feed.arrays(sides[0]), feed.levels, tolerance)
    if as_json:
        differences = found.differences
        print_json(
            {
                "outputs": found.outputs,
                "values": differences.matched,
                "first": differences.first,
                "only_a": _names(differences.only_a),
                "only_b": _names(differences.only_b),
                "sentence": found.sentence(),
            }
        )
    else:
        _print(found)
    if any(output.problem for output in found.outputs):
        click.get_current_context().exit(DIFFERS)


def find_differences(
    a: Predictor,
    b: Predictor,
    feeds: Mapping[str, Array],
    lods: Mapping[str, Sequence[Sequence[int]]],
    tolerance: float,
) -> Findings:
    """Run both; raises `InputError` when B has other inputs or outputs, and not as many."""
    inputs = _paired("input", a.input_names, b.input_names)
    outputs = _paired("output", a.output_names, b.output_names)
    recording = Recording()
    expected = a.observe(recording.see, feeds, lods)
    differences = Differences(recording, tolerance)
    got = b.observe(
        differences.see,
        {inputs[name]: array for name, array in feeds.items()},
        {inputs[name]: lod for name, lod in lods.items()},
    )
    compared = [
        compare_arrays(name if name == other else f"{name} = {other}", got[other], expected[name], tolerance)
        for name, other in outputs.items()
    ]
    return Findings(compared, differences)


def _side(settings: Mapping[str, Any], side: str, model: Path) -> dict[str, Any]:
    given = {name: settings[f"{name}_{side}"] for name in ("params", "passes", "places", "precision")}
    config = {"model": model, "params": given["params"], "passes": given["passes"]}
    config["valid_places"] = given["places"]
    config["devices"] = settings[f"devices_{side}"] or ()
    return config if given["precision"] is None else {**config, "precision": given["precision"]}


def _paired(what: str, a: Sequence[str], b: Sequence[str]) -> dict[str, str]:
    """The name in B of each name of A."""
    if set(a) == set(b):
        return {name: name for name in a}
    if len(a) != len(b):
        raise InputError(
            f"A and B do not have the same {what}s: A has {', '.join(a)}; B has {', '.join(b)}; "
            "only models with as many can be compared"
        )
    return dict(zip(a, b, strict=True))


def _names(values: Sequence[ValueDifference]) -> list[dict[str, str]]:
    return [{"block": each.block, "name": each.name, "op": each.op_a or each.op_b} for each in values]


def _print(found: Findings) -> None:
    print_table(
        ("value", "op in A", "op in B", "relative error", "verdict"),
        [
            (each.title, each.op_a, each.op_b, each.error, each.problem or "equal")
            for each in found.differences.matched
        ],
        "values of both",
    )
    for title, values in (
        ("\nonly in A", found.differences.only_a),
        ("\nonly in B", found.differences.only_b),
    ):
        if values:
            print_table(("value", "op"), [(each.title, each.op_a or each.op_b) for each in values], title)
    print_table(
        ("output", "relative error", "verdict"),
        [(each.name, each.error, each.problem or "equal") for each in found.outputs],
        "\noutputs",
    )
    click.echo(f"\n{found.sentence()}")
