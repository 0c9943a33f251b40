"""slice, strided_slice, crop, crop_tensor and set_value, element by element."""

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.plugin.kernel import host_kernel
from tests.kernels.host.checked import checked, filled, numbers, same, whole

Attrs = dict[str, AttrValue]
More = dict[str, Array | list[Array]]
X = numbers(5, 6)

SLICES: list[tuple[Attrs, More, list[int], list[int]]] = [
    ({"axes": [0], "starts": [1], "ends": [3]}, {}, [1, 2], [0, 1, 2, 3, 4, 5]),
    ({"axes": [1], "starts": [-2], "ends": [2**31 - 1]}, {}, [0, 1, 2, 3, 4], [4, 5]),
    ({"axes": [1, 0], "starts": [1, -9], "ends": [-1, 2]}, {}, [0, 1], [1, 2, 3, 4]),
    ({"axes": [0], "starts": [3], "ends": [1]}, {}, [], [0, 1, 2, 3, 4, 5]),
    ({"axes": [], "starts": [], "ends": []}, {}, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]),
    (
        {"axes": [0], "starts": [0], "ends": [0]},
        {"StartsTensor": whole(2), "EndsTensor": whole(4)},
        [2, 3],
        [*range(6)],
    ),
    (
        {"axes": [0, 1], "starts": [0, 0], "ends": [0, 0]},
        {"StartsTensorList": [whole(1), whole(2)], "EndsTensorList": [whole(2), whole(4)]},
        [1],
        [2, 3],
    ),
]


@pytest.mark.parametrize(("attrs", "more", "rows", "columns"), SLICES)
def test_slice_cuts_ranges(attrs: Attrs, more: More, rows: list[int], columns: list[int]) -> None:
    wanted = filled((len(rows), len(columns)), X.dtype, lambda i, j: X[rows[i], columns[j]])
    same(checked("slice", {"Input": X, **more}, attrs)[0], wanted)


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({"axes": [0], "starts": [2], "ends": [3], "decrease_axis": [0]}, X[2]),
        ({"axes": [1], "starts": [-1], "ends": [0], "decrease_axis": [1]}, X[:, 5]),
        ({"axes": [0, 1], "starts": [2, 3], "ends": [3, 4], "decrease_axis": [0, 1]}, np.array(X[2, 3])),
    ],
)
def test_decreased_axes_are_removed(attrs: Attrs, wanted: Array) -> None:
    same(checked("slice", {"Input": X}, attrs)[0], wanted)


def test_slice_takes_elements_of_a_tensor_array() -> None:
    elements = [numbers(1), numbers(2), numbers(3)]
    run = host_kernel("slice").run
    given = {"axes": [0], "starts": [1], "ends": [3]}
    assert run(elements, None, None, None, None, **given, decrease_axis=[]) == elements[1:]
    given = {"axes": [0], "starts": [-1], "ends": [0]}
    same(run(elements, None, None, None, None, **given, decrease_axis=[0]), elements[2])


@pytest.mark.parametrize(
    ("attrs", "rows", "columns"),
    [
        ({"axes": [1], "starts": [0], "ends": [6], "strides": [2]}, range(5), [0, 2, 4]),
        ({"axes": [1], "starts": [5], "ends": [1], "strides": [-3]}, range(5), [5, 2]),
        ({"axes": [0], "starts": [4], "ends": [-1], "strides": [-2]}, [4, 2, 0], range(6)),
        ({"axes": [0], "starts": [-1], "ends": [-3], "strides": [-1]}, [4, 3], range(6)),
        ({"axes": [0], "starts": [9], "ends": [99], "strides": [1]}, [], range(6)),
        ({"axes": [0, 0], "starts": [1, 2], "ends": [5, 3], "strides": [1, 1]}, [2], range(6)),
    ],
)
def test_strided_slice_cuts_with_strides(attrs: Attrs, rows: list[int], columns: list[int]) -> None:
    wanted = filled((len(rows), len(columns)), X.dtype, lambda i, j: X[rows[i], columns[j]])
    same(checked("strided_slice", {"Input": X}, attrs)[0], wanted)


def test_strided_slice_takes_tensors_and_decreases() -> None:
    more: More = {"StartsTensor": whole(3), "EndsTensorList": [whole(4)], "StridesTensor": whole(1)}
    attrs: Attrs = {"axes": [1], "starts": [0], "ends": [0], "strides": [9], "decrease_axis": [1]}
    same(checked("strided_slice", {"Input": X, **more}, attrs)[0], X[:, 3])


