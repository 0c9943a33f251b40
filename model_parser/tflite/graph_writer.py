"""The writer of the ops and variables of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.ir.fresh_names import FreshNames
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import Array, DType, Shape
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.schema import ACTIVATIONS
from lite.model_parser.tflite.tensors import Quantisation, Tensor
from lite.model_parser.tflite.variables import ResourceVariables
from lite.ops import get_schema

Names = str | Sequence[str] | None
"""The variables in a slot."""

TO_NCHW = [0, 3, 1, 2]
TO_NHWC = [0, 2, 3, 1]


@dataclass(frozen=True)
class Step:
    """An op from X to Out that follows another one."""

    op: str
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    inputs: Mapping[str, Names] = field(default_factory=dict)


_ACTIVATION_STEPS: dict[str, list[Step]] = {
    "NONE": [],
    "RELU": [Step("relu")],
    "RELU_N1_TO_1": [Step("clip", {"min": -1.0, "max": 1.0})],
    "RELU6": [Step("relu6")],
    "TANH": [Step("tanh")],
}


class GraphWriter:
    """Adds ops and variables to a block of a program, by default the main one.

    `_images` maps tensors to variables with the same elements as [N, C, H, W], and `pairs` complex tensors,
    which have no variable of their own, to variables of (real, imaginary) in one more axis.  `states` are the
    tensors that the interpreter keeps from run to run, and `producers` has the operator of the block that
    computes a tensor, by the tensor's name.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.block = program.blocks[0]
        self.variables = ResourceVariables()
        self.states: list[str] = []
        self.producers: dict[str, TfliteNode] = {}
        self._names = {"feed", "fetch"}
        self._fresh = FreshNames(self._names.__contains__)
        self._real: dict[str, str] = {}
        self._images: dict[str, str] = {}
        self.pairs: dict[str, str] = {}

    def nested(self) -> GraphWriter:
        """A writer of a new block inside this one."""
        inner = GraphWriter(self.program)
        inner.block = Block(len(self.program.blocks), self.block.index)
        self.program.blocks.append(inner.block)
        inner.variables, inner._names, inner._fresh = self.variables, self._names, self._fresh
        return inner

    def new_name(self, base: str) -> str:
        """`base`, with a number where a variable has this name."""
        name = self._fresh.find(base or "tensor")
        self._names.add(name)
        return name

    def emit(
        self,
        op: str,
        inputs: Mapping[str, Names],
        outputs: Mapping[str, Names],
        attrs: Mapping[str, AttrValue] | None = None,
    ) -> None:
        """Add an op; attributes get the types of its schema."""
        schema = get_schema(op)
        slots = {slot: _as_list(names) for slot, names in outputs.items()}
        for name in (name for names in slots.values() for name in names):
            self.block.vars.setdefault(name, Var(name))
        typed = {name: Attribute(schema.attrs[name].type, value) for name, value in (attrs or {}).items()}
        self.block.ops.append(
            Op(op, {slot: _as_list(names) for slot, names in inputs.items() if names}, slots, typed)
        )

    def write_outer(self, source: str, name: str) -> None:
        """Copy a variable to one of an enclosing block."""
        self.block.ops.append(Op("assign", {"X": [source]}, {"Out": [name]}))

    def run_block(self, op: str, inputs: Mapping[str, Names], outputs: Sequence[str], block: Block) -> None:
        """Add an op that runs a nested block as long as, or if, one condition holds."""
        attrs = {"is_scalar_condition": True} if op == "conditional_block" else {}
        self.emit(op, inputs, {"Out": outputs}, attrs)
        self.block.ops[-1].attrs["sub_block"] = Attribute(AttrType.BLOCK, block.index)

    def step(self, source: str, step: Step, out: str | None = None) -> str:
        """Add the op of a step; its result, by default a new variable."""
        out = out or self.new_name(source)
        self.emit(step.op, {"X": source, **step.inputs}, {"Out": out}, step.attrs)
        return out

    def unary(self, op: str, source: str, attrs: Mapping[str, AttrValue] | None = None) -> str:
        """Add an op from X to Out; its result, a new variable."""
        return self.step(source, Step(op, attrs or {}))

    def binary(self, op: str, first: str, second: str) -> str:
        """Add an op from X and Y to Out; its result, a new variable."""
        return self.step(first, Step(op, {}, {"Y": second}))

    def weight(self, base: str, array: Array) -> str:
        """A new parameter with these elements."""
        name = self.new_name(base)
        self.add_weight(name, array)
        return name

    def add_weight(self, name: str, array: Array) -> None:
        """Add a parameter of this name."""
        array = np.ascontiguousarray(array).reshape(array.shape)
        array.flags.writeable = False
        dtype = DType.from_numpy(array.dtype)
        main = self.program.blocks[0]
        main.vars[name] = Var(name, VarKind.TENSOR, dtype, array.shape, 0, persistable=True)
        self.program.weights[name] = Weight(array)

    def name(self, tensor: Tensor) -> str:
        """The variable of a tensor in stored form; a constant is added when it is first used."""
        if tensor.elements is not None:
            if tensor.name not in self.program.weights:
                self.add_weight(tensor.name, tensor.elements)
        elif tensor.name in self.pairs:
            raise ModelParseError(f"tensor {tensor.name!r}: complex numbers are not supported here")
        elif tensor.name not in self.block.vars:
            raise ModelParseError(f"tensor {tensor.name!r} is not computed before it is used")
        return tensor.name

    def real(self, tensor: Tensor) -> str:
        """The variable of a tensor in real numbers: dequantised if it is quantised."""
        if tensor.quantisation is None:
            return self.name(tensor)
        if tensor.name not in self._real:
            self._real[tensor.name] = self._dequantised(tensor, tensor.quantisation)
        return self._real[tensor.name]

    def _dequantised(self, tensor: Tensor, quantisation: Quantisation) -> str:
        """A constant of int64, as a bias beside activations of 16 bits is, is dequantised here."""
        if tensor.elements is not None and tensor.dtype is DType.INT64:
            return self.weight(tensor.name, quantisation.real(tensor.elements))
        return self.dequantised(self.name(tensor), quantisation)

    def image(self, tensor: Tensor) -> str:
        """An image [N, H, W, C] in real numbers as [N, C, H, W]."""
        if tensor.rank != 4:
            raise ModelParseError(
                f"tensor {tensor.name!r}: expected an image of rank 4, got rank {tensor.rank}"
            )
        name = self.stored_image(tensor)
        quantisation = tensor.quantisation
        return name if quantisation is None else self.dequantised(name, quantisation)

    def stored_image(self, tensor: Tensor) -> str:
        """An image [N, H, W, C] as [N, C, H, W], in stored form."""
        name = self.name(tensor)
        if name not in self._images:
            self._images[name] = self.unary("transpose2", name, {"axis": TO_NCHW})
        return self._images[name]

    def operands(self, tensors: Sequence[Tensor]) -> tuple[list[str], bool]:
        """The operands of an elementwise op in real numbers, and whether they are [N, C, H, W].

        They are where an op wrote one of them in that order, and the others are images or constants.
        """
        is_image = any(tensor.name in self._images for tensor in tensors) and all(
            tensor.rank == 4 if tensor.elements is None else tensor.rank <= 4 and _has_one_scale(tensor)
            for tensor in tensors
        )
        return [self._operand(tensor) if is_image else self.real(tensor) for tensor in tensors], is_image

    def _operand(self, tensor: Tensor) -> str:
        """An image, or a constant that broadcasts to images, as [N, C, H, W]."""
        if tensor.elements is None:
            return self.image(tensor)
        shape = (1,) * (4 - tensor.rank) + tensor.elements.shape
        name = self.weight(tensor.name, tensor.elements.reshape(shape).transpose(TO_NCHW))
        return name if tensor.quantisation is None else self.dequantised(name, tensor.quantisation)

    def has_image(self, tensor: Tensor) -> bool:
        """Whether an op wrote the tensor as [N, C, H, W]."""
        return tensor.name in self._images

    def filters(self, tensor: Tensor, order: Sequence[int]) -> str:
        """Filters in real numbers with their axes in another order."""
        if tensor.elements is None:
            return self.unary("transpose2", self.real(tensor), {"axis": list(order)})
        name = self.weight(tensor.name, tensor.elements.transpose(order))
        quantisation = tensor.quantisation
        if quantisation is None:
            return name
        axis = list(order).index(quantisation.axis) if quantisation.axis in order else 0
        return self.dequantised(name, Quantisation(quantisation.scale, quantisation.zero_point, axis))

    def dequantised(self, name: str, quantisation: Quantisation) -> str:
        """Add an `affine_dequantize`."""
        return self.step(name, self._affine(name, "affine_dequantize", quantisation, {}))

    def write(
        self,
        node: TfliteNode,
        op: str,
        inputs: Mapping[str, Names],
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        slot: str = "Out",
        position: int = 0,
        is_image: bool = False,
        is_stored: bool = False,
    ) -> None:
        """Add an op that computes an output: after it the fused activation, a quantisation, a transpose.

        `is_image`: the op writes [N, C, H, W].  `is_stored`: the op writes the output in
        stored form.
        """
        output = node.output(position)
        if output.elements is not None:
            raise ModelParseError(f"output {output.name!r}: expected a tensor without elements")
        steps = self._activation(node)
        if output.quantisation is not None and not is_stored:
            attr: dict[str, AttrValue] = {"dtype": output.dtype.code}
            steps = [*steps, self._affine(output.name, "affine_quantize", output.quantisation, attr)]
        if is_image:
            steps = [*steps, Step("transpose2", {"axis": TO_NHWC})]
        name = output.name if not steps else self.new_name(output.name)
        self.emit(op, inputs, {slot: name}, attrs)
        for number, step in enumerate(steps, 1):
            if is_image and number == len(steps):
                self._images[output.name] = name
            name = self.step(name, step, output.name if number == len(steps) else None)
        self.declare(output)

    def moved(self, node: TfliteNode, tensors: Sequence[Tensor]) -> tuple[list[str], bool]:
        """The variables of tensors whose elements an op moves, and whether they are in stored form.

        They are where all of them and the outputs have one quantisation, or none; else they are real numbers.
        """
        first, *others = [tensor.quantisation for tensor in (*tensors, *node.outputs)]
        if all(are_equal(first, other) for other in others):
            return [self.name(tensor) for tensor in tensors], True
        return [self.real(tensor) for tensor in tensors], False

    def move(
        self,
        node: TfliteNode,
        op: str,
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        input_slot: str = "X",
        slot: str = "Out",
        others: Mapping[str, Names] | None = None,
    ) -> None:
        """Add an op that moves the elements of the first input."""
        (source,), is_stored = self.moved(node, [node.input(0)])
        self.write(node, op, {input_slot: source, **(others or {})}, attrs, slot=slot, is_stored=is_stored)

    def declare(self, tensor: Tensor) -> None:
        """Give the variable of a tensor the declared type."""
        self.block.vars[tensor.name] = Var(tensor.name, VarKind.TENSOR, tensor.dtype, tensor.shape, 0)

    def _activation(self, node: TfliteNode) -> list[Step]:
        if not node.has_option("activation"):
            return []
        number = node.integer("activation")
        name = ACTIVATIONS.get(number, str(number))
        if name not in _ACTIVATION_STEPS:
            raise ModelParseError(f"the fused activation {name} is not supported")
        return _ACTIVATION_STEPS[name]

    def _affine(self, base: str, op: str, quantisation: Quantisation, attrs: Mapping[str, AttrValue]) -> Step:
        is_single = quantisation.scale.size == 1
        shape: Shape = () if is_single else quantisation.scale.shape
        inputs = {
            "Scale": self.weight(f"{base}.scale", quantisation.scale.reshape(shape)),
            "ZeroPoint": self.weight(f"{base}.zero_point", quantisation.zero_point.reshape(shape)),
        }
        return Step(op, {"axis": 0 if is_single else quantisation.axis, **attrs}, inputs)

    def add_feed(self, tensor: Tensor) -> None:
        """Make a tensor an input."""
        self.declare(tensor)
        self.block.vars[tensor.name].need_check_feed = True
        self.block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
        self.block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [tensor.name]}, self._column("feed")))

    def add_fetch(self, tensor: Tensor) -> None:
        """Make a tensor an output."""
        self.block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
        inputs = {"X": [self.name(tensor)]}
        self.block.ops.append(Op("fetch", inputs, {"Out": ["fetch"]}, self._column("fetch")))

    def _column(self, op: str) -> dict[str, Attribute]:
        column = sum(other.type == op for other in self.block.ops)
        return {"col": Attribute(AttrType.INT, column)}


def _has_one_scale(tensor: Tensor) -> bool:
    return tensor.quantisation is None or tensor.quantisation.scale.size == 1


def are_equal(first: Quantisation | None, second: Quantisation | None) -> bool:
    """Whether both mean the same numbers, or there is none."""
    return first is second if first is None or second is None else first.equals(second)


def _as_list(names: Names) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)
