"""Resource variables that an initialiser assigns equal TensorFlow Lite's interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check, error
from tests.model_parser.tflite.models import Case, noise

pytest.importorskip("ai_edge_litert")


def handle(builder: TfliteBuilder, name: str) -> int:
    number = builder.tensor(f"{name}.handle", (1,), "resource")
    builder.op("VAR_HANDLE", [], [number], {0: "", 1: name})
    return number


def initialiser(main: TfliteBuilder, values: dict[str, np.ndarray[Any, Any]], *, computed: bool) -> None:
    """Add a subgraph that assigns constants, or their negatives."""
    builder = TfliteBuilder(main)
    for name, array in values.items():
        value = builder.constant(f"{name}.value", array)
        if computed:
            negative = builder.tensor(f"{name}.negative", array.shape, str(array.dtype))
            builder.op("NEG", [value], [negative])
            value = negative
        builder.op("ASSIGN_VARIABLE", [handle(builder, name), value], [])
    main.subgraphs.append(builder.graph([], [], "init"))


def model(values: dict[str, np.ndarray[Any, Any]], *, computed: bool = False) -> TfliteBuilder:
    builder = TfliteBuilder()
    initialiser(builder, values, computed=computed)
    builder.op("CALL_ONCE", [], [], {0: ("i", 1)})
    return builder


@pytest.mark.parametrize("computed", [False, True])
def test_variables_are_read(computed: bool) -> None:
    builder = model({"w": noise(2, 3, seed=1), "b": noise(3, seed=2)}, computed=computed)
    x, y, z = (builder.tensor(name, (2, 3)) for name in "xyz")
    w, b = builder.tensor("w", (2, 3)), builder.tensor("b", (3,))
    builder.op("READ_VARIABLE", [handle(builder, "w")], [w])
    builder.op("READ_VARIABLE", [handle(builder, "b")], [b])
    builder.op("MUL", [x, w], [y], {0: ("b", 0)})
    builder.op("ADD", [y, b], [z], {0: ("b", 0)})
    check(Case("variables", builder.model([x], [z, w]), [noise(2, 3)]))


def test_an_assignment_in_the_main_graph_is_refused() -> None:
    builder = model({"w": noise(2, 3)})
    x, y = builder.tensor("x", (2, 3)), builder.tensor("y", (2, 3))
    builder.op("RELU", [x], [y])
    builder.op("ASSIGN_VARIABLE", [handle(builder, "w"), y], [])
    assert error(builder.model([x], [y])).endswith(
        "(ASSIGN_VARIABLE): variable '/w': assignments outside of an initialiser are not supported; export a "
        "model without state"
    )


def test_a_variable_without_an_initial_value_is_refused() -> None:
    builder = model({"w": noise(2, 3)})
    y = builder.tensor("y", (2, 3))
    builder.op("READ_VARIABLE", [handle(builder, "v")], [y])
    assert error(builder.model([], [y])).endswith(
        "(READ_VARIABLE): variable '/v': expected an initialiser that assigns it before it is read"
    )
