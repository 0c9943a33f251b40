"""A differential fuzzer: random ONNX graphs, compared with an independent engine in many configurations."""
