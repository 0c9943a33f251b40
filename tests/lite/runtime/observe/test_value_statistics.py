"""Statistics: summaries of all values, and the first op that produces NaN or infinity."""

from __future__ import annotations

import json

import numpy as np

from lite.ir.types import Array
from lite.runtime.observe.value_statistics import Statistics
from lite.runtime.observe.watch import watch
from tests.lite.runtime.observe.test_watch import LOOP
from tests.lite.runtime.planted import TARGET, planted, relu_with_nan
from tests.lite.runtime.run_text import runtime_of

CHAIN = """
graph main(%x: float32[?]) {
  %a = scale(X=%x) {scale=2.0} : float32[?]
  %b = relu(X=%a) : float32[?]
  %y = square(X=%b) : float32[?]
  return %y
}
"""


def statistics(text: str, *args: Array, target: str = "host") -> Statistics:
    result = Statistics()
    watch(runtime_of(text, target=target).state, "compact", result.see, args)
    return result


def test_a_finite_run_is_printed_as_a_table() -> None:
    result = statistics(CHAIN, np.array([1, -1, 0, 2], np.float32))
    assert result.first_bad is None
    assert str(result) == (
        "op  type      value  dtype    shape  min  max  mean  zeros  NaN  Inf\n"
        " -  argument  x      float32  [4]     -1    2   0.5   0.25    0    0\n"
        " 0  scale     a      float32  [4]     -2    4     1   0.25    0    0\n"
        " 1  relu      b      float32  [4]      0    4   1.5    0.5    0    0\n"
        " 2  square    y      float32  [4]      0   16     5    0.5    0    0\n"
        "all values are finite"
    )


def test_a_kernel_that_returns_nan_is_named() -> None:
    with planted(relu_with_nan):
        result = statistics(CHAIN, np.array([1, -1, 0, 2], np.float32), target=TARGET)
    assert result.sentence == (
        "op 1 of main, relu -> b on planted/any/any, is the first to produce NaN or Inf from finite inputs: "
        "1 NaN of 4 elements"
    )
    assert [value.summary.nans for value in result.values] == [0, 0, 1, 1]


def test_an_op_inside_a_loop_is_named() -> None:
    # Twice the largest float is infinite.
    x = np.array([np.finfo(np.float32).max, 0], np.float32)
    result = statistics(LOOP, x, np.array([0]), np.array([2]))
    assert result.sentence == (
        "op 0 of block1, scale -> x#1 on host/any/any, is the first to produce NaN or Inf from finite "
        "inputs: 1 Inf of 2 elements"
    )
    (row,) = (value for value in result.values if (value.block, value.name) == ("block1", "x#1"))
    assert (row.times, row.summary.infs, row.summary.elements) == (2, 2, 4)


def test_nan_in_an_input_is_no_fault_of_an_op() -> None:
    result = statistics(CHAIN, np.array([np.nan, 1], np.float32))
    assert result.first_bad is None
    assert result.sentence == (
        "argument x already has 1 NaN of 2 elements; no op computes NaN or Inf from finite values"
    )


def test_infinity_in_a_weight_is_no_fault_of_an_op() -> None:
    text = """
    graph main(%x: float32[2]) {
      %w = const float32[2] [1.0, inf]
      %y = elementwise_add(X=%x, Y=%w) : float32[2]
      return %y
    }
    """
    result = statistics(text, np.zeros(2, np.float32))
    assert result.first_bad is None
    assert (
        result.sentence
        == "weight w already has 1 Inf of 2 elements; no op computes NaN or Inf from finite values"
    )


def test_an_op_that_does_not_read_the_bad_input_is_named() -> None:
    text = """
    graph main(%x: float32[1], %bad: float32[1]) {
      %a = relu(X=%bad) : float32[1]
      %y = log(X=%x) : float32[1]
      return %a, %y
    }
    """
    result = statistics(text, np.zeros(1, np.float32), np.array([np.nan], np.float32))
    assert result.first_bad is not None
    assert (result.first_bad.op, result.first_bad.output) == ("log", "y")


def test_to_dict_has_plain_data_only() -> None:
    data = statistics(CHAIN, np.array([np.inf, 1], np.float32)).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    values = data["values"]
    assert isinstance(values, list)
    assert values[1] == {
        "block": "main",
        "position": 0,
        "op": "scale",
        "name": "a",
        "times": 1,
        "dtype": "float32",
        "shape": [2],
        "elements": 2,
        "min": 2.0,
        "max": 2.0,
        "mean": 2.0,
        "nans": 0,
        "infs": 1,
        "zeros": 0.0,
    }
