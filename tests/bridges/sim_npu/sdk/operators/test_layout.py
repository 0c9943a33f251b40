"""Operators of the SDK that move elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run

X = floats(2, 3, 4)


@pytest.mark.parametrize("make", [floats, integers])
@pytest.mark.parametrize(
    ("kind", "attributes", "shape", "source"),
    [
        # `source` maps the index of an element of the result to its index in float32[2, 3, 4].
        ("TRANSPOSE", {"order": [2, 0, 1]}, (4, 2, 3), lambda k, i, j: (i, j, k)),
        ("RESHAPE", {"shape": [6, 4]}, (6, 4), lambda r, k: (r // 3, r % 3, k)),
        (
            "SLICE",
            {"begin": [0, 1, 1], "end": [2, 3, 4], "steps": [1, 1, 2]},
            (2, 2, 2),
            lambda i, j, k: (i, j + 1, 2 * k + 1),
        ),
    ],
)
def test_elements_move_to_their_places(
    make: Callable[..., Array],
    kind: str,
    attributes: dict[str, Any],
    shape: tuple[int, ...],
    source: Callable[..., tuple[int, ...]],
) -> None:
    x = make(2, 3, 4)

    (result,) = run(kind, x, **attributes)

    assert result.shape == shape
    assert result.dtype == x.dtype
    assert all(result[place] == x[source(*place)] for place in np.ndindex(shape))


@pytest.mark.parametrize("make", [floats, integers])
def test_pad_fills_the_border(make: Callable[..., Array]) -> None:
    x = make(2, 3)

    (result,) = run("PAD", x, before=[1, 0], after=[0, 2], value=7)

    assert result.shape == (3, 5)
    for i, j in np.ndindex(result.shape):
        assert result[i, j] == (x[i - 1, j] if 0 <= i - 1 < 2 and j < 3 else 7)


@pytest.mark.parametrize("make", [floats, integers])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_split_undoes_concat(make: Callable[..., Array], axis: int) -> None:
    parts = [make(*(size if n == axis else 3 for n in range(3)), seed=size) for size in (1, 4, 2)]

    (joined,) = run("CONCAT", *parts, axis=axis)
    parts_again = run("SPLIT", joined, axis=axis, sizes=[1, 4, 2])

    index = [slice(None)] * 3
    index[axis] = slice(1, 5)
    np.testing.assert_array_equal(joined[tuple(index)], parts[1])
    for result, expected in zip(parts_again, parts, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("kind", "attributes", "sentence"),
    [
        (
            "RESHAPE",
            {"shape": [5, 5]},
            "104 INVALID_SHAPE: RESHAPE: float32[2, 3, 4] has 24 elements, shape [5, 5] has 25",
        ),
        (
            "RESHAPE",
            {"shape": [-1]},
            "104 INVALID_SHAPE: RESHAPE: [-1]: sizes must be integers of at least 1",
        ),
        (
            "RESHAPE",
            {"shape": 24},
            "103 INVALID_ATTRIBUTE: RESHAPE: shape must be a list of 1 integers, got 24",
        ),
        (
            "RESHAPE",
            {"shape": [1, 1, 1, 1, 1, 24]},
            "107 LIMIT_EXCEEDED: RESHAPE: [1, 1, 1, 1, 1, 24] has 6 axes (supported: 1 to 5)",
        ),
        (
            "TRANSPOSE",
            {"order": [0, 1, 1]},
            (
                "103 INVALID_ATTRIBUTE: TRANSPOSE: order [0, 1, 1] is not a permutation of the axes of "
                "float32[2, 3, 4]"
            ),
        ),
        ("SPLIT", {"axis": 3, "sizes": [1]}, "103 INVALID_ATTRIBUTE: SPLIT: float32[2, 3, 4] has no axis 3"),
        (
            "SPLIT",
            {"axis": 1, "sizes": [1, 1]},
            "104 INVALID_SHAPE: SPLIT: parts of [1, 1] do not add up to axis 1 of float32[2, 3, 4]",
        ),
        (
            "SPLIT",
            {"axis": 1, "sizes": [1] * 65},
            "107 LIMIT_EXCEEDED: SPLIT: 65 parts (supported: up to 64)",
        ),
        (
            "SLICE",
            {"begin": [0, 0, 3], "end": [2, 3, 3], "steps": [1, 1, 1]},
            (
                "103 INVALID_ATTRIBUTE: SLICE: begin [0, 0, 3], end [2, 3, 3], steps [1, 1, 1] do not fit "
                "float32[2, 3, 4]"
            ),
        ),
        (
            "PAD",
            {"before": [0, -1, 0], "after": [0, 0, 0]},
            "103 INVALID_ATTRIBUTE: PAD: before [0, -1, 0], after [0, 0, 0] (supported: 0 and more)",
        ),
    ],
)
def test_attributes_that_do_not_fit_are_errors(kind: str, attributes: dict[str, Any], sentence: str) -> None:
    assert refusal(kind, X, **attributes) == f"NPU-{sentence}"


@pytest.mark.parametrize(("begin", "end", "step"), [(-1, 2, 1), (0, 5, 1), (2, 2, 1), (0, 4, 0), (3, 0, -1)])
def test_ranges_outside_of_the_tensor_are_errors(begin: int, end: int, step: int) -> None:
    sentence = refusal("SLICE", floats(4), begin=[begin], end=[end], steps=[step])
    assert sentence == (
        "NPU-103 INVALID_ATTRIBUTE: SLICE: "
        f"begin [{begin}], end [{end}], steps [{step}] do not fit float32[4]"
    )


def test_tensors_that_cannot_be_joined_are_errors() -> None:
    assert refusal("CONCAT", X, floats(2, 2, 4), axis=0) == (
        "NPU-104 INVALID_SHAPE: CONCAT: float32[2, 3, 4] and float32[2, 2, 4] cannot be joined along axis 0"
    )
    assert refusal("CONCAT", X, integers(2, 3, 4), axis=0) == (
        "NPU-104 INVALID_SHAPE: CONCAT: float32[2, 3, 4] and int32[2, 3, 4] cannot be joined along axis 0"
    )
    assert (
        refusal("CONCAT", *[X] * 65, constants=range(65), axis=0)
        == "NPU-102 INVALID_ARITY: CONCAT takes 1 to 64 tensors, got 65"
    )
