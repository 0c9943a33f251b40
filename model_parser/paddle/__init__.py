"""Paddle's inference models: a ProgramDesc in protobuf and its parameters as raw tensor streams.

The format is that of Paddle's ``paddle/fluid/framework/framework.proto``, ``program_desc.cc`` and
``lod_tensor.cc``.  PIR programs in JSON are a different format and are refused with advice.
"""

from lite.model_parser.paddle.parser import PaddleParser

__all__ = ["PaddleParser"]
