"""Which matches are valid, the order of the search, and explanations of near misses."""

from __future__ import annotations

import pytest

from lite.errors import CompileError
from lite.ir.text import parse_graph
from lite.plugin.pattern import (
    Composite,
    Match,
    Pattern,
    dominates,
    explain_composites,
    find_composites,
    is_constant,
    is_input,
    is_op,
    wildcard,
)
from lite.plugin.pattern.composite import CompositeSearch
from tests.lite.plugin.pattern.composites import graph_of, matches_in, places


def relu(x: Pattern) -> Pattern:
    return is_op("relu")(X=x)


TANH_RELU = relu(is_op("tanh"))


class TestWhatAMatchSays:
    def test_a_match_has_its_nodes_in_running_order_and_captures(self) -> None:
        first, second = (
            is_op("tanh")(X=wildcard().named("in")).named("first"),
            is_op("sigmoid").named("second"),
        )
        graph = graph_of("%p = sigmoid(X=%b) %q = tanh(X=%a) %y = elementwise_sub(X=%q, Y=%p)")
        (match,) = find_composites(graph, [Composite("dev.it", first - second)])
        assert [node.op for node in match.nodes] == ["sigmoid", "tanh", "elementwise_sub"]
        assert match.root is match.nodes[-1]
        assert {name: value.name for name, value in match.captures.items()} == {
            "first": "q",
            "second": "p",
            "in": "a",
        }
        assert match.composite.name == "dev.it"

    def test_inputs_of_a_match_are_listed_once_without_constants(self) -> None:
        x = wildcard()
        graph = graph_of(
            "%o = tanh(X=%c) %p = elementwise_add(X=%b, Y=%o) %q = elementwise_mul(X=%p, Y=%k) "
            "%y = elementwise_sub(X=%q, Y=%b)"
        )
        (match,) = find_composites(graph, [Composite("dev.it", (x + wildcard()) * is_constant() - x)])
        assert [value.name for value in match.inputs] == ["b", "o"]

    def test_a_graph_without_matches_has_none(self) -> None:
        graph = graph_of("%y = relu(X=%a)")
        assert find_composites(graph, []) == []
        assert (
            find_composites(parse_graph("graph main(%x) { return %x }"), [Composite("dev.it", TANH_RELU)])
            == []
        )
        assert find_composites(graph, [Composite("dev.it", TANH_RELU)]) == []

    def test_the_graph_does_not_change(self) -> None:
        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")
        before = [(node.id, node.op) for node in graph]
        find_composites(graph, [Composite("dev.it", TANH_RELU)])
        assert [(node.id, node.op) for node in graph] == before


