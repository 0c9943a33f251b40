"""Kernels of the target host: reductions and cumulative sums."""
