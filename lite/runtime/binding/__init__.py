"""Bind a plan to concrete shapes: infer, fold what is known, place buffers, prepare kernels.

Binding stops behind the first instruction whose output shapes depend on data; the next segment is
bound when a run has got there.
"""

from lite.runtime.binding.buffers import choose_storage, place_buffers
from lite.runtime.binding.shapes import infer_shapes
from lite.runtime.binding.state import Binding
from lite.runtime.binding.steps import make_steps
from lite.runtime.nested import MakeRuntime
from lite.runtime.segment import Segment

__all__ = ["Binding", "bind_segment"]


def bind_segment(binding: Binding, make_runtime: MakeRuntime) -> Segment:
    """The segment that begins at ``binding.start``; raises `GraphError` when shapes do not fit the ops."""
    infer_shapes(binding)
    choose_storage(binding)
    arena_bytes, layout = place_buffers(binding)
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
        arena_bytes,
        layout,
        tuple(binding.scratch),
    )
