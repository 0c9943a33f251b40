"""The operators of a model to `Program`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lite.errors import GraphError, ModelParseError
from lite.ir.program import Program
from lite.model_parser.pnnx.archive import Archive
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.complex_arithmetic import by_parts, moves_complex
from lite.model_parser.pnnx.files import Buffer
from lite.model_parser.pnnx.param_file import Operator, read_param
from lite.model_parser.pnnx.translations import TRANSLATIONS
from lite.model_parser.pnnx.value import Complex, Results, Value, Var
from lite.model_parser.pnnx.writer import Writer

INPUT, OUTPUT, UNPACK = "pnnx.Input", "pnnx.Output", ("prim::TupleUnpack", "prim::ListUnpack")


def read_graph(text: str, source: str, weights: Buffer | None, label: str) -> Program:
    """The program of an operator list, with weights from the archive `weights` named `label`.

    Variables have the names of operands, inputs those of the operands of ``pnnx.Input`` in the order of the
    file.  Raises `ModelParseError` for operators without a translation (one message for all), and as
    `read_param` and `Archive` do.
    """
    operators = read_param(text, source)
    types = (operator.type for operator in operators if operator.type not in (INPUT, OUTPUT))
    TRANSLATIONS.check_supported(types, source)
    archive = None if weights is None else Archive(weights, label)
    writer = Writer(source)
    for operator in operators:
        _check_ends(operator)
        if reserved := {"feed", "fetch"} & {*operator.outputs}:
            raise operator.error(f"{reserved.pop()!r} is a reserved name and cannot be an operand; rename it")
        writer.reserve(operator.outputs)
    members = {
        operator.inputs[0]: len(operator.outputs)
        for operator in operators
        if operator.type in UNPACK and operator.inputs
    }
    values: dict[str, Value] = {}
    fetched: set[Var] = set()
    columns = Counter[str]()
    for operator in operators:
        inputs = [values[name] for name in operator.inputs]
        if operator.type == INPUT:
            for name in operator.outputs:
                values[name] = _feed(operator, name, writer, columns[INPUT])
                columns[INPUT] += 1
        elif operator.type == OUTPUT:
            for var in _outputs(Call(operator, inputs, writer, archive, label), inputs):
                # Each output needs its own name, also where a tensor is two outputs.
                writer.fetch(writer.copy(var) if var in fetched else var, columns[OUTPUT])
                fetched.add(var)
                columns[OUTPUT] += 1
        else:
            call = Call(operator, inputs, writer, archive, label)
            is_list = len(operator.outputs) == 1 and operator.outputs[0] in members
            if is_list:
                call.count = members[operator.outputs[0]]
            values.update(_translate(call, is_list=is_list))
    if not columns[OUTPUT]:
        raise ModelParseError(
            f"{source}: the model has no output, an operand of {OUTPUT}; the file may be cut short"
        )
    return writer.program


def _check_ends(operator: Operator) -> None:
    if operator.type == INPUT and operator.inputs:
        raise operator.error(f"expected no inputs, got {operator.inputs}")
    if operator.type == OUTPUT and operator.outputs:
        raise operator.error(f"expected no outputs, got {operator.outputs}")


def _feed(operator: Operator, name: str, writer: Writer, column: int) -> Var:
    if name not in operator.types:
        raise operator.error(f"the shape and type #{name} of the input are missing")
    return writer.feed(name, operator.types[name].dtype, operator.types[name].shape, column)


def _translate(call: Call, *, is_list: bool) -> dict[str, Value]:
    """Write the ops of an operator and return the values of its output operands.

    With `is_list`, its only operand has all results.
    """
    operator, writer = call.operator, call.writer
    since = len(writer.block.ops)
    try:
        translate = TRANSLATIONS.get(operator.type)
        result = by_parts(call, translate) if moves_complex(call) else translate(call)
    except (GraphError, ModelParseError) as error:
        if str(error).startswith(operator.place):
            raise
        raise operator.error(str(error)) from error
    if is_list and isinstance(result, Results):
        result = list(result.values)
    results = list(result.values) if isinstance(result, Results) else [result]
    if len(results) < len(operator.outputs):
        raise operator.error(f"expected at most {len(results)} outputs, got {len(operator.outputs)}")
    values: dict[str, Value] = {}
    renamed: dict[Var, Value] = {}
    for name, value in zip(operator.outputs, results, strict=False):
        if isinstance(value, Var) and value not in renamed:
            renamed[value] = values[name] = _renamed(call, name, value, since)
        else:
            values[name] = renamed[value] if isinstance(value, Var) else value
    return values


def _flat(values: Sequence[Value]) -> Iterator[Value]:
    for value in values:
        if isinstance(value, Sequence) and not isinstance(value, str):
            yield from _flat(value)
        else:
            yield value


def _renamed(call: Call, name: str, value: Var, since: int) -> Var:
    """The variable with the name of the operand, and with its type where the file declares it."""
    writer = call.writer
    declared = call.operator.types.get(name)
    if declared is not None:
        is_unsized = writer.is_unsized(value)
        value = writer.cast(value, declared.dtype)
        if is_unsized:
            writer.mark_unsized(value)
    if not writer.is_written_since(value, since):
        value = writer.copy(value)
    if any(isinstance(read, Var) and writer.is_unsized(read) for read in _flat(call.inputs)):
        writer.mark_unsized(value)
    value = writer.rename(value, name, since)
    if declared is not None:
        writer.refine_shape(value, declared.shape)
    return value


def _outputs(call: Call, inputs: Sequence[Value]) -> list[Var]:
    """The tensors of an output: the value itself, or the members of a tuple."""
    tensors: list[Var] = []
    for value in inputs:
        if isinstance(value, Sequence) and not isinstance(value, str):
            tensors += _outputs(call, value)
        elif isinstance(value, Complex):
            raise call.error("outputs of complex numbers are not supported; export their real form")
        else:
            single = Call(call.operator, [value], call.writer, None, "")
            tensors.append(single.tensor(0))
    return tensors
