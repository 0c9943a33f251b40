"""Other engines on the same models: how each is loaded, run and described."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lite.ir.types import Array

log = logging.getLogger(__name__)

Feeds = Mapping[str, Array]
Run = Callable[[], Sequence[Array]]
"""Runs a loaded model once on feeds that were fixed before."""


@dataclass(frozen=True)
class Files:
    """A model in the formats that it is there in: one ONNX file, and a Paddle folder or None."""

    onnx: Path
    paddle: Path | None = None


@dataclass(frozen=True)
class Peer:
    """An engine; `load` makes the function that runs a model with so many threads, None where it cannot."""

    name: str
    module: str
    package: str
    load: Callable[[Files, Feeds, int], Run | None]

    @property
    def is_installed(self) -> bool:
        """Whether it can be imported."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Of the installed package."""
        return importlib.metadata.version(self.package)


def _onnxruntime(files: Files, feeds: Feeds, threads: int) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(files.onnx), options, providers=["CPUExecutionProvider"])
    named = dict(zip((found.name for found in session.get_inputs()), feeds.values(), strict=True))
    return lambda: list(session.run(None, named))


def _openvino(files: Files, feeds: Feeds, threads: int) -> Run | None:
    import openvino

    core = openvino.Core()
    options: dict[str, Any] = {
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY",
    }
    try:
        model = core.read_model(str(files.onnx))
    except RuntimeError as error:
        log.warning("OpenVINO does not read %s: %s", files.onnx.name, str(error).splitlines()[0])
        return None
    model.reshape({n: list(array.shape) for n, array in enumerate(feeds.values())})
    request = core.compile_model(model, "CPU", options).create_infer_request()
    arrays = list(feeds.values())

    def run() -> Sequence[Array]:
        results = request.infer(arrays)
        return [results[n] for n in range(len(results))]

    return run


def _paddle(files: Files, feeds: Feeds, threads: int) -> Run | None:
    if files.paddle is None:
        return None
    from paddle import inference

    config = inference.Config(
        str(files.paddle / "inference.pdmodel"), str(files.paddle / "inference.pdiparams")
    )
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    predictor = inference.create_predictor(config)
    inputs = [predictor.get_input_handle(name) for name in predictor.get_input_names()]
    outputs = [predictor.get_output_handle(name) for name in predictor.get_output_names()]

    def run() -> Sequence[Array]:
        for handle, array in zip(inputs, feeds.values(), strict=True):
            handle.copy_from_cpu(array)
        predictor.run()
        return [handle.copy_to_cpu() for handle in outputs]

    return run


REFERENCE = Peer("ONNX Runtime", "onnxruntime", "onnxruntime", _onnxruntime)
"""What ratios are to, and what answers are compared with."""

PEERS = (
    REFERENCE,
    Peer("OpenVINO", "openvino", "openvino", _openvino),
    Peer("Paddle Inference", "paddle", "paddlepaddle", _paddle),
)
"""Engines that read these models as they are; others would need them converted first."""
