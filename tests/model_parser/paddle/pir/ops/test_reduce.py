"""PIR reductions and running sums equal numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import (
    DTypeName,
    PirBuilder,
    check_equal,
    like,
    noise,
    run_op,
    tensor,
)

X = noise(2, 3, 4)

_REDUCTIONS: dict[str, Callable[..., Array]] = {
    "amax": np.max,
    "amin": np.min,
    "max": np.max,
    "mean": np.mean,
    "min": np.min,
    "prod": np.prod,
    "sum": np.sum,
}


@pytest.mark.parametrize("axes", [[1], [0, -1], []])
@pytest.mark.parametrize("keepdim", [True, False])
@pytest.mark.parametrize("name", _REDUCTIONS)
def test_reductions_over_axes_of_an_operand(name: str, keepdim: bool, axes: list[int]) -> None:
    expected = np.asarray(_REDUCTIONS[name](X, axis=tuple(axes) or None, keepdims=keepdim))
    builder = PirBuilder()
    operands = [builder.data("x", X), builder.ints(*axes)]
    out = builder.one(name, *operands, result=like(expected), attrs={"keepdim": keepdim})
    check_equal(builder.fetch(out).run(x=X)[0], expected)


def test_axes_that_are_an_input_are_read_at_the_run() -> None:
    builder = PirBuilder()
    axes = np.array([1], np.int64)
    operands = [builder.data("x", X), builder.data("axes", axes)]
    out = builder.one("sum", *operands, result=tensor("float32", [-1, -1]), attrs={"keepdim": False})
    check_equal(builder.fetch(out).run(x=X, axes=axes)[0], X.sum(1))


@pytest.mark.parametrize(("name", "function"), [("all", np.all), ("any", np.any)])
def test_logical_reductions_have_the_axes_as_attribute(name: str, function: Callable[..., Array]) -> None:
    expected = function(X > 0, axis=(2,))
    output = run_op(name, [X > 0], {"axis": [2], "keepdim": False}, like(expected))
    check_equal(output, expected)


def test_logsumexp() -> None:
    expected = np.log(np.exp(X).sum((0, 1, 2)))
    attrs = {"axis": [0], "keepdim": False, "reduce_all": True}
    check_equal(run_op("logsumexp", [X], attrs, like(expected)), expected)


def test_a_sum_of_bools_is_int64() -> None:
    builder = PirBuilder()
    operands = [builder.data("x", X > 0), builder.ints(0)]
    attrs = {"keepdim": False, "dtype": DTypeName("Undefined(ALL_DTYPE)")}
    out = builder.one("sum", *operands, result=tensor("int64", [3, 4]), attrs=attrs)
    check_equal(builder.fetch(out).run(x=X > 0)[0], (X > 0).sum(0))


def test_mean_all_and_p_norm() -> None:
    check_equal(run_op("mean_all", [X], result=tensor("float32", [])), np.asarray(X.mean()))
    attrs = {"porder": 2.0, "axis": 1, "epsilon": 1e-12, "keepdim": False, "asvector": False}
    check_equal(run_op("p_norm", [X], attrs, tensor("float32", [2, 4])), np.sqrt((X**2).sum(1)))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_of_the_extremes(name: str) -> None:
    builder = PirBuilder()
    operands = [builder.data("x", X), builder.full(-1, dtype="int64")]
    attrs = {"keepdims": False, "flatten": False, "dtype": DTypeName("int32")}
    out = builder.one(name, *operands, result=tensor("int32", [2, 3]), attrs=attrs)
    expected = getattr(np, name)(X, axis=-1).astype(np.int32)
    check_equal(builder.fetch(out).run(x=X)[0], expected)


def test_an_axis_of_argmax_that_is_an_input_is_refused() -> None:
    builder = PirBuilder()
    axis = builder.data("axis", np.array([1]))
    builder.fetch(builder.one("argmax", builder.data("x", X), axis))
    with pytest.raises(ModelParseError, match="operand 'axis': expected one constant"):
        builder.program()


def test_running_sums_and_products() -> None:
    builder = PirBuilder()
    x, axis = builder.data("x", X), builder.full(1, dtype="int32")
    flags = {"flatten": False, "exclusive": False, "reverse": False}
    total = builder.one("cumsum", x, axis, attrs={**flags, "reverse": True})
    product = builder.one("cumprod", x, attrs={"dim": 2, "exclusive": False, "reverse": False})
    outputs = builder.fetch(total, product).run(x=X)
    check_equal(outputs[0], X[:, ::-1].cumsum(1)[:, ::-1])
    check_equal(outputs[1], X.cumprod(2))
