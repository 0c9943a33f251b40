"""Kernels of the target cpu: casts between places."""
