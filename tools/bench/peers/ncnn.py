"""ncnn, with the output of the converter pnnx."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from lite.tools.bench.peers.converted import converted, run_converter
from lite.tools.bench.peers.peer import CannotRunError, Feeds, Files, PackagePeer, Run

_FILES = ("model.ncnn.param", "model.ncnn.bin")


def load(files: Files, feeds: Feeds, threads: int) -> Run:
    """Load with float32, also for weights, which ncnn stores as float16 by default."""
    import ncnn

    param, weights = _convert(files.onnx, feeds)
    net = ncnn.Net()
    net.opt.num_threads = threads
    net.opt.use_vulkan_compute = False
    for option in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage"):
        setattr(net.opt, f"use_{option}", False)
    if net.load_param(str(param)) != 0 or net.load_model(str(weights)) != 0:
        raise CannotRunError("it cannot load the output of its converter")
    names = net.input_names()
    if len(names) != len(feeds):
        raise CannotRunError(f"its converter kept {len(names)} of {len(feeds)} inputs")
    inputs = {name: _without_batch(array) for name, array in zip(names, feeds.values(), strict=True)}
    outputs = net.output_names()

    def run() -> Sequence[Array]:
        extractor = net.create_extractor()
        for name, array in inputs.items():
            # The clone pads channels, which ncnn's kernels need; they may crash on a plain numpy array.
            extractor.input(name, ncnn.Mat(array).clone())
        arrays = []
        for name in outputs:
            status, mat = extractor.extract(name)
            if status != 0:
                raise CannotRunError(f"it fails with status {status}")
            arrays.append(np.array(mat)[np.newaxis])
        return arrays

    return run


def _without_batch(array: Array) -> Array:
    """ncnn has no batch dimension; its converter removes a first dimension of 1."""
    return np.ascontiguousarray(array[0]) if array.ndim > 1 and array.shape[0] == 1 else array


def _convert(onnx: Path, feeds: Feeds) -> Sequence[Path]:
    spec = importlib.util.find_spec("pnnx")
    # Importing pnnx would import torch, which the program in its folder does not need.
    places = (spec.submodule_search_locations if spec else None) or []
    program = next((path for place in places if (path := shutil.which("pnnx", path=place))), None)
    if program is None:
        raise CannotRunError("its converter is not installed; run: pip install --no-deps pnnx")

    def convert(folder: Path) -> None:
        shutil.copy(onnx, folder / "model.onnx")
        examples = [f"feed{n}.npy" for n in range(len(feeds))]
        for file, array in zip(examples, feeds.values(), strict=True):
            np.save(folder / file, array)
        run_converter([program, "model.onnx", f"input={','.join(examples)}", "fp16=0"], folder)

    shapes = "_".join("x".join(map(str, array.shape)) or "scalar" for array in feeds.values())
    return converted(onnx, f"pnnx-{importlib.metadata.version('pnnx')}-{shapes}", _FILES, convert)


NCNN = PackagePeer("ncnn", "ncnn", "ncnn", load)
