"""quantized_group by numpy: dequantises the operands, runs fusion_group and quantises the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.plugin.kernel import Array, host_kernel, kernel


@kernel("quantized_group")
def quantized_group(
    X: Array,
    Inputs: Sequence[Array] | None,
    *,
    program: str,
    results: Sequence[int],
    in_scales: Sequence[float],
    in_zero_points: Sequence[int],
    out_scales: Sequence[float],
    out_zero_points: Sequence[int],
) -> list[Array]:
    """Compute a program of elementwise ops in float32 on X and Inputs, and return its results.

    An operand n with a scale is uint8 and stands for ``(n - zero_point) · scale``.  A result y with a scale
    becomes ``round(y / scale) + zero_point``, halves to even, saturated to uint8.  Operands and results with
    scale 0 are float32 and remain as they are.  `program` and `results` are those of fusion_group.
    """
    pairs = zip([X, *(Inputs or ())], in_scales, in_zero_points, strict=True)
    first, *others = (real_numbers(x, scale, zero) for x, scale, zero in pairs)
    outputs = host_kernel("fusion_group").run(first, others, program=program, results=results)
    return [
        y if not scale else codes_of(y, scale, zero)
        for y, scale, zero in zip(outputs, out_scales, out_zero_points, strict=True)
    ]


def real_numbers(x: Array, scale: float, zero: int) -> Array:
    """``(x - zero) · scale`` in float32; `x` itself for scale 0."""
    return (x.astype(np.float32) - np.float32(zero)) * np.float32(scale) if scale else x


def codes_of(y: Array, scale: float, zero: int) -> Array:
    """``round(y / scale) + zero`` of float32 numbers, rounded half to even, saturated to uint8."""
    codes: Array = np.clip(np.rint(y / np.float32(scale)) + np.float32(zero), 0, 255).astype(np.uint8)
    return codes
