"""Kernels of the target host: activations."""
