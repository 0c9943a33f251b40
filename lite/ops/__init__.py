"""Op schemas: slots, attributes, shape rules.  Importing this package declares every op."""

import importlib
import pkgutil

from lite.ops import defs
from lite.ops.infer import check_slots, infer
from lite.ops.schema import SCHEMAS, OpSchema, get_schema
from lite.ops.view import Meta, OpView

for _module in pkgutil.iter_modules(defs.__path__):
    importlib.import_module(f"{defs.__name__}.{_module.name}")

__all__ = ["SCHEMAS", "Meta", "OpSchema", "OpView", "check_slots", "get_schema", "infer"]
