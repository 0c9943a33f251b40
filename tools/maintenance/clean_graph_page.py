"""Writes the lists of docs/clean_graph.md: ``python -m lite.tools.maintenance.clean_graph_page``."""

from __future__ import annotations

import json
from pathlib import Path

from lite.ops import SCHEMAS, OpSchema
from lite.passes.cleanup.spelling import SPELLINGS, find_spelling

PAGE = Path("docs") / "clean_graph.md"
HEADER = "\n## Ops\n"


def clean_ops() -> list[OpSchema]:
    """The ops that a bridge may get, sorted by name."""
    return [
        schema
        for _, schema in sorted(SCHEMAS.items())
        if schema.canonical is None and not schema.control_flow
    ]


def lists() -> str:
    """The lists of ops and of old spellings, from their header on."""
    lines = [
        HEADER,
        f"{len(clean_ops())} ops. A slot with `?` is optional, and one with `*` takes several values.",
        "The third column has the slots that become attributes where they are constant, the fifth the",
        "outputs that are absent where no op reads them.",
        "",
        "| op | inputs | constant → attribute | outputs | if read | attributes |",
        "|---|---|---|---|---|---|",
        *map(_row, clean_ops()),
        "",
        "## Old spellings",
        "",
        "An op in the first column never reaches a bridge.",
        "",
        "| spelling | becomes |",
        "|---|---|",
    ]
    lines += [
        f"| `{name}` | `{schema.canonical.op}` |"
        for name, schema in sorted(SCHEMAS.items())
        if schema.canonical is not None
    ]
    find_spelling("")  # loads all of them
    others = " ".join(f"`{name}`" for name in sorted(SPELLINGS) if SCHEMAS[name].canonical is None)
    lines += ["", f"These become several ops, or stay where they have no other form: {others}."]
    return "\n".join(lines) + "\n"


def main(root: Path = Path()) -> None:
    """Replace the lists, which are the end of the page."""
    page = root / PAGE
    text = page.read_text(encoding="utf-8").partition(HEADER)[0]
    page.write_text(text.rstrip("\n") + "\n" + lists(), encoding="utf-8")


def _row(schema: OpSchema) -> str:
    inputs = " ".join(
        f"`{name}{'?' * slot.optional}{'*' * slot.repeated}`" for name, slot in schema.inputs.items()
    )
    constants = " ".join(
        f"`{slot}` → {' '.join(f'`{name}`' for name in ((names,) if isinstance(names, str) else names))}"
        for slot, names in schema.attr_slots.items()
    )
    always, read = (
        " ".join(
            f"`{name}{'*' * slot.repeated}`"
            for name, slot in schema.outputs.items()
            if slot.optional is optional
        )
        for optional in (False, True)
    )
    attributes = " ".join(
        f"`{name}`" if attr.default is None else f"`{name}={json.dumps(attr.default)}`"
        for name, attr in schema.attrs.items()
    )
    return f"| {schema.name} | {inputs} | {constants} | {always} | {read} | {attributes} |"


if __name__ == "__main__":
    main()
