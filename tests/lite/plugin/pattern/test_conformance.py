"""The cases of TVM's tests of MergeComposite, with litebridge's ops.

A comment states where the rules of the two projects differ.  bias_add is an elementwise_add of a constant.
"""

from __future__ import annotations

import pytest

from lite.plugin.pattern import (
    Composite,
    Match,
    Pattern,
    find_composites,
    is_constant,
    is_input,
    is_op,
    wildcard,
)
from tests.lite.plugin.pattern.composites import graph_of, matches_in

Matches = list[tuple[str, str]]


def relu(x: Pattern) -> Pattern:
    return is_op("relu")(X=x)


def conv_bias(x: Pattern | None = None) -> Pattern:
    conv = is_op("conv2d")(x or wildcard(), is_constant())
    return conv + is_constant()


def add_sub_mul() -> Composite:
    x, y = wildcard(), wildcard()
    return Composite("dev.add_sub_mul", (x + y) * (x - y))


def inputs(match: Match) -> list[str]:
    return [value.name for value in match.inputs]


ADD_RELU = Composite("dev.add_relu", relu(wildcard() + wildcard()))
CONV_BIAS_RELU = Composite("dev.conv_bias_relu", relu(conv_bias()))
UNIT = (
    "%{0}1 = elementwise_add(X=%{1}, Y=%{2}) %{0}2 = elementwise_sub(X=%{1}, Y=%{2}) "
    "%{0} = elementwise_mul(X=%{0}1, Y=%{0}2) "
)
CONV = "Output=%{0}c = conv2d(Input=%{1}, Filter=%w) %{0} = elementwise_add(X=%{0}c, Y=%k) {{axis=1}} "


def test_c01_simple_merge() -> None:
    graph = graph_of("%p = elementwise_add(X=%a, Y=%b) %y = relu(X=%p)")
    (match,) = find_composites(graph, [ADD_RELU])
    assert [node.op for node in match.nodes] == ["elementwise_add", "relu"]
    assert inputs(match) == ["a", "b"]


def test_c02_branch_merge() -> None:
    graph = graph_of(UNIT.format("p", "a", "b") + UNIT.format("q", "c", "p") + "%y = relu(X=%q)")
    matches = find_composites(graph, [add_sub_mul()])
    assert [[node.op for node in match.nodes] for match in matches] == [
        ["elementwise_add", "elementwise_sub", "elementwise_mul"]
    ] * 2
    assert [inputs(match) for match in matches] == [["a", "b"], ["c", "p"]]
    assert [match.root.output().name for match in matches] == ["p", "q"]


def test_c03_reuse_of_an_inner_value() -> None:
    x, y = wildcard(), wildcard()
    first = x + y
    second = x + first
    graph = graph_of(
        "%s = elementwise_sub(X=%a, Y=%b) %t = elementwise_add(X=%s, Y=%b) "
        "%u = elementwise_add(X=%s, Y=%t) %y = elementwise_add(X=%u, Y=%t)"
    )
    (match,) = find_composites(graph, [Composite("dev.add_add_add", second + first)])
    assert [node.output().name for node in match.nodes] == ["t", "u", "y"]
    assert inputs(match) == ["s", "b"]


def test_c04_several_patterns() -> None:
    graph = graph_of(
        CONV.format("p", "a")
        + "%q = relu(X=%p) %r = elementwise_add(X=%q, Y=%b) %s = relu(X=%r) %y = elementwise_mul(X=%s, Y=%c)"
    )
    assert matches_in(graph, CONV_BIAS_RELU, ADD_RELU) == [("conv_bias_relu", "pc p q"), ("add_relu", "r s")]


def test_c05_optional_relu() -> None:
    composite = Composite("dev.conv_bias_relu", conv_bias().optional(relu))
    graph = graph_of(CONV.format("p", "a") + "%q = relu(X=%p) " + CONV.format("y", "q"))
    matches = find_composites(graph, [composite])
    assert [[node.op for node in match.nodes] for match in matches] == [
        ["conv2d", "elementwise_add", "relu"],
        ["conv2d", "elementwise_add"],
    ]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ABC", [("A", "p q y")]),
        ("BCA", [("B", "p q")]),
        ("CAB", [("C", "q y")]),
    ],
)
def test_c06_priority(order: str, expected: Matches) -> None:
    add, absolute = wildcard() + wildcard(), is_op("abs")
    patterns = {"A": relu(absolute(X=add)), "B": absolute(X=add), "C": relu(absolute(X=wildcard()))}
    graph = graph_of("%p = elementwise_add(X=%a, Y=%b) %q = abs(X=%p) %y = relu(X=%q)")
    assert matches_in(graph, *(Composite(f"dev.{name}", patterns[name]) for name in order)) == expected


