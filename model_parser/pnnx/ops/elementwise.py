"""Elementwise functions, comparisons, choices by condition, and casts."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic, complex_arithmetic
from lite.model_parser.pnnx.arithmetic import BINARY, UNARY
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.expression import lower, parse, with_floor_division
from lite.model_parser.pnnx.promotion import common_dtype, literal_dtype
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Complex, Term, Value

_UNARY = {
    f"{prefix}{name}": name
    for prefix in ("torch.", "aten::")
    for name in UNARY
    if not name.startswith(("torch", "int"))
}

_BINARY = {f"torch.{name}": name for name in BINARY - {"and", "or", "xor", "max", "min"}}

_LOGICAL = {f"torch.logical_{name}": f"logical_{name}" for name in ("and", "or", "xor")}

_BITWISE = {
    **{f"torch.bitwise_{name}": name for name in ("and", "or", "xor")},
    "torch.bitwise_left_shift": "lshift",
    "torch.bitwise_right_shift": "rshift",
}

_COMPARISONS = {
    "torch.eq": "equal",
    "torch.ge": "greater_equal",
    "torch.gt": "greater_than",
    "torch.le": "less_equal",
    "torch.lt": "less_than",
    "torch.ne": "not_equal",
}


@pnnx_op("pnnx.Expression")
def expression(call: Call) -> Value:
    """The value of ``expr``, whose operands are ``@0``, ``@1`` and so on; without operands also a word."""
    text = call.raw("expr")
    if not call.inputs and text.isidentifier() and isinstance(call.arg("expr"), str):
        return text
    tree = parse(text)
    if call.has_integer_result():
        tree = with_floor_division(tree)
    return lower(tree, call.inputs, call.writer)


@pnnx_op("pnnx.SliceIndexes")
def slice_indexes(call: Call) -> Value:
    """A list of numbers and of operands ``@0``, ``@1`` and so on."""
    items = [parse(str(item)) for item in call.items("indexes")]
    return [lower(item, call.inputs, call.writer) for item in items]


@pnnx_op(*_UNARY)
def unary(call: Call) -> Value:
    """A function of one tensor."""
    if isinstance(call.value(0), Complex):
        return complex_arithmetic.apply(call.writer, _UNARY[call.type], [call.value(0)])
    return arithmetic.unary(call.writer, _UNARY[call.type], call.x)


@pnnx_op(*_BINARY)
def binary(call: Call) -> Value:
    """A function of two tensors, or of a tensor and the parameter ``other``."""
    second = call.inputs[1] if len(call.inputs) > 1 else call.arg("other", call.arg("exponent"))
    return arithmetic.binary(call.writer, _BINARY[call.type], call.value(0), second)


@pnnx_op(*_LOGICAL)
def logical(call: Call) -> Value:
    """Logic of two tensors, or of a tensor and a number, whose elements hold where they are not 0."""
    x, y = (arithmetic.as_var(call.writer, term, DType.BOOL) for term in _two(call))
    return call.writer.binary(_LOGICAL[call.type], x, y)


@pnnx_op(*_BITWISE)
def bitwise(call: Call) -> Value:
    """Logic of the bits of two tensors, or of a tensor and a number, and shifts."""
    return arithmetic.binary(call.writer, _BITWISE[call.type], *_two(call))


@pnnx_op("torch.bitwise_not")
def bitwise_not(call: Call) -> Value:
    """`logical_not` of bools, else `bitwise_not`."""
    is_bool = call.writer.dtype(call.x) == DType.BOOL
    return call.writer.unary("logical_not" if is_bool else "bitwise_not", call.x)


@pnnx_op(*_COMPARISONS)
def compare(call: Call) -> Value:
    """A comparison of a tensor with a tensor or a number."""
    terms = _two(call)
    dtype = common_dtype(call.writer, terms)
    x, y = (arithmetic.as_var(call.writer, term, dtype) for term in terms)
    return call.writer.binary(_COMPARISONS[call.type], x, y)


def _two(call: Call) -> list[Term]:
    """Two operands, the second an input or the parameter ``other``."""
    second = call.inputs[1] if len(call.inputs) > 1 else call.arg("other")
    return [arithmetic.as_term(call.value(0)), arithmetic.as_term(second)]


@pnnx_op("torch.logical_not")
def logical_not(call: Call) -> Value:
    """`logical_not`."""
    return call.writer.unary("logical_not", call.writer.cast(call.x, DType.BOOL))


@pnnx_op("torch.where")
def where(call: Call) -> Value:
    """`where`, with a common type of both values."""
    first, second = arithmetic.as_term(call.arg("input")), arithmetic.as_term(call.arg("other"))
    dtype = common_dtype(call.writer, [first, second])
    x, y = (arithmetic.as_var(call.writer, term, dtype) for term in (first, second))
    return call.writer.emit_one("where", {"Condition": call.tensor("condition"), "X": x, "Y": y})


@pnnx_op("Tensor.masked_fill", "torch.masked_fill")
def masked_fill(call: Call) -> Value:
    """`where`: the value where the mask is true, else the input."""
    value = arithmetic.as_var(call.writer, arithmetic.as_term(call.arg("value")), call.writer.dtype(call.x))
    return call.writer.emit_one("where", {"Condition": call.tensor("mask"), "X": value, "Y": call.x})


@pnnx_op("torch.clamp", "torch.clip", "torch.clamp_min", "torch.clamp_max")
def clamp(call: Call) -> Value:
    """`elementwise_max` with the lower limit, then `elementwise_min` with the upper one."""
    result: Value = call.x
    for name, function in (("min", "maximum"), ("max", "minimum")):
        if call.has(name):
            result = arithmetic.binary(call.writer, function, result, call.arg(name))
    return result


@pnnx_op("Tensor.to", "Tensor.type_as", "Tensor.float", "Tensor.long", "Tensor.bool")
def to(call: Call) -> Value:
    """`cast`."""
    if call.type == "Tensor.type_as":
        return call.writer.cast(call.x, call.writer.dtype(call.tensor(1)))
    value = call.value(0)
    if isinstance(value, bool | int | float):
        numpy_type = call.dtype("dtype", literal_dtype(value)).numpy
        return float(value) if numpy_type.kind == "f" else int(value)
    fixed = {"Tensor.float": DType.FLOAT32, "Tensor.long": DType.INT64, "Tensor.bool": DType.BOOL}
    return call.writer.cast(call.x, fixed.get(call.type) or call.dtype("dtype", call.writer.dtype(call.x)))


_SAME = (
    *(
        "nn.Identity",
        "nn.Dropout",
        "nn.Dropout1d",
        "nn.FeatureAlphaDropout",
        "nn.Dropout2d",
        "nn.Dropout3d",
        "nn.AlphaDropout",
    ),
    *("F.dropout", "F.dropout2d", "F.dropout3d", "F.alpha_dropout", "F.feature_alpha_dropout"),
    *("Tensor.contiguous", "torch.clone", "Tensor.clone", "torch.positive"),
)


@pnnx_op(*_SAME)
def identity(call: Call) -> Value:
    """The input: these operators do nothing at inference."""
    return call.x
