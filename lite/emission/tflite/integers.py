"""Computes in int8 what stands between QUANTIZE and DEQUANTIZE.

The conversions add operators on real numbers; `Builder.rounded` adds a QUANTIZE and a DEQUANTIZE after each
quantised value.  Here an operator whose inputs are dequantised, and whose result is quantised again, becomes
the operator on the integers; a constant bias and a relu between are fused.  Operators that only move elements
work on integers without another QUANTIZE.  What has no such form stays on real numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

import numpy as np

from lite.dataclass import dataclass
from lite.emission.tflite.graph import Operator, Option, Scales, Stored, TfliteGraph
from lite.emission.tflite.schema import RELU, RELU6
from lite.ir.types import Array, DType

_MOVES = frozenset(
    {
        "GATHER",
        "MAX_POOL_2D",
        "PAD",
        "RESHAPE",
        "RESIZE_NEAREST_NEIGHBOR",
        "SLICE",
        "STRIDED_SLICE",
        "TRANSPOSE",
    }
)
"""Operators whose results have elements of the first input, or zeros."""

_PRODUCTS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 0}
"""Operators with a weight and a bias as second and third input: the axis of the weight's scales."""

_FIXED = {"LOGISTIC": (1 / 256, -128), "SOFTMAX": (1 / 256, -128), "TANH": (1 / 128, 0)}
"""Operators whose int8 results have one scale and zero point."""

_FREE = frozenset({"AVERAGE_POOL_2D", "HARD_SWISH", "LEAKY_RELU", "MEAN", "RELU", "RELU6", "RESIZE_BILINEAR"})
"""Operators of one input whose result may be quantised otherwise, by a QUANTIZE after those of `_SAME`."""

_SAME = frozenset({"AVERAGE_POOL_2D", "MEAN", "RELU", "RELU6", "RESIZE_BILINEAR"})
"""Those that keep the scale of their input."""

_BINARY = frozenset({"ADD", "MUL", "SUB"})

_ACTIVATIONS = {"RELU": RELU, "RELU6": RELU6}


def in_integers(graph: TfliteGraph) -> TfliteGraph:
    """The graph with integers between QUANTIZE and DEQUANTIZE; the same graph where it has none."""
    if not any(operator.code == "QUANTIZE" for operator in graph.operators):
        return graph
    rewriting = _Rewriting(graph)
    for operator in graph.operators:
        rewriting.add(operator)
    return rewriting.result()


@dataclass
class _Chain:
    """The operators after one whose result is quantised: a bias, an activation, the QUANTIZE."""

    quantized: Stored
    bias: Array | None = None
    activation: str = ""
    passed: list[Operator] = field(default_factory=list)


