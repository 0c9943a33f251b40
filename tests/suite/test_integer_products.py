"""Random quantised convolutions and products: integer kernels against ONNX Runtime, within one step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="the peer needs the extra onnxruntime")
pytest.importorskip("numba", reason="compiled kernels need the extra jit")

STEP = 0.05
"""The step of the last quantisation."""

UNARY = ("Relu", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid", "Elu", "Neg", "Abs", "LeakyRelu", "Erf")


class Drawn:
    """A random model that quantises its input, and each result again, with ONNX's ops."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.size: list[int] = []

    def constant(self, array: Array) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, op: str, inputs: Sequence[str], **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def pair(self, x: str, step: float) -> str:
        is_signed = bool(self.random.integers(2))
        zero = np.array(self.random.choice([0, -9] if is_signed else [0, 128, 77]))
        numbers = [
            self.constant(np.array(step, np.float32)),
            self.constant(zero.astype(np.int8 if is_signed else np.uint8)),
        ]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, *numbers]), *numbers])

    def weight(self, shape: Sequence[int], axis: int) -> str:
        per_channel = bool(self.random.integers(2))
        scale = (0.01 + self.random.random(shape[axis] if per_channel else ())).astype(np.float32) / 60
        codes = self.random.integers(-128, 128, shape, np.int8)
        inputs = [self.constant(codes), self.constant(scale), self.constant(np.zeros(scale.shape, np.int8))]
        return self.node("DequantizeLinear", inputs, **({"axis": axis} if per_channel else {}))

    def activation(self, x: str) -> str:
        op = str(self.random.choice(["", "Relu", "HardSwish", "Sigmoid"]))
        return self.node(op, [x]) if op else x

    def convolution(self, x: str, channels: int) -> tuple[str, int]:
        is_depthwise = bool(self.random.integers(2))
        outputs = channels if is_depthwise else int(self.random.integers(1, 40))
        kernel = int(self.random.choice([1, 3, 5]))
        weight = self.weight((outputs, 1 if is_depthwise else channels, kernel, kernel), 0)
        bias = [self.constant(self.random.standard_normal(outputs).astype(np.float32))]
        attributes = {
            "group": channels if is_depthwise else 1,
            "pads": [kernel // 2] * 4,
            "strides": [int(self.random.integers(1, 3))] * 2,
        }
        return self.node("Conv", [x, weight, *bias[: self.random.integers(2)]], **attributes), outputs

    def images(self) -> tuple[Any, Array]:
        channels = int(self.random.integers(1, 20))
        shape = (2, channels, *(int(size) for size in self.random.integers(5, 30, 2)))
        x = self.pair("x", 0.03)
        for _ in range(3):
            y, channels = self.convolution(x, channels)
            if self.random.integers(2):
                y = self.node("Add", [y, self.node("Relu", [y])])
            x = self.pair(self.activation(y), STEP)
        return self.model(x, shape), self.random.standard_normal(shape).astype(np.float32)

    def rows(self) -> tuple[Any, Array]:
        shape = (3, int(self.random.integers(1, 9)), 4 * int(self.random.integers(1, 20)))
        x, depth = self.pair("x", 0.03), shape[-1]
        for _ in range(2):
            columns = 4 * int(self.random.integers(1, 30))
            y = self.node("MatMul", [x, self.weight((depth, columns), 1)])
            if self.random.integers(2):
                y = self.node(
                    "Add", [y, self.constant(self.random.standard_normal(columns).astype(np.float32))]
                )
            x, depth = self.pair(self.activation(y), STEP), columns
        return self.model(x, shape), self.random.standard_normal(shape).astype(np.float32)

    def elementwise(self, x: str, y: str) -> str:
        op = str(self.random.choice(["Add", "Mul", "Sub", "Max", "unary", "twice", "constant"]))
        if op == "unary":
            return self.pair(self.node(str(self.random.choice(UNARY)), [x]), STEP)
        if op == "twice":
            return self.pair(self.node("Mul", [x, self.pair(self.node("Sigmoid", [x]), 1 / 255)]), STEP)
        if op == "constant":
            numbers = self.constant(self.random.standard_normal(()).astype(np.float32))
            return self.pair(self.node("Mul", [x, numbers]), STEP)
        result = self.node(op, [x, y])
        return self.pair(self.activation(result) if self.random.integers(2) else result, STEP)

    def moved(self, x: str, channels: int) -> tuple[str, int]:
        """A quantised image after an op that moves its numbers, and its channels; the size stays."""
        op = str(self.random.choice(["MaxPool", "Concat", "Resize", "Transpose", "Reshape", "Slice"]))
        if op == "MaxPool":
            y = self.node("MaxPool", [x], kernel_shape=[3, 3], pads=[1] * 4)
        elif op == "Concat":
            other = self.pair(self.node("Relu", [x]), 0.04)
            y, channels = self.node("Concat", [x, other, x], axis=1), 3 * channels
        elif op == "Resize":
            scales = self.constant(np.array([1, 1, 2, 2], np.float32))
            large = self.node(
                "Resize",
                [x, "", scales],
                mode="nearest",
                coordinate_transformation_mode="asymmetric",
                nearest_mode="floor",
            )
            y = self.node("MaxPool", [large], kernel_shape=[2, 2], strides=[2, 2])
        elif op == "Transpose":
            y = self.node("Transpose", [self.node("Transpose", [x], perm=[0, 2, 3, 1])], perm=[0, 3, 1, 2])
        elif op == "Reshape":
            shape = self.constant(np.array([0, 0, -1], np.int64))
            flat = self.node("Reshape", [x, shape])
            back = self.constant(np.array([0, 0, *self.size], np.int64))
            y = self.node("Reshape", [self.pair(flat, 0.03), back])
        else:
            numbers = [self.constant(np.array([n], np.int64)) for n in (0, (channels + 1) // 2, 1)]
            y, channels = self.node("Slice", [x, *numbers]), (channels + 1) // 2
        return self.pair(y, float(self.random.choice([0.03, STEP]))), channels

    def mixed(self) -> tuple[Any, Array]:
        """Convolutions with elementwise ops and moves between, each result quantised: as tools write them."""
        channels = int(self.random.integers(1, 20))
        self.size = [int(size) for size in self.random.integers(5, 30, 2)]
        shape = (2, channels, *self.size)
        x = self.pair("x", 0.03)
        for _ in range(int(self.random.integers(2, 5))):
            kind = int(self.random.integers(4))
            if kind == 0:
                outputs = int(self.random.integers(1, 24))
                weight = self.weight((outputs, channels, 1, 1), 0)
                x, channels = self.pair(self.activation(self.node("Conv", [x, weight])), STEP), outputs
            elif kind == 1:
                x, channels = self.moved(x, channels)
            else:
                other = self.pair(self.node("Conv", [x, self.weight((channels, channels, 1, 1), 0)]), STEP)
                x = self.elementwise(x, other)
        return self.model(x, shape), self.random.standard_normal(shape).astype(np.float32)

    def exact(self) -> tuple[Any, Array]:
        """Like `mixed` without sums of products, so that no result depends on the order of a sum."""
        channels = int(self.random.integers(1, 40))
        self.size = [int(size) for size in self.random.integers(3, 30, 2)]
        shape = (2, channels, *self.size)
        x = self.pair("x", 0.03)
        for _ in range(int(self.random.integers(2, 7))):
            other = self.pair(self.node("Relu", [x]), 0.02)
            if self.random.integers(3):
                x = self.elementwise(x, other)
            else:
                x, channels = self.moved(x, channels)
        return self.model(x, shape), 2 * self.random.standard_normal(shape).astype(np.float32)

    def model(self, y: str, shape: Sequence[int]) -> Any:
        value = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(
            self.nodes,
            "drawn",
            [value("x", onnx.TensorProto.FLOAT, shape)],
            [value(y, onnx.TensorProto.FLOAT, None)],
            self.constants,
        )
        return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)


def reference(model: bytes, x: Array) -> Array:
    """Computed in floats: ONNX Runtime's own fusions of quantised ops are off."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    result: Array = session.run(None, {"x": x})[0]
    return result


@pytest.mark.parametrize("kind", ["images", "rows", "mixed"])
@pytest.mark.parametrize("seed", range(40))
def test_results_are_within_a_step(seed: int, kind: str, tmp_path: Path) -> None:
    drawn = Drawn(seed)
    model, x = getattr(drawn, kind)()
    content = model.SerializeToString()
    (tmp_path / "model.onnx").write_bytes(content)
    expected = reference(content, x)
    for precision, least_equal in (("strict", 0.999), ("default", 0.995)):
        predictor = lite.create_predictor(lite.Config(tmp_path / "model.onnx", precision=precision))
        [y] = predictor.run([x]).values()
        # A rounded sum next to a half moves one number by a step, and later sums with it.
        steps = np.abs(y - expected) / STEP
        assert y.shape == expected.shape
        assert (steps > 0.01).sum() <= max(1, (1 - least_equal) * steps.size), (precision, steps.max())


@pytest.mark.parametrize("seed", range(60))
def test_ops_between_integers_are_exact(seed: int, tmp_path: Path) -> None:
    """The host, without passes, is the reference of the compiled kernels, and ONNX Runtime its own."""
    model, x = Drawn(seed).exact()
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())

    [plain] = lite.create_predictor(lite.Config(path, passes=[], valid_places=["host"])).run([x]).values()
    steps = np.abs(plain - reference(path.read_bytes(), x)) / STEP
    # Functions such as tanh differ in the last bit, which rounds some numbers next to a half the other way.
    assert (steps < 0.01).mean() >= 0.999

    for precision in ("strict", "default"):
        predictor = lite.create_predictor(lite.Config(path, precision=precision))
        [y] = predictor.run([x]).values()
        np.testing.assert_array_equal(y, plain, err_msg=precision)
