"""PNNX models: a ``.pnnx.param`` text with the operators and a ``.pnnx.bin`` archive with the weights.

The format follows Tencent's pnnx (``tools/pnnx`` of github.com/Tencent/ncnn), which converts TorchScript.
"""
