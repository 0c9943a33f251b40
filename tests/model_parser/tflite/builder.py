"""A writer of small TFLite models; it needs numpy only."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_TYPES = {
    "float32": 0,
    "float16": 1,
    "int32": 2,
    "uint8": 3,
    "int64": 4,
    "bool": 6,
    "int16": 7,
    "complex64": 8,
    "int8": 9,
    "resource": 13,
    "int4": 17,
    "int2": 19,
    "uint4": 20,
}

CODES = {
    **{"ADD": (0, 11), "AVERAGE_POOL_2D": (1, 5), "CONCATENATION": (2, 10), "CONV_2D": (3, 1)},
    **{"DEPTHWISE_CONV_2D": (4, 2), "DEPTH_TO_SPACE": (5, 94), "DEQUANTIZE": (6, 38), "FLOOR": (8, 0)},
    **{"FULLY_CONNECTED": (9, 8), "L2_NORMALIZATION": (11, 12), "LOCAL_RESPONSE_NORMALIZATION": (13, 13)},
    **{
        "LOGISTIC": (14, 0),
        "MAX_POOL_2D": (17, 5),
        "MUL": (18, 21),
        "RELU": (19, 0),
        "RELU_N1_TO_1": (20, 0),
    },
    **{"RELU6": (21, 0), "RESHAPE": (22, 17), "RESIZE_BILINEAR": (23, 15), "SOFTMAX": (25, 9)},
    **{"SPACE_TO_DEPTH": (26, 19), "TANH": (28, 0), "CUSTOM": (32, 0), "PAD": (34, 22), "GATHER": (36, 23)},
    **{"BATCH_TO_SPACE_ND": (37, 24), "SPACE_TO_BATCH_ND": (38, 25), "TRANSPOSE": (39, 26), "MEAN": (40, 27)},
    **{"SUB": (41, 28), "DIV": (42, 29), "SQUEEZE": (43, 30), "STRIDED_SLICE": (45, 32), "EXP": (47, 33)},
    **{"TOPK_V2": (48, 34), "SPLIT": (49, 35), "LOG_SOFTMAX": (50, 36), "CAST": (53, 37), "PRELU": (54, 0)},
    **{"MAXIMUM": (55, 39), "ARG_MAX": (56, 40), "MINIMUM": (57, 39), "LESS": (58, 41), "NEG": (59, 42)},
    **{"PADV2": (60, 43), "GREATER": (61, 44), "SELECT": (64, 47), "SLICE": (65, 48), "SIN": (66, 0)},
    **{"TRANSPOSE_CONV": (67, 49), "TILE": (69, 51), "EXPAND_DIMS": (70, 52), "EQUAL": (71, 53)},
    **{
        "LOG": (73, 0),
        "SUM": (74, 27),
        "SQRT": (75, 0),
        "RSQRT": (76, 0),
        "SHAPE": (77, 55),
        "POW": (78, 56),
    },
    **{"ARG_MIN": (79, 57), "REDUCE_MAX": (82, 27), "PACK": (83, 59), "LOGICAL_OR": (84, 60)},
    **{"ONE_HOT": (85, 61), "LOGICAL_AND": (86, 62), "LOGICAL_NOT": (87, 63), "UNPACK": (88, 64)},
    **{"REDUCE_MIN": (89, 27), "FLOOR_DIV": (90, 65), "SQUARE": (92, 66), "ZEROS_LIKE": (93, 67)},
    **{"FILL": (94, 68), "FLOOR_MOD": (95, 72), "RANGE": (96, 73), "RESIZE_NEAREST_NEIGHBOR": (97, 74)},
    **{"LEAKY_RELU": (98, 75), "SQUARED_DIFFERENCE": (99, 76), "MIRROR_PAD": (100, 77), "ABS": (101, 78)},
    **{"SPLIT_V": (102, 79), "CEIL": (104, 0), "REVERSE_V2": (105, 81), "ADD_N": (106, 82)},
    **{"GATHER_ND": (107, 83), "COS": (108, 84), "RANK": (110, 86), "ELU": (111, 0), "QUANTIZE": (114, 89)},
    **{"ROUND": (116, 0), "HARD_SWISH": (117, 91), "SELECT_V2": (123, 98), "BATCH_MATMUL": (126, 101)},
    **{"CUMSUM": (128, 102), "BROADCAST_TO": (130, 104), "GELU": (150, 116), "RELU_0_TO_1": (152, 0)},
    **{"SIGN": (158, 123), "DENSIFY": (124, 99)},
    **{
        "BITCAST": (159, 124),
        "BROADCAST_ARGS": (145, 0),
        "BUCKETIZE": (147, 115),
        "COMPLEX_ABS": (135, 0),
        "CONV_3D": (132, 106),
        "CONV_3D_TRANSPOSE": (141, 106),
        "DILATE": (203, 0),
        "DYNAMIC_UPDATE_SLICE": (151, 117),
        "FAKE_QUANT": (80, 58),
        "IMAG": (133, 0),
        "L2_POOL_2D": (12, 5),
        "MATRIX_DIAG": (113, 88),
        "MATRIX_SET_DIAG": (115, 90),
        "NON_MAX_SUPPRESSION_V4": (120, 95),
        "NON_MAX_SUPPRESSION_V5": (121, 96),
        "REAL": (134, 0),
        "REVERSE_SEQUENCE": (112, 87),
        "RFFT2D": (131, 105),
        "SCATTER_ND": (122, 97),
        "SEGMENT_SUM": (125, 100),
        "SPARSE_TO_DENSE": (68, 50),
        "UNIQUE": (103, 80),
        "UNSORTED_SEGMENT_MAX": (154, 119),
        "UNSORTED_SEGMENT_MIN": (157, 120),
        "UNSORTED_SEGMENT_PROD": (153, 118),
        "UNSORTED_SEGMENT_SUM": (155, 121),
    },
    **{"UNIDIRECTIONAL_SEQUENCE_LSTM": (44, 71), "BIDIRECTIONAL_SEQUENCE_LSTM": (52, 69), "LSTM": (16, 14)},
    **{"UNIDIRECTIONAL_SEQUENCE_RNN": (35, 31), "BIDIRECTIONAL_SEQUENCE_RNN": (46, 70), "RNN": (24, 7)},
    **{
        "SVDF": (27, 6),
        "STABLEHLO_COMPOSITE": (206, 21),
        "STABLEHLO_REDUCE_WINDOW": (198, 13),
        "IF": (118, 92),
        "WHILE": (119, 93),
        "CALL_ONCE": (129, 103),
    },
    **{"VAR_HANDLE": (142, 111), "READ_VARIABLE": (143, 112), "ASSIGN_VARIABLE": (144, 113)},
}
"""Op → its number, and the number of the type of its options."""

VERSIONS = {"BROADCAST_TO": 2}
"""Ops whose first version the interpreter lacks."""

Field = Any
"""A scalar ``(code, number)``, a string, bytes, an array, a table, or a list of tables."""


class Table(dict[int, Field]):
    """A table of a FlatBuffer: its fields by number."""


class Buffer:
    """The bytes of a FlatBuffer, written forward: an owner before what it refers to."""

    def __init__(self) -> None:
        self.data = bytearray()

    def align(self, size: int, extra: int = 0) -> None:
        """Add zeros until the position after `extra` bytes is a multiple of `size`."""
        self.data += bytes(-(len(self.data) + extra) % size)

    def table(self, fields: Mapping[int, Field]) -> int:
        """Write a table and all that it refers to; its position."""
        inline: list[tuple[int, int, Field]] = []
        offset = 4
        for number, value in fields.items():
            size = struct.calcsize(value[0]) if isinstance(value, tuple) else 4
            offset += -offset % size
            inline.append((number, offset, value))
            offset += size
        count = max(fields, default=-1) + 1
        vtable = [4 + 2 * count, offset, *[0] * count]
        for number, position, _ in inline:
            vtable[2 + number] = position
        self.align(8, 2 * len(vtable))
        start = len(self.data)
        self.data += struct.pack(f"<{len(vtable)}H", *vtable)
        begin = len(self.data)
        self.data += struct.pack("<i", begin - start) + bytes(offset - 4)
        for _, position, value in inline:
            if isinstance(value, tuple):
                struct.pack_into(f"<{value[0]}", self.data, begin + position, value[1])
            else:
                self.refer(begin + position, self.object(value))
        return begin

    def refer(self, position: int, target: int) -> None:
        """Store the distance to a target."""
        struct.pack_into("<I", self.data, position, target - position)

    def object(self, value: Field) -> int:
        """Write a table, string or vector; its position."""
        if isinstance(value, Mapping):
            return self.table(value)
        if isinstance(value, str):
            value, end = value.encode(), b"\0"
        else:
            end = b""
        if isinstance(value, list):
            self.align(4)
            start = len(self.data)
            self.data += struct.pack("<I", len(value)) + bytes(4 * len(value))
            for number, item in enumerate(value):
                position = start + 4 + 4 * number
                self.refer(position, self.object(item))
            return start
        array = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else np.asarray(value)
        self.align(16, 4)
        start = len(self.data)
        self.data += struct.pack("<I", array.size) + array.tobytes() + end
        return start


class TfliteBuilder:
    """Builds a model of one subgraph, and of those that other builders with this `main` add."""

    def __init__(self, main: TfliteBuilder | None = None) -> None:
        self.tensors: list[Table] = []
        self.buffers: list[Table] = main.buffers if main else [Table()]
        self.operators: list[Table] = []
        self.codes: list[Table] = main.codes if main else []
        self.subgraphs: list[Table] = []
        self._numbers: dict[str, int] = main._numbers if main else {}

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str = "float32",
        *,
        scale: float | Sequence[float] | None = None,
        zero: int | Sequence[int] = 0,
        axis: int = 0,
        signature: Sequence[int] | None = None,
        is_variable: bool = False,
    ) -> int:
        """A tensor without elements; its number."""
        table = Table({0: np.array(shape, np.int32), 1: ("b", _TYPES[dtype]), 2: ("I", 0), 3: name})
        if scale is not None:
            scales = np.atleast_1d(np.array(scale, np.float32))
            zeros = np.broadcast_to(np.array(zero, np.int64), scales.shape)
            table[4] = Table({2: scales, 3: zeros.copy(), 6: ("i", axis)})
        if signature is not None:
            table[7] = np.array(signature, np.int32)
        if is_variable:
            table[5] = ("?", True)
        self.tensors.append(table)
        return len(self.tensors) - 1

    def constant(self, name: str, array: np.ndarray, **quantisation: Any) -> int:
        """A constant; its number."""
        number = self.tensor(name, array.shape, str(array.dtype), **quantisation)
        self.buffers.append(Table({0: array.tobytes()}))
        self.tensors[number][2] = ("I", len(self.buffers) - 1)
        return number

    def op(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: Mapping[int, Field] | None = None,
    ) -> None:
        """Add an operator."""
        code, option_type = CODES[name]
        if name not in self._numbers:
            self._numbers[name] = len(self.codes)
            self.codes.append(
                Table({0: ("b", min(code, 127)), 2: ("i", VERSIONS.get(name, 1)), 3: ("i", code)})
            )
        table = Table({0: ("I", self._numbers[name]), 1: np.array(inputs, np.int32)})
        table[2] = np.array(outputs, np.int32)
        if option_type:
            first = 11 if name.startswith("STABLEHLO") else 3
            table |= {first: ("B", option_type), first + 1: Table(options or {})}
        self.operators.append(table)

    def graph(self, inputs: Sequence[int], outputs: Sequence[int], name: str = "main") -> Table:
        """The subgraph."""
        graph = Table({0: self.tensors, 1: np.array(inputs, np.int32), 2: np.array(outputs, np.int32)})
        return Table({**graph, 3: self.operators, 4: name})

    def model(self, inputs: Sequence[int], outputs: Sequence[int], version: int = 3) -> bytes:
        """The file; `subgraphs` follow the main one."""
        graphs = [self.graph(inputs, outputs), *self.subgraphs]
        model = Table({0: ("I", version), 1: self.codes, 2: graphs, 3: "test", 4: self.buffers})
        buffer = Buffer()
        buffer.data += bytes(4) + b"TFL3"
        buffer.refer(0, buffer.table(model))
        return bytes(buffer.data)
