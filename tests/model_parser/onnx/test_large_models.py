"""A model with 500 MB of external data takes memory only for the weights that are used.

The file is sparse: each weight has one number at its start and zeros that take no space on the disk.
Pages of the file count as memory once they are read.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.model_parser.onnx.external import external_tensor, save

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="only Linux has VmRSS in /proc"),
]

log = logging.getLogger(__name__)

SIZE, LAYERS = 3584, 10
WEIGHT = SIZE * SIZE * 4
"""The size of each square weight in bytes; all have 514 MB."""

MEASURE = """\
import sys
import numpy as np
import lite

def used():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

config, tiny = (lite.Config(path) for path in sys.argv[1:])
lite.create_predictor(tiny).run([np.ones((2, 2), np.float32)])  # imports are not measured
x = np.ones((2, {size}), np.float32)
points = [used()]
program = lite.load_program(config)
points.append(used())
predictor = lite.create_predictor(config)
points.append(used())
part = predictor.run_part({{"r7": x}}, ["r9"])
points.append(used())
predictor.run([x])
points.append(used())
print(*points, sum(weight.array.nbytes for weight in program.weights.values()))
"""


def write(folder: Path, layers: int, size: int) -> Path:
    """A model of `layers` times ``r = relu(r · w)``."""
    folder.mkdir()
    names = ["x", *(f"r{n}" for n in range(layers))]
    nodes, weights = [], []
    with (folder / "weights.bin").open("wb") as file:
        for n in range(layers):
            offset = n * size * size * 4
            weights.append(
                external_tensor(f"w{n}", TensorProto.FLOAT, [size, size], "weights.bin", offset=offset)
            )
            nodes.append(helper.make_node("MatMul", [names[n], f"w{n}"], [f"h{n}"]))
            nodes.append(helper.make_node("Relu", [f"h{n}"], [names[n + 1]]))
            file.seek(offset)
            file.write(np.float32(n + 1).tobytes())
        file.truncate(layers * size * size * 4)
    feeds, fetched = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name in (names[0], names[-1])
    )
    graph = helper.make_graph(nodes, "g", [feeds], [fetched], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return save(model, folder / "model.onnx")


def test_weights_are_read_when_they_are_used(tmp_path: Path, root: Path) -> None:
    paths = [write(tmp_path / "large", LAYERS, SIZE), write(tmp_path / "tiny", 1, 2)]
    code = MEASURE.format(size=SIZE)
    command = [sys.executable, "-c", code, *map(str, paths)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    start, loaded, created, part, whole, weights = map(int, done.stdout.split())

    figures = ", ".join(f"{n >> 20}" for n in (start, loaded, created, part, whole))
    log.info(
        "RSS in MB at the start, loaded, with predictor, after two layers of ten, after all: %s", figures
    )
    assert weights == LAYERS * WEIGHT > 500_000_000
    assert loaded - start < 0.02 * weights
    assert created - start < 0.1 * weights
    # Two layers, each read from the file and packed for the kernel.
    assert 1.5 * WEIGHT < part - created < 4.5 * WEIGHT
    assert whole - start > 0.8 * weights
