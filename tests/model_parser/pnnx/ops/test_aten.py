"""Operators that pnnx leaves as ``aten::`` equal numpy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, run

X, Y = noise(3, 4, 5), noise(3, 4, 5, seed=1)
MATRIX = noise(4, 4, seed=2)
MASKED = np.where(X > 1, np.nan, X).astype(np.float32)
ROW = np.array([-2.0, 0.0, np.inf, -np.inf, np.nan], np.float32)


def sorted_part(x: Array, rank: int) -> list[Array]:
    """The element at a rank of axis 1, and its position."""
    order = np.argsort(x, 1, kind="stable")[:, rank]
    return [np.sort(x, 1)[:, rank], order]


def diagonal_of(x: Array) -> Array:
    return np.diagonal(x, 1, 1, 2)


def cosine(x: Array, y: Array) -> Array:
    """The cosine of the angle along axis 1."""
    norms = np.sqrt((x * x).sum(1)) * np.sqrt((y * y).sum(1))
    return np.asarray((x * y).sum(1) / norms)


CASES: dict[str, tuple[Sequence[Array | str], Callable[..., object]]] = {
    "addcmul": ([X, Y, Y, "0.5"], lambda x, y, z: x + 0.5 * y * z),
    "erfc": ([np.zeros((2, 2), np.float32)], np.ones_like),
    "frac": ([X * 3], lambda x: x - np.trunc(x)),
    "hypot": ([X, Y], np.hypot),
    "lerp": ([X, Y, "0.3"], lambda x, y: x + 0.3 * (y - x)),
    "isnan": ([ROW], np.isnan),
    "isinf": ([ROW], np.isinf),
    "isfinite": ([ROW], np.isfinite),
    "nan_to_num": ([ROW, "1.5", "9.0", "-9.0"], lambda _: np.array([-2, 0, 9, -9, 1.5], np.float32)),
    "copysign": ([X, Y], np.copysign),
    "fmax": ([MASKED, Y], np.fmax),
    "fmin": ([MASKED, Y], np.fmin),
    "xlogy": ([ROW[1:2] * 0, ROW[1:2]], lambda *_: np.zeros(1, np.float32)),
    "sinc": ([np.array([0.0, 0.5, 2.0], np.float32)], np.sinc),
    "logit": (
        [np.array([0.1, 0.5, 1.0], np.float32), "0.01"],
        lambda x: np.log(x := np.clip(x, 0.01, 0.99)) - np.log(1 - x),
    ),
    "clamp_min": ([X, "0.1"], lambda x: np.maximum(x, np.float32(0.1))),
    "broadcast_to": ([X[:, :1], "[3,4,5]"], lambda x: np.broadcast_to(x, (3, 4, 5))),
    "ravel": ([X], np.ravel),
    "flipud": ([X], np.flipud),
    "mT": ([X], lambda x: x.swapaxes(1, 2)),
    "numpy_T": ([X], np.transpose),
    "movedim": ([X, "0", "-1"], lambda x: np.moveaxis(x, 0, -1)),
    "tril": ([MATRIX, "-1"], lambda x: np.tril(x, -1)),
    "triu": ([MATRIX, "1"], lambda x: np.triu(x, 1)),
    "diagonal": ([noise(2, 4, 5), "1", "1", "2"], diagonal_of),
    "trace": ([MATRIX], np.trace),
    "diag_embed": ([noise(2, 4), "0", "-2", "-1"], lambda x: x[..., None] * np.eye(4, dtype=np.float32)),
    "one_hot": ([np.array([[2, 0]], np.int64), "3"], lambda x: np.eye(3, dtype=np.int64)[x]),
    "sort": ([X, "1", "False"], lambda x: [np.sort(x, 1), np.argsort(x, 1)]),
    "argsort": ([X, "-1", "True"], lambda x: np.argsort(-x, -1)),
    "kthvalue": ([X, "2", "1", "False"], lambda x: sorted_part(x, 1)),
    "median": ([X, "1", "False"], lambda x: sorted_part(x, 1)),
    "all": ([X > -1, "1", "False"], lambda x: x.all(1)),
    "any": ([X > 1, "[0,2]", "True"], lambda x: x.any((0, 2), keepdims=True)),
    "std": ([X, "True"], lambda x: x.std(ddof=1)),
    "var_mean": ([X, "1", "False", "False"], lambda x: [x.var(1), x.mean(1)]),
    "count_nonzero": ([(X > 0) * X, "1"], lambda x: np.count_nonzero(x, 1)),
    "aminmax": ([X, "1", "False"], lambda x: [x.min(1), x.max(1)]),
    "nansum": ([MASKED, "1", "False", "None"], lambda x: np.nansum(x, 1)),
    "nanmean": ([MASKED, "2", "True", "None"], lambda x: np.nanmean(x, 2, keepdims=True)),
    "linalg_norm": ([X, "None", "-1", "True", "None"], lambda x: np.linalg.norm(x, axis=-1, keepdims=True)),
    "linalg_matrix_norm": ([X, "fro", "[-2,-1]", "False", "None"], lambda x: np.sqrt((x * x).sum((1, 2)))),
    "cosine_similarity": ([X, Y, "1", "0.0"], cosine),
    "cdist": ([X, Y, "2.0", "None"], lambda x, y: np.linalg.norm(x[:, :, None] - y[:, None], axis=-1)),
    "dist": ([X, Y, "1"], lambda x, y: np.abs(x - y).sum()),
    "isclose": ([X, X + np.float32(0.001), "0.0", "0.01", "False"], lambda x, y: np.isclose(x, y, 0, 0.01)),
    "outer": ([X[0, 0], Y[0, 1]], np.outer),
    "inner": ([X, Y[0]], np.inner),
    "dot": ([X[0, 0], Y[0, 1]], np.dot),
    "tensordot": ([X, MATRIX, "[1]", "[0]"], lambda x, y: np.tensordot(x, y, ([1], [0]))),
    "addbmm": (
        [MATRIX, noise(2, 4, 3), noise(2, 3, 4, seed=5), "1", "1"],
        lambda x, y, z: x + (y @ z).sum(0),
    ),
    "linalg_matrix_power": ([MATRIX, "3"], lambda x: x @ x @ x),
    "unfold": (
        [noise(2, 9), "1", "3", "2"],
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, 1)[:, ::2],
    ),
    "mse_loss": ([X, Y, "1"], lambda x, y: ((x - y) ** 2).mean()),
    "l1_loss": ([X, Y, "0"], lambda x, y: np.abs(x - y)),
    "huber_loss": (
        [X, Y, "2", "0.5"],
        lambda x, y: np.where(abs(x - y) <= 0.5, (x - y) ** 2 / 2, 0.5 * (abs(x - y) - 0.25)).sum(),
    ),
    "zero": ([X], np.zeros_like),
    "take": ([X, np.array([0, 33, -1], np.int64)], np.take),
    "select_scatter": ([X, Y[:, 0], "1", "-1"], lambda x, v: np.concatenate([x[:, :-1], v[:, None]], 1)),
    "linspace": (["-1", "1", "5", "None", "None", "cpu", "False"], lambda: np.linspace(-1, 1, 5)),
}
"""Function → its arguments, arrays and literals, and what numpy computes of the arrays."""

KINDS = {"float32": "f32", "int64": "i64", "bool": "bool"}


def aten(name: str, arguments: Sequence[Array | str], outputs: int) -> list[Array]:
    """The outputs of a function whose literals are expressions without operands."""
    lines, arrays = [], []
    for n, argument in enumerate(arguments):
        if isinstance(argument, str):
            lines.append(f"pnnx.Expression e{n} 0 1 {n} expr={argument}")
        else:
            arrays.append(argument)
            shape = ",".join(map(str, argument.shape))
            lines.append(f"pnnx.Input i{n} 0 1 {n} #{n}=({shape}){KINDS[argument.dtype.name]}")
    names = " ".join(f"o{n}" for n in range(outputs))
    operands = " ".join([*map(str, range(len(arguments))), names])
    lines += [f"aten::{name} f {len(arguments)} {outputs} {operands}", f"pnnx.Output o {outputs} 0 {names}"]
    if not arrays:
        lines.insert(0, "pnnx.Input unused 0 1 unused #unused=(1)f32")
        arrays.append(np.zeros(1, np.float32))
    return run(lines, arrays)


@pytest.mark.parametrize("name", CASES)
def test_functions_by_the_order_of_their_arguments(name: str) -> None:
    arguments, function = CASES[name]
    result = function(*(argument for argument in arguments if not isinstance(argument, str)))
    expected = [np.asarray(part) for part in (result if isinstance(result, list) else [result])]
    outputs = aten(name, arguments, len(expected))
    for output, wanted in zip(outputs, expected, strict=True):
        assert output.shape == wanted.shape
        assert output.dtype.kind == wanted.dtype.kind
        np.testing.assert_allclose(output, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_an_expression_that_is_a_word_is_a_string(indexing: Literal["ij", "xy"]) -> None:
    lines = [
        "pnnx.Input a 0 1 a #a=(2)f32",
        "pnnx.Input b 0 1 b #b=(3)f32",
        f"pnnx.Expression e 0 1 e expr={indexing}",
        "pnnx.Expression l 2 1 a b l expr=[@0,@1]",
        "aten::meshgrid m 2 1 l e m",
        "prim::ListUnpack u 1 2 m x y",
        "pnnx.Output o 2 0 x y",
    ]
    a, b = noise(2), noise(3, seed=1)
    for output, wanted in zip(run(lines, [a, b]), np.meshgrid(a, b, indexing=indexing), strict=True):
        np.testing.assert_array_equal(output, wanted)


@pytest.mark.parametrize(
    ("name", "function"),
    [("vstack", np.vstack), ("hstack", np.hstack), ("dstack", np.dstack), ("column_stack", np.column_stack)],
)
@pytest.mark.parametrize("shape", [(3,), (3, 4)])
def test_stacks(name: str, function: Callable[[Sequence[Array]], Array], shape: tuple[int, ...]) -> None:
    kind = f"({','.join(map(str, shape))})f32"
    lines = [
        f"pnnx.Input a 0 1 a #a={kind}",
        f"pnnx.Input b 0 1 b #b={kind}",
        "pnnx.Expression l 2 1 a b l expr=[@0,@1]",
        f"aten::{name} m 1 1 l m",
        "pnnx.Output o 1 0 m",
    ]
    arrays = [noise(*shape), noise(*shape, seed=1)]
    np.testing.assert_array_equal(run(lines, arrays)[0], function(arrays))
