"""StableHLO text compiled by JAX, for one of its devices.

JAX has no function that takes StableHLO.  So a primitive of JAX stands for the region, and is lowered to a
call of the region's function.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from lite.bridges.xla.blob import Ends, Program
from lite.plugin.boundary import at_boundary
from lite.plugin.device.machine_code import digest_of, keep, kept

FOLDER = "xla-executables"
"""The folder for machine code in the user's private folder."""

_NAME = "litebridge_region"

_one_thread = threading.Lock()


def sdk_version() -> str:
    """The packages that compile and run."""
    return f"jax {version('jax')}, jaxlib {version('jaxlib')}"


def platform_device(platform: str, number: int) -> Any:
    """A device of JAX; raises `RuntimeError` where it has none of that platform, or fewer."""
    import jax

    found = jax.devices(platform)
    if number >= len(found):
        raise RuntimeError(f"{platform} has {len(found)} devices, and number {number} is not one of them")
    return found[number]


def executable(program: Program, device: Any, options: dict[str, Any]) -> Any:
    """A function of JAX that runs a program on a device; machine code for a CPU is kept.

    `options` are XLA's own, by name.  Raises `CompileError` with the compiler's message.
    """
    name = digest_of(*(repr(part).encode() for part in (sdk_version(), device.platform, options, program)))
    stored = kept(FOLDER, name) if device.platform == "cpu" and device.id == 0 else None
    with _one_thread:
        if stored is not None:
            return _loaded(program, stored)
        compiled = at_boundary("xla", "compiling a region", lambda: _compiled(program, device, options))
    if device.platform == "cpu" and device.id == 0:
        from jax.experimental import serialize_executable

        keep(FOLDER, name, serialize_executable.serialize(compiled)[0])
    return compiled


def _compiled(program: Program, device: Any, options: dict[str, Any]) -> Any:
    import jax

    region = functools.partial(_region().bind, program=program)
    inputs = [jax.ShapeDtypeStruct(shape, dtype.numpy) for dtype, shape in program.inputs]
    with jax.enable_x64(True), jax.default_device(device):
        lowered = jax.jit(region, keep_unused=True).lower(*inputs)
        return lowered.compile(compiler_options=options)


def _loaded(program: Program, machine_code: bytes) -> Any:
    import jax
    from jax.experimental import serialize_executable

    inputs = jax.tree_util.tree_structure(((0,) * len(program.inputs), {}))
    outputs = jax.tree_util.tree_structure([0] * len(program.outputs))
    with jax.enable_x64(True):
        return serialize_executable.deserialize_and_load(machine_code, inputs, outputs, backend="cpu")


@functools.cache
def _region() -> Any:
    """The primitive; its parameter is the program."""
    import jax
    from jax.extend.core import Primitive
    from jax.interpreters import mlir

    primitive = Primitive(_NAME)
    primitive.multiple_results = True
    primitive.def_abstract_eval(lambda *_, program: _shaped(jax, program.outputs))
    mlir.register_lowering(primitive, _lowered)
    return primitive


def _shaped(jax: Any, ends: Ends) -> list[Any]:
    return [jax.core.ShapedArray(shape, dtype.numpy) for dtype, shape in ends]


def _lowered(context: Any, *arguments: Any, program: Program) -> Sequence[Any]:
    """A call of the region's function, which is copied into the module that JAX builds."""
    from jax.extend.mlir import ir
    from jax.extend.mlir.dialects import func
    from jax.interpreters import mlir

    module = ir.Module.parse(program.text)
    (main,) = module.body.operations
    kinds = list(main.type.results)
    name = mlir.merge_mlir_modules(context.module_context.module, _NAME, module)
    call = func.CallOp(kinds, ir.FlatSymbolRefAttr.get(name), list(arguments))
    results: Sequence[Any] = call.results
    return results
