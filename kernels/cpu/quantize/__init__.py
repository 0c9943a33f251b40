"""Compiled kernels of integers."""
