"""Kernels of the target cpu: resizing and sampling of images."""
