"""Paddle's inference models: a ProgramDesc protobuf and raw parameter streams."""

from lite.model_parser.paddle.parser import PaddleParser

__all__ = ["PaddleParser"]
