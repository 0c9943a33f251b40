"""Kernels of the target cpu: ops that move data."""
