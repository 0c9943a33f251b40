"""Ops of StableHLO equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check, error
from tests.model_parser.tflite.models import Case, noise


def longs(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def windows(body: str, start: float, sizes: tuple[int, ...], **options: tuple[int, ...]) -> bytes:
    """A model of one STABLEHLO_REDUCE_WINDOW of [1, 2, 7, 6]."""
    main, shape = TfliteBuilder(), (1, 2, 7, 6)
    inner = TfliteBuilder(main)
    strides, padding = options.get("strides", (1,) * 4), options.get("padding", (0,) * 8)
    dilations, base = options.get("dilations", (1,) * 4), options.get("base", (1,) * 4)
    extents = (
        (size + before + after - (d * (k - 1) + 1)) // step + 1
        for size, before, after, k, d, step in zip(
            shape, padding[::2], padding[1::2], sizes, dilations, strides, strict=True
        )
    )
    x, y = main.tensor("x", shape), main.tensor("y", tuple(extents))
    first = main.constant("start", np.array(start, np.float32))
    main.op(
        "STABLEHLO_REDUCE_WINDOW", [x, first], [y],
        {0: longs(*sizes), 1: longs(*strides), 2: longs(*base), 3: longs(*dilations), 4: longs(*padding),
         5: ("i", 1)},
    )  # fmt: skip
    a, b, c = (inner.tensor(name, ()) for name in "abc")
    inner.op(body, [a, b], [c])
    main.subgraphs.append(inner.graph([a, b], [c], "body"))
    return main.model([x], [y])


@pytest.mark.parametrize(("body", "start"), [("MAXIMUM", -np.inf), ("ADD", 0.0)])
@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ((1, 1, 2, 3), {}),
        ((1, 1, 3, 2), {"strides": (1, 1, 2, 2), "padding": (0, 0, 0, 0, 1, 0, 1, 1)}),
        ((1, 2, 2, 1), {"dilations": (1, 1, 2, 1)}),
    ],
)
def test_reduce_window(
    body: str, start: float, sizes: tuple[int, ...], options: dict[str, tuple[int, ...]]
) -> None:
    check(Case("windows", windows(body, start, sizes, **options), [noise(1, 2, 7, 6)]))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (windows("MUL", 1.0, (1, 1, 2, 2)), "expected maxima from -inf or sums from 0, got MUL from 1.0"),
        (
            windows("MAXIMUM", 0.0, (1, 1, 2, 2)),
            "expected maxima from -inf or sums from 0, got MAXIMUM from 0.0",
        ),
        (windows("ADD", 0.0, (1, 1, 2, 2), base=(1, 1, 2, 1)), "an input that is not dilated"),
    ],
)
def test_other_windows_are_refused(model: bytes, message: str) -> None:
    assert message in error(model)


@pytest.mark.parametrize("count", [1, 2])
def test_a_composite_is_its_subgraph(count: int) -> None:
    flexbuffers = pytest.importorskip("flatbuffers.flexbuffers", reason="it writes the options")
    main = TfliteBuilder()
    inner = TfliteBuilder(main)
    names = [f"x{n}" for n in range(count)]
    outer = [main.tensor(name, (2, 3)) for name in names]
    total, wave = main.tensor("total", (2, 3)), main.tensor("wave", (2, 3))
    options = {0: "test.sum", 1: ("i", 1), 2: bytes(flexbuffers.Dumps({}))}
    main.op("STABLEHLO_COMPOSITE", outer, [total, wave], options)
    again, last = main.tensor("again", (2, 3)), main.tensor("last", (2, 3))
    main.op("STABLEHLO_COMPOSITE", [wave] * count, [again, last], options)
    given = [inner.tensor(name, (2, 3)) for name in names]
    a, b = inner.tensor("a", (2, 3)), inner.tensor("b", (2, 3))
    inner.op("ADD", [given[0], given[-1]], [a], {0: ("b", 1)})
    inner.op("SIN", [a], [b])
    main.subgraphs.append(inner.graph(given, [a, b], "sum"))
    check(Case("composite", main.model(outer, [total, last]), [noise(2, 3, seed=n) for n in range(count)]))
