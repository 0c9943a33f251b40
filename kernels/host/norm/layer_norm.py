"""layer_norm, and Paddle's fused ops that contain a layer_norm.

J. L. Ba et al., "Layer Normalization", 2016.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.compute_dtype import compute_dtype
from lite.kernels.host.index.gather import lookup_table_v2
from lite.kernels.host.norm.standardize import scale_and_shift, standardize, standardize_workspace
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write, write_all


@dataclass(frozen=True)
class _Attributes:
    epsilon: float
    begin_norm_axis: int

    def matrix(self, shape: Sequence[int]) -> tuple[int, int]:
        """The shape with the normalised axes as columns and the others as rows."""
        begin = self.begin_norm_axis
        return math.prod(shape[:begin]), math.prod(shape[begin:])


def _prepare_layer_norm(ctx: PrepareContext) -> KernelFunction | None:
    x, attrs = ctx.inputs["X"][0], ctx.attrs.read(_Attributes)
    size = standardize_workspace(*attrs.matrix(x.sizes))
    workspace = ctx.scratch((size,), compute_dtype(x.dtype.numpy))

    def run(
        X: Array, Scale: Array | None, Bias: Array | None, *, out: tuple[Array | None, ...] | None = None
    ) -> tuple[Array, ...]:
        return layer_norm(X, Scale, Bias, attrs=attrs, out=out, workspace=workspace.array)

    return run


def layer_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    attrs: _Attributes,
    out: tuple[Array | None, ...] | None = None,
    workspace: Array | None = None,
) -> tuple[Array, ...]:
    """Paddle layer_norm: ``(X − mean) / sqrt(variance + epsilon) · Scale + Bias``; floats.

    The mean and variance are those of the axes from `begin_norm_axis` on.  These axes have m elements, the
    others n: Scale and Bias are ``[m]``, Mean and Variance ``[n]``.
    """
    matrix = attrs.matrix(X.shape)
    target = out[0] if out else None
    if target is not None and target.flags.c_contiguous and compute_dtype(X.dtype) == X.dtype:
        rows = target.reshape(matrix)
    else:
        rows = None
    result, mean, variance = standardize(X.reshape(matrix), attrs.epsilon, rows, workspace)
    scale_and_shift(result, Scale, Bias, (1, matrix[1]))
    if target is None or rows is None:
        target = result.reshape(X.shape).astype(X.dtype, copy=False)
    return write_all(out, target, mean, variance)


@kernel("layer_norm", attrs=_Attributes, prepare=_prepare_layer_norm)
def _layer_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    attrs: _Attributes,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    return layer_norm(X, Scale, Bias, attrs=attrs, out=out)


def _prepare_skip_layernorm(ctx: PrepareContext) -> KernelFunction | None:
    x, attrs = ctx.inputs["X"][0], ctx.attrs.read(_Attributes)
    if compute_dtype(x.dtype.numpy) != x.dtype.numpy or ctx.inputs["Y"][0].dtype is not x.dtype:
        return None
    # X or Y may be the smaller one.
    matrix = attrs.matrix(ctx.outputs["Out"][0].sizes)
    workspace = ctx.scratch((standardize_workspace(*matrix),), x.dtype.numpy)

    def run(
        X: Array, Y: Array, Scale: Array | None, Bias: Array | None, *, out: Array | None = None
    ) -> Array:
        total = np.add(X, Y, out=out)
        rows = total.reshape(matrix)
        standardize(rows, attrs.epsilon, rows, workspace.array)
        scale_and_shift(rows, Scale, Bias, (1, matrix[1]))
        return total

    return run


@kernel("skip_layernorm", attrs=_Attributes, prepare=_prepare_skip_layernorm)
def skip_layernorm(
    X: Array,
    Y: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    attrs: _Attributes,
    out: Array | None = None,
) -> Array:
    """Paddle skip_layernorm: layer_norm of X + Y."""
    total = X + Y.astype(X.dtype, copy=False)
    return write(out, layer_norm(total, Scale, Bias, attrs=attrs)[0])


@kernel("fused_embedding_eltwise_layernorm")
def fused_embedding_eltwise_layernorm(
    Ids: list[Array],
    Embs: list[Array],
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    out: Array | None = None,
) -> Array:
    """Paddle fused_embedding_eltwise_layernorm: layer_norm over the last axis of a sum of embeddings.

    Each tensor of Ids, ``int[…]``, selects rows of its table in Embs, ``float[n, width]``.
    """
    total = lookup_table_v2(Embs[0], Ids[0], padding_idx=-1)
    for table, ids in zip(Embs[1:], Ids[1:], strict=True):
        total = total + lookup_table_v2(table, ids, padding_idx=-1)
    return write(out, layer_norm(total, Scale, Bias, attrs=_Attributes(epsilon, total.ndim - 1))[0])
