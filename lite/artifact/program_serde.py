"""Programs as JSON data and arrays, and back."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.cache.array_blob import ArrayWriter
from lite.cache.entry import InvalidEntryError
from lite.cache.plan_serde import Record, attribute_of, attribute_record
from lite.errors import LiteError
from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import Array, DType

_FLAGS = ("persistable", "need_check_feed", "is_parameter", "stop_gradient")


def program_record(program: Program, arrays: ArrayWriter) -> Record:
    """A program as JSON data, which refers to its weights by their numbers in `arrays`.

    Raises `NotCacheableError` for weights that are no plain bytes or strings.
    """
    return {
        "blocks": [_block_record(block) for block in program.blocks],
        "weights": [
            [name, _weight_record(weight.array, arrays), weight.lod]
            for name, weight in program.weights.items()
        ],
        "version": program.version,
        "op_versions": program.op_versions,
        "extra": _text(program.extra),
    }


def program_from_record(record: Record, arrays: Sequence[Array], source: str) -> Program:
    """The program of a `program_record`; raises `InvalidEntryError`."""
    try:
        return Program(
            [_block(each) for each in record["blocks"]],
            {
                str(name): Weight(_weight(array, arrays), tuple(tuple(map(int, level)) for level in lod))
                for name, array, lod in record["weights"]
            },
            _optional_int(record["version"]),
            record["op_versions"] and {str(op): int(n) for op, n in record["op_versions"].items()},
            _bytes(record["extra"]),
            source,
        )
    except (LiteError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise InvalidEntryError(f"it holds no valid program: {error!r}") from error


def _block_record(block: Block) -> Record:
    return {
        "index": block.index,
        "parent": block.parent,
        "forward_block": block.forward_block,
        "extra": _text(block.extra),
        "vars": [_var_record(var) for var in block.vars.values()],
        "ops": [_op_record(op) for op in block.ops],
    }


def _var_record(var: Var) -> list[Any]:
    return [
        var.name,
        int(var.kind),
        None if var.dtype is None else var.dtype.label,
        var.shape,
        var.lod_level,
        [getattr(var, name) for name in _FLAGS],
        _text(var.extra),
    ]


def _op_record(op: Op) -> list[Any]:
    attrs = {
        name: [int(each.type), attribute_record(each.value), _text(each.extra)]
        for name, each in op.attrs.items()
    }
    return [op.type, op.inputs, op.outputs, attrs, op.is_target, _text(op.extra)]


def _weight_record(array: Array, arrays: ArrayWriter) -> Any:
    if array.dtype.kind != "O":
        return arrays.add(array)
    return {"strings": [_string(item) for item in array.reshape(-1).tolist()], "shape": list(array.shape)}


def _string(item: object) -> list[str]:
    return ["bytes", _text(item)] if isinstance(item, bytes) else ["text", str(item)]


def _block(record: Record) -> Block:
    variables = [_var(fields) for fields in record["vars"]]
    return Block(
        int(record["index"]),
        int(record["parent"]),
        {var.name: var for var in variables},
        [_op(*fields) for fields in record["ops"]],
        _optional_int(record["forward_block"]),
        _bytes(record["extra"]),
    )


def _var(fields: Sequence[Any]) -> Var:
    name, kind, dtype, shape, lod_level, flags, extra = fields
    return Var(
        _name(name),
        VarKind(kind),
        None if dtype is None else DType.from_name(dtype),
        None if shape is None else tuple([dim if isinstance(dim, str) else int(dim) for dim in shape]),
        _optional_int(lod_level),
        **{key: None if flag is None else bool(flag) for key, flag in zip(_FLAGS, flags, strict=True)},
        extra=_bytes(extra),
    )


def _op(type: str, inputs: Any, outputs: Any, attrs: Any, is_target: Any, extra: str) -> Op:
    return Op(
        _name(type),
        _slots(inputs),
        _slots(outputs),
        {
            _name(name): Attribute(AttrType(kind), attribute_of(value), _bytes(more))
            for name, (kind, value, more) in attrs.items()
        },
        None if is_target is None else bool(is_target),
        _bytes(extra),
    )


def _slots(record: Any) -> dict[str, list[str]]:
    return {_name(slot): [_name(name) for name in names] for slot, names in record.items()}


def _weight(record: Any, arrays: Sequence[Array]) -> Array:
    if not isinstance(record, dict):
        return arrays[_index(record, arrays)]
    items = [_bytes(text) if kind == "bytes" else _name(text) for kind, text in record["strings"]]
    array: Array = np.empty(len(items), object)
    array[:] = items
    array = array.reshape([int(size) for size in record["shape"]])
    array.flags.writeable = False
    return array


def _index(number: Any, arrays: Sequence[Array]) -> int:
    if type(number) is not int or not 0 <= number < len(arrays):
        raise ValueError(f"array {number!r} of {len(arrays)}")
    return number


def _name(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"expected a name, got {text!r}")
    return text


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
