"""Inlining of the functions that a model defines itself (FunctionProto of onnx.proto)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from lite.errors import ModelParseError
from lite.model_parser.onnx.messages import FunctionProto, ModelProto, NodeProto
from lite.model_parser.onnx.traversal import all_nodes

_FEW_NODES = 4096
_MAX_GROWTH = 128
"""How many times the nodes of the file there may be, beyond a few: functions that call each other double."""

_MAX_DEPTH = 100

_LAST_VERSION = (1 << 31) - 1
"""The last version of a domain that onnx can look for."""

Key = tuple[str, str]
"""The domain and name of a function."""


def inline_functions(model: ModelProto, source: str) -> ModelProto:
    """The model with its own functions inlined; the same object where it has none.

    The opsets of functions may be changed in place, to that of the model.

    Raises `ModelParseError` where they cannot be inlined: they call each other in a cycle, give many
    times the nodes of the file, or use an opset that cannot be converted.
    """
    if not model.functions:
        return model
    functions = {(function.domain, function.name): function for function in model.functions}
    count = _inlined_count(all_nodes(model.graph.node), functions, {}, (), source)
    bodies = (model.graph.node, *(function.node for function in model.functions))
    most = max(_FEW_NODES, _MAX_GROWTH * sum(1 for nodes in bodies for _ in all_nodes(nodes)))
    if count > most:
        raise ModelParseError(
            f"{source}: {count} nodes after the model's own functions are inlined, expected at most {most} "
            "for a model of this size; inline them with onnx.inliner before"
        )
    # Imported here because the package onnx is slow to import.
    from onnx import inliner
    from onnx.checker import ValidationError
    from onnx.shape_inference import InferenceError
    from onnx.version_converter import ConvertError

    try:
        # A conversion needs types that shape inference does not always find.
        is_converted = not _raise_opsets(model, functions)
        inlined: ModelProto = inliner.inline_local_functions(model, convert_version=is_converted)
    except (RuntimeError, ValueError, ValidationError, InferenceError, ConvertError) as error:
        names = ", ".join(sorted(function.name for function in model.functions))
        raise ModelParseError(
            f"{source}: the model's own functions cannot be inlined: {names}: {error}"
        ) from error
    return inlined


def _raise_opsets(model: ModelProto, functions: Collection[Key]) -> bool:
    """Give functions the model's opset where their ops are the same there; whether all have it then.

    Calls of other functions of the model are the same in every version of their domain.
    """
    opsets = {each.domain: each.version for each in model.opset_import}
    are_all = True
    for function in model.functions:
        ops = {(node.domain, node.op_type) for node in all_nodes(function.node)}.difference(functions)
        for own in function.opset_import:
            version = opsets.get(own.domain, own.version)
            if all(_is_same(*op, own.version, version) for op in ops if op[0] == own.domain):
                own.version = version
            are_all &= own.version == version
    return are_all


def _is_same(domain: str, op: str, version: int, other: int) -> bool:
    """Whether an op has one definition in two opsets of its domain."""
    from onnx import defs

    if version == other or not all(0 < each <= _LAST_VERSION for each in (version, other)):
        return version == other
    try:
        found = [defs.get_schema(op, each, domain).since_version for each in (version, other)]
    except defs.SchemaError:
        return False
    return found[0] == found[1]


def _inlined_count(
    nodes: Iterable[NodeProto],
    functions: Mapping[Key, FunctionProto],
    sizes: dict[Key, int],
    path: tuple[Key, ...],
    source: str,
) -> int:
    """The number of nodes after all calls are inlined; `path` are the functions that are being expanded."""
    total = 0
    for node in nodes:
        key = (node.domain, node.op_type)
        function = functions.get(key)
        if function is None:
            total += 1
            continue
        if key in path or len(path) > _MAX_DEPTH:
            chain = " calls ".join(f"{domain}.{name}" for domain, name in (*path, key)[-5:])
            problem = "a cycle" if key in path else f"calls more than {_MAX_DEPTH} deep"
            raise ModelParseError(f"{source}: the model's own functions: {problem}: {chain}")
        if key not in sizes:
            sizes[key] = _inlined_count(all_nodes(function.node), functions, sizes, (*path, key), source)
        total += sizes[key]
    return total
