"""Graph → text; `lite.ir.text` documents the grammar."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Quant, Rounding, Value
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import UNKNOWN, Array, Dim, DType, Place, Shape

KEYWORDS = frozenset({"graph", "return", "const", "effect", "lod", "quant", "random", "true", "false"})
"""Words of the grammar; names that equal one of them are quoted."""

DEFAULT_SLOT = "Out"
"""The output slot whose name is omitted."""

MOST_INLINE = 16
"""The most elements of a constant that is printed with its elements."""

_UNKNOWN_TYPE = "?[*]"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_VALUE_NAME = re.compile(r"[A-Za-z0-9_.]+")


def print_graph(graph: Graph) -> str:
    """The text of a graph and the graphs nested in it, ending in a newline."""
    return "\n".join(_graph_lines(graph, "")) + "\n"


def constant_key(array: Array) -> str:
    """The key of an array: the first 8 hexadecimal digits of SHA-256 over dtype, shape and elements."""
    dtype = DType.from_numpy(array.dtype)
    content = (
        _elements_text(array).encode("utf-8", "surrogatepass") if dtype is DType.STRING else array.tobytes()
    )
    return hashlib.sha256(f"{dtype}{list(array.shape)}".encode() + content).hexdigest()[:8]


def constants_by_key(graph: Graph) -> dict[str, Array]:
    """The arrays that `parse_graph` needs for the text of this graph."""
    arrays = (value.data for inner in graph.walk(regions=True) for value in inner.constants.values())
    return {constant_key(array): array for array in arrays if array is not None and array.size > MOST_INLINE}


def value_text(value: Value) -> str:
    """``%name`` or ``%name#version``, with quotes if the name needs them."""
    name = value.name if _VALUE_NAME.fullmatch(value.name) else _quoted(value.name)
    return f"%{name}" + (f"#{value.version}" if value.version else "")


def node_text(node: Node) -> str:
    """The line of a node, without the graphs nested in it."""
    outputs = ", ".join(_outputs(node.outputs))
    inputs = ", ".join(f"{_name(slot)}={_values(values)}" for slot, values in node.inputs.items())
    text = f"{outputs} = " if outputs else ""
    text += f"{_name(node.op)}({inputs})"
    if node.attrs:
        attrs = ", ".join(f"{_name(name)}={attribute_text(value)}" for name, value in node.attrs.items())
        text += f" {{{attrs}}}"
    if node.place is not None:
        text += f" {_place(node.place)}"
    if node.effect:
        text += " effect"
    types = [type_text(value) for value in node.all_outputs()]
    if any(text != _UNKNOWN_TYPE for text in types):
        text += f" : {', '.join(types)}"
    return text


def type_text(value: Value) -> str:
    """The kind (unless it is a tensor), dtype, shape, LoD level, quantisation and place of a value."""
    text = "" if value.kind is VarKind.TENSOR else f"{value.kind.name.lower()} "
    text += f"{value.dtype or UNKNOWN}{_shape(value.shape)}"
    if value.lod_level:
        text += f" lod {value.lod_level}"
    if value.quant is not None:
        text += f" {quant_text(value.quant)}"
    if value.place is not None:
        text += f" {_place(value.place)}"
    return text


def attribute_text(value: AttrValue) -> str:
    """The value of an attribute; raises `GraphError` for a type that attributes cannot have."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(attribute_text(item) for item in value)}]"
    raise GraphError(f"{value!r} ({type(value).__name__}) cannot be the value of an attribute")


def return_text(graph: Graph) -> str:
    """The line of a graph's results."""
    results = [
        value_text(value) if name == value.name else f"{_name(name)}={value_text(value)}"
        for name, value in zip(graph.result_names, graph.results, strict=False)
    ]
    return f"return {', '.join(results)}".rstrip()


def header_text(graph: Graph) -> str:
    """The line of a graph's name and arguments."""
    return f"graph {_name(graph.name)}({', '.join(_argument(value) for value in graph.args)}) {{"


def _graph_lines(graph: Graph, indent: str) -> Iterator[str]:
    yield indent + header_text(graph)
    for value in graph.constants.values():
        yield f"{indent}  {_constant(value)}"
    for node in graph:
        yield f"{indent}  {node_text(node)}"
        for block in node.blocks:
            yield from _graph_lines(block, f"{indent}    ")
    yield f"{indent}  {return_text(graph)}"
    yield f"{indent}}}"


def _argument(value: Value) -> str:
    own_type = type_text(value)
    return value_text(value) if own_type == _UNKNOWN_TYPE else f"{value_text(value)}: {own_type}"


def _constant(value: Value) -> str:
    if value.data is None:
        raise GraphError(f"constant {value!r} has no array")
    own_type = f"{DType.from_numpy(value.data.dtype)}{_shape(value.data.shape)}"
    few = value.data.size <= MOST_INLINE
    elements = f"[{_elements_text(value.data)}]" if few else f"@{constant_key(value.data)}"
    text = f"{value_text(value)} = const {own_type} {elements}"
    return text if type_text(value) == own_type else f"{text} : {type_text(value)}"


def _elements_text(array: Array) -> str:
    return ", ".join(_element(item) for item in array.reshape(-1))


def _element(item: object) -> str:
    if isinstance(item, bool | np.bool_ | int | np.integer | complex | np.complexfloating):
        return attribute_text(item.item() if isinstance(item, np.generic) else item)
    if isinstance(item, bytes):
        return _quoted(item.decode("utf-8", "surrogateescape"))
    if isinstance(item, str):
        return _quoted(str(item))
    return _real(item)


def _real(item: object) -> str:
    """The shortest text that parses to the same number in its dtype."""
    exact = repr(float(item))  # type: ignore[arg-type]
    short = str(item)
    if not re.fullmatch(r"-?\d+(\.\d*)?(e[+-]?\d+)?", short):
        return exact
    if "." not in short and "e" not in short:
        short += ".0"
    return short if type(item)(float(short)) == item else exact  # type: ignore[call-arg]


def _outputs(outputs: Mapping[str, Sequence[Value]]) -> Iterator[str]:
    for slot, values in outputs.items():
        if slot == DEFAULT_SLOT:
            yield from (value_text(value) for value in values)
        else:
            yield f"{_name(slot)}={_values(values)}"


def _values(values: Sequence[Value]) -> str:
    if len(values) == 1:
        return value_text(values[0])
    return f"[{', '.join(value_text(value) for value in values)}]"


def _shape(shape: Shape | None) -> str:
    return "[*]" if shape is None else f"[{','.join(_dim(dim) for dim in shape)}]"


def _dim(dim: Dim) -> str:
    return str(dim) if isinstance(dim, int) or dim == UNKNOWN else _name(dim)


def _place(place: Place) -> str:
    return f"@{_name(place.target)}/{place.dtype or 'any'}/{place.layout}"


def quant_text(quant: Quant) -> str:
    """``quant([0.5], [0], -1, int8)``; a rounding other than AFFINE is a further item."""
    scales, zeros = attribute_text(list(quant.scale)), attribute_text(list(quant.zero_point))
    rounding = "" if quant.rounding is Rounding.AFFINE else f", {quant.rounding.value}"
    return f"quant({scales}, {zeros}, {quant.axis}, {quant.storage}{rounding})"


def _name(name: str) -> str:
    return name if _NAME.fullmatch(name) and name not in KEYWORDS else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
