"""Kernels of the target host: object detection."""
