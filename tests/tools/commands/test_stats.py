"""Statistics that `litebridge stats` shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.tools.tiny_model import COMPILED, call, call_json

ARGUMENTS = ("stats", "model_dir", "-p", "", "--input")


def test_the_output_has_a_row_per_value(workplace: Path) -> None:
    # x is [[1, 2, 3, 4], [-1, 0, 1, 0]].
    assert call(*ARGUMENTS, "x=x.npy", "--wide").stdout == (
        "values\n"
        "op  type             value  dtype    shape  min  max     mean     zeros  NaN  Inf\n"
        " -  argument         x      float32  [2,4]   -1    4     1.25      0.25    0    0\n"
        " 0  mul              xw     float32  [2,3]   -7   18  2.66667         0    0    0\n"
        " 1  elementwise_add  sum    float32  [2,3]   -1   17  5.66667         0    0    0\n"
        " 2  relu             y      float32  [2,3]    0   17  5.83333  0.166667    0    0\n"
        "\n"
        "all values are finite\n"
    )


def test_the_op_that_overflows_is_named(workplace: Path) -> None:
    np.save("huge.npy", np.full((1, 4), 3e38, np.float32))
    result = call_json(*ARGUMENTS, "x=huge.npy")
    assert result["first_bad"] == {
        "block": "main",
        "position": 0,
        "op": "mul",
        "place": COMPILED,
        "output": "xw",
        "trouble": result["first_bad"]["trouble"],
    }
    assert result["sentence"].startswith(
        f"op 0 of main, mul -> xw on {COMPILED}, is the first to produce NaN or Inf from finite inputs: "
    )
    assert [value["name"] for value in result["values"]] == ["x", "xw", "sum", "y"]


def test_bad_lists_only_values_that_are_not_finite(workplace: Path) -> None:
    np.save("nan.npy", np.array([[np.nan, 0, 0, 0]], np.float32))
    result = call(*ARGUMENTS, "x=nan.npy", "--bad", "--wide")
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "\nargument x already has 1 NaN of 4 elements; no op computes NaN or Inf from finite values\n"
    )
    assert call(*ARGUMENTS, "x=x.npy", "--bad").stdout == "values\nnone\n\nall values are finite\n"
