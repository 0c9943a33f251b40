"""Kernels of the target host: ops that move data."""
