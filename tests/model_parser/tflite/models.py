"""Small TFLite models of single ops and of two networks, with inputs; it needs numpy only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.model_parser.tflite.builder import Table, TfliteBuilder

Array = np.ndarray[Any, np.dtype[Any]]
Scale = tuple[float, int]
"""A scale and a zero point."""


@dataclass(frozen=True)
class Case:
    """A model and its inputs in order."""

    name: str
    model: bytes
    inputs: list[Array]


def noise(*shape: int, seed: int = 0) -> Array:
    """Normally distributed float32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def ints(*numbers: int) -> Array:
    """A list of int32."""
    return np.array(numbers, np.int32)


def quantised(array: Array, scale: Scale, dtype: str = "int8") -> Array:
    """The integers of an array."""
    info = np.iinfo(dtype)
    steps: Array = np.clip(np.rint(array / scale[0]) + scale[1], info.min, info.max)
    return steps.astype(dtype)


def _quantisation(scale: Scale | None) -> dict[str, Any]:
    """The arguments of a tensor with a scale and a zero point."""
    return {} if scale is None else {"scale": scale[0], "zero": scale[1]}


def case(
    name: str,
    op: str,
    inputs: Sequence[Array],
    outputs: Sequence[tuple[Sequence[int], str]],
    options: Mapping[int, Any] | None = None,
    *,
    constants: Mapping[int, Array] | None = None,
    scales: Mapping[int, Scale] | None = None,
    out_scale: Scale | None = None,
    signatures: Mapping[int, Sequence[int]] | None = None,
    out_signature: Sequence[int] | None = None,
) -> Case:
    """A model of one op: `constants` are inputs at positions; `scales` and `signatures` are others'."""
    builder, fixed, numbers = TfliteBuilder(), constants or {}, []
    fed = iter(enumerate(inputs))
    feeds = []
    for position in range(len(inputs) + len(fixed)):
        if position in fixed:
            numbers.append(builder.constant(f"c{position}", fixed[position]))
            continue
        n, array = next(fed)
        scale = (scales or {}).get(n)
        keys = {**_quantisation(scale), "signature": (signatures or {}).get(n)}
        numbers.append(builder.tensor(f"x{n}", array.shape, str(array.dtype), **keys))
        feeds.append(numbers[-1])
    keys = {**_quantisation(out_scale), "signature": out_signature}
    results = [builder.tensor(f"y{n}", shape, dtype, **keys) for n, (shape, dtype) in enumerate(outputs)]
    builder.op(op, numbers, results, options)
    return Case(name, builder.model(feeds, results), list(inputs))


def f32(*shape: int) -> list[tuple[Sequence[int], str]]:
    """One float32 output."""
    return [(shape, "float32")]


SAME, VALID = ("b", 0), ("b", 1)
X = noise(2, 3, 4)
IMAGE = noise(1, 5, 6, 4)


