"""Cases of ops on tensors: elementwise, reductions, indices, shapes, sorting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lite.tools.bench.sweep.case import Build, Case, Model

_RNG = np.random.default_rng(7)


def tensor_cases() -> Iterator[Case]:
    """All of them."""
    yield from _elementwise()
    yield from _reductions()
    yield from _indices()
    yield from _shapes()
    yield from _sorting()


def _one(kind: str, *shapes: tuple[int, ...], **attributes: Any) -> Build:
    return lambda model: model.op(kind, *[model.input(*shape) for shape in shapes], **attributes)


def _elementwise() -> Iterator[Case]:
    big, rows = (1, 64, 56, 56), (1, 197, 768)
    for kind in (
        *(
            "Relu",
            "Sigmoid",
            "Tanh",
            "Exp",
            "Erf",
            "HardSwish",
            "HardSigmoid",
            "LeakyRelu",
            "Elu",
            "Softplus",
        ),
        *("Abs", "Neg", "Floor", "Round", "Sin", "Gelu", "Mish", "Softsign", "Sign", "Ceil"),
    ):
        yield Case("elementwise", f"{kind} {list(rows)}", _one(kind, rows))
    for kind in ("Sqrt", "Log", "Reciprocal"):

        def positive(model: Model, k: str = kind) -> str:
            return model.op(k, model.input(of=_RNG.uniform(0.1, 2, rows).astype(np.float32)))

        yield Case("elementwise", f"{kind} {list(rows)}", positive)
    for kind in ("Add", "Mul", "Div", "Max", "Less"):
        yield Case("elementwise", f"{kind} {list(big)} + same", _one(kind, big, big))
    for name, a, b in (
        ("channels", big, (1, 64, 1, 1)),
        ("vector", rows, (768,)),
        ("column", rows, (1, 197, 1)),
        ("scalar", rows, (1,)),
        ("outer", (1, 512, 1), (1, 1, 512)),
        ("middle", (8, 64, 1, 64), (8, 1, 64, 64)),
        ("leading", (12, 128, 128), (128, 128)),
        ("small", (1, 8), (1, 8)),
    ):
        yield Case("broadcast", f"Add {name}: {list(a)} + {list(b)}", _one("Add", a, b))

    def power(model: Model) -> str:
        return model.op("Pow", model.input(*rows), model.weight(of=np.array(3, np.float32)))

    def where(model: Model) -> str:
        mask = model.op("Less", model.input(1, 1, 128, 128), model.weight(1))
        return model.op("Where", mask, model.input(12, 1, 128, 128), model.weight(1))

    def integers(model: Model) -> str:
        x = model.input(of=_RNG.integers(0, 99, (128, 768)))
        return model.op("Mod", model.op("Add", x, model.integers(3)), model.integers(7))

    def cast(model: Model) -> str:
        return model.op("Cast", model.input(of=_RNG.integers(0, 99, (128, 768))), to=1)

    def gelu(model: Model) -> str:
        x = model.input(*rows)
        half, root = (model.weight(of=np.array(n, np.float32)) for n in (0.5, 2**0.5))
        one = model.weight(of=np.array(1, np.float32))
        inner = model.op("Add", model.op("Erf", model.op("Div", x, root)), one)
        return model.op("Mul", model.op("Mul", x, inner), half)

    def prelu(model: Model) -> str:
        return model.op("PRelu", model.input(*big), model.weight(64, 1, 1))

    def logic(model: Model) -> str:
        x = model.input(12, 128, 128)
        return model.op("Not", model.op("And", model.op("Less", x, model.weight(1)), model.op("Equal", x, x)))

    for build in (power, where, integers, cast, gelu, prelu, logic):
        yield Case("elementwise", build.__name__, build)


def _reductions() -> Iterator[Case]:
    for kind, shape, axes in (
        ("ReduceMean", (1, 197, 768), (-1,)),
        ("ReduceMean", (1, 197, 768), (1,)),
        ("ReduceMean", (1, 64, 56, 56), (2, 3)),
        ("ReduceMax", (1, 64, 56, 56), (1,)),
        ("ReduceSum", (1, 64, 56, 56), (0, 1, 2, 3)),
        ("ReduceL2", (1, 197, 768), (-1,)),
        ("ReduceLogSumExp", (100, 1000), (-1,)),
        ("ReduceProd", (100, 1000), (-1,)),
    ):

        def build(model: Model, k: str = kind, s: Any = shape, a: Any = axes) -> str:
            return model.op(k, model.input(*s), model.integers(*a))

        yield Case("reduction", f"{kind} of {list(shape)} over {list(axes)}", build)
    for axis, shape in ((-1, (100, 1000)), (1, (1, 21, 256, 256))):
        yield Case("reduction", f"ArgMax of {list(shape)} over {axis}", _one("ArgMax", shape, axis=axis))

    def cumsum(model: Model) -> str:
        return model.op("CumSum", model.input(100, 1000), model.weight(of=np.array(1, np.int64)))

    yield Case("reduction", "CumSum of [100, 1000] over 1", cumsum)


def _indices() -> Iterator[Case]:
    def embedding(model: Model) -> str:
        return model.op("Gather", model.weight(8000, 768), model.input(of=_RNG.integers(0, 8000, (1, 128))))

    def columns(model: Model) -> str:
        return model.op("Gather", model.input(128, 768), model.input(of=_RNG.integers(0, 768, 64)), axis=1)

    def constant(model: Model) -> str:
        return model.op("Gather", model.input(12, 128, 64), model.integers(*range(0, 128, 2)), axis=1)

    def elements(model: Model) -> str:
        index = model.input(of=_RNG.integers(0, 1000, (100, 500)))
        return model.op("GatherElements", model.input(100, 1000), index, axis=1)

    def nd(model: Model) -> str:
        return model.op("GatherND", model.input(64, 64, 32), model.input(of=_RNG.integers(0, 64, (500, 2))))

    def scatter_nd(model: Model) -> str:
        index = model.input(of=_RNG.integers(0, 64, (500, 2)))
        return model.op("ScatterND", model.input(64, 64, 32), index, model.input(500, 32))

    def scatter(model: Model) -> str:
        index = model.input(of=_RNG.permutation(1000)[None, :500].repeat(100, 0))
        return model.op("ScatterElements", model.input(100, 1000), index, model.input(100, 500), axis=1)

    def one_hot(model: Model) -> str:
        depth, values = model.weight(of=np.array(1000)), model.weight(of=np.array([0, 1], np.float32))
        return model.op("OneHot", model.input(of=_RNG.integers(0, 1000, 128)), depth, values)

    def non_zero(model: Model) -> str:
        return model.op("NonZero", model.op("Relu", model.input(128, 768)))

    def bags(model: Model) -> list[str]:
        found = []
        for _ in range(8):
            index = model.input(of=_RNG.integers(0, 1000, (64, 4)))
            rows = model.op("Gather", model.weight(1000, 32), index)
            found.append(model.op("ReduceSum", rows, model.integers(1), keepdims=0))
        return found

    for build in (embedding, columns, constant, elements, nd, scatter_nd, scatter, one_hot, non_zero, bags):
        yield Case("index", build.__name__, build)


def _shapes() -> Iterator[Case]:
    for shape, perm in (
        ((1, 197, 12, 64), (0, 2, 1, 3)),
        ((1, 197, 12, 64), (0, 2, 3, 1)),
        ((1, 64, 56, 56), (0, 2, 3, 1)),
        ((1, 56, 56, 96), (0, 3, 1, 2)),
        ((1, 8, 7, 8, 7, 96), (0, 1, 3, 2, 4, 5)),
        ((1024, 1024), (1, 0)),
        ((1, 2, 58, 28, 28), (0, 2, 1, 3, 4)),
        ((16, 64, 64), (2, 1, 0)),
    ):
        yield Case("transpose", f"{list(shape)} to {list(perm)}", _one("Transpose", shape, perm=perm))
    yield Case("join", "Concat channels", _one("Concat", (1, 64, 28, 28), (1, 128, 28, 28), axis=1))
    yield Case("join", "Concat last axis", _one("Concat", (1, 197, 384), (1, 197, 384), axis=-1))

    def split(model: Model) -> list[str]:
        name = model.op("Split", model.input(1, 197, 2304), outputs=3, axis=-1, num_outputs=3)
        return [model.op("Relu", n) for n in (name, f"{name}.1", f"{name}.2")]

    def slices(model: Model) -> list[str]:
        x = model.input(1, 56, 56, 96)
        starts = ((0, 0), (1, 0), (0, 1), (1, 1))
        return [
            model.op(
                "Slice",
                x,
                model.integers(*s),
                model.integers(56, 56),
                model.integers(1, 2),
                model.integers(2, 2),
            )
            for s in starts
        ]

    def tile(model: Model) -> str:
        return model.op("Tile", model.input(1, 1, 64, 64), model.integers(1, 12, 1, 2))

    def expand(model: Model) -> str:
        return model.op("Expand", model.input(1, 8, 1, 128, 64), model.integers(1, 8, 4, 128, 64))

    def roll(model: Model) -> str:
        x, zero = model.input(1, 56, 56, 96), model.integers(0)
        last = model.op("Slice", x, model.integers(3), model.integers(56), model.integers(1))
        return model.op(
            "Concat", last, model.op("Slice", x, zero, model.integers(3), model.integers(1)), axis=1
        )

    for build in (split, slices, tile, expand, roll):
        yield Case("join", build.__name__, build)
    for mode in ("constant", "reflect", "edge"):

        def pad(model: Model, m: str = mode) -> str:
            return model.op("Pad", model.input(1, 64, 56, 56), model.integers(0, 0, 3, 3, 0, 0, 3, 3), mode=m)

        yield Case("pad", f"{mode} by 3 of 64×56×56", pad)
    yield Case("pixels", "DepthToSpace 2", _one("DepthToSpace", (1, 64, 56, 56), blocksize=2, mode="CRD"))
    yield Case("pixels", "SpaceToDepth 2", _one("SpaceToDepth", (1, 16, 112, 112), blocksize=2))


def _sorting() -> Iterator[Case]:
    for shape, count in (((1, 1000), 5), ((1, 8400), 300), ((100, 1000), 10), ((1, 30000), 1)):

        def top(model: Model, s: Any = shape, n: int = count) -> list[str]:
            name = model.op("TopK", model.input(*s), model.integers(n), outputs=2)
            return [name, f"{name}.1"]

        yield Case("sort", f"TopK {count} of {list(shape)}", top)

    def nms(model: Model) -> str:
        corners = _RNG.uniform(0, 300, (1, 2000, 2)).astype(np.float32)
        sizes = _RNG.uniform(5, 60, (1, 2000, 2)).astype(np.float32)
        boxes = model.input(of=np.concatenate([corners, corners + sizes], 2))
        scores = model.input(of=_RNG.uniform(0, 1, (1, 20, 2000)).astype(np.float32))
        limits = [model.weight(of=np.array([n], np.float32)) for n in (0.5, 0.6)]
        return model.op("NonMaxSuppression", boxes, scores, model.integers(100), *limits)

    yield Case("sort", "NonMaxSuppression of 2000 boxes, 20 classes", nms)
