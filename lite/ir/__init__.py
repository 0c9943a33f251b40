"""Models in memory: programs as files say them, graphs as passes and bridges see them."""

from lite.ir.build import build_graph
from lite.ir.graph import Graph, Node, Quant, Value
from lite.ir.program import (
    Attribute,
    AttrType,
    AttrValue,
    Block,
    Op,
    Program,
    Scalar,
    Var,
    VarKind,
    Weight,
)
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import (
    HOST,
    NO_LOD,
    UNKNOWN,
    Array,
    Dim,
    DType,
    Layout,
    Lod,
    Place,
    Shape,
    is_known,
    shape_text,
)

__all__ = [
    "HOST",
    "NO_LOD",
    "UNKNOWN",
    "Array",
    "AttrType",
    "AttrValue",
    "Attribute",
    "Block",
    "DType",
    "Dim",
    "Graph",
    "Layout",
    "Lod",
    "Node",
    "Op",
    "Place",
    "Program",
    "Quant",
    "Scalar",
    "Shape",
    "Value",
    "Var",
    "VarKind",
    "Weight",
    "build_graph",
    "is_known",
    "parse_graph",
    "print_graph",
    "shape_text",
]
