"""Layers: the ops whose inputs are quantised, as a table, for Paddle's ops and for ONNX's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.quantization.geometry import Geometry

Attrs = Mapping[str, AttrValue]


@dataclass(frozen=True)
class Layer:
    """An op to quantise.

    `name` is the name of its output.  `activations` are the values that change from run to run.  `weight` is
    the constant of the op, whose channels lie along `axis`; -1 means one step for all of it.  An op without
    `weight` multiplies two activations.
    """

    name: str
    op: str
    activations: tuple[str, ...]
    weight: str | None = None
    axis: int = -1
    geometry: Geometry | None = None
    is_depthwise: bool = False

    @property
    def is_dense(self) -> bool:
        """Whether it is a convolution or product that sums over all channels, with a weight of its own."""
        return self.weight is not None and not self.is_depthwise and self.op not in _TRANSPOSED


_TRANSPOSED = ("conv2d_transpose", "depthwise_conv2d_transpose", "ConvTranspose")


@dataclass(frozen=True)
class Skipped:
    """An op of a type that could be quantised, and the reason why it stays in float."""

    name: str
    op: str
    reason: str


@dataclass(frozen=True)
class LayerKind:
    """The two operands of an op, as slots of Paddle or positions of ONNX, and the axis of output channels.

    `axis` receives the rank of the second operand and the attributes.
    """

    first: str
    second: str
    axis: Callable[[int, Attrs], int]


def _filters(_rank: int, _attrs: Attrs) -> int:
    return 0


def _transposed_filters(_rank: int, attrs: Attrs) -> int:
    """Filters [in, out / groups, …]: with groups, an index of axis 1 belongs to several channels."""
    return 1 if attrs.get("groups", attrs.get("group", 1)) == 1 else -1


def _columns(*transposes: str) -> Callable[[int, Attrs], int]:
    """The last axis of a matrix, or the one before if one of the attributes `transposes` is set."""

    def axis(rank: int, attrs: Attrs) -> int:
        if rank < 2:
            return -1
        return rank - (2 if any(attrs.get(name) for name in transposes) else 1)

    return axis


def _flattened_columns(rank: int, attrs: Attrs) -> int:
    return 1 if rank == 2 and attrs.get("y_num_col_dims", 1) == 1 else -1


def is_depthwise(shape: Sequence[int], groups: AttrValue) -> bool:
    """Whether filters of this shape see one input channel each."""
    return len(shape) > 2 and shape[1] == 1 and isinstance(groups, int) and groups > 1


PADDLE: Mapping[str, LayerKind] = {
    "conv2d": LayerKind("Input", "Filter", _filters),
    "depthwise_conv2d": LayerKind("Input", "Filter", _filters),
    "conv3d": LayerKind("Input", "Filter", _filters),
    "conv2d_transpose": LayerKind("Input", "Filter", _transposed_filters),
    "depthwise_conv2d_transpose": LayerKind("Input", "Filter", _transposed_filters),
    "mul": LayerKind("X", "Y", _flattened_columns),
    "matmul": LayerKind("X", "Y", _columns("transpose_Y")),
    "matmul_v2": LayerKind("X", "Y", _columns("trans_y")),
    "bmm": LayerKind("X", "Y", _columns()),
    "fc": LayerKind("Input", "W", _columns()),
}

ONNX: Mapping[str, LayerKind] = {
    "Conv": LayerKind("0", "1", _filters),
    "ConvTranspose": LayerKind("0", "1", _transposed_filters),
    "MatMul": LayerKind("0", "1", _columns()),
    "Gemm": LayerKind("0", "1", _columns("transB")),
}
