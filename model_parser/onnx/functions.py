"""Functions that a model defines itself, written out where they are called."""

from __future__ import annotations

import onnx
from onnx import inliner
from onnx.checker import ValidationError
from onnx.shape_inference import InferenceError
from onnx.version_converter import ConvertError

from lite.errors import ModelParseError


def inline_functions(model: onnx.ModelProto, source: str) -> onnx.ModelProto:
    """The model without functions of its own; the same object where it has none.

    Raises `ModelParseError` where they cannot be written out (they call each other in a circle, or use
    another opset that cannot be converted).
    """
    if not model.functions:
        return model
    try:
        inlined: onnx.ModelProto = inliner.inline_local_functions(model, convert_version=True)
    except (RuntimeError, ValueError, ValidationError, InferenceError, ConvertError) as error:
        names = ", ".join(sorted(function.name for function in model.functions))
        raise ModelParseError(
            f"{source}: the model's own functions cannot be written out: {names}: {error}"
        ) from error
    return inlined
