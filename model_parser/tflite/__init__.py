"""TFLite models: a FlatBuffer with the file identifier ``TFL3``.

The format follows ``schema.fbs`` of TensorFlow Lite, version 3.  Images are NHWC: ops with windows get
transposes around them.  Ops on quantised tensors get `affine_dequantize` before them and `affine_quantize`
after them.
"""
