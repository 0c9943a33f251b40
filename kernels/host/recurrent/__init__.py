"""Kernels of the target host: recurrent networks."""
