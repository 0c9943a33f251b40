"""PNNX models: a ``.pnnx.param`` text with the operators and a ``.pnnx.bin`` archive with the weights."""
