"""What optimised exports carry: fused layers, norms and products of ONNX Runtime's domain."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row, rows_of_table
from lite.tools.fuzz.ops.windows import image, window

_CONTRIB = "com.microsoft"


def _gelu(op: str, d: Draw) -> None:
    x = d.value(low=1, where=lambda v: 0 not in v.shape)
    inputs = [x]
    if op == "BiasGelu" or (op == "FastGelu" and d.chance(0.5)):
        inputs.append(d.fresh(d.array(x.shape[-1:]), constant=0.8))
    attrs: dict[str, Any] = {"alpha": d.pick((1.0, 1.5))} if op == "QuickGelu" and d.chance(0.5) else {}
    d.node(op, inputs, domain=_CONTRIB, **attrs)


rows_of_table(
    {f"contrib_{op}": functools.partial(_gelu, op) for op in ("Gelu", "BiasGelu", "FastGelu", "QuickGelu")},
    0.1,
)


@row(0.3)
def fused_conv(d: Draw) -> Value:
    """FusedConv with each activation, with and without a sum."""
    x = image(d, 4)
    attrs = window(d, x.shape[2:])
    kernel = attrs["kernel_shape"]
    out = d.integer(1, 4)
    activation, parameters = d.pick(
        (
            ("Relu", []),
            ("Sigmoid", []),
            ("Tanh", []),
            ("LeakyRelu", [0.1]),
            ("Clip", [-0.5, 1.0]),
            ("HardSigmoid", [0.2, 0.5]),
        )
    )
    w = d.constant(d.array((out, x.shape[1], *kernel)) / np.float32(np.sqrt(x.shape[1] * np.prod(kernel))))
    bias = d.constant(d.array((out,))) if d.chance(0.6) else None
    if parameters:
        attrs["activation_params"] = parameters
    if d.chance(0.4):
        plain = {key: value for key, value in attrs.items() if key != "activation_params"}
        y = d.node("Conv", [x, w], **plain)
        return d.node("FusedConv", [x, w, bias, y], domain=_CONTRIB, activation=activation, **attrs)
    return d.node("FusedConv", [x, w, bias], domain=_CONTRIB, activation=activation, **attrs)


@row(0.3)
def fused_product(d: Draw) -> Value:
    """FusedGemm, FusedMatMul and TransposeMatMul, with transposes of rows and of batches."""
    op = d.pick(("FusedGemm", "FusedMatMul", "FusedMatMul", "TransposeMatMul"))
    trans_a, trans_b = d.integer(0, 1), d.integer(0, 1)
    rows, inner, columns = (d.integer(1, 4) for _ in range(3))
    lead = () if op == "FusedGemm" else d.dims(d.integer(0, 2))
    a = d.input(d.array((*lead, inner, rows) if trans_a else (*lead, rows, inner)))
    b_lead = lead if d.chance(0.5) else ()
    b = d.fresh(d.array((*b_lead, columns, inner) if trans_b else (*b_lead, inner, columns)))
    attrs: dict[str, Any] = {"transA": trans_a, "transB": trans_b}
    if d.chance(0.4):
        attrs["alpha"] = d.real()
    if op == "FusedGemm":
        activation = d.pick(("Relu", "LeakyRelu", "Tanh", "Sigmoid"))
        bias = [d.constant(d.array(d.pick(((columns,), (rows, columns), (1, columns), ()))))]
        if activation == "LeakyRelu":
            attrs["activation_alpha"] = 0.2
        if d.chance(0.3):
            attrs["beta"] = d.real()
        return d.node(
            op, [a, b, *(bias if d.chance(0.7) else [])], domain=_CONTRIB, activation=activation, **attrs
        )
    if op == "FusedMatMul" and len(lead) == 2 and b_lead and d.chance(0.4):
        attrs |= {"transBatchA": d.integer(0, 1), "transBatchB": d.integer(0, 1)}
    return d.node(op, [a, b], domain=_CONTRIB, **attrs)


@row(0.3)
def skip_norm(d: Draw) -> Value:
    """SkipLayerNormalization and its kin, with the sum as an output, and broadcast skips."""
    op = d.pick(
        ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "SimplifiedLayerNormalization")
    )
    x = d.value(rank=3, where=lambda v: 0 not in v.shape and v.shape[-1] > 1)
    width = x.shape[-1:]
    if op == "SimplifiedLayerNormalization":
        # It is in the default domain, though no version of ONNX has it.
        return d.node(op, [x, d.constant(d.array(width))], axis=-1, epsilon=1e-3)
    # Nothing checks the size of a skip: it is made from x.
    skip = d.node(d.pick(("Neg", "Sigmoid")), [x])
    if d.chance(0.4):
        skip = d.node("Gather", [skip, d.constant(np.asarray(d.pick((0, [0])), "int64"))], axis=0)
    tail: list[Value | None] = [d.constant(d.array(width))]
    if op == "SkipLayerNormalization":
        tail.append(d.constant(d.array(width)) if d.chance(0.7) else None)
    tail.append(d.constant(d.array(width)) if d.chance(0.4) else None)
    present = [True, False, False, True] if d.chance(0.5) else [True]
    return d.nodes_outputs(op, [x, skip, *tail], present, domain=_CONTRIB, epsilon=1e-3)[0]


@row(0.2)
def embed_norm(d: Draw) -> Value:
    """EmbedLayerNormalization, with segments, masks and positions or without."""
    batch, rows, width, words = d.integer(1, 2), d.integer(1, 4), d.integer(2, 5), 6
    ids = d.input(d.array((batch, rows), "bool").astype("int32") * 3)
    segments = d.input(d.array((batch, rows), "bool").astype("int32")) if d.chance(0.6) else None
    tables = [d.constant(d.array((n, width))) for n in (words, rows + 2, 2)]
    norm = [d.constant(d.array((width,))) for _ in range(2)]
    mask = d.input(d.array((batch, rows), "bool").astype("int32")) if d.chance(0.5) else None
    inputs = [ids, segments, *tables[:2], tables[2] if segments is not None else None, *norm, mask]
    if d.chance(0.3):
        inputs.append(d.input(np.asarray([[d.integer(0, rows) for _ in range(rows)]] * batch, "int32")))
    outputs = [True, d.chance(0.5), False]
    return d.nodes_outputs("EmbedLayerNormalization", inputs, outputs, domain=_CONTRIB, epsilon=1e-3)[0]


@row(0.3)
def product_of_blocks(d: Draw) -> Value:
    """MatMulNBits of 4 and 8 bits, MatMulBnb4, and GatherBlockQuantized."""
    bits, block = d.pick((4, 4, 8)), d.pick((16, 32))
    rows, columns = d.integer(1, 5), d.pick((16, 20, 32, 40, 64))
    blocks = -(-columns // block)
    rng = np.random.default_rng(d.random.randrange(2**32))
    numbers = rng.uniform(0.01, 0.1, rows * blocks) * rng.choice((-1, 1, 1), rows * blocks)
    scales = d.constant(numbers.astype(np.float32))
    if d.chance(0.3):
        table = d.constant(rng.integers(0, 256, (rows, blocks * block * bits // 8)).astype("uint8"))
        inputs = [table, d.input(rng.integers(0, rows, d.dims(d.integer(1, 2))).astype("int64"))]
        by_row = d.constant(scales.array.reshape(rows, blocks))
        attrs: dict[str, Any] = {"bits": bits, "block_size": block, "quantize_axis": 1, "gather_axis": 0}
        return d.node("GatherBlockQuantized", [*inputs, by_row], domain=_CONTRIB, **attrs)
    x = d.value(
        low=2, high=3, where=lambda v: v.shape[-1] == columns, fresh=lambda: d.array((*d.dims(2), columns))
    )
    sizes: dict[str, Any] = {"K": columns, "N": rows, "block_size": block}
    if d.chance(0.2):
        packed = d.constant(rng.integers(0, 256, rows * columns // 2).astype("uint8"))
        largest = d.constant(rng.uniform(0.5, 2, -(-rows * columns // block)).astype(np.float32))
        kind = d.integer(0, 1)
        return d.node("MatMulBnb4", [x, packed, largest], domain=_CONTRIB, quant_type=kind, **sizes)
    packed = d.constant(rng.integers(0, 256, (rows, blocks, block * bits // 8)).astype("uint8"))
    zeros = None
    if d.chance(0.5):
        zeros = d.constant(rng.integers(0, 256, rows * -(-blocks * bits // 8)).astype("uint8"))
    bias = [None, d.constant(d.array((rows,)))] if d.chance(0.3) else []
    return d.node("MatMulNBits", [x, packed, scales, zeros, *bias], domain=_CONTRIB, bits=bits, **sizes)


@row(0.15)
def dynamic_products(d: Draw) -> Value:
    """DynamicQuantizeMatMul and MatMulIntegerToFloat."""
    inner, columns = d.integer(1, 5), d.integer(1, 5)
    dtype = d.pick(("int8", "uint8"))
    w = d.constant(d.array((inner, columns), dtype))
    size = (columns,) if d.chance(0.4) else (1,) if d.chance(0.5) else ()
    scale = d.constant((np.abs(d.array(size)) + np.float32(0.5)).astype(np.float32))
    zero = d.constant(d.array(size, dtype)) if d.chance(0.6) else None
    bias = d.constant(d.array((columns,))) if d.chance(0.5) else None
    if d.chance(0.5):
        x = d.value(low=2, where=lambda v: v.shape[-1] == inner, fresh=lambda: d.array((3, inner)))
        return d.node("DynamicQuantizeMatMul", [x, w, scale, zero, bias], domain=_CONTRIB, exact=False)
    x = d.input(d.array((*d.dims(d.integer(1, 2)), inner), "uint8"))
    x_scale, x_zero = d.constant(np.float32(0.25)), d.constant(np.uint8(2)) if d.chance(0.6) else None
    inputs = [x, w, x_scale, scale, x_zero, zero, bias]
    return d.node("MatMulIntegerToFloat", inputs, domain=_CONTRIB, exact=False)
