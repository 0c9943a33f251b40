"""nn.MultiheadAttention: projections, attention in heads, and the output's projection."""

from __future__ import annotations

import math

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Var
from lite.model_parser.pnnx.writer import Writer

_MASKS = ("attn_mask", "key_padding_mask")


@dataclass(frozen=True)
class _Heads:
    """The number of heads, and the size of one."""

    count: int
    size: int


@pnnx_op("nn.MultiheadAttention")
def multihead_attention(call: Call) -> Results:
    """The attention and the weights, averaged over the heads.

    One operand is query, key and value, two are the query and the others; a fourth, or one named
    key_padding_mask, masks keys.  Tensors without a batch are ``[length, embed_dim]``.
    """
    writer, heads = call.writer, _heads(call)
    operands, masks = _operands(call)
    is_batched = writer.rank(operands[0]) == 3
    parts = [_batch_first(call, part) for part in operands]
    query, key, value = (
        _projected(call, part, number, heads.count * heads.size) for number, part in enumerate(parts)
    )
    key, value = (_extended(call, part, name) for part, name in ((key, "k"), (value, "v")))
    query, key, value = (_split(writer, part, heads) for part in (query, key, value))
    if call.flag("add_zero_attn", False):
        key, value = (_with_zeros(writer, part) for part in (key, value))
    scores = writer.binary("matmul_v2", query, key, {"trans_y": True})
    scores = writer.unary("scale", scores, {"scale": 1 / math.sqrt(heads.size)})
    for name, mask in masks.items():
        scores = _masked(call, scores, mask, name, heads)
    weights = writer.unary("softmax", scores, {"axis": -1})
    joined = writer.transpose(writer.binary("matmul_v2", weights, value), [0, 2, 1, 3])
    joined = writer.reshape(joined, [0, 0, heads.count * heads.size])
    result = _linear(call, joined, call.array("out_proj.weight", 2), call.optional_weight("out_proj.bias"))
    averages = weights if _keeps_heads(call) else writer.unary("reduce_mean", weights, {"dim": [1]})
    if not is_batched:
        return Results([writer.unary("squeeze2", each, {"axes": [0]}) for each in (result, averages)])
    return Results([result if _is_batch_first(call) else writer.transpose(result, [1, 0, 2]), averages])


def _keeps_heads(call: Call) -> bool:
    """Whether the file declares the weights of each head, and not their average."""
    outputs, types = call.operator.outputs, call.operator.types
    if len(outputs) < 2 or outputs[1] not in types or outputs[0] not in types:
        return False
    return len(types[outputs[1]].shape) > len(types[outputs[0]].shape)


