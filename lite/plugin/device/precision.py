"""Precision: the number formats in which a device computes, and how far its results may be off."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.ir.types import DType


@dataclass(frozen=True)
class Precision:
    """The element types of activations and weights inside a region.

    `tolerance` is the largest accepted error of a float output of one op or one short region, relative to
    the largest expected element of that output: max|got - expected| ≤ tolerance · max|expected|.  The
    conformance kit, `litebridge compare` and `litebridge bisect` use it.  Integers have to be equal in every
    precision.

    Without `infinities`, a result that is infinite or no number may be any number on the device, as on
    chips that saturate.
    """

    name: str
    activation: DType = DType.FLOAT32
    weight: DType = DType.FLOAT32
    tolerance: float = 1e-3
    infinities: bool = True

    @property
    def largest(self) -> float:
        """The largest finite number of an activation; infinite for integers, which store scaled numbers."""
        if not self.activation.is_float:
            return float("inf")
        import ml_dtypes

        return float(ml_dtypes.finfo(self.activation.numpy).max)  # type: ignore[no-untyped-call]


FLOAT32 = Precision("float32")
FLOAT16 = Precision("float16", DType.FLOAT16, DType.FLOAT16, tolerance=1e-2)
BFLOAT16 = Precision("bfloat16", DType.BFLOAT16, DType.BFLOAT16, tolerance=4e-2)
