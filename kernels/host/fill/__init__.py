"""Kernels of the target host: constants, ranges and random numbers."""
