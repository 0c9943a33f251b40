"""Writes the loop of a fusion_group program as Python text, and compiles it like the other functions.

Numbers and sizes are arguments, so programs that differ only in them have the same text and machine code.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence

from lite.kernels.cpu.elementwise.loop_text import ALONG, FULL, NO_CODES, Access, Codes, Line, LoopText
from lite.kernels.cpu.lengths.elementwise import group_lengths
from lite.kernels.cpu.native.function import Function
from lite.ops import Trait, clamp_of, ops_with
from lite.ops.fusion_program import Instruction
from lite.plugin.kernel import Attributes
from lite.plugin.kernel.fusible import state_instructions

_FORMS: Mapping[str, str] = {
    "abs": "absolute({x})",
    "ceil": "ceil({x})",
    "clip": "smaller(larger({x}, {min}), {max})",
    "elementwise_add": "{x} + {y}",
    "elementwise_div": "{x} / {y}",
    "elementwise_max": "maximum({x}, {y})",
    "elementwise_min": "minimum({x}, {y})",
    "elementwise_mul": "{x} * {y}",
    "elementwise_sub": "{x} - {y}",
    "elu": "where_negative({x}, {alpha} * expm1_of_negative({x}), {x})",
    "erf": "erf_of({x})",
    "exp": "exp({x})",
    "floor": "floor({x})",
    "leaky_relu": "where_negative({x}, {x} * {alpha}, {x})",
    "logsigmoid": "logsigmoid_of({x})",
    "mish": "mish_of({x}, {threshold})",
    "negative": "-{x}",
    "reciprocal": "one / {x}",
    "relu": "larger({x}, zero)",
    "rsqrt": "one / sqrt({x})",
    "scale": "fma({x}, {scale}, {bias})",
    "sigmoid": "sigmoid({x})",
    "softplus": "softplus_of({x}, {beta}, {threshold})",
    "softsign": "softsign_of({x})",
    "sqrt": "sqrt({x})",
    "square": "{x} * {x}",
    "swish": "{x} * sigmoid({beta} * {x})",
    "tanh": "tanh({x})",
}
"""Each op as an expression of vectors, in which its attributes stand for vectors, too."""

WHERE = "where"
"""An instruction that only kernels use: its second operand where the first is negative, else the third."""

_CLIP = "smaller(larger({x}, {low}), {high})"
_LINE = "smaller(larger(fma({x}, {slope}, {offset}), {low}), {high})"
"""Activations of straight lines, whose names stand for the numbers of `Clamp.folded`."""

state_instructions("cpu", {"gelu", *_FORMS, *ops_with(Trait.CLAMP)})

_SHORT = (1, 2)
"""The vectors of rows that are computed several at a time."""

_LEAST_ROWS = 8
"""The rows that must follow each other for that."""


def group_loop(
    instructions: Sequence[Instruction],
    operands: Sequence[str],
    results: Sequence[int],
    codes: Codes = NO_CODES,
    columns: int = 0,
    rows: int = 0,
) -> tuple[Function, list[float]] | None:
    """The loop as a function, and its argument `numbers`; None for a program with an op without a form.

    Where many `rows` of few `columns` are known to follow each other, the loop is for rows of that length.

    The function takes flat arrays: the operands, read as `operands` tell, then `numbers` and the outputs;
    then `steps`, `second`, `middle`, `columns` and the range of elements.  With o = r // middle, row r of
    operand n begins at ``o // second · steps[3n] + o % second · steps[3n + 1] + r % middle · steps[3n + 2]``.
    """
    numbers: list[float] = []
    lines: list[Line] = []
    for each in instructions:
        form = form_of(each)
        if form is None:
            return None
        expression, values = form
        for name, value in values.items():
            if f"{{{name}}}" in expression:
                expression = expression.replace(f"{{{name}}}", f"p{len(numbers)}")
                numbers.append(value)
        lines.append(Line(expression, each.operands))
    access = Access.of(codes, operands, results, numbers)
    loop = LoopText(lines, operands, results, len(numbers), access)
    vectors = _vectors(columns) if rows >= _LEAST_ROWS else 0
    text = loop.text_of_short_rows(vectors) if vectors else loop.text()
    return _function(text, tuple(operands), access.kinds, len(results), len(numbers)), numbers


def _vectors(columns: int) -> int:
    """The vectors of a short row; 0 for others."""
    from lite.kernels.cpu.tile_sizes import LANES

    return next((count for count in _SHORT if count * LANES == columns), 0)


def form_of(each: Instruction) -> tuple[str, Mapping[str, float]] | None:
    """The expression of an instruction and the numbers that its names stand for, or None."""
    if each.op == WHERE:
        return "where_negative({x}, {second}, {y})", {}
    attrs = Attributes(each.op, each.attrs())
    if each.op == "gelu":
        return "gelu_tanh_of({x})" if attrs.flag("approximate") else "gelu_of({x})", {}
    if each.op in _FORMS:
        text = _FORMS[each.op]
        return text, {name: attrs.real(name) for name in attrs if f"{{{name}}}" in text}
    clamp = clamp_of(each.op, each.attrs())
    if clamp is None:
        return None
    line = clamp.folded()
    text = _CLIP if clamp.is_clip else _LINE
    numbers = {"slope": line.slope, "offset": line.offset, "low": line.low, "high": line.high}
    return f"{{x}} * {text}" if line.gated else text, numbers


@functools.cache
def _function(
    text: str, operands: tuple[str, ...], kinds: tuple[str, ...], results: int, numbers: int
) -> Function:
    """The function of a text, named by a hash of the text, under which its machine code is kept."""
    name = f"fusion_group_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    source = (text.replace("NAME", name, 1), *kinds, "n", "i", "i", "i")
    accesses = [(access == FULL, access == ALONG) for access in operands]
    return Function(name, source, group_lengths(accesses, numbers, results))
