"""Kernels of the target cpu: matrix products."""
