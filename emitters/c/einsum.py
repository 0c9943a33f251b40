"""Products over named axes."""

from __future__ import annotations

from lite.emitters.c.loops import index, loops, strides_of
from lite.ir.types import DType
from lite.ops.einsum_terms import expanded
from lite.plugin.emitter import Emission, EmitOp, emitter


@emitter("c", "einsum")
def einsum(op: EmitOp, out: Emission) -> str | None:
    """Loops over all names; the last axis of the result is inside, so that compilers make vectors of it."""
    operands, y = op.all("Operands"), op.out()
    if any(value.dtype is not y.dtype for value in operands) or y.dtype not in (DType.FLOAT32, DType.FLOAT64):
        return f"has no form to {y} from {', '.join(map(str, operands))}"
    axes, wanted = expanded(op.text("equation"), [value.rank for value in operands])
    sizes: dict[str, int] = {}
    for value, letters in zip(operands, axes, strict=True):
        for letter, size in zip(letters, value.shape, strict=True):
            sizes[letter] = max(sizes.get(letter, 1), size) if size else 0
    inside = [letter for letter in sizes if letter not in wanted]
    order = [*wanted[:-1], *inside, *wanted[-1:]]
    out.write(y, "y")
    factors = []
    for n, (value, letters) in enumerate(zip(operands, axes, strict=True)):
        out.read(value, f"x{n}")
        steps = dict.fromkeys(order, 0)
        for letter, size, stride in zip(letters, value.shape, strides_of(value.shape), strict=True):
            steps[letter] += 0 if size == 1 else stride
        factors.append(f"x{n}[{index([steps[letter] for letter in order])}]")
    to = dict(zip(wanted, strides_of([sizes[letter] for letter in wanted]), strict=True))
    at = f"y[{index([to.get(letter, 0) for letter in order])}]"
    if inside:
        out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] = 0;")
    sign = "+=" if inside else "="
    out.code(
        *loops(
            [sizes[letter] for letter in order] or [1],
            [f"{at} {sign} {' * '.join(factors)};"],
            parallel=bool(wanted),
        )
    )
    return None
