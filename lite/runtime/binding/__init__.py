"""Binds a part of a plan to concrete shapes.

1. `shapes` infers the shapes, and folds instructions whose results follow from shapes and weights.  It stops
   after the first instruction whose output shapes depend on data.
2. `lanes` finds the instructions that may run at the same time.
3. `buffers` decides who owns each value's memory, and places the planned buffers in an arena; `parts` finds
   values that are parts of others.
4. `steps` prepares kernels, and makes a step of each instruction.

They work on a `Binding`, which holds what is known so far.
"""

from lite.runtime.binding.buffers import choose_storage, place_buffers
from lite.runtime.binding.lanes import assign_lanes, lane_tasks
from lite.runtime.binding.parts import choose_parts
from lite.runtime.binding.shapes import infer_shapes, region_parts
from lite.runtime.binding.state import Binding, ClosedError, RegionParts
from lite.runtime.binding.steps import make_steps
from lite.runtime.nested import MakeRuntime
from lite.runtime.segment import Segment

__all__ = ["Binding", "ClosedError", "RegionParts", "bind_segment", "region_parts"]


def bind_segment(binding: Binding, make_runtime: MakeRuntime, *, has_lanes: bool = True) -> Segment:
    """The segment that starts at ``binding.start``; raises `GraphError` when shapes do not fit the ops,
    and `ClosedError` where an open binding lacks a size that an op must have.

    `make_runtime` makes the runtimes of sub-blocks.  Without `has_lanes`, one step runs after the other.
    """
    infer_shapes(binding)
    if has_lanes:
        assign_lanes(binding)
    choose_storage(binding)
    choose_parts(binding)
    arena, layout = place_buffers(binding)
    steps, positions = make_steps(binding, make_runtime)
    return Segment(
        binding.start,
        binding.stop,
        steps,
        positions,
        binding.prefill,
        binding.fresh,
        binding.metas,
        binding.storage,
        binding.split,
        arena,
        layout,
        tuple(binding.scratch),
        uses_blas=binding.uses_blas,
        launching=binding.launching,
        is_open=binding.is_open,
        lanes=lane_tasks(binding, steps, positions),
    )
