"""Kernels of the target host: normalisations and softmax."""
