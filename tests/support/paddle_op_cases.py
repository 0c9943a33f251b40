"""Expressions of Paddle's functions whose results `tests.record_paddle_ops` records, and their inputs.

An input is a word: a letter for its values, and a digit for each size, such as ``f34``.  ``f`` is float32
from -2 to 2, ``p`` float32 from 0.05 to 0.95, ``d`` float64, ``i`` int64 from 0 to 3, ``j`` int32 from -6 to
6, ``b`` bool, ``s`` float32 that ascends along the last axis, and ``x`` boxes of 4 numbers.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

_F, _V, _L = "paddle.nn.functional", "paddle.vision.ops", "paddle.linalg"
_POSITIVE = "x @ x.T + paddle.eye(3)"

CASES: dict[str, tuple[str, str]] = {
    "all_of_numbers": ("paddle.all(x, axis=1), paddle.any(y)", "j34 d34"),
    "as_complex": ("paddle.as_real(paddle.as_complex(x) * paddle.as_complex(y))", "f342 f342"),
    "baddbmm": ("paddle.baddbmm(x, y, z, beta=0.5, alpha=2.0)", "f235 f234 f245"),
    "addmm": ("paddle.addmm(x, y, z, beta=0.5, alpha=2.0)", "f35 f34 f45"),
    "bilinear": (f"{_F}.bilinear(x, y, z)", "f34 f35 f245"),
    "bincount": ("paddle.bincount(x, minlength=6), paddle.bincount(x, weights=y)", "i9 f9"),
    "bce_loss": (f"{_F}.binary_cross_entropy(x, y, reduction='none')", "p34 p34"),
    "broadcast_tensors": ("paddle.broadcast_tensors([x, y])", "f31 f14"),
    "channel_shuffle": (f"{_F}.channel_shuffle(x, 2), {_F}.channel_shuffle(y, 3, 'NHWC')", "f1423 f1236"),
    "cholesky": (f"{_L}.cholesky({_POSITIVE})", "f33"),
    "cholesky_solve": (f"{_L}.cholesky_solve(y, {_L}.cholesky({_POSITIVE}))", "f33 f32"),
    "complex_parts": (
        "[f(paddle.complex(x, y)) for f in (paddle.real, paddle.imag, paddle.angle, paddle.abs)]",
        "f34 f34",
    ),
    "conv3d_last": (f"{_F}.conv3d(x, y, padding=1, data_format='NDHWC')", "f13342 f32222"),
    "conj": ("paddle.as_real(paddle.conj(paddle.as_complex(x)))", "f342"),
    "copysign": ("paddle.copysign(x, y), paddle.nextafter(x, y)", "f34 f34"),
    "cross": ("paddle.cross(x, y), paddle.cross(x, y, axis=0)", "f33 f33"),
    "cross_entropy": (f"{_F}.softmax_with_cross_entropy(x, y, return_softmax=True)", "f34 i31"),
    "cross_entropy_soft": (f"{_F}.cross_entropy(x, y, soft_label=True, reduction='none')", "f34 p34"),
    "cummax": ("paddle.cummax(x, axis=1), paddle.cummin(x, axis=0, dtype='int32')", "f36"),
    "det": (f"{_L}.det(x), {_L}.slogdet(x)", "f233"),
    "diag": ("paddle.diag(x, 1), paddle.diag(x, padding_value=2.0), paddle.diag(y, -1)", "f3 f34"),
    "diag_embed": ("paddle.diag_embed(x, 1, 0, 2)", "f34"),
    "diagonal": ("paddle.diagonal(x, 1, 0, 2), paddle.trace(x, -1, 1, 2)", "f345"),
    "diagonal_scatter": ("paddle.diagonal_scatter(x, y)", "f34 f3"),
    "digamma": ("paddle.digamma(x), paddle.lgamma(x), paddle.erfinv(x), paddle.i0(x), paddle.i0e(x)", "p34"),
    "dist": ("paddle.dist(x, y, 3.0), paddle.dot(x, y), paddle.kron(x, y)", "f34 f34"),
    "eigh": (f"paddle.abs({_L}.eigh(x + x.T)[1])", "f33"),
    "eigvalsh": (f"{_L}.eigvalsh(x + x.T)", "f33"),
    "exp_of_integers": ("paddle.exp(x)", "i34"),
    "eye": ("x + paddle.eye(3, 4)", "f34"),
    "fft": ("paddle.as_real(paddle.fft.fft(x)), paddle.as_real(paddle.fft.rfft2(x, norm='ortho'))", "f36"),
    "fft_inverse": ("paddle.fft.irfft2(paddle.fft.rfft2(x)), paddle.fft.irfft(paddle.fft.rfft(x), 7)", "f46"),
    "fft_of_halves": ("paddle.fft.hfft(x), paddle.as_real(paddle.fft.ihfft(x, norm='forward'))", "f36"),
    "fft_pairs": ("paddle.as_real(paddle.fft.ifftn(paddle.fft.fftn(x, norm='forward')))", "f345"),
    "fill_diagonal": ("paddle._C_ops.fill_diagonal(x, 2.0, 1, False)", "f34"),
    "fmax": ("paddle.fmax(x, y), paddle.fmin(x, y), paddle.heaviside(x, y)", "f34 f4"),
    "fold": (f"{_F}.fold(x, [5, 6], 3, strides=2, paddings=1)", "f299"),
    "frame": ("paddle.signal.stft(x, 6, 2).abs()", "f29"),
    "frobenius_norm": (f"{_L}.norm(x, 'fro', [0, 1])", "f34"),
    "gather_pairs": ("x[[0, 2], :, [1, 0]]", "f342"),
    "grid_sample_volume": (f"{_F}.grid_sample(x, y, padding_mode='border')", "f12345 f12233"),
    "histogram": ("paddle.histogram(x, 5, -1, 1)", "f56"),
    "huber_loss": (f"{_F}.smooth_l1_loss(x, y, 'none', 0.5)", "f34 f34"),
    "index_add": ("paddle.index_add(x, y, 0, z)", "f44 i3 f34"),
    "index_put": ("paddle.index_put(x, (y, z), w), paddle.index_put(x, (y, z), w, True)", "f44 i3 i3 f3"),
    "index_sample": ("paddle.index_sample(x, y)", "f34 i32"),
    "isclose": ("paddle.isclose(x, x + 1e-6), paddle.allclose(x, y), paddle.equal_all(x, x)", "f34 f34"),
    "istft": ("paddle.signal.istft(paddle.signal.stft(x, 8, 2), 8, 2)", "f29"),
    "kldiv_loss": (f"{_F}.kl_div(x, y, 'batchmean'), {_F}.kl_div(x, y, 'none')", "f34 p34"),
    "kthvalue": ("paddle.kthvalue(x, 2, 1), paddle.kthvalue(x, 3, 0, True)", "f35"),
    "label_smooth": (f"{_F}.label_smooth(x), {_F}.log_loss(y, y)", "p34 p31"),
    "lerp": ("paddle.lerp(x, y, 0.3), paddle.lerp(x, y, z)", "f34 f34 p4"),
    "logcumsumexp": ("paddle.logcumsumexp(x, 1), paddle.logcumsumexp(x)", "f34"),
    "logit": ("paddle.logit(x), paddle.logit(x, 0.3), paddle.stanh(x)", "p34"),
    "logspace": ("x * paddle.logspace(0, 2, 5)", "f5"),
    "lp_pool": (f"{_F}.lp_pool2d(x, 2.0, 2)", "p1256"),
    "lu": (f"{_L}.lu(x)", "f33"),
    "masked_fill": ("paddle.masked_fill(x, y, z)", "f34 b4 f1"),
    "masked_select": ("paddle.masked_select(x, y), x[x > 0]", "f34 b34"),
    "matrix_power": (f"{_L}.matrix_power(x, 3), {_L}.matrix_power({_POSITIVE}, -2)", "f33"),
    "max_pool_ceil": (f"{_F}.max_pool2d(x, 3, 2, 1, True, True)", "f1256"),
    "max_pool3d_places": (f"{_F}.max_pool3d(x, 2, return_mask=True)", "f12454"),
    "max_pool3d_bins": (f"{_F}.adaptive_max_pool3d(x, [2, 3, 2], True)", "f12454"),
    "max_unpool": (f"{_F}.max_unpool2d(*{_F}.max_pool2d(x, 2, return_mask=True), 2)", "f1246"),
    "max_unpool3d": (f"{_F}.max_unpool3d(*{_F}.max_pool3d(x, 2, return_mask=True), 2)", "f12464"),
    "maxout": (f"{_F}.maxout(x, 2), {_F}.maxout(x, 2, -1)", "f1434"),
    "median": ("paddle.median(x, 1), paddle.median(x), paddle.median(x, 0, True, 'min')", "f34"),
    "mode": ("paddle.mode(x, 1)", "i36"),
    "multi_dot": (f"{_L}.multi_dot([x, y, z]), paddle.mv(x, w)", "f23 f34 f42 f3"),
    "multiplex": ("paddle.multiplex([x, y], z % 2)", "f34 f34 j31"),
    "nanmedian": ("paddle.nanmedian(x, 1), paddle.nanmedian(x, [0, 2], True)", "f345"),
    "nll_loss": (f"{_F}.nll_loss(x, y)", "f34 i3"),
    "nms": (f"{_V}.nms(x, 0.3), {_V}.nms(x, 0.3, y)", "x9 p9"),
    "pixel_shuffle_last": (f"{_F}.pixel_shuffle(x, 2, 'NHWC')", "f1238"),
    "pixel_unshuffle": (f"{_F}.pixel_unshuffle(x, 2), {_F}.pixel_unshuffle(y, 2, 'NHWC')", "f1246 f1463"),
    "pool3d": (
        (
            f"{_F}.max_pool3d(x, 3, 2, 1, True), {_F}.avg_pool3d(x, 3, 2, 1), "
            f"{_F}.adaptive_avg_pool3d(x, [2, 3, 2])"
        ),
        "f12565",
    ),
    "pool3d_uneven": (
        f"{_F}.avg_pool3d(x, 2, 2, [[0, 0], [0, 0], [1, 0], [0, 1], [1, 1]], True, False)",
        "f12565",
    ),
    "psroi_pool": (f"{_V}.psroi_pool(x, y, paddle.to_tensor([1, 2], dtype='int32'), 2)", "f2899 x3"),
    "put_along_axis": (
        (
            "[paddle.put_along_axis(x, y, z, 1, reduce, own) for own in (True, False)"
            " for reduce in ('add', 'mul', 'mean', 'amax', 'amin')]"
        ),
        "f34 i32 f32",
    ),
    "qr": (f"paddle.abs({_L}.qr(x)[1]), {_L}.svd(x)[1], {_L}.svdvals(x)", "f43"),
    "reduce_as": ("paddle.reduce_as(x, y)", "f234 f31"),
    "renorm": ("paddle.renorm(x, 2.0, 0, 1.0)", "f342"),
    "repeat_interleave": ("paddle.repeat_interleave(x, 2, 1), paddle.repeat_interleave(x, y, 0)", "f34 i3"),
    "roi_pool": (f"{_V}.roi_pool(x, y, paddle.to_tensor([1, 2], dtype='int32'), 2)", "f2399 x3"),
    "round": ("paddle.round(x * 2) / 2, paddle.round(paddle.floor(x) + 0.5), paddle.round(x, 1)", "f34"),
    "rrelu": (f"{_F}.rrelu(x, training=False), {_F}.thresholded_relu(x, 0.3, 0.5)", "f34"),
    "searchsorted": ("paddle.searchsorted(x, y, right=True), paddle.bucketize(y, x[0], True)", "s35 f34"),
    "segment_pool": (
        (
            "[f(x, paddle.to_tensor([0, 0, 2])) for f in (paddle.geometric.segment_sum,"
            " paddle.geometric.segment_mean, paddle.geometric.segment_max)]"
        ),
        "f34",
    ),
    "send_recv": (
        (
            "paddle.geometric.send_u_recv(x, y, z, 'mean'), "
            "paddle.geometric.send_ue_recv(x, w, y, z, 'mul', 'max'), "
            "paddle.geometric.send_uv(x, x, y, z, 'sub')"
        ),
        "f43 i5 i5 f53",
    ),
    "shard_index": ("paddle.shard_index(x, 4, 2, 1)", "i31"),
    "sigmoid_cross_entropy": (f"{_F}.binary_cross_entropy_with_logits(x, y, pos_weight=z)", "f34 p34 p4"),
    "softmax_mask": ("paddle.incubate.softmax_mask_fuse(x, y)", "f1234 f1134"),
    "solve": (f"{_L}.solve({_POSITIVE}, y), {_L}.triangular_solve({_POSITIVE}, y, False)", "f33 f32"),
    "spectral_norm": ("paddle._C_ops.spectral_norm(x, y, z, 1, 2, 1e-12)", "f342 f4 f6"),
    "swiglu": (f"{_F}.swiglu(x), {_F}.swiglu(x, y)", "f34 f34"),
    "tanhshrink": (
        f"paddle.numel(x), {_F}.tanhshrink(x), {_F}.hardshrink(x), {_F}.softshrink(x), {_F}.hardtanh(x)",
        "f34",
    ),
    "tri_indices": (
        "x.astype('int64') + paddle.tril_indices(3, 4, 1).sum(), paddle.triu_indices(3, 3)",
        "i2",
    ),
    "unique_consecutive": (
        "paddle.unique_consecutive(x, True, True), paddle.unique_consecutive(y, axis=0)",
        "i9 i81",
    ),
}


def inputs_of(name: str, words: str) -> dict[str, Any]:
    """The arrays of a case by argument; the same ones in each call."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    return {
        argument: _array(generator, word[0], tuple(int(size) for size in word[1:]))
        for argument, word in zip("xyzw", words.split(), strict=False)
    }


def _array(generator: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Any:
    uniform = generator.uniform(-2, 2, shape)
    if kind == "x":
        corners = generator.uniform(0, 5, (*shape, 2))
        return np.concatenate([corners, corners + generator.uniform(1, 4, (*shape, 2))], -1).astype(
            np.float32
        )
    return {
        "b": uniform > 0,
        "d": uniform,
        "f": uniform.astype(np.float32),
        "i": generator.integers(0, 4, shape),
        "j": generator.integers(-6, 7, shape).astype(np.int32),
        "p": generator.uniform(0.05, 0.95, shape).astype(np.float32),
        "s": np.sort(uniform, -1).astype(np.float32),
    }[kind]
