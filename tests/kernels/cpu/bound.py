"""Bind a kernel of the target cpu as the runtime does: compiled for its shapes, or its fallback."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.ir.types import Array, DType, Layout, Place
from lite.ops import Meta, get_schema
from lite.ops.image_layout import array_into, infer_in_layout
from lite.plugin.kernel import KERNELS, Attributes, Kernel, KernelFunction, PrepareContext, runnable
from lite.plugin.kernel.evaluation import slot_argument
from lite.plugin.kernel.fallback import fallback_of
from lite.plugin.kernel.run_context import current_threads
from lite.plugin.loader import load_kernels

Inputs = Mapping[str, Array | Sequence[Array]]
Results = tuple[Array, ...]


@dataclass(frozen=True)
class BoundKernel:
    """The function that runs for an op on `inputs`; `is_compiled` where it is not the fallback's."""

    op: str
    kernel: Kernel
    function: KernelFunction
    is_compiled: bool
    inputs: Inputs

    def __call__(self, **keywords: Any) -> Any:
        schema = get_schema(self.op)
        arrays = (
            slot_argument(schema, slot, _listed(self.inputs.get(slot, ()))) for slot in self.kernel.slots
        )
        return self.function(*arrays, **keywords)


def cpu_kernel(op: str, layout: Layout = Layout.ANY, dtype: DType | None = DType.FLOAT32) -> Kernel:
    """The kernel of target cpu for elements of a type; where there is none, that for float32 or any type.

    A kernel for any type comes before that for float32 if the type is another one.
    """
    load_kernels([op])
    others = (DType.FLOAT32, None) if dtype in (None, DType.FLOAT32) else (None, DType.FLOAT32)
    found = (KERNELS.find((op, Place("cpu", each, layout))) for each in (dtype, *others))
    return next(kernel for kernel in found if kernel is not None)


def _dtype(inputs: Inputs) -> DType:
    first = _listed(next(iter(inputs.values())))[0]
    return DType.from_numpy(first.dtype)


def bind(
    op: str,
    inputs: Inputs,
    attrs: Mapping[str, Any],
    constants: Collection[str] = (),
    *,
    layout: Layout = Layout.ANY,
    outputs: Mapping[str, int] | None = None,
    precision: str = "default",
    threads: int | None = None,
) -> BoundKernel:
    """Bind the kernel to these inputs; the slots `constants` hold constants.

    `outputs` are the numbers of outputs by slot; by default each slot has one.
    """
    schema, kernel = get_schema(op), cpu_kernel(op, layout, _dtype(inputs))
    values = schema.attr_values(attrs)
    metas = {
        slot: [Meta.of(array, known=slot in constants) for array in _listed(arrays)]
        for slot, arrays in inputs.items()
    }
    counts = dict.fromkeys(schema.outputs, 1) if outputs is None else outputs
    inferred = infer_in_layout(schema, layout, metas, values, counts)
    packed: dict[str, Array] = {}

    def shared(name: str, make: Callable[[], Array]) -> Array:
        return packed[name] if name in packed else packed.setdefault(name, make())

    attributes = Attributes(op, values)
    context = PrepareContext(metas, inferred, attributes, shared, precision, threads or current_threads())
    function = None if kernel.prepare is None else kernel.prepare(context)
    is_compiled = function is not None
    if function is None and kernel.fallback is not None:
        kernel = fallback_of(kernel)
        function = None if kernel.prepare is None else kernel.prepare(context)
    plain = functools.partial(kernel.run, **kernel.keywords(values))
    return BoundKernel(op, kernel, function or plain, is_compiled, inputs)


def bind_unprepared(
    op: str, inputs: Inputs, attrs: Mapping[str, Any], layout: Layout = Layout.ANY
) -> BoundKernel:
    """Bind the kernel that runs where nothing can be prepared."""
    kernel = runnable(cpu_kernel(op, layout, _dtype(inputs)))
    keywords = kernel.keywords(get_schema(op).attr_values(attrs))
    return BoundKernel(op, kernel, functools.partial(kernel.run, **keywords), False, inputs)


def run(
    op: str,
    inputs: Inputs,
    attrs: Mapping[str, Any],
    constants: Collection[str] = (),
    *,
    layout: Layout = Layout.ANY,
    precision: str = "default",
    tolerance: float = 1e-5,
) -> tuple[Results, bool]:
    """The outputs of an op, and whether they were compiled.

    They must be the same in new arrays and in buffers, and equal the unprepared kernel's but for rounding.
    """
    bound = bind(op, inputs, attrs, constants, layout=layout, precision=precision)
    results = as_tuple(bound())
    with np.errstate(all="ignore"):
        expected = as_tuple(bind_unprepared(op, inputs, attrs, layout)())
    for part, other in zip(results, expected, strict=True):
        assert (part.shape, part.dtype) == (other.shape, other.dtype)
        close(part, other, tolerance)
    buffers = tuple(np.full_like(part, np.nan if part.dtype.kind == "f" else 1) for part in results)
    if len(get_schema(op).outputs) > 1:
        bound(out=buffers)
    else:
        assert bound(out=buffers[0]) is buffers[0]
    for part, buffer in zip(results, buffers, strict=True):
        np.testing.assert_array_equal(buffer, part)
    return results, bound.is_compiled


def run_compiled(
    op: str, inputs: Inputs, attrs: Mapping[str, Any], constants: Collection[str] = ()
) -> Results:
    """The outputs of an op that must be compiled."""
    results, is_compiled = run(op, inputs, attrs, constants)
    assert is_compiled
    return results


def run_nchw(
    op: str,
    inputs: Mapping[str, Array],
    attrs: Mapping[str, Any],
    constants: Collection[str] = (),
    *,
    precision: str = "default",
) -> tuple[Array, bool]:
    """The only output of an op on images in NCHW, by the kernel for NHWC; whether it was compiled."""
    images = {slot: np.ascontiguousarray(array_into(array, Layout.NHWC)) for slot, array in inputs.items()}
    [result], is_compiled = run(
        op, images, attrs, constants, layout=Layout.NHWC, precision=precision, tolerance=1e-3
    )
    return array_into(result, Layout.NCHW), is_compiled


def close(result: Array, expected: Array, tolerance: float = 1e-5) -> None:
    """Assert equality up to `tolerance` times the largest finite element, and equal infinities and NaN."""
    assert result.shape == expected.shape
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-3)
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * scale)


def floats(seed: int, *shape: int) -> Array:
    """Numbers around 0."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def as_tuple(returned: Any) -> Results:
    """The results of a kernel as a tuple, also if it returns one array."""
    return returned if isinstance(returned, tuple) else (returned,)


def _listed(arrays: Array | Sequence[Array]) -> Sequence[Array]:
    return [arrays] if isinstance(arrays, np.ndarray) else arrays
