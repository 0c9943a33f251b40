"""conv2d and depthwise_conv2d on the host: picks one of four algorithms and packs the filter for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lite.kernels.host.conv2d_depthwise import depthwise
from lite.kernels.host.conv2d_im2col import im2col
from lite.kernels.host.conv2d_pointwise import pointwise
from lite.kernels.host.conv2d_taps import taps
from lite.kernels.host.convolution import Convolution, Sums, packed_filter
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel


@dataclass(frozen=True)
class _Algorithm:
    """How to compute for certain shapes; `name` says how `pack` lays the filter out."""

    name: str
    pack: Callable[[Array], Array]
    sums: Sums


def _choose(
    inputs: int, filter_shape: Sequence[int], groups: int, found: Sequence[Window], width: int
) -> _Algorithm:
    outputs, per_group, rows, columns = filter_shape
    grouped = (groups, outputs // groups, per_group * rows * columns)
    unit_stride = all(w.stride == 1 for w in found)
    if rows == columns == 1 and not any(w.before or w.after for w in found):
        down, right = (w.stride for w in found)
        return _Algorithm(
            "grouped",
            lambda weight: weight.reshape(grouped),
            lambda x, weight, out, epilogue: pointwise(x[:, :, ::down, ::right], weight, out, epilogue),
        )
    if groups == inputs and per_group == 1:
        return _Algorithm(
            "depthwise",
            lambda weight: weight.reshape(outputs, rows, columns),
            lambda x, weight, out, epilogue: depthwise(x, weight, found, out, epilogue),
        )
    if unit_stride and groups == 1 and inputs >= 16 and outputs <= inputs and 2 * found[1].extent <= width:
        return _Algorithm(
            "taps",
            lambda weight: weight.transpose(2, 3, 0, 1).reshape(rows, columns * outputs, inputs),
            lambda x, weight, out, epilogue: taps(x, weight, found, out, epilogue),
        )
    return _Algorithm(
        "grouped",
        lambda weight: weight.reshape(grouped),
        lambda x, weight, out, epilogue: im2col(x, weight, found, out, epilogue),
    )


def _bind(
    conv: Convolution, shape: Sequence[int], filter_shape: Sequence[int]
) -> tuple[_Algorithm, list[int]]:
    batch, inputs, *sizes = conv.nchw(shape)
    found = conv.windows(sizes, filter_shape[2:])
    outs = [int(w.out(size)) for w, size in zip(found, sizes, strict=True)]
    algorithm = _choose(inputs, filter_shape, conv.groups, found, outs[1])
    return algorithm, [batch, filter_shape[0], *outs]


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    weight = ctx.constant("Filter")
    shape = ctx.inputs["Input"][0].shape
    if weight is None or shape is None:
        return None
    conv = Convolution.of(ctx.attrs)
    algorithm, out_shape = _bind(conv, [int(dim) for dim in shape], weight.shape)
    packed = ctx.shared(f"filter {algorithm.name}", lambda: packed_filter(algorithm.pack(weight)))

    def run(
        Input: Array,
        Filter: Array,
        Bias: Array | None,
        ResidualData: Array | None,
        PostScale: Array | None,
        PostShift: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        epilogue = conv.epilogue(Bias, ResidualData, PostScale, PostShift)
        return conv.run(algorithm.sums, out_shape, Input, packed, epilogue, out)

    return run


def _conv2d(
    Input: Array,
    Filter: Array,
    Bias: Array | None,
    ResidualData: Array | None,
    PostScale: Array | None,
    PostShift: Array | None,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
    activation: str,
    activation_params: Sequence[float],
    fuse_relu: bool,
    fuse_activation: str,
    out: Array | None = None,
) -> Array:
    """Cross-correlation of an image ``[N, C, H, W]`` (or NHWC) with a filter ``[O, C/groups, kh, kw]``."""
    conv = Convolution(
        strides,
        paddings,
        padding_algorithm,
        dilations,
        groups,
        data_format,
        activation,
        activation_params,
        fuse_relu,
        fuse_activation,
    )
    algorithm, out_shape = _bind(conv, Input.shape, Filter.shape)
    packed = packed_filter(algorithm.pack(Filter))
    epilogue = conv.epilogue(Bias, ResidualData, PostScale, PostShift)
    return conv.run(algorithm.sums, out_shape, Input, packed, epilogue, out)


for _op in ("conv2d", "depthwise_conv2d"):
    kernel(_op, prepare=_prepare, packs=("Filter",))(_conv2d)
