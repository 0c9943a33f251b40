"""The cache key of a device model: a region's ops, weights and signature, and its device.

The ops enter the key as text that does not depend on the names of values: values are numbered in the order
in which the text mentions them, and so are the names of symbolic sizes.  A renamed variable inside the
region, therefore, gives the same key.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lite.cache.key import CacheKey, KeyPart, dataclass_fields
from lite.cache.model_store import ArrayDigests
from lite.cache.source_digest import device_digest
from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.text_print import attribute_text, quant_text
from lite.ir.types import UNKNOWN, Array, Dim, Shape
from lite.ops.view import Meta
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device, Signature
from lite.version import VERSION

KEY_VERSION = 1
"""The version of the keys' layout; keys of different versions share no entry."""

_KINDS = {kind: kind.name.lower() for kind in VarKind}

_quoted = functools.cache(json.dumps)
"""The names of ops, slots and attributes as JSON strings; there are few of them."""


def region_key(
    graph: Graph, signature: Signature, device: Device[Any], spec: str, weights: ArrayDigests
) -> CacheKey:
    """The key of a region's model for a signature; `spec` is the text that named the device.

    Raises `CompileError` when the device fails to report its version.
    """
    symbols = Symbols()
    metas = [_meta_text(meta, symbols, weights) for meta in signature]
    region = RegionText(graph, symbols)
    version = str(at_boundary(device.name, "reading its version", device.version))
    names = [arg.label for arg in graph.args]
    source, files = device_digest(device, graph)
    options, settings = dataclass_fields(device.options), dataclass_fields(device.settings)
    arrays = [_data(value) for value in region.constants]
    total = sum(array.nbytes for array in arrays)
    return CacheKey.of(
        [
            KeyPart.of("key version", [str(KEY_VERSION)], str(KEY_VERSION)),
            KeyPart.of("litebridge version", [VERSION], VERSION),
            KeyPart.of("device", [device.name], device.name),
            KeyPart.of("options", [spec, *options], spec),
            KeyPart.of("settings", settings, ", ".join(settings)),
            KeyPart.of("device version", [version], version),
            KeyPart.of("ops", [region.text], f"{len(graph)} ops"),
            KeyPart.of(
                "boundary",
                [str(len(names)), *names, *graph.result_names],
                f"{', '.join(names)} -> {', '.join(graph.result_names)}",
            ),
            KeyPart.of("signature", metas, ", ".join(metas)),
            KeyPart.of("weights", weights.digests(arrays), f"{len(arrays)} arrays of {total} bytes"),
            KeyPart("device source", source, f"{files} files"),
        ]
    )


class Symbols:
    """Numbers the names of symbolic sizes in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def shape(self, shape: Shape | None) -> str:
        """``[1,3,?,s0]``; ``[*]`` for an unknown rank."""
        return "[*]" if shape is None else f"[{','.join(self._dim(dim) for dim in shape)}]"

    def _dim(self, dim: Dim) -> str:
        if not isinstance(dim, str):
            return str(int(dim))
        return dim if dim == UNKNOWN else f"s{self._numbers.setdefault(dim, len(self._numbers))}"


class RegionText:
    """The text of a graph and of those nested in it; `constants` in the order in which the text reads them.

    The names and the elements of constants are not part of the text.
    """

    def __init__(self, graph: Graph, symbols: Symbols) -> None:
        self.constants: list[Value] = []
        self._symbols = symbols
        self._numbers: dict[Value, int] = {}
        self.text = "\n".join(self._graph(graph)) + "\n"

    def _graph(self, graph: Graph) -> Iterator[str]:
        yield f"graph({', '.join(self._definition(value) for value in graph.args)})"
        for node in graph:
            yield self._node(node)
            for block in node.blocks:
                yield from self._graph(block)
        yield f"return {', '.join(self._use(value) for value in graph.results)}"

    def _node(self, node: Node) -> str:
        inputs = self._slots({slot: [self._use(v) for v in values] for slot, values in node.inputs.items()})
        # Outputs are numbered by the order of slot names, not by the order in which the op lists them.
        outputs = self._slots(
            {s: [self._definition(v) for v in node.outputs[s]] for s in sorted(node.outputs)}
        )
        attrs = self._braces({name: attribute_text(value) for name, value in node.attrs.items()})
        place = "" if node.place is None else f" @{node.place}"
        effect = " effect" if node.effect else ""
        return f"{_quoted(node.op)} {inputs} {attrs} -> {outputs}{place}{effect} {len(node.blocks)}"

    def _slots(self, slots: Mapping[str, Sequence[str]]) -> str:
        return self._braces({slot: f"[{', '.join(values)}]" for slot, values in slots.items()})

    def _braces(self, items: Mapping[str, str]) -> str:
        return f"{{{', '.join(f'{_quoted(name)}: {items[name]}' for name in sorted(items))}}}"

    def _definition(self, value: Value) -> str:
        self._numbers[value] = len(self._numbers)
        return f"{self._use(value)} {self._type(value)}"

    def _use(self, value: Value) -> str:
        if value not in self._numbers:
            self.constants.append(value)
            return f"{self._definition(value)} const"
        return f"%{self._numbers[value]}"

    def _type(self, value: Value) -> str:
        quant = "" if value.quant is None else f" {quant_text(value.quant)}"
        place = "" if value.place is None else f" @{value.place}"
        dtype = UNKNOWN if value.dtype is None else value.dtype.label
        shape = self._symbols.shape(value.shape)
        return f"{_KINDS[value.kind]} {dtype}{shape} lod{value.lod_level}{quant}{place}"


def _meta_text(meta: Meta, symbols: Symbols, weights: ArrayDigests) -> str:
    text = f"{meta.dtype}{symbols.shape(meta.shape)}"
    if meta.is_array:
        text += " array"
    if meta.lod:
        text += f" lod {meta.lod}"
    return text if meta.value is None else f"{text} = {weights.digests([meta.value])[0]}"


def _data(value: Value) -> Array:
    if value.data is None:
        raise GraphError(f"{value!r} is read in a region, but no op of the region writes it")
    return value.data
