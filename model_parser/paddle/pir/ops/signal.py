"""Complex numbers, Fourier transforms, and frames of signals."""

from __future__ import annotations

from lite.model_parser.paddle.pir.translations import pir_ops

pir_ops(
    {
        "angle": "angle X -> Out",
        "as_complex": "as_complex X -> Out",
        "as_real": "as_real X -> Out",
        "complex": "complex X Y -> Out",
        "conj": "conj X -> Out",
        "fft_c2c": "fft_c2c X -> Out | axes normalization forward",
        "fft_c2r": "fft_c2r X -> Out | axes normalization forward last_dim_size",
        "fft_r2c": "fft_r2c X -> Out | axes normalization forward onesided",
        "frame": "frame X -> Out | frame_length hop_length axis",
        "imag": "imag X -> Out",
        "overlap_add": "overlap_add X -> Out | hop_length axis",
        "real": "real X -> Out",
    }
)
