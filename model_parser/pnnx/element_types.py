"""The names of element types in PNNX: short ones after shapes, torch's names in parameters."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.types import DType

_TYPES = {
    "f32": DType.FLOAT32,
    "f64": DType.FLOAT64,
    "f16": DType.FLOAT16,
    "i32": DType.INT32,
    "i64": DType.INT64,
    "i16": DType.INT16,
    "i8": DType.INT8,
    "u8": DType.UINT8,
    "bool": DType.BOOL,
    "bf16": DType.BFLOAT16,
}

COMPLEX = {"c64": DType.FLOAT32, "c128": DType.FLOAT64}
"""Complex type → the type of its two parts."""

_TORCH = {
    "torch.float": DType.FLOAT32,
    "torch.float32": DType.FLOAT32,
    "torch.double": DType.FLOAT64,
    "torch.float64": DType.FLOAT64,
    "torch.half": DType.FLOAT16,
    "torch.float16": DType.FLOAT16,
    "torch.bfloat16": DType.BFLOAT16,
    "torch.int": DType.INT32,
    "torch.int32": DType.INT32,
    "torch.long": DType.INT64,
    "torch.int64": DType.INT64,
    "torch.short": DType.INT16,
    "torch.int16": DType.INT16,
    "torch.int8": DType.INT8,
    "torch.uint8": DType.UINT8,
    "torch.bool": DType.BOOL,
}


def dtype_of(name: str) -> DType:
    """The type of a short name; raises `ModelParseError` for others, such as complex types."""
    dtype = _TYPES.get(name)
    if dtype is None:
        raise ModelParseError(f"element type {name!r}, expected one of {', '.join(_TYPES)}")
    return dtype


def torch_dtype(name: str) -> DType:
    """The type of torch's name; raises `ModelParseError` for others."""
    dtype = _TORCH.get(name)
    if dtype is None:
        raise ModelParseError(f"element type {name!r}, expected one of {', '.join(_TORCH)}")
    return dtype
