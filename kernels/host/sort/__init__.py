"""Kernels of the target host: sorting and top-k."""
