"""`Program` to ProgramDesc and to files; a file is written completely or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from google.protobuf.message import DecodeError, EncodeError, Message

from lite.atomic_file import write_atomically
from lite.errors import ModelParseError
from lite.ir.program import Block, Op, Program, Var
from lite.model_parser.paddle.attributes import write_attribute
from lite.model_parser.paddle.files import separate_file
from lite.model_parser.paddle.framework_pb2 import BlockDesc, OpDesc, ProgramDesc
from lite.model_parser.paddle.parameters import check_weight, parameter_vars
from lite.model_parser.paddle.tensor_stream import write_tensor
from lite.model_parser.paddle.variables import write_var

M = TypeVar("M", bound=Message)


def write_model(program: Program, directory: Path, *, combined: bool) -> list[Path]:
    """Write the model into `directory`, which is created; returns the paths, the program's last.

    Combined: ``inference.pdmodel`` and, where the model has weights, ``inference.pdiparams``.  Separate:
    ``__model__`` and a file for each weight.  Checks the whole model before it writes the first byte.
    Raises `ModelParseError`.
    """
    data = write_program(program)
    variables = _checked_parameters(program)
    model = directory / ("inference.pdmodel" if combined else "__model__")
    if combined:
        files = {directory / "inference.pdiparams": variables} if variables else {}
    else:
        files = _separate_files(directory, variables, model)
    for path, content in files.items():
        _write_file(path, _streams(program, content))
    _write_file(model, [data])
    return [*files, model]


def write_program(program: Program) -> bytes:
    """The program as a serialised ProgramDesc, without the weights.

    Raises `ModelParseError` naming the op or variable that the format cannot hold.
    """
    message = ProgramDesc()
    for block in program.blocks:
        _write_block(message.blocks.add(), block, program.source)
    try:
        if program.version is not None:
            message.version.version = program.version
        if program.op_versions is not None:
            message.op_version_map.SetInParent()
            for name, version in program.op_versions.items():
                pair = message.op_version_map.pair.add(op_name=name)
                pair.op_version.version = version
        if program.extra:
            message.MergeFromString(program.extra)
            count = len(program.op_versions or ())
            _merge(message.op_version_map.pair, count, lambda pair: pair.op_name)
        # Partial: an attribute whose type number is unknown has no type.
        return message.SerializePartialToString()
    except (TypeError, ValueError, DecodeError, EncodeError) as error:
        raise ModelParseError(f"{program.source}: the program cannot be written: {error}") from error


def _checked_parameters(program: Program) -> list[Var]:
    if not program.blocks:
        raise ModelParseError(f"{program.source}: the program has no block, so there is nothing to save")
    variables = parameter_vars(program)
    unpaired = program.weights.keys() ^ {var.name for var in variables}
    if unpaired:
        raise ModelParseError(
            f"{program.source}: {sorted(unpaired)[:5]} are either weights without a persistable variable in "
            "the first block or such variables without a weight; Paddle's files need both"
        )
    for var in variables:
        try:
            check_weight(var, program.weights[var.name])
            next(write_tensor(program.weights[var.name]))
        except ModelParseError as error:
            raise ModelParseError(f"{program.source}: weight {var.name!r}: {error}") from error
    return variables


def _separate_files(directory: Path, variables: Iterable[Var], model: Path) -> dict[Path, list[Var]]:
    files: dict[Path, list[Var]] = {}
    for var in variables:
        path = separate_file(directory, var.name)
        if path == model or path in files:
            raise ModelParseError(f"{path}: two files of the model would have this path; save it combined")
        files[path] = [var]
    return files


def _streams(program: Program, variables: Iterable[Var]) -> Iterator[bytes | memoryview]:
    for var in variables:
        yield from write_tensor(program.weights[var.name])


def _write_file(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, chunks)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be written: {error.strerror}; check the directory") from error


def _write_block(message: BlockDesc, block: Block, source: str) -> None:
    where = f"{source}: block {block.index}"
    try:
        message.idx = block.index
        message.parent_idx = block.parent
        if block.forward_block is not None:
            message.forward_block_idx = block.forward_block
        for name, var in block.vars.items():
            where = f"{source}: block {block.index}, variable {name!r}"
            if name != var.name:
                raise ModelParseError(f"its key in the block differs from its name {var.name!r}")
            write_var(message.vars.add(), var)
        for number, op in enumerate(block.ops):
            where = f"{source}: block {block.index}, op {number} ({op.type})"
            _write_op(message.ops.add(), op)
        where = f"{source}: block {block.index}"
        if block.extra:
            message.MergeFromString(block.extra)
    except (ModelParseError, TypeError, ValueError, DecodeError) as error:
        raise ModelParseError(f"{where}: {error}") from error


def _write_op(message: OpDesc, op: Op) -> None:
    message.type = op.type
    if op.is_target is not None:
        message.is_target = op.is_target
    _write_slots(message.inputs, op.inputs)
    _write_slots(message.outputs, op.outputs)
    for name, attr in op.attrs.items():
        write_attribute(message.attrs.add(), name, attr)
    if op.extra:
        message.MergeFromString(op.extra)
        _merge(message.inputs, len(op.inputs), lambda slot: slot.parameter)
        _merge(message.outputs, len(op.outputs), lambda slot: slot.parameter)


def _write_slots(
    message: RepeatedCompositeFieldContainer[OpDesc.Var], slots: Mapping[str, Sequence[str]]
) -> None:
    for slot, names in slots.items():
        if isinstance(names, str):
            raise ModelParseError(f"the slot {slot!r} holds the string {names!r}, expected a list of names")
        message.add(parameter=slot, arguments=names)


def _merge(items: RepeatedCompositeFieldContainer[M], count: int, key: Callable[[M], str]) -> None:
    """Merge the items that `extra` appended after the first `count` into those of the same key.

    An appended item is dropped where a pass removed the item of its key.
    """
    if len(items) == count:
        return
    appended = list(items)[count:]
    del items[count:]
    by_key = {key(item): item for item in items}
    for unknown in appended:
        if key(unknown) in by_key:
            by_key[key(unknown)].MergeFrom(unknown)
