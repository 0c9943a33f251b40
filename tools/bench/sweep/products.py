"""Cases of products, attention, norms, recurrent layers, control flow and chains of small ops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lite.tools.bench.sweep.case import Case, Model


def product_cases() -> Iterator[Case]:
    """All of them."""
    yield from _matmul()
    yield from _attention()
    yield from _norms()
    yield from _recurrent()
    yield from _control()
    yield from _quantised()


def _matmul() -> Iterator[Case]:
    for rows, depth, columns in (
        *((1, 768, 768), (1, 2048, 1000), (1, 768, 16000), (4, 768, 3072), (16, 768, 768)),
        *((50, 256, 256), (128, 768, 768), (128, 768, 3072), (128, 3072, 768), (197, 384, 1152)),
        *((197, 768, 2), (3136, 96, 288), (49, 384, 1152), (1000, 16, 16), (64, 13, 512), (512, 512, 512)),
    ):

        def weights(model: Model, m: int = rows, k: int = depth, n: int = columns) -> str:
            product = model.op("MatMul", model.input(1, m, k), model.weight(of=_weight(k, n)))
            return model.op("Add", product, model.weight(n))

        yield Case("matmul with weights", f"{rows}×{depth}×{columns} + bias", weights)
    for batch, rows, depth, columns in (
        *((12, 197, 64, 197), (12, 197, 197, 64), (12, 1, 64, 512), (64, 49, 32, 49), (8, 16, 64, 16)),
        *((1, 512, 512, 512), (1, 64, 2048, 64), (100, 1, 32, 32), (1, 1, 768, 768)),
    ):

        def tensors(model: Model, b: int = batch, m: int = rows, k: int = depth, n: int = columns) -> str:
            return model.op("MatMul", model.input(b, m, k), model.input(b, k, n))

        def transposed(model: Model, b: int = batch, m: int = rows, k: int = depth, n: int = columns) -> str:
            return model.op(
                "MatMul", model.input(b, m, k), model.op("Transpose", model.input(b, n, k), perm=[0, 2, 1])
            )

        yield Case("matmul of tensors", f"{batch} of {rows}×{depth}×{columns}", tensors)
        yield Case("matmul of tensors", f"{batch} of {rows}×{depth}×{columns}, Y transposed", transposed)

    def gemm(model: Model) -> str:
        return model.op("Gemm", model.input(32, 512), model.weight(1000, 512), model.weight(1000), transB=1)

    def broadcast(model: Model) -> str:
        return model.op("MatMul", model.input(8, 12, 64, 64), model.input(12, 64, 64))

    def transposed_x(model: Model) -> str:
        return model.op(
            "MatMul", model.op("Transpose", model.input(4, 256, 64), perm=[0, 2, 1]), model.input(4, 256, 64)
        )

    yield Case("matmul with weights", "Gemm 32×512×1000, transposed, with bias", gemm)
    yield Case("matmul of tensors", "[8, 12, 64, 64] by [12, 64, 64]", broadcast)
    yield Case("matmul of tensors", "4 of 64×256×64, X transposed", transposed_x)
    for equation, shapes in (
        ("bhid,bhjd->bhij", ((1, 8, 64, 32), (1, 8, 64, 32))),
        ("bhij,bhjd->bhid", ((1, 8, 64, 64), (1, 8, 64, 32))),
        ("bnc,bmc->bnm", ((1, 100, 64), (1, 400, 64))),
        ("bqc,bchw->bqhw", ((1, 100, 64), (1, 64, 32, 32))),
        ("bld,dn->bldn", ((1, 64, 128), (128, 16))),
    ):

        def einsum(model: Model, e: str = equation, s: Any = shapes) -> str:
            return model.op("Einsum", *[model.input(*shape) for shape in s], equation=e)

        yield Case("einsum", f"{equation} of {' and '.join(str(list(s)) for s in shapes)}", einsum)


def _weight(*shape: int) -> Any:
    return (np.random.default_rng(1).standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)


def _attention() -> Iterator[Case]:
    for batch, heads, rows, past, size, masked in (
        (1, 12, 197, 197, 64, False),
        (1, 12, 128, 128, 64, True),
        (1, 8, 512, 512, 64, False),
        (1, 12, 1, 512, 64, False),
        (64, 3, 49, 49, 32, True),
        (1, 2, 1024, 1024, 40, False),
    ):

        def build(
            model: Model, b: int = batch, h: int = heads, m: int = rows, n: int = past, d: int = size,
            mask: bool = masked,
        ) -> str:  # fmt: skip
            q, k, v = model.input(b, m, h, d), model.input(b, n, h, d), model.input(b, n, h, d)
            q = model.op("Transpose", q, perm=[0, 2, 1, 3])
            k = model.op("Transpose", k, perm=[0, 2, 3, 1])
            v = model.op("Transpose", v, perm=[0, 2, 1, 3])
            scores = model.op("Div", model.op("MatMul", q, k), model.weight(of=np.array(d**0.5, np.float32)))
            if mask:
                scores = model.op("Add", scores, model.input(b, 1, m, n))
            y = model.op("MatMul", model.op("Softmax", scores, axis=-1), v)
            return model.op("Transpose", y, perm=[0, 2, 1, 3])

        text = f"{batch}×{heads} heads, {rows}×{past}×{size}{', mask' if masked else ''}"
        yield Case("attention", text, build)


def _norms() -> Iterator[Case]:
    for shape in ((1, 197, 768), (1, 3136, 96), (1, 1, 768)):

        def layer(model: Model, s: Any = shape) -> str:
            return model.op("LayerNormalization", model.input(*s), model.weight(s[-1]), model.weight(s[-1]))

        yield Case("norm", f"LayerNormalization {list(shape)}", layer)
    softmaxes: Sequence[tuple[tuple[int, ...], int]] = (
        *(((12, 197, 197), -1), ((1, 1000), -1), ((1, 21, 64, 64), 1), ((64, 3, 49, 49), -1)),
    )
    for sizes, axis in softmaxes:

        def softmax(model: Model, s: Any = sizes, a: int = axis) -> str:
            return model.op("Softmax", model.input(*s), axis=a)

        yield Case("norm", f"Softmax {list(sizes)} over {axis}", softmax)

    def group(model: Model) -> str:
        x = model.op("Reshape", model.input(1, 320, 32, 32), model.integers(0, 32, -1))
        ones = [model.weight(of=np.full(32, n, np.float32)) for n in (1, 0)]
        x = model.op("Reshape", model.op("InstanceNormalization", x, *ones), model.integers(1, 320, 32, 32))
        return model.op("Add", model.op("Mul", x, model.weight(320, 1, 1)), model.weight(320, 1, 1))

    def instance(model: Model) -> str:
        return model.op(
            "InstanceNormalization", model.input(1, 64, 64, 64), model.weight(64), model.weight(64)
        )

    def batch(model: Model) -> str:
        vectors = [model.weight(of=np.linspace(0.5, 2, 64).astype(np.float32)) for _ in range(4)]
        return model.op("BatchNormalization", model.op("Relu", model.input(1, 64, 56, 56)), *vectors)

    def rms(model: Model) -> str:
        x = model.input(1, 128, 896)
        two, small = model.weight(of=np.array(2, np.float32)), model.weight(of=np.array(1e-6, np.float32))
        mean = model.op("ReduceMean", model.op("Pow", x, two), model.integers(-1))
        scale = model.op("Reciprocal", model.op("Sqrt", model.op("Add", mean, small)))
        return model.op("Mul", model.op("Mul", x, scale), model.weight(896))

    def logs(model: Model) -> str:
        return model.op("LogSoftmax", model.input(1, 40, 6000), axis=-1)

    def l2(model: Model) -> str:
        return model.op("LpNormalization", model.input(1, 512), axis=-1, p=2)

    def lrn(model: Model) -> str:
        return model.op("LRN", model.input(1, 64, 28, 28), size=5)

    for build in (group, instance, batch, rms, logs, l2, lrn):
        yield Case("norm", build.__name__, build)


def _recurrent() -> Iterator[Case]:
    for kind, gates, steps, size, hidden, directions, lengths in (
        ("LSTM", 4, 100, 128, 128, 1, False),
        ("LSTM", 4, 40, 512, 256, 2, False),
        ("LSTM", 4, 40, 64, 64, 2, True),
        ("GRU", 3, 100, 64, 96, 2, False),
        ("GRU", 3, 50, 64, 96, 1, True),
        ("RNN", 1, 50, 64, 64, 1, False),
    ):

        def build(
            model: Model, k: str = kind, g: int = gates, t: int = steps, i: int = size, h: int = hidden,
            d: int = directions, with_lengths: bool = lengths,
        ) -> str:  # fmt: skip
            batch = 2 if with_lengths else 1
            count = model.input(of=np.array([t, t - 5], np.int32)) if with_lengths else ""
            return model.op(
                k, model.input(t, batch, i), model.weight(d, g * h, i), model.weight(d, g * h, h),
                model.weight(d, 2 * g * h), count, hidden_size=h,
                direction="bidirectional" if d == 2 else "forward",
            )  # fmt: skip

        more = f"{', both directions' if directions == 2 else ''}{', lengths' if lengths else ''}"
        yield Case("recurrent", f"{kind} {steps}×{size}→{hidden}{more}", build)


def _control() -> Iterator[Case]:
    def small(model: Model) -> str:
        x = model.input(1, 16)
        for n in range(5):
            weight = model.weight(of=_weight(16, 16) + np.float32(n))
            x = model.op("Tanh", model.op("MatMul", x, weight))
        return x

    yield Case("small", "10 ops on 16 numbers", small)

    def loop(model: Model, grows: bool, count: int) -> str:
        from onnx import TensorProto, helper

        kind = TensorProto.FLOAT
        trips = model.weight(of=np.array(count, np.int64))
        shape = [None, 64] if grows else [1, 64]
        nodes = [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Tanh", ["h"], ["t"])]
        if grows:
            nodes.append(helper.make_node("ReduceMean", ["t", "axis0"], ["m"], keepdims=1))
            nodes.append(helper.make_node("Concat", ["h", "m"], ["next"], axis=0))
        else:
            nodes.append(helper.make_node("MatMul", ["t", "loop_w"], ["next"]))
        body = helper.make_graph(
            nodes,
            "body",
            [
                helper.make_tensor_value_info("i", TensorProto.INT64, []),
                helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                helper.make_tensor_value_info("h", kind, shape),
            ],
            [
                helper.make_tensor_value_info("on", TensorProto.BOOL, []),
                helper.make_tensor_value_info("next", kind, shape),
            ],
        )
        from onnx import numpy_helper

        model.initializers.append(numpy_helper.from_array(np.array([0], np.int64), "axis0"))
        model.initializers.append(numpy_helper.from_array(_weight(64, 64), "loop_w"))
        return model.op("Loop", trips, "", model.input(1, 64), body=body)

    yield Case("control", "Loop of 50, 2 ops each", lambda model: loop(model, grows=False, count=50))
    yield Case("control", "Loop of 30 that grows a value", lambda model: loop(model, grows=True, count=30))

    def branch(model: Model) -> str:
        from onnx import TensorProto, helper

        x = model.input(1, 64)
        total = model.op("ReduceSum", x, keepdims=0)
        condition = model.op("Less", total, model.weight(of=np.array(1e9, np.float32)))
        graphs = [
            helper.make_graph(
                [helper.make_node(kind, [x], [kind])],
                kind,
                [],
                [helper.make_tensor_value_info(kind, TensorProto.FLOAT, [1, 64])],
            )
            for kind in ("Tanh", "Relu")
        ]
        return model.op("If", condition, then_branch=graphs[0], else_branch=graphs[1])

    yield Case("control", "If of one op each", branch)

    def decode(model: Model) -> list[str]:
        past, new = model.input(12, 511, 64), model.input(12, 1, 64)
        present = model.op("Concat", past, new, axis=1)
        scores = model.op("MatMul", model.input(12, 1, 64), model.op("Transpose", present, perm=[0, 2, 1]))
        return [model.op("Softmax", scores, axis=-1), present]

    yield Case("attention", "decode step with a past of 511", decode)


def _quantised() -> Iterator[Case]:
    def pair(model: Model) -> str:
        scale, zero = model.weight(of=np.array(0.05, np.float32)), model.weight(of=np.array(3, np.uint8))
        return model.op(
            "DequantizeLinear",
            model.op("QuantizeLinear", model.input(1, 64, 56, 56), scale, zero),
            scale,
            zero,
        )

    def dynamic(model: Model) -> str:
        name = model.op("DynamicQuantizeLinear", model.input(128, 768), outputs=3)
        weight = model.weight(of=np.random.default_rng(0).integers(-127, 127, (768, 768)).astype(np.int8))
        product = model.op("MatMulInteger", name, weight, f"{name}.2")
        return model.op("Mul", model.op("Cast", product, to=1), f"{name}.1")

    yield Case("quantised", "QuantizeLinear, DequantizeLinear 64×56×56", pair)
    yield Case("quantised", "DynamicQuantizeLinear, MatMulInteger 128×768×768", dynamic)