class TestWhatIsInTheMiddle:
    def test_a_value_read_outside_refuses_the_match(self) -> None:
        body = "%p = tanh(X=%a) %q = relu(X=%p) %y = elementwise_sub(X=%q, Y={})"
        assert places(TANH_RELU, body.format("%q")) == ["p q"]
        assert places(TANH_RELU, body.format("%p")) == []

    def test_a_value_read_by_an_unused_op_refuses_the_match(self) -> None:
        assert places(TANH_RELU, "%p = tanh(X=%a) %z = sigmoid(X=%p) %y = relu(X=%p)") == []

    def test_an_inner_result_of_the_graph_refuses_the_match(self) -> None:
        body = "%p = tanh(X=%a) %y = relu(X=%p)"
        assert places(TANH_RELU, body) == ["p y"]
        assert places(TANH_RELU, body, result="%y, %p") == []

    def test_a_value_read_by_a_nested_graph_refuses_the_match(self) -> None:
        body = (
            "%p = tanh(X=%a) %y = relu(X=%p) %c#1, %z = while(Condition=%c, X=%p) {carried=2} "
            "graph block1(%c, %v) { return %c, %v }"
        )
        assert places(TANH_RELU, body) == []
        assert places(TANH_RELU, body.replace("X=%p) {", "X=%d) {")) == ["p y"]

    def test_another_output_that_is_read_refuses_the_match(self) -> None:
        pattern = relu(is_op("top_k"))
        body = "Out=%p, Indices=%i = top_k(X=%a) {k=1} %y = relu(X=%p)"
        assert places(pattern, body) == ["p y"]
        assert places(pattern, body, result="%y, %i") == []

    def test_outputs_of_the_root_may_be_read(self) -> None:
        pattern = is_op("top_k")(X=is_op("relu"))
        body = "%p = relu(X=%a) Out=%y, Indices=%i = top_k(X=%p) {k=1} %z = relu(X=%i)"
        assert places(pattern, body, result="%y, %z, %i") == ["p y"]

    def test_constants_and_inputs_may_be_shared(self) -> None:
        pattern = relu(wildcard() + is_constant())
        body = (
            "%o = tanh(X=%a) %p = elementwise_add(X=%o, Y=%k) %q = relu(X=%p) "
            "%r = elementwise_add(X=%o, Y=%k) %s = relu(X=%r) %y = concat(X=[%q, %s, %k, %o])"
        )
        assert places(pattern, body) == ["p q", "r s"]

    def test_a_path_that_leaves_and_enters_the_match_refuses_it(self) -> None:
        """%p → %q (outside) → %y: as one op, the match would have to run before and after %q."""
        pattern = is_op("elementwise_sub")(is_op("tanh"), wildcard())
        body = "%p = tanh(X=%a) %q = sigmoid(X={}) %y = elementwise_sub(X=%p, Y=%q)"
        assert places(pattern, body.format("%p")) == []
        assert places(pattern, body.format("%a")) == ["p y"]


class TestWhatNeverMatches:
    def test_an_op_with_an_effect_does_not_match(self) -> None:
        for effect, matched in (("", ["p y"]), (" effect", [])):
            assert places(TANH_RELU, f"%p = tanh(X=%a){effect} %y = relu(X=%p)") == matched
            assert places(TANH_RELU, f"%p = tanh(X=%a) %y = relu(X=%p){effect}") == matched

    def test_an_op_with_a_nested_graph_does_not_match(self) -> None:
        body = "%c#1, %z = while(Condition=%c, X=%a) {carried=2} graph block1(%c, %v) { return %c, %v } "
        assert places(relu(wildcard()), body + "%y = relu(X=%z)") == ["y"]
        assert places(relu(is_op("while")), body + "%y = relu(X=%z)") == []

    def test_nested_graphs_are_not_searched(self) -> None:
        body = (
            "%c#1, %y = while(Condition=%c, X=%a) {carried=2} "
            "graph block1(%c, %v) { %p = tanh(X=%v) %q = relu(X=%p) return %c, %q }"
        )
        graph = graph_of(body)
        composite = Composite("dev.it", TANH_RELU)
        assert matches_in(graph, composite) == []
        (inner,) = (block for node in graph for block in node.blocks)
        assert matches_in(inner, composite) == [("it", "p q")]


