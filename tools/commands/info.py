"""litebridge info: shows the contents of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click

from lite.artifact.sniff import is_artifact
from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.io.load import load_program
from lite.ir.build import fed_names, fetched_names
from lite.ir.program import AttrValue, Program
from lite.ir.types import DType, Shape, shape_text
from lite.ops import SCHEMAS
from lite.ops.program_graph import check_ops
from lite.tools.analysis.artifact_info import artifact_info
from lite.tools.analysis.conversion import format_of
from lite.tools.analysis.onnx_header import onnx_header
from lite.tools.analysis.shapes_of_run import total_macs
from lite.tools.artifact_page import print_artifact
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.values import by_name, named_sizes
from lite.tools.table import SENTENCE
from lite.tools.terminal import print_facts, print_json, print_table, working

_RUN_BY_THE_EXECUTOR = ("feed", "fetch")


@dataclass(frozen=True)
class Tensor:
    """An input or output as the model declares it; -1 is an open size."""

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
    """An op; its slots have names of variables."""

    block: int
    index: int
    type: str
    inputs: Mapping[str, Sequence[str]]
    outputs: Mapping[str, Sequence[str]]
    attrs: Mapping[str, AttrValue]


@dataclass(frozen=True)
class ModelInfo:
    """The contents of a model."""

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
    origin: Mapping[str, str]
    parameters: int
    macs: int | None


@click.command(short_help="Show the contents of MODEL.")
@model_argument
@click.option("--verify", is_flag=True, help="Compare the checksums of all members of an artifact.")
@click.option(
    "--shape",
    "shapes",
    type=named_sizes,
    metavar="NAME=1,3,224,224",
    multiple=True,
    help="The shape of an input, to count multiply-accumulates where the model leaves sizes open.",
)
@click.option("--ops", "list_ops", is_flag=True, help="List all ops, block by block.")
@json_option
@debug_option
def info(
    model: Path,
    params: Path | None,
    shapes: tuple[tuple[str, tuple[int, ...]], ...],
    list_ops: bool,
    verify: bool,
    as_json: bool,
) -> None:
    """Show the contents of MODEL, and whether litebridge supports all its ops.

    \b
    Examples:
      litebridge info model_dir
      litebridge info model_dir --shape x=2,4 --ops
      litebridge info model_dir/inference.pdmodel \\
          --params model_dir/inference.pdiparams --json
      litebridge info model.lbm --verify

    Shows the format, where the file states them the version of the framework that wrote it and the number of
    recorded op versions, the opset and the producer of an ONNX model, the number of parameters, the
    multiply-accumulates (MACs) of a run, the inputs and outputs (-1 is an open size), the number of ops of
    each type in all blocks, and the weights by dtype.  If litebridge does not support an op, the error lists
    all such ops with similar names, and the exit status is 1.

    Of an artifact (.lbm) it shows the versions, settings, signatures, regions with the keys of their device
    models, and all members with their checksums.  With --verify, all checksums are compared, and the exit
    status is 3 if one differs.  --ops lists the ops of the model before optimisation.
    """
    source = model_config(model, params).source
    if is_artifact(source) and not list_ops:
        _show_artifact(model, as_json, verify=verify)
        return
    try:
        with working("reading"):
            program = load_program(source)
    except ModelParseError:
        print_onnx_ops(model)
        raise
    with working("counting"):
        contents = describe(program, format_of(source), by_name("--shape", shapes))
    rows = op_rows(program) if list_ops else []
    if as_json:
        print_json({**vars(contents), **({"op_list": rows} if list_ops else {})})
    else:
        _print(contents)
        if list_ops:
            print_table(
                ("block", "op", "type", "inputs -> outputs"),
                [(row.block, row.index, row.type, _slots_text(row)) for row in rows],
                "\nops in order",
            )
    check_ops(program)


def _show_artifact(path: Path, as_json: bool, *, verify: bool) -> None:
    contents = artifact_info(path, verify=verify)
    if as_json:
        print_json(vars(contents))
    else:
        print_artifact(contents)
    if contents.problems:
        click.get_current_context().exit(ANSWER_IS_NO)


def describe(
    program: Program, format_name: str | None, shapes: Mapping[str, Shape] = MappingProxyType({})
) -> ModelInfo:
    """The contents of a program, for inputs of these shapes; raises `GraphError` if it has no output."""
    counts = Counter(op.type for block in program.blocks for op in block.ops)
    by_dtype: dict[DType, list[int]] = {}
    for weight in program.weights.values():
        by_dtype.setdefault(DType.from_numpy(weight.array.dtype), []).append(weight.array.nbytes)
    unsupported = {
        name: count
        for name, count in sorted(counts.items())
        if name not in SCHEMAS and name not in _RUN_BY_THE_EXECUTOR
    }
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
        unsupported=unsupported,
        origin=program.origin,
        parameters=sum(weight.array.size for weight in program.weights.values()),
        macs=None if unsupported else total_macs(program, shapes),
    )


def print_onnx_ops(model: Path) -> None:
    """Print origin and ops of an ONNX file that cannot be read as a whole; nothing for other files."""
    header = onnx_header(model)
    if header is None:
        return
    print_facts({"model": str(model), "format": "onnx", **header.origin})
    print_table(("type", "ops"), header.ops.items(), "\nops by type, as the file names them")
    click.echo()


def op_rows(program: Program) -> list[OpRow]:
    """All ops in order, block by block."""
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


def _print(contents: ModelInfo) -> None:
    print_facts(
        {
            "model": contents.source,
            "format": contents.format,
            **({} if contents.version is None else {"version": contents.version}),
            **({"op versions": contents.op_versions} if contents.op_versions else {}),
            **contents.origin,
            "blocks": contents.blocks,
            "parameters": f"{contents.parameters:,}",
            "MACs": "unknown: give the sizes by --shape" if contents.macs is None else f"{contents.macs:,}",
        }
    )
    for title, tensors in (("\ninputs", contents.inputs), ("\noutputs", contents.outputs)):
        rows = [(tensor.name, tensor.dtype, _shape(tensor)) for tensor in tensors]
        print_table(("name", "dtype", "shape"), rows, title)
    rows_by_type = [
        (name, count, "no" if name in contents.unsupported else "yes") for name, count in contents.ops.items()
    ]
    print_table(("type", "ops", "supported"), rows_by_type, "\nops by type")
    weights = [(weight.dtype, weight.count, weight.bytes) for weight in contents.weights]
    print_table(("dtype", "weights", "bytes"), weights, "\nweights")


def _shape(tensor: Tensor) -> str:
    """The shape, in words that a table can wrap if it is long."""
    text = shape_text(tensor.shape)
    return text if len(text) <= SENTENCE else text.replace(",", ", ")


def _slots_text(row: OpRow) -> str:
    sides = (
        ", ".join(f"{slot}={'+'.join(names)}" for slot, names in side.items() if names)
        for side in (row.inputs, row.outputs)
    )
    return " -> ".join(sides)
