"""Damaged models of every format: ``python -m tests.soak.mutations --format onnx --count 50000``."""
