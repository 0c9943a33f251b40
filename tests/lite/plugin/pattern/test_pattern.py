"""Each pattern matches the described values and no others."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError, PluginError
from lite.ir.types import DType
from lite.plugin.pattern import (
    Composite,
    Pattern,
    find_composites,
    is_constant,
    is_input,
    is_op,
    wildcard,
)
from tests.lite.plugin.pattern.composites import graph_of, places

CONV = "Output=%y = conv2d(Input=%a, Filter=%w)"


def relu(x: Pattern) -> Pattern:
    return is_op("relu")(X=x)


class TestLeaves:
    @pytest.mark.parametrize("read", ["%a", "%k", "%x"])
    def test_a_wildcard_matches_any_value_and_is_not_part_of_the_match(self, read: str) -> None:
        assert places(relu(wildcard()), f"%x = tanh(X=%a) %y = relu(X={read})") == ["y"]

    @pytest.mark.parametrize(("read", "matched"), [("%a", []), ("%k", ["y"]), ("%x", [])])
    def test_is_constant_matches_constants_only(self, read: str, matched: list[str]) -> None:
        assert places(relu(is_constant()), f"%x = tanh(X=%a) %y = relu(X={read})") == matched

    @pytest.mark.parametrize(("read", "matched"), [("%a", ["y"]), ("%k", []), ("%x", [])])
    def test_is_input_matches_arguments_only(self, read: str, matched: list[str]) -> None:
        assert places(relu(is_input()), f"%x = tanh(X=%a) %y = relu(X={read})") == matched

    @pytest.mark.parametrize(
        ("data", "expected", "fits"),
        [
            ("float32[2] [0.1, 0.1]", 0.1, True),
            ("float64[2] [0.1, 0.1]", 0.1, True),
            ("float32[2] [0.1, 0.2]", 0.1, False),
            ("float32[2] [0.2, 0.1]", 0.1, False),
            ("float32[] [2.0]", 2, True),
            ("int64[2] [2, 2]", 2, True),
            ("int64[2] [2, 3]", 2, False),
            ("int64[2] [2, 2]", 2.5, False),
            ("bool[1] [true]", True, True),
            ("float32[0] []", 0.0, False),
            ("int64[2] [2, 3]", np.array([2, 3]), True),
            ("int64[2] [2, 4]", np.array([2, 3]), False),
            ("int64[1,2] [2, 3]", np.array([2, 3]), False),
            ("int64[2] [2, 3]", lambda array: array.sum() == 5, True),
            ("int64[2] [2, 4]", lambda array: array.sum() == 5, False),
        ],
    )
    def test_a_constant_matches_by_its_elements(self, data: str, expected: object, fits: bool) -> None:
        pattern = relu(is_constant(expected))  # type: ignore[arg-type]
        assert places(pattern, f"%p = const {data} %y = relu(X=%p)") == ["y"] * fits


class TestOps:
    def test_an_op_without_inputs_matches_any_inputs(self) -> None:
        assert places(is_op("conv2d"), CONV) == ["y"]
        assert places(is_op("conv2d"), "%y = relu(X=%a)") == []

    def test_one_of_several_ops_matches(self) -> None:
        pattern = is_op("relu", "tanh")(X=is_op("tanh", "sigmoid"))
        assert places(pattern, "%p = sigmoid(X=%a) %y = tanh(X=%p)") == ["p y"]
        assert places(pattern, "%p = relu(X=%a) %y = tanh(X=%p)") == []

    def test_inputs_match_by_slot_and_in_the_order_of_the_schema(self) -> None:
        for pattern in (
            is_op("conv2d")(is_input(), is_constant()),
            is_op("conv2d")(is_input(), Filter=is_constant()),
            is_op("conv2d")(Filter=is_constant()),
        ):
            assert places(pattern, CONV) == ["y"]
        assert places(is_op("conv2d")(is_constant(), is_constant()), CONV) == []
        assert places(is_op("conv2d")(Filter=is_input()), CONV) == []

    def test_each_op_has_the_order_of_its_own_schema(self) -> None:
        pattern = is_op("layer_norm", "batch_norm")(is_input(), is_constant())
        assert places(pattern, "Y=%y = layer_norm(X=%a, Scale=%k)") == ["y"]
        assert places(pattern, "Y=%y = batch_norm(X=%a, Scale=%k, Mean=%k, Variance=%k)") == ["y"]

    def test_none_matches_an_empty_slot(self) -> None:
        with_bias = CONV.replace("%w)", "%w, Bias=%k)")
        pattern = is_op("conv2d")(Bias=None)
        assert (places(pattern, CONV), places(pattern, with_bias)) == (["y"], [])
        pattern = is_op("conv2d")(Bias=is_constant())
        assert (places(pattern, CONV), places(pattern, with_bias)) == ([], ["y"])

    def test_a_list_matches_the_exact_values_of_a_repeated_slot(self) -> None:
        pattern = is_op("concat")(X=[is_op("relu"), is_input()])
        body = "%p = relu(X=%a) %y = concat(X={})"
        assert places(pattern, body.format("[%p, %b]")) == ["p y"]
        assert places(pattern, body.format("[%b, %p]")) == []
        assert places(pattern, body.format("[%p, %b, %b]")) == []
        assert places(pattern, body.format("%p")) == []

    def test_one_pattern_matches_one_value_of_a_repeated_slot(self) -> None:
        pattern = is_op("concat")(X=is_input())
        assert places(pattern, "%y = concat(X=%a)") == ["y"]
        assert places(pattern, "%y = concat(X=[%a, %b])") == []

    def test_a_pattern_matches_the_first_output(self) -> None:
        body = "Out=%p, Indices=%q = top_k(X=%a) {k=1} "
        assert places(relu(is_op("top_k")), body + "%y = relu(X=%p)") == ["p y"]
        assert places(relu(is_op("top_k")), body + "%y = relu(X=%q)") == []

    def test_a_named_output_matches(self) -> None:
        body = "Out=%p, Indices=%q = top_k(X=%a) {k=1} "
        pattern = relu(is_op("top_k").output("Indices"))
        assert places(pattern, body + "%y = relu(X=%q)") == ["p y"]
        assert places(pattern, body + "%y = relu(X=%p)") == []

    def test_two_outputs_of_one_op_match(self) -> None:
        top = is_op("top_k")(X=is_input())
        pattern = is_op("concat")(X=[top, top.output("Indices")])
        two = "Out=%p, Indices=%q = top_k(X=%a) {k=1} Out=%r, Indices=%s = top_k(X=%a) {k=1} "
        assert places(pattern, two + "%y = concat(X=[%p, %q])") == ["p y"]
        assert places(pattern, two + "%y = concat(X=[%p, %s])") == []

    @pytest.mark.parametrize(("index", "matched"), [(None, "pq"), (0, "p"), (1, "q"), (2, "")])
    def test_outputs_of_a_repeated_slot_match_by_index(self, index: int | None, matched: str) -> None:
        pattern = relu(is_op("split").output("Out", index))
        split = "%p, %q = split(X=%a) {num=2} "
        assert [name for name in "pq" if places(pattern, split + f"%y = relu(X=%{name})")] == list(matched)

    def test_the_root_may_be_any_output_of_its_op(self) -> None:
        pattern = is_op("top_k")(X=is_op("relu")).output("Indices")
        body = "%p = relu(X=%a) Out=%q, Indices=%y = top_k(X=%p) {k=1}"
        assert places(pattern, body, result="%y, %q") == ["p q"]


class TestConstraints:
    @pytest.mark.parametrize(
        ("expected", "fits"),
        [
            ({"groups": 1}, True),
            ({"groups": 2}, False),
            ({"groups": {1, 2}}, True),
            ({"groups": {2, 4}}, False),
            ({"groups": lambda groups: groups < 2}, True),
            ({"groups": lambda groups: groups > 1}, False),
            ({"strides": [2, 2]}, True),
            ({"strides": (2, 2)}, True),
            ({"strides": [2, 1]}, False),
            ({"strides": [2]}, False),
            ({"strides": {(1, 1), (2, 2)}}, True),
            ({"strides": 2}, False),
            ({"padding_algorithm": "EXPLICIT"}, True),
            ({"groups": 1, "strides": [1, 1]}, False),
        ],
    )
    def test_attributes_match_with_their_defaults(self, expected: dict[str, object], fits: bool) -> None:
        pattern = is_op("conv2d").has_attr(**expected)  # type: ignore[arg-type]
        assert places(pattern, CONV + " {strides=[2, 2]}") == ["y"] * fits

    def test_real_attributes_are_compared_as_float32(self) -> None:
        stored = float(np.float32(0.1))
        assert stored != 0.1
        body = f"%y = leaky_relu(X=%a) {{alpha={stored!r}}}"
        assert places(is_op("leaky_relu").has_attr(alpha=0.1), body) == ["y"]
        assert places(is_op("leaky_relu").has_attr(alpha={0.1, 0.2}), body) == ["y"]
        assert places(is_op("leaky_relu").has_attr(alpha=0.11), body) == []

    def test_an_attribute_that_an_input_replaces_does_not_match(self) -> None:
        pattern = is_op("concat").has_attr(axis=1)
        assert places(pattern, "%y = concat(X=[%a, %b]) {axis=1}") == ["y"]
        assert places(pattern, "%y = concat(X=[%a, %b], AxisTensor=%c) {axis=1}") == []

    def test_an_attribute_of_any_op_matches(self) -> None:
        pattern = relu(wildcard().has_attr(axis=1))
        assert places(pattern, "%p = softmax(X=%a) {axis=1} %y = relu(X=%p)") == ["y"]
        assert places(pattern, "%p = softmax(X=%a) {axis=2} %y = relu(X=%p)") == []
        assert places(pattern, "%p = tanh(X=%a) %y = relu(X=%p)") == []
        assert places(pattern, "%y = relu(X=%a)") == []

    def test_an_element_type_matches(self) -> None:
        for expected in (("float32",), (DType.FLOAT32,), ("int8", "float32")):
            pattern = relu(wildcard().has_dtype(*expected))
            assert places(pattern, "%y = relu(X=%a)", "%a: float32[1]") == ["y"]
            assert places(pattern, "%y = relu(X=%a)", "%a: float64[1]") == []
            assert places(pattern, "%y = relu(X=%a)", "%a") == []

    @pytest.mark.parametrize(
        ("expected", "fits"),
        [
            ((1, "n", 3), True),
            ((1, None, None), True),
            ((None, 4, 3), False),
            ((None, "m", 3), False),
            ((1, "n"), False),
            ((1, "n", 3, 1), False),
            ((...,), True),
            ((1, ...), True),
            ((..., 3), True),
            ((1, ..., 3), True),
            ((1, "n", ..., 3), True),
            ((1, "n", 3, ...), True),
            ((..., 1), False),
            ((1, None, None, ..., 3), False),
        ],
    )
    def test_a_shape_matches(self, expected: tuple[int | str | None, ...], fits: bool) -> None:
        pattern = relu(wildcard().has_shape(*expected))
        assert places(pattern, "%y = relu(X=%a)", "%a: float32[1,n,3]") == ["y"] * fits

    def test_an_unknown_rank_matches_no_shape(self) -> None:
        assert places(relu(wildcard().has_shape(...)), "%y = relu(X=%a)", "%a: float32[*]") == []
        assert places(relu(wildcard().has_shape()), "%y = relu(X=%a)", "%a: float32[]") == ["y"]


class TestAlternatives:
    def test_the_left_alternative_is_tried_first(self) -> None:
        pattern = relu(is_op("tanh").named("left") | wildcard().named("right"))
        graph = graph_of("%p = tanh(X=%a) %y = relu(X=%p)")
        (match,) = find_composites(graph, [Composite("dev.it", pattern)])
        assert list(match.captures) == ["left"]

    def test_a_failed_alternative_leaves_no_trace(self) -> None:
        """The left alternative takes in tanh before it fails; neither op nor name may stay."""
        tanh = is_op("tanh")(X=is_op("sigmoid")).named("inner")
        left = is_op("elementwise_sub")(X=tanh, Y=is_constant())
        right = is_op("elementwise_sub")(X=wildcard().named("outer"))
        graph = graph_of("%p = sigmoid(X=%a) %q = tanh(X=%p) %y = elementwise_sub(X=%q, Y=%b)")
        (match,) = find_composites(graph, [Composite("dev.it", left | right)])
        assert [node.op for node in match.nodes] == ["elementwise_sub"]
        assert {name: value.name for name, value in match.captures.items()} == {"outer": "q"}

    def test_search_backtracks_into_an_alternative(self) -> None:
        """X fits the left alternative, but then the shared value is another one."""
        x = wildcard()
        either = relu(x) | wildcard()
        pattern = is_op("elementwise_sub")(X=either, Y=x)
        body = "%p = relu(X=%a) %y = elementwise_sub(X=%p, Y={})"
        assert places(pattern, body.format("%a")) == ["p y"]
        assert places(pattern, body.format("%b")) == ["y"]

    def test_the_next_alternative_is_tried_if_a_match_is_not_valid(self) -> None:
        pattern = is_op("tanh")(X=is_op("relu") | wildcard())
        body = "%p = relu(X=%a) %q = tanh(X=%p) %y = elementwise_sub(X=%q, Y={})"
        assert places(pattern, body.format("%b")) == ["p q"]
        assert places(pattern, body.format("%p")) == ["q"]

    @pytest.mark.parametrize(
        ("body", "matched"),
        [
            ("%p = tanh(X=%a) %y = relu(X=%p)", ["p y"]),
            ("%y = tanh(X=%a)", ["y"]),
            ("%p = tanh(X=%a) %y = sigmoid(X=%p)", ["p"]),
            ("%y = relu(X=%a)", []),
        ],
    )
    def test_an_optional_root_matches_with_and_without(self, body: str, matched: list[str]) -> None:
        assert places(is_op("tanh").optional(relu), body) == matched

    @pytest.mark.parametrize(
        ("body", "matched"),
        [
            ("%p = tanh(X=%a) %q = relu(X=%p) %y = sigmoid(X=%q)", ["p q y"]),
            ("%p = tanh(X=%a) %y = sigmoid(X=%p)", ["p y"]),
            ("%p = relu(X=%a) %y = sigmoid(X=%p)", []),
        ],
    )
    def test_an_optional_op_in_the_middle_matches_with_and_without(
        self, body: str, matched: list[str]
    ) -> None:
        assert places(is_op("sigmoid")(X=is_op("tanh").optional(relu)), body) == matched


class TestSharedPatterns:
    def test_the_same_pattern_matches_the_same_value(self) -> None:
        x = wildcard()
        same, other = is_op("elementwise_sub")(x, x), is_op("elementwise_sub")(x, wildcard())
        assert places(same, "%y = elementwise_sub(X=%a, Y=%a)") == ["y"]
        assert places(same, "%y = elementwise_sub(X=%a, Y=%b)") == []
        assert places(other, "%y = elementwise_sub(X=%a, Y=%b)") == ["y"]

    def test_patterns_around_a_pattern_share_its_value(self) -> None:
        x = wildcard()
        pattern = is_op("elementwise_sub")(x.named("x"), x.has_dtype("float32"))
        assert places(pattern, "%y = elementwise_sub(X=%a, Y=%a)", "%a: float32[1], %b: float32[1]") == ["y"]
        assert places(pattern, "%y = elementwise_sub(X=%a, Y=%b)", "%a: float32[1], %b: float32[1]") == []

    def test_an_op_read_twice_is_one_op_of_the_match(self) -> None:
        tanh = is_op("tanh")
        pattern = is_op("elementwise_sub")(tanh, tanh)
        assert places(pattern, "%p = tanh(X=%a) %y = elementwise_sub(X=%p, Y=%p)") == ["p y"]
        two = "%p = tanh(X=%a) %q = tanh(X=%a) %y = elementwise_sub(X=%p, Y=%q)"
        assert places(pattern, two) == []

    def test_two_patterns_may_match_one_value(self) -> None:
        pattern = is_op("elementwise_sub")(is_op("tanh"), is_op("tanh"))
        assert places(pattern, "%p = tanh(X=%a) %y = elementwise_sub(X=%p, Y=%p)") == ["p y"]

    def test_the_same_name_matches_the_same_value(self) -> None:
        pattern = is_op("elementwise_sub")(wildcard().named("x"), wildcard().named("x"))
        assert places(pattern, "%y = elementwise_sub(X=%a, Y=%a)") == ["y"]
        assert places(pattern, "%y = elementwise_sub(X=%a, Y=%b)") == []


class TestMistakes:
    def test_an_unknown_op_is_an_error(self) -> None:
        with pytest.raises(GraphError, match=r"unknown op 'conv2dd'; did you mean 'conv2d'"):
            is_op("conv2dd")

    def test_is_op_without_names_is_an_error(self) -> None:
        with pytest.raises(PluginError, match="needs the name of an op"):
            is_op()

    def test_an_unknown_slot_is_an_error(self) -> None:
        with pytest.raises(PluginError, match=r"conv2d has no input 'Filters'; did you mean 'Filter'"):
            is_op("conv2d")(Filters=wildcard())

    def test_a_slot_that_one_of_the_ops_lacks_is_an_error(self) -> None:
        with pytest.raises(PluginError, match="relu has no input 'Y'"):
            is_op("elementwise_add", "relu")(Y=wildcard())

    def test_a_slot_named_twice_is_an_error(self) -> None:
        with pytest.raises(PluginError, match="input 'X' of relu is given twice"):
            is_op("relu")(wildcard(), X=wildcard())

    def test_too_many_inputs_are_an_error(self) -> None:
        with pytest.raises(PluginError, match="relu has 1 input slots, got 2 inputs"):
            is_op("relu")(wildcard(), wildcard())

    def test_an_unknown_attribute_is_an_error(self) -> None:
        with pytest.raises(PluginError, match=r"conv2d has an attribute 'group'; did you mean 'groups'"):
            is_op("conv2d").has_attr(group=1)
        with pytest.raises(PluginError, match="no op has an attribute 'no_such_thing'"):
            wildcard().has_attr(no_such_thing=1)

    def test_an_unknown_output_is_an_error(self) -> None:
        with pytest.raises(PluginError, match=r"top_k has no output 'Index'; did you mean 'Indices'"):
            is_op("top_k").output("Index")

    def test_an_unknown_element_type_is_an_error(self) -> None:
        with pytest.raises(GraphError, match="no element type is called 'float23'"):
            wildcard().has_dtype("float23")

    def test_two_gaps_in_a_shape_are_an_error(self) -> None:
        with pytest.raises(PluginError, match=r"one '\.\.\.' at most"):
            wildcard().has_shape(..., 1, ...)

    def test_a_composite_name_without_a_device_is_an_error(self) -> None:
        for name in ("conv_relu", ".conv_relu", "dev."):
            with pytest.raises(PluginError, match=r"expected a name like 'device\.name'"):
                Composite(name, is_op("relu"))

    def test_a_root_that_no_op_writes_is_an_error(self) -> None:
        for pattern in (wildcard(), is_op("relu") | is_constant(), wildcard().named("x")):
            with pytest.raises(PluginError, match="its last op must be an is_op"):
                Composite("dev.it", pattern)
