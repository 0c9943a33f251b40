"""Kernels of the target host: quantisation."""
