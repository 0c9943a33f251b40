"""A list with one item replaced, as TensorFlow Lite's converter writes it, and what only looks like one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.model_parser.tflite.parser import TfliteParser
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Case, noise, quantised

pytest.importorskip("ai_edge_litert")

ITEMS, WIDTH = 5, 3


def replaced(
    position: int, *, step: int = 1, first: int = 0, rows: int = 1, axis: int = 0, **keys: Any
) -> Case:
    """``concat(x[first:i], item, x[i + step:])`` for an input i; `item` has some rows."""
    dtype = "int8" if keys else "float32"
    main = TfliteBuilder()
    x, item = (
        main.tensor("x", (ITEMS, 2, WIDTH), dtype, **keys),
        main.tensor("item", (rows, 2, WIDTH), dtype, **keys),
    )
    i, j, one = (
        main.tensor("i", (), "int32"),
        main.tensor("j", (), "int32"),
        main.constant("step", np.array(step, np.int32)),
    )
    main.op("ADD", [i, one], [j], {0: ("b", 0)})
    vector = main.constant("vector", np.array([1], np.int32))
    ranges = []
    for number, scalar, rest in ((0, i, [-1, -1]), (1, j, [0, 0])):
        single, whole = (
            main.tensor(f"single{number}", (1,), "int32"),
            main.tensor(f"whole{number}", (3,), "int32"),
        )
        main.op("RESHAPE", [scalar, vector], [single])
        others = main.constant(f"rest{number}", np.array(rest, np.int32))
        main.op("CONCATENATION", [single, others], [whole], {0: ("i", 0)})
        ranges.append(whole)
    before = main.tensor("before", (position - first, 2, WIDTH), dtype, **keys)
    after = main.tensor("after", (ITEMS - position - step, 2, WIDTH), dtype, **keys)
    start, ends = (
        main.constant(name, np.array(numbers, np.int32))
        for name, numbers in (("start", [first, 0, 0]), ("ends", [-1, -1, -1]))
    )
    main.op("SLICE", [x, start, ranges[0]], [before])
    main.op("SLICE", [x, ranges[1], ends], [after])
    count = position - first + rows + ITEMS - position - step
    out = main.tensor("out", (count, 2, WIDTH), dtype, **keys)
    main.op("CONCATENATION", [before, item, after], [out], {0: ("i", axis)})
    arrays = [noise(ITEMS, 2, WIDTH), noise(rows, 2, WIDTH, seed=1)]
    if keys:
        arrays = [quantised(array, (0.05, 3)) for array in arrays]
    return Case("replaced", main.model([x, item, i], [out]), [*arrays, np.array(position, np.int32)])


def _ops(case: Case) -> list[str]:
    return [op.type for op in TfliteParser().parse(ModelSource(model=case.model)).blocks[0].ops]


@pytest.mark.parametrize("position", [0, 2, ITEMS - 1])
@pytest.mark.parametrize("axis", [0, -3])
@pytest.mark.parametrize("keys", [{}, {"scale": 0.05, "zero": 3}], ids=["float32", "int8"])
def test_an_item_is_replaced_by_one_op(position: int, axis: int, keys: dict[str, Any]) -> None:
    case = replaced(position, axis=axis, **keys)

    check(case)

    assert "scatter" in _ops(case)


@pytest.mark.parametrize("other", [{"step": 2}, {"step": 0}, {"rows": 2}])
def test_other_ranges_are_joined(other: dict[str, int]) -> None:
    case = replaced(2, **other)

    check(case)

    assert "scatter" not in _ops(case)
