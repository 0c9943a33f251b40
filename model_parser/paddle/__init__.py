"""Paddle's inference models: a ProgramDesc in protobuf and its parameters as raw tensor streams.

The format follows ``framework.proto`` and ``lod_tensor.cc`` in Paddle's ``paddle/fluid/framework``.  PIR
programs in JSON are a different format and are refused with advice.
"""

from lite.model_parser.paddle.parser import PaddleParser

__all__ = ["PaddleParser"]
