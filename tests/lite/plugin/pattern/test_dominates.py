"""A part of any length between one parent and one child."""

from __future__ import annotations

import pytest

from lite.errors import PluginError
from lite.ir.text import parse_graph
from lite.plugin.pattern import Composite, Pattern, dominates, find_composites, is_op, wildcard
from tests.lite.plugin.pattern.composites import graph_of, ops, places

PATH = is_op("relu", "tanh", "elementwise_add", "split")
PARENT = is_op("conv2d")
CHILD = is_op("elementwise_add")
PATTERN = dominates(PARENT, PATH, CHILD)
CONV = "Output=%p = conv2d(Input=%a, Filter=%w) "


@pytest.mark.parametrize(
    ("body", "matched"),
    [
        ("%y = elementwise_add(X=%p, Y=%k)", ["p y"]),
        ("%y = elementwise_add(X=%p, Y=%p)", ["p y"]),
        ("%q = relu(X=%p) %y = elementwise_add(X=%q, Y=%k)", ["p q y"]),
        ("%q = relu(X=%p) %r = tanh(X=%q) %y = elementwise_add(X=%r, Y=%r)", ["p q r y"]),
        ("%q = relu(X=%p) %y = elementwise_add(X=%q, Y=%p)", ["p q y"]),
        ("%q = relu(X=%p) %r = tanh(X=%p) %y = elementwise_add(X=%q, Y=%r)", ["p q r y"]),
        ("%q, %r = split(X=%p) {num=2} %y = elementwise_add(X=%q, Y=%r)", ["p q y"]),
        # An argument is no way up: it is read from outside.
        ("%q = elementwise_add(X=%p, Y=%b) %y = elementwise_add(X=%q, Y=%b)", ["p q y"]),
    ],
)
def test_all_ways_lead_to_the_parent(body: str, matched: list[str]) -> None:
    assert places(PATTERN, CONV + body) == matched


@pytest.mark.parametrize(
    "body",
    [
        # no parent at all
        "%q = relu(X=%a) %y = elementwise_add(X=%q, Y=%q)",
        "%y = elementwise_add(X=%a, Y=%k)",
        # something else on a way
        CONV + "%q = sigmoid(X=%p) %y = elementwise_add(X=%q, Y=%p)",
        CONV + "%q = sigmoid(X=%a) %y = elementwise_add(X=%q, Y=%p)",
        # a way that passes the parent by
        CONV + "%q = relu(X=%a) %y = elementwise_add(X=%q, Y=%p)",
        # two parents
        CONV + "Output=%q = conv2d(Input=%a, Filter=%w) %y = elementwise_add(X=%p, Y=%q)",
        # a way on which another parent lies
        CONV + "Output=%q = conv2d(Input=%p, Filter=%w) %y = elementwise_add(X=%p, Y=%q)",
    ],
)
def test_not_all_ways_lead_to_one_parent(body: str) -> None:
    assert places(PATTERN, body) == []


@pytest.mark.parametrize("leaking", ["p", "q"])
def test_parent_and_path_are_read_on_the_way_only(leaking: str) -> None:
    body = CONV + "%q = relu(X=%p) %y = elementwise_add(X=%q, Y=%k) "
    assert places(PATTERN, body) == ["p q y"]
    assert places(PATTERN, body, result=f"%y, %{leaking}") == []
    assert places(PATTERN, body + f"%z = sigmoid(X=%{leaking})") == []


def test_nearest_parent() -> None:
    pattern = dominates(is_op("relu"), is_op("relu", "tanh"), is_op("tanh"))
    assert places(pattern, "%p = relu(X=%a) %q = relu(X=%p) %r = tanh(X=%q) %y = tanh(X=%r)") == ["q r y"]


def test_parent_of_a_diamond_above_a_parent_on_one_way() -> None:
    """%q is a parent, too, but the other way goes round it: the parent is where all ways meet."""
    pattern = dominates(is_op("relu"), is_op("relu", "tanh"), CHILD)
    body = "%p = relu(X=%a) %q = relu(X=%p) %r = tanh(X=%p) %y = elementwise_add(X=%q, Y=%r)"
    assert places(pattern, body) == ["p q r y"]


def test_parent_further_up_when_the_nearest_does_not_do() -> None:
    """The rest of the pattern needs a parent that reads the graph's argument twice."""
    x = wildcard()
    parent = is_op("tanh")(X=x)
    pattern = is_op("concat")(X=[dominates(parent, is_op("tanh"), is_op("relu")), is_op("sigmoid")(X=x)])
    body = "%p = tanh(X=%a) %q = tanh(X=%p) %r = relu(X=%q) %s = sigmoid(X=%a) %y = concat(X=[%r, %s])"
    assert places(pattern, body) == ["p q r s y"]


