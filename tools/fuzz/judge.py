"""Whether results equal the reference's, and whether a difference tells anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import onnx
from onnx import helper

from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.types import Array
from lite.tools.fuzz.configurations import Configuration
from lite.tools.fuzz.draw import reads
from lite.tools.fuzz.evaluate import Rejected, all_values, run_model, run_reference_evaluator
from lite.tools.fuzz.graph import Case
from lite.tools.fuzz.no_answer import has_no_answer

Kind = Literal["wrong", "refused", "crash"]

PERTURBATION = 3e-7
"""Relative change of inputs and constants that any engine's rounding may amount to."""

LEAST_SCALE = 2e-3
"""Results below this are compared as if they were as large: numbers near 1 may have cancelled each other."""

NOT_FINITE = "NaN or infinity where the reference has none, or the reverse"


@dataclass(frozen=True)
class Failure:
    """What went wrong: the configuration, the kind, and a sentence."""

    configuration: str
    kind: Kind
    message: str


def check(case: Case, configuration: Configuration) -> Failure | None:
    """Run a case one way; None where all results equal the reference's, or differ for its own instability."""
    first = (case.feeds, case.outputs)
    feeds = case.feeds
    try:
        predictor = configuration.predictor(case.model)
        for feeds, expected in (first, *case.others, first):
            found = predictor.run({name: configuration.fed(feeds[name]) for name in predictor.input_names})
            for name, wanted in expected.items():
                problem = _difference(found.get(name), wanted, configuration.tolerance)
                if problem is None or is_unstable(case.model, feeds, expected, configuration.tolerance):
                    continue
                if is_disputed(case.model, feeds, name, found.get(name), configuration.tolerance):
                    continue
                if has_no_answer(case.model, feeds):
                    continue
                if configuration.is_exact or problem != NOT_FINITE or not has_infinite(case.model, feeds):
                    return Failure(configuration.name, "wrong", f"output {name}: {problem}")
    except LiteError as error:
        if has_no_answer(case.model, feeds):
            return None
        return Failure(configuration.name, "refused", f"{type(error).__name__}: {error}")
    except TimeoutError:
        raise
    except Exception as error:  # noqa: BLE001 - every other exception is a defect
        return Failure(configuration.name, "crash", f"{type(error).__name__}: {error}")
    return None


def difference(found: Mapping[str, Any], expected: Mapping[str, Any], tolerance: float) -> str | None:
    """A sentence about the first output that differs."""
    for name, wanted in expected.items():
        problem = _difference(found.get(name), wanted, tolerance)
        if problem is not None:
            return f"output {name}: {problem}"
    return None


def _difference(found: Any, wanted: Any, tolerance: float) -> str | None:
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return f"expected a sequence of {len(wanted)}, got {type(found).__name__}"
        problems = (_difference(a, b, tolerance) for a, b in zip(found, wanted, strict=True))
        return next((problem for problem in problems if problem is not None), None)
    array, wanted = _strings_as_objects(found), _strings_as_objects(wanted)
    if array.shape != wanted.shape or array.dtype != wanted.dtype:
        return f"expected {wanted.dtype}{list(wanted.shape)}, got {array.dtype}{list(array.shape)}"
    if wanted.dtype.kind not in "f":
        same = array == wanted
        return (
            None
            if np.all(same)
            else f"{np.size(same) - np.count_nonzero(same)} of {wanted.size} elements differ"
        )
    a, b = array.astype(np.float64), wanted.astype(np.float64)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return NOT_FINITE
    finite = np.isfinite(b)
    if not finite.any():
        return None
    scale = max(float(np.abs(b[finite]).max()), LEAST_SCALE)
    least = {2: 4e-3, 4: tolerance, 8: tolerance}[wanted.dtype.itemsize]
    error = float(np.abs(a[finite] - b[finite]).max()) / scale
    return None if error <= least else f"relative error {error:.3g}, scale {scale:.3g}"


def _strings_as_objects(value: Any) -> Array:
    """An array, whose strings are objects of Python also where numpy knows their length."""
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind == "U" else array


def is_unstable(
    model: onnx.ModelProto, feeds: Mapping[str, Array], expected: Mapping[str, Any], tolerance: float
) -> bool:
    """Whether changes as small as rounding, of inputs or of all values, move the reference as far."""
    rng = np.random.default_rng(0)
    for seed in range(3):
        try:
            outputs = run_model(_with_noise(model, feeds, seed), feeds)
        except Rejected:
            break
        if difference(dict(zip(expected, outputs, strict=True)), expected, tolerance / 4) is not None:
            return True
    for scale in (PERTURBATION, 10 * PERTURBATION):
        for _ in range(3):
            moved = {name: _moved(array, rng, scale) for name, array in feeds.items()}
            shaken = onnx.ModelProto()
            shaken.CopyFrom(model)
            for tensor in _constants(shaken):
                array = onnx.numpy_helper.to_array(tensor)
                tensor.CopyFrom(onnx.numpy_helper.from_array(_moved(array, rng, scale), tensor.name))
            for weights in _weights(shaken):
                weights.floats[:] = _moved(np.array(weights.floats, np.float32), rng, scale).tolist()
            try:
                outputs = run_model(shaken, moved)
            except Rejected:
                continue
            if difference(dict(zip(expected, outputs, strict=True)), expected, tolerance / 4) is not None:
                return True
    return False


