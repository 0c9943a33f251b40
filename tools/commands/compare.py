"""litebridge compare: finds the first value in which two runs differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from lite.dataclass import dataclass
from lite.errors import InputError
from lite.ir.types import Array
from lite.runtime.observe.watch import Observation
from lite.session.predictor import Predictor, create_predictor
from lite.spec.grammar import split_specs
from lite.tools.analysis.inner_values import inner_values
from lite.tools.analysis.stopwatch import Lods
from lite.tools.analysis.value_differences import Differences, Recording, ValueDifference
from lite.tools.analysis.value_quality import Qualities, ValueQuality, loss_sentence
from lite.tools.arrays.comparison import Comparison
from lite.tools.arrays.comparison import compare as compare_arrays
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.runs import floor_option, tolerance_of, tolerance_option
from lite.tools.options.values import read_places
from lite.tools.page.build import html_option, page_of, predictor_with_stages, write_page
from lite.tools.page.parts import differences_part
from lite.tools.terminal import print_json, print_table, print_text, working

SIDES = ("a", "b")

MAX_OPS = 4
"""The most op types that a folded list counts."""


@dataclass(frozen=True)
class Limits:
    """What counts as equal: --tolerance and --floor, and whether both runs are of one model."""

    tolerance: float
    floor: float = 0.0
    same_program: bool = True


@dataclass(frozen=True)
class Result:
    """The compared outputs, and the compared values of all ops."""

    outputs: Sequence[Comparison]
    differences: Differences
    qualities: Sequence[ValueQuality]
    is_quantized: bool

    def sentence(self) -> str:
        """A sentence that names the first value that differs."""
        first = self.differences.first
        if first is None:
            return f"both runs have {len(self.differences.matched)} values in common; none of them differs"
        op = first.op_b if first.op_a == first.op_b else f"{first.op_a} in A and {first.op_b} in B"
        error = "" if first.error is None else f", relative error {first.error:.3g}"
        return f"the first value that differs is {first.title}, which {op} writes: {first.problem}{error}"


def _option_pair(
    name: str, reader: Callable[[str], object], metavar: str, help_text: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """--NAME-a and --NAME-b, whose values `reader` parses."""

    def read(_: click.Context, __: click.Parameter, value: str | None) -> object:
        return None if value is None else reader(value)

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for side in reversed(SIDES):
            text = help_text if side == "a" else "The same for B."
            option = click.option(f"--{name}-{side}", metavar=metavar, callback=read, help=text)
            command = option(command)
        return command

    return add


@click.command(short_help="Find the first op in which two runs differ.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@_option_pair(
    "params", Path, "FILE", "The file with the parameters of A, if it is not beside the model file."
)
@_option_pair(
    "passes", split_specs, "LIST", "The passes of A instead of the default ones; '' runs only mandatory ones."
)
@_option_pair("places", read_places, "LIST", "The targets of kernels of A: target[/dtype[/layout]],…")
@_option_pair("precision", str, "TEXT", "The precision of A: default or strict.")
@_option_pair("devices", split_specs, "LIST", "The devices of A; --inside compares inside of regions, too.")
@click.option(
    "--inside",
    is_flag=True,
    help="Compare the values between the ops of regions, too: devices compile them as results.",
)
@feed_options
@tolerance_option
@floor_option
@click.option("--only", "list_only", is_flag=True, help="List the values that only one of both runs has.")
@click.option(
    "--quality/--no-quality",
    default=None,
    help="Show SQNR, cosine, largest error and saturation of each value.  [default: if B is quantised]",
)
@html_option
@json_option
@debug_option
def compare(
    a: Path,
    b: Path | None,
    feed: FeedOptions,
    tolerance: float | None,
    floor: float,
    inside: bool,
    list_only: bool,
    quality: bool | None,
    html: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Run the models A and B on the same inputs, and compare the values of all ops.

    \b
    Examples:
      litebridge compare model_dir --passes-b "" --shape x=2,4
      litebridge compare model_dir model_dir --input x=x.npy --tolerance 1e-5
      litebridge compare model_dir --precision-a strict --shape x=2,4 --json
      litebridge compare model_dir --passes-a "" --devices-b sim_npu \\
          --shape x=2,4
      litebridge compare model_dir --devices-b sim_npu --inside --shape x=2,4
      litebridge compare model_dir int8_dir --quality --input x=x.npy \\
          --passes-a "" --passes-b "" --places-a host --places-b host

    Without B, A runs twice, with different options.  A is the reference.  Values match if their variables
    have the same name and version.  Values that only one side has are listed: a fusion, for example,
    removes the values between its ops.  Inputs and outputs match by name or, if B has other names, by
    position.

    --quality is for a float model A and a quantised model B, and adds a chart to the page of --html.
    "saturated" is the share of the elements of A outside the range that B quantises.  Without passes no op is
    fused, so that most values exist on both sides.

    Inputs without --input are drawn images where an image fits, and else random.  All values are compared
    in the model's layout.  Of a region, only the outputs are compared; with --inside, no op of the main block
    is fused on either side, and each value that an op reads is a result of its region, which the device may
    compile in several parts because of that.  Where A and B are two models, values of one name but of other
    shapes are not compared.

    The last line names the first op, in the order of B, whose values differ by more than --tolerance and
    --floor.  The exit status is 3 if an output differs.  Memory must hold all values of A.
    """
    configs = [_side(settings, side, model) for side, model in zip(SIDES, (a, b or a), strict=True)]
    if b is None and configs[0] == configs[1]:
        raise click.UsageError(
            "both runs are the same: name a second model, or give an option of one side, such as --passes-b"
        )
    devices = [device for side in SIDES for device in settings[f"devices_{side}"] or ()]
    accepted = tolerance_of(tolerance, devices)
    pair = [model_config(**config) for config in configs]
    if inside:
        pair = [replace(config, keep=inner_values(config)) for config in pair]
    page = page_of("compare", pair[1])
    with working("loading and optimising"):
        sides = [
            create_predictor(config) if html is None else predictor_with_stages(config, page, f"{side}: ")[0]
            for side, config in zip("AB", pair, strict=True)
        ]
    feeds = feed.arrays(sides[0], draws=True)
    limits = Limits(accepted, floor, same_program=b is None or a.resolve() == b.resolve())
    with working("running both"):
        result = compare_runs(sides[0], sides[1], feeds, feed.levels, limits)
    if quality is None:
        quality = not limits.same_program and result.is_quantized
    if html is not None:
        differences = result.differences
        only = {"A": differences.only_a, "B": differences.only_b}
        page.set(
            "differences",
            differences_part(
                result.sentence(),
                accepted,
                result.outputs,
                differences.matched,
                only,
                result.qualities if quality else (),
            ),
        )
        write_page(page, html)
    if as_json:
        differences = result.differences
        print_json(
            {
                "outputs": result.outputs,
                "values": differences.matched,
                "first": differences.first,
                "only_a": _names(differences.only_a),
                "only_b": _names(differences.only_b),
                "other_meaning": differences.other_meaning,
                "sentence": result.sentence(),
                **(
                    {"qualities": result.qualities, "loss": loss_sentence(result.qualities)}
                    if quality
                    else {}
                ),
                **({} if html is None else {"written": [html]}),
            }
        )
    else:
        _print(result, quality, list_only)
        if html is not None:
            click.echo(f"wrote {html}")
    if any(output.problem for output in result.outputs):
        click.get_current_context().exit(ANSWER_IS_NO)


