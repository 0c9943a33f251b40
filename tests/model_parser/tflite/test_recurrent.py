"""Plain recurrent layers and SVDF equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check, error
from tests.model_parser.tflite.models import Case, noise

pytest.importorskip("ai_edge_litert")

STEPS, BATCH, SIZE, HIDDEN = 5, 2, 3, 4
NONE, RELU, RELU_N1_TO_1, RELU6, TANH = range(5)


def layer(builder: TfliteBuilder, seed: int = 0, dtype: str = "float32") -> list[int]:
    """Weights, recurrent weights, bias and the state."""
    shapes = {"w": (HIDDEN, SIZE), "r": (HIDDEN, HIDDEN), "b": (HIDDEN,)}
    numbers: list[int] = []
    for name, shape in shapes.items():
        array = noise(*shape, seed=seed + len(numbers)) * 2
        if dtype == "float32" or name == "b":
            numbers.append(builder.constant(f"{name}.{seed}", array))
            continue
        scale = float(np.abs(array).max() / 127)
        stored = np.rint(array / scale).astype(np.int8)
        numbers.append(builder.constant(f"{name}.{seed}", stored, scale=scale, zero=0))
    return [*numbers, builder.tensor(f"h.{seed}", (BATCH, HIDDEN), is_variable=True)]


def rnn(activation: int, *, time_major: bool = False, dtype: str = "float32") -> Case:
    builder = TfliteBuilder()
    leading = (STEPS, BATCH) if time_major else (BATCH, STEPS)
    x, y = builder.tensor("x", (*leading, SIZE)), builder.tensor("y", (*leading, HIDDEN))
    options = {0: ("?", time_major), 1: ("b", activation)}
    builder.op("UNIDIRECTIONAL_SEQUENCE_RNN", [x, *layer(builder, dtype=dtype)], [y], options)
    return Case("rnn", builder.model([x], [y]), [noise(*leading, SIZE, seed=9)])


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("activation", [NONE, RELU, RELU6, RELU_N1_TO_1, TANH])
def test_sequences(activation: int, time_major: bool) -> None:
    check(rnn(activation, time_major=time_major))


def test_quantised_weights_are_near() -> None:
    check(rnn(TANH, dtype="int8"), 3e-2)


def test_one_step() -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (BATCH, SIZE)), builder.tensor("y", (BATCH, HIDDEN))
    builder.op("RNN", [x, *layer(builder)], [y], {0: ("b", RELU)})
    check(Case("rnn", builder.model([x], [y]), [noise(BATCH, SIZE, seed=9)]))


@pytest.mark.parametrize("has_auxiliary", [False, True])
@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
def test_both_directions(time_major: bool, merge: bool, has_auxiliary: bool) -> None:
    builder = TfliteBuilder()
    leading = (STEPS, BATCH) if time_major else (BATCH, STEPS)
    feeds = [builder.tensor(f"x{n}", (*leading, SIZE)) for n in range(1 + has_auxiliary)]
    inputs = [feeds[0], *layer(builder), *layer(builder, 20), feeds[1] if has_auxiliary else -1, -1, -1]
    widths = [2 * HIDDEN] if merge else [HIDDEN, HIDDEN]
    results = [builder.tensor(f"y{n}", (*leading, width)) for n, width in enumerate(widths)]
    options = {0: ("?", time_major), 1: ("b", TANH), 2: ("?", merge)}
    builder.op("BIDIRECTIONAL_SEQUENCE_RNN", inputs, results, options)
    arrays = [noise(*leading, SIZE, seed=n) for n in range(len(feeds))]
    check(Case("bidirectional", builder.model(feeds, results), arrays))


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("activation", [NONE, RELU, RELU6])
@pytest.mark.parametrize("has_bias", [False, True])
def test_svdf(rank: int, activation: int, has_bias: bool, caplog: pytest.LogCaptureFixture) -> None:
    builder, memory = TfliteBuilder(), 6
    rows = HIDDEN * rank
    inputs = [builder.tensor("x", (BATCH, SIZE)), builder.constant("f", 4 * noise(rows, SIZE))]
    inputs.append(builder.constant("t", noise(rows, memory, seed=1)))
    inputs.append(builder.constant("b", noise(HIDDEN, seed=2)) if has_bias else -1)
    inputs.append(builder.tensor("s", (BATCH, memory * rows), is_variable=True))
    y = builder.tensor("y", (BATCH, HIDDEN))
    builder.op("SVDF", inputs, [y], {0: ("i", rank), 1: ("b", activation)})
    check(Case("svdf", builder.model(inputs[:1], [y]), [noise(BATCH, SIZE, seed=3)]))
    assert "each run starts with zeros in the states s; TensorFlow Lite's" in caplog.text


def test_an_unknown_activation_and_computed_weights_are_refused() -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (BATCH, SIZE)), builder.tensor("y", (BATCH, HIDDEN))
    inputs = [x, *layer(builder)]
    builder.op("RNN", inputs, [y], {0: ("b", 5)})
    text = error(builder.model([x], [y]))
    assert text.endswith("(RNN): the activation SIGN_BIT is not supported in a recurrent layer")
    builder.operators.clear()
    inputs[1] = builder.tensor("z", (HIDDEN, SIZE))
    builder.op("RNN", inputs, [y], {0: ("b", TANH)})
    text = error(builder.model([x, inputs[1]], [y]))
    assert text.endswith("operator 0 (RNN): input 1 ('z'): expected a constant")


def test_a_state_in_a_branch_is_refused() -> None:
    builder = TfliteBuilder()
    branch = TfliteBuilder(builder)
    x, y = branch.tensor("x", (BATCH, SIZE)), branch.tensor("y", (BATCH, HIDDEN))
    branch.op("RNN", [x, *layer(branch)], [y], {0: ("b", TANH)})
    builder.subgraphs.append(branch.graph([x], [y], "branch"))
    c, x, y = (
        builder.tensor("c", (1,), "bool"),
        builder.tensor("x", (BATCH, SIZE)),
        builder.tensor("y", (BATCH, HIDDEN)),
    )
    builder.op("IF", [c, x], [y], {0: ("i", 1), 1: ("i", 1)})
    assert error(builder.model([c, x], [y])).endswith(
        "operator 0 (RNN): an operator with variable tensors is not supported inside of control flow"
    )
