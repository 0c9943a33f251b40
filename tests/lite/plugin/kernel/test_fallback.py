"""The kernel that runs where another one only prepares and declines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from lite.errors import PluginError
from lite.ir.types import HOST, Array, DType, Layout, Place
from lite.ops import Meta, get_schema
from lite.ops.image_layout import array_into
from lite.plugin.kernel import (
    Attributes,
    Kernel,
    KernelFunction,
    PrepareContext,
    kernel,
    runnable,
    unregister,
)
from lite.plugin.kernel.fallback import fallback_of, host_kernel
from lite.plugin.kernel.kernels import KERNELS
from lite.plugin.kernel.target import TARGETS, register_target
from tests.lite.runtime.run_text import runtime_of

TARGET = "declining"


def decline(ctx: PrepareContext) -> KernelFunction | None:
    return None


@contextmanager
def declining(
    op: str, layout: Layout = Layout.ANY, fallback: str = HOST, dtype: DType | None = None
) -> Iterator[Kernel]:
    """A kernel that prepares nothing."""
    kernel(op, TARGET, dtype=dtype, layout=layout, fallback=fallback)(decline)
    place = Place(TARGET, dtype, layout)
    try:
        yield KERNELS.get((op, place))
    finally:
        unregister(op, place)


def floats(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def nhwc(array: Array) -> Array:
    return np.ascontiguousarray(array_into(array, Layout.NHWC))


def call(fallback: Kernel, inputs: dict[str, Array], attrs: dict[str, Any], **keywords: Any) -> Any:
    """The kernel, unprepared."""
    values = get_schema(fallback.op).attr_values(attrs)
    arrays = (inputs.get(slot) for slot in fallback.slots)
    return fallback.run(*arrays, **fallback.keywords(values), **keywords)


def test_a_kernel_with_a_function_of_its_own_is_runnable() -> None:
    host = host_kernel("relu")
    assert runnable(host) is host


def test_a_plan_runs_on_the_fallback() -> None:
    text = "graph main(%x: float32[n]) { %a = relu(X=%x) : float32[n] %b = exp(X=%a) : float32[n] return %b }"
    x = np.array([-1, 2], np.float32)
    with declining("relu"):
        [result] = runtime_of(text, target=TARGET).run([x])[0]
    np.testing.assert_allclose(result, np.exp(np.maximum(x, 0)), rtol=1e-6)


def test_a_plan_runs_what_the_fallback_prepares() -> None:
    heard: list[str] = []

    def prepare(ctx: PrepareContext) -> KernelFunction:
        heard.append("prepared")
        assert ctx.scratch((4,)).shape == (4,)
        return lambda X, out: np.negative(X, out)

    @kernel("relu", "other", prepare=prepare)
    def relu(X: Array, *, out: Array | None = None) -> Array:
        raise AssertionError("prepared for all shapes")

    text = "graph main(%x: float32[2]) { %a = relu(X=%x) : float32[2] return %a }"
    try:
        with declining("relu", fallback="other"):
            runtime = runtime_of(text, target=TARGET)
            [result] = runtime.run([np.array([1, 2], np.float32)])[0]
    finally:
        unregister("relu", Place("other"))
    assert (heard, result.tolist()) == (["prepared"], [-1, -2])
    assert runtime.scratch_bytes == 64


def test_scratch_of_a_kernel_that_declines_is_not_allocated() -> None:
    @kernel("relu", TARGET, fallback=HOST)
    def greedy(ctx: PrepareContext) -> KernelFunction | None:
        ctx.scratch((1000,))
        return None

    text = "graph main(%x: float32[2]) { %a = relu(X=%x) : float32[2] return %a }"
    try:
        runtime = runtime_of(text, target=TARGET)
        runtime.run([np.array([1, 2], np.float32)])
    finally:
        unregister("relu", Place(TARGET))
    assert runtime.scratch_bytes == 0


def test_constants_are_folded_by_the_fallback() -> None:
    text = """
    graph main(%x: float32[n, 2]) {
      %s = shape(Input=%x) : int32[2]
      %t = cast(X=%s) {in_dtype=2, out_dtype=5} : float32[2]
      %r = relu(X=%t) : float32[2]
      return %r
    }
    """
    with declining("relu"):
        runtime = runtime_of(text, target=TARGET)
        segment = runtime.prepare([np.zeros((3, 2), np.float32)])
        assert segment.steps == []
        assert runtime.run([np.zeros((3, 2), np.float32)])[0][0].tolist() == [3, 2]


@pytest.mark.parametrize("is_prepared", [False, True])
@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("conv2d", {"paddings": [1, 0], "strides": [2, 1], "activation": "relu"}),
        ("conv2d_transpose", {"strides": [2, 2]}),
    ],
)
def test_a_convolution_in_nhwc_keeps_images_and_transposes_its_filter(
    op: str, attrs: dict[str, Any], is_prepared: bool
) -> None:
    inputs = {"Input": floats(1, 2, 5, 6, 7), "Filter": floats(2, 5, 5, 3, 2), "Bias": floats(3, 5)}
    expected = nhwc(call(host_kernel(op), inputs, attrs))
    images = {slot: nhwc(array) if array.ndim == 4 else array for slot, array in inputs.items()}
    with declining(op, Layout.NHWC) as entry:
        fallback = fallback_of(entry)
    if is_prepared:
        packed: dict[str, Array] = {}
        context = PrepareContext(
            {slot: [Meta.of(array)] for slot, array in images.items()},
            {"Output": [Meta.of(expected, known=False)]},
            Attributes(op, get_schema(op).attr_values(attrs)),
            lambda name, make: packed.setdefault(name, make()),
        )
        assert fallback.prepare is not None
        function = fallback.prepare(context)
        assert function is not None
        assert list(packed) == [name for name in packed if name.startswith("host ")] != []
        arrays = [images.get(slot) for slot in fallback.slots]
        result, buffer = function(*arrays), np.full_like(expected, np.nan)
        assert function(*arrays, out=buffer) is buffer
    else:
        result, buffer = call(fallback, images, attrs), np.full_like(expected, np.nan)
        assert call(fallback, images, attrs, out=buffer) is buffer
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(buffer, result)


def test_an_op_without_a_data_format_is_transposed_as_a_whole() -> None:
    inputs = {
        "X": floats(1, 2, 8, 5, 6),
        "Squeeze": floats(2, 3, 8, 1, 1),
        "Excite": floats(3, 8, 3, 1, 1),
        "GateScale": floats(4, 8),
    }
    attrs = {"squeeze_activation": "relu", "excite_activation": "sigmoid"}
    expected = nhwc(call(host_kernel("squeeze_excite"), inputs, attrs))
    images = {slot: nhwc(array) if array.ndim == 4 else array for slot, array in inputs.items()}
    with declining("squeeze_excite", Layout.NHWC) as entry:
        fallback = fallback_of(entry)
    buffer = np.full_like(expected, np.nan)
    assert call(fallback, images, attrs, out=buffer) is buffer
    for result in (call(fallback, images, attrs), buffer):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_a_fallback_in_the_same_layout_is_not_adapted() -> None:
    def pool2d(X: Array, *, data_format: str, out: Array | None = None) -> Array:
        assert data_format == "NCHW"
        return X

    kernel("pool2d", "other", layout=Layout.NHWC)(pool2d)
    try:
        with declining("pool2d", Layout.NHWC, "other") as entry:
            fallback = fallback_of(entry)
    finally:
        unregister("pool2d", Place("other", None, Layout.NHWC))
    x = floats(1, 1, 2, 3, 4)
    assert call(fallback, {"X": x}, {}) is x


def test_results_are_copied_where_the_fallback_returns_them() -> None:
    @kernel("split", "other")
    def split(X: Array, *, axis: int) -> list[Array]:
        return [X[:1], X[1:]]

    try:
        with declining("split", fallback="other") as entry:
            fallback = fallback_of(entry)
    finally:
        unregister("split", Place("other"))
    x = floats(1, 2, 3)
    buffers = [np.zeros((1, 3), np.float32), np.zeros((1, 3), np.float32)]
    assert fallback.takes_out
    assert call(fallback, {"X": x}, {"axis": 0}, out=buffers) is buffers
    np.testing.assert_array_equal(np.concatenate(buffers), x)


def test_a_fallback_for_another_dtype_is_not_taken() -> None:
    kernel("relu", "other", dtype=DType.FLOAT16)(lambda X: X)
    try:
        with (
            declining("relu", fallback="other", dtype=DType.FLOAT32) as entry,
            pytest.raises(PluginError, match="'other', which has no kernel of that op for float32 elements"),
        ):
            fallback_of(entry)
    finally:
        unregister("relu", Place("other", DType.FLOAT16))


def test_a_fallback_that_only_prepares_is_refused() -> None:
    kernel("relu", "other", fallback=HOST)(decline)
    try:
        with (
            declining("relu", fallback="other") as entry,
            pytest.raises(PluginError, match="'other', whose kernel only prepares"),
        ):
            fallback_of(entry)
    finally:
        unregister("relu", Place("other"))


def test_a_fallback_that_cannot_read_the_targets_memory_is_refused() -> None:
    register_target(TARGET, own_memory=True)
    try:
        with (
            declining("relu") as entry,
            pytest.raises(PluginError, match="'host', which does not share memory with 'declining'"),
        ):
            fallback_of(entry)
    finally:
        TARGETS.remove(TARGET)