class _Rewriting:
    """The new operators; `integers` has the int8 tensor of each tensor that is dequantised."""

    def __init__(self, graph: TfliteGraph) -> None:
        self._graph = graph
        self._readers: dict[Stored, list[Operator]] = {}
        for operator in graph.operators:
            for tensor in operator.inputs:
                if tensor is not None:
                    self._readers.setdefault(tensor, []).append(operator)
        self._results = {tensor for _, tensor in graph.outputs}
        self._operators: list[Operator] = []
        self._integers: dict[Stored, Stored] = {}
        self._replaced: dict[Stored, Stored] = {}
        self._passed: set[Operator] = set()

    def add(self, operator: Operator) -> None:
        """Add an operator, in integers where that is possible."""
        if operator in self._passed:
            return
        code, (result, *_) = operator.code, operator.outputs
        if code == "DEQUANTIZE":
            self._integers[result] = self._current(operator.inputs[0])
            self._keep(operator)
        elif code == "QUANTIZE":
            self._quantize(operator)
        elif not (code in _MOVES | {"CONCATENATION"} and self._move(operator)) and not self._compute(
            operator
        ):
            self._keep(operator)

    def result(self) -> TfliteGraph:
        """The graph without operators whose results nothing reads."""
        used = {self._current(tensor) for tensor in self._results}
        kept = []
        for operator in reversed(self._operators):
            if used.isdisjoint(operator.outputs):
                continue
            used.update(tensor for tensor in operator.inputs if tensor is not None)
            kept.append(operator)
        return TfliteGraph(self._graph.inputs, self._graph.outputs, kept[::-1])

    def _current(self, tensor: Stored | None) -> Stored:
        assert tensor is not None
        return self._replaced.get(tensor, tensor)

    def _keep(self, operator: Operator) -> None:
        inputs = tuple(None if tensor is None else self._current(tensor) for tensor in operator.inputs)
        self._operators.append(Operator(operator.code, inputs, operator.outputs, operator.options))

    def _emit(
        self, code: str, inputs: Sequence[Stored | None], output: Stored, options: Mapping[str, Option]
    ) -> None:
        self._operators.append(Operator(code, tuple(inputs), (output,), options))

    def _quantize(self, operator: Operator) -> None:
        """Numbers that are dequantised from the same integers are these integers."""
        source, (target, *_) = operator.inputs[0], operator.outputs
        same = None if source is None else self._integers.get(source)
        if same is not None and _equal(same.quant, target.quant):
            self._replaced[target] = same
        elif same is not None:
            self._emit("QUANTIZE", [same], target, {})
        else:
            self._keep(operator)

    def _move(self, operator: Operator) -> bool:
        count = len(operator.inputs) if operator.code == "CONCATENATION" else 1
        data = [self._integers.get(tensor) for tensor in operator.inputs[:count] if tensor is not None]
        first = data[0] if data else None
        if first is None or any(each is None or not _equal(each.quant, first.quant) for each in data):
            return False
        result = operator.outputs[0]
        moved = Stored(f"{result.name}_int8", DType.INT8, result.shape, quant=first.quant)
        self._emit(operator.code, [*data, *operator.inputs[count:]], moved, operator.options)
        self._emit("DEQUANTIZE", [moved], result, {})
        self._integers[result] = moved
        return True

    def _compute(self, operator: Operator) -> bool:
        chain = self._chain(operator)
        if chain is None:
            return False
        forms: dict[str, Callable[[Operator, _Chain], bool]] = {
            **dict.fromkeys(_PRODUCTS, self._product),
            **dict.fromkeys(_BINARY, self._binary),
            **dict.fromkeys(_FREE, self._free),
            **dict.fromkeys(_FIXED, self._fixed),
        }
        form = forms.get(operator.code)
        if form is None or not form(operator, chain):
            return False
        self._passed.update(chain.passed)
        return True

    def _chain(self, operator: Operator) -> _Chain | None:
        """What follows an operator up to the QUANTIZE of its result; None where that does not follow."""
        tensor, passed, bias, activation = operator.outputs[0], [], None, ""
        while True:
            readers = self._readers.get(tensor, [])
            if len(readers) != 1 or tensor in self._results or len(operator.outputs) != 1:
                return None
            (reader,) = readers
            passed.append(reader)
            if reader.code == "QUANTIZE":
                quantized = reader.outputs[0]
                return _Chain(quantized, bias, activation, passed)
            other = next((each for each in reader.inputs if each is not tensor), None)
            is_bias = reader.code == "ADD" and operator.code in _PRODUCTS and bias is None and not activation
            if is_bias and other is not None and _is_vector(other, tensor.shape[-1]):
                bias = other.array
            elif reader.code in _ACTIVATIONS and not activation and operator.code in {*_PRODUCTS, *_BINARY}:
                activation = reader.code
            else:
                return None
            tensor = reader.outputs[0]

    def _product(self, operator: Operator, chain: _Chain) -> bool:
        source, weight, bias = (*operator.inputs, None)[:3]
        data = None if source is None else self._integers.get(source)
        axis = _PRODUCTS[operator.code]
        integers = None if weight is None else _integer_weight(weight, axis)
        if data is None or data.quant is None or integers is None or integers.quant is None:
            return False
        if bias is not None and bias.array is None:
            return False
        count = operator.outputs[0].shape[-1]
        real = np.zeros(count)
        for part in (None if bias is None else bias.array, chain.bias):
            real = real if part is None else real + part.reshape(-1)
        steps = data.quant.scales * integers.quant.scales
        limits = np.iinfo(np.int32)
        stored = np.clip(np.rint(real / steps), limits.min, limits.max).astype(np.int32)
        shift = Stored("bias", DType.INT32, (count,), stored, Scales(steps, np.zeros(len(steps), np.int64)))
        options = {**operator.options, **_activation(chain)}
        self._emit(operator.code, [data, integers, shift], chain.quantized, options)
        return True

    def _binary(self, operator: Operator, chain: _Chain) -> bool:
        data = [self._integer_operand(tensor) for tensor in operator.inputs]
        if any(each is None for each in data):
            return False
        self._emit(operator.code, data, chain.quantized, {**operator.options, **_activation(chain)})
        return True

    def _integer_operand(self, tensor: Stored | None) -> Stored | None:
        """The integers of an operand; those of a constant are symmetric about 0."""
        if tensor is None or tensor in self._integers or tensor.array is None:
            return None if tensor is None else self._integers.get(tensor)
        largest = float(np.abs(tensor.array).max()) if tensor.array.size else 0.0
        scale = np.array([largest / 127 if largest else 1.0])
        stored = np.rint(tensor.array / scale[0]).astype(np.int8)
        return Stored(tensor.name, DType.INT8, tensor.shape, stored, Scales(scale, np.zeros(1, np.int64)))

    def _free(self, operator: Operator, chain: _Chain) -> bool:
        source = operator.inputs[0]
        data = None if source is None else self._integers.get(source)
        if data is None:
            return False
        inputs = [data, *operator.inputs[1:]]
        if operator.code not in _SAME or _equal(data.quant, chain.quantized.quant):
            self._emit(operator.code, inputs, chain.quantized, operator.options)
        else:
            self._emit_before(operator, inputs, data.quant, chain.quantized)
        return True

    def _fixed(self, operator: Operator, chain: _Chain) -> bool:
        source = operator.inputs[0]
        data = None if source is None else self._integers.get(source)
        if data is None:
            return False
        scale, zero = _FIXED[operator.code]
        quant = Scales(np.array([scale]), np.array([zero]))
        self._emit_before(operator, [data], quant, chain.quantized)
        return True

    def _emit_before(
        self, operator: Operator, inputs: Sequence[Stored | None], quant: Scales | None, target: Stored
    ) -> None:
        """The operator with a result of this quantisation, and the QUANTIZE to that of the target."""
        if _equal(quant, target.quant):
            self._emit(operator.code, inputs, target, operator.options)
            return
        own = Stored(f"{target.name}_own", DType.INT8, target.shape, quant=quant)
        self._emit(operator.code, inputs, own, operator.options)
        self._emit("QUANTIZE", [own], target, {})


