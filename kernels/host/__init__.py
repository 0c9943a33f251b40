"""Kernels in numpy: the target that has a kernel for every op."""
