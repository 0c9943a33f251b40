"""Compares int8 models with their float models in three engines; writes docs/benchmarks/int8.md.

python -m lite.tools.bench.int8 det float.onnx int8.onnx samples.npz --out docs/benchmarks/int8.md
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.plugin.device.short_sums import processor_flags
from lite.tools.bench.peers_page import machine
from lite.tools.options.output import page_option, print_or_write

Run = Callable[[], Array]


@dataclass(frozen=True)
class Timing:
    """One engine on one model: the least and the median processor time of a run, in milliseconds."""

    least: float
    median: float


Feed = Mapping[str, Array]
"""The inputs of a run by name."""


def _litebridge(model: Path, feed: Feed) -> Run:
    predictor = lite.create_predictor(lite.Config(model, compilation="wait"))
    return lambda: next(iter(predictor.run(feed).values()))


def _onnxruntime(model: Path, feed: Feed) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def run() -> Array:
        result: Array = session.run(None, feed)[0]
        return result

    return run


def _openvino(model: Path, feed: Feed) -> Run:
    import openvino

    core = openvino.Core()
    read = core.read_model(model)
    read.reshape({name: list(array.shape) for name, array in feed.items()})
    settings = {
        "INFERENCE_NUM_THREADS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    request = core.compile_model(read, "CPU", settings).create_infer_request()

    def run() -> Array:
        request.infer(feed, share_inputs=True, share_outputs=True)
        result: Array = request.get_output_tensor(0).data
        return result

    return run


ENGINES: Mapping[str, Callable[[Path, Feed], Run]] = {
    "litebridge": _litebridge,
    "OpenVINO": _openvino,
    "ONNX Runtime": _onnxruntime,
}


def interleaved(runs: Mapping[tuple[str, str], Run], turns: int) -> dict[tuple[str, str], Timing]:
    """The times of functions that run in turn; each runs once before it is timed, to fill the caches."""
    times: dict[tuple[str, str], list[float]] = {key: [] for key in runs}
    for _ in range(turns):
        for key, run in runs.items():
            run()
            start = time.process_time()
            run()
            times[key].append(1e3 * (time.process_time() - start))
    return {key: Timing(min(each), float(np.median(each))) for key, each in times.items()}


def cosine(a: Array, b: Array) -> float:
    """The cosine of the angle between two arrays as vectors."""
    x, y = a.reshape(-1).astype(np.float64), b.reshape(-1).astype(np.float64)
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


Key = tuple[str, str]
"""An engine and a model."""


def page(name: str, feed: Feed, timings: Mapping[Key, Timing], likeness: Mapping[Key, float]) -> str:
    """A section of the page: a row for each engine and model."""
    base = timings["litebridge", "float"].least
    sizes = ["×".join(map(str, array.shape)) for array in feed.values()]
    lines = [
        f"## {name}, {', '.join(dict.fromkeys(sizes))}",
        "",
        "| model | engine | least ms | median ms | of litebridge float | cosine to float |",
        "|---|---|---|---|---|---|",
    ]
    for (engine, model), timing in timings.items():
        lines.append(
            f"| {model} | {engine} | {timing.least:.2f} | {timing.median:.2f} | {timing.least / base:.2f} "
            f"| {likeness[engine, model]:.4f} |"
        )
    return "\n".join([*lines, ""])


_HEAD = """# Int8 models

{processor} ({features}), Python {python}, one thread; the processor time of {turns} runs that take turns
in one process. The int8 models are written by `litebridge quantize` with its defaults; the other int8 model
is the float model quantised by ONNX Runtime's tool (convolutions alone, one scale for each channel).
Written by `python -m lite.tools.bench.int8`.
"""


def _machine() -> dict[str, str]:
    """The name of the processor, and its instructions for integers."""
    flags = processor_flags()
    known = {"avx512_vnni": "AVX512-VNNI", "avx_vnni": "AVX-VNNI", "avx2": "AVX2"}
    names = [name for flag, name in known.items() if flag in flags]
    return {"processor": machine()["processor"], "features": names[0] if names else platform.machine()}


@click.command()
@click.argument("name")
@click.argument("float_model", type=click.Path(path_type=Path, exists=True))
@click.argument("int8_model", type=click.Path(path_type=Path, exists=True))
@click.argument("samples", type=click.Path(path_type=Path, exists=True))
@click.option("--more", type=click.Path(path_type=Path, exists=True), help="An int8 model of another tool.")
@click.option("--batch", default=1, show_default=True, help="Rows of the arrays that a run takes.")
@click.option("--turns", default=20, show_default=True, help="Runs of each engine.")
@click.option("--append", is_flag=True, help="Add the section to the file of --out.")
@page_option
def main(
    name: str,
    float_model: Path,
    int8_model: Path,
    samples: Path,
    more: Path | None,
    batch: int,
    turns: int,
    append: bool,
    out: Path | None,
) -> None:
    """Time FLOAT_MODEL and INT8_MODEL on the first rows of SAMPLES (.npz), in three engines."""
    with np.load(samples) as arrays:
        feed = {name: np.ascontiguousarray(arrays[name][:batch]) for name in arrays.files}
    models = {"float": float_model, "int8": int8_model, **({"other int8": more} if more else {})}
    runs = {
        (engine, model): make(path, feed)
        for model, path in models.items()
        for engine, make in ENGINES.items()
    }
    expected = runs["ONNX Runtime", "float"]().copy()
    likeness = {key: cosine(run(), expected) for key, run in runs.items()}
    section = page(name, feed, interleaved(runs, turns), likeness)
    before = _HEAD.format(**_machine(), python=platform.python_version(), turns=turns)
    if append and out is not None:
        before = out.read_text(encoding="utf-8")
    print_or_write(before.rstrip() + "\n\n" + section, out)


if __name__ == "__main__":
    main()
