"""Makes a failing model small: outputs, then nodes, are dropped while the failure stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from onnx import helper

from lite.ir.types import Array
from lite.tools.fuzz.draw import check_usable, reads
from lite.tools.fuzz.evaluate import Rejected, element_type, initializer, run_model, value_info
from lite.tools.fuzz.graph import Case

Fails = Callable[[Case], bool]


def minimise(case: Case, fails: Fails) -> Case:
    """The smallest case found that still fails."""
    case = _with_one_output(case, fails)
    for _ in range(4):
        smaller = _without_first_nodes(_with_inner_output(case, fails), fails)
        if len(smaller.model.graph.node) == len(case.model.graph.node):
            break
        case = smaller
    return case


def _with_one_output(case: Case, fails: Fails) -> Case:
    for name in case.outputs:
        smaller = _cut(case, {name: case.outputs[name]})
        if smaller is not None and fails(smaller):
            return smaller
    return case


def _with_inner_output(case: Case, fails: Fails) -> Case:
    """The case that ends at the earliest inner value that is already wrong."""
    for node in case.model.graph.node:
        for name in node.output:
            if not name or name in case.outputs:
                continue
            model = onnx.ModelProto()
            model.CopyFrom(case.model)
            del model.graph.output[:]
            model.graph.output.append(onnx.ValueInfoProto(name=name))
            try:
                [array] = run_model(model, case.feeds)
            except Rejected:
                continue
            smaller = _cut(replace(case, model=model), {name: array})
            if smaller is not None and fails(smaller):
                return smaller
    return case


def _without_first_nodes(case: Case, fails: Fails) -> Case:
    """The case in which outputs of early nodes are inputs instead."""
    for node in list(case.model.graph.node):
        names = [name for name in node.output if name]
        model = onnx.ModelProto()
        model.CopyFrom(case.model)
        del model.graph.output[:]
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        try:
            arrays = run_model(model, case.feeds)
        except Rejected:
            continue
        if not all(isinstance(array, np.ndarray) for array in arrays):
            continue
        feeds = {**case.feeds, **dict(zip(names, arrays, strict=True))}
        nodes = [each for each in case.model.graph.node if list(each.output) != list(node.output)]
        smaller = _assemble(case, nodes, feeds, case.outputs)
        if smaller is not None and fails(smaller):
            case = smaller
    return case


def _cut(case: Case, outputs: Mapping[str, Any]) -> Case | None:
    return _assemble(case, list(case.model.graph.node), case.feeds, outputs)


def _assemble(
    case: Case, nodes: list[onnx.NodeProto], feeds: Mapping[str, Array], outputs: Mapping[str, Any]
) -> Case | None:
    """A case of those nodes that lead to the outputs; None where the reference gives something else.

    None also for a sequence, which a model cannot return here.
    """
    if not all(isinstance(value, np.ndarray) for value in outputs.values()):
        return None
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            kept.append(node)
            needed.update(reads(node))
    kept.reverse()
    declared = {info.name: info for info in case.model.graph.input}
    used = {name: array for name, array in feeds.items() if name in needed}
    weights = [tensor for tensor in case.model.graph.initializer if tensor.name in needed]
    infos = []
    try:
        for name, value in outputs.items():
            check_usable(value)
            infos.append(helper.make_tensor_value_info(name, element_type(value), None))
    except Rejected:
        return None
    graph = helper.make_graph(
        kept,
        "fuzz",
        [declared.get(name) or value_info(name, array) for name, array in used.items()],
        infos,
        weights,
    )
    model = helper.make_model(
        graph,
        opset_imports=case.model.opset_import,
        ir_version=case.model.ir_version,
        functions=case.model.functions,
    )
    try:
        found = run_model(model, used)
    except Rejected:
        return None
    others = []
    for sizes, _ in case.others:
        if all(name in sizes for name in used):
            picked = {name: sizes[name] for name in used}
            try:
                others.append((picked, dict(zip(outputs, run_model(model, picked), strict=True))))
            except Rejected:
                continue
    return replace(
        case, model=model, feeds=used, outputs=dict(zip(outputs, found, strict=True)), others=others
    )


def as_script(case: Case) -> str:
    """The case in ONNX's text form, with its small constants and feeds."""
    lines = [onnx.printer.to_text(case.model)]
    for what, arrays in (("feed", case.feeds), *(("other feed", feeds) for feeds, _ in case.others)):
        for name, array in arrays.items():
            text = np.array2string(array, threshold=40, separator=", ") if array.size <= 40 else ""
            lines.append(f"# {what} {name}: {array.dtype}{list(array.shape)} {text}")
    return "\n".join(lines)


__all__ = ["as_script", "initializer", "minimise"]
