"""Source code from models: a graph to C, by emitters that are found like bridges."""

from lite.codegen.export import Export, export_c
from lite.codegen.limits import Limit
from lite.codegen.targets import TARGETS

__all__ = ["TARGETS", "Export", "Limit", "export_c"]
