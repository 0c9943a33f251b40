"""Kernels of the target cpu: pooling."""
