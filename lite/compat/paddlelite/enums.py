"""The enumerations of ``paddlelite.lite``, with Paddle-Lite's numbers."""

from __future__ import annotations

import enum

from lite.ir.types import DType


class _Numbered(enum.IntEnum):
    """Prints as ``TargetType.X86`` in every version of Python."""

    __str__ = enum.Enum.__str__


class TargetType(_Numbered):
    """The hardware of a kernel."""

    Unk = 0
    Host = 1
    X86 = 2
    CUDA = 3
    ARM = 4
    OpenCL = 5
    Any = 6
    FPGA = 7
    NPU = 8
    XPU = 9
    BM = 10
    MLU = 11
    RKNPU = 12
    APU = 13
    HUAWEI_ASCEND_NPU = 14
    IMAGINATION_NNA = 15
    INTEL_FPGA = 16
    Metal = 17
    NNAdapter = 18


class PrecisionType(_Numbered):
    """Element types."""

    Unk = 0
    FP32 = 1
    INT8 = 2
    INT32 = 3
    Any = 4
    FP16 = 5
    BOOL = 6
    INT64 = 7
    INT16 = 8
    UINT8 = 9
    FP64 = 10

    @classmethod
    def of(cls, dtype: DType | None) -> PrecisionType:
        """The member for `dtype`; Unk if Paddle-Lite has no such type."""
        return cls.Unk if dtype is None else _OF_DTYPE.get(dtype, cls.Unk)


class DataLayoutType(_Numbered):
    """Orders of the axes in memory."""

    Unk = 0
    NCHW = 1
    Any = 2
    NHWC = 3
    ImageDefault = 4
    ImageFolder = 5
    ImageNW = 6
    MetalTexture2DArray = 7
    MetalTexture2D = 8


class PowerMode(_Numbered):
    """The cores of a big.LITTLE processor that run a model."""

    LITE_POWER_HIGH = 0
    LITE_POWER_LOW = 1
    LITE_POWER_FULL = 2
    LITE_POWER_NO_BIND = 3
    LITE_POWER_RAND_HIGH = 4
    LITE_POWER_RAND_LOW = 5


class CLTuneMode(_Numbered):
    """The effort of tuning OpenCL kernels."""

    CL_TUNE_NONE = 0
    CL_TUNE_RAPID = 1
    CL_TUNE_NORMAL = 2
    CL_TUNE_EXHAUSTIVE = 3


class CLPrecisionType(_Numbered):
    """The precision of OpenCL kernels."""

    CL_PRECISION_AUTO = 0
    CL_PRECISION_FP32 = 1
    CL_PRECISION_FP16 = 2


class MLUCoreVersion(_Numbered):
    """Generations of Cambricon's MLU cores."""

    LITE_MLU_220 = 0
    LITE_MLU_270 = 1


class QuantType(_Numbered):
    """The storage type of quantised weights."""

    QUANT_INT8 = 0
    QUANT_INT16 = 1


_OF_DTYPE = {
    DType.FLOAT32: PrecisionType.FP32,
    DType.INT8: PrecisionType.INT8,
    DType.INT32: PrecisionType.INT32,
    DType.FLOAT16: PrecisionType.FP16,
    DType.BOOL: PrecisionType.BOOL,
    DType.INT64: PrecisionType.INT64,
    DType.INT16: PrecisionType.INT16,
    DType.UINT8: PrecisionType.UINT8,
    DType.FLOAT64: PrecisionType.FP64,
}
