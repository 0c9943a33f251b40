"""Loads object files into memory: with `elf` where that can read the file, else with LLVM."""

from __future__ import annotations

import functools
from typing import Any

from lite.kernels.cpu.native.code_store import SYMBOL, Code
from lite.kernels.cpu.native.elf import load_elf


def load(code: Code) -> int:
    """The address of the function, which is valid until the process ends."""
    # Importing LLVM takes 40 MB and 45 ms.
    return load_elf(code.content, SYMBOL) or _load_with_llvm(code)


def _load_with_llvm(code: Code) -> int:
    from llvmlite import binding

    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target().create_target_machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(code.content))
    engine.finalize_object()
    _ENGINES.append(engine)
    address: int = engine.get_function_address(SYMBOL)
    return address


_ENGINES: list[Any] = []
"""LLVM's engines, which own the memory of the code that they loaded."""


@functools.cache
def _target() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()
