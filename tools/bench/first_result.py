"""Times the first result of a model in a fresh process: ``python -m lite.tools.bench.first_result``.

litebridge starts from an artifact, ONNX Runtime from the model's file.  The clock starts after `import lite`
and `import onnxruntime`, so it counts the modules that a start imports later.  The processes take turns.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.tools.bench.processor import processor
from lite.tools.demo.ppocr_models import OcrModel, ocr_models
from lite.tools.options.output import page_option, print_or_write
from lite.tools.terminal import progress

_RUNS = 7
"""Runs after the first one, of which the fastest counts as the model's own time."""

_TIMED = f"""
import sys, time
import numpy as np
path, image = sys.argv[1], np.load(sys.argv[2])
{{imports}}
start = time.perf_counter()
{{load}}
loaded = time.perf_counter()
{{run}}
first = time.perf_counter()
times = []
for _ in range({_RUNS}):
    begin = time.perf_counter()
    {{run}}
    times.append(time.perf_counter() - begin)
print(loaded - start, first - start, min(times))
"""

_LITEBRIDGE = _TIMED.format(
    imports="import lite", load="model = lite.create_predictor(lite.Config(path))", run="model.run([image])"
)
_ONNX_RUNTIME = _TIMED.format(
    imports="import onnxruntime",
    load="""options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
model = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
feed = {model.get_inputs()[0].name: image}""",
    run="model.run(None, feed)",
)


@dataclass(frozen=True)
class Start:
    """Seconds of a start: until the model is loaded, until its first result, and of a later run."""

    loaded: float
    first: float
    run: float

    @property
    def beyond(self) -> float:
        """What a first result takes besides the run."""
        return self.first - self.run


@dataclass(frozen=True)
class Row:
    """The starts of a model: medians of the processes."""

    model: OcrModel
    ours: Start
    peer: Start


def measure(model: OcrModel, processes: int) -> Row:
    """Time `processes` starts of each engine."""
    with tempfile.TemporaryDirectory() as folder:
        artifact, image = Path(folder, "model.lbm"), Path(folder, "image.npy")
        lite.save_artifact(
            lite.Config(model.paddle, compilation="wait"), artifact, signatures=[{"x": model.shape}]
        )
        np.save(image, model.image())
        ours, peer = [], []
        with progress(processes, f"starting {model.name}") as advance:
            for _ in range(processes):
                ours.append(_start(_LITEBRIDGE, artifact, image))
                peer.append(_start(_ONNX_RUNTIME, model.onnx, image))
                advance()
    return Row(model, _median(ours), _median(peer))


def _start(program: str, model: Path, image: Path) -> Start:
    command = [sys.executable, "-c", program, str(model), str(image)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Start(*map(float, done.stdout.split()))


def _median(starts: Sequence[Start]) -> Start:
    return Start(*(statistics.median(times) for times in zip(*map(_times, starts), strict=True)))


def _times(start: Start) -> tuple[float, float, float]:
    return start.loaded, start.first, start.run


def page(rows: Sequence[Row], processes: int) -> str:
    """The page: milliseconds, and ratios."""
    lines = [
        "# The first result in a fresh process",
        "",
        f"{processor()}, Python {platform.python_version()}, numpy {np.__version__}, one thread;",
        f"medians of {processes} processes that take turns, in milliseconds. litebridge starts from an",
        "artifact with a stored run, whose kernels are compiled, ONNX Runtime from the ONNX file. The clock",
        "starts after `import lite` and `import onnxruntime`: modules that are imported later count.",
        "`beyond` is what the first result takes besides a later run.",
        "Written by `python -m lite.tools.bench.first_result --out docs/benchmarks/first_result.md`.",
        "",
        "| model | litebridge loads | first result | a run | beyond | peer loads | its first | run | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        ours, peer = row.ours, row.peer
        times = (ours.loaded, ours.first, ours.run, ours.beyond, peer.loaded, peer.first, peer.run)
        cells = " | ".join(f"{1e3 * seconds:.1f}" for seconds in times)
        lines.append(f"| {row.model.name} | {cells} | {ours.first / peer.first:.2f} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--processes", default=11, show_default=True, help="Processes of each engine.")
@page_option
def main(processes: int, out: Path | None) -> None:
    """Compare starts of PP-OCRv4 det, rec and cls; needs the extras `peers` and `demo`."""
    print_or_write(page([measure(model, processes) for model in ocr_models()], processes), out)


if __name__ == "__main__":
    main()
