"""Kernels of the target cpu: recurrent networks."""
