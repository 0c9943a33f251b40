"""torch.einsum."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("torch.einsum")
def einsum(call: Call) -> Value:
    """`matmul_v2` for one summed letter and one letter of each term alone, else a product and a sum.

    `einsum` for more than two terms, ellipses, repeated letters in a term, and equations without a result.
    """
    equation = call.string("equation", "").replace(" ", "")
    tensors = _einsum_operands(call)
    left, arrow, result = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise call.error(f"parameter equation: expected {len(tensors)} terms, got {equation!r}")
    if any(
        len(term) < call.writer.rank(x) for term, x in zip(terms, tensors, strict=True) if "." not in term
    ):
        # pnnx leaves ellipses out.
        terms = _with_ellipses(call, terms, tensors)
        left, result = ",".join(terms), f"...{result}"
        equation = f"{left}->{result}"
    plain = all((word.isalpha() or not word) and len({*word}) == len(word) for word in (*terms, result)) and {
        *result
    } <= {*left}
    if not arrow or len(terms) > 2 or not plain:
        return call.writer.emit_one("einsum", {"Operands": tensors}, {"equation": equation})
    for term, tensor in zip(terms, tensors, strict=True):
        if len(term) != call.writer.rank(tensor):
            raise call.error(f"parameter equation: {term!r} for {call.writer.rank(tensor)} dimensions")
    if len(terms) == 2:
        product = _as_matmul(call, tensors, terms, result)
        if product is not None:
            return product
    return _as_sum(call, tensors, terms, result)


def _with_ellipses(call: Call, terms: list[str], tensors: list[Var]) -> list[str]:
    return [
        f"...{term}" if len(term) < call.writer.rank(x) else term
        for term, x in zip(terms, tensors, strict=True)
    ]


def _einsum_operands(call: Call) -> list[Var]:
    """The operands: inputs, or the list that is the only input."""
    values = call.inputs
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return [value for value in values if isinstance(value, Var)]


def _as_matmul(call: Call, tensors: list[Var], terms: list[str], result: str) -> Value:
    first, second = terms
    batch = [letter for letter in result if letter in first and letter in second]
    left = [letter for letter in first if letter not in second]
    right = [letter for letter in second if letter not in first]
    summed = [letter for letter in first if letter in second and letter not in result]
    if not len(left) == len(right) == len(summed) == 1 or not {*left, *right} <= {*result}:
        return None
    x = _transposed(call, tensors[0], first, [*batch, *left, *summed])
    y = _transposed(call, tensors[1], second, [*batch, *summed, *right])
    product = call.writer.binary("matmul_v2", x, y)
    return _transposed(call, product, "".join([*batch, *left, *right]), list(result))


def _as_sum(call: Call, tensors: list[Var], terms: list[str], result: str) -> Value:
    order = [*result, *sorted({*"".join(terms)} - {*result})]
    product: Var | None = None
    for tensor, term in zip(tensors, terms, strict=True):
        letters = [letter for letter in order if letter in term]
        aligned = _transposed(call, tensor, term, letters)
        missing = [n for n, letter in enumerate(order) if letter not in term]
        if missing:
            aligned = call.writer.unary("unsqueeze2", aligned, {"axes": missing})
        product = aligned if product is None else call.writer.binary("elementwise_mul", product, aligned)
    if product is None or len(order) == len(result):
        return product
    over: dict[str, AttrValue] = {"dim": list(range(len(result), len(order)))}
    return call.writer.unary("reduce_sum", product, over)


def _transposed(call: Call, x: Var, letters: str, order: list[str]) -> Var:
    axes = [letters.index(letter) for letter in order]
    return x if axes == list(range(len(axes))) else call.writer.transpose(x, axes)
