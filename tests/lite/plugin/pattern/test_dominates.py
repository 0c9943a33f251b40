"""A subgraph of any size between one parent and one child."""

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
        # An argument is not part of a path: it is read from outside.
        ("%q = elementwise_add(X=%p, Y=%b) %y = elementwise_add(X=%q, Y=%b)", ["p q y"]),
    ],
)
def test_all_paths_lead_to_the_parent(body: str, matched: list[str]) -> None:
    assert places(PATTERN, CONV + body) == matched


@pytest.mark.parametrize(
    "body",
    [
        # no parent at all
        "%q = relu(X=%a) %y = elementwise_add(X=%q, Y=%q)",
        "%y = elementwise_add(X=%a, Y=%k)",
        # another op on a path
        CONV + "%q = sigmoid(X=%p) %y = elementwise_add(X=%q, Y=%p)",
        CONV + "%q = sigmoid(X=%a) %y = elementwise_add(X=%q, Y=%p)",
        # a path that bypasses the parent
        CONV + "%q = relu(X=%a) %y = elementwise_add(X=%q, Y=%p)",
        # two parents
        CONV + "Output=%q = conv2d(Input=%a, Filter=%w) %y = elementwise_add(X=%p, Y=%q)",
        # a path with another parent
        CONV + "Output=%q = conv2d(Input=%p, Filter=%w) %y = elementwise_add(X=%p, Y=%q)",
    ],
)
def test_without_a_common_parent_there_is_no_match(body: str) -> None:
    assert places(PATTERN, body) == []


@pytest.mark.parametrize("leaking", ["p", "q"])
def test_outputs_of_parent_and_path_may_not_be_read_outside(leaking: str) -> None:
    body = CONV + "%q = relu(X=%p) %y = elementwise_add(X=%q, Y=%k) "
    assert places(PATTERN, body) == ["p q y"]
    assert places(PATTERN, body, result=f"%y, %{leaking}") == []
    assert places(PATTERN, body + f"%z = sigmoid(X=%{leaking})") == []


def test_the_nearest_parent_matches() -> None:
    pattern = dominates(is_op("relu"), is_op("relu", "tanh"), is_op("tanh"))
    assert places(pattern, "%p = relu(X=%a) %q = relu(X=%p) %r = tanh(X=%q) %y = tanh(X=%r)") == ["q r y"]


def test_a_parent_on_one_path_only_does_not_match() -> None:
    """%q matches the parent, too, but the other path bypasses it: all paths must meet in the parent."""
    pattern = dominates(is_op("relu"), is_op("relu", "tanh"), CHILD)
    body = "%p = relu(X=%a) %q = relu(X=%p) %r = tanh(X=%p) %y = elementwise_add(X=%q, Y=%r)"
    assert places(pattern, body) == ["p q r y"]


def test_the_next_parent_matches_if_the_nearest_is_refused() -> None:
    """The rest of the pattern needs a parent that reads the graph's argument twice."""
    x = wildcard()
    parent = is_op("tanh")(X=x)
    pattern = is_op("concat")(X=[dominates(parent, is_op("tanh"), is_op("relu")), is_op("sigmoid")(X=x)])
    body = "%p = tanh(X=%a) %q = tanh(X=%p) %r = relu(X=%q) %s = sigmoid(X=%a) %y = concat(X=[%r, %s])"
    assert places(pattern, body) == ["p q r s y"]


def test_nested_diamonds_match() -> None:
    lines = [CONV, "%v0 = relu(X=%p)"]
    for n in range(8):
        lines.append(
            f"%l{n} = relu(X=%v{n}) %r{n} = tanh(X=%v{n}) %v{n + 1} = elementwise_add(X=%l{n}, Y=%r{n})"
        )
    (matched,) = places(PATTERN, " ".join(lines), result="%v8")
    assert len(matched.split()) == 2 + 3 * 8


def test_child_and_parent_may_have_several_ops() -> None:
    parent = is_op("batch_norm")(X=is_op("conv2d"))
    child = is_op("sigmoid")(X=is_op("elementwise_add"))
    body = CONV + (
        "Y=%q = batch_norm(X=%p, Mean=%k, Variance=%k) %r = relu(X=%q) "
        "%s = elementwise_add(X=%r, Y=%q) %y = sigmoid(X=%s)"
    )
    assert places(dominates(parent, PATH, child), body) == ["p q r s y"]


