"""Kernels of the target host: casts between places."""
