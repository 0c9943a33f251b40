"""Steps and places to the text of model.c: the functions that are used, each once, and the list of calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from lite.codegen.blocks import BLOCK
from lite.codegen.steps import Body, Location, MemoryPlan, Step, Steps
from lite.codegen.weights import Weights
from lite.dataclass import dataclass
from lite.ir.graph import Value
from lite.plugin.emitter import EmitValue, Parameter

_INCLUDE = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)
_ORDER = ("vector.h", "scalar.h", "sums.h", "epilogue.h", "pad.h")
"""The files that others call, in order; the rest follows by name."""


@dataclass(frozen=True)
class Source:
    """The parts of model.c: functions from files, functions of steps, calls with the names of their ops."""

    library: str
    functions: list[str]
    calls: list[str]
    labels: list[str]


@dataclass
class _Texts:
    """What the functions of steps need: each text once."""

    functions: dict[str, str] = field(default_factory=dict)
    """The names of functions by their text, in which ``@name`` stands for the name."""
    definitions: dict[str, str] = field(default_factory=dict)
    includes: set[Path] = field(default_factory=set)

    def name(self, function: str) -> str:
        """The name of a function."""
        return self.functions.setdefault(function, f"lb_step_{len(self.functions)}")


def write_source(steps: Steps, plan: MemoryPlan, weights: Weights) -> Source:
    """The text of all steps; the arrays that they read are added to `weights`."""
    texts = _Texts()
    calls = _calls(steps, plan, weights, texts)
    functions = [text.replace("@name", name) for text, name in texts.functions.items()]
    labels = [f"{step.node.op} {step.node.label}" for step in steps.steps]
    return Source(_library(texts.includes), [*texts.definitions.values(), *functions], calls, labels)


def write_copies(steps: Steps, plan: MemoryPlan, weights: Weights) -> list[str]:
    """The statements that copy results which are inputs, constants, or parts of other results."""
    return [
        f"memcpy(outputs[{number}], {pointer_of(place_of(value, steps, plan, weights))}, "
        f"{EmitValue(value).bytes});"
        for number, value in plan.copies
    ]


def _calls(steps: Steps, plan: MemoryPlan, weights: Weights, texts: _Texts) -> list[str]:
    calls = []
    for n, step in enumerate(steps.steps):
        emission = step.emission
        texts.definitions.update(emission.definitions)
        texts.includes.update(emission.includes)
        text = _function(step)
        if step.body is not None:
            text = text.replace(BLOCK, texts.name(_block(step.body, weights, texts)))
        arguments = []
        for parameter in emission.parameters:
            place = _location(parameter, n, steps, plan, weights)
            const = "" if parameter.written else "const "
            arguments.append(f"({const}{parameter.ctype} *)({pointer_of(place)})")
        call = f"{texts.name(text)}({', '.join(arguments)})"
        calls.append(f"status = {call}; if (status) return status;" if emission.fails else f"{call};")
    return calls


def _block(body: Body, weights: Weights, texts: _Texts) -> str:
    """The function of a block, with the parameters of a model's run."""
    lines = [
        *_calls(body.steps, body.plan, weights, texts),
        *write_copies(body.steps, body.plan, weights),
    ]
    text = "\n".join(["int status = LB_OK;", *lines, "return status;"])
    names = ("inputs", "outputs", "arena", "weights")
    unread = [f"(void){name};" for name in names if not re.search(rf"\b{name}\b", text)]
    return "\n".join(
        [
            "LB_STEP int @name(",
            "    const void *const *inputs, void *const *outputs,",
            "    unsigned char *arena, const unsigned char *weights",
            ") {",
            *unread,
            text,
            "}",
        ]
    )


def _function(step: Step) -> str:
    emission = step.emission
    overlapping = {p.over for p in emission.parameters if p.over} | {
        p.name for p in emission.parameters if p.over
    }
    declared = []
    for p in emission.parameters:
        const = "" if p.written else "const "
        restrict = "" if p.name in overlapping else "restrict "
        declared.append(f"{const}{p.ctype} *{restrict}{p.name}")
    kind = "int" if emission.fails else "void"
    end = ["return LB_OK;"] if emission.fails else []
    text = "\n".join(emission.lines)
    unread = [f"(void){p.name};" for p in emission.parameters if not re.search(rf"\b{p.name}\b", text)]
    body = "\n".join([*unread, *emission.lines, *end])
    return f"LB_STEP {kind} @name({', '.join(declared) or 'void'}) {{\n{body}\n}}"


def _location(p: Parameter, n: int, steps: Steps, plan: MemoryPlan, weights: Weights) -> Location:
    if p.source.scratch:
        return plan.scratch[n, p.name]
    if p.source.weights is not None:
        return Location("weights", weights.add(p.source.weights))
    if p.source.value is None:
        return Location("weights", 0)
    return place_of(p.source.value, steps, plan, weights)


def place_of(value: Value, steps: Steps, plan: MemoryPlan, weights: Weights) -> Location:
    """Where a value is; a constant is added to `weights`."""
    root, shift = steps.place(value)
    if root.data is not None:
        return Location("weights", weights.add(root.data) + shift)
    place = plan.values[root]
    return Location(place.where, place.offset, place.shift + shift)


def pointer_of(place: Location) -> str:
    """The C expression of a place."""
    if place.where not in ("inputs", "outputs"):
        return f"{place.where} + {place.offset + place.shift}"
    pointer = f"{place.where}[{place.offset}]"
    if not place.shift:
        return pointer
    const = "const " if place.where == "inputs" else ""
    return f"({const}unsigned char *){pointer} + {place.shift}"


def _library(paths: set[Path]) -> str:
    """The text of the files, and of the files that they include, each once."""
    found: dict[str, str] = {}

    def visit(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        for name in _INCLUDE.findall(text):
            visit(path.parent / name)
        found.setdefault(path.name, _INCLUDE.sub("", text))

    first: Mapping[str, Path] = {path.name: path for path in paths}
    for name in sorted(first, key=lambda name: (_ORDER.index(name) if name in _ORDER else 99, name)):
        visit(first[name])
    return "\n".join(found.values())
