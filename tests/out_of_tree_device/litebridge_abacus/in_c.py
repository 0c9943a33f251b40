"""abacus_c: the device that answers with C source; a region becomes one function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.ir.graph import Graph
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device import (
    BridgeOp,
    Conversion,
    CSource,
    Device,
    NoOptions,
    Signature,
    bridge,
    convert,
    device,
    meta_of,
)


@dataclass(frozen=True)
class Row:
    """A C expression for the address of a tensor's first float, and its number of floats."""

    address: str
    size: int


class Lines:
    """The builder: the body of the function, its weights and its workspace."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.weights = b""
        self.floats = 0
        self.inputs = self.outputs = 0

    def input(self, name: str, meta: Meta) -> Row:
        self.inputs += 1
        return Row(f"((const float *)inputs[{self.inputs - 1}])", int(np.prod(meta.sizes)))

    def constant(self, name: str, array: Array) -> Row:
        start = len(self.weights) // 4
        self.weights += array.astype("<f4").tobytes()
        return Row(f"((const float *)weights + {start})", array.size)

    def output(self, name: str, tensor: Row) -> None:
        self.lines.append(f"    memcpy(outputs[{self.outputs}], {tensor.address}, {4 * tensor.size});")
        self.outputs += 1

    def loop(self, size: int, element: str) -> Row:
        row = Row(f"((float *)workspace + {self.floats})", size)
        self.floats += size
        self.lines.append(f"    for (int i = 0; i < {size}; i++) {row.address}[i] = {element};")
        return row


@bridge("abacus_c", "relu")
class Relu:
    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return None if op["X"].dtype is DType.FLOAT32 else f"X is {op['X']}; abacus_c takes float32"

    def convert(self, op: BridgeOp, ctx: Conversion[Any, Row]) -> None:
        x = ctx.input(op, "X")
        ctx.output(op, ctx.builder.loop(x.size, f"{x.address}[i] > 0 ? {x.address}[i] : 0"))


@bridge("abacus_c", "elementwise_add")
class Add:
    """The last elements of X get Y, as in a row of biases."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        x, y = op["X"], op["Y"]
        if (x.dtype, y.dtype) != (DType.FLOAT32, DType.FLOAT32) or x.shape is None or y.shape is None:
            return f"X is {x} and Y {y}; abacus_c takes float32"
        row = tuple(dim for dim in y.dims if dim != 1)
        fits = row == x.dims[len(x.dims) - len(row) :]
        return None if fits else f"Y is {y}; abacus_c adds the last axes of X, which is {x}"

    def convert(self, op: BridgeOp, ctx: Conversion[Any, Row]) -> None:
        x, y = ctx.input(op, "X"), ctx.input(op, "Y")
        ctx.output(op, ctx.builder.loop(x.size, f"{x.address}[i] + {y.address}[i % {y.size}]"))


@device("abacus_c")
class AbacusC(Device[NoOptions]):
    """Writes additions and relus as C."""

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return "abacus_c 1"

    def compile(self, graph: Graph, signature: Signature) -> CSource:
        lines = Lines()
        convert(graph, self, lines)
        parameters = "const void *const *inputs, void *const *outputs, const void *weights, void *workspace"
        head = (
            f"#include <string.h>\n\nint abacus({parameters})\n{{\n    (void)weights;\n    (void)workspace;\n"
        )
        return CSource(
            "abacus",
            head + "\n".join(lines.lines) + "\n    return 0;\n}\n",
            signature,
            [meta_of(value) for value in graph.results],
            weights=lines.weights,
            workspace_bytes=4 * lines.floats,
        )
