"""Elementwise ops of floats and integers, with broadcasting, and programs of fusion_group."""

from __future__ import annotations

from collections.abc import Sequence

from lite.emitters.c.expression import INCLUDE, expression
from lite.emitters.c.expression_of_doubles import of_doubles
from lite.emitters.c.loops import broadcast_strides, index, loops, merged
from lite.ir.attributes import AttributeReaders
from lite.ir.types import DType
from lite.ops import Trait, ops_with
from lite.ops.fusion_program import read_program
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter
from lite.plugin.emitter.emission import C_TYPES

_COMPARE = {
    "equal": "==",
    "not_equal": "!=",
    "less_than": "<",
    "less_equal": "<=",
    "greater_than": ">",
    "greater_equal": ">=",
}
_LOGIC = {"logical_and": "{} && {}", "logical_or": "{} || {}", "logical_xor": "!{} != !{}"}
_BITS = {"bitwise_and": "{} & {}", "bitwise_or": "{} | {}", "bitwise_xor": "{} ^ {}"}
_INTEGERS = {
    "elementwise_add": "{} + {}",
    "elementwise_sub": "{} - {}",
    "elementwise_mul": "{} * {}",
    "elementwise_max": "{0} > {1} ? {0} : {1}",
    "elementwise_min": "{0} < {1} ? {0} : {1}",
    "abs": "{0} < 0 ? 0 - (uint64_t){0} : (uint64_t){0}",
    "negative": "-{}",
    "square": "{0} * {0}",
    "relu": "{0} < 0 ? 0 : {0}",
    "sign": "({0} > 0) - ({0} < 0)",
}
"""Integer ops that cannot trap; quotients depend on data that may be 0."""
_TESTS = {"isnan_v2": "isnan({})", "isinf_v2": "isinf({})", "isfinite_v2": "isfinite({})"}

_INTEGER_TYPES = (DType.INT64, DType.INT32, DType.INT16, DType.INT8, DType.UINT8)


def _operands(op: EmitOp) -> list[EmitValue]:
    slots = [slot for slot in op.node.inputs if op.node.inputs[slot]]
    return [EmitValue(value) for slot in slots for value in op.node.inputs[slot]]


def _aligned(op: EmitOp, value: EmitValue, first: EmitValue) -> list[int]:
    """The shape of an operand with ones after it, as Paddle's attribute `axis` says."""
    axis = op.integer("axis", -1)
    if axis < 0 or value is first or value.rank >= first.rank:
        return list(value.shape)
    shape = list(value.shape)
    while len(shape) > first.rank - axis:
        shape.pop()
    return [*shape, *[1] * (first.rank - axis - len(shape))]


def _emit(
    out: Emission,
    shapes: Sequence[Sequence[int]],
    operands: Sequence[EmitValue],
    results: Sequence[EmitValue],
    lines: Sequence[str],
) -> None:
    """Loops whose body computes r0, r1, … from a0, a1, …."""
    out.use(INCLUDE / "scalar.h")
    whole = results[-1].shape
    strides = [broadcast_strides(shape, whole) for shape in (*shapes, *(r.shape for r in results))]
    sizes, flat = merged(whole, strides)
    over: dict[str, str] = {}
    for n, value in enumerate(operands):
        out.read(value, f"x{n}")
        if value.shape == whole and value.dtype is results[-1].dtype and value.data is None:
            over.setdefault("name", f"x{n}")
    for n, value in enumerate(results):
        out.write(value, f"y{n}", over=over.get("name", "") if len(results) == 1 else "")
    types = [C_TYPES[value.dtype] for value in operands]
    body = [f"const {t} a{n} = x{n}[{index(flat[n])}];" for n, t in enumerate(types)]
    body += lines
    body += [f"y{n}[{index(flat[len(operands) + n])}] = r{n};" for n in range(len(results))]
    out.code(*loops(sizes, body, parallel=True))


def elementwise(op: EmitOp, out: Emission) -> str | None:
    """One op whose result has the shape of its operands after broadcasting."""
    operands, y = _operands(op), op.out()
    names = [f"a{n}" for n in range(len(operands))]
    for value in (*operands, y):
        if value.dtype not in C_TYPES:
            return f"elements of type {value.dtype} are not supported"
    text = _text(op, operands, y, names)
    if text is None:
        return f"has no form for elements of type {operands[0].dtype}"
    shapes = [_aligned(op, value, operands[0]) for value in operands]
    _emit(out, shapes, operands, [y], [f"const {C_TYPES[y.dtype]} r0 = {text};"])
    return None


