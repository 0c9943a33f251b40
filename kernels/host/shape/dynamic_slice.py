"""dynamic_slice on the host."""

from lite.ops.ranges import dynamic_box
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel


@kernel("dynamic_slice")
def dynamic_slice(Input: Array, Starts: Array, Ends: Array, Axes: Array | None, Steps: Array | None) -> Array:
    """A range of each of some axes, counted and clamped as Python does (ONNX Slice)."""
    box = dynamic_box(
        Input.ndim, integers((), Starts), integers((), Ends), integers((), Axes), integers((), Steps)
    )
    return Input[tuple(box)].copy()
