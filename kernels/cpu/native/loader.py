"""Object files into memory: by our own loader where the file is of a kind that it knows, else by LLVM's."""

from __future__ import annotations

import functools
from typing import Any

from lite.kernels.cpu.native.code_store import SYMBOL, Code
from lite.kernels.cpu.native.elf import load_elf


def load(code: Code) -> int:
    """The address of the function, valid as long as the process lives."""
    # LLVM takes 40 MB and 45 ms to be there.
    return load_elf(code.content, SYMBOL) or _load_by_llvm(code)


def _load_by_llvm(code: Code) -> int:
    from llvmlite import binding

    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target().create_target_machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(code.content))
    engine.finalize_object()
    _ENGINES.append(engine)
    address: int = engine.get_function_address(SYMBOL)
    return address


_ENGINES: list[Any] = []
"""Engines own the memory of what they loaded."""


@functools.cache
def _target() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()
