"""Op cases in a device's precision: with inputs that its activations hold exactly.

Otherwise, a case would measure how much an op magnifies the rounding of its inputs, and not the device: the
tangent near π/2 and the remainder of a division magnify it without bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lite.config import Config
from lite.ir.types import HOST, Array, DType
from lite.plugin.device import Precision
from lite.session.predictor import Predictor
from lite.tools.conformance.cases import Case, Operand, program_of

Operands = Mapping[str, Sequence[Operand]]


def in_precision(case: Case, precision: Precision) -> Case:
    """The case with float inputs rounded to the precision's activations, and the host's results for them.

    The case itself where no input changes, and for activations of integers.  Raises `LiteError` where the
    host cannot run the case.
    """
    if not precision.activation.is_float:
        return case
    inputs = {slot: [_rounded(item, precision) for item in items] for slot, items in case.inputs.items()}
    if all(
        new is old
        for slot, items in inputs.items()
        for new, old in zip(items, case.inputs[slot], strict=True)
    ):
        return case
    rounded = replace(case, inputs=inputs)
    return replace(rounded, outputs=_on_host(rounded))


def beyond_range(case: Case, precision: Precision) -> str:
    """A sentence for a case with numbers that the precision's activations cannot hold; "" for none."""
    for operands in (case.inputs, case.outputs):
        for slot, items in operands.items():
            if not precision.infinities and not all(_is_finite(item.array) for item in items):
                return f"{slot} has infinities or NaN, and the device has none in {precision.name}"
            largest = max((_largest(item.array) for item in items), default=0.0)
            if largest > precision.largest:
                return (
                    f"{slot} has a number of size {largest:.4g}; litebridge checks {precision.name} up to "
                    f"{precision.largest:.4g}"
                )
    return ""


def _rounded(item: Operand, precision: Precision) -> Operand:
    dtype = DType.from_numpy(item.array.dtype)
    if not dtype.is_float or dtype.itemsize <= precision.activation.itemsize:
        return item
    with np.errstate(over="ignore"):
        array = item.array.astype(precision.activation.numpy).astype(item.array.dtype)
    return item if np.array_equal(array, item.array, equal_nan=True) else replace(item, array=array)


def _on_host(case: Case) -> Operands:
    config = Config(case.name, passes=[], valid_places=[HOST], precision="strict")
    predictor = Predictor.of_program(program_of(case), config)
    inputs = [item for items in case.inputs.values() for item in items]
    lods = {name: item.lod for name, item in zip(predictor.input_names, inputs, strict=True) if item.lod}
    predictor.run([item.array for item in inputs], lods=lods)
    names = iter(predictor.output_names)
    return {slot: [_result(predictor, next(names)) for _ in items] for slot, items in case.outputs.items()}


def _result(predictor: Predictor, name: str) -> Operand:
    return Operand(np.array(predictor.get(name)), predictor.get_lod(name))


def _is_finite(array: Array) -> bool:
    return not DType.from_numpy(array.dtype).is_float or bool(np.isfinite(array).all())


def _largest(array: Array) -> float:
    if not DType.from_numpy(array.dtype).is_float:
        return 0.0
    finite = array[np.isfinite(array)]
    return float(np.abs(finite.astype(np.float64)).max(initial=0.0))
