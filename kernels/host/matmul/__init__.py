"""Kernels of the target host: matrix products."""
