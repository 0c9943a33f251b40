"""Type promotion follows the rules in torch's documentation."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import DType
from lite.model_parser.pnnx.promotion import common_dtype, literal_dtype
from lite.model_parser.pnnx.value import Var
from lite.model_parser.pnnx.writer import Writer

TENSORS = {"f": DType.FLOAT32, "d": DType.FLOAT64, "h": DType.FLOAT16, "b": DType.BFLOAT16, "i": DType.INT32}
TENSORS |= {"l": DType.INT64, "u": DType.UINT8, "c": DType.INT8, "t": DType.BOOL}


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (["f", "d"], DType.FLOAT64),
        (["i", "f"], DType.FLOAT32),
        (["l", "h"], DType.FLOAT16),
        (["u", "c"], DType.INT16),
        (["t", "u"], DType.UINT8),
        (["h", "b"], DType.FLOAT32),
        (["b", "f"], DType.FLOAT32),
        (["d", "b"], DType.FLOAT64),
        (["h", 1.5], DType.FLOAT16),
        (["i", 1.5], DType.FLOAT32),
        (["i", 2], DType.INT32),
        (["t", 2], DType.INT64),
        (["t", True], DType.BOOL),
        (["f", "d0"], DType.FLOAT32),
        (["i", "d0"], DType.FLOAT64),
        (["i", "l0"], DType.INT32),
        (["f0", "d0"], DType.FLOAT64),
        (["f0", 2.5], DType.FLOAT32),
        ([2, 2.5], DType.FLOAT32),
        (["f", "number"], DType.FLOAT32),
        (["t", "number"], DType.INT64),
    ],
)
def test_operands_have_a_common_type(terms: list[str | float], expected: DType) -> None:
    writer = Writer("m")
    variables = {name: writer.feed(name, dtype, (2,), 0) for name, dtype in TENSORS.items()}
    variables |= {f"{name}0": writer.feed(f"{name}0", dtype, (), 0) for name, dtype in TENSORS.items()}
    variables["number"] = Var(writer.constant(np.array(3, np.int32)).name, is_number=True)
    operands = [variables[term] if isinstance(term, str) else term for term in terms]
    assert common_dtype(writer, operands) is expected
    assert common_dtype(writer, operands[::-1]) is expected


def test_literals_have_torchs_types() -> None:
    assert [literal_dtype(value) for value in (True, 1, 1.0)] == [DType.BOOL, DType.INT64, DType.FLOAT32]
