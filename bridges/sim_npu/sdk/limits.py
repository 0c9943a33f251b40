"""The hardware's limits.  The graph builder checks every one of them."""

DTYPES = ("float32", "int32", "int8")
RANK = 5
"""Tensors have 1 to 5 axes; every axis has at least one element."""

KERNEL = 8
"""Largest number of rows or columns of a convolution's filter and of a pooling window."""

STRIDE = 8
"""Largest stride; one register holds it for rows and columns."""

DILATION = 8
"""Largest dilation; one register holds it for rows and columns."""

PADDING = 15
"""Largest number of rows or columns of zeros on one side of an image."""

JOINED = 64
"""Largest number of tensors that CONCAT joins or SPLIT makes."""

NODES = 4096
INPUTS = 64
OUTPUTS = 64
WEIGHT_BYTES = 1 << 28
"""Largest size of the constants of one model, in bytes."""

MEMORY_BYTES = 1 << 31
"""The device's memory: weights, inputs, outputs and intermediate tensors, in bytes."""