class TestOrder:
    def test_earlier_composites_match_first(self) -> None:
        graph = graph_of("%p = sigmoid(X=%a) %q = tanh(X=%p) %y = relu(X=%q)")
        upper, lower = (
            Composite("dev.upper", is_op("tanh")(X=is_op("sigmoid"))),
            Composite("dev.lower", TANH_RELU),
        )
        assert matches_in(graph, upper, lower) == [("upper", "p q")]
        assert matches_in(graph, lower, upper) == [("lower", "q y")]

    def test_matches_near_the_outputs_come_first(self) -> None:
        """Of two places that overlap, the later one is taken; the list is in running order."""
        pattern = relu(relu(wildcard()))
        body = "%p = relu(X=%a) %q = relu(X=%p) %r = relu(X=%q) %y = relu(X=%r)"
        assert places(pattern, body) == ["p q", "r y"]
        assert places(pattern, body.replace("%q = relu(X=%p) %r = relu(X=%q)", "%r = relu(X=%p)")) == ["r y"]

    def test_matches_are_listed_by_composite_then_in_running_order(self) -> None:
        graph = graph_of("%p = relu(X=%a) %q = tanh(X=%p) %r = relu(X=%q) %y = tanh(X=%r)")
        composites = [Composite("dev.tanh", is_op("tanh")), Composite("dev.relu", is_op("relu"))]
        assert matches_in(graph, *composites) == [("tanh", "q"), ("tanh", "y"), ("relu", "p"), ("relu", "r")]

    def test_an_op_of_an_earlier_match_refuses_the_match(self) -> None:
        graph = graph_of("%p = sigmoid(X=%a) %q = tanh(X=%p) %y = relu(X=%q)")
        composites = [
            Composite("dev.one", is_op("tanh")),
            Composite("dev.two", TANH_RELU),
            Composite("dev.three", relu(is_op("tanh") | wildcard())),
        ]
        assert matches_in(graph, *composites) == [("one", "q"), ("three", "y")]


class TestCheck:
    def test_the_check_runs_last(self) -> None:
        seen: list[Match] = []

        def check(match: Match) -> str | None:
            seen.append(match)
            return "no" if match.captures["tanh"].name == "p" else None

        pattern = relu(is_op("tanh").named("tanh"))
        graph = graph_of("%p = tanh(X=%a) %q = relu(X=%p) %r = tanh(X=%q) %y = relu(X=%r)")
        assert matches_in(graph, Composite("dev.it", pattern, check)) == [("it", "r y")]
        assert [match.root.op for match in seen] == ["relu", "relu"]

    def test_the_check_receives_only_valid_matches(self) -> None:
        def check(match: Match) -> str | None:
            raise AssertionError

        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)", result="%y, %p")
        assert matches_in(graph, Composite("dev.it", TANH_RELU, check)) == []

    def test_refused_ops_may_match_later(self) -> None:
        """For other roots of the same composite, and for other composites."""
        pattern = is_op("tanh").optional(relu)
        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")

        def check(match: Match) -> str | None:
            return "too long" if len(match.nodes) > 1 else None

        composites = [Composite("dev.it", pattern, check), Composite("dev.relu", is_op("relu"))]
        assert matches_in(graph, *composites) == [("it", "p"), ("relu", "y")]

    def test_the_next_match_at_the_root_is_tried(self) -> None:
        """X and Y are both tanh: the check accepts only the one that reads %b on the left."""
        left, right = is_op("tanh")(X=wildcard().named("x")), is_op("tanh")
        graph = graph_of("%p = tanh(X=%a) %q = tanh(X=%b) %y = elementwise_add(X=%p, Y=%q)")

        def check(match: Match) -> str | None:
            return None if match.captures["x"].name == "b" else "expected %b"

        (match,) = find_composites(graph, [Composite("dev.it", left + right, check)])
        assert match.captures["x"].name == "b"

    def test_an_exception_in_a_check_refuses_the_match(self) -> None:
        def check(match: Match) -> str | None:
            raise ZeroDivisionError("vendor's mistake")

        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")
        composite = Composite("dev.it", TANH_RELU, check)
        assert matches_in(graph, composite) == []
        ((_, _, sentence),) = explain_composites(graph, [composite])
        assert sentence == "dev: checking dev.it failed: ZeroDivisionError: vendor's mistake"

    def test_a_compile_error_in_a_check_refuses_the_match(self) -> None:
        def check(match: Match) -> str | None:
            raise CompileError("not today")

        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")
        ((*_, why),) = explain_composites(graph, [Composite("dev.it", TANH_RELU, check)])
        assert why.endswith("not today")

    def test_a_check_that_returns_no_sentence_refuses_the_match(self) -> None:
        composite = Composite("dev.it", TANH_RELU, lambda _: True)  # type: ignore[arg-type, return-value]
        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")
        assert matches_in(graph, composite) == []
        ((_, _, sentence),) = explain_composites(graph, [composite])
        assert sentence == "dev: checking dev.it failed: it must answer a sentence or None, got True"

    def test_a_predicate_that_raises_refuses_the_match(self) -> None:
        """Each op at which a condition throws is refused; the search continues."""

        def fails(value: object) -> bool:
            return 1 // (value != 2.0) == 1

        graph = graph_of("%p = scale(X=%a) {scale=2.0} %q = scale(X=%b) {scale=3.0} %y = concat(X=[%p, %q])")
        search = CompositeSearch(graph, [Composite("dev.it", is_op("scale").has_attr(scale=fails))])
        assert [match.root.output().name for match in search.matches] == ["q"]
        [fault] = search.faults
        assert ([node.output().name for node in fault.nodes], str(fault.error), fault.error.op) == (
            ["p"],
            "dev: looking for dev.it failed: ZeroDivisionError: integer division or modulo by zero",
            "p",
        )


