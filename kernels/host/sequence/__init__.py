"""Kernels of the target host: sequences with LoD."""
