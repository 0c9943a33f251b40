"""SCATTER_ND, SPARSE_TO_DENSE, DYNAMIC_UPDATE_SLICE and DILATE equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import X, case, f32, ints, noise, quantised

SCALE = (0.03, -5)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("computed", [False, True])
def test_scatter_nd_adds_repeated_rows(dtype: str, computed: bool) -> None:
    index, updates = ints(3, 0, 3).reshape(3, 1), (10 * noise(3, 4)).astype(dtype)
    shape = ints(5, 4)
    inputs, constants = ([index, updates, shape], {}) if computed else ([index, updates], {2: shape})
    check(case("scatter", "SCATTER_ND", inputs, [((5, 4), dtype)], constants=constants))


def test_scatter_nd_of_single_elements_and_of_bool() -> None:
    index = ints(0, 1, 2, 0, 2, 1).reshape(3, 2)
    check(case("elements", "SCATTER_ND", [index, noise(3)], f32(4, 3), constants={2: ints(4, 3)}))
    check(case("bool", "SCATTER_ND", [index, noise(3) > 0], [((4, 3), "bool")], constants={2: ints(4, 3)}))


def test_scatter_nd_of_quantised_rows_keeps_their_integers() -> None:
    index, rows = ints(2, 1).reshape(2, 1), quantised(noise(2, 3), SCALE)
    check(
        case(
            "quantised",
            "SCATTER_ND",
            [index, rows],
            [((4, 3), "int8")],
            constants={2: ints(4, 3)},
            scales={1: SCALE},
            out_scale=SCALE,
        )
    )


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("scalar", [False, True])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_sparse_to_dense(rank: int, scalar: bool, dtype: str) -> None:
    index = [np.array(4, np.int32), ints(1, 3, 4), ints(0, 1, 2, 0, 2, 2).reshape(3, 2)][rank]
    shape = ints(3, 5) if rank == 2 else ints(6)
    values = np.array(7, dtype) if scalar else np.arange(5, 8 if rank else 6).astype(dtype)
    inputs = [index, values, np.array(2, dtype)]
    check(case("dense", "SPARSE_TO_DENSE", inputs, [(tuple(shape), dtype)], constants={1: shape}))


@pytest.mark.parametrize("dtype", ["float32", "int8", "int32", "int64", "bool"])
@pytest.mark.parametrize("start", [(0, 1, 2), (-3, 0, 9), (1, 2, -1)])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_dynamic_update_slice_stays_inside(start: tuple[int, ...], dtype: str, index: str) -> None:
    operand, update = (5 * X).astype(dtype), (5 * noise(1, 2, 2, seed=1)).astype(dtype)
    inputs = [operand, update, np.array(start, index)]
    check(case("update", "DYNAMIC_UPDATE_SLICE", inputs, [((2, 3, 4), dtype)]))
    check(case("fixed", "DYNAMIC_UPDATE_SLICE", inputs[:2], [((2, 3, 4), dtype)], constants={2: inputs[2]}))


def test_dynamic_update_slice_of_quantised_tensors_keeps_their_integers() -> None:
    inputs = [quantised(X, SCALE), quantised(noise(2, 1, 4, seed=1), SCALE), ints(0, 1, 0)]
    scales = {0: SCALE, 1: SCALE}
    out = [((2, 3, 4), "int8")]
    check(case("quantised", "DYNAMIC_UPDATE_SLICE", inputs, out, scales=scales, out_scale=SCALE))


@pytest.mark.parametrize("dtype", ["float32", "int8", "int32", "int64"])
@pytest.mark.parametrize("steps", [(1, 1, 1), (2, 1, 3)])
def test_dilate(steps: tuple[int, ...], dtype: str) -> None:
    shape = [(size - 1) * step + 1 for size, step in zip(X.shape, steps, strict=True)]
    constants = {1: ints(*steps), 2: np.array(3, dtype)}
    check(case("dilate", "DILATE", [(9 * X).astype(dtype)], [(shape, dtype)], constants=constants))


def test_what_is_refused() -> None:
    update = case("update", "DYNAMIC_UPDATE_SLICE", [X, noise(2, 2), ints(0, 0, 0)], f32(2, 3, 4))
    with pytest.raises(ModelParseError, match="expected an update of rank 3, got rank 2"):
        lite.load_program(ModelSource(model=update.model))
