"""Kernels of the target host: elementwise ops."""
