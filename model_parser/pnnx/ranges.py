"""The ranges of slices: their axes, bounds and steps, as pnnx writes them."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.parameter import TO_THE_END
from lite.model_parser.pnnx.value import Value, Var

_COLUMNS = {"starts": ("start", 0), "ends": ("end", TO_THE_END), "steps": ("step", 1)}
"""Name for several axes → name for one, and the default."""


@dataclass(frozen=True)
class Ranges:
    """A range along each of some axes; `selected` axes have one element and are dropped."""

    axes: list[int]
    starts: list[Value]
    ends: list[Value]
    steps: list[Value]
    selected: list[int]


def ranges_of(call: Call) -> Ranges:
    """The ranges of a slice of the first input; an entry of ``selects`` picks one element."""
    name = "dims" if call.has("dims") else "dim"
    axes, count = call.axes(name, call.x, 0), len(call.items(name, [0]))
    columns = {plural: _column(call, plural, *rest, count) for plural, rest in _COLUMNS.items()}
    selects = _column(call, "selects", "select", TO_THE_END, count)
    selected = [n for n, index in enumerate(selects) if index != TO_THE_END]
    for n in selected:
        columns["starts"][n], columns["steps"][n] = selects[n], 1
        columns["ends"][n] = end_of_one(call, selects[n])
    return Ranges(axes, **columns, selected=[axes[n] for n in selected])


def _column(call: Call, plural: str, singular: str, default: int, count: int) -> list[Value]:
    name = singular if call.has(singular) and not call.has(plural) else plural
    column = call.sizes(name, [default] * count)
    if len(column) != count:
        raise call.error(f"argument {name}: expected {count} numbers, got {column}")
    return column


def end_of_one(call: Call, index: Value) -> Value:
    """The end of a slice that takes only the element at `index`.

    For -1, the last element, it is the end of the axis: the end -1 + 1 = 0 would give an empty slice.
    """
    if isinstance(index, Var):
        number = call.writer.cast(index, DType.INT32)
        return call.writer.unary("increment", number, {"step": 1.0})
    return TO_THE_END if index == -1 or not isinstance(index, int) else index + 1
