"""The schema of an op: slots, attributes with defaults, shape rule, LoD rule, aliasing, traits.

Schemas are declared by family in ``lite/ops/defs``, most of them as table rows::

    op("relu", "max(X, 0)", "X:float", "Out", same_as("X"), lod="X", inplace={"Out": "X"})
    op("arg_max", "Index of the greatest element.", "X/1-", "Out", _arg, attrs={"axis": -1, "dtype": 3})

`lite.ops.slots` describes the notation of slots.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from lite.dataclass import dataclass
from lite.errors import GraphError, suggest
from lite.ir.program import AttrType, AttrValue
from lite.ops.attrs import Attr, attr_of
from lite.ops.clamp import Clamp
from lite.ops.slots import Slot, read_slots
from lite.ops.view import Inferred, OpView

ShapeRule = Callable[[OpView], Inferred]

Respell = Callable[[str, Mapping[str, AttrValue]], dict[str, AttrValue]]
"""Takes an op type and its attributes as a program has them; returns them in the schema's spelling."""

LOD_BY_KERNEL = "kernel"
"""`OpSchema.lod` of an op that reads LoD: its kernels receive and return LoDs."""

LOD_BY_RULE = "rule"
"""`OpSchema.lod` of an op whose shape rule sets the LoDs of its outputs."""


class Trait(enum.Enum):
    """A property that passes, kernels and bridges ask of an op instead of keeping a list of names."""

    ELEMENTWISE = "elementwise"
    """An element of the outputs depends only on the elements of the inputs at its position."""
    ACTIVATION = "activation"
    """An elementwise function of X alone, steered by numbers, that other ops may apply as last step."""
    CLAMP = "clamp"
    """An activation of straight lines, whose numbers `OpSchema.clamp` gives."""
    ARITHMETIC = "arithmetic"
    """Elementwise of X and Y, broadcast at `axis`; ``fusion_<op>_activation`` adds an activation."""
    COMMUTATIVE = "commutative"
    """X and Y may be exchanged."""
    REDUCTION = "reduction"
    """Reduces the axes in `dim`, all with `reduce_all`, and keeps them as 1 with `keep_dim`."""
    LAYOUT_AGNOSTIC = "layout-agnostic"
    """Computes the same for images in NCHW and in NHWC where all its inputs are in one layout."""
    WINDOW = "window"
    """Slides windows over the spatial axes of images or volumes."""
    MOVEMENT = "movement"
    """Each element of the outputs is an element of the data input, X or Input."""
    RESHAPE = "reshape"
    """Keeps the elements and their order, and changes the shape alone."""

    # The hash of Enum is a Python function, and passes ask for traits of every op.
    __hash__ = object.__hash__


_IMPLIED = {
    Trait.ACTIVATION: (Trait.ELEMENTWISE, Trait.LAYOUT_AGNOSTIC),
    Trait.CLAMP: (Trait.ACTIVATION, Trait.ELEMENTWISE, Trait.LAYOUT_AGNOSTIC),
    Trait.ARITHMETIC: (Trait.ELEMENTWISE, Trait.LAYOUT_AGNOSTIC),
    Trait.ELEMENTWISE: (Trait.LAYOUT_AGNOSTIC,),
    Trait.RESHAPE: (Trait.MOVEMENT,),
}


