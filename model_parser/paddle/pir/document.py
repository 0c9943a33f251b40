"""The JSON document of a PIR program as checked blocks, ops, values and parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field as data_field

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.model_parser.paddle.pir.fields import Json, checked, field, integer64, is_mapping, short
from lite.model_parser.paddle.pir.types import PirType, read_type

MAGIC = "pir"
NEWEST_VERSION = 4
MAX_DEPTH = 64
"""The most regions inside one another."""

DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf", "3": "custom_op", "4": "dist"}
PARAMETER = "p"

_ADVICE = "the file may be damaged: copy or export the model again"


@dataclass(frozen=True)
class PirValue:
    """A value that an op or a block defines: its number, 0 for an absent one, and its type."""

    id: int
    type: PirType


@dataclass(frozen=True)
class Parameter:
    """A parameter of the model; one that is not persistable is not in the parameter file."""

    name: str
    value: PirValue
    is_persistable: bool


@dataclass(frozen=True)
class PirBlock:
    """The arguments of a block, and its ops in running order."""

    args: Sequence[PirValue]
    ops: Sequence[PirOp]
    parameters: Sequence[Parameter]


@dataclass(frozen=True)
class PirOp:
    """An op; `operands` are the numbers of values, and `attributes` the encoded attributes by name.

    `where` is its place in the block, for messages.
    """

    name: str
    where: str
    operands: Sequence[int] = ()
    results: Sequence[PirValue] = ()
    attributes: Mapping[str, Json] = data_field(default_factory=dict)
    blocks: Sequence[PirBlock] = ()


def read_document(data: bytes) -> PirBlock:
    """The main block of a PIR program; raises `ModelParseError` for damage and unknown versions."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ModelParseError(f"byte {error.start} is not UTF-8; {_ADVICE}") from error
    except json.JSONDecodeError as error:
        raise ModelParseError(
            f"not readable JSON at line {error.lineno}, column {error.colno}: {error.msg}; the file may be "
            "cut short: copy or export the model again"
        ) from error
    except RecursionError as error:
        raise ModelParseError(f"the JSON is nested too deeply; {_ADVICE}") from error
    except ValueError as error:
        raise ModelParseError(f"not readable JSON: {error}; {_ADVICE}") from error
    try:
        return _read_program(document)
    except ModelParseError as error:
        raise ModelParseError(f"{error}; {_ADVICE}") from error
    except RecursionError as error:
        raise ModelParseError(f"the program is nested too deeply; {_ADVICE}") from error


def _read_program(document: Json) -> PirBlock:
    base = field(document, "base_code", dict, "the document")
    magic = field(base, "magic", str, "base_code")
    if magic != MAGIC:
        raise ModelParseError(f"base_code: expected the magic {MAGIC!r}, got {short(magic)}")
    version = field(base, "version", int, "base_code")
    if not 0 <= version <= NEWEST_VERSION:
        raise ModelParseError(
            f"base_code: expected a version from 0 to {NEWEST_VERSION}, got {short(version)}: "
            "save the model with Paddle 3.0 to 3.3"
        )
    program = field(document, "program", dict, "the document")
    regions: list[Json] = field(program, "regions", list, "program")
    blocks = _read_regions(regions, "program", 0)
    if len(blocks) != 1:
        raise ModelParseError(f"program: expected one region, got {len(blocks)}")
    return blocks[0]


def _read_regions(regions: list[Json], where: str, depth: int) -> list[PirBlock]:
    """The blocks of regions, of which each has one."""
    if depth > MAX_DEPTH:
        raise ModelParseError(f"{where}: expected at most {MAX_DEPTH} regions inside one another")
    result = []
    for number, region in enumerate(regions):
        place = f"{where}, region {number}" if depth else where
        blocks: list[Json] = field(region, "blocks", list, place)
        if len(blocks) != 1:
            raise ModelParseError(f"{place}: expected one block, got {len(blocks)}")
        result.append(_read_block(blocks[0], place, depth))
    return result


def _read_block(block: Json, where: str, depth: int) -> PirBlock:
    args: list[Json] = field(block, "args", list, where, [])
    values = [
        PirValue(_id(arg, "#", f"{where}: argument {n}"), _type(arg, f"{where}: argument {n}"))
        for n, arg in enumerate(args)
    ]
    ops: list[PirOp] = []
    parameters: list[Parameter] = []
    items: list[Json] = field(block, "ops", list, where)
    for number, item in enumerate(items):
        code = field(item, "#", str, f"{where}, op {number}")
        place = f"{where}, op {number}"
        if code == PARAMETER:
            parameters.append(_read_parameter(item, f"{place} (parameter)"))
        else:
            ops.append(_read_op(item, _op_name(code), place, depth))
    if depth and parameters:
        raise ModelParseError(f"{where}: expected parameters in the main block only")
    return PirBlock(values, ops, parameters)


def _op_name(code: str) -> str:
    """``1.conv2d`` → ``pd_op.conv2d``; a name whose dialect has no number stays."""
    dialect, _, rest = code.partition(".")
    return f"{DIALECTS[dialect]}.{rest}" if dialect in DIALECTS else code


def _read_op(item: Json, name: str, where: str, depth: int) -> PirOp:
    position, where = where.rpartition(", ")[2], f"{where} ({name})"
    operands: list[Json] = field(item, "I", list, where, [])
    results: list[Json] = field(item, "O", list, where, [])
    attributes: list[Json] = field(item, "A", list, where, [])
    regions: list[Json] = field(item, "regions", list, where, [])
    return PirOp(
        name,
        f"{position} ({name})",
        [_id(operand, "%", f"{where}: operand {n}") for n, operand in enumerate(operands)],
        [
            PirValue(_id(result, "%", f"{where}: result {n}"), _type(result, f"{where}: result {n}"))
            for n, result in enumerate(results)
        ],
        {field(attr, "N", str, f"{where}: attribute"): _encoded(attr, where) for attr in attributes},
        _read_regions(regions, where, depth + 1),
    )


def _encoded(attr: Json, where: str) -> Json:
    return field(attr, "AT", dict, f"{where}: attribute")


def _read_parameter(item: Json, where: str) -> Parameter:
    attributes: list[Json] = field(item, "A", list, where)
    name = checked(attributes[3] if len(attributes) > 3 else None, str, f"{where}: the name in 'A'")
    where = f"{where} {short(name)}"
    result = field(item, "O", dict, where)
    flags: list[Json] = field(item, "OA", list, where, [])
    type = _type(result, where)
    if type.dtype is None or type.shape is None:
        raise ModelParseError(f"{where}: expected a tensor, got {type.encoding}")
    return Parameter(name, PirValue(_id(result, "%", where), type), not flags or bool(flags[0]))


def _id(owner: Json, key: str, where: str) -> int:
    return integer64(field(owner, key, int, where), where)


def _type(owner: Json, where: str) -> PirType:
    value = owner.get("TT") if is_mapping(owner) else None
    return read_type(value, where)