def compare_runs(
    a: Predictor, b: Predictor, feeds: Mapping[str, Array], lods: Lods, limits: Limits
) -> Result:
    """Run both; raises `InputError` if B has another number of inputs or outputs."""
    inputs = _matching_names("input", a.input_names, b.input_names)
    outputs = _matching_names("output", a.output_names, b.output_names)
    recording = Recording()
    expected = a.observe(recording.see, feeds, lods)
    differences = Differences(recording, limits.tolerance, limits.floor, same_program=limits.same_program)
    qualities = Qualities(recording)

    def see(observation: Observation) -> None:
        differences.see(observation)
        qualities.see(observation)

    got = b.observe(
        see,
        {inputs[name]: array for name, array in feeds.items()},
        {inputs[name]: lod for name, lod in lods.items()},
    )
    compared = [
        compare_arrays(
            name if name == other else f"{name} = {other}",
            got[other],
            expected[name],
            limits.tolerance,
            limits.floor,
        )
        for name, other in outputs.items()
    ]
    return Result(compared, differences, qualities.values, qualities.is_quantized)


def _side(settings: Mapping[str, Any], side: str, model: Path) -> dict[str, Any]:
    """The arguments of `model_config` for A or B."""
    config: dict[str, Any] = {
        "model": model,
        "params": settings[f"params_{side}"],
        "passes": settings[f"passes_{side}"],
        "valid_places": settings[f"places_{side}"],
        "devices": settings[f"devices_{side}"] or (),
    }
    precision = settings[f"precision_{side}"]
    return config if precision is None else {**config, "precision": precision}


