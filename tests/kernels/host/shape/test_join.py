"""concat, stack, split, unstack, unbind, element by element."""

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, filled, numbers, same, whole


@pytest.mark.parametrize("tensor", [False, True])
@pytest.mark.parametrize("axis", [1, -2])
def test_concat_joins_along_an_axis(axis: int, tensor: bool) -> None:
    parts = [numbers(2, size, 3) for size in (1, 0, 4)]
    wanted = filled(
        (2, 5, 3), np.float32, lambda i, j, k: parts[0][i, 0, k] if j == 0 else parts[2][i, j - 1, k]
    )
    inputs: dict[str, Array | list[Array]] = {"X": parts}
    if tensor:
        inputs["AxisTensor"] = whole(axis)
    same(checked("concat", inputs, {"axis": 0 if tensor else axis})[0], wanted)


def test_concat_of_one_is_a_copy() -> None:
    same(checked("concat", {"X": [whole(1, 2)]}, {"axis": 0})[0], whole(1, 2))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack_adds_an_axis(axis: int) -> None:
    parts = [numbers(2, 3), -numbers(2, 3)]
    place = axis % 3
    shape = [2, 3]
    shape.insert(place, 2)
    wanted = filled(shape, np.float32, lambda *i: parts[i[place]][tuple(np.delete(i, place))])
    same(checked("stack", {"X": parts}, {"axis": axis})[0], wanted)


@pytest.mark.parametrize(
    ("attrs", "more", "sizes"),
    [
        ({"axis": 1, "num": 3}, {}, [2, 2, 2]),
        ({"axis": -1, "sections": [1, 5]}, {}, [1, 5]),
        ({"axis": 1, "sections": [1, -1, 2]}, {}, [1, 3, 2]),
        ({"axis": 1, "sections": [6]}, {}, [6]),
        ({"axis": 1, "sections": [0, 6]}, {}, [0, 6]),
        (
            {"axis": 0, "sections": [9, 9]},
            {"AxisTensor": whole(1), "SectionsTensorList": [whole(4), whole(2)]},
            [4, 2],
        ),
    ],
)
def test_split_gives_parts(
    attrs: dict[str, AttrValue], more: dict[str, Array | list[Array]], sizes: list[int]
) -> None:
    x = numbers(2, 6)
    found = checked("split", {"X": x, **more}, attrs, {"Out": len(sizes)})
    begin = 0
    for part, size in zip(found, sizes, strict=True):
        same(part, filled((2, size), x.dtype, lambda i, j, begin=begin: x[i, begin + j]))
        begin += size


@pytest.mark.parametrize("num", [True, False])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unstack_drops_the_axis(num: bool, axis: int) -> None:
    x = numbers(2, 3, 4, dtype=np.int32)
    place = axis % 3
    rest = tuple(np.delete(x.shape, place))
    count = x.shape[place]
    found = checked("unstack", {"X": x}, {"axis": axis, "num": count if num else 0}, {"Y": count})
    for n, part in enumerate(found):
        same(part, filled(rest, x.dtype, lambda *i, n=n: x[tuple(np.insert(i, place, n))]))


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "slot"),
    [
        ("concat", [numbers(2, 3), numbers(2, 4)], {"axis": 0}, "Out"),
        ("concat", [numbers(2, 3), numbers(6)], {"axis": 0}, "Out"),
        ("concat", [numbers(2, 3)], {"axis": 2}, "Out"),
        ("stack", [numbers(2, 3), numbers(2, 1)], {"axis": 0}, "Y"),
        ("split", [numbers(5)], {"num": 2}, "Out"),
        ("split", [numbers(5)], {"sections": [2, 2]}, "Out"),
        ("split", [numbers(5)], {}, "Out"),
    ],
)
def test_errors_name_the_input_that_does_not_fit(
    op: str, inputs: list[Array], attrs: dict[str, AttrValue], slot: str
) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, {"X": inputs}, attrs, {slot: 2 if op == "split" else 1})
