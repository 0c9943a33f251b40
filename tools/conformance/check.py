"""Runs op cases on the host and compares the outputs with the expected ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.types import Array
from lite.session.predictor import Predictor
from lite.tools.conformance.cases import Case, Operand, program_of

TOLERANCE = 1e-4
"""The largest error, relative to the largest value of an output."""

_ROUNDING = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
"""A unit in the last place of 16 bits: the default precision computes in float32 and rounds once."""


@dataclass(frozen=True)
class Verdict:
    """The first difference of a case, "" for none."""

    case: Case
    wrong: str

    @property
    def ok(self) -> bool:
        """Whether all outputs are as expected."""
        return not self.wrong


def check(cases: Iterable[Case]) -> Iterator[Verdict]:
    """Run each case as a model, with all passes."""
    for case in cases:
        try:
            yield Verdict(case, _case_difference(case))
        except LiteError as error:
            yield Verdict(case, f"{type(error).__name__}: {error}")


def _case_difference(case: Case) -> str:
    predictor = Predictor.of_program(program_of(case), Config(case.name))
    inputs = [item for items in case.inputs.values() for item in items]
    expected = [item for items in case.outputs.values() for item in items]
    rounding = max((_ROUNDING.get(item.array.dtype.name, 0.0) for item in expected), default=0.0)
    return difference(predictor, inputs, expected, max(TOLERANCE, rounding))


def difference(
    predictor: Predictor, inputs: Sequence[Operand], expected: Sequence[Operand], tolerance: float
) -> str:
    """Run on inputs in the model's order, and describe the first output that differs; "" for none."""
    lods = {name: item.lod for name, item in zip(predictor.input_names, inputs, strict=True) if item.lod}
    predictor.run([item.array for item in inputs], lods=lods)
    for name, item in zip(predictor.output_names, expected, strict=True):
        problem = array_difference(predictor.get(name), item.array, tolerance)
        if problem:
            return f"{name}: {problem}"
        if predictor.get_lod(name) != item.lod:
            return f"{name}: expected the LoD {item.lod}, got {predictor.get_lod(name)}"
    return ""


def array_difference(got: Array, expected: Array, tolerance: float) -> str:
    """Describe how an array differs in dtype, shape or values; "" if it does not.

    Integers, booleans, infinities and NaN must be equal; other values may differ by `tolerance` times
    the largest expected value.
    """
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"expected {expected.dtype}{expected.shape}, got {got.dtype}{got.shape}"
    return _value_difference(got, expected, tolerance)


def _integer_difference(got: Array, expected: Array) -> str:
    """How many elements differ, and an example; "" for none."""
    wrong = np.argwhere(got != expected)
    if not wrong.size:
        return ""
    at = tuple(wrong[0])
    return (
        f"values differ in {len(wrong)} of {expected.size} elements, which must be equal: "
        f"at {[int(n) for n in at]}, expected {expected[at]}, got {got[at]}"
    )


def _value_difference(got: Array, expected: Array, tolerance: float) -> str:
    if expected.dtype.kind in "biu" or not expected.size:
        return _integer_difference(got, expected)
    a, b = got.astype(np.complex128), expected.astype(np.complex128)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return "values differ: NaN or infinities are not where they are expected"
    scale = float(np.abs(b[finite]).max(initial=0))
    error = float(np.abs(a[finite] - b[finite]).max(initial=0))
    if error <= tolerance * scale:
        return ""
    return f"values differ by up to {error:.3g}; the largest expected value is {scale:.3g}"
