"""Writes the loop of a fusion_group program as Python text, and compiles it like the other functions.

Numbers and sizes are arguments, so programs that differ only in them have the same text and machine code.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from lite.dataclass import dataclass
from lite.kernels.cpu.codes import GELU, GELU_TANH
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
    "negative": "zero - {x}",
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

_CLIP = "smaller(larger({x}, {low}), {high})"
_LINE = "smaller(larger(fma({x}, {slope}, {offset}), {low}), {high})"
"""Activations of straight lines, whose names stand for the numbers of `Clamp.folded`."""

state_instructions("cpu", {"gelu", *_FORMS, *ops_with(Trait.CLAMP)})

FULL, ALONG, SINGLE = "full", "along", "single"
"""How the loop reads an operand: like the result; the same row for each row; one element for each row."""

_COPIES = 4
"""Vectors of one iteration, computed side by side to hide the latency of their instructions."""


@dataclass(frozen=True)
class _Line:
    """An instruction as an expression with placeholders for its operands."""

    form: str
    operands: tuple[int, ...]

    def text(self, target: str, names: Callable[[int], str]) -> str:
        """The assignment to `target`, with the operands named by `names`."""
        x, y = names(self.operands[0]), names(self.operands[-1])
        return f"{target} = {self.form.format(x=x, y=y)}"


@dataclass(frozen=True)
class Codes:
    """The operands and results of a loop that are bytes, by position: the scale and zero point of each."""

    operands: Mapping[int, tuple[float, int]] = field(default_factory=dict)
    results: Mapping[int, tuple[float, int]] = field(default_factory=dict)


_NO_CODES = Codes()


def group_loop(
    instructions: Sequence[Instruction],
    operands: Sequence[str],
    results: Sequence[int],
    codes: Codes = _NO_CODES,
) -> tuple[Function, list[float]] | None:
    """The loop as a function, and its argument `numbers`; None for a program with an op without a form.

    The function takes flat arrays: the operands, read as `operands` tell, then `numbers` and the outputs;
    then `steps`, `middle`, `columns` and the range of elements.  Row r of operand n begins at element
    ``r // middle · steps[2n] + r % middle · steps[2n + 1]``.
    """
    numbers: list[float] = []
    lines: list[_Line] = []
    for each in instructions:
        form = form_of(each)
        if form is None:
            return None
        expression, values = form
        for name, value in values.items():
            if f"{{{name}}}" in expression:
                expression = expression.replace(f"{{{name}}}", f"p{len(numbers)}")
                numbers.append(value)
        lines.append(_Line(expression, each.operands))
    access = _Access.of(codes, operands, results, numbers)
    text = _text(lines, operands, results, len(numbers), access)
    return _function(text, tuple(operands), access.kinds, len(results), len(numbers)), numbers


@dataclass(frozen=True)
class _Access:
    """How each operand is loaded and each result is stored, as text, and the kinds of these arrays."""

    loads: Sequence[str]
    stores: Sequence[str]
    kinds: tuple[str, ...]

    @classmethod
    def of(
        cls, codes: Codes, operands: Sequence[str], results: Sequence[int], numbers: list[float]
    ) -> _Access:
        """Scales and zero points are added to the `numbers` of the loop."""
        loads = ["load{part}({array}, {place})"] * len(operands)
        stores = ["store{part}({value}, {array}, {place})"] * len(results)
        for n, pair in codes.operands.items():
            scale, zero = (f"p{len(numbers) + m}" for m in range(2))
            loads[n] = f"(load_codes{{part}}({{array}}, {{place}}) - {zero}) * {scale}"
            numbers += pair
        for n, pair in codes.results.items():
            scale, zero = (f"p{len(numbers) + m}" for m in range(2))
            stores[n] = f"store_codes{{part}}({{value}} / {scale}, {zero}, {{array}}, {{place}})"
            numbers += pair
        kinds = (
            *("b" if n in codes.operands else "r" for n in range(len(operands))),
            "r",
            *("c" if n in codes.results else "w" for n in range(len(results))),
        )
        return cls(loads, stores, kinds)


def form_of(each: Instruction) -> tuple[str, Mapping[str, float]] | None:
    """The expression of an instruction and the numbers that its names stand for, or None."""
    attrs = Attributes(each.op, each.attrs())
    if each.op == "gelu":
        return f"activation({GELU_TANH if attrs.flag('approximate') else GELU}, {{x}}, 0.0)", {}
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


def _text(
    lines: Sequence[_Line], operands: Sequence[str], results: Sequence[int], numbers: int, access: _Access
) -> str:
    """The function's text: `_COPIES` vectors at a time, single ones, and the rest of a row by a mask."""
    from lite.kernels.cpu.tile_sizes import LANES

    indices = range(len(operands))
    arrays = [*(f"x{n}" for n in indices), "numbers", *(f"y{n}" for n in range(len(results)))]
    offsets = {n: f"outer * steps[{2 * n}] + inner * steps[{2 * n + 1}]" for n in indices}
    along = [n for n in indices if operands[n] == ALONG]
    singles = [n for n in indices if operands[n] == SINGLE]

    def name_of(copy: int, n: int) -> str:
        return f"v{n}" if n in singles else f"v{n}_{copy}"

    def body(places: Sequence[str], suffix: str = "", count: str = "") -> list[str]:
        names = [functools.partial(name_of, copy) for copy in range(len(places))]
        copies = list(zip(places, names, strict=True))
        lines_of_body: list[str] = []
        for n in indices:
            if n not in singles:
                begin = f"b{n} + " if n in along else ""
                load = access.loads[n]
                lines_of_body += (
                    f"{name(n)} = {load.format(part=suffix, array=f'x{n}', place=f'{begin}{at}{count}')}"
                    for at, name in copies
                )
        for n, line in enumerate(lines, len(operands)):
            lines_of_body += (line.text(name(n), name) for _, name in copies)
        for n, number in enumerate(results):
            store = access.stores[n]
            lines_of_body += (
                store.format(part=suffix, value=name(number), array=f"y{n}", place=f"{at}{count}")
                for at, name in copies
            )
        return lines_of_body

    far = _COPIES * LANES
    return "\n".join(
        [
            f"def NAME({', '.join(arrays)}, steps, middle, columns, begin, end):",
            "    zero, one = splat(0.0), splat(1.0)",
            *(f"    p{n} = splat(numbers[{n}])" for n in range(numbers)),
            "    at, row = begin, begin // columns",
            "    outer, inner = row // middle, row % middle",
            "    while at < end:",
            "        last = min((row + 1) * columns, end)",
            *(f"        b{n} = {offsets[n]} - row * columns" for n in along),
            *(f"        v{n} = splat(x{n}[{offsets[n]}])" for n in singles),
            f"        several = at + (last - at) // {far} * {far}",
            f"        for n in range(at, several, {far}):",
            *(f"            {line}" for line in body([f"n + {m * LANES}" for m in range(_COPIES)])),
            f"        whole = several + (last - several) // {LANES} * {LANES}",
            f"        for n in range(several, whole, {LANES}):",
            *(f"            {line}" for line in body(["n"])),
            "        if whole < last:",
            *(f"            {line}" for line in body(["whole"], "_part", ", last - whole")),
            "        at, row, inner = last, row + 1, inner + 1",
            "        if inner == middle:",
            "            outer, inner = outer + 1, 0",
            "",
        ]
    )


@functools.cache
def _function(
    text: str, operands: tuple[str, ...], kinds: tuple[str, ...], results: int, numbers: int
) -> Function:
    """The function of a text, named by a hash of the text, under which its machine code is kept."""
    name = f"fusion_group_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    source = (text.replace("NAME", name, 1), *kinds, "n", "i", "i")
    accesses = [(access == FULL, access == ALONG) for access in operands]
    return Function(name, source, group_lengths(accesses, numbers, results))
