"""PIR constants, ranges, sizes and random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.paddle.pir.builder import (
    DTypeName,
    IntArray,
    PirBuilder,
    check_equal,
    noise,
    run_op,
    tensor,
    translated,
)

X = noise(2, 3)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [[], [2, 2], [100, 100], [0]])
def test_full(dtype: str, shape: list[int]) -> None:
    builder = PirBuilder()
    out = builder.full(1, shape, dtype)
    check_equal(builder.fetch(out).run()[0], np.ones(shape, dtype))


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_full_of_a_number_that_is_not_finite(number: float) -> None:
    builder = PirBuilder()
    out = builder.full(number, [2])
    check_equal(builder.fetch(out).run()[0], np.full(2, number, np.float32))


@pytest.mark.parametrize("word", ["NaN", "NAN", "nan", "-nan"])
def test_every_spelling_of_nan_is_read(word: str) -> None:
    builder = PirBuilder()
    out = builder.full(0)
    builder.ops[0]["A"][1]["AT"] = {"#": "0.a_f64", "VD": word}
    assert np.isnan(builder.fetch(out).run()[0]).all()


def test_another_word_for_a_number_is_refused() -> None:
    builder = PirBuilder()
    builder.fetch(builder.full(0))
    builder.ops[0]["A"][1]["AT"] = {"#": "0.a_f64", "VD": "many"}
    message = r"m: op 0 \(pd_op.full\): attribute 'value': 0.a_f64: expected a number, INF, -INF or NaN, "
    with pytest.raises(ModelParseError, match=message):
        builder.program()


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "float16", "float32", "float64"])
def test_assign_value(dtype: str) -> None:
    builder = PirBuilder()
    placeholder = builder.full(0, [2, 2], dtype)
    attrs = {"shape": [2, 2], "dtype": DTypeName(dtype), "values": [0.0, 1.0, 2.0, 3.0]}
    out = builder.one("assign_value_", placeholder, attrs=attrs)
    check_equal(builder.fetch(out).run()[0], np.arange(4).reshape(2, 2).astype(dtype))


def test_assign_value_of_truths() -> None:
    builder = PirBuilder()
    attrs = {"shape": [2], "dtype": DTypeName("bool"), "values": [True, False]}
    [out] = builder.op("1.assign_value", (), [tensor("bool", [2])], attrs)
    check_equal(builder.fetch(out).run()[0], np.array([True, False]))


def test_values_that_do_not_fill_the_shape_are_refused() -> None:
    builder = PirBuilder()
    attrs = {"shape": [3], "dtype": DTypeName("int32"), "values": [0.0, 1.0]}
    builder.op("1.assign_value", (), [tensor("int32", [3])], attrs)
    with pytest.raises(ModelParseError, match=r"'values': expected numbers for shape \[3\], got 2"):
        builder.program()


def test_full_like_and_full_with_tensor() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    attrs = {"dtype": DTypeName("int64")}
    like = builder.one("full_like", x, builder.full(3), result=tensor("int64", [2, 3]), attrs=attrs)
    shape = builder.data("shape", np.array([2, 1]))
    value = builder.data("value", np.array([4], np.float32))
    attrs = {"dtype": DTypeName("float32")}
    filled = builder.one("full_with_tensor", value, shape, result=tensor("float32", [-1, -1]), attrs=attrs)
    feeds = {"x": X, "shape": np.array([2, 1]), "value": np.array([4], np.float32)}
    outputs = builder.fetch(like, filled).run(**feeds)
    check_equal(outputs[0], np.full((2, 3), 3))
    check_equal(outputs[1], np.full((2, 1), 4, np.float32))


def test_full_batch_size_like() -> None:
    attrs: dict[str, object] = {"shape": [-1, 5], "dtype": DTypeName("float32"), "value": 2.0}
    attrs |= {"input_dim_idx": 0, "output_dim_idx": 0}
    check_equal(
        run_op("full_batch_size_like", [X], attrs, tensor("float32", [2, 5])), np.full((2, 5), 2, "f4")
    )


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_arange_over_constants_and_inputs(dtype: str) -> None:
    builder = PirBuilder()
    end = builder.data("end", np.array([7], np.int64))
    operands = [builder.full(1, dtype="float64"), end, builder.full(2, dtype="int64")]
    attrs = {"dtype": DTypeName(dtype)}
    out = builder.one("arange", *operands, result=tensor(dtype, [-1]), attrs=attrs)
    check_equal(builder.fetch(out).run(end=np.array([7]))[0], np.arange(1, 7, 2).astype(dtype))


def test_linspace() -> None:
    builder = PirBuilder()
    operands = [builder.full(0), builder.full(1), builder.full(5, dtype="int32")]
    attrs = {"dtype": DTypeName("float32")}
    out = builder.one("linspace", *operands, result=tensor("float32", [5]), attrs=attrs)
    check_equal(builder.fetch(out).run()[0], np.linspace(0, 1, 5, dtype=np.float32))


def test_sizes() -> None:
    check_equal(run_op("shape", [X], result=tensor("int32", [2])), np.array([2, 3], np.int32))
    check_equal(run_op("shape64", [X], result=tensor("int64", [2])), np.array([2, 3]))
    check_equal(run_op("numel", [X], result=tensor("int64", [])), np.array(6))
    check_equal(run_op("is_empty", [X], result=tensor("bool", [])), np.array(False))


def test_empty_and_random_tensors_have_the_shape_of_the_operand() -> None:
    builder = PirBuilder()
    shape = builder.ints(50, 40)
    attrs: dict[str, object] = {"dtype": DTypeName("float32"), "seed": 3}
    result = tensor("float32", [50, 40])
    empty = builder.one("empty", shape, result=result, attrs={"dtype": DTypeName("float32")})
    normal = builder.one("gaussian", shape, result=result, attrs={"mean": 5.0, "std": 2.0, **attrs})
    low, high = builder.full(2), builder.full(3)
    uniform = builder.one("uniform", shape, low, high, result=result, attrs=attrs)
    outputs = builder.fetch(empty, normal, uniform).run()
    assert [output.shape for output in outputs] == [(50, 40)] * 3
    assert abs(outputs[1].mean() - 5) < 0.2
    assert abs(outputs[1].std() - 2) < 0.2
    assert 2 <= outputs[2].min() < 2.1
    assert 2.9 < outputs[2].max() <= 3


def test_a_constant_that_only_attributes_use_is_no_op() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    builder.fetch(builder.one("scale", x, builder.full(2), attrs={"bias": 0.0}))
    assert [op.type for op in builder.program().blocks[0].ops] == ["feed", "scale", "fetch"]
    assert [op.type for op in translated(builder)] == ["scale"]


def test_a_negative_size_is_refused() -> None:
    builder = PirBuilder()
    attrs = {"shape": IntArray([2, -1]), "value": 0.0, "dtype": DTypeName("float32")}
    builder.op("1.full", (), [tensor("float32", [2, -1])], attrs)
    with pytest.raises(ModelParseError, match=r"attribute 'shape': expected sizes, got \[2, -1\]"):
        builder.program()
