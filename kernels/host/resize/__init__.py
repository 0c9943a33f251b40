"""Kernels of the target host: resizing and sampling of images."""
