"""Functions that kernels call, and their compilation into object files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from llvmlite import binding, ir
from numba import types

from lite.dataclass import dataclass
from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.compiled.jit.decorators import OPTIONS
from lite.kernels.cpu.compiled.jit.numba_internals import array_at, call_compiled, llvm_of
from lite.kernels.cpu.machine import machine
from lite.kernels.cpu.native.checked_job import FAILURES, FIRST_ARRAY
from lite.kernels.cpu.native.packed_arguments import SCRATCH

F = TypeVar("F", bound=Callable[..., Any])

KINDS = {
    "r": types.Array(types.float32, 1, "C", readonly=True),
    "w": types.Array(types.float32, 1, "C"),
    "s": types.Array(types.float32, 1, "C"),
    "l": types.Array(types.int64, 1, "C"),
    "n": types.Array(types.int64, 1, "C", readonly=True),
    "m": types.Array(types.int64, 1, "C"),
    "d": types.Array(types.float64, 1, "C"),
    "e": types.Array(types.float64, 1, "C", readonly=True),
    "b": types.Array(types.uint8, 1, "C", readonly=True),
    "c": types.Array(types.uint8, 1, "C"),
    "a": types.Array(types.uint8, 1, "C", readonly=True),
    "z": types.Array(types.uint8, 1, "C"),
    "j": types.Array(types.int32, 1, "C"),
    "p": types.Array(types.int64, 1, "C", readonly=True),
    "i": types.int64,
    "f": types.float32,
}

_WORD = ir.IntType(64)


def entry(*parameters: str, is_checked: bool = IS_CHECKED) -> Callable[[F], F]:
    """A function that kernels call, with the kinds of its parameters except the last two, `begin` and `end`.

    With `is_checked` a table of arrays follows its packed arguments.  Raises `ValueError` for more than one
    row of scratch memory.

    ``i``  an integer, int64
    ``f``  a number, float32
    ``r``  the elements of a float32 array that is read; the function sees no shape
    ``w``  the elements of a float32 array that is written
    ``s``  the worker's row of scratch memory, float32
    ``l``  the same of int64
    ``n``  the elements of an int64 array that is read
    ``m``  the elements of an int64 array that is written
    ``d``  the elements of a float64 array that is written
    ``e``  the elements of a float64 array that is read
    ``b``  the elements of a uint8 array that is read
    ``c``  the elements of a uint8 array that is written
    ``a``  the bytes of an array of any type that is read
    ``z``  the bytes of an array of any type that is written
    ``j``  the elements of an int32 array that is written
    ``p``  the packed arguments themselves, as int64 words; the word of this parameter is not read
    """

    if sum(parameter in SCRATCH for parameter in parameters) > 1:
        raise ValueError(f"a worker has one row of scratch memory, got {' '.join(parameters)}")

    def describe(function: F) -> F:
        return cast(F, Entry(function, parameters, is_checked))

    return describe


@dataclass(frozen=True)
class Entry:
    """A function and the kinds of its parameters."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    is_checked: bool = IS_CHECKED

    def object_code(self, symbol: str) -> bytes:
        """An object file with the function ``symbol(arguments, worker, begin, end)``.

        `lite.kernels.cpu.native.packed_arguments` describes the arguments.
        """
        kinds = (*(KINDS[parameter] for parameter in self.parameters), types.int64, types.int64)
        name, text = llvm_of(self.function, kinds, **OPTIONS)
        module = binding.parse_assembly(text)
        for each in (*module.functions, *module.global_variables):
            if not each.is_declaration and each.name != name:
                each.linkage = "internal"
        module.link_in(binding.parse_assembly(self._unpacking_module(name, symbol, kinds)))
        module.get_function(name).linkage = "internal"
        return _object_file(module)

    def _unpacking_module(self, name: str, symbol: str, kinds: tuple[Any, ...]) -> str:
        """A module whose function `symbol` calls the function `name` with its arguments unpacked."""
        module = ir.Module()
        function = ir.Function(
            module, ir.FunctionType(ir.VoidType(), [_WORD.as_pointer(), *[_WORD] * 3]), symbol
        )
        builder = ir.IRBuilder(function.append_basic_block())
        arguments, worker, begin, end = function.args

        def word(place: int) -> Any:
            return builder.load(builder.gep(arguments, [ir.Constant(_WORD, place)]))

        # The table of arrays follows the word for the bytes of a scratch row.
        table = builder.gep(arguments, [ir.Constant(_WORD, len(self.parameters) + 1)])
        first_size = len(self.parameters) + 1 + FIRST_ARRAY + 1
        values = []
        for place, (parameter, kind) in enumerate(zip(self.parameters, kinds, strict=False)):
            value = builder.ptrtoint(arguments, _WORD) if parameter == "p" else word(place)
            if parameter in SCRATCH:
                row_bytes = word(len(self.parameters))
                value = builder.add(value, builder.mul(worker, row_bytes))
            if self.is_checked and isinstance(kind, types.Array):
                size = row_bytes if parameter in SCRATCH else word(first_size + 2 * place)
                values.append(array_at(builder, kind, value, size, table))
            else:
                values.append(_unpacked(builder, kind, value))
        has_failed = call_compiled(builder, name, kinds, [*values, begin, end])
        if self.is_checked:
            with builder.if_then(has_failed):
                builder.store(ir.Constant(_WORD, 1), builder.gep(table, [ir.Constant(_WORD, FAILURES)]))
        builder.ret_void()
        return str(module)


def _object_file(module: Any) -> bytes:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple().create_target_machine(
        cpu=machine().cpu,
        features=machine().features,
        opt=3,
        # Addresses of 64 bits: the code may be loaded far from the C library.
        reloc="static",
        codemodel="large",
    )
    # Remove the functions that were inlined everywhere.
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.run(module, binding.create_pass_builder(target, binding.create_pipeline_tuning_options()))
    code: bytes = target.emit_object(module)
    return code


def _unpacked(builder: Any, kind: Any, word: Any) -> Any:
    if kind == types.int64:
        return word
    if kind == types.float32:
        return builder.bitcast(builder.trunc(word, ir.IntType(32)), ir.FloatType())
    return array_at(builder, kind, word)
