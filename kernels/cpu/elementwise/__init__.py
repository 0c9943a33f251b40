"""Kernels of the target cpu: elementwise ops."""
