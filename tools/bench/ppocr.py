"""Compares PP-OCRv4 with ONNX Runtime in one process; writes docs/benchmarks/ppocr.md.

python -m lite.tools.bench.ppocr --out docs/benchmarks/ppocr.md
"""

from __future__ import annotations

import platform
import time
from collections import Counter
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.session.build import optimize
from lite.session.predictor import Predictor
from lite.tools.bench.processor import processor
from lite.tools.demo.ppocr_models import OcrModel, interleaved, ocr_models
from lite.tools.options.output import page_option, print_or_write


@dataclass(frozen=True)
class Row:
    """One model: ops by type before and after the passes, and times in milliseconds."""

    name: str
    shape: tuple[int, ...]
    before: Counter[str]
    after: Counter[str]
    ready: float
    """The time to parse and optimise."""
    ours: float
    peer: float
    """The medians of interleaved runs."""
    difference: float
    """The largest difference of the outputs, relative to their largest value."""


def measure(model: OcrModel, threads: int, runs: int) -> Row:
    """Load the model in both engines, compare the outputs, and time both in turn."""
    import onnxruntime

    lite.create_predictor(lite.Config(model.paddle))  # the time to import kernels does not count
    config = lite.Config(model.paddle, threads=threads)
    start = time.perf_counter()
    program = lite.load_program(config)
    optimized = optimize(program, config)
    ready = time.perf_counter() - start
    predictor = Predictor(config, optimized.built(config))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(model.onnx), options, providers=["CPUExecutionProvider"])
    feed = session.get_inputs()[0].name
    image = model.image()
    expected = session.run(None, {feed: image})[0]
    got = next(iter(predictor.run([image]).values()))
    ours, peer = interleaved(lambda: predictor.run([image]), lambda: session.run(None, {feed: image}), runs)
    return Row(
        model.name,
        model.shape,
        Counter(op.type for op in program.blocks[0].ops if op.type not in ("feed", "fetch")),
        Counter(node.op for node in optimized.graph),
        1e3 * ready,
        ours,
        peer,
        float(np.abs(got - expected).max() / np.abs(expected).max()),
    )


def markdown(rows: list[Row], threads: int, runs: int) -> str:
    """The page: times, then the ops of each model before and after the passes."""
    lines = [
        "# PP-OCRv4 on the host against ONNX Runtime",
        "",
        f"{processor()}, Python {platform.python_version()}, numpy {np.__version__};",
        f"medians of {runs} interleaved runs in one process, {threads} thread(s), in milliseconds.",
        "`ready` is the time to parse and optimise the model.",
        "Written by `python -m lite.tools.bench.ppocr --out docs/benchmarks/ppocr.md`.",
        "",
        "| model | input | ops before | after | ready | litebridge | ONNX Runtime | ratio | differs by |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row.name} | {'×'.join(map(str, row.shape))} | {row.before.total()} | {row.after.total()} "
            f"| {row.ready:.0f} | {row.ours:.1f} | {row.peer:.1f} | {row.ours / row.peer:.2f} "
            f"| {row.difference:.1e} |"
        )
    for row in rows:
        lines += ["", f"## Ops of {row.name}", "", "| op | before | after |", "|---|---|---|"]
        names = sorted(row.before | row.after, key=lambda op: (-(row.before | row.after)[op], op))
        lines += [f"| {op} | {row.before[op] or ''} | {row.after[op] or ''} |" for op in names]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--threads", default=1, show_default=True, help="Threads of both engines.")
@click.option("--runs", default=11, show_default=True, help="Runs of each engine.")
@page_option
def main(threads: int, runs: int, out: Path | None) -> None:
    """Compare op counts, times and outputs of PP-OCRv4 det, rec and cls; needs the extra `peers`."""
    rows = [measure(model, threads, runs) for model in ocr_models()]
    print_or_write(markdown(rows, threads, runs), out)


if __name__ == "__main__":
    main()