@dataclass(frozen=True)
class Canonical:
    """How an old spelling becomes the op that replaces it, when only names and attributes differ.

    `slots` renames slots; `attrs` makes the new attributes from the old ones (None: they stay).
    A spelling that changes the graph's structure has a function under ``lite/passes/cleanup/spellings``.
    """

    op: str
    attrs: Callable[[Mapping[str, AttrValue]], dict[str, AttrValue]] | None = None
    slots: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class OpSchema:
    """Everything the engine knows about an op type.

    `about` describes the op in one line.  `clamp` returns its function, from its attributes by
    name, where the function is piecewise linear.  `attr_slots` maps an input slot to the attribute (or
    attributes, one per element) that its values become when they are constant; a slot that is present
    takes precedence over the attribute.  `lod` names the input whose LoD the outputs take, or is one of
    the constants above, or None.  `view` maps an output to the input whose bytes it only re-reads;
    `inplace` to one whose buffer it may overwrite.  `effect` fixes the op's order among others with
    effects.  `foldable` is False for random ops.  `canonical` names the op that replaces this old
    spelling; only that one needs kernels.  `respell` rewrites attributes that older programs spell
    differently.  The executor runs `control_flow` ops.  `once` ops on constants run when the model is
    loaded.  `sized_by_run` ops have outputs whose size is known after the run only: the size that a file
    declares does not count.
    """

    name: str
    about: str
    inputs: Mapping[str, Slot]
    outputs: Mapping[str, Slot]
    attrs: Mapping[str, Attr]
    infer: ShapeRule
    traits: frozenset[Trait] = frozenset()
    clamp: Callable[..., Clamp] | None = None
    lod: str | None = None
    view: Mapping[str, str] | None = None
    inplace: Mapping[str, str] | None = None
    effect: bool = False
    foldable: bool = True
    canonical: Canonical | None = None
    respell: Respell | None = None
    attr_slots: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    control_flow: bool = False
    once: bool = False
    sized_by_run: bool = False

    def attr_values(self, values: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
        """Every attribute of the schema, checked and with defaults filled in.

        Attributes that the schema does not know are left out: Paddle stores many that only steer its
        own kernels.  Raises `GraphError` naming op and attribute.
        """
        result: dict[str, AttrValue] = {}
        for name, attr, default, plain, items in self._defaults:
            value = values.get(name)
            if value is None:
                if default is None or name in values:
                    raise GraphError(f"{self.name}: attribute {name} is missing and has no default")
                result[name] = default
            elif type(value) is plain:
                result[name] = value
            elif items and type(value) is list and items.issuperset(map(type, value)):
                result[name] = value.copy()
            else:
                try:
                    result[name] = attr.checked(value)
                except ValueError as error:
                    raise GraphError(f"{self.name}: attribute {name}: {error}") from error
        return result

    def numbers(self, values: Mapping[str, AttrValue]) -> list[float]:
        """The attributes as numbers in the schema's order, 1.0 and 0.0 for flags.

        Attributes like `activation_params` and the programs of fusion_group hold an op's attributes so.
        """
        return [float(value) for value in self.attr_values(values).values() if isinstance(value, int | float)]

    def from_numbers(self, numbers: Sequence[float]) -> dict[str, AttrValue]:
        """The attributes that `numbers` encodes; those at the end that are missing have their defaults.

        Raises `GraphError` when there are more numbers than attributes.
        """
        if len(numbers) > len(self.attrs):
            raise GraphError(
                f"{self.name}: expected at most {len(self.attrs)} numbers, for {list(self.attrs)}, "
                f"got {list(numbers)}"
            )
        return self.attr_values(
            {
                name: bool(number) if attr.type is AttrType.BOOLEAN else number
                for (name, attr), number in zip(self.attrs.items(), numbers, strict=False)
            }
        )

    @functools.cached_property
    def _defaults(self) -> list[tuple[str, Attr, AttrValue | None, type | None, frozenset[type]]]:
        """Each attribute with its default, and the types of values and of items that need no check."""
        return [(name, attr, attr.default, *attr.unchecked()) for name, attr in self.attrs.items()]


SCHEMAS: dict[str, OpSchema] = {}
"""Every known op type."""


def op(
    name: str,
    about: str,
    inputs: str,
    outputs: str,
    infer: ShapeRule,
    *,
    attrs: Mapping[str, AttrValue | Attr] | None = None,
    traits: Sequence[Trait] = (),
    clamp: Callable[..., Clamp] | None = None,
    lod: str | None = None,
    view: Mapping[str, str] | None = None,
    inplace: Mapping[str, str] | None = None,
    effect: bool = False,
    foldable: bool = True,
    canonical: Canonical | str | None = None,
    respell: Respell | None = None,
    attr_slots: Mapping[str, str | tuple[str, ...]] | None = None,
    control_flow: bool = False,
    once: bool = False,
    sized_by_run: bool = False,
) -> OpSchema:
    """Declare an op type; raises `GraphError` when the name is taken or a slot cannot be read."""
    schema = OpSchema(
        name,
        about,
        read_slots(inputs),
        read_slots(outputs),
        {key: attr_of(value) for key, value in (attrs or {}).items()},
        infer,
        _with_implied(tuple(traits)),
        clamp,
        lod,
        view,
        inplace,
        effect,
        foldable,
        Canonical(canonical) if isinstance(canonical, str) else canonical,
        respell,
        attr_slots or {},
        control_flow,
        once,
        sized_by_run,
    )
    return _declared(schema)


def old_spelling(
    name: str,
    of: str,
    about: str = "",
    *,
    inputs: str | None = None,
    outputs: str | None = None,
    traits: Sequence[Trait] | None = None,
) -> OpSchema:
    """Declare an old spelling of the op `of`, with the same shape rule and attributes.

    Slots and traits are the same, too, unless they are stated.  `about` continues "Old spelling of `of`".
    """
    schema = SCHEMAS[of]
    slots = schema.inputs if inputs is None else read_slots(inputs)
    return _declared(
        replace(
            schema,
            name=name,
            about=f"Old spelling of {of}{about}.",
            inputs=slots,
            outputs=schema.outputs if outputs is None else read_slots(outputs),
            traits=schema.traits if traits is None else _with_implied(tuple(traits)),
            canonical=Canonical(of),
            respell=None,
            attr_slots={slot: attr for slot, attr in schema.attr_slots.items() if slot in slots},
        )
    )


def _declared(schema: OpSchema) -> OpSchema:
    if schema.name in SCHEMAS:
        raise GraphError(f"op {schema.name!r} is declared twice")
    SCHEMAS[schema.name] = schema
    ops_with.cache_clear()
    return schema


@functools.cache
def _with_implied(traits: Sequence[Trait]) -> frozenset[Trait]:
    return frozenset(traits).union(*(_IMPLIED.get(trait, ()) for trait in traits))


def get_schema(name: str) -> OpSchema:
    """The schema of an op type; raises `GraphError` with near names."""
    schema = SCHEMAS.get(name)
    if schema is None:
        raise GraphError(f"unknown op {name!r}{suggest(name, SCHEMAS)}; litebridge ops lists them")
    return schema


def canonical_op(name: str) -> str:
    """The op type that replaces an old spelling; any other name is returned unchanged."""
    schema = SCHEMAS.get(name)
    return name if schema is None or schema.canonical is None else canonical_op(schema.canonical.op)


def has_trait(op: str, trait: Trait) -> bool:
    """Whether the op type `op` has a trait; False for an unknown op."""
    schema = SCHEMAS.get(op)
    return schema is not None and trait in schema.traits


def clamp_of(op: str, attrs: Mapping[str, AttrValue]) -> Clamp | None:
    """The straight lines of an op with `Trait.CLAMP` for some of its attributes; None for another op."""
    schema = get_schema(op)
    return None if schema.clamp is None else schema.clamp(**schema.attr_values(attrs))


@functools.cache
def ops_with(trait: Trait) -> frozenset[str]:
    """The op types that have a trait, old spellings included."""
    return frozenset(name for name, schema in SCHEMAS.items() if trait in schema.traits)
