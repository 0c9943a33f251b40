"""The enumerations, with the numbers of Paddle-Lite."""

from __future__ import annotations

from lite.compat.paddlelite import (
    CLPrecisionType,
    CLTuneMode,
    DataLayoutType,
    PowerMode,
    PrecisionType,
    QuantType,
    TargetType,
)
from lite.ir.types import DType


def test_targets_have_the_names_and_numbers_of_paddle_lite() -> None:
    names = (
        "Unk Host X86 CUDA ARM OpenCL Any FPGA NPU XPU BM MLU RKNPU APU HUAWEI_ASCEND_NPU IMAGINATION_NNA "
        "INTEL_FPGA Metal NNAdapter"
    )
    assert [target.name for target in sorted(TargetType)] == names.split()
    assert [int(target) for target in sorted(TargetType)] == list(range(19))


def test_precisions_have_the_names_and_numbers_of_paddle_lite() -> None:
    names = "Unk FP32 INT8 INT32 Any FP16 BOOL INT64 INT16 UINT8 FP64"
    assert [precision.name for precision in sorted(PrecisionType)] == names.split()
    assert [int(precision) for precision in sorted(PrecisionType)] == list(range(11))


def test_other_enumerations_have_the_names_and_numbers_of_paddle_lite() -> None:
    names = "Unk NCHW Any NHWC ImageDefault ImageFolder ImageNW MetalTexture2DArray MetalTexture2D"
    assert [layout.name for layout in sorted(DataLayoutType)] == names.split()
    assert (PowerMode.LITE_POWER_HIGH, PowerMode.LITE_POWER_NO_BIND, PowerMode.LITE_POWER_RAND_LOW) == (
        0,
        3,
        5,
    )
    assert [mode.name for mode in CLTuneMode] == [
        "CL_TUNE_NONE",
        "CL_TUNE_RAPID",
        "CL_TUNE_NORMAL",
        "CL_TUNE_EXHAUSTIVE",
    ]
    assert (CLPrecisionType.CL_PRECISION_AUTO, CLPrecisionType.CL_PRECISION_FP16) == (0, 2)
    assert [kind.name for kind in QuantType] == ["QUANT_INT8", "QUANT_INT16"]


def test_members_print_with_their_names() -> None:
    assert str(TargetType.X86) == "TargetType.X86"


def test_each_dtype_has_a_precision_or_is_unknown() -> None:
    assert PrecisionType.of(DType.FLOAT32) is PrecisionType.FP32
    assert PrecisionType.of(DType.INT64) is PrecisionType.INT64
    assert PrecisionType.of(DType.BFLOAT16) is PrecisionType.Unk
    assert PrecisionType.of(None) is PrecisionType.Unk
