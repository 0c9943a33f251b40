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
"""The length of arrays in compiled functions, which get addresses alone."""

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


def call_compiled(builder: Any, name: str, kinds: Sequence[Any], values: Sequence[Any]) -> None:
    """Call the function `name` of `llvm_of`, which returns nothing.

    The error status that numba's calling convention returns is ignored: these functions raise no errors.
    """
    context = cpu_target.target_context
    kind = context.call_conv.get_function_type(numba.types.void, kinds)
    function = ir.Function(builder.module, kind, name)
    context.call_conv.call_function(builder, function, numba.types.void, kinds, values)


def array_at(builder: Any, kind: Any, address: Any) -> Any:
    """A contiguous array of one axis of type `kind` at an address; its length is unbounded."""
    context = cpu_target.target_context
    array = arrayobj.make_array(kind)(context, builder)
    item_size = ir.Constant(address.type, kind.dtype.bitwidth // 8)
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer()),
        shape=[ir.Constant(address.type, _UNBOUNDED)],
        strides=[item_size],
        itemsize=item_size,
        meminfo=None,
    )
    return array._getvalue()


def array_data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of the first element of an array of type `kind`."""
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


def variable(builder: Any, kind: Any) -> Any:
    """A variable of the LLVM type `kind`, allocated once per call of the function."""
    return cgutils.alloca_once(builder, kind)
