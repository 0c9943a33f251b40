"""Kernels of the target cpu: elements by index."""