def _text(op: EmitOp, operands: Sequence[EmitValue], y: EmitValue, names: Sequence[str]) -> str | None:
    kind, dtype = op.op, operands[0].dtype
    cast = f"({C_TYPES[y.dtype]})"
    same = all(value.dtype is dtype for value in operands)
    if kind in _COMPARE and same:
        return f"{cast}({names[0]} {_COMPARE[kind]} {names[1]})"
    if kind in _LOGIC:
        return f"{cast}({_LOGIC[kind].format(*names)})"
    if kind == "logical_not":
        return f"{cast}!{names[0]}"
    if kind in _TESTS:
        return f"{cast}({_TESTS[kind].format(names[0])} != 0)" if dtype.is_float else None
    if kind == "where":
        choice = dict(zip(op.node.inputs, names, strict=True))
        return f"{choice['Condition']} ? {choice['X']} : {choice['Y']}"
    if kind == "cast":
        return _cast(dtype, y.dtype, names[0])
    if kind == "sum":
        return f"{cast}({' + '.join(names)})" if same else None
    if not same:
        return None
    if dtype is DType.FLOAT32 and y.dtype is DType.FLOAT32:
        return expression(kind, op, names)
    if dtype is DType.FLOAT64 and y.dtype is DType.FLOAT64:
        return of_doubles(kind, op, names)
    if kind in _BITS:
        return f"{cast}({_BITS[kind].format(*names)})"
    if dtype in _INTEGER_TYPES and kind in _INTEGERS:
        if kind == "elementwise_mul" and (op.real("scale"), op.real("bias")) != (1.0, 0.0):
            return None
        # Unsigned arithmetic wraps where signed arithmetic is undefined.
        if kind in ("elementwise_add", "elementwise_sub", "elementwise_mul", "square", "negative"):
            return f"{cast}({_INTEGERS[kind].format(*(f'(uint64_t){name}' for name in names))})"
        return f"{cast}({_INTEGERS[kind].format(*names)})"
    if kind == "increment" and dtype in _INTEGER_TYPES:
        return f"{cast}((uint64_t){names[0]} + (uint64_t)({int(op.real('step'))}))"
    if kind == "scale" and dtype in _INTEGER_TYPES and not op.text("activation"):
        numbers = op.real("scale"), op.real("bias"), op.real("scale1"), op.real("bias1")
        if all(n == int(n) for n in numbers) and numbers[2:] == (1.0, 0.0):
            s, b = int(numbers[0]), int(numbers[1])
            x = f"(uint64_t){names[0]}"
            wide = f"(uint64_t)({s})", f"(uint64_t)({b})"
            if op.flag("bias_after_scale"):
                return f"{cast}({x} * {wide[0]} + {wide[1]})"
            return f"{cast}(({x} + {wide[1]}) * {wide[0]})"
    return None


def _cast(source: DType, target: DType, name: str) -> str | None:
    if target is DType.BOOL:
        return f"(uint8_t)({name} != 0)"
    if source in (DType.FLOAT32, DType.FLOAT64) and target in _INTEGER_TYPES:
        return f"({C_TYPES[target]})lb_integer({name})"
    return f"({C_TYPES[target]}){name}"


_OTHERS = {"fusion_group", "bitcast", "dropout", "prelu"}
"""Ops of other files, and ops that the passes remove."""
_NAMES = sorted(ops_with(Trait.ELEMENTWISE) - ops_with(Trait.MOVEMENT) - _OTHERS)
emitter("c", *_NAMES)(elementwise)


@emitter("c", "fusion_group")
def fusion_group(op: EmitOp, out: Emission) -> str | None:
    """A small program for each element."""
    operands, results = [op["X"], *op.all("Inputs")], op.outs("Out")
    if any(value.dtype is not DType.FLOAT32 for value in (*operands, *results)):
        return f"has no form for elements of type {operands[0].dtype}"
    if any(value.shape != results[-1].shape for value in results):
        return "results of several shapes are not supported"
    names = [f"a{n}" for n in range(len(operands))]
    lines = []
    for n, each in enumerate(read_program(op.text("program"))):
        attrs = AttributeReaders(each.op, each.attrs())
        text = expression(each.op, attrs, [names[operand] for operand in each.operands])
        if text is None:
            return f"the op {each.op} of the group has no C expression"
        lines.append(f"const float t{n} = {text};")
        names.append(f"t{n}")
    lines += [f"const float r{n} = {names[number]};" for n, number in enumerate(op.integers("results"))]
    _emit(out, [value.shape for value in operands], operands, results, lines)
    return None
