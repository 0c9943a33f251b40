"""The geometry of a convolution of volumes."""

(
    CHANNELS, OUT_CHANNELS, DEPTH, HEIGHT, WIDTH, PADDED_DEPTH, PADDED_HEIGHT, PADDED_WIDTH,
    OUT_DEPTH, OUT_HEIGHT, OUT_WIDTH, IN, DOWN, RIGHT, IN_STRIDE, DOWN_STRIDE, RIGHT_STRIDE,
    IN_DILATION, DOWN_DILATION, RIGHT_DILATION, FRONT, ABOVE, LEFT,
) = range(23)  # fmt: skip
"""The indices of sizes, strides, dilations and padding in a geometry, ``int64[23]``."""
