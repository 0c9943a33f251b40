"""Special functions, and elementwise ops that few models use."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops
from lite.model_parser.paddle.pir.types import PirType

pir_ops(
    {
        "copysign": "copysign x y -> out",
        "digamma": "digamma X -> Out",
        "equal_all": "equal_all X Y -> Out",
        "erfinv": "erfinv X -> Out",
        "fmax": "elementwise_fmax X Y -> Out",
        "fmin": "elementwise_fmin X Y -> Out",
        "gammaln": "gammaln x -> out",
        "heaviside": "elementwise_heaviside X Y -> Out",
        "i0": "i0 x -> out",
        "i0e": "i0e x -> out",
        "lerp": "lerp X Y Weight -> Out",
        "lgamma": "lgamma X -> Out",
        "logit": "logit X -> Out | eps",
        "maxout": "maxout X -> Out | groups axis",
        "nextafter": "nextafter x y -> out",
        "rrelu": "rrelu X -> Out Noise | lower upper",
        "stanh": "stanh X -> Out | scale_a scale_b",
        "swiglu": "swiglu x y -> out",
    }
)


@pir_op("isclose", "allclose")
def close(node: PirNode, writer: BlockWriter) -> None:
    """`isclose` or `allclose`; constant tolerances become attributes."""
    inputs: dict[str, Operand] = {"Input": node.input(0), "Other": node.input(1)}
    attrs: dict[str, AttrValue] = {"equal_nan": node.boolean("equal_nan", False)}
    for position, name in ((2, "rtol"), (3, "atol")):
        numbers = node.input(position).numbers()
        if numbers is None or len(numbers) != 1:
            raise ModelParseError(f"operand {name!r}: expected a constant; export the tolerance as a number")
        attrs[name] = repr(float(numbers[0]))
    writer.emit(node.op, inputs, {"Out": node.output()}, attrs)


@pir_op("thresholded_relu")
def thresholded_relu(node: PirNode, writer: BlockWriter) -> None:
    """`thresholded_relu`; with a value other than 0 below the threshold, a `where`."""
    source, threshold = node.input(0), node.real("threshold", 1.0)
    value = node.real("value", 0.0)
    if not value:
        inputs: dict[str, Operand] = {"X": source}
        writer.emit("thresholded_relu", inputs, {"Out": node.output()}, {"threshold": threshold})
        return
    limit, other = (writer.unary("fill_any_like", source, {"value": number}) for number in (threshold, value))
    above = writer.new(source, PirType("above", DType.BOOL, source.shape))
    writer.emit("greater_than", {"X": source, "Y": limit}, {"Out": above})
    writer.emit("where", {"Condition": above, "X": source, "Y": other}, {"Out": node.output()})
