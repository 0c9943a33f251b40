"""Numbers of TFLite's ``schema.fbs``: fields, element types, ops, and the options of the supported ops."""

from __future__ import annotations

from lite.ir.types import DType

DTYPES = {
    0: DType.FLOAT32,
    1: DType.FLOAT16,
    2: DType.INT32,
    3: DType.UINT8,
    4: DType.INT64,
    6: DType.BOOL,
    7: DType.INT16,
    8: DType.COMPLEX64,
    9: DType.INT8,
    10: DType.FLOAT64,
    12: DType.UINT64,
    13: DType.INT32,
    15: DType.UINT32,
    16: DType.UINT16,
    18: DType.BFLOAT16,
}
"""TensorType → element type; strings, variants and packed types are missing.

Number 13, a resource, is the int32 number of a variable.
"""

PACKED = {17: (DType.INT8, 4), 19: (DType.INT8, 2), 20: (DType.UINT8, 4)}
"""TensorType of constants with several elements in a byte → the type they are read as, and their bits."""

ACTIVATIONS = {0: "NONE", 1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6", 4: "TANH", 5: "SIGN_BIT"}

CUSTOM = 32
PLACEHOLDER = 127
"""The value of `deprecated_builtin_code` from which on the op is in `builtin_code`."""

_OP_NAMES = """
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP
FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC
LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX
SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD
UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE
UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX
DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER
GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL
LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT
LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE
RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N
GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF
WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL
PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS
HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE
READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL
GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM
ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD
STABLEHLO_DIVIDE STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP
STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE
STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL
STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER
STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER
STABLEHLO_COMPARE STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD
STABLEHLO_IOTA STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE
STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE
STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE
"""

OPS = _OP_NAMES.split()
"""BuiltinOperator by number."""

Options = dict[str, tuple[int, str, float]]
"""The options of an op: each with its field, type (of `struct`) and default."""

_ACTIVATION: Options = {"activation": (0, "b", 0)}
_WINDOW: Options = {"padding": (0, "b", 0), "stride_w": (1, "i", 0), "stride_h": (2, "i", 0)}
_POOL: Options = {**_WINDOW, "filter_w": (3, "i", 0), "filter_h": (4, "i", 0), "activation": (5, "b", 0)}
_VOLUMES: Options = {
    **{"padding": (0, "b", 0), "stride_d": (1, "i", 0), "stride_w": (2, "i", 0), "stride_h": (3, "i", 0)},
    **{"activation": (4, "b", 0), "dilation_d": (5, "i", 1)},
    **{"dilation_w": (6, "i", 1), "dilation_h": (7, "i", 1)},
}
_AXIS: Options = {"axis": (0, "i", 0)}
_KEEP_DIMS: Options = {"keep_dims": (0, "?", 0)}
_LSTM: Options = {"function": (0, "b", 0), "cell_clip": (1, "f", 0.0), "projection_clip": (2, "f", 0.0)}

OPTIONS: dict[str, Options] = {
    "ADD": _ACTIVATION,
    "ARG_MAX": {"output_type": (0, "b", 0)},
    "ARG_MIN": {"output_type": (0, "b", 0)},
    "AVERAGE_POOL_2D": _POOL,
    "BATCH_MATMUL": {"adj_x": (0, "?", 0), "adj_y": (1, "?", 0)},
    "BIDIRECTIONAL_SEQUENCE_LSTM": {**_LSTM, "merge": (3, "?", 0), "time_major": (4, "?", 1)},
    "BIDIRECTIONAL_SEQUENCE_RNN": {
        "time_major": (0, "?", 0),
        "function": (1, "b", 0),
        "merge": (2, "?", 0),
    },
    "CALL_ONCE": {"initialiser": (0, "i", 0)},
    "CAST": {"in_type": (0, "b", 0), "out_type": (1, "b", 0)},
    "CONCATENATION": {**_AXIS, "activation": (1, "b", 0)},
    "CONV_2D": {**_WINDOW, "activation": (3, "b", 0), "dilation_w": (4, "i", 1), "dilation_h": (5, "i", 1)},
    "CONV_3D": _VOLUMES,
    "CONV_3D_TRANSPOSE": _VOLUMES,
    "CUMSUM": {"exclusive": (0, "?", 0), "reverse": (1, "?", 0)},
    "DEPTHWISE_CONV_2D": {
        **_WINDOW,
        "multiplier": (3, "i", 0),
        "activation": (4, "b", 0),
        "dilation_w": (5, "i", 1),
        "dilation_h": (6, "i", 1),
    },
    "DEPTH_TO_SPACE": {"block_size": (0, "i", 0)},
    "DIV": _ACTIVATION,
    "FAKE_QUANT": {
        "min": (0, "f", 0.0),
        "max": (1, "f", 0.0),
        "num_bits": (2, "i", 0),
        "narrow_range": (3, "?", 0),
    },
    "FULLY_CONNECTED": {
        "activation": (0, "b", 0),
        "weights_format": (1, "b", 0),
        "keep_num_dims": (2, "?", 0),
    },
    "GATHER": {**_AXIS, "batch_dims": (1, "i", 0)},
    "GELU": {"approximate": (0, "?", 0)},
    "IF": {"then": (0, "i", 0), "else": (1, "i", 0)},
    "L2_NORMALIZATION": _ACTIVATION,
    "L2_POOL_2D": _POOL,
    "LEAKY_RELU": {"alpha": (0, "f", 0.0)},
    "LOCAL_RESPONSE_NORMALIZATION": {
        "radius": (0, "i", 0),
        "bias": (1, "f", 0.0),
        "alpha": (2, "f", 0.0),
        "beta": (3, "f", 0.0),
    },
    "LSTM": {**_LSTM, "kernel": (3, "b", 0)},
    "MAX_POOL_2D": _POOL,
    "MEAN": _KEEP_DIMS,
    "MIRROR_PAD": {"mode": (0, "b", 0)},
    "MUL": _ACTIVATION,
    "ONE_HOT": _AXIS,
    "PACK": {"axis": (1, "i", 0)},
    "REDUCE_ALL": _KEEP_DIMS,
    "REDUCE_ANY": _KEEP_DIMS,
    "REDUCE_MAX": _KEEP_DIMS,
    "REDUCE_MIN": _KEEP_DIMS,
    "REDUCE_PROD": _KEEP_DIMS,
    "RESIZE_BILINEAR": {"align_corners": (2, "?", 0), "half_pixel_centers": (3, "?", 0)},
    "RESIZE_NEAREST_NEIGHBOR": {"align_corners": (0, "?", 0), "half_pixel_centers": (1, "?", 0)},
    "REVERSE_SEQUENCE": {"seq_dim": (0, "i", 0), "batch_dim": (1, "i", 0)},
    "RNN": {"function": (0, "b", 0)},
    "SHAPE": {"out_type": (0, "b", 0)},
    "SOFTMAX": {"beta": (0, "f", 0.0)},
    "SPACE_TO_DEPTH": {"block_size": (0, "i", 0)},
    "STABLEHLO_COMPOSITE": {"decomposition": (1, "i", 0)},
    "STABLEHLO_REDUCE_WINDOW": {"body": (5, "i", 0)},
    "STRIDED_SLICE": {
        "begin_mask": (0, "i", 0),
        "end_mask": (1, "i", 0),
        "ellipsis_mask": (2, "i", 0),
        "new_axis_mask": (3, "i", 0),
        "shrink_axis_mask": (4, "i", 0),
        "offset": (5, "?", 0),
    },
    "SUB": _ACTIVATION,
    "SUM": _KEEP_DIMS,
    "SVDF": {"rank": (0, "i", 0), "function": (1, "b", 0)},
    "TRANSPOSE_CONV": {**_WINDOW, "activation": (3, "b", 0)},
    "UNIDIRECTIONAL_SEQUENCE_LSTM": {**_LSTM, "time_major": (3, "?", 0), "diagonal": (5, "?", 0)},
    "UNIDIRECTIONAL_SEQUENCE_RNN": {"time_major": (0, "?", 0), "function": (1, "b", 0)},
    "UNPACK": {"axis": (1, "i", 0)},
    "WHILE": {"condition": (0, "i", 0), "body": (1, "i", 0)},
}
"""Op → its options that are numbers."""

OPTION_LISTS = {"BUCKETIZE": (0, "f"), "RESHAPE": (0, "i"), "SQUEEZE": (0, "i")}
"""Op → the field and type (of `struct`) of its option that is a list of numbers."""

NAMED_LISTS: dict[str, dict[str, tuple[int, str]]] = {
    "STABLEHLO_REDUCE_WINDOW": {
        "size": (0, "q"),
        "strides": (1, "q"),
        "base_dilations": (2, "q"),
        "dilations": (3, "q"),
        "paddings": (4, "q"),
    },
}
"""Op → its options that are lists of integers, each with its field and type (of `struct`)."""

OPTION_TEXTS = {"VAR_HANDLE": (0, 1)}
"""Op → the fields of its options that are strings."""