@pytest.mark.parametrize(
    ("op", "attrs", "more", "shape", "offsets"),
    [
        ("crop", {"shape": [2, 3], "offsets": [1, 2]}, {}, (2, 3), (1, 2)),
        ("crop", {"shape": [5, 6], "offsets": []}, {}, (5, 6), (0, 0)),
        ("crop", {"offsets": [9, 9]}, {"Y": numbers(2, 1), "Offsets": whole(3, 5)}, (2, 1), (3, 5)),
        ("crop_tensor", {"shape": [-1, 3], "offsets": [1, 2]}, {}, (4, 3), (1, 2)),
        ("crop_tensor", {"offsets": [0, 1]}, {"Shape": whole(1, -1)}, (1, 5), (0, 1)),
        (
            "crop_tensor",
            {"shape": [9, 9]},
            {"ShapeTensor": [whole(2), whole(2)], "OffsetsTensor": [whole(3), whole(0)]},
            (2, 2),
            (3, 0),
        ),
    ],
)
def test_crop_cuts_a_box(
    op: str, attrs: Attrs, more: More, shape: tuple[int, ...], offsets: tuple[int, ...]
) -> None:
    wanted = filled(shape, X.dtype, lambda i, j: X[offsets[0] + i, offsets[1] + j])
    same(checked(op, {"X": X, **more}, attrs)[0], wanted)


@pytest.mark.parametrize(
    ("attrs", "value", "rows", "columns"),
    [
        ({"axes": [0], "starts": [1], "ends": [3], "steps": [1]}, numbers(2, 6) + 50, [1, 2], range(6)),
        ({"axes": [1], "starts": [4], "ends": [0], "steps": [-2]}, numbers(5, 2) + 50, range(5), [4, 2]),
        ({"axes": [0, 1], "starts": [2, 3], "ends": [3, 4], "steps": [1, 1]}, numbers(1) + 50, [2], [3]),
        ({"axes": [0], "starts": [3], "ends": [3], "steps": [1]}, numbers(1), [], range(6)),
    ],
)
def test_set_value_replaces_a_box(attrs: Attrs, value: Array, rows: list[int], columns: list[int]) -> None:
    wanted = X.copy()
    spread = np.broadcast_to(value, (len(rows), len(columns)))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            wanted[row, column] = spread[i, j]
    same(checked("set_value", {"Input": X, "ValueTensor": value}, attrs)[0], wanted)


def test_set_value_without_and_with_added_axes() -> None:
    row: Attrs = {"axes": [0], "starts": [2], "ends": [3], "steps": [1], "decrease_axes": [0]}
    wanted = X.copy()
    wanted[2] = np.arange(6)
    same(checked("set_value", {"Input": X, "ValueTensor": np.arange(6, dtype=np.float32)}, row)[0], wanted)
    block = {**row, "decrease_axes": [], "none_axes": [1]}
    value = np.arange(6, dtype=np.float32).reshape(1, 1, 6)
    same(checked("set_value", {"Input": X, "ValueTensor": value}, block)[0], wanted)


def test_set_value_takes_values_and_bounds_from_elsewhere() -> None:
    attrs: Attrs = {"axes": [0], "starts": [0], "ends": [0], "steps": [1], "shape": [2], "dtype": 2}
    tensors = {"StartsTensorList": [whole(1)], "EndsTensorList": [whole(3)]}
    found = checked("set_value", {"Input": whole(1, 2, 3, 4), **tensors}, {**attrs, "int32_values": [8, 9]})
    same(found[0], whole(1, 8, 9, 4))
    found = checked("set_value", {"Input": whole(1, 2, 3, 4), **tensors}, {**attrs, "values": [8, 9]})
    same(found[0], whole(1, 8, 9, 4))


@pytest.mark.parametrize(
    ("op", "slot", "attrs"),
    [
        ("slice", "Input", {"axes": [2], "starts": [0], "ends": [1]}),
        ("slice", "Input", {"axes": [0], "starts": [0], "ends": []}),
        ("slice", "Input", {"axes": [0], "starts": [0], "ends": [2], "decrease_axis": [0]}),
        ("strided_slice", "Input", {"axes": [0], "starts": [0], "ends": [1], "strides": [0]}),
        ("crop", "X", {"shape": [4, 4], "offsets": [2, 0]}),
        ("crop_tensor", "X", {"shape": [4], "offsets": [2]}),
        ("set_value", "Input", {"axes": [7], "starts": [0], "ends": [1], "steps": [1], "fp32_values": [1.0]}),
    ],
)
def test_errors_name_the_input_that_does_not_fit(op: str, slot: str, attrs: Attrs) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, {slot: X}, attrs)