def _elementwise() -> Iterator[Case]:
    unary = "ABS CEIL COS EXP FLOOR NEG ROUND SIGN SIN SQUARE ELU HARD_SWISH LOGISTIC LOG_SOFTMAX"
    for op in [*unary.split(), "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "TANH"]:
        yield case(op.lower(), op, [2 * X], f32(2, 3, 4))
    for op in ("LOG", "SQRT", "RSQRT"):
        yield case(op.lower(), op, [X**2 + 0.1], f32(2, 3, 4))
    for op in ("ADD", "SUB", "MUL", "DIV"):
        for code, activation in enumerate(("none", "relu", "relu_n1_to_1", "relu6")):
            options = {0: ("b", code)}
            yield case(f"{op.lower()}_{activation}", op, [X, noise(3, 1, seed=1)], f32(2, 3, 4), options)
    for op in ("MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "FLOOR_DIV"):
        yield case(op.lower(), op, [X, noise(2, 3, 4, seed=1)], f32(2, 3, 4))
    yield case("pow", "POW", [np.abs(X), noise(2, 3, 4, seed=1)], f32(2, 3, 4))
    integers = ints(7, -7, 5, -5), ints(3, 3, -3, -3)
    yield case("floor_mod", "FLOOR_MOD", integers, [((4,), "int32")])
    yield case("add_n", "ADD_N", [X, 2 * X, X], f32(2, 3, 4))
    for op in ("LESS", "GREATER", "EQUAL"):
        yield case(op.lower(), op, [X, np.where(X > 0, X, 0)], [((2, 3, 4), "bool")])
    flags = X > 0, noise(2, 3, 4, seed=1) > 0
    for op in ("LOGICAL_AND", "LOGICAL_OR"):
        yield case(op.lower(), op, flags, [((2, 3, 4), "bool")])
    yield case("logical_not", "LOGICAL_NOT", flags[:1], [((2, 3, 4), "bool")])
    for op in ("SELECT", "SELECT_V2"):
        yield case(op.lower(), op, [X > 0, X, -X], f32(2, 3, 4))
    yield case("cast", "CAST", [3 * X], [((2, 3, 4), "int32")], {0: ("b", 0), 1: ("b", 2)})
    yield case("gelu", "GELU", [X], f32(2, 3, 4), {0: ("?", False)})
    yield case("gelu_approximate", "GELU", [X], f32(2, 3, 4), {0: ("?", True)})
    yield case("leaky_relu", "LEAKY_RELU", [X], f32(2, 3, 4), {0: ("f", 0.1)})
    yield case("prelu", "PRELU", [IMAGE], f32(*IMAGE.shape), constants={1: noise(1, 1, 4)})
    for beta in (1.0, 0.5):
        yield case(f"softmax_{beta}", "SOFTMAX", [X], f32(2, 3, 4), {0: ("f", beta)})
    yield case("dequantize_float16", "DEQUANTIZE", [X.astype(np.float16)], f32(2, 3, 4))


def _images() -> Iterator[Case]:
    filters, bias = noise(3, 3, 2, 4, seed=1), noise(3)
    for padding, name, size in ((SAME, "same", (3, 3)), (VALID, "valid", (2, 3))):
        window = {0: padding, 1: ("i", 2), 2: ("i", 2)}
        yield case(
            f"conv_{name}",
            "CONV_2D",
            [IMAGE],
            f32(1, *size, 3),
            {**window, 3: ("b", 1)},
            constants={1: filters, 2: bias},
        )
        pooled = (3, 3) if name == "same" else (2, 2)
        pool = {**window, 3: ("i", 3), 4: ("i", 3)}
        for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
            yield case(f"{op.lower()}_{name}", op, [IMAGE], f32(1, *pooled, 4), pool)
        depthwise = {**window, 3: ("i", 2), 4: ("b", 3)}
        constants = {1: noise(1, 3, 2, 8, seed=1), 2: noise(8)}
        yield case(
            f"depthwise_{name}",
            "DEPTHWISE_CONV_2D",
            [IMAGE],
            f32(1, *size, 8),
            depthwise,
            constants=constants,
        )
        target = (10, 12) if name == "same" else (11, 12)
        constants = {0: ints(1, *target, 3), 1: filters}
        yield case(
            f"transpose_conv_{name}",
            "TRANSPOSE_CONV",
            [IMAGE],
            f32(1, *target, 3),
            window,
            constants=constants,
        )
    dilated = {0: SAME, 1: ("i", 1), 2: ("i", 1), 4: ("i", 2), 5: ("i", 2)}
    yield case("conv_dilated", "CONV_2D", [IMAGE], f32(1, 5, 6, 3), dilated, constants={1: filters, 2: bias})
    for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        first = 2 if op == "RESIZE_BILINEAR" else 0
        for name, corners, centres in (("corners", 1, 0), ("centres", 0, 1), ("plain", 0, 0)):
            options = {first: ("?", corners), first + 1: ("?", centres)}
            for size in ((10, 9), (3, 4)):
                constants = {1: ints(*size)}
                full = f"{op.lower()}_{name}_{size[0]}"
                yield case(full, op, [IMAGE], f32(1, *size, 4), options, constants=constants)
    even = noise(2, 4, 6, 4)
    yield case("space_to_depth", "SPACE_TO_DEPTH", [even], f32(2, 2, 3, 16), {0: ("i", 2)})
    yield case("depth_to_space", "DEPTH_TO_SPACE", [even], f32(2, 8, 12, 1), {0: ("i", 2)})
    constants = {1: ints(2, 2), 2: ints(0, 0, 2, 0).reshape(2, 2)}
    yield case("space_to_batch", "SPACE_TO_BATCH_ND", [even], f32(8, 2, 4, 4), constants=constants)
    constants = {1: ints(2, 2), 2: ints(1, 0, 0, 2).reshape(2, 2)}
    yield case(
        "batch_to_space", "BATCH_TO_SPACE_ND", [noise(8, 2, 4, 3)], f32(2, 3, 6, 3), constants=constants
    )
    yield case("l2_normalization", "L2_NORMALIZATION", [IMAGE], f32(*IMAGE.shape))
    lrn = {0: ("i", 1), 1: ("f", 1.0), 2: ("f", 0.5), 3: ("f", 0.75)}
    yield case("lrn", "LOCAL_RESPONSE_NORMALIZATION", [IMAGE], f32(*IMAGE.shape), lrn)


def _shapes() -> Iterator[Case]:
    shape = {1: ints(4, -1)}
    yield case("reshape", "RESHAPE", [X], f32(4, 6), {0: ints(4, -1)}, constants=shape)
    yield case("transpose", "TRANSPOSE", [X], f32(4, 2, 3), constants={1: ints(2, 0, 1)})
    yield case("squeeze", "SQUEEZE", [X[:, None]], f32(2, 3, 4), {0: ints(1)})
    yield case("expand_dims", "EXPAND_DIMS", [X], f32(2, 3, 1, 4), constants={1: ints(2)})
    yield case("tile", "TILE", [X], f32(2, 6, 4), constants={1: ints(1, 2, 1)})
    yield case("broadcast_to", "BROADCAST_TO", [X[:, :1]], f32(2, 3, 4), constants={1: ints(2, 3, 4)})
    yield case("reverse", "REVERSE_V2", [X], f32(2, 3, 4), constants={1: ints(1)})
    yield case("concatenation", "CONCATENATION", [X, -X], f32(2, 6, 4), {0: ("i", 1)})
    yield case("pack", "PACK", [X, -X], f32(2, 2, 3, 4), {0: ("i", 2), 1: ("i", 1)})
    yield case("unpack", "UNPACK", [X], f32(2, 4) * 3, {0: ("i", 3), 1: ("i", 1)})
    yield case("split", "SPLIT", [X], f32(2, 3, 2) * 2, {0: ("i", 2)}, constants={0: ints(2)})
    sizes = {1: ints(1, 3), 2: ints(-1)}
    yield case("split_v", "SPLIT_V", [X], [*f32(2, 3, 1), *f32(2, 3, 3)], {0: ("i", 2)}, constants=sizes)
    yield case("shape", "SHAPE", [X], [((3,), "int32")], {0: ("b", 2)})
    yield case("rank", "RANK", [X], [((), "int32")])
    yield case("zeros_like", "ZEROS_LIKE", [X], f32(2, 3, 4))
    yield case("fill", "FILL", [np.array(2.5, np.float32)], f32(2, 3), constants={0: ints(2, 3)})
    bounds = [np.array(number, np.int32) for number in (1, 9, 3)]
    yield case("range", "RANGE", bounds, [((3,), "int32")])
    constants = {1: ints(0, 1, 0), 2: ints(2, -1, 3)}
    yield case("slice", "SLICE", [X], f32(2, 2, 3), constants=constants)
    constants = {1: ints(-1, 9, 3), 2: ints(0, 1, 0), 3: ints(1, 1, -2)}
    options = {0: ("i", 2), 1: ("i", 0), 4: ("i", 1)}
    yield case("strided_slice", "STRIDED_SLICE", [X], f32(1, 2), options, constants=constants)
    paddings = ints(0, 0, 1, 2, 0, 1).reshape(3, 2)
    yield case("pad", "PAD", [X], f32(2, 6, 5), constants={1: paddings})
    constants = {1: paddings, 2: np.array([7], np.float32)}
    yield case("padv2", "PADV2", [X], f32(2, 6, 5), constants=constants)
    yield case("mirror_pad", "MIRROR_PAD", [X], f32(2, 6, 5), {0: ("b", 0)}, constants={1: paddings})


def _others() -> Iterator[Case]:
    for op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
        for keep in (False, True):
            size = (2, 1, 4) if keep else (2, 4)
            options = {0: ("?", keep)}
            yield case(f"{op.lower()}_{keep}", op, [X], f32(*size), options, constants={1: ints(-2)})
    yield case("arg_max", "ARG_MAX", [X], [((2, 3), "int64")], {0: ("b", 4)}, constants={1: ints(-1)})
    yield case("arg_min", "ARG_MIN", [X], [((2, 4), "int32")], {0: ("b", 2)}, constants={1: ints(1)})
    options = {0: ("?", True), 1: ("?", True)}
    yield case("cumsum", "CUMSUM", [X], f32(2, 3, 4), options, constants={1: ints(1)})
    yield case("gather", "GATHER", [X, ints(2, 0)], f32(2, 2, 4), {0: ("i", 1)})
    yield case("gather_nd", "GATHER_ND", [X, ints(1, 2, 0, 1).reshape(2, 2)], f32(2, 4))
    outputs = [*f32(2, 3, 2), ((2, 3, 2), "int32")]
    yield case("topk", "TOPK_V2", [X], outputs, constants={1: np.array(2, np.int32)})
    constants = {1: np.array(4, np.int32), 2: np.array(5, np.float32), 3: np.array(-1, np.float32)}
    yield case("one_hot", "ONE_HOT", [ints(2, 0, 3)], f32(3, 4), {0: ("i", -1)}, constants=constants)
    for activation in (0, 1):
        constants = {1: noise(5, 4, seed=1), 2: noise(5)}
        fused: dict[int, Any] = {0: ("b", activation), 2: ("?", False)}
        name = f"fully_connected_{activation}"
        yield case(name, "FULLY_CONNECTED", [X], f32(6, 5), fused, constants=constants)
    yield case(
        "fully_connected_kept",
        "FULLY_CONNECTED",
        [X],
        f32(2, 3, 5),
        {2: ("?", True)},
        constants={1: noise(5, 4)},
    )
    matrices = noise(2, 3, 4), noise(2, 5, 4, seed=1)
    yield case("batch_matmul", "BATCH_MATMUL", matrices, f32(2, 3, 5), {1: ("?", True)})


def float_cases() -> list[Case]:
    """A model for each float op."""
    return [*_elementwise(), *_images(), *_shapes(), *_others()]


def _quantised_op(
    name: str, op: str, options: Mapping[int, Any] | None = None, count: int = 1
) -> Iterator[Case]:
    scales = [(0.03, -5), (0.02, 10)]
    for dtype, shift in (("int8", 0), ("uint8", 128)):
        chosen = {n: (scales[n][0], scales[n][1] + shift) for n in range(count)}
        inputs = [quantised(noise(2, 3, 4, seed=n), chosen[n], dtype) for n in range(count)]
        out = (1 / 256, -128 + shift) if op in ("LOGISTIC", "SOFTMAX") else (0.04, 3 + shift)
        yield case(f"{name}_{dtype}", op, inputs, [((2, 3, 4), dtype)], options, scales=chosen, out_scale=out)


def quantised_cases() -> list[Case]:
    """Quantised models, whose outputs may differ by one step from integer arithmetic."""
    cases = []
    for op in ("ADD", "MUL", "SUB"):
        cases += [*_quantised_op(op.lower(), op, {0: ("b", 1)}, 2)]
    cases += [*_quantised_op("logistic", "LOGISTIC"), *_quantised_op("softmax", "SOFTMAX", {0: ("f", 1.0)})]
    moved = (0.03, -5)
    x = quantised(X, moved)
    paddings = ints(0, 0, 1, 2, 0, 1).reshape(3, 2)
    reshape = {0: ints(6, 4)}
    cases += [
        case("dequantize", "DEQUANTIZE", [x], f32(2, 3, 4), scales={0: moved}),
        case("quantize", "QUANTIZE", [X], [((2, 3, 4), "int8")], out_scale=moved),
        case("requantize", "QUANTIZE", [x], [((2, 3, 4), "int8")], scales={0: moved}, out_scale=(0.05, 4)),
        case(
            "reshape_int8",
            "RESHAPE",
            [x],
            [((6, 4), "int8")],
            reshape,
            constants={1: ints(6, 4)},
            scales={0: moved},
            out_scale=moved,
        ),
        case(
            "pad_int8",
            "PAD",
            [x],
            [((2, 6, 5), "int8")],
            constants={1: paddings},
            scales={0: moved},
            out_scale=moved,
        ),
        case(
            "concatenation_int8",
            "CONCATENATION",
            [x, x[:, ::-1].copy()],
            [((2, 6, 4), "int8")],
            {0: ("i", 1)},
            scales={0: moved, 1: moved},
            out_scale=moved,
        ),
    ]
    return [*cases, sparse_weights(), network("int8"), network("float32"), network("hybrid")]


def sparse_weights() -> Case:
    """A product with weights [4, 6] in blocks [2, 1], of which the axis of blocks is compressed."""
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (2, 6)), builder.tensor("y", (2, 4))
    stored = builder.constant("stored", noise(6, seed=5))
    builder.tensors[stored][0] = ints(4, 6)
    segments, indices = Table({0: ints(0, 2, 3)}), Table({0: ints(1, 5, 2)})
    levels = [
        Table({0: ("b", 0), 1: ("i", 2)}),
        Table({0: ("b", 1), 2: ("B", 1), 3: segments, 4: ("B", 1), 5: indices}),
        Table({0: ("b", 0), 1: ("i", 2)}),
        Table({0: ("b", 0), 1: ("i", 1)}),
    ]
    builder.tensors[stored][6] = Table({0: ints(0, 1, 2, 3), 1: ints(0, 1), 2: levels})
    weights = builder.tensor("weights", (4, 6))
    builder.op("DENSIFY", [stored], [weights])
    builder.op("FULLY_CONNECTED", [x, weights, -1], [y])
    return Case("sparse_weights", builder.model([x], [y]), [noise(2, 6)])


def network(kind: str) -> Case:
    """conv → depthwise conv → add → mean → fully connected → softmax, in float32 or int8.

    "hybrid" has int8 weights without quantised activations: they are dequantised by an op.
    """
    builder = TfliteBuilder()
    rng = np.random.default_rng(3)
    is_int8 = kind == "int8"

    def activation(name: str, shape: Sequence[int], scale: Scale, **keys: Any) -> int:
        if not is_int8:
            return builder.tensor(name, shape, **keys)
        return builder.tensor(name, shape, "int8", scale=scale[0], zero=scale[1], **keys)

    def weights(name: str, shape: Sequence[int], axis: int, scale: float, in_scale: float) -> tuple[int, int]:
        count = shape[axis]
        array = rng.integers(-127, 128, shape).astype(np.int8)
        scales = (scale * rng.uniform(0.5, 1, count)).astype(np.float32)
        along = scales.reshape([count if n == axis else 1 for n in range(len(shape))])
        bias = rng.integers(-500, 500, count).astype(np.int32)
        bias_scales = scales * np.float32(in_scale)
        if is_int8:
            number = builder.constant(name, array, scale=scales, zero=[0] * count, axis=axis)
            return number, builder.constant(f"{name}.bias", bias, scale=bias_scales, zero=[0] * count)
        bias_number = builder.constant(f"{name}.bias", (bias * bias_scales).astype(np.float32))
        if kind == "float32":
            return builder.constant(name, (array * along).astype(np.float32)), bias_number
        stored = builder.constant(f"{name}.stored", array, scale=scales, zero=[0] * count, axis=axis)
        number = builder.tensor(name, shape)
        builder.op("DEQUANTIZE", [stored], [number])
        return number, bias_number

    scales = {"x": (0.02, 1), "a": (0.03, -128), "b": (0.02, -128), "c": (0.05, -128), "m": (0.02, -128)}
    x = activation("x", (1, 8, 8, 3), scales["x"])
    first = weights("w1", (4, 3, 3, 3), 0, 0.004, 0.02)
    a = activation("a", (1, 4, 4, 4), scales["a"])
    window = {0: SAME, 1: ("i", 2), 2: ("i", 2), 3: ("b", 1)}
    builder.op("CONV_2D", [x, *first], [a], window)
    second = weights("w2", (1, 3, 3, 4), 3, 0.004, 0.03)
    b = activation("b", (1, 4, 4, 4), scales["b"])
    depthwise = {0: SAME, 1: ("i", 1), 2: ("i", 1), 3: ("i", 1), 4: ("b", 3)}
    builder.op("DEPTHWISE_CONV_2D", [a, *second], [b], depthwise)
    c = activation("c", (1, 4, 4, 4), scales["c"])
    builder.op("ADD", [a, b], [c], {0: ("b", 0)})
    m = activation("m", (1, 4), scales["m"])
    builder.op("MEAN", [c, builder.constant("axes", ints(1, 2))], [m], {0: ("?", False)})
    third = weights("w3", (5, 4), 0, 0.01, 0.02)
    y = activation("y", (1, 5), (0.03, 0))
    builder.op("FULLY_CONNECTED", [m, *third], [y])
    p = activation("p", (1, 5), (1 / 256, -128))
    builder.op("SOFTMAX", [y], [p], {0: ("f", 1.0)})
    image = np.random.default_rng(4).standard_normal((1, 8, 8, 3)).astype(np.float32)
    return Case(
        f"network_{kind}", builder.model([x], [p]), [quantised(image, scales["x"]) if is_int8 else image]
    )
