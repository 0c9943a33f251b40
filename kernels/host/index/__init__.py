"""Kernels of the target host: gather, scatter and indexing."""
