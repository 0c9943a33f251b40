"""The precisions that the engine names."""

from __future__ import annotations

import pytest

from lite.ir.types import DType
from lite.plugin.device import BFLOAT16, FLOAT16, FLOAT32, Precision


@pytest.mark.parametrize(
    ("precision", "largest"),
    [
        (FLOAT32, 3.4028234663852886e38),
        (FLOAT16, 65504.0),
        (BFLOAT16, 3.3895313892515355e38),
        (Precision("int8", DType.INT8, DType.INT8), float("inf")),
    ],
)
def test_the_largest_activation_is_that_of_its_element_type(precision: Precision, largest: float) -> None:
    assert precision.largest == largest


def test_a_wider_type_has_a_smaller_tolerance() -> None:
    assert FLOAT32.tolerance < FLOAT16.tolerance < BFLOAT16.tolerance