def _heads(call: Call) -> _Heads:
    width, count = call.integer("embed_dim"), call.integer("num_heads")
    if count < 1 or width < 1 or width % count:
        raise call.error(f"embed_dim {width} is no multiple of num_heads {count}")
    return _Heads(count, width // count)


def _is_batch_first(call: Call) -> bool:
    return call.flag("batch_first", False)


def _operands(call: Call) -> tuple[list[Var], dict[str, Var]]:
    """Query, key and value, and the masks by name.

    A bool operand is a mask: pnnx writes operands in the order in which they are first read, and gives a mask
    that is no number the place before the query, but its name to the last operand.
    """
    operands = [call.tensor(n) for n in range(len(call.inputs))]
    named = {name: call.tensor(name) for name in _MASKS if call.has(name)}
    masks = [x for x in operands if call.writer.dtype(x) == DType.BOOL and x not in named.values()]
    if masks:
        # The name may have gone to the query, which has more dimensions than a mask of its type.
        least = min(call.writer.rank(x) for x in operands if x not in masks)
        named = {name: x for name, x in named.items() if call.writer.rank(x) == 2 and least == 2}
        named = {} if len(named) == len(operands) - len(masks) else named
    found = [x for x in operands if x not in masks and x not in named.values()]
    if len(found) == 4:
        named["key_padding_mask"] = found.pop()
    if not 1 <= len(found) <= 3:
        raise call.error(f"expected 1 to 3 operands and masks, got {len(found)} and {', '.join(named)}")
    ranks = {call.writer.rank(part) for part in found}
    if ranks not in ({2}, {3}):
        raise call.error(f"expected operands of 2 or 3 dimensions, got {sorted(ranks)}")
    parts = [*found, *[found[-1]] * (3 - len(found))]
    for mask in masks:
        role = "attn_mask"
        if _masks_keys(call, mask, parts[0]) or (len(masks) > 1 and "key_padding_mask" not in named):
            role = "key_padding_mask"
        named[role] = mask
    only = named.get("attn_mask") if len(named) == 1 else None
    if only is not None and _masks_keys(call, only, parts[0]):
        named = {"key_padding_mask": only}
    return parts, named


def _masks_keys(call: Call, mask: Var, query: Var) -> bool:
    """Whether a mask has the shape ``[batch, keys]`` and not ``[queries, keys]``."""
    writer = call.writer
    if writer.rank(query) != 3 or writer.rank(mask) != 2:
        return writer.rank(mask) == 1
    batch, length = (0, 1) if _is_batch_first(call) else (1, 0)
    sizes = writer.shape(query)
    return writer.shape(mask)[0] == sizes[batch] != sizes[length]


def _batch_first(call: Call, x: Var) -> Var:
    if call.writer.rank(x) == 2:
        return call.writer.unary("unsqueeze2", x, {"axes": [0]})
    return x if _is_batch_first(call) else call.writer.transpose(x, [1, 0, 2])


def _projected(call: Call, x: Var, number: int, width: int) -> Var:
    """A projection by a third of the weights, or by weights of its own."""
    third = slice(number * width, (number + 1) * width)
    own = f"{'qkv'[number]}_proj_weight"
    weight = call.array(own, 2) if own in call.operator.weights else call.array("in_proj_weight", 2)[third]
    bias = None
    if "in_proj_bias" in call.operator.weights:
        bias = call.writer.weight(f"{call.operator.name}.bias", call.array("in_proj_bias", 1)[third].copy())
    return _linear(call, x, weight, bias)


def _linear(call: Call, x: Var, weight: Array, bias: Var | None) -> Var:
    transposed = call.writer.weight(f"{call.operator.name}.weight", np.ascontiguousarray(weight.T))
    product = call.writer.binary("matmul_v2", x, transposed)
    return product if bias is None else call.writer.binary("elementwise_add", product, bias)


def _extended(call: Call, x: Var, name: str) -> Var:
    """Keys or values with one more position, the same in each sample, where add_bias_kv is set."""
    if not call.flag("add_bias_kv", False):
        return x
    writer = call.writer
    row = call.weight(f"bias_{name}")
    first = writer.emit_one("slice", {"Input": x}, {"axes": [1], "starts": [0], "ends": [1]})
    zeros = writer.unary("scale", first, {"scale": 0.0})
    return writer.emit_one("concat", {"X": [x, writer.binary("elementwise_add", zeros, row)]}, {"axis": 1})


def _split(writer: Writer, x: Var, heads: _Heads) -> Var:
    """[batch, length, width] to [batch, heads, length, size]."""
    return writer.transpose(writer.reshape(x, [0, 0, heads.count, heads.size]), [0, 2, 1, 3])


def _with_zeros(writer: Writer, x: Var) -> Var:
    """One more position, of zeros."""
    return writer.unary("pad_nd", x, {"paddings": [0, 1], "axes": [2]})


def _masked(call: Call, scores: Var, mask: Var, name: str, heads: _Heads) -> Var:
    """The scores plus a mask of numbers, or minus infinity where one of truth values holds."""
    writer = call.writer
    added = sum(call.flag(flag, False) for flag in ("add_bias_kv", "add_zero_attn"))
    if added:
        as_number = writer.cast(mask, DType.FLOAT32) if writer.dtype(mask) == DType.BOOL else mask
        padded = writer.unary("pad_nd", as_number, {"paddings": [0, added], "axes": [writer.rank(mask) - 1]})
        mask = writer.cast(padded, writer.dtype(mask))
    if name == "key_padding_mask":
        mask = writer.unary("unsqueeze2", mask, {"axes": [1, 2] if writer.rank(mask) == 2 else [0, 1, 2]})
    elif writer.rank(mask) == 3:
        rows, keys = (writer.size(mask, axis) for axis in (1, 2))
        mask = writer.reshape(mask, [-1, heads.count, rows, keys])
    if writer.dtype(mask) != DType.BOOL:
        return writer.binary("elementwise_add", scores, mask)
    lowest = writer.literal(float("-inf"), writer.dtype(scores))
    return writer.emit_one("where", {"Condition": mask, "X": lowest, "Y": scores})
