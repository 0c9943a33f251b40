"""CastInsertion: inserts casts into a graph, each cast of a value once, after the node that writes it."""

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
    """The casts of one graph; `changed` is whether a cast was added or an input was replaced.

    `bypassed` are nodes of the model that `clean_up` erases once nothing uses their outputs.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.changed = False
        self.bypassed: set[Node] = set()
        self._casts: dict[tuple[Value, Hashable], Value] = {}
        self._newest: dict[Node | None, Node] = {}
        """The last cast after each node; the key None is for the casts before all nodes."""
        self._first = next(iter(graph), None)

    def find(self, value: Value, key: Hashable) -> Value | None:
        """The cast of a value that was entered under a key; None if there is none."""
        return self._casts.get((value, key))

    def enter(self, value: Value, key: Hashable, cast: Value) -> Value:
        """Enter a cast of a value under a key, for later readers, and return it."""
        self._casts[value, key] = cast
        return cast

    def insert(
        self, value: Value, op: str, attrs: Mapping[str, AttrValue], targets: Iterable[str], suffix: str
    ) -> Value:
        """Insert a node that reads `value`, after its producer, and return its output, of the same type.

        The node runs on the first of `targets` that has a kernel.  Its op is ``<op>_once`` if `value` is
        constant.  Raises `PassError` if no target has a kernel.
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
        """A new constant, which the host's kernel of `op` computes from an old one.

        With `as_view`, for layouts, it is a view of the elements of the old one.
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
        """Set the values of an input slot."""
        if any(old is not new for old, new in zip(node.inputs[slot], values, strict=True)):
            node.set_input(slot, values)
            self.changed = True

    def set_results(self, values: Sequence[Value]) -> None:
        """Set the results of the graph, under their present names."""
        if any(old is not new for old, new in zip(self.graph.results, values, strict=True)):
            self.graph.set_results(values)
            self.changed = True

    def clean_up(self) -> bool:
        """Erase unused casts, bypassed nodes and constants; whether the graph changed."""
        if not self.changed:
            return False
        for node in reversed(self.graph):
            is_cast = node.op in CASTS or node in self.bypassed
            if is_cast and not any(value.is_used for value in node.all_outputs()):
                self.graph.erase(node)
        self.graph.drop_unused_constants()
        return True


def target_of(value: Value) -> str:
    """The target where a value is stored; the host if none was inferred."""
    return HOST if value.place is None else value.place.target


def layout_of(value: Value) -> Layout:
    """The layout of a value; NCHW if none was inferred."""
    return Layout.NCHW if value.place is None else value.place.layout


def is_image(value: Value) -> bool:
    """Whether a value has four axes, or may have because its rank is unknown."""
    return value.kind is VarKind.TENSOR and (value.shape is None or len(value.shape) == RANK)


def _place(op: str, targets: Iterable[str]) -> Place:
    tried = list(targets)
    for target in tried:
        load_kernels([op], [target])
        for kernel in kernels_of(op):
            if kernel.place.target == target:
                return kernel.place
    raise PassError(f"no kernel for {op} on {' or '.join(dict.fromkeys(tried))}; the target must bring one")


def _data(value: Value) -> Array:
    if value.data is None:
        raise PassError(f"{value!r} is not a constant")
    return value.data
