"""Run a compiled kernel as the runtime does: prepared for its shapes, in its layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType, Layout, Place
from lite.ops import Meta, get_schema, infer
from lite.ops.image_layout import array_into, meta_into
from lite.plugin.kernel import KERNELS, Kernel, PrepareContext
from lite.plugin.loader import load_kernels


def compiled_kernel(op: str, layout: Layout = Layout.NHWC) -> Kernel:
    """The kernel of target cpu."""
    load_kernels([op])
    return KERNELS.get((op, Place("cpu", DType.FLOAT32, layout)))


def run_nchw(
    op: str,
    inputs: Mapping[str, Array],
    attrs: Mapping[str, AttrValue],
    constants: Sequence[str] = (),
    *,
    precision: str = "default",
) -> tuple[Array, bool]:
    """The only output of an op on images in NCHW, by the kernel for NHWC; whether it was prepared.

    What the kernel computes unprepared must be the same but for rounding, and be written where it is told.
    """
    schema, kernel = get_schema(op), compiled_kernel(op)
    values = schema.attr_values(attrs)
    images = {slot: [Meta.of(array, known=slot in constants)] for slot, array in inputs.items()}
    (output,) = schema.outputs
    out = infer(schema, images, values, {output: 1})[output][0]
    laid = {slot: np.ascontiguousarray(array_into(array, Layout.NHWC)) for slot, array in inputs.items()}
    metas = {slot: [Meta.of(array, known=slot in constants)] for slot, array in laid.items()}
    made: dict[str, Array] = {}

    def shared(name: str, make: Callable[[], Array]) -> Array:
        return made.setdefault(name, make())

    assert kernel.prepare is not None
    context = PrepareContext(metas, {output: [meta_into(out, Layout.NHWC)]}, values, shared, precision)
    run = kernel.prepare(context)
    arguments: list[Any] = [laid.get(slot) for slot in kernel.slots]
    plain: Array = kernel.run(*arguments, **{name: values[name] for name in kernel.attrs})
    if run is None:
        return array_into(plain, Layout.NCHW), False
    result: Array = run(*arguments)
    buffer = np.full_like(result, np.nan)
    assert run(*arguments, out=buffer) is buffer
    np.testing.assert_array_equal(buffer, result)
    scale = float(np.abs(plain).max(initial=0.0, where=~np.isnan(plain)))
    np.testing.assert_allclose(result, plain, rtol=0, atol=1e-3 * max(scale, 1e-3))
    turned = array_into(result, Layout.NCHW)
    assert turned.shape == out.shape
    return turned, True


def floats(seed: int, *shape: int) -> Array:
    """Numbers around 0."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
