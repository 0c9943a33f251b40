"""litebridge ops: lists the op types of litebridge, or shows one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ops import SCHEMAS, OpSchema, get_schema
from lite.ops.attrs import Attr
from lite.ops.schema import LOD_BY_KERNEL
from lite.ops.slots import KINDS, Slot
from lite.plugin.kernel import kernels_of
from lite.plugin.loader import load_all_kernels, load_kernels
from lite.tools.options.output import debug_option, json_option
from lite.tools.terminal import cell_text, print_facts, print_json, print_table


@dataclass(frozen=True)
class SlotRow:
    """An input or output slot; `kind` is the short name of its set of dtypes, or None."""

    name: str
    optional: bool
    repeated: bool
    dtypes: Sequence[str]
    kind: str | None
    rank: str | None


@dataclass(frozen=True)
class AttrRow:
    """An attribute; it is required if its default is None."""

    name: str
    type: str
    default: AttrValue | None
    choices: Sequence[AttrValue]
    low: float | None
    high: float | None


@dataclass(frozen=True)
class OpTypeRow:
    """An op type; `targets` have a kernel for it.  An op with a `canonical` op needs no kernel."""

    name: str
    about: str
    traits: Sequence[str]
    inputs: Sequence[SlotRow]
    outputs: Sequence[SlotRow]
    attrs: Sequence[AttrRow]
    lod: str | None
    view: Mapping[str, str]
    inplace: Mapping[str, str]
    effect: bool
    foldable: bool
    control_flow: bool
    canonical: str | None
    targets: Sequence[str]


@click.command(short_help="List the op types, or show one.")
@click.argument("name", required=False)
@click.option("--markdown", is_flag=True, help="Print the page docs/operators.md.")
@json_option
@debug_option
def ops(name: str | None, markdown: bool, as_json: bool) -> None:
    """List the op types of litebridge, or show the op type NAME.

    \b
    Examples:
      litebridge ops
      litebridge ops conv2d
      litebridge ops softmax --json
      litebridge ops --markdown

    A slot with ? is optional, and one with * takes several variables.  An attribute with ! is required,
    the others have the default shown.  `becomes` names the canonical op, which replaces this one before any
    other pass; such an op needs no kernel.  `targets` are the targets that have a kernel.

    \b
    Notes:
      lod=X         the outputs have the LoD of the input X
      lod=kernel    the kernel computes the LoD of the outputs
      view          an output has the elements of an input, in another shape
      inplace       an output may overwrite an input
      effect        the op keeps its position among other ops with an effect
      random        the op is never folded
      control flow  the executor runs the op, without a kernel
    """
    if name is None:
        load_all_kernels()
        rows = [op_row(SCHEMAS[op]) for op in sorted(SCHEMAS)]
    else:
        schema = get_schema(name)
        load_kernels([name])
        rows = [op_row(schema)]
    if markdown:
        click.echo(operators_markdown(rows), nl=False)
    elif as_json:
        print_json(rows if name is None else rows[0])
    elif name is None:
        print_table(
            ("op", "about", "inputs -> outputs", "becomes", "targets", "notes", "attributes"),
            [_line(row) for row in rows],
        )
        click.echo(f"\n{len(rows)} op types")
    else:
        _print_one(rows[0])


def op_row(schema: OpSchema) -> OpTypeRow:
    """The schema as a row, with the targets of the kernels that are loaded."""
    return OpTypeRow(
        schema.name,
        schema.about,
        sorted(trait.value for trait in schema.traits),
        [_slot_row(slot) for slot in schema.inputs.values()],
        [_slot_row(slot) for slot in schema.outputs.values()],
        [_attr_row(name, attr) for name, attr in schema.attrs.items()],
        schema.lod,
        schema.view or {},
        schema.inplace or {},
        schema.effect,
        schema.foldable,
        schema.control_flow,
        None if schema.canonical is None else schema.canonical.op,
        sorted({kernel.place.target for kernel in kernels_of(schema.name)}),
    )


def operators_markdown(rows: Sequence[OpTypeRow]) -> str:
    """The page docs/operators.md."""
    lines = [
        "# Operators",
        "",
        f"The {len(rows)} op types, as `litebridge ops --markdown` prints them.",
        "A slot with `?` is optional, and one with `*` takes several variables.  After the colon are the",
        "dtypes that a slot accepts (all if there is no colon), after the slash the ranks.",
        "An attribute with `!` is required, the others have the default shown.",
        "",
        "| op | about | inputs | outputs | attributes | targets | notes |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        inputs, outputs = (
            " ".join(f"`{_described_slot(slot)}`" for slot in side) for side in (row.inputs, row.outputs)
        )
        attrs = " ".join(f"`{_described_attr(attr)}`" for attr in row.attrs)
        notes = ", ".join([f"becomes {row.canonical}"] * (row.canonical is not None) + _notes(row))
        about = row.about.replace("|", "\\|")
        cells = (row.name, about, inputs, outputs, attrs, ", ".join(row.targets), notes)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _described_slot(slot: SlotRow) -> str:
    kind = slot.kind or ",".join(slot.dtypes)
    return _slot_text(slot) + (f":{kind}" if kind != "any" else "") + (f"/{slot.rank}" if slot.rank else "")


def _described_attr(attr: AttrRow) -> str:
    return f"{attr.name}!" if attr.default is None else f"{attr.name}={_value_text(attr.default)}"


def _slot_row(slot: Slot) -> SlotRow:
    dtypes = sorted(str(dtype) for dtype in slot.dtypes)
    kind = next((name for name, members in KINDS.items() if members == slot.dtypes), None)
    any_rank = slot.min_rank == 0 and slot.max_rank is None
    return SlotRow(
        slot.name, slot.optional, slot.repeated, dtypes, kind, None if any_rank else slot.rank_text()
    )


def _attr_row(name: str, attr: Attr) -> AttrRow:
    return AttrRow(name, attr.type.name.lower(), attr.default, attr.choices, attr.low, attr.high)


def _line(row: OpTypeRow) -> tuple[str, ...]:
    inputs, outputs = (" ".join(_slot_text(slot) for slot in side) for side in (row.inputs, row.outputs))
    attrs = " ".join(_described_attr(attr) for attr in row.attrs)
    return (
        row.name,
        row.about,
        f"{inputs} -> {outputs}",
        row.canonical or "",
        cell_text(row.targets),
        ", ".join(_notes(row)),
        attrs,
    )


def _slot_text(slot: SlotRow) -> str:
    return slot.name + "?" * slot.optional + "*" * slot.repeated


def _value_text(value: AttrValue) -> str:
    if isinstance(value, list):
        return f"[{','.join(_value_text(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _notes(row: OpTypeRow) -> list[str]:
    notes = [f"lod={row.lod}"] if row.lod is not None else []
    properties = {
        "view": row.view,
        "inplace": row.inplace,
        "effect": row.effect,
        "random": not row.foldable,
        "control flow": row.control_flow,
    }
    return [*notes, *(name for name, holds in properties.items() if holds)]


def _print_one(row: OpTypeRow) -> None:
    by_kernel = row.lod == LOD_BY_KERNEL
    print_facts(
        {
            "op": row.name,
            "about": row.about,
            "traits": cell_text(row.traits) if row.traits else None,
            "becomes": row.canonical,
            "targets": row.targets or None,
            "LoD": "computed by the kernel" if by_kernel else row.lod and f"from {row.lod}",
            "view": ", ".join(f"{out} has the elements of {source}" for out, source in row.view.items())
            or None,
            "in place": ", ".join(f"{out} may overwrite {source}" for out, source in row.inplace.items())
            or None,
            "effect": row.effect,
            "random": not row.foldable,
            "control flow": row.control_flow,
        }
    )
    for title, slots in (("\ninputs", row.inputs), ("\noutputs", row.outputs)):
        lines = [
            (
                slot.name,
                slot.optional,
                slot.repeated,
                slot.kind or slot.dtypes,
                slot.rank or "any",
            )
            for slot in slots
        ]
        print_table(("slot", "optional", "repeated", "dtypes", "rank"), lines, title)
    attrs = [
        (
            attr.name,
            attr.type,
            "required" if attr.default is None else _value_text(attr.default),
            _range(attr),
        )
        for attr in row.attrs
    ]
    print_table(("attribute", "type", "default", "values"), attrs, "\nattributes")


def _range(attr: AttrRow) -> str:
    if attr.choices:
        return " | ".join(_value_text(choice) for choice in attr.choices)
    if attr.low is None and attr.high is None:
        return "any"
    return f"from {cell_text(attr.low)}" + ("" if attr.high is None else f" to {cell_text(attr.high)}")