def _matching_names(kind: str, a: Sequence[str], b: Sequence[str]) -> dict[str, str]:
    """The name in B of each name of A."""
    if set(a) == set(b):
        return {name: name for name in a}
    if len(a) != len(b):
        raise InputError(
            f"A and B must have the same number of {kind}s: A has {', '.join(a)}; B has {', '.join(b)}"
        )
    return dict(zip(a, b, strict=True))


def _names(values: Sequence[ValueDifference]) -> list[dict[str, str]]:
    return [{"block": each.block, "name": each.name, "op": each.op_a or each.op_b} for each in values]


def _print(result: Result, quality: bool, list_only: bool) -> None:
    differences = result.differences
    print_table(
        ("value", "op in A", "op in B", "relative error", "verdict"),
        [
            (each.title, each.op_a, each.op_b, each.error, each.problem or "equal")
            for each in differences.matched
        ],
        "values of both",
        drop=("op in A", "op in B"),
    )
    click.echo()
    for title, values in (
        ("only in A", differences.only_a),
        ("only in B", differences.only_b),
        ("of one name, but not the same", differences.other_meaning),
    ):
        if values and list_only:
            print_table(
                ("value", "op"), [(each.title, each.op_a or each.op_b) for each in values], f"{title}\n"
            )
        elif values:
            print_text(f"{title}: {_counts(values)} (--only lists them)", "  ")
    if quality:
        print_table(
            ("value", "op in B", "SQNR in dB", "cosine", "largest error", "saturated"),
            [
                (each.name, each.op, each.sqnr, each.cosine, each.largest_error, each.saturated)
                for each in result.qualities
            ],
            "\nvalues of both, B against A",
            drop=("op in B", "largest error"),
        )
        click.echo()
        print_text(loss_sentence(result.qualities))
    print_table(
        ("output", "relative error", "verdict"),
        [(each.name, each.error, each.verdict) for each in result.outputs],
        "\noutputs",
    )
    click.echo()
    print_text(result.sentence())


def _counts(values: Sequence[ValueDifference]) -> str:
    """``3 values: 2 relu, 1 scale``, with the most frequent ops."""
    counts = Counter(each.op_a or each.op_b for each in values)
    named = [f"{count} {op}" for op, count in counts.most_common(MAX_OPS)]
    rest = counts.total() - sum(count for _, count in counts.most_common(MAX_OPS))
    others = [f"{rest} others"] if rest else []
    return f"{len(values)} value{'s' * (len(values) != 1)}: {', '.join(named + others)}"
