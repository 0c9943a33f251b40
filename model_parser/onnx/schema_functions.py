"""Ops without a translation that ONNX itself defines by other ops."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import inliner
from onnx.checker import ValidationError
from onnx.defs import SchemaError
from onnx.shape_inference import InferenceError

from lite.model_parser.onnx.node import op_name
from lite.model_parser.onnx.translations import has_translation
from lite.model_parser.onnx.traversal import all_nodes


def expand_schema_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with such ops expanded; the same object where it has none, or ONNX cannot expand them."""
    versions = {entry.domain: int(entry.version) for entry in model.opset_import}
    wanted = {
        (node.domain, node.op_type)
        for node in all_nodes(model.graph.node)
        if not has_translation(op_name(node)) and _has_function(node, versions.get(node.domain))
    }
    if not wanted:
        return model
    try:
        expanded: onnx.ModelProto = inliner.inline_selected_functions(
            model, sorted(wanted), inline_schema_functions=True
        )
    except (RuntimeError, ValueError, ValidationError, InferenceError):
        return model
    return expanded


def _has_function(node: onnx.NodeProto, version: int | None) -> bool:
    # ONNX takes versions of 32 bits only; a file can state any of 64.
    if version is None or not 0 < version < 1 << 31:
        return False
    try:
        # The package's type stubs lack these two members.
        schema: Any = onnx.defs.get_schema(node.op_type, version, node.domain)
    except SchemaError:
        return False
    return bool(schema.has_function or schema.has_context_dependent_function)
