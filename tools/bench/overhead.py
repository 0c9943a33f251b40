"""Measures litebridge's overhead over a device's own runtime; writes docs/benchmarks/overhead.md and .json.

python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md
"""

from __future__ import annotations

import json
import platform
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.analysis.device_build import build_regions
from lite.tools.bench.processor import processor
from lite.tools.demo.ppocr_models import OcrModel, interleaved, ocr_models
from lite.tools.terminal import progress

GOALS = {"det": 1.03, "rec": 1.03, "cls": 1.11}
"""The largest ratio of litebridge's time to the runtime's own."""

REPEATS = {"det": 1, "rec": 4, "cls": 20}
"""Factors of --runs: a small model needs more runs."""

CACHE_GOAL = 2.5
"""The smallest ratio of building time to loading time, for det."""

Run = Callable[[], object]


@dataclass(frozen=True)
class Overhead:
    """One model on one device: medians of interleaved runs in milliseconds."""

    model: str
    device: str
    ours: float
    peer: float
    difference: float
    """The largest difference of the outputs, relative to their largest value."""

    @property
    def ratio(self) -> float:
        """The ratio of litebridge's time to the runtime's own."""
        return self.ours / self.peer


@dataclass(frozen=True)
class CacheTimes:
    """One model on one device: medians of preparing its region in milliseconds."""

    model: str
    device: str
    build: float
    load: float
    """From the cache, including the computation of the key and the check of the file."""

    @property
    def ratio(self) -> float:
        """The ratio of building time to loading time."""
        return self.build / self.load


def openvino_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """OpenVINO with its own Paddle reader, reshaped to the image, on the caller's arrays.

    Threads are not pinned to cores, as in litebridge: pinned threads of both would share the first core.
    """
    import openvino

    core = openvino.Core()
    network = core.read_model(str(model.paddle / "inference.pdmodel"))
    network.reshape(list(image.shape))
    properties = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,
    }
    request = core.compile_model(network, "CPU", properties).create_infer_request()
    request.set_input_tensor(0, openvino.Tensor(image, shared_memory=True))
    request.set_output_tensor(0, openvino.Tensor(out, shared_memory=True))
    return lambda: request.infer(share_inputs=True, share_outputs=True)


def onnxruntime_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """ONNX Runtime on the ONNX file, bound to the caller's arrays."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(model.onnx), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for array, bind, (node,) in (
        (image, binding.bind_input, session.get_inputs()),
        (out, binding.bind_output, session.get_outputs()),
    ):
        bind(node.name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
    return lambda: session.run_with_iobinding(binding)


def litert_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """LiteRT's interpreter on the file that ``litebridge build`` writes: LiteRT reads no other form of it."""
    from ai_edge_litert.interpreter import Interpreter

    with tempfile.TemporaryDirectory() as folder:
        config = lite.Config(model.paddle, devices=["litert"], threads=threads, fallback="error")
        predictor = lite.create_predictor(config)
        build_regions(predictor, {predictor.input_names[0]: image}, Path(folder, "built"))
        (file,) = Path(folder, "built").rglob("*.tflite")
        interpreter = Interpreter(model_content=file.read_bytes(), num_threads=threads)
    interpreter.allocate_tensors()
    (given,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()

    def run() -> None:
        interpreter.set_tensor(given["index"], image)
        interpreter.invoke()
        np.copyto(out, interpreter.tensor(result["index"])())

    return run


PEERS = {"openvino": openvino_peer, "onnxruntime": onnxruntime_peer, "litert": litert_peer}

PACKAGES = {"litert": "ai-edge-litert"}
"""The packages of runtimes whose devices have other names."""


def source(model: OcrModel, device: str) -> Path:
    """The file of the model that litebridge reads, and so does the runtime, except for LiteRT."""
    return model.onnx if device == "onnxruntime" else model.paddle


def measure(model: OcrModel, device: str, threads: int, runs: int, advance: Callable[[], None]) -> Overhead:
    """Load the model in both, compare the outputs, and time both in turn."""
    image = model.image()
    config = lite.Config(source(model, device), devices=[device], threads=threads, fallback="error")
    predictor = lite.create_predictor(config)
    (name,), (output,) = predictor.input_names, predictor.output_names
    ours = predictor.run({name: image})[output]
    theirs = np.zeros_like(ours)
    peer = PEERS[device](model, image, theirs, threads)
    peer()
    medians = interleaved(
        lambda: predictor.run({name: image}, outputs={output: ours}),
        peer,
        runs * REPEATS[model.name],
        advance,
    )
    return Overhead(model.name, device, *medians, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))


def measure_cache(model: OcrModel, device: str, threads: int, runs: int) -> CacheTimes:
    """Build and load the region's model in turn, by `Predictor.prepare`."""
    with tempfile.TemporaryDirectory() as folder:
        _prepare(model, device, threads, folder)
        pairs = [
            (_prepare(model, device, threads, None), _prepare(model, device, threads, folder))
            for _ in range(runs)
        ]
    build, load = (statistics.median(times) for times in zip(*pairs, strict=True))
    return CacheTimes(model.name, device, 1e3 * build, 1e3 * load)


