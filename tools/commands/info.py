"""litebridge info: what is in a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from lite.io.load import load_program
from lite.ir.build import fed_names, fetched_names
from lite.ir.program import AttrValue, Program
from lite.ir.types import DType, shape_text
from lite.ops import SCHEMAS
from lite.ops.program_graph import check_ops
from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers
from lite.tools.parameters import debug_option, json_option, model_argument, model_config
from lite.tools.terminal import print_facts, print_json, print_table

_RUN_BY_THE_ENGINE = ("feed", "fetch")


@dataclass(frozen=True)
class Tensor:
    """An input or output as the model declares it; -1 is a size that it leaves open."""

    name: str
    dtype: DType | None
    shape: Sequence[int | str] | None


@dataclass(frozen=True)
class WeightCount:
    """The weights of one dtype."""

    dtype: DType
    count: int
    bytes: int


@dataclass(frozen=True)
class OpRow:
    """One op; its slots hold names of variables."""

    block: int
    index: int
    type: str
    inputs: Mapping[str, Sequence[str]]
    outputs: Mapping[str, Sequence[str]]
    attrs: Mapping[str, AttrValue]


@dataclass(frozen=True)
class ModelInfo:
    """What a model consists of."""

    source: str
    format: str | None
    version: int | None
    op_versions: int
    blocks: int
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    ops: Mapping[str, int]
    weights: Sequence[WeightCount]
    unsupported: Mapping[str, int]


@click.command(short_help="Show what is in MODEL.")
@model_argument
@click.option("--ops", "list_ops", is_flag=True, help="List every op, block by block.")
@json_option
@debug_option
def info(model: Path, params: Path | None, list_ops: bool, as_json: bool) -> None:
    """Show what is in MODEL and whether all of it is supported.

    \b
    Examples:
      litebridge info model_dir
      litebridge info model_dir --ops
      litebridge info model_dir/inference.pdmodel --params model_dir/inference.pdiparams --json

    Shows the format, the version of the framework that wrote the model (0: it does not say), how many
    op versions it records, inputs and outputs (-1 is a size left open until a run), ops by type over
    all blocks, and the weights by dtype.  Ops that the engine does not know are listed all at once,
    with near names, and the exit status is 1.
    """
    source = model_config(model, params).source
    program = load_program(source)
    found = describe(program, format_of(source))
    rows = op_rows(program) if list_ops else []
    if as_json:
        print_json({**vars(found), **({"op_list": rows} if list_ops else {})})
    else:
        _print(found)
        if list_ops:
            print_table(
                ("block", "op", "type", "inputs -> outputs"),
                [(row.block, row.index, row.type, _slots_text(row)) for row in rows],
                "\nops in order",
            )
    check_ops(program)


def describe(program: Program, format_name: str | None) -> ModelInfo:
    """What `program` consists of; raises `GraphError` when it fetches nothing."""
    counts = Counter(op.type for block in program.blocks for op in block.ops)
    by_dtype: dict[DType, list[int]] = {}
    for weight in program.weights.values():
        by_dtype.setdefault(DType.from_numpy(weight.array.dtype), []).append(weight.array.nbytes)
    return ModelInfo(
        source=program.source,
        format=format_name,
        version=program.version,
        op_versions=len(program.op_versions or ()),
        blocks=len(program.blocks),
        inputs=[_tensor(program, name) for name in fed_names(program)],
        outputs=[_tensor(program, name) for name in fetched_names(program)],
        ops=dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        weights=[
            WeightCount(dtype, len(sizes), sum(sizes))
            for dtype, sizes in sorted(by_dtype.items(), key=lambda item: item[0].code)
        ],
        unsupported={
            name: count
            for name, count in sorted(counts.items())
            if name not in SCHEMAS and name not in _RUN_BY_THE_ENGINE
        },
    )


def format_of(source: ModelSource) -> str | None:
    """The name of the format that recognises a model, or None."""
    load_parsers()
    return next((name for name in PARSERS if PARSERS.get(name).sniff(source)), None)


def op_rows(program: Program) -> list[OpRow]:
    """Every op in order, block by block."""
    return [
        OpRow(
            block.index,
            index,
            op.type,
            op.inputs,
            op.outputs,
            {name: attribute.value for name, attribute in op.attrs.items()},
        )
        for block in program.blocks
        for index, op in enumerate(block.ops)
    ]


def _tensor(program: Program, name: str) -> Tensor:
    var = program.find_var(program.blocks[0], name)
    return Tensor(name, None, None) if var is None else Tensor(name, var.dtype, var.shape)


def _print(found: ModelInfo) -> None:
    print_facts(
        {
            "model": found.source,
            "format": found.format,
            "version": found.version,
            "op versions": found.op_versions,
            "blocks": found.blocks,
        }
    )
    for title, tensors in (("\ninputs", found.inputs), ("\noutputs", found.outputs)):
        rows = [(tensor.name, tensor.dtype, shape_text(tensor.shape)) for tensor in tensors]
        print_table(("name", "dtype", "shape"), rows, title)
    rows_by_type = [
        (name, count, "no" if name in found.unsupported else "yes") for name, count in found.ops.items()
    ]
    print_table(("type", "ops", "supported"), rows_by_type, "\nops by type")
    weights = [(weight.dtype, weight.count, weight.bytes) for weight in found.weights]
    print_table(("dtype", "weights", "bytes"), weights, "\nweights")


def _slots_text(row: OpRow) -> str:
    sides = (
        ", ".join(f"{slot}={'+'.join(names)}" for slot, names in side.items() if names)
        for side in (row.inputs, row.outputs)
    )
    return " -> ".join(sides)
