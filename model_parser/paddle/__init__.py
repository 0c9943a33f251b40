"""Paddle's inference models: a program, and its parameters as raw tensor streams.

A classic program is a ProgramDesc in protobuf.  The format follows ``framework.proto`` and ``lod_tensor.cc``
in Paddle's ``paddle/fluid/framework``.  The package `pir` reads PIR programs in JSON.
"""

from lite.model_parser.paddle.parser import PaddleParser

__all__ = ["PaddleParser"]