def _prepare(model: OcrModel, device: str, threads: int, cache: str | None) -> float:
    """Create a predictor and prepare its only region; the seconds of the second step."""
    config = lite.Config(
        source(model, device), devices=[device], threads=threads, fallback="error", cache_dir=cache
    )
    predictor = lite.create_predictor(config)
    predictor.prepare({predictor.input_names[0]: model.shape})
    (region,) = predictor.report().to_dict()["regions"]
    return float(region["signatures"][0]["seconds"])


def markdown(
    rows: list[Overhead], caches: list[CacheTimes], threads: int, runs: int, runtimes: Mapping[str, str]
) -> str:
    """The page: both tables, and the conditions of the measurement."""
    versions = ", ".join(f"{name} {number}" for name, number in runtimes.items())
    lines = [
        "# Overhead over the runtimes of devices",
        "",
        f"{processor()}, Python {platform.python_version()}, numpy {np.__version__}, {versions};",
        f"{threads} thread(s), float32, one process, interleaved runs, medians of {runs} pairs for det",
        f"({REPEATS['rec']} times as many for rec, {REPEATS['cls']} for cls), in milliseconds.",
        "Both sides read and write the caller's arrays.",
        "OpenVINO reads the Paddle model, reshaped to the image, with the hint LATENCY.  Its threads are not",
        "pinned to cores, like litebridge's: by default both would share the first core.  ONNX Runtime runs",
        "the ONNX file, bound to the arrays.  LiteRT runs the file that `litebridge build` writes.",
        "Written by `python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md`.",
        "",
        "| model | device | litebridge | the runtime itself | ratio | goal | differs by |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.model} | {row.device} | {row.ours:.3f} | {row.peer:.3f} | {row.ratio:.3f} "
        f"| ≤ {GOALS[row.model]} | {row.difference:.1e} |"
        for row in rows
    ]
    lines += [
        "",
        "## The cache of compiled models",
        "",
        "The time to prepare the model of a region: to build it from the graph, or to load it from",
        "`cache_dir`, which includes the computation of the key and the check of the file.",
        "",
        "| model | device | build | load | faster | goal |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.model} | {row.device} | {row.build:.0f} | {row.load:.0f} | {row.ratio:.1f} × "
        f"| {f'≥ {CACHE_GOAL} ×' if row.model == 'det' else ''} |"
        for row in caches
    ]
    return "\n".join(lines) + "\n"


@click.command(
    epilog="""
\b
Examples:
  python -m lite.tools.bench.overhead
  python -m lite.tools.bench.overhead --device openvino --runs 31
  python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md

A ratio of 1.02 means that litebridge is 2 % slower than the runtime alone.  Repeat the measurement on a
quiet machine before you rely on a difference of a few percent.
"""
)
@click.option(
    "--device",
    "devices",
    type=click.Choice(sorted(PEERS)),
    multiple=True,
    help="Measure only this device; can be repeated.  [default: all]",
)
@click.option("--threads", default=1, show_default=True, help="Threads of both runtimes.")
@click.option(
    "--runs", default=21, show_default=True, help="Pairs of runs of det; the other models run more often."
)
@click.option(
    "--cache-runs", default=5, show_default=True, help="How many times each model is built and loaded."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the page to this file, and the numbers to a .json file beside it, instead of printing.",
)
def main(devices: tuple[str, ...], threads: int, runs: int, cache_runs: int, out: Path | None) -> None:
    """Time PP-OCRv4 det, rec and cls in litebridge and in the device's own runtime, in turn.

    Then time the preparation of a region's model, built and loaded from the cache.  Needs the extras
    openvino, onnxruntime, litert, demo and peers.
    """
    chosen = devices or tuple(PEERS)
    for device in chosen:
        reason = next(info.why_not for info in lite.list_devices() if info.name == device)
        if reason is not None:
            raise click.ClickException(f"{device}: {reason}")
    jobs = [(model, device) for device in chosen for model in ocr_models()]
    with progress(sum(runs * REPEATS[model.name] for model, _ in jobs), "running") as advance:
        rows = [measure(model, device, threads, runs, advance) for model, device in jobs]
    with progress(len(jobs), "building and loading") as advance:
        caches: list[CacheTimes] = []
        for model, device in jobs:
            caches.append(measure_cache(model, device, threads, cache_runs))
            advance()
    text = markdown(
        rows, caches, threads, runs, {device: version(PACKAGES.get(device, device)) for device in chosen}
    )
    if out is None:
        click.echo(text)
        return
    out.write_text(text, encoding="utf-8")
    numbers = {
        "threads": threads,
        "runs": [{**asdict(row), "ratio": row.ratio, "goal": GOALS[row.model]} for row in rows],
        "cache": [{**asdict(row), "ratio": row.ratio} for row in caches],
    }
    out.with_suffix(".json").write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    click.echo(f"wrote {out} and {out.with_suffix('.json')}")


if __name__ == "__main__":
    main()
