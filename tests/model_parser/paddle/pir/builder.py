"""A builder of small PIR programs, their parameter files, and runs of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import lite
from lite.ir.program import Op, Program, Weight
from lite.ir.types import Array
from lite.model_parser.paddle.pir.read_program import read_pir_program
from lite.model_parser.paddle.tensor_stream import write_tensor

_CODES = {
    "bool": "t_bool",
    "int8": "t_i8",
    "uint8": "t_ui8",
    "int32": "t_i32",
    "int64": "t_i64",
    "float16": "t_f16",
    "bfloat16": "t_bf16",
    "float32": "t_f32",
    "float64": "t_f64",
}

Json = dict[str, Any]


def tensor(dtype: str, dims: Sequence[int]) -> Json:
    """The type of a tensor."""
    return {"#": "0.t_dtensor", "D": [{"#": f"0.{_CODES[dtype]}"}, list(dims), "NCHW", [], 0]}


def vector(*types: Json) -> Json:
    """The type of a list of tensors."""
    return {"#": "0.t_vec", "D": list(types)}


def array_type(dtype: str) -> Json:
    """The type of a tensor array."""
    return {"#": "1.t_dense_tensor_array", "D": [{"#": f"0.{_CODES[dtype]}"}, [], "NCHW"]}


def like(array: Array) -> Json:
    """The type of an array."""
    return tensor(str(array.dtype), array.shape)


class DTypeName(str):
    """A string that is encoded as an element type."""


class IntArray(list[int]):
    """A list that is encoded as an integer array."""


def encoded(value: object) -> Json:
    """An attribute value as Paddle 3.3 writes it."""
    if isinstance(value, DTypeName):
        return {"#": "1.a_dtype", "D": str(value)}
    if isinstance(value, IntArray):
        return {"#": "1.a_intarray", "D": list(value)}
    if isinstance(value, bool):
        return {"#": "0.a_bool", "D": value}
    if isinstance(value, int):
        return {"#": "0.a_i32", "D": value}
    if isinstance(value, float):
        if math.isfinite(value):
            return {"#": "0.a_f64", "D": value}
        return {"#": "0.a_f64", "VD": "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"}
    if isinstance(value, str):
        return {"#": "0.a_str", "D": value}
    if isinstance(value, list):
        return {"#": "0.a_array", "D": [encoded(item) for item in value]}
    raise TypeError(value)


class Numbers:
    """The numbers of values, of the whole file."""

    def __init__(self) -> None:
        self.last = self.last_argument = 0

    def new(self) -> int:
        """The number of a result."""
        self.last += 1
        return self.last


class PirBuilder:
    """Builds the ops of one block; `types` has the type of each value."""

    def __init__(self, outer: PirBuilder | None = None) -> None:
        self.ops: list[Json] = []
        self.args: list[Json] = []
        self.types: dict[int, Json] = {} if outer is None else outer.types
        self.weights: dict[str, Array] = {} if outer is None else outer.weights
        self._numbers: Numbers = Numbers() if outer is None else outer._numbers

    def op(
        self,
        name: str,
        operands: Sequence[int] = (),
        results: Sequence[Json] | None = None,
        attrs: Mapping[str, object] | None = None,
        regions: Sequence[PirBuilder] = (),
    ) -> list[int]:
        """Add an op; by default it has one result of the first operand's type."""
        types = [self.types[operands[0]]] if results is None else results
        ids = [self._numbers.new() for _ in types]
        self.types |= dict(zip(ids, types, strict=True))
        item: Json = {
            "#": name,
            "I": [{"%": id} for id in operands],
            "O": [{"%": id, "TT": type} for id, type in zip(ids, types, strict=True)],
            "A": [{"N": key, "AT": encoded(value)} for key, value in (attrs or {}).items()],
            "OA": [],
        }
        if regions:
            item["regions"] = [region.region() for region in regions]
        self.ops.append(item)
        return ids

    def one(
        self, name: str, *operands: int, result: Json | None = None, attrs: Mapping[str, object] | None = None
    ) -> int:
        """Add an op of the dialect pd_op with one result; its number."""
        return self.op(f"1.{name}", operands, None if result is None else [result], attrs)[0]

    def data(self, name: str, array: Array) -> int:
        """An input of the type of `array`."""
        attrs = {"name": name, "shape": IntArray(array.shape), "dtype": DTypeName(array.dtype)}
        return self.op("1.data", (), [like(array)], attrs)[0]

    def parameter(self, name: str, array: Array, *, persistable: bool = True) -> int:
        """A parameter."""
        number = self._numbers.new()
        self.types[number] = like(array)
        flags = [int(persistable), 1, 0]
        result = {"%": number, "TT": like(array)}
        self.ops.append({"#": "p", "A": [0, 1, 1, name], "O": result, "OA": flags})
        if persistable:
            self.weights[name] = array
        return number

    def full(self, value: float, shape: Sequence[int] = (1,), dtype: str = "float32") -> int:
        """A constant of one value."""
        attrs = {"shape": IntArray(shape), "value": float(value), "dtype": DTypeName(dtype)}
        return self.op("1.full", (), [tensor(dtype, shape)], attrs)[0]

    def ints(self, *values: int) -> int:
        """A constant list of integers."""
        attrs = {"value": list(values), "dtype": DTypeName("int64")}
        return self.op("1.full_int_array", (), [tensor("int64", [len(values)])], attrs)[0]

    def combine(self, *operands: int) -> int:
        """A list of values."""
        return self.op("0.combine", operands, [vector(*(self.types[id] for id in operands))])[0]

    def split(self, operand: int) -> list[int]:
        """The values of a list."""
        return self.op("0.split", [operand], self.types[operand]["D"])

    def argument(self, type: Json) -> int:
        """An argument of the block."""
        self._numbers.last_argument -= 1
        self.args.append({"#": self._numbers.last_argument, "TT": type})
        self.types[self._numbers.last_argument] = type
        return self._numbers.last_argument

    def yields(self, *operands: int) -> None:
        """The last op of a region."""
        self.op("2.yield", operands, [])

    def fetch(self, *operands: int) -> PirBuilder:
        """Outputs."""
        for col, id in enumerate(operands):
            self.op("1.fetch", [id], None, {"name": f"fetch_name_{col}", "col": col})
        return self

    def region(self) -> Json:
        """The block as a region."""
        return {"#": "region_0", "blocks": [{"#": "block_0", "args": self.args, "ops": self.ops}]}

    def document(self, version: int = 4) -> Json:
        """The whole program."""
        base = {"magic": "pir", "trainable": True, "version": version}
        return {"base_code": base, "program": {"regions": [self.region()]}}

    def json(self, version: int = 4) -> bytes:
        """The file of the program."""
        return json.dumps(self.document(version)).encode()

    def params(self) -> bytes:
        """The file of the parameters."""
        chunks = [
            chunk for name in sorted(self.weights) for chunk in write_tensor(Weight(self.weights[name]))
        ]
        return b"".join(chunks)

    def program(self) -> Program:
        """The program as the parser reads it, without weights."""
        return read_pir_program(self.json(), "m")

    def run(self, **arrays: Array) -> list[Array]:
        """The outputs of the model by litebridge."""
        config = lite.Config(model_buffer=self.json(), params_buffer=self.params() or None, debug=True)
        return list(lite.create_predictor(config).run(arrays).values())


def run_op(
    name: str,
    inputs: Sequence[Array],
    attrs: Mapping[str, object] | None = None,
    result: Json | None = None,
) -> Array:
    """The output of a program of one op whose operands are inputs."""
    builder = PirBuilder()
    operands = [builder.data(f"x{n}", array) for n, array in enumerate(inputs)]
    out = builder.one(name, *operands, result=result, attrs=attrs)
    return builder.fetch(out).run(**{f"x{n}": array for n, array in enumerate(inputs)})[0]


def translated(builder: PirBuilder) -> list[Op]:
    """The ops of a program without feeds, fetches and constants."""
    skipped = ("feed", "fetch", "fill_constant", "assign_value")
    return [op for op in builder.program().blocks[0].ops if op.type not in skipped]


def noise(*shape: int, seed: int = 0) -> Array:
    """Normally distributed float32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def check_equal(output: Array, expected: Array, tolerance: float = 1e-5) -> None:
    """Assert equal dtype and shape, and elements within a tolerance."""
    assert (output.dtype, output.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(output, expected, rtol=tolerance, atol=tolerance)
