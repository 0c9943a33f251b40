"""What litebridge costs on top of a device's own runtime; writes docs/benchmarks/overhead.md and .json.

python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md
"""

from __future__ import annotations

import json
import platform
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import click
import numpy as np

import lite
from lite.ir.types import Array
from lite.tools.demo.ppocr_models import OcrModel, interleaved, ocr_models
from lite.tools.terminal import progress

GOALS = {"det": 1.03, "rec": 1.03, "cls": 1.11}
"""Our time over the runtime's own, at most."""

REPEATS = {"det": 1, "rec": 4, "cls": 20}
"""How many times as many runs a model gets as is asked for: the small ones are over at once."""

CACHE_GOAL = 2.5
"""Building time over loading time, at least, for det."""

Run = Callable[[], object]


@dataclass(frozen=True)
class Overhead:
    """One model on one device: medians in milliseconds of runs in turn."""

    model: str
    device: str
    ours: float
    peer: float
    difference: float
    """Largest difference of the outputs, relative to their largest value."""

    @property
    def ratio(self) -> float:
        """Our time over the runtime's own."""
        return self.ours / self.peer


@dataclass(frozen=True)
class CacheTimes:
    """One model on one device: medians in milliseconds of getting its region ready."""

    model: str
    device: str
    build: float
    load: float
    """From the cache, its key and the check of its file included."""

    @property
    def ratio(self) -> float:
        """How many times as fast loading is."""
        return self.build / self.load


def openvino_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """OpenVINO with its own Paddle reader, told the shape, on the caller's arrays.

    Its threads are tied to no core, as ours are: otherwise both models would sit on the first.
    """
    import openvino

    core = openvino.Core()
    found = core.read_model(str(model.paddle / "inference.pdmodel"))
    found.reshape(list(image.shape))
    properties = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,
    }
    request = core.compile_model(found, "CPU", properties).create_infer_request()
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


PEERS = {"openvino": openvino_peer, "onnxruntime": onnxruntime_peer}


def source(model: OcrModel, device: str) -> Path:
    """The form of the model that the runtime itself reads; litebridge gets the same."""
    return model.paddle if device == "openvino" else model.onnx


def measure(model: OcrModel, device: str, threads: int, runs: int, advance: Callable[[], None]) -> Overhead:
    """Load both, check that they agree, and time them in turn."""
    image = model.image()
    config = lite.Config(source(model, device), devices=[device], threads=threads, fallback="error")
    predictor = lite.create_predictor(config)
    (name,), (output,) = predictor.input_names, predictor.output_names
    ours = predictor.run({name: image})[output]
    theirs = np.zeros_like(ours)
    peer = PEERS[device](model, image, theirs, threads)
    peer()
    found = interleaved(
        lambda: predictor.run({name: image}, outputs={output: ours}),
        peer,
        runs * REPEATS[model.name],
        advance,
    )
    return Overhead(model.name, device, *found, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))


def measure_cache(model: OcrModel, device: str, threads: int, runs: int) -> CacheTimes:
    """Build and load the region's model in turn, as `Predictor.prepare` does."""
    with tempfile.TemporaryDirectory() as folder:
        _ready(model, device, threads, folder)
        pairs = [
            (_ready(model, device, threads, None), _ready(model, device, threads, folder))
            for _ in range(runs)
        ]
    build, load = (statistics.median(times) for times in zip(*pairs, strict=True))
    return CacheTimes(model.name, device, 1e3 * build, 1e3 * load)


def _ready(model: OcrModel, device: str, threads: int, cache: str | None) -> float:
    """Seconds in which the model of the only region was ready, in a predictor of its own."""
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
    """Both tables, and how they were made, with which version of each runtime."""
    versions = ", ".join(f"{name} {number}" for name, number in runtimes.items())
    lines = [
        "# Devices: what litebridge costs on top of their own runtimes",
        "",
        f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}, {versions};",
        f"{threads} thread(s), float32, one process, runs in turn, medians of {runs} pairs for det",
        f"({REPEATS['rec']} times as many for rec, {REPEATS['cls']} for cls), in milliseconds.",
        "Both sides read and write the caller's arrays.",
        "OpenVINO reads the Paddle model by itself, reshaped to the image, with",
        "the hint LATENCY and, as on our side, its threads tied to no core (by default both would share the",
        "first); ONNX Runtime runs the ONNX file, bound to the arrays.",
        "Made by `python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md`.",
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
        "Until the model of a region is ready: built from the graph, or loaded from `cache_dir`, with the",
        "hash of the region, its weights and its surroundings, and the check of the file.",
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

A ratio of 1.02 means: 2 % slower than the runtime alone.  Repeat on a quiet machine before you believe
a difference of a few percent.
"""
)
@click.option(
    "--device",
    "devices",
    type=click.Choice(sorted(PEERS)),
    multiple=True,
    help="Only this device; may be given several times.  [default: all]",
)
@click.option("--threads", default=1, show_default=True, help="Threads of both sides.")
@click.option("--runs", default=21, show_default=True, help="Pairs of runs of det; the others get more.")
@click.option("--cache-runs", default=5, show_default=True, help="How often each model is built and loaded.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File for the tables, with a .json of the numbers beside it; printed otherwise.",
)
def main(devices: tuple[str, ...], threads: int, runs: int, cache_runs: int, out: Path | None) -> None:
    """Time PP-OCRv4 det, rec and cls through litebridge against the device's own runtime, in turn.

    Then time how long a region's model takes until it is ready, built and loaded from the cache.  Needs
    the extras openvino, onnxruntime, demo and peers.
    """
    chosen = devices or tuple(PEERS)
    for device in chosen:
        missing = next(found.why_not for found in lite.list_devices() if found.name == device)
        if missing is not None:
            raise click.ClickException(f"{device}: {missing}")
    jobs = [(model, device) for device in chosen for model in ocr_models()]
    with progress(sum(runs * REPEATS[model.name] for model, _ in jobs), "running") as advance:
        rows = [measure(model, device, threads, runs, advance) for model, device in jobs]
    with progress(len(jobs), "building and loading") as advance:
        caches: list[CacheTimes] = []
        for model, device in jobs:
            caches.append(measure_cache(model, device, threads, cache_runs))
            advance()
    text = markdown(rows, caches, threads, runs, {device: version(device) for device in chosen})
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
