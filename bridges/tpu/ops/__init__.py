"""Bridges of the device tpu, by family of ops."""
