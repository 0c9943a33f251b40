"""Matrix products, and torch.einsum of one or two tensors."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("nn.Linear")
def linear(call: Call) -> Value:
    """`matmul_v2` with the transposed weight, plus the bias."""
    writer = call.writer
    weight = writer.weight(f"{call.operator.name}.weight", np.ascontiguousarray(call.array("weight", 2).T))
    product = writer.binary("matmul_v2", call.x, weight)
    bias = call.optional_weight("bias")
    return product if bias is None else writer.binary("elementwise_add", product, bias)


@pnnx_op("F.linear")
def linear_of_operands(call: Call) -> Value:
    """`matmul_v2` with the transposed weight, plus the bias; both are operands."""
    product = call.writer.binary("matmul_v2", call.x, call.tensor("weight"), {"trans_y": True})
    return (
        call.writer.binary("elementwise_add", product, call.tensor("bias")) if call.has("bias") else product
    )


@pnnx_op("torch.matmul", "torch.mm", "torch.bmm", "torch.mv")
def matmul(call: Call) -> Value:
    """`matmul_v2`."""
    return call.writer.binary("matmul_v2", call.x, call.tensor(1))


@pnnx_op("torch.addmm", "torch.baddbmm")
def addmm(call: Call) -> Value:
    """beta · input + alpha · product."""
    writer = call.writer
    product = arithmetic.as_term(writer.binary("matmul_v2", call.tensor(1), call.tensor(2)))
    alpha, beta = call.number("alpha", 1), call.number("beta", 1)
    if alpha != 1:
        product = arithmetic.binary(writer, "mul", product, alpha)
    added = call.x if beta == 1 else arithmetic.binary(writer, "mul", call.x, beta)
    return arithmetic.binary(writer, "add", product, added)


@pnnx_op("torch.einsum")
def einsum(call: Call) -> Value:
    """`matmul_v2` for one summed letter and one letter of each term alone, else a product and a sum.

    Ellipses and repeated letters in a term are not supported.
    """
    sides = call.string("equation", "").replace(" ", "").split("->")
    terms = sides[0].split(",")
    if len(sides) != 2 or len(terms) != len(call.inputs) or not 1 <= len(terms) <= 2:
        raise call.error(f"parameter equation: expected one or two terms and a result, got {sides}")
    result = sides[1]
    letters = [*terms, result]
    if not all((word.isalpha() or not word) and len({*word}) == len(word) for word in letters):
        raise call.error(f"parameter equation: expected different letters in each term, got {letters}")
    if not {*result} <= {*"".join(terms)}:
        raise call.error(f"parameter equation: {result!r} has letters that no term has")
    tensors = [call.tensor(n) for n in range(len(terms))]
    for term, tensor in zip(terms, tensors, strict=True):
        if len(term) != call.writer.rank(tensor):
            raise call.error(f"parameter equation: {term!r} for {call.writer.rank(tensor)} dimensions")
    if len(terms) == 2:
        product = _as_matmul(call, tensors, terms, result)
        if product is not None:
            return product
    return _as_sum(call, tensors, terms, result)


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
