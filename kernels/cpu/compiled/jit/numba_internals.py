"""The undocumented interfaces of numba in use; no other file imports `numba.core` or `numba.np`.

numba may change them in any release.  Therefore the extra ``jit`` in setup.cfg allows only the versions
from `FIRST_VERSION` up to, but without, `NEXT_VERSION`.  To allow a newer one, run tests/kernels/cpu with
it first.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import cpu_target
from numba.np import arrayobj

FIRST_VERSION, NEXT_VERSION = (0, 62), (0, 69)
"""The range of numba's versions that setup.cfg allows."""

_UNBOUNDED = 1 << 60
"""The length of arrays in compiled functions without bounds checks, which get addresses alone."""

for_range = cgutils.for_range
"""``for_range(builder, count)``: a context manager around the body of a loop; its value has an `index`."""


@contextlib.contextmanager
def rolled_range(builder: Any, count: Any) -> Iterator[Any]:
    """`for_range` for a body that LLVM must not repeat in the loop, because it fills the registers."""
    with for_range(builder, count) as loop:
        yield loop
        last = builder.basic_block
    module = builder.module
    disable = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    # The name of a loop must be distinct, and refers to itself first.
    unique = ir.MetaDataString(module, f"loop {len(module.metadata)}")
    name = module.add_metadata([disable, unique])
    name.operands = (name, disable, unique)
    last.terminator.set_metadata("llvm.loop", name)


copy_memory = cgutils.raw_memcpy
"""``copy_memory(builder, target, source, count, item_size)``."""

fill_memory = cgutils.memset
"""``fill_memory(builder, target, size, byte)``."""


class _LlvmLibrary(JITCodeLibrary):
    """The optimised LLVM code of a function, which callers link into their own.

    numba would also make machine code of every inner function, which takes a third of the time.
    """

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """An address for the object by which Python would call the function; nothing calls it."""
        self._ensure_finalized()
        return _NOT_CALLED

    @property
    def codegen(self) -> Any:
        """The object whose `set_env` numba calls: this one."""
        return self

    def set_env(self, name: str, env: object) -> None:
        """Ignore the objects that only calls from Python need."""


_NOT_CALLED = ctypes.cast(ctypes.pythonapi.PyErr_BadInternalCall, ctypes.c_void_p).value or 0


class _LlvmCompiler(Compiler):
    """numba's compiler without its last step, which makes machine code."""

    def __init__(
        self, typing: Any, target: Any, library: Any, arguments: Any, result: Any, flags: Any, names: Any
    ) -> None:
        library = _LlvmLibrary(target.codegen(), "kernel")
        super().__init__(typing, target, library, arguments, result, flags, names)


def llvm_function(function: Callable[..., Any], **options: Any) -> Any:
    """A function that compiled functions can call, and Python cannot.

    Without `_nrt`, numba's runtime for memory that it manages itself is not linked.
    """
    no_wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(**options, **no_wrappers, _nrt=False, pipeline_class=_LlvmCompiler)(function)


def llvm_of(function: Callable[..., Any], kinds: Sequence[Any], **options: Any) -> tuple[str, str]:
    """The LLVM function, and the text of its module, that numba makes from `function` for these types."""
    dispatcher = llvm_function(function, **options)
    dispatcher.compile(kinds)
    name: str = dispatcher.overloads[tuple(kinds)].fndesc.llvm_func_name
    return name, dispatcher.inspect_llvm(tuple(kinds))


def call_compiled(builder: Any, name: str, kinds: Sequence[Any], values: Sequence[Any]) -> Any:
    """Call the function `name` of `llvm_of`, which returns nothing; the result is whether it failed.

    Functions without bounds checks raise no errors.
    """
    context = cpu_target.target_context
    kind = context.call_conv.get_function_type(numba.types.void, kinds)
    function = ir.Function(builder.module, kind, name)
    status, _ = context.call_conv.call_function(builder, function, numba.types.void, kinds, values)
    return status.is_error


def array_at(builder: Any, kind: Any, address: Any, size: Any = None, table: Any = None) -> Any:
    """A contiguous array of one axis of type `kind` at an address.

    Its length is unbounded, or `size` bytes; then `table` is a pointer that `array_bounds` returns again.
    """
    context = cpu_target.target_context
    array = arrayobj.make_array(kind)(context, builder)
    item_size = ir.Constant(address.type, kind.dtype.bitwidth // 8)
    length = ir.Constant(address.type, _UNBOUNDED) if size is None else builder.sdiv(size, item_size)
    # The parent is the object that owns an array's memory; compiled code passes it on and does not read it.
    parent = {} if table is None else {"parent": builder.bitcast(table, array.parent.type)}
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer()),
        shape=[length],
        strides=[item_size],
        itemsize=item_size,
        meminfo=None,
        **parent,
    )
    return array._getvalue()


def array_bounds(context: Any, builder: Any, kind: Any, array: Any) -> tuple[Any, Any, Any]:
    """The address of an array, its bytes, and the pointer that `array_at` got as its `table`."""
    proxy = cgutils.create_struct_proxy(kind)(context, builder, array)
    word = ir.IntType(64)
    size = builder.mul(builder.extract_value(proxy.shape, 0), proxy.itemsize)
    return builder.ptrtoint(proxy.data, word), size, builder.bitcast(proxy.parent, word.as_pointer())


def return_index_error(context: Any, builder: Any) -> None:
    """End the function with an IndexError, as numba's own bounds checks do."""
    context.call_conv.return_user_exc(builder, IndexError, ("an address is out of bounds",))


def count_from_start_only() -> None:
    """Make negative indices errors in functions with bounds checks, not counts from the end of an array."""

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, numba.types.intp)

    arrayobj.fix_integer_index = as_it_is


def array_data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of the first element of an array of type `kind`."""
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


def variable(builder: Any, kind: Any) -> Any:
    """A variable of the LLVM type `kind`, allocated once per call of the function."""
    return cgutils.alloca_once(builder, kind)
