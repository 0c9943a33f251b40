"""Run cases and compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lite.config import Config
from lite.errors import LiteError
from lite.ir.types import Array
from lite.session.predictor import Predictor
from lite.tools.conformance.cases import Case, Operand
from lite.tools.conformance.program import program_of

TOLERANCE = 1e-4
"""Largest difference, relative to the largest value of an output."""


@dataclass(frozen=True)
class Verdict:
    """What came of a case: nothing wrong, or what differs first."""

    case: Case
    wrong: str

    @property
    def ok(self) -> bool:
        """Whether every output was as expected."""
        return not self.wrong


def check(cases: Iterable[Case]) -> Iterator[Verdict]:
    """Run each case as a model of its own, with all passes."""
    for case in cases:
        try:
            yield Verdict(case, _difference(case))
        except LiteError as error:
            yield Verdict(case, f"{type(error).__name__}: {error}")


def _difference(case: Case) -> str:
    program = program_of(case)
    config = Config(case.name)
    predictor = Predictor.of_program(program, config)
    inputs = [item for items in case.inputs.values() for item in items]
    wanted = [item for items in case.outputs.values() for item in items]
    return difference(predictor, inputs, wanted, TOLERANCE)


def difference(
    predictor: Predictor, inputs: Sequence[Operand], wanted: Sequence[Operand], tolerance: float
) -> str:
    """Run on inputs in order, and say how the outputs differ from those wanted; nothing: not at all."""
    lods = {name: item.lod for name, item in zip(predictor.input_names, inputs, strict=True) if item.lod}
    predictor.run([item.array for item in inputs], lods=lods)
    for name, want in zip(predictor.output_names, wanted, strict=True):
        problem = array_difference(predictor.get(name), want.array, tolerance)
        if problem:
            return f"{name}: {problem}"
        if predictor.get_lod(name) != want.lod:
            return f"{name}: LoD {predictor.get_lod(name)}, expected {want.lod}"
    return ""


def array_difference(have: Array, want: Array, tolerance: float) -> str:
    """How an array differs from the one wanted: in type, shape, or by more than `tolerance` of the largest.

    Integers and booleans must be equal, and so must what is infinite or no number.
    """
    if have.shape != want.shape or have.dtype != want.dtype:
        return f"{have.dtype}{have.shape}, expected {want.dtype}{want.shape}"
    return "" if _close(have, want, tolerance) else "values differ"


def _close(have: Array, want: Array, tolerance: float) -> bool:
    if want.dtype.kind in "biu" or not want.size:
        return bool(np.array_equal(have, want))
    a, b = have.astype(np.complex128), want.astype(np.complex128)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return False
    scale = float(np.abs(b[finite]).max(initial=0))
    return bool(np.all(np.abs(a[finite] - b[finite]) <= tolerance * scale))
