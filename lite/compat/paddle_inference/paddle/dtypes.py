"""Element types of ``paddle``."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.errors import GraphError, InputError
from lite.ir.types import DType


@dataclass(frozen=True, eq=False, repr=False)
class dtype:  # noqa: N801 - Paddle's name
    """An element type, such as ``paddle.float32``; equal to its name, with or without ``paddle.``."""

    of: DType

    @property
    def name(self) -> str:
        """Paddle's name in capitals, such as ``FLOAT32``."""
        return self.of.name

    def __eq__(self, other: object) -> bool:
        return self.of is other.of if isinstance(other, dtype) else str(self) in (other, f"paddle.{other}")

    def __hash__(self) -> int:
        return hash(self.of)

    def __repr__(self) -> str:
        return f"paddle.{self.of.label}"

    __str__ = __repr__


def as_dtype(kind: object) -> dtype:
    """The element type for a name, a numpy dtype or an element type; raises `InputError` for others."""
    if isinstance(kind, dtype):
        return kind
    try:
        if isinstance(kind, str):
            return dtype(DType.from_name(kind.removeprefix("paddle.")))
        return dtype(DType.from_numpy(np.dtype(kind)))  # type: ignore[call-overload]
    except (GraphError, TypeError) as error:
        raise InputError(
            f"{kind!r} is not an element type of Paddle; expected a name such as 'float32', "
            "a numpy dtype or a type such as paddle.float32"
        ) from error


_NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
DTYPES: dict[str, object] = {
    name: dtype(DType.from_name(name)) for name in (*_NAMES, "complex64", "complex128")
}
"""The element types by their names in ``paddle``."""
