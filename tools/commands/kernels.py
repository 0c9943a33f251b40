"""litebridge kernels: lists the kernels of all ops, or of one."""

from __future__ import annotations

import click

from lite.dataclass import dataclass
from lite.ops import get_schema
from lite.plugin.kernel import KERNELS
from lite.plugin.loader import load_all_kernels, load_kernels
from lite.tools.options.output import debug_option, json_option
from lite.tools.terminal import print_json, print_table


@dataclass(frozen=True)
class KernelRow:
    """A registered kernel; `dtype` None and `layout` any mean that it accepts every dtype or layout.

    `fallback` is the target whose kernel runs where this one declines.
    """

    op: str
    target: str
    dtype: str | None
    layout: str
    module: str
    prepares: bool
    into_buffers: bool
    fallback: str | None


@click.command(short_help="List the kernels, or those of one op.")
@click.argument("op", required=False)
@json_option
@debug_option
def kernels(op: str | None, as_json: bool) -> None:
    """List the kernels, or those of one OP.

    \b
    Examples:
      litebridge kernels
      litebridge kernels conv2d
      litebridge kernels softmax --json

    Each line is a kernel: its op; its place, which is a target, a dtype and a layout (any: all of them);
    its module; whether it has a prepare step, which packs weights or chooses an algorithm once per
    input signature; whether it writes into planned buffers; and the target whose kernel runs instead
    where this one is not faster.
    """
    schema = None if op is None else get_schema(op)
    if op is None:
        load_all_kernels()
    else:
        load_kernels([op])
    rows = kernel_rows(op)
    if as_json:
        print_json(rows)
        return
    print_table(
        ("op", "target", "dtype", "layout", "module", "prepares", "into buffers", "fallback"),
        [
            (
                row.op,
                row.target,
                row.dtype or "any",
                row.layout,
                row.module,
                row.prepares,
                row.into_buffers,
                row.fallback,
            )
            for row in rows
        ],
        drop=("prepares", "into buffers", "fallback"),
    )
    if schema is not None and schema.canonical is not None:
        click.echo(
            f"{schema.name} becomes {schema.canonical.op}: see `litebridge kernels {schema.canonical.op}`"
        )
    if schema is not None and schema.control_flow:
        click.echo(f"{schema.name} is control flow, which the executor runs without a kernel")


def kernel_rows(op: str | None) -> list[KernelRow]:
    """The kernels that are loaded, of all ops or of one, sorted by op and place."""
    rows = []
    for key in KERNELS:
        kernel = KERNELS.get(key)
        if op is None or kernel.op == op:
            dtype = None if kernel.place.dtype is None else str(kernel.place.dtype)
            rows.append(
                KernelRow(
                    kernel.op,
                    kernel.place.target,
                    dtype,
                    str(kernel.place.layout),
                    KERNELS.owner(key),
                    kernel.prepare is not None,
                    kernel.takes_out,
                    kernel.fallback,
                )
            )
    return sorted(rows, key=lambda row: (row.op, row.target, row.dtype or "", row.layout))
