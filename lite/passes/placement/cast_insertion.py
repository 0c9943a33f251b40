"""How the cast passes put their ops into a graph: each cast of a value once, behind what writes it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from lite.errors import PassError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import HOST, Array, Layout, Place
from lite.ops import SCHEMAS
from lite.ops.image_layout import RANK, array_into
from lite.plugin.kernel import evaluate, kernels_of
from lite.plugin.loader import load_kernels

COPIES = frozenset({"io_copy", "io_copy_once"})
CALIBS = frozenset({"calib", "calib_once"})
LAYOUTS = frozenset({"layout", "layout_once"})
CASTS = COPIES | CALIBS | LAYOUTS


class CastInsertion:
    """The casts of one graph; `changed` tells whether there are new ones or a reader got another value."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.changed = False
        self._made: dict[tuple[Value, Hashable], Value] = {}
        self._newest: dict[Node | None, Node] = {}
        """The last cast behind each node (None: in front of all nodes)."""
        self._first = next(iter(graph), None)
        self.bypassed: set[Node] = set()
        """Nodes of the model that go when nothing reads their outputs any more."""

    def found(self, value: Value, key: Hashable) -> Value | None:
        """The cast of `value` that was entered under `key`."""
        return self._made.get((value, key))

    def enter(self, value: Value, key: Hashable, cast: Value) -> Value:
        """Let every further reader that needs `key` find `cast`."""
        self._made[value, key] = cast
        return cast

    def insert(
        self, value: Value, op: str, attrs: Mapping[str, AttrValue], targets: Iterable[str], suffix: str
    ) -> Value:
        """A new node on `value`, behind its producer or at the start; its output, of the same type so far.

        It runs on the first of `targets` that has a kernel, and is ``<op>_once`` where `value` is constant.
        """
        producer = value.producer
        once = value.is_constant or (
            producer is not None and producer.op in CASTS and SCHEMAS[producer.op].once
        )
        kind = f"{op}_once" if once else op
        place = _place(kind, targets)
        newest = self._newest.get(value.producer, value.producer)
        before = self._first if newest is None else newest.next
        name = f"{value.name}.{suffix}"
        node = self.graph.add_node(kind, {"X": [value]}, {"Out": [name]}, attrs, before=before)
        node.place = place
        self._newest[value.producer] = node
        self.changed = True
        out = node.output()
        out.copy_type(value)
        out.place = Place(place.target, value.dtype, layout_of(value))
        return out

    def constant(
        self, value: Value, op: str, attrs: Mapping[str, AttrValue], suffix: str, *, as_view: bool = False
    ) -> Value:
        """A new constant: what the host's kernel of `op` makes of one; the old one goes when unused.

        With `as_view`, for layouts, it is a view of the old one's elements.
        """
        if as_view:
            data = array_into(_data(value), Layout(attrs["to"]))
        else:
            data = evaluate(op, {"X": [_data(value)]}, attrs, {"Out": 1})["Out"][0].array
        new = self.graph.add_constant(f"{value.name}.{suffix}", data)
        new.kind, new.lod_level, new.quant = value.kind, value.lod_level, value.quant
        new.place = Place(HOST, new.dtype, layout_of(value))
        self.changed = True
        return new

    def read(self, node: Node, slot: str, values: Sequence[Value]) -> None:
        """Let an input slot read `values`."""
        if any(old is not new for old, new in zip(node.inputs[slot], values, strict=True)):
            node.set_input(slot, values)
            self.changed = True

    def set_results(self, values: Sequence[Value]) -> None:
        """Let the graph return `values`."""
        if any(old is not new for old, new in zip(self.graph.results, values, strict=True)):
            self.graph.set_results(values)
            self.changed = True

    def finish(self) -> bool:
        """Drop casts and constants that lost their readers; whether the graph is another."""
        if not self.changed:
            return False
        for node in reversed(self.graph):
            is_cast = node.op in CASTS or node in self.bypassed
            if is_cast and not any(value.is_used for value in node.all_outputs()):
                self.graph.erase(node)
        self.graph.drop_unused_constants()
        return True


def target_of(value: Value) -> str:
    """Where a value lies; the host's memory where nothing was inferred."""
    return HOST if value.place is None else value.place.target


def layout_of(value: Value) -> Layout:
    """How an image lies; NCHW where nothing was inferred."""
    return Layout.NCHW if value.place is None else value.place.layout


def is_image(value: Value) -> bool:
    """Whether a value has four axes, or may have: nothing is known of its rank."""
    return value.kind is VarKind.TENSOR and (value.shape is None or len(value.shape) == RANK)


def _place(op: str, targets: Iterable[str]) -> Place:
    load_kernels([op])
    tried = list(targets)
    for target in tried:
        for kernel in kernels_of(op):
            if kernel.place.target == target:
                return kernel.place
    raise PassError(f"no kernel for {op} on {' or '.join(dict.fromkeys(tried))}; the target must bring one")


def _data(value: Value) -> Array:
    if value.data is None:
        raise PassError(f"{value!r} is no constant")
    return value.data
