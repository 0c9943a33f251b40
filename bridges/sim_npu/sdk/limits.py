"""The hardware's limits.  The graph builder checks every one of them."""

DTYPES = ("float32", "int32")
RANK = 5
"""Tensors have 1 to 5 axes; every axis has at least one element."""

KERNEL = 8
"""Rows and columns of a convolution's filter, and of a pooling window."""

STRIDE = 8
"""There is one stride register: rows and columns step alike."""

DILATION = 8
"""There is one dilation register, too."""

PADDING = 15
"""Rows or columns of zeros on one side of an image."""

JOINED = 64
"""Tensors that CONCAT joins, or that SPLIT makes."""

NODES = 4096
INPUTS = 64
OUTPUTS = 64
WEIGHT_BYTES = 1 << 28
"""Bytes of the constants of one model."""

MEMORY_BYTES = 1 << 31
"""The device's memory: weights, inputs, outputs and what lies between."""
