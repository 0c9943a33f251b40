"""The modules of TPU-MLIR, imported in the worker only."""

from __future__ import annotations

import functools
import importlib
import os
from types import ModuleType


@functools.cache
def tpu_lang() -> ModuleType:
    """The module TpuLang.  It has one graph for the whole process."""
    path = os.environ["LD_LIBRARY_PATH"]
    importlib.import_module("tpu_mlir")
    # The package has put its own C library there, for the programs that it starts.
    os.environ["LD_LIBRARY_PATH"] = path
    return importlib.import_module("transform.TpuLang")


@functools.cache
def runtime() -> ModuleType:
    """The module that runs bmodels on the simulator, and on chips of the PCIe bus."""
    tpu_lang()
    return importlib.import_module("pyruntime_bm")
