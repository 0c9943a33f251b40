"""The host's casts: io_copy, calib and layout."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.plugin.kernel import evaluate, host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, filled, numbers, same

ONCE = ("", "_once")
F16, F32, I8 = DType.FLOAT16.code, DType.FLOAT32.code, DType.INT8.code


@pytest.mark.parametrize("suffix", ONCE)
@pytest.mark.parametrize("shape", [(2, 3), (), (0,)])
def test_io_copy_is_a_copy(suffix: str, shape: tuple[int, ...]) -> None:
    x = numbers(*shape)

    (got,) = checked(f"io_copy{suffix}", {"X": x})

    same(got, x)
    assert not np.may_share_memory(got, x)


@pytest.mark.parametrize("suffix", ONCE)
def test_calib_without_scales_is_a_cast(suffix: str) -> None:
    x = float32([0.1, -2.5, 70000, np.nan])

    (got,) = checked(f"calib{suffix}", {"X": x}, {"in_dtype": F32, "out_dtype": F16})

    same(got, np.array([0.0999755859375, -2.5, np.inf, np.nan], np.float16))


def test_calib_quantises_with_halves_to_even_and_saturates() -> None:
    x = float32([0.25, 0.75, 1.25, -0.25, 100, -100])
    attrs: dict[str, AttrValue] = {"out_dtype": I8, "scale": [0.5], "zero_point": [3]}

    (got,) = checked("calib", {"X": x}, attrs)

    same(got, np.array([3, 5, 5, 3, 127, -128], np.int8))


def test_calib_dequantises() -> None:
    x = np.array([[-128, 0], [127, 10]], np.int8)

    (got,) = checked("calib", {"X": x}, {"out_dtype": F32, "scale": [0.5], "zero_point": [2]})

    same(got, float32([[-65, -1], [62.5, 4]]))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_calib_with_a_scale_per_index_of_an_axis(axis: int) -> None:
    x = filled((2, 2), np.int8, lambda i, j: 10 * i + j)
    scales, zeros = (0.5, 2.0), (1, -1)
    attrs: dict[str, AttrValue] = {
        "out_dtype": F32,
        "scale": list(scales),
        "zero_point": list(zeros),
        "axis": axis,
    }

    (got,) = checked("calib", {"X": x}, attrs)

    def real(*index: int) -> float:
        n = index[axis]
        return (int(x[index]) - zeros[n]) * scales[n]

    same(got, filled((2, 2), np.float32, real))


@pytest.mark.parametrize("suffix", ONCE)
def test_layout_permutes_the_axes_of_images(suffix: str) -> None:
    x = numbers(2, 3, 4, 5)

    (nhwc,) = checked(f"layout{suffix}", {"X": x}, {"from": "nchw", "to": "nhwc"})
    (nchw,) = checked(f"layout{suffix}", {"X": nhwc}, {"from": "nhwc", "to": "nchw"})

    same(nhwc, filled((2, 4, 5, 3), np.float32, lambda n, h, w, c: x[n, c, h, w]))
    same(nchw, x)
    assert nhwc.flags.c_contiguous


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (1, 2, 3, 4, 5)])
def test_layout_does_not_change_other_ranks(shape: tuple[int, ...]) -> None:
    x = numbers(*shape)

    (got,) = checked("layout", {"X": x}, {"from": "nchw", "to": "nhwc"})

    same(got, x)


@pytest.mark.parametrize(("source", "target"), [("nchw", "nchw"), ("any", "nhwc"), ("nchw", "NHWC")])
def test_unknown_layouts_are_refused(source: str, target: str) -> None:
    with pytest.raises(GraphError, match="layout: attribute"):
        evaluate("layout", {"X": [numbers(1, 1, 1, 1)]}, {"from": source, "to": target}, {"Out": 1})


def test_an_absent_input_gives_an_absent_output() -> None:
    casts: list[tuple[str, dict[str, object]]] = [
        ("io_copy", {}),
        ("calib", {"out_dtype": F16, "scale": [], "zero_point": [], "axis": -1}),
        ("layout", {"to": "nhwc"}),
    ]
    results: list[Array | None] = [host_kernel(op).run(None, **attrs) for op, attrs in casts]
    assert results == [None, None, None]
