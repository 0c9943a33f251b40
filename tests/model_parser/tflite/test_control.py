"""IF and WHILE equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import LiteError
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check, error
from tests.model_parser.tflite.models import Case, noise, quantised

pytest.importorskip("ai_edge_litert")

SCALE: dict[str, Any] = {"scale": 0.05, "zero": 3}


def unary(main: TfliteBuilder, *ops: str, dtype: str = "float32", scaled: bool = False) -> None:
    """Add a subgraph of ops from one tensor [2, 3] to another."""
    builder = TfliteBuilder(main)
    names = [
        builder.tensor("x" if n == 0 else f"t{n}", (2, 3), dtype, **(SCALE if scaled else {}))
        for n in range(len(ops) + 1)
    ]
    for op, source, result in zip(ops, names[:-1], names[1:], strict=True):
        builder.op(op, [source], [result])
    main.subgraphs.append(builder.graph([names[0]], [names[-1]], f"graph{len(main.subgraphs)}"))


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("scaled", [False, True])
def test_if_runs_one_branch(flag: bool, scaled: bool) -> None:
    builder = TfliteBuilder()
    dtype, keys = ("int8", SCALE) if scaled else ("float32", {})
    c = builder.tensor("c", (1,), "bool")
    x, y = (builder.tensor(name, (2, 3), dtype, **keys) for name in "xy")
    for ops in (["RELU", "RELU6"], []):
        unary(builder, *ops, dtype=dtype, scaled=scaled)
    builder.op("IF", [c, x], [y], {0: ("i", 1), 1: ("i", 2)})
    array = quantised(noise(2, 3), (0.05, 3)) if scaled else noise(2, 3)
    check(Case("if", builder.model([c, x], [y]), [np.array([flag]), array]))


@pytest.mark.parametrize("flag", [True, False])
def test_if_with_two_results_a_constant_and_an_if_inside(flag: bool) -> None:
    builder = TfliteBuilder()
    then, other = TfliteBuilder(builder), TfliteBuilder(builder)
    a, b, p, q = (then.tensor(name, (2, 3)) for name in "abpq")
    then.op("ADD", [a, b], [p], {0: ("b", 0)})
    then.op("MUL", [p, then.constant("two", np.full(3, 2, np.float32))], [q], {0: ("b", 0)})
    builder.subgraphs.append(then.graph([a, b], [q, p], "then"))
    a, b, p = (other.tensor(name, (2, 3)) for name in "abp")
    zero = other.constant("zero", np.zeros((1, 1), np.float32))
    total, lower = other.tensor("total", (1, 1)), other.tensor("lower", (1, 1), "bool")
    other.op("SUM", [a, other.constant("axes", np.array([0, 1], np.int32))], [total], {0: ("?", True)})
    other.op("LESS", [total, zero], [lower])
    other.op("IF", [lower, b], [p], {0: ("i", 3), 1: ("i", 4)})
    kept = other.constant("kept", noise(2, 3, seed=5))
    builder.subgraphs.append(other.graph([a, b], [p, kept], "else"))
    unary(builder, "ABS")
    unary(builder, "NEG")
    c = builder.tensor("c", (1,), "bool")
    x, y, first, second = (builder.tensor(name, (2, 3)) for name in ("x", "y", "first", "second"))
    builder.op("IF", [c, x, y], [first, second], {0: ("i", 1), 1: ("i", 2)})
    result = builder.tensor("result", (2, 3))
    builder.op("SUB", [first, second], [result], {0: ("b", 0)})
    arrays = [np.array([flag]), noise(2, 3), noise(2, 3, seed=1)]
    check(Case("if", builder.model([c, x, y], [result, first]), arrays))


def loop() -> TfliteBuilder:
    """While n < 4: n, x, y, w become n + 1, y, x · w, w."""
    main = TfliteBuilder()
    test, body = TfliteBuilder(main), TfliteBuilder(main)
    shapes = {
        "n": ((1,), "int32"),
        "x": ((2, 3), "float32"),
        "y": ((2, 3), "float32"),
        "w": ((3,), "float32"),
    }
    values = [test.tensor(name, *shape) for name, shape in shapes.items()]
    holds = test.tensor("holds", (1,), "bool")
    test.op("LESS", [values[0], test.constant("limit", np.array([4], np.int32))], [holds])
    main.subgraphs.append(test.graph(values, [holds], "cond"))
    n, x, y, w = (body.tensor(name, *shape) for name, shape in shapes.items())
    following, product = body.tensor("following", (1,), "int32"), body.tensor("product", (2, 3))
    body.op("ADD", [n, body.constant("one", np.array([1], np.int32))], [following], {0: ("b", 0)})
    body.op("MUL", [x, w], [product], {0: ("b", 0)})
    main.subgraphs.append(body.graph([n, x, y, w], [following, y, product, w], "body"))
    return main


@pytest.mark.parametrize("start", [0, 1, 4, 9])
def test_while_carries_values_that_swap(start: int) -> None:
    builder = loop()
    x, y, w = builder.tensor("x", (2, 3)), builder.tensor("y", (2, 3)), builder.tensor("w", (3,))
    n = builder.tensor("n", (1,), "int32")
    results = [builder.tensor("m", (1,), "int32"), builder.tensor("p", (2, 3)), builder.tensor("q", (2, 3))]
    results.append(builder.tensor("v", (3,)))
    builder.op("WHILE", [n, x, y, w], results, {0: ("i", 1), 1: ("i", 2)})
    total = builder.tensor("total", (2, 3))
    builder.op("ADD", results[1:3], [total], {0: ("b", 0)})
    arrays = [np.array([start], np.int32), noise(2, 3), noise(2, 3, seed=1), noise(3, seed=2)]
    check(Case("while", builder.model([n, x, y, w], [*results[:3], total]), arrays))


def recurrent() -> Case:
    """A layer as Keras exports it: h = tanh(x[n] · w + h · r), with the outputs written by SELECT_V2."""
    steps, batch, size = 4, 2, 3
    main = TfliteBuilder()
    test, body = TfliteBuilder(main), TfliteBuilder(main)
    shapes = {
        "n": ((), "int32"),
        "h": ((batch, size), "float32"),
        "out": ((steps, batch, size), "float32"),
        "x": ((steps, batch, size), "float32"),
    }
    values = [test.tensor(name, *shape) for name, shape in shapes.items()]
    holds = test.tensor("holds", (), "bool")
    test.op("LESS", [values[0], test.constant("limit", np.array(steps, np.int32))], [holds])
    main.subgraphs.append(test.graph(values, [holds], "cond"))
    n, h, out, x = (body.tensor(name, *shape) for name, shape in shapes.items())
    row, total = body.tensor("row", (batch, size)), body.tensor("total", (batch, size))
    projected, kept = body.tensor("projected", (batch, size)), body.tensor("kept", (batch, size))
    new, following = body.tensor("new", (batch, size)), body.tensor("following", (), "int32")
    body.op("GATHER", [x, n], [row], {0: ("i", 0)})
    for source, result, seed in ((row, projected, 1), (h, kept, 2)):
        weights = [
            body.constant(f"w{seed}", noise(size, size, seed=seed)),
            body.constant(f"b{seed}", noise(size)),
        ]
        body.op("FULLY_CONNECTED", [source, *weights], [result])
    body.op("ADD", [projected, kept], [total], {0: ("b", 0)})
    body.op("TANH", [total], [new])
    body.op("ADD", [n, body.constant("one", np.array(1, np.int32))], [following], {0: ("b", 0)})
    positions = body.constant("positions", np.arange(steps, dtype=np.int32).reshape(steps, 1, 1))
    chosen, updated = (
        body.tensor("chosen", (steps, 1, 1), "bool"),
        body.tensor("updated", (steps, batch, size)),
    )
    body.op("EQUAL", [positions, n], [chosen])
    row_of_all = body.tensor("row_of_all", (1, batch, size))
    body.op("EXPAND_DIMS", [new, body.constant("axis", np.array(0, np.int32))], [row_of_all])
    body.op("SELECT_V2", [chosen, row_of_all, out], [updated])
    main.subgraphs.append(body.graph([n, h, out, x], [following, new, updated, x], "body"))
    feed = main.tensor("feed", (steps, batch, size))
    start = [
        main.constant("start", np.array(0, np.int32)),
        main.constant("h0", np.zeros((batch, size), np.float32)),
        main.constant("out0", np.zeros((steps, batch, size), np.float32)),
    ]
    results = [main.tensor(f"{name}1", *shape) for name, shape in shapes.items()]
    main.op("WHILE", [*start, feed], results, {0: ("i", 1), 1: ("i", 2)})
    return Case("recurrent", main.model([feed], results[1:3]), [noise(steps, batch, size, seed=9)])


def test_a_recurrent_layer_in_a_loop() -> None:
    check(recurrent())


def test_subgraphs_that_do_not_fit_are_refused() -> None:
    assert _if_error(1, 9).endswith(
        "operator 0 (IF): expected a number of an existing subgraph below 3, got 9"
    )
    assert _if_error(1, 0).endswith("operator 0 (IF): subgraph 0 contains itself")
    assert _if_error(1, 2, count=2).endswith("operator 0 (IF): subgraph 2: expected 2 inputs, got 1")


def _if_error(then: int, other: int, count: int = 1) -> str:
    builder = TfliteBuilder()
    c, y = builder.tensor("c", (1,), "bool"), builder.tensor("y", (2, 3))
    inputs = [builder.tensor(f"x{n}", (2, 3)) for n in range(count)]
    unary(builder, "RELU")
    unary(builder, "NEG")
    builder.op("IF", [c, *inputs], [y], {0: ("i", then), 1: ("i", other)})
    return error(builder.model([c, *inputs], [y]))


def test_unsupported_operators_of_a_branch_are_named() -> None:
    builder = TfliteBuilder()
    c, x, y = builder.tensor("c", (1,), "bool"), builder.tensor("x", (2, 3)), builder.tensor("y", (2, 3))
    unary(builder, "CUSTOM")
    builder.codes[-1][1] = "TransposeBias"
    builder.op("IF", [c, x], [y], {0: ("i", 1), 1: ("i", 1)})
    assert error(builder.model([c, x], [y])).endswith(
        "operator 0 (IF): subgraph 1: 1 TFLite op types are not supported: CUSTOM:TransposeBias (1x)"
    )


def test_damaged_models_load_or_are_refused() -> None:
    source = random.Random(1)
    model, refused = recurrent().model, 0
    for _ in range(100):
        data = bytearray(model)
        for _ in range(source.randint(1, 4)):
            data[source.randrange(8, len(data))] = source.choice((0, 1, 2, 127, 128, 255))
        try:
            lite.create_predictor(lite.Config(model_buffer=bytes(data)))
        except LiteError:
            refused += 1
    assert 20 < refused < 100
