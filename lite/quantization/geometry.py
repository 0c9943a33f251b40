"""Geometry: how the weights of a layer meet the elements of its activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import Array


@dataclass(frozen=True)
class Geometry:
    """Windows over images ``[N, C, H, W]``, in pairs for height and width.

    `pads` are those at the top, bottom, left and right.  A matrix product has no `kernel`.
    """

    kernel: tuple[int, int] | None = None
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1

    def rows(self, array: Array, most: int, rng: np.random.Generator) -> Array:
        """At most `most` of the vectors that are multiplied by weights: ``float32[groups, rows, K]``."""
        if self.kernel is None:
            flat = array.reshape(1, -1, array.shape[-1])
            chosen = _chosen(flat.shape[1], most, rng)
            return flat[:, chosen]
        top, bottom, left, right = self.pads
        padded = np.pad(array, ((0, 0), (0, 0), (top, bottom), (left, right)))
        reach = [(size - 1) * step + 1 for size, step in zip(self.kernel, self.dilations, strict=True)]
        windows = sliding_window_view(padded, reach, axis=(2, 3))
        windows = windows[
            :, :, :: self.strides[0], :: self.strides[1], :: self.dilations[0], :: self.dilations[1]
        ]
        batch, _, height, width = windows.shape[:4]
        image, y, x = np.unravel_index(_chosen(batch * height * width, most, rng), (batch, height, width))
        picked = windows[image, :, y, x]
        grouped = picked.reshape(len(picked), self.groups, -1)
        return grouped.transpose(1, 0, 2)

    def matrices(self, weight: Array, axis: int) -> Array | None:
        """The weight as ``[groups, outputs, K]``, in the order of `rows`; None if there is no such form."""
        if self.kernel is not None:
            return weight.reshape(self.groups, weight.shape[0] // self.groups, -1) if axis == 0 else None
        if weight.ndim != 2 or axis not in (0, 1):
            return None
        return (weight.T if axis == 1 else weight)[None]

    def partners(self, size: int) -> Array:
        """The weights of an output of `size` that libraries may pair with each: ``[size, 2]``.

        Indices are in the order of `matrices`; `size` itself stands for none.  Pairs are neighbours where the
        channels are stored last; `lite.plugin.device.short_sums` describes them.
        """
        taps = 1 if self.kernel is None else self.kernel[0] * self.kernel[1]
        channels = size // taps
        none = np.full((size, 2), size)
        if channels == 1 and self.groups > 1:
            return none
        order = np.arange(size).reshape(channels, taps).T.reshape(-1)
        places = np.arange(size)
        before, after = (np.where((places + n >= 0) & (places + n < size), places + n, -1) for n in (-1, 1))
        if channels % 2 == 0:
            is_first = places % 2 == 0
            before, after = np.where(is_first, -1, before), np.where(is_first, after, -1)
        named = np.append(order, size)
        none[order] = np.stack([named[before], named[after]], 1)
        return none

    def weight(self, matrices: Array, like: Array, axis: int) -> Array:
        """The inverse of `matrices`."""
        if self.kernel is not None:
            return matrices.reshape(like.shape)
        return np.ascontiguousarray(matrices[0].T) if axis == 1 else matrices[0]


def _chosen(count: int, most: int, rng: np.random.Generator) -> Array:
    return np.arange(count) if count <= most else rng.choice(count, most, replace=False)


def paddle_geometry(op: str, shape: Sequence[int], attrs: Mapping[str, AttrValue]) -> Geometry | None:
    """The geometry of a layer of a program; None if it is not known."""
    if op in ("conv2d", "depthwise_conv2d"):
        plain = attrs.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
        if not plain or attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout"):
            return None
        pads = _integers(attrs.get("paddings", [0, 0]))
        pads = [pads[0], pads[0], pads[1], pads[1]] if len(pads) == 2 else pads
        return _window(shape, attrs, pads, attrs.get("groups", 1))
    if op == "mul":
        return Geometry() if attrs.get("x_num_col_dims", 1) != 0 and len(shape) == 2 else None
    transposed = any(attrs.get(name) for name in ("trans_x", "transpose_X"))
    return Geometry() if op in ("matmul", "matmul_v2") and not transposed else None


def onnx_geometry(op: str, shape: Sequence[int], attrs: Mapping[str, AttrValue]) -> Geometry | None:
    """The geometry of a node of an ONNX model; None if it is not known."""
    if op == "Conv":
        if len(shape) != 4 or attrs.get("auto_pad", "NOTSET") != "NOTSET":
            return None
        pads = _integers(attrs.get("pads", [0, 0, 0, 0]))
        return _window(shape, attrs, [pads[0], pads[2], pads[1], pads[3]], attrs.get("group", 1))
    return Geometry() if op == "MatMul" or (op == "Gemm" and not attrs.get("transA")) else None


def _window(
    shape: Sequence[int], attrs: Mapping[str, AttrValue], pads: Sequence[int], groups: AttrValue
) -> Geometry | None:
    strides, dilations = (_integers(attrs.get(name, [1, 1])) for name in ("strides", "dilations"))
    if len(shape) != 4 or len(pads) != 4 or not isinstance(groups, int):
        return None
    return Geometry(
        (shape[2], shape[3]),
        (strides[0], strides[1]),
        (pads[0], pads[1], pads[2], pads[3]),
        (dilations[0], dilations[1]),
        groups,
    )


def _integers(value: AttrValue) -> list[int]:
    return [each for each in value if isinstance(each, int)] if isinstance(value, list) else []
