"""OpenVINO's CPU plug-in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.ir.types import Array
from lite.tools.bench.peers.peer import CannotRunError, Feeds, Files, PackagePeer, Run


def load(files: Files, feeds: Feeds, threads: int) -> Run:
    """Load with static shapes, in float32, for low latency."""
    import openvino

    core = openvino.Core()
    options: dict[str, Any] = {
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY",
    }
    shapes = {n: list(array.shape) for n, array in enumerate(feeds.values())}
    try:
        model = core.read_model(str(files.onnx))
        model.reshape(shapes)
        request = core.compile_model(model, "CPU", options).create_infer_request()
    except RuntimeError as error:
        reasons = [line.strip(" -") for line in str(error).splitlines() if line.strip()]
        raise CannotRunError(f"it cannot load the file: {reasons[-1]}") from error
    arrays = list(feeds.values())

    def run() -> Sequence[Array]:
        results = request.infer(arrays)
        return [results[n] for n in range(len(results))]

    return run


OPENVINO = PackagePeer("OpenVINO", "openvino", "openvino", load)
