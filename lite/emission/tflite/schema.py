"""Numbers of TFLite's ``schema.fbs``: element types, operators, and the options of each operator.

https://github.com/tensorflow/tensorflow/blob/master/tensorflow/compiler/mlir/lite/schema/schema.fbs
"""

from __future__ import annotations

from dataclasses import field

from lite.dataclass import dataclass
from lite.ir.types import DType

TYPES = {
    DType.FLOAT32: 0,
    DType.FLOAT16: 1,
    DType.INT32: 2,
    DType.UINT8: 3,
    DType.INT64: 4,
    DType.BOOL: 6,
    DType.INT16: 7,
    DType.INT8: 9,
    DType.FLOAT64: 10,
    DType.UINT32: 15,
    DType.UINT16: 16,
}
"""The number in TensorType of each element type."""

SAME, VALID = 0, 1
"""The numbers of Padding."""

REFLECT, SYMMETRIC = 0, 1
"""The numbers of MirrorPadMode."""

NO_ACTIVATION, RELU, RELU6 = 0, 1, 3
"""The numbers of ActivationFunctionType."""

INT32S = "int32s"
"""The type of an option that is a vector of int32."""


@dataclass(frozen=True)
class Code:
    """An operator: its `number` in BuiltinOperator, and its options.

    `table` is the number of its options' table in BuiltinOptions, or 0 if no options are written.  `options`
    has the number of the field in that table and its type by name; the type is a format character of
    `struct`, or `INT32S`.  `version` is the first version that interpreters support.
    """

    number: int
    table: int = 0
    options: dict[str, tuple[int, str]] = field(default_factory=dict)
    version: int = 1


_ACTIVATION = {"activation": (0, "b")}
_WINDOW = {"padding": (0, "b"), "stride_w": (1, "i"), "stride_h": (2, "i")}
_POOL = {**_WINDOW, "filter_w": (3, "i"), "filter_h": (4, "i"), "activation": (5, "b")}
_KEEP = {"keep_dims": (0, "?")}
_AXIS = {"axis": (0, "i")}

