"""Kernels of the target host: pooling."""