def test_the_path_pattern_may_have_several_ops() -> None:
    path = is_op("relu")(X=is_op("tanh"))
    pattern = dominates(PARENT, path, CHILD)
    body = (
        CONV
        + "%q = tanh(X=%p) %r = relu(X=%q) %s = tanh(X=%r) %t = relu(X=%s) %y = elementwise_add(X={}, Y=%k)"
    )
    assert places(pattern, body.format("%t")) == ["p q r s t y"]
    assert places(pattern, body.format("%s")) == []


def test_one_pattern_may_be_path_and_child() -> None:
    """On the path, one pattern matches several values in turn."""
    body = CONV + "%q = relu(X=%p) %r = tanh(X=%q) %y = elementwise_add(X=%r, Y=%p)"
    assert places(dominates(PARENT, PATH, PATH), body) == ["p q r y"]


def test_a_wildcard_path_matches_any_op() -> None:
    pattern = dominates(PARENT, wildcard(), CHILD)
    body = CONV + "%q = sigmoid(X=%p) %r = exp(X=%q){} %y = elementwise_add(X=%r, Y=%p)"
    assert places(pattern, body.format("")) == ["p q r y"]
    assert places(pattern, body.format(" effect")) == []


def test_a_path_may_contain_an_op_of_the_rest_of_the_pattern() -> None:
    pattern = is_op("concat")(X=[is_op("tanh"), dominates(PARENT, PATH, is_op("relu"))])
    body = CONV + "%q = tanh(X=%p) %r = relu(X=%q) %y = concat(X=[{}, %r])"
    assert places(pattern, body.format("%z").replace("%q =", "%z = tanh(X=%a) %q =")) == ["p z q r y"]
    assert places(pattern, body.format("%q")) == []


def test_dominates_may_be_part_of_a_pattern() -> None:
    pattern = is_op("sigmoid")(X=PATTERN.named("sum")).has_attr()
    body = CONV + "%q = relu(X=%p) %r = elementwise_add(X=%q, Y=%p) %y = sigmoid(X=%r)"
    (match,) = find_composites(graph_of(body), [Composite("dev.it", pattern)])
    assert ops(match) == "p q r y"
    assert match.captures["sum"].name == "r"


def test_names_in_parent_and_child_are_captured() -> None:
    pattern = dominates(PARENT.named("conv"), PATH, CHILD.named("sum"))
    body = CONV + "%q = relu(X=%p) %y = elementwise_add(X=%q, Y=%p)"
    (match,) = find_composites(graph_of(body), [Composite("dev.it", pattern)])
    assert {name: value.name for name, value in match.captures.items()} == {"conv": "p", "sum": "y"}


def test_a_name_in_the_path_is_an_error() -> None:
    with pytest.raises(PluginError, match="the path of dominates matches many ops, which 'step' cannot name"):
        dominates(PARENT, is_op("tanh")(X=is_op("relu").named("step")), CHILD)


@pytest.mark.parametrize("pattern", [PATTERN, is_op("sigmoid")(X=PATTERN)])
def test_dominated_subgraphs_may_follow_each_other(pattern: Pattern) -> None:
    """A dead end of one root is remembered, but does not decide about another root."""
    lines = ["%y0 = relu(X=%x)"]
    for n in range(4):
        lines.append(
            f"Output=%c{n} = conv2d(Input=%y{n}, Filter=%w) %r{n} = relu(X=%c{n}) "
            f"%s{n} = elementwise_add(X=%r{n}, Y=%r{n}) %y{n + 1} = sigmoid(X=%s{n})"
        )
    text = f"graph main(%x) {{ %w = const float32[4,4,1,1] random(1) {' '.join(lines)} return %y4 }}"
    matches = [ops(match) for match in find_composites(parse_graph(text), [Composite("dev.it", pattern)])]
    last = " y{}" if pattern is not PATTERN else ""
    assert matches == [f"c{n} r{n} s{n}" + last.format(n + 1) for n in range(4)]
