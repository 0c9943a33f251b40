"""MNN, with the output of its own converter."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx

from lite.ir.types import Array
from lite.tools.bench.peers.converted import converted, run_converter
from lite.tools.bench.peers.peer import CannotRunError, Feeds, Files, PackagePeer, Run

_CONVERT = "import sys, MNN, _tools; _tools.mnnconvert(sys.argv)"
"""The function that MNN's command line calls.  Importing `MNN.tools` runs pip in the first Python on the
path, to install a library that reports each conversion."""

_SETTINGS = {"backend": "CPU", "precision": "high"}
_WINOGRAD_MEMORY_LEVEL = 3
"""MNN's number of the hint, which has no name in Python."""


def load(files: Files, feeds: Feeds, threads: int) -> Run:
    """Load with float32 (precision "high") and small Winograd tiles.

    With large tiles, which are not faster on these models, the error of PP-OCR's detector is 3e-3.
    """
    from MNN import expr, nn

    graph = onnx.load(files.onnx, load_external_data=False).graph
    weights = {each.name for each in graph.initializer}
    names = [each.name for each in graph.input if each.name not in weights]
    runtime = nn.create_runtime_manager(({**_SETTINGS, "numThread": threads},))
    runtime.set_hint(_WINOGRAD_MEMORY_LEVEL, 0)
    module = nn.load_module_from_file(
        str(_convert(files.onnx)),
        names,
        [each.name for each in graph.output],
        runtime_manager=runtime,
    )
    types = {"float32": expr.float, "int32": expr.int}
    # MNN has no 64-bit integers: its converter narrows them.
    arrays = [array.astype(np.int32) if array.dtype == np.int64 else array for array in feeds.values()]
    unknown = [array.dtype.name for array in arrays if array.dtype.name not in types]
    if unknown:
        raise CannotRunError(f"this benchmark does not pass {unknown[0]} inputs to it")
    inputs = [expr.placeholder(list(array.shape), expr.NCHW, types[array.dtype.name]) for array in arrays]

    def run() -> Sequence[Array]:
        for variable, array in zip(inputs, arrays, strict=True):
            variable.write(array)
        results = module.onForward(inputs)
        return [_in_order(variable) for variable in results]

    def _in_order(variable: expr.Var) -> Array:
        blocked = variable.data_format == expr.NC4HW4
        return np.array((expr.convert(variable, expr.NCHW) if blocked else variable).read())

    return run


def _convert(path: Path) -> Path:
    def convert(folder: Path) -> None:
        options = ["-f", "ONNX", "--modelFile", str(path.resolve()), "--MNNModel", "model.mnn"]
        run_converter([sys.executable, "-c", _CONVERT, *options, "--bizCode", "litebridge"], folder)

    [model] = converted(path, f"mnn-{importlib.metadata.version('MNN')}", ["model.mnn"], convert)
    return model


MNN = PackagePeer("MNN", "MNN", "MNN", load)
