"""Kernels of the target host: strings."""
