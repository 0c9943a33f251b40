"""Kernels of the target host: control flow and tensor arrays."""
