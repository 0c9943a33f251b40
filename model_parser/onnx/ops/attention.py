"""Attention, linear attention with its causal convolution, and rotary embedding."""

from __future__ import annotations

from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops

register_custom_ops(
    {
        "Attention": CustomOp(
            "attention", "Q K V Mask PastKey PastValue KeyLengths", "Out PresentKey PresentValue Scores"
        ),
        "CausalConvWithState": CustomOp("causal_conv", "X Filter Bias PastState", "Out PresentState"),
        "LinearAttention": CustomOp("linear_attention", "Q K V PastState Decay Beta", "Out PresentState"),
        "RotaryEmbedding": CustomOp("rotary_embedding", "X CosCache SinCache PositionIds"),
    }
)
