"""Kernels of the target cpu: normalisations and softmax."""
