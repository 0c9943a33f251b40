"""The decorator `kernel` reads slots and attributes, and refuses kernels that do not fit their op."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from lite.errors import PluginError
from lite.ir.types import Array, Place
from lite.ops import get_schema
from lite.ops.image_attributes import QuantizingAttributes
from lite.plugin.kernel import (
    KERNELS,
    Attributes,
    Kernel,
    KernelFunction,
    PrepareContext,
    kernel,
    unregister,
)

TARGET = "nowhere"

CONV_SLOTS = ("Input", "Filter", "Bias", "ResidualData", "PostScale", "PostShift")


@pytest.fixture(autouse=True)
def _forget_registered() -> Iterator[None]:
    yield
    for op, place in KERNELS:
        if place.target == TARGET:
            unregister(op, place)


def registered(op: str) -> Kernel:
    return KERNELS.get((op, Place(TARGET)))


def conv(Input: Array, Filter: Array, *, groups: int) -> Array:
    raise NotImplementedError


def decline(ctx: PrepareContext) -> KernelFunction | None:
    return None


def test_the_decorator_returns_the_function() -> None:
    assert kernel("conv2d", TARGET)(conv) is conv


def test_slots_and_attributes_are_read_from_the_parameters() -> None:
    kernel("conv2d", TARGET, packs=("Filter",))(conv)
    entry = registered("conv2d")
    assert (entry.slots, entry.attrs, entry.packs) == (("Input", "Filter"), ("groups",), ("Filter",))
    assert entry.keywords({"groups": 2, "strides": [1, 1]}) == {"groups": 2}
    assert not (entry.takes_out)
    assert not (entry.takes_lods)
    assert not (entry.takes_metas)
    assert (entry.prepare, entry.fallback) == (None, None)


def test_reserved_parameters_are_no_attributes() -> None:
    @kernel("relu", TARGET)
    def relu(X: Array, *, out: Any, lods: Any, metas: Any) -> Array:
        raise NotImplementedError

    entry = registered("relu")
    assert entry.attrs == ()
    assert entry.takes_out
    assert entry.takes_lods
    assert entry.takes_metas


def test_a_kernel_packs_no_weights_by_default() -> None:
    kernel("conv2d", TARGET)(conv)
    assert registered("conv2d").packs == ()


def test_slots_are_listed_for_a_function_of_any_arrays() -> None:
    @kernel("concat", TARGET, slots=("X", "AxisTensor"))
    def concat(*arrays: Array, axis: int) -> Array:
        raise NotImplementedError

    assert registered("concat").slots == ("X", "AxisTensor")


def test_attributes_fill_a_dataclass() -> None:
    @kernel("conv2d", TARGET, attrs=QuantizingAttributes)
    def conv2d(Input: Array, Filter: Array, *, attrs: QuantizingAttributes, out: Array) -> Array:
        raise NotImplementedError

    entry = registered("conv2d")
    values = get_schema("conv2d").attr_values({"paddings": [1, 2], "activation_params": [2]})
    [attrs] = entry.keywords(values).values()
    assert isinstance(attrs, QuantizingAttributes)
    assert (attrs.paddings, attrs.activation_params, attrs.groups) == ((1, 2), (2.0,), 1)
    assert set(entry.attrs) == set(get_schema("conv2d").attrs)


def test_a_kernel_may_receive_all_attributes_by_name() -> None:
    @kernel("hard_sigmoid", TARGET, attrs=Attributes)
    def hard_sigmoid(X: Array, *, attrs: Attributes) -> Array:
        raise NotImplementedError

    entry = registered("hard_sigmoid")
    [attrs] = entry.keywords({"slope": 0.5, "offset": 1.0}).values()
    assert (attrs.real("slope"), dict(attrs)) == (0.5, {"slope": 0.5, "offset": 1.0})
    assert entry.attrs == ("slope", "offset")


def test_with_a_fallback_the_function_prepares() -> None:
    assert kernel("conv2d", TARGET, packs=("Filter", "Bias"), fallback="host")(decline) is decline
    entry = registered("conv2d")
    assert (entry.prepare, entry.fallback, entry.slots) == (decline, "host", CONV_SLOTS)
    assert entry.takes_out
    with pytest.raises(PluginError, match=r"test_kernels\.py:\d+: kernel conv2d .* only prepares"):
        entry.run(np.zeros(1))


def test_slots_of_a_prepared_function_are_listed() -> None:
    kernel("conv2d", TARGET, slots=("Input",), packs=("Filter",), fallback="host")(decline)
    entry = registered("conv2d")
    assert (entry.slots, entry.packs) == (("Input",), ("Filter",))


def test_a_partial_function_is_its_functions_file_and_module() -> None:
    def prepare(op: str, ctx: PrepareContext) -> KernelFunction | None:
        return None

    kernel("relu", TARGET, fallback="host")(functools.partial(prepare, "relu"))
    assert KERNELS.owner(("relu", Place(TARGET))) == __name__


@dataclass(frozen=True)
class Misspelled:
    group: int


@dataclass(frozen=True)
class Mistyped:
    strides: tuple[float, ...]


@dataclass(frozen=True)
class Unreadable:
    strides: list[int]


def with_attrs(X: Array, *, attrs: Any) -> Array:
    raise NotImplementedError


def one_array(Input: Array) -> Array:
    raise NotImplementedError


def with_arrays(*arrays: Array) -> Array:
    raise NotImplementedError


def with_keywords(X: Array, **keywords: Any) -> Array:
    raise NotImplementedError


@pytest.mark.parametrize(
    ("op", "arguments", "function", "problem"),
    [
        ("con2d", {}, conv, "no op of that name has a schema; did you mean .*conv2d"),
        ("relu", {}, conv, "'Input' is not an input slot of relu; it has X"),
        ("matmul_v2", {}, with_attrs, "parameter 'attrs' is not an attribute of matmul_v2; it has trans_x"),
        ("conv3d", {"slots": ("Filters",)}, conv, "'Filters' is not an input slot .*; did you mean 'Filter'"),
        (
            "conv2d",
            {"packs": ("Weight",)},
            conv,
            "packs 'Weight', which is not among its slots: Input, Filter",
        ),
        ("conv2d", {"packs": ("Bias",)}, conv, "packs 'Bias', which is not among its slots: Input, Filter"),
        ("relu", {}, with_arrays, r"\*arrays names no input slots; list them with slots="),
        ("relu", {}, with_keywords, r"\*\*keywords names no attributes; use attrs="),
        (
            "conv2d",
            {"attrs": QuantizingAttributes},
            conv,
            "attrs=QuantizingAttributes .* 'attrs' .* found: groups",
        ),
        (
            "matmul_v2",
            {"attrs": QuantizingAttributes},
            with_attrs,
            "field of QuantizingAttributes 'strides' is not an attr",
        ),
        (
            "pool2d",
            {"attrs": Misspelled},
            with_attrs,
            "field of Misspelled 'group' is not an attribute of pool2d",
        ),
        (
            "pool2d",
            {"attrs": Mistyped},
            with_attrs,
            r"Mistyped\.strides is tuple\[float, \.\.\.\], but the attribute of pool2d is INTS",
        ),
        (
            "pool2d",
            {"attrs": Unreadable},
            with_attrs,
            r"Unreadable\.strides is list\[int\], not one of int, ",
        ),
        ("pool2d", {"attrs": int}, with_attrs, "attrs=int: int is not a dataclass"),
        ("conv2d", {"fallback": TARGET}, decline, "its fallback 'nowhere' is its own target"),
        ("conv2d", {"fallback": "host"}, conv, "takes one PrepareContext; this one takes Input, Filter"),
        (
            "conv2d",
            {"fallback": "host"},
            one_array,
            "takes one PrepareContext; this one takes Input",
        ),
        ("conv2d", {"fallback": "host", "slots": ("X",)}, decline, "'X' is not an input slot of conv2d"),
        ("conv2d", {"fallback": "host", "packs": ("X",)}, decline, "packs 'X', which is not among its slots"),
        ("conv2d", {"fallback": "host", "prepare": decline}, decline, "leave out prepare= and attrs="),
        ("sequence_pool", {"fallback": "host"}, decline, "kernels of sequence_pool return LoDs"),
    ],
)
def test_a_kernel_that_does_not_fit_its_op_is_refused(
    op: str, arguments: dict[str, Any], function: Callable[..., Any], problem: str
) -> None:
    register: Any = kernel
    with pytest.raises(
        PluginError, match=rf"test_kernels\.py:\d+: kernel {op} \(nowhere/any/any\): .*{problem}"
    ):
        register(op, TARGET, **arguments)(function)
    assert (op, Place(TARGET)) not in KERNELS


def test_registering_twice_names_both_modules() -> None:
    kernel("relu", TARGET)(relu)
    with pytest.raises(PluginError, match=f"by {__name__} and by {__name__}"):
        kernel("relu", TARGET)(relu)


def relu(X: Array) -> Array:
    raise NotImplementedError
