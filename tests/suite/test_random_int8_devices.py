"""Random networks on the device that computes in int8 only, working and failing.

Float ranges are measured first.  What holds for the float device (`test_random_devices.py`) holds here, too:
a division into other regions changes no bit, a device that cannot be used changes nothing, and a run that
fails is repeated on the host.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import lite
from lite.ir.types import Array
from lite.quantization.ranges import measure_ranges
from tests.support.chip_arithmetic import Runs

SEEDS = range(int(os.environ.get("LITEBRIDGE_INT8_SEEDS", "24")))
DIVISIONS = ("max_ops=1", "max_ops=2", "max_inputs=1", "memory=true", "local_bytes=4096")
DEVICE = "sim_npu{{types=int8{}}}"
FAULTS = (
    "fail_at=available",
    "fail_at=convert",
    "fail_at=compile",
    "wrong_shape=true",
    "wrong_dtype=true",
    "fail_op=conv2d",
    "fail_op=elementwise_add",
    "fail_op=conv2d,name_fail_op=false",
)


Report = dict[str, Any]


@dataclass
class Network:
    """A random network of images under construction: the nodes, the weights, and the shape of each value."""

    rng: np.random.Generator
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: dict[str, Array] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def op(self, kind: str, inputs: list[str], shape: tuple[int, ...], **attrs: Any) -> None:
        name = f"v{len(self.shapes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], f"n{len(self.nodes)}", **attrs))
        self.shapes[name] = shape

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        scale = 1 / np.sqrt(math.prod(shape[1:]))
        self.weights[name] = (self.rng.standard_normal(shape) * scale).astype(np.float32)
        return name

    def image(self) -> str:
        return str(self.rng.choice([name for name, shape in self.shapes.items() if len(shape) == 4]))


def convolution(net: Network) -> None:
    x = net.image()
    batch, channels, *sizes = net.shapes[x]
    kernel, is_depthwise = int(net.rng.choice([1, 3])), net.rng.random() < 0.3
    outputs = channels if is_depthwise else int(net.rng.integers(1, 9))
    inputs = [x, net.weight(outputs, 1 if is_depthwise else channels, kernel, kernel)]
    if net.rng.random() < 0.6:
        inputs.append(net.weight(outputs))
    pads = [kernel // 2] * 4
    net.op("Conv", inputs, (batch, outputs, *sizes), pads=pads, group=channels if is_depthwise else 1)


def activation(net: Network) -> None:
    x = net.image()
    kind = str(net.rng.choice(["Relu", "Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu"]))
    net.op(kind, [x], net.shapes[x])


def binary(net: Network) -> None:
    x = net.image()
    others = [name for name, shape in net.shapes.items() if shape == net.shapes[x]]
    net.op(str(net.rng.choice(["Add", "Mul", "Sub"])), [x, str(net.rng.choice(others))], net.shapes[x])


def pooling(net: Network) -> None:
    x = net.image()
    *lead, height, width = net.shapes[x]
    if min(height, width) < 2:
        return
    kind = str(net.rng.choice(["MaxPool", "AveragePool"]))
    net.op(kind, [x], (*lead, height // 2, width // 2), kernel_shape=[2, 2], strides=[2, 2])


def join(net: Network) -> None:
    x = net.image()
    batch, channels, *sizes = net.shapes[x]
    fits = [name for name, shape in net.shapes.items() if len(shape) == 4 and list(shape[2:]) == sizes]
    other = str(net.rng.choice(fits))
    net.op("Concat", [x, other], (batch, channels + net.shapes[other][1], *sizes), axis=1)


def shuffle(net: Network) -> None:
    x = net.image()
    a, b, c, d = net.shapes[x]
    net.op("Transpose", [x], (a, b, d, c), perm=[0, 1, 3, 2])


def outside(net: Network) -> None:
    """An op that the device does not have."""
    x = net.image()
    net.op("Erf", [x], net.shapes[x])


PARTS: tuple[Callable[[Network], None], ...] = (
    convolution, convolution, activation, activation, binary, pooling, join, shuffle, outside,
)  # fmt: skip


def network(seed: int) -> tuple[bytes, Array]:
    """A model with one result, and an input."""
    rng = np.random.default_rng(seed)
    shape = (1, int(rng.integers(1, 5)), int(rng.integers(4, 9)), int(rng.integers(4, 9)))
    net = Network(rng)
    net.shapes["v0"] = shape
    for _ in range(int(rng.integers(2, 10))):
        PARTS[rng.integers(len(PARTS))](net)
    if not net.nodes:
        convolution(net)
    x = helper.make_tensor_value_info("v0", TensorProto.FLOAT, shape)
    last = net.nodes[-1].output[0]
    graph = helper.make_graph(
        net.nodes,
        "network",
        [x],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, net.shapes[last])],
        [numpy_helper.from_array(array, name) for name, array in net.weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString(), rng.standard_normal(shape).astype(np.float32)


@dataclass(frozen=True)
class Case:
    model: bytes
    recipe: Path
    x: Array

    def run(self, options: str, runs: int = 1, **config: Any) -> tuple[list[Array], Report]:
        """The results of some runs, and the report of the predictor."""
        predictor = lite.create_predictor(
            lite.Config(
                model_buffer=self.model,
                devices=[DEVICE.format(options and f",{options}")],
                recipe=self.recipe,
                min_subgraph_ops=1,
                **config,
            )
        )
        results = [next(iter(predictor.run([self.x]).values())).copy() for _ in range(runs)]
        return results, predictor.report().to_dict()

    def on_host(self) -> Array:
        [result] = lite.create_predictor(lite.Config(model_buffer=self.model)).run([self.x]).values()
        return result


def drawn(seed: int, folder: Path) -> Case:
    model, x = network(seed)
    recipe = folder / "recipe.json"
    measure_ranges(lite.Config(model_buffer=model), [[x]], recipe)
    return Case(model, recipe, x)


def placed(report: Report) -> list[str]:
    """The ops on the device, whatever their regions."""
    return sorted(op["name"] for op in report["ops"] if op["placed_on"] == "sim_npu")


def is_near(result: Array, expected: Array) -> bool:
    """Whether the error is that of a few int8 steps of intermediate values."""
    span = max(float(np.ptp(expected)), float(np.abs(expected).max()), 1e-3)
    return result.shape == expected.shape and float(np.abs(result - expected).max()) <= 0.25 * span


def differences(seed: int, folder: Path) -> list[str]:
    """What does not hold for a drawn network."""
    case = drawn(seed, folder)
    real = case.on_host()
    [whole, again], report = case.run("", 2, fallback="error")
    found = []

    def expect(holds: bool, what: str) -> None:
        if not holds:
            found.append(f"seed {seed}: {what}")

    expect(is_near(whole, real), f"far from float: {np.abs(whole - real).max()} of {np.ptp(real)}")
    expect(np.array_equal(whole, again), "two runs differ")
    for division in DIVISIONS:
        [part], other = case.run(division)
        is_same = placed(other) != placed(report) or np.array_equal(part, whole)
        expect(is_same and is_near(part, real), f"{division} changes the result")
    for fault in FAULTS:
        results, other = case.run(fault, 2)
        expect(all(is_near(result, real) for result in results), f"{fault}: far from float")
        expect(np.array_equal(results[0], results[1]), f"{fault}: two runs differ")
        if not placed(other):
            expect(np.allclose(results[0], real, rtol=1e-5, atol=1e-5), f"{fault}: not as without the device")
    # The regions of a model have one number of runs together.
    results, _ = case.run(f"fail_run={len(report['regions']) + 1}", 4)
    expect(np.array_equal(results[0], whole), "fail_run: the first run differs")
    expect(all(is_near(result, real) for result in results), "fail_run: far from float")
    expect(np.array_equal(results[2], results[3]), "fail_run: later runs differ")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_regions_equal_the_integer_kernels_of_the_host(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(monkeypatch)
    case = drawn(seed, tmp_path)
    for division in ("", "max_ops=1"):
        _, report = case.run(division, fallback="error")
        assert runs.count >= len(report["regions"])
    assert not runs.different


@pytest.mark.parametrize("seed", SEEDS)
def test_divisions_and_faults_of_the_device(seed: int, tmp_path: Path) -> None:
    assert not differences(seed, tmp_path)
