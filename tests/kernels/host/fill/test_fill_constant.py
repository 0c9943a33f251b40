"""The ops that create a tensor from numbers and shapes, against numbers written out."""

import ml_dtypes
import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, numbers, same, whole

Attrs = dict[str, AttrValue]
More = dict[str, Array | list[Array]]


@pytest.mark.parametrize(
    ("attrs", "more", "wanted"),
    [
        ({"shape": [2, 3], "value": 1.5}, {}, np.array([[1.5] * 3] * 2, np.float32)),
        ({"shape": [], "dtype": 2, "value": -3.7}, {}, np.array(-3, np.int32)),
        ({"shape": [0, 2], "dtype": 3}, {}, np.zeros((0, 2), np.int64)),
        ({"shape": [1], "dtype": 0, "value": 1.0}, {}, np.array([True])),
        ({"shape": [1], "dtype": 22, "value": 2.5}, {}, np.array([2.5], ml_dtypes.bfloat16)),
        (
            {"shape": [1], "dtype": 3, "str_value": "9007199254740993"},
            {},
            whole(9007199254740993, dtype=np.int64),
        ),
        ({"shape": [1], "dtype": 3, "str_value": "1e3"}, {}, whole(1000, dtype=np.int64)),
        ({"shape": [2], "str_value": "-inf"}, {}, np.array([-np.inf] * 2, np.float32)),
        ({"shape": [2], "value": 5.0}, {"ValueTensor": whole(7)}, np.array([7, 7], np.float32)),
        ({"shape": [9]}, {"ShapeTensor": whole(1, 2)}, np.zeros((1, 2), np.float32)),
        ({"shape": [-1, 9]}, {"ShapeTensorList": [whole(2), np.array(1)]}, np.zeros((2, 1), np.float32)),
    ],
)
def test_fill_constant_takes_its_value_from_tensor_text_or_number(
    attrs: Attrs, more: More, wanted: Array
) -> None:
    same(checked("fill_constant", more, attrs)[0], wanted)


def test_fill_constant_needs_a_number() -> None:
    with pytest.raises(LiteError, match="str_value"):
        checked("fill_constant", {}, {"shape": [1], "str_value": "many"})


@pytest.mark.parametrize(
    ("start", "end", "step", "wanted"),
    [
        (0, 5, 2, [0, 2, 4]),
        (5, 0, -2, [5, 3, 1]),
        (3, 3, 1, []),
        (0.0, 1.0, 0.25, [0.0, 0.25, 0.5, 0.75]),
        (1.0, 0.0, -0.4, [1.0, 0.6, 0.2]),
    ],
)
def test_range_steps_from_start_to_end(start: float, end: float, step: float, wanted: list[float]) -> None:
    dtype = np.int64 if isinstance(start, int) else np.float32
    inputs = {"Start": np.array([start], dtype), "End": np.array(end, dtype), "Step": np.array([step], dtype)}
    found = checked("range", inputs)[0]
    assert found.dtype == dtype
    np.testing.assert_allclose(found, np.array(wanted, dtype), rtol=1e-6)


@pytest.mark.parametrize("step", [0, -1])
def test_range_refuses_a_step_away_from_the_end(step: int) -> None:
    with pytest.raises(LiteError, match="Step"):
        checked("range", {"Start": whole(0), "End": whole(3), "Step": whole(step)})


@pytest.mark.parametrize(
    ("start", "stop", "count", "dtype", "wanted"),
    [
        (0.0, 10.0, 5, 5, np.array([0, 2.5, 5, 7.5, 10], np.float32)),
        (3.0, 9.0, 1, 5, np.array([3], np.float32)),
        (0.0, 9.0, 4, 3, whole(0, 3, 6, 9, dtype=np.int64)),
    ],
)
def test_linspace_includes_both_ends(
    start: float, stop: float, count: int, dtype: int, wanted: Array
) -> None:
    inputs = {
        "Start": np.array([start], np.float32),
        "Stop": np.array([stop], np.float32),
        "Num": whole(count),
    }
    same(checked("linspace", inputs, {"dtype": dtype})[0], wanted)


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        (
            {"shape": [2, 2], "dtype": 5, "fp32_values": [1.0, 2.0, 3.0, 4.5]},
            np.array([[1, 2], [3, 4.5]], np.float32),
        ),
        ({"shape": [1], "dtype": 0, "bool_values": [1]}, np.array([True])),
        ({"shape": [], "dtype": 3, "int64_values": [2**60 + 1]}, np.array(2**60 + 1)),
        ({"shape": [2], "dtype": 2, "values": [4, 5]}, whole(4, 5)),
        ({"shape": [0], "dtype": 5}, np.zeros(0, np.float32)),
    ],
)
def test_assign_value_reads_the_list_of_its_type(attrs: Attrs, wanted: Array) -> None:
    same(checked("assign_value", {}, attrs)[0], wanted)


def test_assign_value_refuses_lists_of_other_types() -> None:
    with pytest.raises(LiteError, match="float32"):
        checked("assign_value", {}, {"shape": [1], "dtype": 5, "int32_values": [1]})


@pytest.mark.parametrize(
    ("shape", "more", "wanted"), [([2, 3], {}, (2, 3)), ([9], {"ShapeTensor": whole(4)}, (4,))]
)
def test_empty_is_zeros(shape: list[int], more: More, wanted: tuple[int, ...]) -> None:
    found = checked("empty", more, {"shape": shape, "dtype": 3})[0]
    assert (found.shape, str(found.dtype)) == (wanted, "int64")


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({"value": 2.5}, np.array([2.5, 2.5], np.float32)),
        ({"value": 2.5, "dtype": 2}, whole(2, 2)),
        ({"value": 1, "dtype": 0}, np.array([True, True])),
    ],
)
def test_fill_any_like_has_the_shape_of_x(attrs: Attrs, wanted: Array) -> None:
    same(checked("fill_any_like", {"X": numbers(2)}, attrs)[0], wanted)


@pytest.mark.parametrize(
    ("source", "target", "lod", "wanted"),
    [
        (0, 0, (), (5, 4)),
        (1, 0, (), (2, 4)),
        (0, 1, (), (3, 5)),
        (0, 0, ((0, 2, 3, 5),), (3, 4)),
        (1, 0, ((0, 5),), (2, 4)),
    ],
)
def test_fill_constant_batch_size_like_copies_one_size(
    source: int, target: int, lod: tuple[tuple[int, ...], ...], wanted: tuple[int, ...]
) -> None:
    attrs: Attrs = {
        "shape": [3, 4],
        "dtype": 3,
        "value": 6.0,
        "input_dim_idx": source,
        "output_dim_idx": target,
    }
    found = checked("fill_constant_batch_size_like", {"Input": numbers(5, 2)}, attrs, lods={"Input": [lod]})
    same(found[0], np.array([[6] * wanted[1]] * wanted[0]))


def test_shape_and_is_empty_describe_their_input() -> None:
    same(checked("shape", {"Input": numbers(2, 0, 3)})[0], whole(2, 0, 3))
    same(checked("shape", {"Input": np.array(1.0)})[0], whole())
    same(checked("is_empty", {"X": numbers(2, 0)})[0], np.array(True))
    same(checked("is_empty", {"X": np.array(1.0)})[0], np.array(False))
