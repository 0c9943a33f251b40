"""Reads by index."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.parameter import parse_parameter
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("torch.index_select")
def index_select(call: Call) -> Value:
    """`index_select`."""
    inputs = {"X": call.x, "Index": call.tensor("index")}
    return call.writer.emit_one("index_select", inputs, {"dim": call.axis("dim", call.x)})


@pnnx_op("torch.gather")
def gather(call: Call) -> Value:
    """`take_along_axis`."""
    inputs = {"Input": call.x, "Index": call.tensor("index")}
    return call.writer.emit_one("take_along_axis", inputs, {"Axis": call.axis("dim", call.x)})


@pnnx_op("Tensor.index")
def index(call: Call) -> Value:
    """`gather` along the only axis that has a list or tensor of indices: ``[None,[2,0,1]]``."""
    entries = _entries(call)
    indexed = [(axis, entry) for axis, entry in enumerate(entries) if entry is not None]
    if len(indexed) != 1:
        raise call.error(f"parameter expr: expected indices on one axis, got {call.raw('expr')!r}")
    axis, indices = indexed[0]
    return call.writer.emit_one("gather", {"X": call.x, "Index": indices}, {"axis": axis})


def _entries(call: Call) -> list[Var | None]:
    text = call.raw("expr")
    body = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    entries: list[Var | None] = []
    for word in _top_level(body):
        if word == "None":
            entries.append(None)
        elif word.startswith("@") and word[1:].isdigit() and int(word[1:]) < len(call.inputs):
            entries.append(call.tensor(int(word[1:])))
        else:
            parsed = parse_parameter(word)
            numbers = parsed if isinstance(parsed, list) else [parsed]
            if not all(isinstance(number, int) for number in numbers):
                raise ModelParseError(f"parameter expr: expected indices, got {word!r}")
            entries.append(call.writer.constant(np.array(numbers, np.int64)))
    return entries


def _top_level(text: str) -> list[str]:
    """The parts between the commas outside of brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


@pnnx_op("nn.Embedding", "F.embedding")
def embedding(call: Call) -> Value:
    """`lookup_table_v2`."""
    weight = call.weight("weight") if call.type == "nn.Embedding" else call.tensor("weight")
    return call.writer.emit_one("lookup_table_v2", {"W": weight, "Ids": call.x})
