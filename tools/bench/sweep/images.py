"""Cases of ops on images and signals: convolutions, pooling, resizing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lite.tools.bench.sweep.case import Build, Case, Model, chain


def image_cases() -> Iterator[Case]:
    """All of them."""
    yield from _convolutions()
    yield from _transposed()
    yield from _pooling()
    yield from _resizing()


def _convolution(
    sizes: Sequence[int],
    channels: int,
    out: int,
    kernel: Sequence[int],
    *,
    groups: int = 1,
    stride: int = 1,
    dilation: int = 1,
    pads: Sequence[int] | None = None,
) -> Build:
    """A chain of three where the result has the shape of the input: networks rarely have one alone."""
    axes = len(sizes)
    before = [(k - 1) * dilation // 2 for k in kernel] if pads is None else [*pads]
    keeps = channels == out and stride == 1 and pads is None and all(k % 2 for k in kernel)

    def step(model: Model, value: str) -> str:
        weight = model.weight(out, channels // groups, *kernel)
        return model.op(
            "Conv", value, weight, model.weight(out), group=groups, strides=[stride] * axes,
            dilations=[dilation] * axes, pads=[*before, *before],
        )  # fmt: skip

    return lambda model: chain(model, model.input(1, channels, *sizes), 3 if keeps else 1, step)


def _convolutions() -> Iterator[Case]:
    rows: list[tuple[str, str, Build]] = []

    def add(family: str, sizes: Sequence[int], channels: int, out: int, *kernel: int, **more: Any) -> None:
        said = " ".join(f"{name} {value}" for name, value in more.items())
        text = f"{channels}→{out}, {'×'.join(map(str, kernel))} on {'×'.join(map(str, sizes))} {said}".strip()
        rows.append((family, text, _convolution(sizes, channels, out, kernel, **more)))

    for channels, size in ((64, 56), (128, 28), (256, 14), (512, 7)):
        add("conv2d", (size, size), channels, channels, 3, 3)
    for channels, out, size in (
        (64, 256, 56),
        (256, 64, 56),
        (1024, 256, 14),
        (2048, 512, 7),
        (320, 1280, 7),
    ):
        add("conv2d 1×1", (size, size), channels, out, 1, 1)
    add("conv2d", (224, 224), 3, 64, 7, 7, stride=2)
    add("conv2d", (224, 224), 3, 32, 3, 3, stride=2)
    add("conv2d", (28, 28), 128, 256, 3, 3, stride=2)
    add("conv2d", (224, 224), 3, 768, 16, 16, stride=16, pads=(0, 0))
    add("conv2d", (64, 64), 16, 16, 1, 15)
    add("conv2d", (256, 256), 64, 3, 3, 3)
    add("conv2d", (320, 320), 8, 8, 3, 3)
    add("dilated", (20, 20), 256, 256, 3, 3, dilation=2)
    add("dilated", (20, 20), 256, 256, 3, 3, dilation=12)
    add("dilated", (20, 20), 256, 256, 3, 3, dilation=24)
    add("grouped", (14, 14), 256, 256, 3, 3, groups=32)
    add("grouped", (28, 28), 116, 116, 1, 1, groups=2)
    add("grouped", (28, 28), 64, 64, 3, 3, groups=16)
    add("depthwise", (112, 112), 32, 32, 3, 3, groups=32)
    add("depthwise", (56, 56), 144, 144, 3, 3, groups=144, stride=2)
    add("depthwise", (7, 7), 960, 960, 5, 5, groups=960)
    add("depthwise", (56, 56), 96, 96, 7, 7, groups=96)
    add("depthwise", (14, 14), 64, 128, 3, 3, groups=64)
    add("conv1d", (1000,), 64, 64, 3)
    add("conv1d", (2000,), 32, 32, 7, dilation=3)
    add("conv1d", (16000,), 1, 512, 10, stride=5)
    add("conv1d", (3000,), 80, 384, 3)
    add("conv1d", (44100,), 1, 160, 475, stride=147)
    add("conv1d", (48000,), 1, 1, 401)
    add("conv1d", (500,), 256, 256, 31, groups=256)
    add("conv1d", (200,), 1024, 1024, 4, groups=1024)
    add("conv1d", (100,), 512, 512, 5)
    add("conv3d", (8, 28, 28), 32, 32, 3, 3, 3)
    add("conv3d", (13, 28, 28), 54, 54, 3, 3, 3, groups=54)
    add("conv3d", (8, 28, 28), 64, 64, 1, 3, 3, pads=(0, 1, 1))
    add("conv3d", (16, 56, 56), 3, 24, 1, 3, 3, stride=2, pads=(0, 1, 1))
    add("conv3d", (16, 28, 28), 24, 24, 5, 1, 1, groups=24)
    add("conv3d", (8, 14, 14), 96, 216, 1, 1, 1)
    for family, name, build in rows:
        yield Case(family, name, build)

    def computed(model: Model) -> str:
        return model.op("Conv", model.input(1, 64, 28, 28), model.input(64, 64, 3, 3), pads=[1] * 4)

    yield Case("conv2d", "64→64, 3×3 on 28×28, computed filter", computed)

    def clipped(model: Model) -> str:
        x = model.input(1, 32, 56, 56)
        limits = model.weight(of=np.array(0, np.float32)), model.weight(of=np.array(6, np.float32))
        for out, source in ((192, 32), (32, 192)):
            x = model.op("Clip", model.op("Conv", x, model.weight(out, source, 1, 1)), *limits)
        return x

    yield Case("conv2d 1×1", "32→192→32 on 56×56 with Clip(0, 6)", clipped)


def _transposed() -> Iterator[Case]:
    for sizes, channels, out, kernel, stride, pad in (
        ((28, 28), 64, 32, 4, 2, 1),
        ((32, 32), 64, 64, 2, 2, 0),
        ((28, 28), 32, 32, 3, 2, 1),
        ((100,), 256, 128, 16, 8, 4),
        ((400,), 64, 32, 4, 2, 1),
    ):

        def build(
            model: Model, s: Any = sizes, c: int = channels, o: int = out, k: int = kernel, t: int = stride,
            p: int = pad,
        ) -> str:  # fmt: skip
            weight, axes = model.weight(c, o, *[k] * len(s)), len(s)
            return model.op(
                "ConvTranspose", model.input(1, c, *s), weight, strides=[t] * axes, pads=[p] * 2 * axes
            )

        size = "×".join(map(str, sizes))
        yield Case("transposed conv", f"{channels}→{out}, {kernel} stride {stride} on {size}", build)


def _pooling() -> Iterator[Case]:
    for kind, shape, attributes in (
        ("MaxPool", (1, 64, 112, 112), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}),
        ("MaxPool", (1, 256, 20, 20), {"kernel_shape": [5, 5], "pads": [2] * 4}),
        ("AveragePool", (1, 128, 28, 28), {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("AveragePool", (1, 64, 28, 28), {"kernel_shape": [3, 3], "pads": [1] * 4}),
        ("MaxPool", (1, 64, 1000), {"kernel_shape": [3], "strides": [2]}),
        ("AveragePool", (1, 64, 1000), {"kernel_shape": [4], "strides": [4]}),
        ("MaxPool", (1, 32, 8, 28, 28), {"kernel_shape": [2] * 3, "strides": [2] * 3}),
        ("AveragePool", (1, 32, 8, 28, 28), {"kernel_shape": [8, 28, 28]}),
        ("GlobalAveragePool", (1, 1280, 7, 7), {}),
        ("GlobalAveragePool", (1, 64, 56, 56), {}),
        ("GlobalMaxPool", (1, 64, 56, 56), {}),
    ):

        def build(model: Model, k: str = kind, s: Any = shape, a: Any = attributes) -> str:
            return model.op(k, model.input(*s), **a)

        window = attributes.get("kernel_shape", [])
        yield Case("pooling", f"{kind} {'×'.join(map(str, window))} on {list(shape)}", build)


def _resizing() -> Iterator[Case]:
    for mode, transform, shape, scale in (
        ("nearest", "asymmetric", (1, 64, 28, 28), 2.0),
        ("linear", "half_pixel", (1, 64, 28, 28), 2.0),
        ("linear", "align_corners", (1, 256, 20, 20), 4.0),
        ("linear", "half_pixel", (1, 3, 256, 256), 0.5),
        ("linear", "half_pixel", (1, 21, 33, 33), 8.0),
        ("cubic", "half_pixel", (1, 16, 32, 32), 2.0),
        ("linear", "half_pixel", (1, 64, 500), 2.0),
        ("nearest", "asymmetric", (1, 64, 500), 2.0),
        ("nearest", "asymmetric", (1, 16, 8, 14, 14), 2.0),
    ):

        def build(model: Model, m: str = mode, t: str = transform, s: Any = shape, f: float = scale) -> str:
            scales = model.weight(of=np.array([1, 1, *[f] * (len(s) - 2)], np.float32))
            more: dict[str, Any] = {"nearest_mode": "floor"} if m == "nearest" else {}
            return model.op(
                "Resize", model.input(*s), "", scales, mode=m, coordinate_transformation_mode=t, **more
            )

        yield Case("resize", f"{mode} {transform} × {scale:g} of {list(shape)}", build)
    for mode in ("linear", "nearest", "cubic"):

        def sample(model: Model, m: str = mode) -> str:
            grid = np.random.default_rng(0).uniform(-1.1, 1.1, (1, 64, 64, 2)).astype(np.float32)
            return model.op("GridSample", model.input(1, 32, 64, 64), model.input(of=grid), mode=m)

        yield Case("sampling", f"GridSample {mode} of 32×64×64", sample)

    def rois(model: Model) -> str:
        corners = np.random.default_rng(0).uniform(0, 200, (50, 4)).astype(np.float32)
        boxes = np.concatenate(
            [np.minimum(corners[:, :2], corners[:, 2:]), corners.max() + corners[:, :2]], 1
        )
        index = model.input(of=np.zeros(50, np.int64))
        return model.op(
            "RoiAlign", model.input(1, 64, 50, 50), model.input(of=boxes), index, output_height=7,
            output_width=7, sampling_ratio=2, spatial_scale=0.125,
        )  # fmt: skip

    yield Case("sampling", "RoiAlign 7×7 of 50 boxes, 64×50×50", rois)
