"""Functions that kernels call, and the object files that they become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding, ir
from numba.core import types
from numba.core.registry import cpu_target
from numba.np import arrayobj

from lite.kernels.cpu.compiled.jit import OPTIONS
from lite.kernels.cpu.machine import machine

F = TypeVar("F", bound=Callable[..., Any])

KINDS = {
    "r": types.Array(types.float32, 1, "C", readonly=True),
    "w": types.Array(types.float32, 1, "C"),
    "s": types.Array(types.float32, 1, "C"),
    "n": types.Array(types.int64, 1, "C", readonly=True),
    "m": types.Array(types.int64, 1, "C"),
    "i": types.int64,
    "f": types.float32,
}

_BEYOND = 1 << 60
"""The length that arrays have: compiled functions see addresses."""

_WORD = ir.IntType(64)


def entry(*parameters: str) -> Callable[[F], F]:
    """A function that kernels call, with the kinds of its parameters before the last two, `begin` and `end`.

    A kind is ``i`` (int64), ``f`` (float32), or an array without its shape: ``r`` and ``w`` are elements of
    float32 that are read, or written; ``s`` is room for each worker's intermediate results; ``n`` and ``m``
    are int64 that are read, or written.
    """

    def describe(function: F) -> F:
        return cast(F, Entry(function, parameters))

    return describe


@dataclass(frozen=True)
class Entry:
    """A function and the kinds of its parameters."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]

    def object_code(self, symbol: str) -> bytes:
        """An object file with the function ``symbol(words, worker, begin, end)``; see `native.words`."""
        kinds = (*(KINDS[parameter] for parameter in self.parameters), types.int64, types.int64)
        compiled = numba.njit(**OPTIONS, _nrt=False)(self.function)
        compiled.compile(kinds)
        name = compiled.overloads[kinds].fndesc.llvm_func_name
        module = binding.parse_assembly(compiled.inspect_llvm(kinds))
        for each in (*module.functions, *module.global_variables):
            if not each.is_declaration and each.name != name:
                each.linkage = "internal"
        module.link_in(binding.parse_assembly(self._called_with_words(name, symbol, kinds)))
        module.get_function(name).linkage = "internal"
        return _emitted(module)

    def _called_with_words(self, name: str, symbol: str, kinds: tuple[Any, ...]) -> str:
        """A module with a function that calls another with arguments read from words.

        The errors that numba's functions could return are not looked at: ours have none.
        """
        context = cpu_target.target_context
        module = ir.Module()
        callee = ir.Function(module, context.call_conv.get_function_type(types.void, kinds), name)
        function = ir.Function(
            module, ir.FunctionType(ir.VoidType(), [_WORD.as_pointer(), *[_WORD] * 3]), symbol
        )
        builder = ir.IRBuilder(function.append_basic_block())
        words, worker, begin, end = function.args

        def word(place: int) -> Any:
            return builder.load(builder.gep(words, [ir.Constant(_WORD, place)]))

        values = []
        for place, (parameter, kind) in enumerate(zip(self.parameters, kinds, strict=False)):
            value = word(place)
            if parameter == "s":
                value = builder.add(value, builder.mul(worker, word(len(self.parameters))))
            values.append(_value(context, builder, kind, value))
        context.call_conv.call_function(builder, callee, types.void, kinds, [*values, begin, end])
        builder.ret_void()
        return str(module)


def _emitted(module: Any) -> bytes:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple().create_target_machine(
        cpu=machine().cpu,
        features=machine().features,
        opt=3,
        # Addresses of 64 bits: the C library is far from where code is loaded.
        reloc="static",
        codemodel="large",
    )
    # What calls functions from Python goes.
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.run(module, binding.create_pass_builder(target, binding.create_pipeline_tuning_options()))
    code: bytes = target.emit_object(module)
    return code


def _value(context: Any, builder: Any, kind: Any, word: Any) -> Any:
    if kind == types.int64:
        return word
    if kind == types.float32:
        return builder.bitcast(builder.trunc(word, ir.IntType(32)), ir.FloatType())
    array = arrayobj.make_array(kind)(context, builder)
    data = context.get_data_type(kind.dtype).as_pointer()
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(word, data),
        shape=[ir.Constant(_WORD, _BEYOND)],
        strides=[ir.Constant(_WORD, kind.dtype.bitwidth // 8)],
        itemsize=ir.Constant(_WORD, kind.dtype.bitwidth // 8),
        meminfo=None,
    )
    return array._getvalue()