class TestExplanations:
    @pytest.mark.parametrize(
        ("pattern", "body", "sentence"),
        [
            (
                relu(is_op("conv2d").has_attr(groups=1)),
                "Output=%p = conv2d(Input=%a, Filter=%w) {groups=2} %y = relu(X=%p)",
                "conv2d %p: attribute groups is 2, expected 1",
            ),
            (
                is_op("conv2d").has_attr(groups=lambda groups: groups > 1),
                "Output=%y = conv2d(Input=%a, Filter=%w)",
                "conv2d %y: attribute groups is 1, expected <lambda>",
            ),
            (
                relu(is_op("concat").has_attr(axis={1, 2})),
                "%p = concat(X=%a) %y = relu(X=%p)",
                "concat %p: attribute axis is 0, expected 1 or 2",
            ),
            (
                is_op("concat").has_attr(axis=0),
                "%y = concat(X=%a, AxisTensor=%b)",
                "concat %y: attribute axis is given by input AxisTensor",
            ),
            (relu(is_constant()), "%y = relu(X=%a)", "%a is not constant"),
            (relu(is_constant(2)), "%y = relu(X=%k)", "constant %k is not 2 throughout"),
            (relu(is_input()), "%y = relu(X=%k)", "%k is not an argument of the graph"),
            (relu(wildcard().has_dtype("int8")), "%y = relu(X=%k)", "%k is of float32, expected int8"),
            (
                relu(wildcard().has_dtype("int8", "bool")),
                "%y = relu(X=%a)",
                "%a is of an unknown element type, expected bool/int8",
            ),
            (
                relu(wildcard().has_shape(None, "n", ...)),
                "%y = relu(X=%k)",
                "%k is of shape [4], expected [any,n,...]",
            ),
            (
                is_op("conv2d")(Bias=None),
                "Output=%y = conv2d(Input=%a, Filter=%w, Bias=%k)",
                "conv2d %y: input Bias holds 1 values, expected 0",
            ),
            (
                relu(is_op("tanh")(X=is_op("sigmoid", "relu6"))),
                "%o = exp(X=%a) %p = tanh(X=%o) %y = relu(X=%p)",
                "%o is written by exp, expected sigmoid or relu6",
            ),
            (
                relu(is_op("tanh")(X=is_op("sigmoid"))),
                "%p = tanh(X=%a) %y = relu(X=%p)",
                "%a is an argument of the graph, expected sigmoid",
            ),
            (
                relu(is_op("tanh")(X=is_op("sigmoid"))),
                "%p = tanh(X=%k) %y = relu(X=%p)",
                "%k is a constant, expected sigmoid",
            ),
            (
                relu(is_op("top_k")),
                "Out=%p, Indices=%q = top_k(X=%a) {k=1} %y = relu(X=%q)",
                "%q is not output Out of top_k %p",
            ),
            (
                is_op("elementwise_sub")(wildcard().named("x"), wildcard().named("x")),
                "%y = elementwise_sub(X=%a, Y=%b)",
                "%b and %a are both named x",
            ),
            (TANH_RELU, "%p = tanh(X=%a) effect %y = relu(X=%p)", "tanh %p has an effect, whose order"),
            (
                TANH_RELU,
                "%p = tanh(X=%a) %q = relu(X=%p) %y = concat(X=[%q, %p])",
                "%p, written by tanh in the middle, is also read by concat %y outside",
            ),
            (
                dominates(is_op("conv2d"), is_op("tanh"), is_op("relu")),
                "%p = tanh(X=%a) %q = tanh(X=%p) %y = relu(X=%q)",
                "a path up from relu %y ends at tanh %p, not in the parent",
            ),
        ],
    )
    def test_explain_names_the_difference(self, pattern: Pattern, body: str, sentence: str) -> None:
        ((_, name, why),) = explain_composites(graph_of(body), [Composite("dev.it", pattern)])
        assert name == "dev.it"
        assert why.startswith(sentence)

    def test_explain_names_values_that_must_be_equal(self) -> None:
        x = wildcard()
        graph = graph_of("%y = elementwise_sub(X=%a, Y=%b)")
        ((*_, why),) = explain_composites(graph, [Composite("dev.it", is_op("elementwise_sub")(x, x))])
        assert why == "%b stands where the pattern needs %a again"

    def test_explain_names_an_inner_result(self) -> None:
        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)", result="%y, %p")
        explained = explain_composites(graph, [Composite("dev.it", TANH_RELU)])
        assert explained == [("y", "dev.it", "%p, written by tanh in the middle, is a result of the graph")]

    def test_explain_names_the_composite_that_has_the_op(self) -> None:
        graph = graph_of("%p = sigmoid(X=%a) %q = tanh(X=%p) %y = relu(X=%q)")
        composites = [
            Composite("dev.one", is_op("tanh")(X=is_op("sigmoid"))),
            Composite("dev.two", TANH_RELU),
        ]
        assert explain_composites(graph, composites) == [
            ("y", "dev.two", "tanh %q is part of composite dev.one already")
        ]

    def test_explain_prefers_the_refusal_of_a_complete_match(self) -> None:
        pattern = relu(is_op("tanh") | is_op("tanh")(X=is_constant()))
        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")
        composite = Composite("dev.it", pattern, lambda _: "the check's words")
        assert explain_composites(graph, [composite]) == [("y", "dev.it", "the check's words")]

    @pytest.mark.parametrize(
        "body",
        [
            "%p = tanh(X=%a) %y = relu(X=%p)",
            "%p = sigmoid(X=%a) %y = relu(X=%p)",
            "%y = sigmoid(X=%a)",
            "%y = relu(X=%a)",
        ],
    )
    def test_explain_is_empty_without_a_near_miss(self, body: str) -> None:
        """A match, and a place that is not near: a relu that reads another op than a tanh."""
        assert explain_composites(graph_of(body), [Composite("dev.it", TANH_RELU)]) == []

    def test_a_search_with_many_alternatives_is_bounded(self) -> None:
        """Each of 16 sums matches in two orders, and the op after them in none."""
        sums = [wildcard() + wildcard() for _ in range(16)]
        pattern = is_op("concat")(X=[*sums, is_op("sigmoid")])
        lines = [f"%p{n} = elementwise_add(X=%a, Y=%b)" for n in range(16)]
        values = ", ".join(f"%p{n}" for n in range(16))
        graph = graph_of(f"{' '.join(lines)} %q = exp(X=%a) %y = concat(X=[{values}, %q])")
        ((*_, why),) = explain_composites(graph, [Composite("dev.it", pattern)])
        assert why == "%q is written by exp, expected sigmoid"
        search = CompositeSearch(graph, [Composite("dev.it", pattern)])
        assert search.matches == []
        assert search.steps < 20_000
