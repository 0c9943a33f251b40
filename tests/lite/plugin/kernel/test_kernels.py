"""What the decorator that registers a kernel reads from it, and what it refuses."""

from __future__ import annotations

import pytest

from lite.errors import PluginError
from lite.ir.types import Array, Place
from lite.plugin.kernel import KERNELS, kernel, unregister

TARGET = "nowhere"


def conv(Input: Array, Filter: Array, *, groups: int) -> Array:
    raise NotImplementedError


def test_packed_slots_are_noted() -> None:
    assert kernel("conv2d", TARGET, packs=("Filter",))(conv) is conv
    entry = KERNELS.get(("conv2d", Place(TARGET)))
    unregister("conv2d", Place(TARGET))
    assert (entry.slots, entry.attrs, entry.packs) == (("Input", "Filter"), ("groups",), ("Filter",))


def test_a_kernel_packs_nothing_unless_it_says_so() -> None:
    kernel("conv2d", TARGET)(conv)
    entry = KERNELS.get(("conv2d", Place(TARGET)))
    unregister("conv2d", Place(TARGET))
    assert entry.packs == ()


@pytest.mark.parametrize("slot", ["Weight", "Bias"])
def test_packing_what_the_kernel_does_not_take_is_refused(slot: str) -> None:
    with pytest.raises(PluginError, match=rf"kernel conv2d .*: {slot}: neither a slot nor an attribute of"):
        kernel("conv2d", TARGET, packs=(slot,))(conv)