def test_c07_parallel_units_over_the_same_inputs() -> None:
    graph = graph_of(
        UNIT.format("p", "a", "b") + UNIT.format("q", "a", "b") + "%y = elementwise_mul(X=%p, Y=%q)"
    )
    matches = find_composites(graph, [add_sub_mul()])
    assert [match.root.output().name for match in matches] == ["p", "q"]
    assert [inputs(match) for match in matches] == [["a", "b"], ["a", "b"]]


@pytest.mark.parametrize(("shared", "expected"), [(True, 1), (False, 0)])
def test_c08_units_over_the_same_inputs_or_not(shared: bool, expected: int) -> None:
    """add and sub of the unit must read the same two values."""
    relus = "%{0}s = elementwise_add(X=%{1}, Y=%{2}) %{0} = relu(X=%{0}s) "
    read = ("p", "q") if shared else ("r", "s")
    graph = graph_of(
        "".join(relus.format(*names) for names in ("pab", "qac", "rad", "sbc"))
        + "%m = elementwise_add(X=%p, Y=%q) %n = elementwise_sub(X=%{}, Y=%{}) ".format(*read)
        + "%y = elementwise_mul(X=%m, Y=%n)"
    )
    names = [name for name, _ in matches_in(graph, add_sub_mul(), ADD_RELU)]
    assert names == ["add_sub_mul"] * expected + ["add_relu"] * 4


def test_c09_one_output_of_several() -> None:
    """batch_norm's first output needs no projection; its others are `.output(slot)`."""
    composite = Composite("dev.bn_relu", relu(is_op("batch_norm")))
    graph = graph_of("Y=%p, SavedMean=%m = batch_norm(X=%a, Mean=%k, Variance=%k) %y = relu(X=%p)")
    (match,) = find_composites(graph, [composite])
    assert [node.op for node in match.nodes] == ["batch_norm", "relu"]


@pytest.mark.parametrize(("layout", "expected"), [("NHWC", [("it", "pc p y")]), ("NCHW", [])])
def test_c10_check_of_an_attribute(layout: str, expected: Matches) -> None:
    def check(match: Match) -> str | None:
        actual = match.nodes[0].attrs.get("data_format", "NCHW")
        return None if actual == layout else f"expected {layout}, got {actual}"

    body = CONV.format("p", "a").replace("%w)", '%w) {data_format="NHWC"}') + "%y = relu(X=%p)"
    assert matches_in(graph_of(body), Composite("dev.it", CONV_BIAS_RELU.pattern, check)) == expected


def test_c11_another_op_between() -> None:
    x = relu(wildcard())
    composite = Composite("dev.it", x * is_op("clip")(X=x))
    body = "%p = relu(X=%a) %q = {} %r = clip(X={}) %y = elementwise_mul(X=%p, Y=%r)"
    assert matches_in(graph_of(body.format("tanh(X=%b)", "%p")), composite) == [("it", "p r y")]
    assert matches_in(graph_of(body.format("elementwise_add(X=%p, Y=%two)", "%q")), composite) == []


@pytest.mark.parametrize("accepted", [True, False])
def test_c12_types_are_known_to_the_check_of_a_later_composite(accepted: bool) -> None:
    def check(match: Match) -> str | None:
        return None if accepted and match.nodes[0].output().shape == (1, 4, 8, 8) else "shape"

    body = (
        "%p = elementwise_add(X=%a, Y=%b) : float32[1,3,8,8] %q = relu(X=%p) : float32[1,3,8,8] "
        + CONV.format("r", "q").replace("%w)", "%w) : float32[1,4,8,8]")
    )
    add_relu = Composite("dev.add_relu", relu(is_input() + is_input()))
    composites = [add_relu, Composite("dev.conv_bias_relu", CONV_BIAS_RELU.pattern, check)]
    expected = [("add_relu", "p q")] + [("conv_bias_relu", "rc r y")] * accepted
    assert matches_in(graph_of(body + "%y = relu(X=%r)"), *composites) == expected


@pytest.mark.parametrize("first", ["%a", "%p"])
@pytest.mark.parametrize("second", ["%b", "%q"])
def test_c13_repeated_slot_of_optional_parts(first: str, second: str) -> None:
    operands = [wildcard().optional(lambda x: is_op("reshape2")(X=x)) for _ in range(2)]
    composite = Composite("dev.it", is_op("einsum")(Operands=operands))
    reshape = "%{} = reshape2(X=%{}) {{shape=[-1]}} "
    used = [reshape.format("p", "a")] * (first == "%p") + [reshape.format("q", "b")] * (second == "%q")
    graph = graph_of("".join(used) + f'%y = einsum(Operands=[{first}, {second}]) {{equation="ij,jk->ik"}}')
    ((_, ops),) = matches_in(graph, composite)
    assert ops.split() == [name[1:] for name in (first, second) if name in ("%p", "%q")] + ["y"]
