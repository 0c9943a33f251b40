"""An activation of straight lines with a schema and a host kernel runs on every target and device."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# The process declares the op before it loads any plug-in.
SCRIPT = """
import json, sys

import numpy as np

import lite
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.ops.clamp import Clamp
from lite.ops.infer_graph import infer_graph
from lite.ops.rules import same_as
from lite.ops.schema import Trait, op
from lite.plugin.kernel import kernel

op(
    "ramp", "min(max(2 X + 1, low), high).", "X:float", "Out", same_as("X"),
    attrs={"low": 0.0, "high": 3.0}, traits=(Trait.CLAMP,), lod="X", inplace={"Out": "X"},
    clamp=lambda low, high: Clamp(2.0, 1.0, low, high),
)


@kernel("ramp")
def ramp(X, *, low: float, high: float, out=None):
    return np.clip(2 * X + 1, low, high, out=out)


graph = parse_graph('''
    graph main(%x: float32[2,4]) {
      %w = const float32[4,4] random(7)
      %p = matmul_v2(X=%x, Y=%w)
      %a = ramp(X=%p) {high = 2.5}
      %b = elementwise_add(X=%a, Y=%x) {axis = -1}
      %c = ramp(X=%b) {low = 2.0}
      %d = relu(X=%c)
      return %d
    }
''')
infer_graph(graph)
lite.save_program(lower_graph(graph), sys.argv[1])
x = np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32)
predictor = lite.create_predictor(lite.Config(sys.argv[1], **json.loads(sys.argv[2])))
(y,) = predictor.run([x]).values()
w = graph.constants["w"].data
expected = np.clip(2 * (np.clip(2 * (x @ w) + 1, 0, 2.5) + x) + 1, 2, 3)
np.testing.assert_allclose(y, expected, rtol=1e-5)
regions = [(region.device, len(region.ops)) for region in predictor.report().regions]
print(json.dumps([[item.op for item in predictor._state.plan.instructions], regions]))
"""


def run(root: Path, folder: Path, **config: object) -> tuple[list[str], list[list[object]]]:
    """The ops of the plan, and each region with its device and number of ops; the results are checked."""
    command = [sys.executable, "-c", SCRIPT, str(folder / "model"), json.dumps(config)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ops, regions = json.loads(done.stdout)
    return ops, regions


def test_it_runs_on_the_host(root: Path, tmp_path: Path) -> None:
    ops, regions = run(root, tmp_path, valid_places=["host"], passes=[])

    assert ops == ["matmul_v2", "ramp", "elementwise_add", "ramp", "relu"]
    assert regions == []


def test_compiled_kernels_fuse_it(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    ops, _ = run(root, tmp_path)

    assert "ramp" not in ops


@pytest.mark.parametrize(
    ("device", "sdk"), [("sim_npu", "numpy"), ("openvino", "openvino"), ("onnxruntime",) * 2]
)
def test_it_runs_on_devices(root: Path, tmp_path: Path, device: str, sdk: str) -> None:
    pytest.importorskip(sdk)
    _, regions = run(root, tmp_path, devices=[device], fallback="error")

    assert regions == [[device, 5]]
