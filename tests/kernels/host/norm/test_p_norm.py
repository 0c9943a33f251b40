"""norm, p_norm and lrn against loops over their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("shape", "axis"), [((3, 4), 1), ((2, 3, 4), -2), ((5,), 0), ((2, 3, 2, 2), 1)])
def test_norm_divides_by_the_length(shape: tuple[int, ...], axis: int) -> None:
    x = random(*shape)

    found, length = checked("norm", {"X": x}, {"axis": axis, "epsilon": 0.5}, {"Out": 1, "Norm": 1})

    wanted = np.apply_along_axis(lambda row: (sum(float(v) ** 2 for v in row) + 0.5) ** 0.5, axis, x)
    wanted = np.expand_dims(wanted, axis)
    np.testing.assert_allclose(length, wanted, rtol=1e-5)
    np.testing.assert_allclose(found, x / wanted, rtol=1e-5)


def length(row: Array, order: float) -> float:
    sizes = [abs(float(v)) for v in row]
    if order == np.inf:
        return max(sizes)
    if order == -np.inf:
        return min(sizes)
    if order == 0:
        return float(sum(size != 0 for size in sizes))
    return float(sum(size**order for size in sizes) ** (1 / order))


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.5, float("inf"), float("-inf")])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(("shape", "axis"), [((3, 4), -1), ((2, 3, 4), 1), ((5,), 0)])
def test_p_norm_is_its_definition(order: float, keep: bool, shape: tuple[int, ...], axis: int) -> None:
    x = random(*shape)
    x[0] = 0

    (found,) = checked("p_norm", {"X": x}, {"porder": order, "axis": axis, "keepdim": keep})

    wanted = np.asarray(np.apply_along_axis(length, axis, x, order))
    np.testing.assert_allclose(found, np.expand_dims(wanted, axis) if keep else wanted, rtol=1e-5)


@pytest.mark.parametrize("keep", [True, False])
def test_p_norm_may_take_all_elements(keep: bool) -> None:
    x = random(2, 3)

    (found,) = checked("p_norm", {"X": x}, {"porder": 1.0, "asvector": True, "keepdim": keep})

    np.testing.assert_allclose(found, np.full((1, 1) if keep else (), length(x.reshape(-1), 1.0)), rtol=1e-5)


def test_a_missing_axis_is_refused() -> None:
    with pytest.raises(GraphError, match="p_norm: attribute axis: expected an axis"):
        checked("p_norm", {"X": random(2, 3)}, {"axis": 2})


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("layout", ["AnyLayout", "NHWC"])
def test_lrn_divides_by_neighbouring_channels(n: int, layout: str) -> None:
    x = random(2, 4, 3, 2)
    given = x if layout == "AnyLayout" else x.transpose(0, 2, 3, 1)
    attrs: dict[str, Any] = {"n": n, "k": 1.5, "alpha": 0.3, "beta": 0.7, "data_format": layout}

    found, middle = checked("lrn", {"X": given}, attrs, {"Out": 1, "MidOut": 1})

    wanted = np.full(x.shape, 1.5)
    for c in range(4):
        for other in range(c - (n - 1) // 2, c - (n - 1) // 2 + n):
            if 0 <= other < 4:
                wanted[:, c] += 0.3 * x[:, other].astype(float) ** 2
    if layout == "NHWC":
        found, middle = found.transpose(0, 3, 1, 2), middle.transpose(0, 3, 1, 2)
    np.testing.assert_allclose(middle, wanted, rtol=1e-5)
    np.testing.assert_allclose(found, x * wanted**-0.7, rtol=1e-5)
