"""The message classes of onnx.proto, without the other modules of the package onnx.

``import onnx`` executes all modules of the package, which takes longer than to read a small model.  Here
only the generated ``onnx/onnx_ml_pb2.py`` is executed, in a module that ``sys.modules`` does not have, so an
import of onnx, before or after, is as it would be without this.  protobuf has one class for each message,
however often the generated file is executed: these are the classes of the package onnx.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING


def _generated() -> ModuleType:
    """The generated module: that of the package where it is imported already, and else a new one."""
    package = None if "onnx" in sys.modules else find_spec("onnx")
    folders = None if package is None else package.submodule_search_locations
    spec = None if folders is None else PathFinder.find_spec("onnx.onnx_ml_pb2", folders)
    if spec is None or spec.loader is None:
        return importlib.import_module("onnx.onnx_ml_pb2")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from onnx import (
        IR_VERSION,
        AttributeProto,
        FunctionProto,
        GraphProto,
        ModelProto,
        NodeProto,
        SparseTensorProto,
        TensorProto,
        TensorShapeProto,
        TypeProto,
        ValueInfoProto,
    )
else:
    _messages = _generated()
    IR_VERSION = _messages.IR_VERSION
    AttributeProto = _messages.AttributeProto
    FunctionProto = _messages.FunctionProto
    GraphProto = _messages.GraphProto
    ModelProto = _messages.ModelProto
    NodeProto = _messages.NodeProto
    SparseTensorProto = _messages.SparseTensorProto
    TensorProto = _messages.TensorProto
    TensorShapeProto = _messages.TensorShapeProto
    TypeProto = _messages.TypeProto
    ValueInfoProto = _messages.ValueInfoProto

__all__ = [
    "IR_VERSION",
    "AttributeProto",
    "FunctionProto",
    "GraphProto",
    "ModelProto",
    "NodeProto",
    "SparseTensorProto",
    "TensorProto",
    "TensorShapeProto",
    "TypeProto",
    "ValueInfoProto",
]
