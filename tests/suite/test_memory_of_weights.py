"""The memory that a process keeps for weights of different types, as the system measures it.

What a program no longer needs after it was built goes back to the system first: Python keeps cycles of
objects until it collects them, and glibc keeps freed memory for later arrays.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite.ir.types import Array

onnx = pytest.importorskip("onnx")
pytest.importorskip("numba", reason="compiled kernels need the extra jit")

LAYERS, WIDTH, BLOCK = 12, 1024, 128
OPSETS = (("", 17), ("com.microsoft", 1))

MEASURE = """
import ctypes
import gc
import sys
import numpy as np
import lite

trim = getattr(ctypes.CDLL(None), "malloc_trim", None)

def private():
    gc.collect()
    if trim is not None:
        trim(0)
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

x = np.ones((8, 1024), np.float32)
small = lite.create_predictor(lite.Config(sys.argv[1]))
small.run([x])
before = private()
predictor = lite.create_predictor(lite.Config(sys.argv[2]))
predictor.run([x])
print(private() - before)
"""


def write(path: Path, kind: str, layers: int) -> Path:
    """A chain of matrix products with weights of a type, in ONNX's format."""
    random = np.random.default_rng(1)
    nodes, constants, x = [], [], "x"

    def constant(array: Array, name: str) -> str:
        constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    for n in range(layers):
        weights = (random.standard_normal((WIDTH, WIDTH)) / 32).astype(np.float32)
        if kind == "float16":
            stored = constant(weights.astype(np.float16), f"h{n}")
            nodes.append(onnx.helper.make_node("Cast", [stored], [f"w{n}"], to=onnx.TensorProto.FLOAT))
        elif kind == "int8":
            scale = (np.abs(weights).max(0) / 127).astype(np.float32)
            stored = constant(np.rint(weights / scale).astype(np.int8), f"q{n}")
            nodes.append(
                onnx.helper.make_node(
                    "DequantizeLinear", [stored, constant(scale, f"s{n}")], [f"w{n}"], axis=1
                )
            )
        elif kind == "int4":
            blocks = WIDTH // BLOCK
            packed = constant(random.integers(0, 256, (WIDTH, blocks, BLOCK // 2), np.uint8), f"q{n}")
            scale = constant(np.full(WIDTH * blocks, 2.0**-8, np.float32), f"s{n}")
            size = {"N": WIDTH, "K": WIDTH, "bits": 4, "block_size": BLOCK}
            nodes.append(
                onnx.helper.make_node(
                    "MatMulNBits", [x, packed, scale], [f"m{n}"], domain="com.microsoft", **size
                )
            )
        else:
            constant(weights, f"w{n}")
        if kind != "int4":
            nodes.append(onnx.helper.make_node("MatMul", [x, f"w{n}"], [f"m{n}"]))
        nodes.append(onnx.helper.make_node("Relu", [f"m{n}"], [f"y{n}"]))
        x = f"y{n}"
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "products",
        [value("x", onnx.TensorProto.FLOAT, [8, WIDTH])],
        [value(x, onnx.TensorProto.FLOAT, None)],
        constants,
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid(*each) for each in OPSETS], ir_version=9
    )
    path.write_bytes(model.SerializeToString())
    return path


def measured(kind: str, folder: Path, root: Path) -> int:
    """The bytes of private memory by which a process grows."""
    first, model = (write(folder / f"{n}.onnx", kind, n) for n in (1, LAYERS))
    command = [sys.executable, "-c", MEASURE, str(first), str(model)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    return int(ended.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the system has no /proc")
def test_weights_take_the_memory_of_their_bits(tmp_path: Path, root: Path) -> None:
    kinds = ("float32", "float16", "int8", "int4")
    whole, half, quarter, eighth = (measured(kind, tmp_path, root) for kind in kinds)
    assert 0.4 < half / whole < 0.6
    assert 0.2 < quarter / whole < 0.35
    # Twice: as passes write numbers of four bits, and as kernels pack them.
    assert 0.2 < eighth / whole < 0.35
