"""A model in a vendor's SDK, for the interpreter of the SDK's environment: nothing of litebridge is imported.

python sdk_runner.py SDK MODEL INPUT.npy OUTPUT.npy

It loads the model, writes the output of one run to a file, and prints a line.  For each line that it reads
then, it runs once more and prints the milliseconds.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[[], Any]


def rknn(model: str, image: Any) -> Run:
    """RKNN-Toolkit2's simulator, which runs only what its own process has built: the ONNX model."""
    toolkit = importlib.import_module("rknn.api").RKNN(verbose=False)
    toolkit.config(target_platform="rk3588")
    toolkit.load_onnx(model=model)
    toolkit.build(do_quantization=False)
    toolkit.init_runtime()
    return lambda: toolkit.inference(inputs=[image], data_format=["nchw"])[0]


def tpu(model: str, image: Any) -> Run:
    """TPU-MLIR's runtime on its simulator."""
    # The package adds the folders of its modules to the path.
    importlib.import_module("tpu_mlir")
    loaded = importlib.import_module("pyruntime_bm").Model(model, 0, "")
    network = loaded.Net(loaded.networks[0])

    def run() -> Any:
        assert loaded, "the network uses the model, which must stay alive"
        network.inputs[0].data[...] = image
        network.forward()
        return network.outputs[0].data

    return run


def main(sdk: str, model: str, source: str, target: str) -> None:
    """Load, run once, and run on request until stdin is closed."""
    answers = os.fdopen(os.dup(1), "w")
    # SDKs print to stdout.
    os.dup2(2, 1)
    image = np.load(source)
    run = {"rknn": rknn, "tpu": tpu}[sdk](model, image)
    out = np.array(run())
    np.save(target, out)
    print("ready", file=answers, flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        np.copyto(out, run())
        print(1e3 * (time.perf_counter() - start), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
