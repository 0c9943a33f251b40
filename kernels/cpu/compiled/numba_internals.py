"""The undocumented interfaces of numba in use; no other file imports `numba.core` or `numba.np`.

numba may change them in any release.  Therefore the extra ``jit`` in setup.cfg allows only the versions
from `FIRST_VERSION` up to, but without, `NEXT_VERSION`.  To allow a newer one, run tests/kernels/cpu with
it first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.np import arrayobj

FIRST_VERSION, NEXT_VERSION = (0, 62), (0, 69)
"""The range of numba's versions that setup.cfg allows."""

_UNBOUNDED = 1 << 60
"""The length of arrays in compiled functions without bounds checks, which get addresses alone."""

for_range = cgutils.for_range
"""``for_range(builder, count)``: a context manager around the body of a loop; its value has an `index`."""

copy_memory = cgutils.raw_memcpy
"""``copy_memory(builder, target, source, count, item_size)``."""

fill_memory = cgutils.memset
"""``fill_memory(builder, target, size, byte)``."""


def llvm_of(function: Callable[..., Any], kinds: Sequence[Any], **options: Any) -> tuple[str, str]:
    """The LLVM function, and the text of its module, that numba makes from `function` for these types.

    Without `_nrt`, numba's runtime for memory that it manages itself is not linked.
    """
    dispatcher = numba.njit(**options, _nrt=False)(function)
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
