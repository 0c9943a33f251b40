"""Kernels of the target cpu: reductions and cumulative sums."""
