"""Moves: the attributes of ops for images in NHWC, for ops whose kernels take any layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import Layout
from lite.ops import Trait, has_trait
from lite.ops.image_layout import AXES, RANK
from lite.passes.placement.cast_insertion import is_image

_TO_NHWC = AXES[Layout.NHWC]


@dataclass(frozen=True)
class Move:
    """How a node changes when its inputs are transposed to NHWC: the new values of its attributes.

    With `keeps_outputs`, the outputs do not change: they are images in NCHW or have a lower rank.
    """

    attrs: Mapping[str, AttrValue]
    keeps_outputs: bool = False


def move_of(node: Node) -> Move | None:
    """The move of a node whose kernel takes any layout; None if it has no form for NHWC."""
    images = [value for value in node.all_inputs() if is_image(value)]
    if not images or node.blocks or any(value.shape is None for value in images):
        return None
    rule = _RULES.get(node.op)
    if rule is None:
        rule = next((rule for trait, rule in _BY_TRAIT.items() if has_trait(node.op, trait)), None)
    return None if rule is None else rule(node)


def _elementwise(node: Node) -> Move | None:
    axis = node.attrs.get("axis")
    if axis is None or all(is_image(value) for value in node.all_inputs()):
        return _all_images(node)
    x, y = node.input("X"), node.input("Y")
    if not is_image(x) or y.shape is None or not isinstance(axis, int):
        return None
    if all(dim == 1 for dim in y.shape):
        return Move({"axis": -1}) if len(y.shape) <= 1 else None
    return Move({"axis": -1}) if len(y.shape) == 1 and axis % RANK == 1 else None


def _all_images(node: Node) -> Move | None:
    return Move({}) if all(is_image(value) for value in node.all_inputs()) else None


def _group(node: Node) -> Move | None:
    plain = (is_image(value) or _is_single(value) for value in node.all_inputs())
    return Move({}) if all(plain) and all(is_image(value) for value in node.all_outputs()) else None


def _is_single(value: Value) -> bool:
    return value.shape is not None and all(dim == 1 for dim in value.shape)


def _along_axis(name: str) -> Callable[[Node], Move | None]:
    def rule(node: Node) -> Move | None:
        axis = node.attrs.get(name)
        values = [*node.all_inputs(), *node.all_outputs()]
        if not isinstance(axis, int) or not all(is_image(value) for value in values):
            return None
        return Move({name: _moved(axis)})

    return rule


def _along_axes(name: str) -> Callable[[Node], Move | None]:
    def rule(node: Node) -> Move | None:
        axes = _ints(node.attrs.get(name))
        values = [*node.all_inputs(), *node.all_outputs()]
        if axes is None or node.attrs.get("decrease_axis") or not all(is_image(value) for value in values):
            return None
        return Move({name: [_moved(axis) for axis in axes]})

    return rule


def _grid(node: Node) -> Move | None:
    """Quantisation with one scale, or with one for each index of an axis."""
    axis, image = node.attrs.get("axis", 1), is_image(node.input("X"))
    if not image or node.attrs.get("block_size"):
        return None
    if all(_is_single(value) for slot in node.inputs if slot != "X" for value in node.inputs[slot]):
        return Move({})
    return Move({"axis": _moved(axis)}) if isinstance(axis, int) else None


def _lookup(node: Node) -> Move | None:
    return Move({}) if is_image(node.input("X")) else None


def _pad(node: Node) -> Move | None:
    """Without axes, the paddings are those of all axes in order."""
    axes = _ints(node.attrs.get("axes")) or range(RANK)
    values = [*node.all_inputs(), *node.all_outputs()]
    return Move({"axes": [_moved(axis) for axis in axes]}) if all(map(is_image, values)) else None


def _reduce(node: Node) -> Move | None:
    axes = _ints(node.attrs.get("dim"))
    if axes is None or sum(1 for _ in node.all_inputs()) != 1:
        return None
    if node.attrs.get("reduce_all") or not axes:
        return Move({}, keeps_outputs=not node.attrs.get("keep_dim"))
    attrs: dict[str, AttrValue] = {"dim": [_moved(axis) for axis in axes]}
    if node.attrs.get("keep_dim"):
        return Move(attrs)
    rest = [axis for axis in _TO_NHWC if axis not in {axis % RANK for axis in axes}]
    return Move(attrs, keeps_outputs=True) if rest == sorted(rest) else None


def _transpose(node: Node) -> Move | None:
    axes = _ints(node.attrs.get("axis"))
    if axes is None or len(axes) != RANK:
        return None
    return Move({"axis": [_moved(axis) for axis in axes]}, keeps_outputs=True)


def _in_format(name: str) -> Callable[[Node], Move | None]:
    """The rule of an op whose kernel reads the format of images from an attribute."""

    def rule(node: Node) -> Move | None:
        if not is_image(next(node.all_inputs())) or node.attrs.get(name, "NCHW") not in ("NCHW", "AnyLayout"):
            return None
        others = list(node.all_inputs())[1:]
        return None if any(is_image(value) for value in others) else Move({name: "NHWC"})

    return rule


def _moved(axis: int) -> int:
    return _TO_NHWC.index(axis % RANK)


def _ints(value: object) -> Sequence[int] | None:
    if isinstance(value, list | tuple) and all(isinstance(item, int) for item in value):
        return value
    return None


_RULES: Mapping[str, Callable[[Node], Move | None]] = {
    **dict.fromkeys(("concat", "softmax", "log_softmax", "split"), _along_axis("axis")),
    **dict.fromkeys(("slice", "strided_slice"), _along_axes("axes")),
    **dict.fromkeys(("flip",), _along_axes("axis")),
    **dict.fromkeys(("batch_norm", "group_norm", "affine_channel"), _in_format("data_layout")),
    **dict.fromkeys(("affine_quantize", "affine_dequantize"), _grid),
    "pad_nd": _pad,
    "quantized_group": _group,
    "quantized_lookup": _lookup,
    "prelu": _in_format("data_format"),
    "fusion_group": _group,
    "transpose2": _transpose,
}

_BY_TRAIT: Mapping[Trait, Callable[[Node], Move | None]] = {
    Trait.REDUCTION: _reduce,
    Trait.ELEMENTWISE: _elementwise,
    Trait.LAYOUT_AGNOSTIC: _all_images,
}
