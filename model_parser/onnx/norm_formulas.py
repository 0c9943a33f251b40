"""Normalisations over trailing axes, and their statistics, from elementary ops.

The ops `layer_norm` and `rms_norm` have the first axis as a number from the front, which follows from the
rank, and not all outputs of ONNX's.
"""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.sizes import axes_from


@dataclass(frozen=True)
class Affine:
    """What a normalised tensor is multiplied by, and what is added; both broadcast."""

    scale: str
    bias: str | None = None


class TrailingAxes:
    """The axes of `x` from `axis` on, which counts from the end if it is negative; for means in float32."""

    def __init__(self, writer: BlockWriter, x: str, axis: int, epsilon: float) -> None:
        self._writer = writer
        self._x = x
        self._epsilon = epsilon
        self._attrs: dict[str, AttrValue] = {"keep_dim": True}
        self._inputs: dict[str, str] = {}
        if axis < 0:
            self._attrs["dim"] = [*range(axis, 0)]
        else:
            self._inputs["AxisTensor"] = axes_from(writer, x, axis)
        is_wide = writer.dtype(x) in (DType.FLOAT32, DType.FLOAT64)
        self._wide = x if is_wide else writer.cast(x, DType.FLOAT32)

    def layer_norm(self, out: str, affine: Affine, mean: str | None, inverse: str | None) -> None:
        """Write ``(x − mean) · inverse · scale + bias``, the mean, and ``inverse = 1 / deviation``."""
        centred = self._writer.binary("elementwise_sub", self._wide, self._mean(self._wide, mean))
        self._scale(centred, out, affine, inverse)

    def rms_norm(self, out: str, scale: str, inverse: str | None) -> None:
        """Write ``x · inverse · scale`` and ``inverse = 1 / sqrt(mean(x²) + epsilon)``."""
        self._scale(self._wide, out, Affine(scale), inverse)

    def statistics(self, mean: str | None, inverse: str | None) -> None:
        """Write the mean and ``1 / deviation`` alone."""
        centre = self._mean(self._wide, mean)
        if inverse is not None:
            self._inverse(self._writer.binary("elementwise_sub", self._wide, centre), inverse)

    def inverse_rms(self, out: str) -> None:
        """Write ``1 / sqrt(mean(x²) + epsilon)`` alone."""
        self._inverse(self._wide, out)

    def _inverse(self, numbers: str, out: str | None) -> str:
        squares = self._mean(self._writer.unary("square", numbers))
        shifted = self._writer.unary("scale", squares, {"bias": self._epsilon})
        return self._writer.unary("rsqrt", shifted, out=out)

    def _scale(self, numbers: str, out: str, affine: Affine, inverse: str | None) -> None:
        writer = self._writer
        normalised = writer.binary("elementwise_mul", numbers, self._inverse(numbers, inverse))
        if self._wide != self._x:
            normalised = writer.cast(normalised, writer.dtype(self._x))
        last = out if affine.bias is None else None
        scaled = writer.binary("elementwise_mul", normalised, affine.scale, out=last)
        if affine.bias is not None:
            writer.binary("elementwise_add", scaled, affine.bias, out=out)

    def _mean(self, name: str, out: str | None = None) -> str:
        result = out or self._writer.new_name(name)
        self._writer.emit("reduce_mean", {"X": name, **self._inputs}, {"Out": result}, self._attrs)
        return result
