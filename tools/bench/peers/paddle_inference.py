"""Paddle Inference with oneDNN."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import Array
from lite.tools.bench.peers.peer import CannotRunError, Feeds, Files, PackagePeer, Run


def load(files: Files, feeds: Feeds, threads: int) -> Run:
    """Load a model that has Paddle files; raises `CannotRunError` for others."""
    if files.paddle is None:
        raise CannotRunError("this model has no Paddle files")
    from paddle import inference

    config = inference.Config(
        str(files.paddle / "inference.pdmodel"), str(files.paddle / "inference.pdiparams")
    )
    config.disable_glog_info()
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


PADDLE_INFERENCE = PackagePeer("Paddle Inference", "paddle", "paddlepaddle", load)