def test_diamonds_in_diamonds() -> None:
    lines = [CONV, "%v0 = relu(X=%p)"]
    for n in range(8):
        lines.append(
            f"%l{n} = relu(X=%v{n}) %r{n} = tanh(X=%v{n}) %v{n + 1} = elementwise_add(X=%l{n}, Y=%r{n})"
        )
    (matched,) = places(PATTERN, " ".join(lines), result="%v8")
    assert len(matched.split()) == 2 + 3 * 8


def test_child_and_parent_of_several_ops() -> None:
    parent = is_op("batch_norm")(X=is_op("conv2d"))
    child = is_op("sigmoid")(X=is_op("elementwise_add"))
    body = CONV + (
        "Y=%q = batch_norm(X=%p, Mean=%k, Variance=%k) %r = relu(X=%q) "
        "%s = elementwise_add(X=%r, Y=%q) %y = sigmoid(X=%s)"
    )
    assert places(dominates(parent, PATH, child), body) == ["p q r s y"]


def test_path_of_several_ops() -> None:
    path = is_op("relu")(X=is_op("tanh"))
    pattern = dominates(PARENT, path, CHILD)
    body = (
        CONV
        + "%q = tanh(X=%p) %r = relu(X=%q) %s = tanh(X=%r) %t = relu(X=%s) %y = elementwise_add(X={}, Y=%k)"
    )
    assert places(pattern, body.format("%t")) == ["p q r s t y"]
    assert places(pattern, body.format("%s")) == []


def test_same_pattern_on_the_path_and_as_child() -> None:
    """On the path, a pattern stands for one value after the other."""
    body = CONV + "%q = relu(X=%p) %r = tanh(X=%q) %y = elementwise_add(X=%r, Y=%p)"
    assert places(dominates(PARENT, PATH, PATH), body) == ["p q r y"]


def test_path_of_anything() -> None:
    pattern = dominates(PARENT, wildcard(), CHILD)
    body = CONV + "%q = sigmoid(X=%p) %r = exp(X=%q){} %y = elementwise_add(X=%r, Y=%p)"
    assert places(pattern, body.format("")) == ["p q r y"]
    assert places(pattern, body.format(" effect")) == []


def test_path_over_an_op_that_the_rest_of_the_pattern_has_too() -> None:
    pattern = is_op("concat")(X=[is_op("tanh"), dominates(PARENT, PATH, is_op("relu"))])
    body = CONV + "%q = tanh(X=%p) %r = relu(X=%q) %y = concat(X=[{}, %r])"
    assert places(pattern, body.format("%z").replace("%q =", "%z = tanh(X=%a) %q =")) == ["p z q r y"]
    assert places(pattern, body.format("%q")) == []


def test_inside_a_pattern() -> None:
    pattern = is_op("sigmoid")(X=PATTERN.named("sum")).has_attr()
    body = CONV + "%q = relu(X=%p) %r = elementwise_add(X=%q, Y=%p) %y = sigmoid(X=%r)"
    (match,) = find_composites(graph_of(body), [Composite("dev.it", pattern)])
    assert ops(match) == "p q r y"
    assert match.captures["sum"].name == "r"


def test_names_of_parent_and_child() -> None:
    pattern = dominates(PARENT.named("conv"), PATH, CHILD.named("sum"))
    body = CONV + "%q = relu(X=%p) %y = elementwise_add(X=%q, Y=%p)"
    (match,) = find_composites(graph_of(body), [Composite("dev.it", pattern)])
    assert {name: value.name for name, value in match.captures.items()} == {"conv": "p", "sum": "y"}


def test_path_cannot_be_named() -> None:
    with pytest.raises(PluginError, match="the path of dominates matches many ops, which 'step' cannot name"):
        dominates(PARENT, is_op("tanh")(X=is_op("relu").named("step")), CHILD)


@pytest.mark.parametrize("pattern", [PATTERN, is_op("sigmoid")(X=PATTERN)])
def test_several_in_a_row(pattern: Pattern) -> None:
    """What failed for one root is remembered, but not taken for the answer of another."""
    lines = ["%y0 = relu(X=%x)"]
    for n in range(4):
        lines.append(
            f"Output=%c{n} = conv2d(Input=%y{n}, Filter=%w) %r{n} = relu(X=%c{n}) "
            f"%s{n} = elementwise_add(X=%r{n}, Y=%r{n}) %y{n + 1} = sigmoid(X=%s{n})"
        )
    text = f"graph main(%x) {{ %w = const float32[4,4,1,1] random(1) {' '.join(lines)} return %y4 }}"
    found = [ops(match) for match in find_composites(parse_graph(text), [Composite("dev.it", pattern)])]
    last = " y{}" if pattern is not PATTERN else ""
    assert found == [f"c{n} r{n} s{n}" + last.format(n + 1) for n in range(4)]
