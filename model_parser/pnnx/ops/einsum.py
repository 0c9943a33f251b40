"""torch.einsum of one or two tensors."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("torch.einsum")
def einsum(call: Call) -> Value:
    """A matmul where each kind of index is one at most, else a product of all and a sum.

    Letters without ellipses, each once in a tensor.
    """
    sides = call.text("equation", "").replace(" ", "").split("->")
    terms = sides[0].split(",")
    if len(sides) != 2 or len(terms) != len(call.inputs) or not 1 <= len(terms) <= 2:
        raise call.error(f"parameter equation: expected one or two terms and a result, got {sides}")
    result = sides[1]
    letters = [*terms, result]
    if not all((word.isalpha() or not word) and len({*word}) == len(word) for word in letters):
        raise call.error(f"parameter equation: expected different letters in each term, got {letters}")
    if not {*result} <= {*"".join(terms)}:
        raise call.error(f"parameter equation: {result!r} has letters that no term has")
    parts = [call.tensor(n) for n in range(len(terms))]
    for term, part in zip(terms, parts, strict=True):
        if len(term) != call.writer.rank(part):
            raise call.error(f"parameter equation: {term!r} for {call.writer.rank(part)} dimensions")
    if len(terms) == 2:
        product = _as_matmul(call, parts, terms, result)
        if product is not None:
            return product
    return _as_sum(call, parts, terms, result)


def _as_matmul(call: Call, parts: list[Var], terms: list[str], result: str) -> Value:
    first, second = terms
    batch = [letter for letter in result if letter in first and letter in second]
    left = [letter for letter in first if letter not in second]
    right = [letter for letter in second if letter not in first]
    summed = [letter for letter in first if letter in second and letter not in result]
    if not len(left) == len(right) == len(summed) == 1 or not {*left, *right} <= {*result}:
        return None
    x = _ordered(call, parts[0], first, [*batch, *left, *summed])
    y = _ordered(call, parts[1], second, [*batch, *summed, *right])
    product = call.writer.binary("matmul_v2", x, y)
    return _ordered(call, product, "".join([*batch, *left, *right]), list(result))


def _as_sum(call: Call, parts: list[Var], terms: list[str], result: str) -> Value:
    order = [*result, *sorted({*"".join(terms)} - {*result})]
    product: Var | None = None
    for part, term in zip(parts, terms, strict=True):
        held = [letter for letter in order if letter in term]
        moved = _ordered(call, part, term, held)
        missing = [n for n, letter in enumerate(order) if letter not in term]
        if missing:
            moved = call.writer.unary("unsqueeze2", moved, {"axes": missing})
        product = moved if product is None else call.writer.binary("elementwise_mul", product, moved)
    if product is None or len(order) == len(result):
        return product
    over: dict[str, AttrValue] = {"dim": list(range(len(result), len(order)))}
    return call.writer.unary("reduce_sum", product, over)


def _ordered(call: Call, x: Var, have: str, want: list[str]) -> Var:
    axes = [have.index(letter) for letter in want]
    return x if axes == list(range(len(axes))) else call.writer.transpose(x, axes)
