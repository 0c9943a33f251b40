"""Quantisation of Paddle's tools: the ops of classic programs, which Paddle 3 translates to PIR."""

from __future__ import annotations

from lite.model_parser.paddle.pir.translations import pir_ops

_BITS = "bit_length round_type"
_LINEAR = f"X Scale ZeroPoint InAccum InState -> Y | {_BITS} quant_axis only_observer"
_MOVING = f"X InScale InAccum InState -> Out OutScale OutState OutAccum | {_BITS}"

pir_ops(
    {
        "dequantize_linear": f"dequantize_linear {_LINEAR}",
        "fake_channel_wise_dequantize_max_abs": (
            "fake_channel_wise_dequantize_max_abs X Scales -> Out | quant_bits quant_axis x_num_col_dims"
        ),
        "fake_channel_wise_quantize_abs_max": (
            f"fake_channel_wise_quantize_abs_max X -> Out OutScale | {_BITS} quant_axis"
        ),
        "fake_channel_wise_quantize_dequantize_abs_max": (
            f"fake_channel_wise_quantize_dequantize_abs_max X -> Out OutScale | {_BITS} quant_axis"
        ),
        "fake_dequantize_max_abs": "fake_dequantize_max_abs X Scale -> Out | max_range",
        "fake_quantize_abs_max": f"fake_quantize_abs_max X -> Out OutScale | {_BITS}",
        "fake_quantize_dequantize_abs_max": f"fake_quantize_dequantize_abs_max X -> Out OutScale | {_BITS}",
        "fake_quantize_dequantize_moving_average_abs_max": (
            f"fake_quantize_dequantize_moving_average_abs_max {_MOVING}"
        ),
        "fake_quantize_moving_average_abs_max": f"fake_quantize_moving_average_abs_max {_MOVING}",
        "fake_quantize_range_abs_max": (
            f"fake_quantize_range_abs_max X InScale Iter -> Out OutScale OutScales | {_BITS}"
        ),
        "moving_average_abs_max_scale": (
            "moving_average_abs_max_scale X InAccum InState -> Out OutScale OutState OutAccum"
        ),
        "quantize_linear": f"quantize_linear {_LINEAR}",
    }
)
