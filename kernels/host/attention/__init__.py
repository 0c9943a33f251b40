"""Kernels of the target host: attention."""
