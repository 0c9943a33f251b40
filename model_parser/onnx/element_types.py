"""Element types: the numbers of ``TensorProto.DataType`` in onnx.proto, and `DType`."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.onnx.messages import TensorProto

_TYPES: dict[int, DType] = {
    TensorProto.FLOAT: DType.FLOAT32,
    TensorProto.UINT8: DType.UINT8,
    TensorProto.INT8: DType.INT8,
    TensorProto.UINT16: DType.UINT16,
    TensorProto.INT16: DType.INT16,
    TensorProto.INT32: DType.INT32,
    TensorProto.INT64: DType.INT64,
    TensorProto.STRING: DType.STRING,
    TensorProto.BOOL: DType.BOOL,
    TensorProto.FLOAT16: DType.FLOAT16,
    TensorProto.DOUBLE: DType.FLOAT64,
    TensorProto.UINT32: DType.UINT32,
    TensorProto.UINT64: DType.UINT64,
    TensorProto.COMPLEX64: DType.COMPLEX64,
    TensorProto.COMPLEX128: DType.COMPLEX128,
    TensorProto.BFLOAT16: DType.BFLOAT16,
    TensorProto.FLOAT8E4M3FN: DType.FLOAT8_E4M3FN,
    TensorProto.FLOAT8E5M2: DType.FLOAT8_E5M2,
    TensorProto.FLOAT8E4M3FNUZ: DType.FLOAT8_E4M3FNUZ,
    TensorProto.FLOAT8E5M2FNUZ: DType.FLOAT8_E5M2FNUZ,
    TensorProto.INT4: DType.INT4,
    TensorProto.UINT4: DType.UINT4,
}


# Types that older releases of the onnx package do not have.
_TYPES |= {
    TensorProto.DataType.Value(name): dtype
    for name, dtype in {
        "FLOAT4E2M1": DType.FLOAT4_E2M1FN,
        "FLOAT8E8M0": DType.FLOAT8_E8M0FNU,
        "INT2": DType.INT2,
        "UINT2": DType.UINT2,
    }.items()
    if name in TensorProto.DataType.keys()  # noqa: SIM118 - the enum wrapper is not a dict
}


def dtype_of(number: int) -> DType | None:
    """The element type of a number in a model; None for 0, which is ``UNDEFINED``.

    Raises `ModelParseError` for a type that `DType` does not have (float6).
    """
    if number == TensorProto.UNDEFINED:
        return None
    dtype = _TYPES.get(number)
    if dtype is None:
        is_onnx = number in TensorProto.DataType.values()
        name = TensorProto.DataType.Name(TensorProto.DataType.ValueType(number)) if is_onnx else str(number)
        raise ModelParseError(
            f"element type {name} is not supported; supported: {', '.join(map(str, _TYPES.values()))}"
        )
    return dtype
