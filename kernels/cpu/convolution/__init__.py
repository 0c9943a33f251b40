"""Kernels of the target cpu: convolutions."""
