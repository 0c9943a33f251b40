"""Kernels of the target host: signal processing."""
