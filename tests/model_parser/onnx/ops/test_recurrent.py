"""LSTM, GRU and RNN against onnxruntime."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import model_of, run

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
LAYERS: list[tuple[str, dict[str, Any]]] = [
    ("LSTM", {}),
    ("LSTM", {"input_forget": 1}),
    ("GRU", {}),
    ("GRU", {"linear_before_reset": 1}),
    ("RNN", {}),
    ("RNN", {"clip": 0.5}),
    ("RNN", {"activations": ["Relu"]}),
    ("RNN", {"activations": ["Affine"], "activation_alpha": [0.5], "activation_beta": [0.1]}),
]


@pytest.mark.parametrize(("op", "layer_attrs"), LAYERS, ids=str)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("constants", [[], [1, 2, 3]])
def test_a_layer_equals_onnxruntime(
    op: str, layer_attrs: dict[str, Any], direction: str, constants: list[int]
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    rng, directions = np.random.default_rng(0), 2 if direction == "bidirectional" else 1
    rows = GATES[op] * 4
    shapes = [
        (5, 2, 3),
        (directions, rows, 3),
        (directions, rows, 4),
        (directions, 2 * rows),
        (directions, 2, 4),
    ]
    x, w, r, b, h = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    inputs: list[Array | None] = [x, w, r, b, np.array([5, 3], np.int32), h]
    attrs = {
        name: value * directions if isinstance(value, list) else value for name, value in layer_attrs.items()
    }
    count = 3 if op == "LSTM" else 2
    attrs |= {"hidden_size": 4, "direction": direction}
    model = model_of(op, inputs, attrs, opset=17, outputs=count, constants=constants)
    for value in model.graph.output:
        value.type.tensor_type.elem_type = 1
    feeds = {f"x{n}": array for n, array in enumerate(inputs) if array is not None and n not in constants}

    results = run(model, feeds)

    model.ir_version = 8
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
    for output, array in itertools.zip_longest(results.values(), expected):
        assert output.shape == array.shape
        np.testing.assert_allclose(output, array, rtol=1e-6, atol=2e-5)


FUNCTIONS = {
    "Affine": 2, "Elu": 1, "HardSigmoid": 2, "LeakyRelu": 1, "Relu": 0, "ScaledTanh": 2, "Sigmoid": 0,
    "Softplus": 0, "Softsign": 0, "Tanh": 0, "ThresholdedRelu": 1,
}  # fmt: skip
"""The numbers that each function takes: none, alpha, or alpha and beta."""
COUNTS = {"LSTM": 3, "GRU": 2, "RNN": 1}
"""The functions of each op."""


def drawn_layer(op: str, seed: int) -> tuple[dict[str, Any], list[Array | None]]:
    """Attributes with a limit for clipping, and inputs that are large enough to reach it."""
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    direction = choose.choice(["forward", "reverse", "bidirectional"])
    directions = 2 if direction == "bidirectional" else 1
    attrs: dict[str, Any] = {
        "hidden_size": 4, "direction": direction, "clip": choose.choice([0.2, 0.5, 1.0, 2.0])
    }  # fmt: skip
    if choose.random() < 0.7:
        names = choose.choices([*FUNCTIONS], k=COUNTS[op] * directions)
        attrs["activations"] = names
        alphas = [choose.uniform(0.2, 0.8) for name in names if FUNCTIONS[name]]
        betas = [choose.uniform(0.1, 0.5) for name in names if FUNCTIONS[name] == 2]
        attrs |= {"activation_alpha": alphas} if alphas else {}
        attrs |= {"activation_beta": betas} if betas else {}
    if op == "LSTM":
        attrs["input_forget"] = choose.randrange(2)
    if op == "GRU":
        attrs["linear_before_reset"] = choose.randrange(2)

    def array(*shape: int) -> Array:
        return np.asarray(rng.standard_normal(shape) * 1.5).astype(np.float32)

    def maybe(value: Array) -> Array | None:
        return value if choose.random() < 0.6 else None

    rows = GATES[op] * 4
    inputs: list[Array | None] = [array(5, 2, 3), array(directions, rows, 3), array(directions, rows, 4)]
    inputs += [maybe(array(directions, 2 * rows)), maybe(np.array([5, 3], np.int32))]
    inputs += [maybe(array(directions, 2, 4)) for _ in range(2 if op == "LSTM" else 1)]
    return attrs, [*inputs, maybe(array(directions, 12))] if op == "LSTM" else inputs


@pytest.mark.parametrize("op", GATES)
def test_clipped_layers_equal_onnxruntime(op: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    for seed in range(16):
        attrs, inputs = drawn_layer(op, seed)
        count = 3 if op == "LSTM" else 2
        model = model_of(op, inputs, attrs, opset=17, outputs=count)
        for value in model.graph.output:
            value.type.tensor_type.elem_type = 1
        model.ir_version = 8
        feeds = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}

        results = run(model, feeds)

        expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
        for output, array in itertools.zip_longest(results.values(), expected):
            np.testing.assert_allclose(output, array, rtol=1e-4, atol=5e-5, err_msg=f"{seed}: {attrs}")


def test_rnn_with_the_batch_axis_first() -> None:
    rng = np.random.default_rng(1)
    x, w, r = (rng.standard_normal(shape).astype(np.float32) for shape in [(2, 5, 3), (1, 4, 3), (1, 4, 4)])

    results = run(
        model_of("RNN", [x, w, r], {"hidden_size": 4, "layout": 1}, outputs=2), {"x0": x, "x1": w, "x2": r}
    )

    state, out = np.zeros((2, 4), np.float32), []
    for step in range(5):
        state = np.tanh(x[:, step] @ w[0].T + state @ r[0].T)
        out.append(state)
    np.testing.assert_allclose(results["y0"], np.stack(out, 1)[:, :, None], atol=1e-5)
    np.testing.assert_allclose(results["y1"], state[:, None], atol=1e-5)
