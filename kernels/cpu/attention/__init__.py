"""Kernels of the target cpu: attention."""
