"""Kernels of the target cpu: sorting and searching."""
