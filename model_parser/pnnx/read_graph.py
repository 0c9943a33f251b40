"""Operators → Program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lite.errors import GraphError, ModelParseError, suggest
from lite.ir.program import Program
from lite.model_parser.pnnx.archive import Archive
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.files import Buffer
from lite.model_parser.pnnx.operator import Operator
from lite.model_parser.pnnx.read_param import read_param
from lite.model_parser.pnnx.registry import Translator, translators
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Writer

INPUT, OUTPUT = "pnnx.Input", "pnnx.Output"


def read_graph(text: str, source: str, weights: Buffer | None, label: str) -> Program:
    """The program that an operator list says, with weights from the archive `weights` named `label`.

    Variables have the operands' names; so inputs are named as the operands of ``pnnx.Input``, in file
    order.  Raises `ModelParseError`: operators that nothing translates (all at once), and what
    `read_param` and `Archive` refuse.
    """
    operators = read_param(text, source)
    _check_types(operators, source)
    archive = None if weights is None else Archive(weights, label)
    writer = Writer(source)
    for operator in operators:
        _check_ends(operator)
        if reserved := {"feed", "fetch"} & {*operator.outputs}:
            raise operator.error(f"{reserved.pop()!r} cannot be an operand's name; rename it")
        writer.reserve(operator.outputs)
    table = translators()
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
                # An output has a name of its own, also where a tensor is given twice.
                writer.fetch(writer.copy(var) if var in fetched else var, columns[OUTPUT])
                fetched.add(var)
                columns[OUTPUT] += 1
        else:
            call = Call(operator, inputs, writer, archive, label)
            values.update(_translate(table[operator.type], call))
    if not columns[OUTPUT]:
        raise ModelParseError(f"{source}: no {OUTPUT} gives an output; the file may be cut short")
    return writer.program


def _check_types(operators: Sequence[Operator], source: str) -> None:
    known = translators()
    unknown = Counter(op.type for op in operators if op.type not in known and op.type not in (INPUT, OUTPUT))
    if unknown:
        listed = ", ".join(
            f"{name} ({count}x{suggest(name, known).replace(';', ',').rstrip('?')})"
            for name, count in sorted(unknown.items())
        )
        raise ModelParseError(f"{source}: {len(unknown)} PNNX operator types are not supported: {listed}")


def _check_ends(operator: Operator) -> None:
    if operator.type == INPUT and operator.inputs:
        raise operator.error(f"expected no inputs, got {operator.inputs}")
    if operator.type == OUTPUT and operator.outputs:
        raise operator.error(f"expected no outputs, got {operator.outputs}")


def _feed(operator: Operator, name: str, writer: Writer, column: int) -> Var:
    if name not in operator.types:
        raise operator.error(f"the shape and type #{name} of the input are missing")
    return writer.feed(name, operator.types[name].dtype, operator.types[name].shape, column)


def _translate(translator: Translator, call: Call) -> dict[str, Value]:
    """What the operands that an operator gives stand for."""
    operator, writer = call.operator, call.writer
    since = len(writer.block.ops)
    try:
        result = translator(call)
    except (GraphError, ModelParseError) as error:
        if str(error).startswith(operator.place):
            raise
        raise operator.error(str(error)) from error
    results = list(result.values) if isinstance(result, Results) else [result]
    if len(results) < len(operator.outputs):
        raise operator.error(f"expected at most {len(results)} outputs, got {len(operator.outputs)}")
    bound: dict[str, Value] = {}
    named: dict[Var, Value] = {}
    for name, value in zip(operator.outputs, results, strict=False):
        if isinstance(value, Var) and value not in named:
            named[value] = bound[name] = _named(call, name, value, since)
        else:
            bound[name] = named[value] if isinstance(value, Var) else value
    return bound


def _named(call: Call, name: str, value: Var, since: int) -> Var:
    """A variable under its operand's name, with the element type that the file gives the operand."""
    writer = call.writer
    said = call.operator.types.get(name)
    if said is not None:
        value = writer.cast(value, said.dtype)
    if not writer.is_made_since(value, since):
        value = writer.copy(value)
    value = writer.rename(value, name, since)
    if said is not None:
        writer.know(value, said.shape)
    return value


def _outputs(call: Call, inputs: Sequence[Value]) -> list[Var]:
    """The tensors of an output: itself, or the members of a tuple."""
    found: list[Var] = []
    for value in inputs:
        if isinstance(value, Sequence) and not isinstance(value, str):
            found += _outputs(call, value)
        else:
            single = Call(call.operator, [value], call.writer, None, "")
            found.append(single.tensor(0))
    return found
