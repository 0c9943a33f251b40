"""matmul, matmul_v2, bmm, mul, fc → MatMul; einsum → Einsum (opset 15).

float16 and float32, all inputs of one type.  matmul transposes no vectors; mul needs the sizes of the columns
of Y; fc takes weights without padding and no fused prelu; einsum takes no diagonals, no axes of size 1 for
larger ones and no quantised constants.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.constant_product import multiplied
from lite.bridges.openvino.ops.activation import activated, why_not_activation
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_inputs import merged
from lite.ir.types import Dim
from lite.ops.einsum_terms import expanded
from lite.plugin.device import BridgeOp, bridge


def _matmul_v2(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
    return multiplied(b, op, x, y, (op.flag("trans_x"), op.flag("trans_y")))


def _why_not_matmul(op: BridgeOp) -> str | None:
    for slot in ("X", "Y"):
        if op[slot].rank == 1 and op.flag(f"transpose_{slot}"):
            return f"{slot} is {op[slot]} and transposed: OpenVINO transposes no vectors"
    return None


def _matmul(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
    result = multiplied(b, op, x, y, (op.flag("transpose_X"), op.flag("transpose_Y")))
    if op.real("alpha") != 1:
        result = b.op.multiply(result, b.like(op.real("alpha"), x))
    return b.reshape(result, [1]) if op["X"].rank == op["Y"].rank == 1 else result


def _bmm(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
    return multiplied(b, op, x, y)


def _product(b: Builder, op: BridgeOp, x: Tensor, rows: int, y: Tensor, slot: str) -> Tensor:
    """`x`, as a tensor of `rows` axes and one more, times a matrix."""
    dims = op[slot].dims
    if rows < len(dims) - 1:
        x = merged(b, x, dims, [*([axis] for axis in range(rows)), list(range(rows, len(dims)))])
    return multiplied(b, op, x, y)


def _mul(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
    rows, columns, dims = op.integer("x_num_col_dims"), op.integer("y_num_col_dims"), op["Y"].dims
    if len(dims) > 2:
        y = merged(b, y, dims, [list(range(columns)), list(range(columns, len(dims)))])
    result = _product(b, op, x, rows, y, "X")
    if len(dims) - columns == 1:
        return result
    return b.reshape(result, [*[0] * rows, *(int(dim) for dim in dims[columns:])])


def _why_not_mul(op: BridgeOp) -> str | None:
    columns = op["Y"].dims[op.integer("y_num_col_dims") :]
    if len(columns) > 1 and not all(isinstance(dim, int) for dim in columns):
        return f"the sizes of the result's last axes must be known, Y is {op['Y']}"
    return None


def _why_not_fc(op: BridgeOp) -> str | None:
    if op.flag("padding_weights"):
        return "W is padded (padding_weights=true)"
    if op.text("activation") == "prelu":
        return "its fused activation is prelu"
    return why_not_activation(op.text("activation"))


def _fc(b: Builder, op: BridgeOp, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    result = _product(b, op, x, op.integer("in_num_col_dims"), weight, "Input")
    if bias is not None:
        result = b.op.add(result, b.reshape(bias, [-1]))
    name = op.text("activation")
    return activated(b, name, result, op.reals("activation_params"))


def _why_not_einsum(op: BridgeOp) -> str | None:
    metas = op.all("Operands")
    operands, _ = expanded(op.text("equation"), [meta.rank for meta in metas])
    if any(len(set(operand)) < len(operand) for operand in operands):
        return f"equation {op.text('equation')!r} takes a diagonal"
    sizes: dict[str, Dim] = {}
    for letters, meta in zip(operands, metas, strict=True):
        for letter, size in zip(letters, meta.dims, strict=True):
            if sizes.setdefault(letter, size) != size and 1 in (sizes[letter], size):
                return f"in equation {op.text('equation')!r}, an axis of size 1 stands for a larger one"
    # OpenVINO makes products of it, which it may fuse: see constant_product.
    if any(meta.quant is not None and meta.value is not None for meta in metas):
        return "an operand is a quantised constant, whose products OpenVINO computes wrongly"
    return None


def _einsum(b: Builder, op: BridgeOp, operands: list[Tensor]) -> Tensor:
    names, result = expanded(op.text("equation"), [meta.rank for meta in op.all("Operands")])
    return b.op.einsum(operands, f"{','.join(names)}->{result}")


bridge("openvino", "matmul_v2")(Row("X Y", _matmul_v2, one_type=True))
bridge("openvino", "matmul")(Row("X Y", _matmul, one_type=True, check=_why_not_matmul))
bridge("openvino", "bmm")(Row("X Y", _bmm, one_type=True))
bridge("openvino", "mul")(Row("X Y", _mul, one_type=True, check=_why_not_mul))
bridge("openvino", "fc")(Row("Input W Bias?", _fc, one_type=True, check=_why_not_fc))
bridge("openvino", "einsum")(Row("Operands*", _einsum, one_type=True, check=_why_not_einsum))
