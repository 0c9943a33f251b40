"""The limit of a value's elements where elements of inputs give its size, and so only the run knows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.types import Array
from lite.ops import Meta
from lite.ops.image_layout import infer_in_layout
from lite.ops.shape_input import MAX_NUMBERS
from lite.ops.view import product
from lite.plugin.kernel import Kernel, KernelFunction
from lite.runtime.binding.state import Binding

SIZED_BY_ELEMENTS = frozenset(
    {
        "affine_grid",
        "bicubic_interp_v2",
        "bilinear_interp_v2",
        "broadcast_to",
        "cache_append",
        "center_crop_pad",
        "col2im",
        "conv2d_transpose",
        "cosine_window",
        "dft",
        "empty",
        "expand_v2",
        "fill_constant",
        "gaussian_random",
        "linear_interp_v2",
        "linspace",
        "max_unpool",
        "mel_weight_matrix",
        "nearest_interp_v2",
        "one_hot_v2",
        "one_hot_values",
        "pad_nd",
        "range",
        "resize",
        "sequence_mask",
        "stft",
        "tile",
        "trilinear_interp_v2",
        "uniform_random",
    }
)
"""Ops whose only result may be of any size, as elements of their inputs say."""


def within_limits(
    binding: Binding, position: int, kernel: Kernel, function: KernelFunction
) -> KernelFunction:
    """The kernel's function after a check of its result's size, which follows from its arguments.

    Raises `GraphError` for a result with more elements than the limit, before there is memory for it.
    """
    schema = binding.state.schemas[position]
    if schema.name not in SIZED_BY_ELEMENTS:
        return function
    item, limits = binding.instruction(position), binding.state.limits
    name = binding.plan.values[binding.outputs(position)[0]].name
    counts = {slot: len(indices) for slot, indices in item.outputs.items()}

    def checked(*arguments: Array | Sequence[Array] | None) -> object:
        given = zip(kernel.slots, arguments, strict=True)
        inputs = {slot: _metas(argument) for slot, argument in given if argument is not None}
        try:
            inferred = infer_in_layout(schema, item.place.layout, inputs, item.attrs, counts)
        except GraphError:
            return function(*arguments)  # it says what is wrong
        [result] = next(iter(inferred.values()))
        count = None if result.shape is None else product(result.shape)
        limits.check("elements", count or 0, name)
        if count == 0 and result.is_static:
            return np.empty(result.sizes, result.dtype.numpy)  # a kernel may yet loop over the other sizes
        return function(*arguments)

    return checked


def _metas(argument: Array | Sequence[Array]) -> list[Meta]:
    arrays = [argument] if isinstance(argument, np.ndarray) else argument
    return [Meta.of(array, known=array.size <= MAX_NUMBERS) for array in arrays]