def _activation(chain: _Chain) -> dict[str, Option]:
    return {"activation": _ACTIVATIONS[chain.activation]} if chain.activation else {}


def _is_vector(tensor: Stored, size: int) -> bool:
    """Whether a tensor is a constant with one number, or one for each index of the last axis of this size."""
    if tensor.array is None:
        return False
    return tensor.size == 1 or (tensor.size == size and tensor.shape[-1] == size)


def _integer_weight(weight: Stored, axis: int) -> Stored | None:
    """The symmetric int8 of a constant whose numbers come from such; None for any other."""
    quant, array = weight.integers_of, weight.array
    if quant is None or array is None or np.any(quant.zeros):
        return None
    if len(quant.scales) > 1 and quant.axis != axis:
        return None
    shape = [-1 if n == quant.axis else 1 for n in range(array.ndim)] if len(quant.scales) > 1 else []
    stored = np.rint(array / quant.scales.reshape(shape or (1,) * array.ndim)).astype(np.int8)
    return Stored(weight.name, DType.INT8, weight.shape, stored, Scales(quant.scales, quant.zeros, axis))


def _equal(first: Scales | None, second: Scales | None) -> bool:
    if first is None or second is None:
        return False
    same = np.array_equal(first.zeros, second.zeros) and first.scales.shape == second.scales.shape
    return bool(same and np.allclose(first.scales, second.scales, rtol=1e-6, atol=0))