def _constants(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """The numbers of a model: initializers, and the tensors of its Constant nodes.

    Scales of a Resize are left out: the reference refuses those that are not quite 1.
    """
    scales = {name for node in model.graph.node if node.op_type == "Resize" for name in node.input[1:]}
    nodes = [node for node in model.graph.node if node.op_type == "Constant" and node.output[0] not in scales]
    values = [attr.t for node in nodes for attr in node.attribute if attr.name == "value"]
    return [*(tensor for tensor in model.graph.initializer if tensor.name not in scales), *values]


def _weights(model: onnx.ModelProto) -> list[onnx.AttributeProto]:
    """The attributes of models of trees that are added up to scores."""
    attributes = (attr for node in model.graph.node if node.domain == "ai.onnx.ml" for attr in node.attribute)
    return [attr for attr in attributes if attr.name in ("class_weights", "target_weights")]


def _with_noise(model: onnx.ModelProto, feeds: Mapping[str, Array], seed: int) -> onnx.ModelProto:
    """The model with the rounding of another engine after each node that computes float32.

    It is a small part of the result, and of the largest input: a node may add large numbers to a small one.
    A node that reads no real numbers, such as a window, adds numbers as large as its largest result.
    Raises `Rejected` where the reference does not run the model up to some node.
    """
    noisy = onnx.ModelProto()
    noisy.CopyFrom(model)
    values = all_values(model, feeds)
    del noisy.graph.node[:]
    rng = np.random.default_rng(seed)
    for node in model.graph.node:
        copy = noisy.graph.node.add()
        copy.CopyFrom(node)
        if node.op_type == "Constant":
            continue
        largest = max((_largest(values.get(read)) for read in node.input), default=0.0)
        for slot, name in enumerate(node.output):
            value = values.get(name)
            if not isinstance(value, np.ndarray) or value.dtype != np.float32:
                continue
            summand = largest or _largest(value)
            noise = rng.uniform(-4, 4, value.shape) * value + rng.uniform(-1, 1, value.shape) * summand
            # A value that is infinite or NaN here may be finite in the noisy model.
            array = np.asarray(np.where(np.isfinite(noise), noise, 0) * PERTURBATION, np.float32)
            noisy.graph.initializer.append(onnx.numpy_helper.from_array(array, f"{name} noise"))
            copy.output[slot] = f"{name} exact"
            noisy.graph.node.append(helper.make_node("Add", [f"{name} exact", f"{name} noise"], [name]))
    return noisy


def is_disputed(
    model: onnx.ModelProto, feeds: Mapping[str, Array], name: str, found: Any, tolerance: float
) -> bool:
    """Whether ONNX's own reference implementation gives this result, unlike the reference engine."""
    try:
        [output] = run_reference_evaluator(leading_to(model, name), feeds)
    except Rejected:
        return False
    return difference({name: found}, {name: output}, tolerance) is None


def has_infinite(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> bool:
    """Whether a value between the nodes is infinite or NaN.

    Fast convolutions multiply by zeros that the model does not have, and make NaN of infinite numbers; the
    strict precision does without.
    """
    try:
        values = all_values(model, feeds).values()
    except Rejected:
        return False
    numbers = [value for value in values if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
    return any(not np.isfinite(value).all() for value in numbers)


def leading_to(model: onnx.ModelProto, output: str) -> onnx.ModelProto:
    """The part of a model that computes one of its outputs."""
    needed, nodes = {output}, []
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            nodes.append(node)
            needed.update(reads(node))
    part = onnx.ModelProto()
    part.CopyFrom(model)
    for field in (part.graph.node, part.graph.output, part.graph.input):
        del field[:]
    part.graph.node.extend(reversed(nodes))
    part.graph.output.extend(info for info in model.graph.output if info.name == output)
    part.graph.input.extend(info for info in model.graph.input if info.name in needed)
    called = _called(nodes)
    for function in reversed(model.functions):  # a function calls those that are defined before it
        called |= _called(function.node) if function.name in called else set()
    del part.functions[:]
    part.functions.extend(function for function in model.functions if function.name in called)
    return part


def _called(nodes: Iterable[onnx.NodeProto]) -> set[str]:
    """The op types of nodes and of those in their branches and loops."""
    found = set()
    for node in nodes:
        graphs = (graph for attr in node.attribute for graph in (attr.g, *attr.graphs))
        found |= {node.op_type}.union(*(_called(graph.node) for graph in graphs))
    return found


def _largest(value: Any) -> float:
    """The greatest finite number by its size; 0 for what has none."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return 0.0
    sizes = np.abs(value[np.isfinite(value)])
    return float(sizes.max()) if sizes.size else 0.0


def _moved(array: Array, rng: np.random.Generator, scale: float) -> Array:
    if array.dtype.kind != "f" or not array.size:
        return array
    noise = rng.uniform(-1, 1, array.shape) * scale
    return np.asarray(array * (1 + noise)).astype(array.dtype)
