"""Kernels of the target host: convolutions."""