CODES: dict[str, Code] = {
    "ABS": Code(101, 78),
    "ADD": Code(0, 11, _ACTIVATION),
    "ARG_MAX": Code(56, 40, {"output_type": (0, "b")}),
    "ARG_MIN": Code(79, 57, {"output_type": (0, "b")}),
    "AVERAGE_POOL_2D": Code(1, 5, _POOL),
    "BATCH_MATMUL": Code(126, 101, {"adj_x": (0, "?"), "adj_y": (1, "?")}),
    "BROADCAST_TO": Code(130, 104, version=2),
    "CAST": Code(53, 37, {"in_type": (0, "b"), "out_type": (1, "b")}),
    "CEIL": Code(104),
    "CONCATENATION": Code(2, 10, {**_AXIS, "activation": (1, "b")}),
    "CONV_2D": Code(
        3, 1, {**_WINDOW, "activation": (3, "b"), "dilation_w": (4, "i"), "dilation_h": (5, "i")}
    ),
    "CONV_3D": Code(
        132,
        106,
        {
            "padding": (0, "b"),
            "stride_d": (1, "i"),
            "stride_w": (2, "i"),
            "stride_h": (3, "i"),
            "activation": (4, "b"),
            "dilation_d": (5, "i"),
            "dilation_w": (6, "i"),
            "dilation_h": (7, "i"),
        },
    ),
    "COS": Code(108, 84),
    "CUMSUM": Code(128, 102, {"exclusive": (0, "?"), "reverse": (1, "?")}),
    "DEPTHWISE_CONV_2D": Code(
        4,
        2,
        {
            **_WINDOW,
            "multiplier": (3, "i"),
            "activation": (4, "b"),
            "dilation_w": (5, "i"),
            "dilation_h": (6, "i"),
        },
    ),
    "DEPTH_TO_SPACE": Code(5, 94, {"block_size": (0, "i")}),
    "DEQUANTIZE": Code(6, 38),
    "DIV": Code(42, 29, _ACTIVATION),
    "ELU": Code(111),
    "EQUAL": Code(71, 53),
    "EXP": Code(47, 33),
    "FLOOR": Code(8),
    "FLOOR_DIV": Code(90, 65),
    "FLOOR_MOD": Code(95, 72),
    "FULLY_CONNECTED": Code(
        9, 8, {"activation": (0, "b"), "weights_format": (1, "b"), "keep_num_dims": (2, "?")}
    ),
    "GATHER": Code(36, 23, {**_AXIS, "batch_dims": (1, "i")}),
    "GATHER_ND": Code(107, 83),
    "GELU": Code(150, 116, {"approximate": (0, "?")}),
    "GREATER": Code(61, 44),
    "GREATER_EQUAL": Code(62, 45),
    "HARD_SWISH": Code(117, 91),
    "LEAKY_RELU": Code(98, 75, {"alpha": (0, "f")}),
    "LESS": Code(58, 41),
    "LESS_EQUAL": Code(63, 46),
    "LOG": Code(73),
    "LOGICAL_AND": Code(86, 62),
    "LOGICAL_NOT": Code(87, 63),
    "LOGICAL_OR": Code(84, 60),
    "LOGISTIC": Code(14),
    "LOG_SOFTMAX": Code(50, 36),
    "MAXIMUM": Code(55, 39),
    "MAX_POOL_2D": Code(17, 5, _POOL),
    "MEAN": Code(40, 27, _KEEP),
    "MINIMUM": Code(57, 39),
    "MIRROR_PAD": Code(100, 77, {"mode": (0, "b")}),
    "MUL": Code(18, 21, _ACTIVATION),
    "NEG": Code(59, 42),
    "NOT_EQUAL": Code(72, 54),
    "ONE_HOT": Code(85, 61, _AXIS),
    "PAD": Code(34, 22),
    "PADV2": Code(60, 43),
    "POW": Code(78, 56),
    "PRELU": Code(54),
    "QUANTIZE": Code(114, 89),
    "REDUCE_ALL": Code(140, 27, _KEEP),
    "REDUCE_ANY": Code(91, 27, _KEEP),
    "REDUCE_MAX": Code(82, 27, _KEEP),
    "REDUCE_MIN": Code(89, 27, _KEEP),
    "REDUCE_PROD": Code(81, 27, _KEEP),
    "RELU": Code(19),
    "RELU6": Code(21),
    "RELU_N1_TO_1": Code(20),
    "RESHAPE": Code(22, 17, {"new_shape": (0, INT32S)}),
    "RESIZE_BILINEAR": Code(23, 15, {"align_corners": (2, "?"), "half_pixel_centers": (3, "?")}),
    "RESIZE_NEAREST_NEIGHBOR": Code(97, 74, {"align_corners": (0, "?"), "half_pixel_centers": (1, "?")}),
    "REVERSE_V2": Code(105, 81),
    "ROUND": Code(116),
    "RSQRT": Code(76),
    "SELECT_V2": Code(123, 98),
    "SIGN": Code(158, 123),
    "SIN": Code(66),
    "SLICE": Code(65, 48),
    "SOFTMAX": Code(25, 9, {"beta": (0, "f")}),
    "SPACE_TO_DEPTH": Code(26, 19, {"block_size": (0, "i")}),
    "SPLIT": Code(49, 35, {"num_splits": (0, "i")}),
    "SPLIT_V": Code(102, 79, {"num_splits": (0, "i")}),
    "SQRT": Code(75),
    "SQUARE": Code(92, 66),
    "SQUARED_DIFFERENCE": Code(99, 76),
    "STRIDED_SLICE": Code(
        45,
        32,
        {
            "begin_mask": (0, "i"),
            "end_mask": (1, "i"),
            "ellipsis_mask": (2, "i"),
            "new_axis_mask": (3, "i"),
            "shrink_axis_mask": (4, "i"),
        },
    ),
    "SUB": Code(41, 28, _ACTIVATION),
    "SUM": Code(74, 27, _KEEP),
    "TANH": Code(28),
    "TILE": Code(69, 51),
    "TOPK_V2": Code(48, 34),
    "TRANSPOSE": Code(39, 26),
    "TRANSPOSE_CONV": Code(67, 49, {**_WINDOW, "activation": (3, "b")}),
}
"""The operators that conversions emit, by their names in BuiltinOperator."""
