"""Many ops in one model, so that a test compiles C once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.session.predictor import create_predictor
from tests.support.compiled_c import SANITIZED, compile_model, saved_config
from tests.support.small_programs import OpText, make_program

Row = tuple[str, Mapping[str, str], Mapping[str, AttrValue]]
"""An op, the variable of each input slot, and attributes; the first output slot is Out or Output."""

_SLOTS = {
    "take_along_axis": "Result",
    "put_along_axis": "Result",
    "unfold": "Y",
    "conv3d": "Output",
    "grid_sampler": "Output",
    "conv2d": "Output",
    "conv2d_transpose": "Output",
    "layer_norm": "Y",
    "batch_norm": "Y",
}


def check_rows(
    folder: Path,
    inputs: Mapping[str, Array],
    weights: Mapping[str, Array],
    rows: Sequence[Row],
    flags: Sequence[str] = SANITIZED,
    tolerance: float = 2e-6,
) -> None:
    """The results of each row in C equal those of the engine, relative to the largest number."""
    ops: list[OpText] = []
    for n, (kind, slots, attrs) in enumerate(rows):
        slot = _SLOTS.get(kind, "Y" if kind in ("group_norm", "instance_norm") else "Out")
        ops.append((kind, {s: [v] for s, v in slots.items()}, {slot: [f"result{n}"]}, attrs))
    declared = {name: (DType.from_numpy(array.dtype), array.shape) for name, array in inputs.items()}
    program = make_program(declared, weights, ops, [f"result{n}" for n in range(len(rows))])
    shapes = {name: array.shape for name, array in inputs.items()}
    config = saved_config(program, folder / "source", input_shapes=shapes)
    expected = create_predictor(config).run(dict(inputs))

    results = compile_model(config, folder / "c", flags).run(inputs)

    for n, (row, result) in enumerate(zip(rows, results, strict=True)):
        wanted = expected[f"result{n}"]
        assert result.shape == wanted.shape, row
        np.testing.assert_allclose(
            result, wanted, rtol=0, atol=tolerance * np.abs(wanted).max(initial=1.0), err_msg=str(row)
        )


def random(*shape: int, seed: int = 0) -> Array:
    """Normally distributed float32 numbers."""
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(np.float32)
