"""Text → graph; `lite.ir.text` documents the grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from lite.errors import suggest
from lite.ir.graph import Graph, Ids, Value
from lite.ir.text_print import DEFAULT_SLOT
from lite.ir.text_scan import Scanner, Token
from lite.ir.text_terms import (
    attribute,
    dtype,
    elements,
    integer,
    place,
    random_array,
    read_type,
    shape,
)
from lite.ir.types import Array, DType, is_known

T = TypeVar("T")


def parse_graph(text: str, constants: Mapping[str, Array] | None = None) -> Graph:
    """The graph that a text describes; `constants` are the arrays of ``@key`` constants, by key.

    Raises `GraphError`, with line, column and a caret, for a text that the grammar does not allow, for a
    value that is used before it is defined or defined twice, and for an array that is not in `constants`.
    """
    scanner = Scanner(text)
    graph = _GraphParser(scanner, constants or {}, Ids()).parse()
    if scanner.token.kind != "end":
        scanner.fail("expected the end of the text after the graph")
    return graph


class _GraphParser:
    """Reads one graph; nested graphs have parsers of their own."""

    def __init__(self, scanner: Scanner, constants: Mapping[str, Array], ids: Ids) -> None:
        self.scanner = scanner
        self.constants = constants
        self.graph = Graph(ids)
        self.values: dict[tuple[str, int], Value] = {}

    def parse(self) -> Graph:
        scanner = self.scanner
        scanner.expect("graph")
        self.graph.name = scanner.name("the name of the graph")
        scanner.expect("(")
        self._list(self._argument, ")")
        scanner.expect("{")
        while not scanner.at("return"):
            self._statement()
        scanner.expect("return")
        results = self._list(self._result, "}")
        self.graph.set_results([value for _, value in results], [name for name, _ in results])
        return self.graph

    def _argument(self) -> None:
        value = self._define(self._value_token())
        self.graph.args.append(value)
        if self.scanner.skip(":"):
            read_type(self.scanner, value)

    def _statement(self) -> None:
        outputs = self._outputs()
        if self.scanner.at("const"):
            self._constant(outputs)
        else:
            self._node(outputs)

    def _outputs(self) -> dict[str, list[Token]]:
        scanner = self.scanner
        outputs: dict[str, list[Token]] = {}
        if scanner.ahead("("):
            return outputs
        while True:
            slot = DEFAULT_SLOT
            if scanner.token.kind != "value":
                slot = scanner.name("a value, a slot, an op, or return")
                scanner.expect("=")
            outputs.setdefault(slot, []).extend(self._values(self._value_token))
            if not scanner.skip(","):
                scanner.expect("=")
                return outputs

    def _constant(self, outputs: dict[str, list[Token]]) -> None:
        scanner = self.scanner
        scanner.expect("const")
        if len(outputs) != 1 or len(outputs.get(DEFAULT_SLOT, ())) != 1:
            scanner.fail("a constant is one value", next(iter(outputs.values()))[0])
        (token,) = outputs[DEFAULT_SLOT]
        value = self._define(token)
        if value.name in self.graph.constants:
            scanner.fail("another constant has this name", token)
        data = self._data()
        data.flags.writeable = False
        value.data, value.shape, value.dtype = data, data.shape, DType.from_numpy(data.dtype)
        self.graph.constants[value.name] = value
        if scanner.skip(":"):
            read_type(scanner, value)

    def _data(self) -> Array:
        scanner = self.scanner
        start = scanner.token
        kind, dims = dtype(scanner), shape(scanner)
        if dims is None or not is_known(dims):
            scanner.fail("the shape of a constant consists of numbers", start)
        sizes = tuple(int(dim) for dim in dims)
        if scanner.token.kind == "key":
            return self._by_key(scanner.take("key", what="a key"), kind, sizes)
        if not scanner.skip("random"):
            return elements(scanner, kind, sizes)
        scanner.expect("(")
        seed = integer(scanner, "a seed")
        scanner.expect(")")
        return random_array(kind, sizes, seed)

    def _by_key(self, token: Token, kind: DType, sizes: tuple[int, ...]) -> Array:
        key = token.text[1:]
        array = self.constants.get(key)
        if array is None:
            self.scanner.fail(f"`constants` has no array under {key!r}{suggest(key, self.constants)}", token)
        if array.shape != sizes or DType.from_numpy(array.dtype) is not kind:
            self.scanner.fail(f"the array under {key!r} is {array.dtype}{list(array.shape)}", token)
        return array.view()

    def _node(self, outputs: dict[str, list[Token]]) -> None:
        scanner = self.scanner
        op = scanner.name("an op")
        scanner.expect("(")
        inputs = self._named(lambda: self._values(self._use), "a slot", ")")
        attrs = self._named(lambda: attribute(scanner), "an attribute", "}") if scanner.skip("{") else {}
        values = {slot: [self._define(token) for token in tokens] for slot, tokens in outputs.items()}
        node = self.graph.add_node(op, inputs, values, attrs)
        if scanner.skip("@"):
            node.place = place(scanner)
        node.effect = scanner.skip("effect")
        if scanner.skip(":"):
            self._types(list(node.all_outputs()))
        while scanner.at("graph"):
            node.blocks.append(_GraphParser(scanner, self.constants, self.graph.ids).parse())

    def _types(self, values: list[Value]) -> None:
        for index, value in enumerate(values):
            if index:
                self.scanner.expect(",")
            read_type(self.scanner, value)
        if self.scanner.at(","):
            self.scanner.fail(f"the node has more types than its {len(values)} outputs")

    def _named(self, read: Callable[[], T], what: str, end: str) -> dict[str, T]:
        items: dict[str, T] = {}

        def read_item() -> None:
            token = self.scanner.token
            name = self.scanner.name(what)
            if name in items:
                self.scanner.fail(f"{what} is given twice", token)
            self.scanner.expect("=")
            items[name] = read()

        self._list(read_item, end)
        return items

    def _result(self) -> tuple[str, Value]:
        if self.scanner.token.kind == "value":
            value = self._use()
            return value.name, value
        name = self.scanner.name("a value or the name of a result")
        self.scanner.expect("=")
        return name, self._use()

    def _values(self, read: Callable[[], T]) -> list[T]:
        return self._list(read, "]") if self.scanner.skip("[") else [read()]

    def _list(self, read: Callable[[], T], end: str) -> list[T]:
        items: list[T] = []
        while not self.scanner.skip(end):
            if items:
                self.scanner.expect(",")
            items.append(read())
        return items

    def _value_token(self) -> Token:
        return self.scanner.take("value", what="a value (%name)")

    def _key(self, token: Token) -> tuple[str, int]:
        text = token.text[1:]
        if not text.startswith('"'):
            name, _, version = text.partition("#")
            return name, int(version or 0)
        end = text.rindex('"') + 1
        return self.scanner.unquote(token, text[:end]), int(text[end + 1 :] or 0)

    def _define(self, token: Token) -> Value:
        key = self._key(token)
        if key in self.values:
            self.scanner.fail("this value is defined twice", token)
        value = self.graph.new_value(key[0], version=key[1])
        self.values[key] = value
        return value

    def _use(self) -> Value:
        token = self._value_token()
        value = self.values.get(self._key(token))
        if value is None:
            names = [name for name, _ in self.values]
            self.scanner.fail(f"this value is not defined above{suggest(self._key(token)[0], names)}", token)
        return value
