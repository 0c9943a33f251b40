"""Kernels of the target cpu: detection."""
