"""reshape2, squeeze2, unsqueeze2, flatten2, flatten_contiguous_range: shapes worked out by hand."""

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, numbers, same, whole

CASES: list[
    tuple[str, tuple[int, ...], dict[str, AttrValue], dict[str, Array | list[Array]], tuple[int, ...]]
] = [
    ("reshape2", (2, 3, 4), {"shape": [0, -1]}, {}, (2, 12)),
    ("reshape2", (2, 3, 4), {"shape": [2, 3, 4]}, {}, (2, 3, 4)),
    ("reshape2", (6,), {"shape": [1, -1, 2]}, {}, (1, 3, 2)),
    ("reshape2", (1,), {"shape": []}, {}, ()),
    ("reshape2", (), {"shape": [-1]}, {}, (1,)),
    ("reshape2", (0, 3), {"shape": [0, -1]}, {}, (0, 3)),
    ("reshape2", (0, 3), {"shape": [-1, 3]}, {}, (0, 3)),
    ("reshape2", (2, 6), {"shape": [9]}, {"Shape": whole(3, -1)}, (3, 4)),
    ("reshape2", (2, 6), {"shape": [-1, 9]}, {"ShapeTensor": [whole(4), np.array(-1, np.int64)]}, (4, 3)),
    ("squeeze2", (1, 2, 1, 3), {"axes": []}, {}, (2, 3)),
    ("squeeze2", (1, 2, 1, 3), {"axes": [0, 1, -2]}, {}, (2, 3)),
    ("squeeze2", (2, 3), {"axes": [0]}, {}, (2, 3)),
    ("squeeze2", (1,), {"axes": [0]}, {}, ()),
    ("unsqueeze2", (2, 3), {"axes": [1]}, {}, (2, 1, 3)),
    ("unsqueeze2", (2, 3), {"axes": [0, -1]}, {}, (1, 2, 3, 1)),
    ("unsqueeze2", (2, 3), {"axes": [2, 1]}, {}, (2, 1, 3, 1)),
    ("unsqueeze2", (), {"axes": [0]}, {}, (1,)),
    ("unsqueeze2", (2, 3), {"axes": []}, {}, (2, 3)),
    ("unsqueeze2", (2, 3), {"axes": [0]}, {"AxesTensor": whole(2)}, (2, 3, 1)),
    ("unsqueeze2", (2, 3), {"axes": []}, {"AxesTensorList": [whole(0), np.array(2, np.int32)]}, (1, 2, 1, 3)),
    ("flatten2", (2, 3, 4), {"axis": 2}, {}, (6, 4)),
    ("flatten2", (2, 3, 4), {"axis": 0}, {}, (1, 24)),
    ("flatten2", (2, 3, 4), {"axis": 3}, {}, (24, 1)),
    ("flatten2", (), {"axis": 0}, {}, (1,)),
    ("flatten_contiguous_range", (2, 3, 4, 5), {"start_axis": 1, "stop_axis": 2}, {}, (2, 12, 5)),
    ("flatten_contiguous_range", (2, 3, 4), {"start_axis": 0, "stop_axis": -1}, {}, (24,)),
    ("flatten_contiguous_range", (2, 3), {"start_axis": 1, "stop_axis": 1}, {}, (2, 3)),
    ("flatten_contiguous_range", (), {"start_axis": 0, "stop_axis": 0}, {}, (1,)),
]


@pytest.mark.parametrize(("op", "shape", "attrs", "more", "wanted"), CASES)
def test_only_the_shape_changes(
    op: str,
    shape: tuple[int, ...],
    attrs: dict[str, AttrValue],
    more: dict[str, Array | list[Array]],
    wanted: tuple[int, ...],
) -> None:
    x = numbers(*shape)
    out, xshape = checked(op, {"X": x, **more}, attrs, {"Out": 1, "XShape": 1})
    same(out, np.array(list(x.flat), np.float32).reshape(wanted))
    assert xshape.shape == (0, *shape)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "float64"])
def test_views_take_any_dtype_and_memory_order(dtype: str) -> None:
    x = numbers(4, 6, dtype=dtype).T
    same(checked("reshape2", {"X": x}, {"shape": [3, 8]})[0], np.array(list(x.flat), dtype).reshape(3, 8))


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("reshape2", {"shape": [5, -1]}),
        ("reshape2", {"shape": [5, 5]}),
        ("reshape2", {"shape": [-1, -1]}),
        ("reshape2", {"shape": [-2, 3]}),
        ("squeeze2", {"axes": [2]}),
        ("unsqueeze2", {"axes": [4]}),
        ("flatten2", {"axis": 3}),
        ("flatten_contiguous_range", {"start_axis": 1, "stop_axis": 0}),
    ],
)
def test_errors_name_the_attribute_that_does_not_fit(op: str, attrs: dict[str, AttrValue]) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, {"X": numbers(2, 3)}, attrs)
