"""Networks written twice, layer by layer: as Paddle ops and as ONNX nodes.

ONNX Runtime computes the outputs that the tests expect of the Paddle form, so the reference is independent of
litebridge.  `python -m tests.record_twins` writes models and outputs to `tests/data`.
"""
