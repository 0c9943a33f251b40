"""Kernels of the target cpu: activations."""
