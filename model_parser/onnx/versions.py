"""The IR version and opset of a model, and the check that they are supported."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from lite.errors import ModelParseError
from lite.model_parser.onnx.messages import IR_VERSION, ModelProto, NodeProto
from lite.model_parser.onnx.type_rules import newest_opset

log = logging.getLogger(__name__)

OLDEST = 7
"""Older opsets are read as this one, and converted to it where their ops meant something else."""
DEFAULT_DOMAINS = ("", "ai.onnx")
_FIRST_IR_WITH_OPSETS = 3


def is_old(model: ModelProto) -> bool:
    """Whether `convert_old` may have to convert a model."""
    version = _default_version(model)
    return version is not None and version < OLDEST


def convert_old(model: ModelProto, nodes: Iterable[NodeProto], source: str) -> ModelProto:
    """A model of an opset before 7 in opset 7, where its ops mean something else; others as they are.

    Logs a line for a conversion.  Raises `ModelParseError` where onnx cannot convert the model.
    """
    version = _default_version(model)
    if version is None or not is_old(model):
        return model
    changed = _changed(version, nodes)
    if not changed:
        return model
    # Imported here because the package onnx is slow to import.
    import onnx
    from onnx import shape_inference, version_converter

    try:
        converted: ModelProto = version_converter.convert_version(_with_spread_slopes(model), OLDEST)
    except (
        RuntimeError,
        ValueError,
        version_converter.ConvertError,
        shape_inference.InferenceError,
    ) as error:
        raise ModelParseError(
            f"{source}: opset {version}, expected {OLDEST} or newer, since these ops meant something else: "
            f"{', '.join(changed)}; onnx cannot convert the model ({error}): export it again"
        ) from error
    log.warning("%s: opset %d was converted to %d by onnx %s", source, version, OLDEST, onnx.__version__)
    return converted


def read_opset(model: ModelProto, nodes: Iterable[NodeProto], source: str) -> int:
    """The model's opset of the default domain, at least 7; `nodes` are all nodes of the model.

    An older opset counts as 7: `convert_old` has converted a model whose ops meant something else.  A model
    that has no op of the default domain need not import it.  Raises `ModelParseError` for versions newer
    than the installed onnx package.
    """
    if model.ir_version > IR_VERSION:
        raise _too_new(source, "IR version", model.ir_version, IR_VERSION)
    version = _default_version(model)
    newest = newest_opset(version or 0)
    if version is None:
        ops = list(nodes)
        if not ops or any(node.domain in DEFAULT_DOMAINS for node in ops):
            raise ModelParseError(
                f"{source}: the model imports no opset of the default domain, expected one; add it to "
                "opset_import"
            )
        return newest
    if version > newest:
        raise _too_new(source, "opset", version, newest)
    return max(version, OLDEST)


def _default_version(model: ModelProto) -> int | None:
    versions = {entry.domain: int(entry.version) for entry in model.opset_import}
    version = next((versions[domain] for domain in DEFAULT_DOMAINS if domain in versions), None)
    return 1 if version is None and model.ir_version < _FIRST_IR_WITH_OPSETS else version


def _too_new(source: str, kind: str, version: int, newest: int) -> ModelParseError:
    import onnx

    return ModelParseError(
        f"{source}: {kind} {version}, expected at most {newest}, the newest that the installed onnx "
        f"{onnx.__version__} knows; install a newer onnx"
    )


def _changed(version: int, nodes: Iterable[NodeProto]) -> list[str]:
    """The op types that mean something else in opset 7."""
    ops = {node.op_type for node in nodes if node.domain in DEFAULT_DOMAINS}
    return sorted(op for op in ops if version < 1 or _since(op, version) != _since(op, OLDEST))


def _with_spread_slopes(model: ModelProto) -> ModelProto:
    """The model with slopes of PRelu by channel in the shape [C, 1, …], which opset 7 broadcasts.

    onnx's converter leaves them in the shape [C].
    """
    from onnx import helper, shape_inference

    slopes = {tensor.name: tensor for tensor in model.graph.initializer if len(tensor.dims) == 1}
    inferred = shape_inference.infer_shapes(model).graph
    ranks = {
        value.name: len(value.type.tensor_type.shape.dim)
        for value in (*inferred.input, *inferred.value_info)
        if value.type.tensor_type.HasField("shape")
    }
    shapes: dict[str, list[int]] = {}
    for node in model.graph.node:
        rank = ranks.get(node.input[0], 0) if node.op_type == "PRelu" and len(node.input) > 1 else 0
        if rank > 2 and node.input[1] in slopes:
            shapes[node.input[1]] = [*slopes[node.input[1]].dims, *[1] * (rank - 2)]
    if not shapes:
        return model
    spread = ModelProto()
    spread.CopyFrom(model)
    for tensor in spread.graph.initializer:
        if tensor.name in shapes:
            tensor.dims[:] = shapes[tensor.name]
    for value in spread.graph.input:
        if value.name in shapes:
            kind = value.type.tensor_type.elem_type
            value.CopyFrom(helper.make_tensor_value_info(value.name, kind, shapes[value.name]))
    return spread


def _since(op: str, version: int) -> int:
    """The last opset up to `version` that changed an op; 0 where the op did not exist yet."""
    from onnx import defs

    if not defs.has(op, version):
        return 0
    return int(defs.get_schema(op, version).since_version)
