"""Tests of `lite.compat.onnxruntime`."""
