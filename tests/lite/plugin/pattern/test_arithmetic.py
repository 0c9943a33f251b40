"""Arithmetic operators build patterns, whose operands match in either order if the op is commutative."""

from __future__ import annotations

import pytest

from lite.plugin.pattern import Pattern, is_constant, is_input, is_op, wildcard
from tests.lite.plugin.pattern.composites import places


class TestCommutativeOps:
    @pytest.mark.parametrize("op", ["elementwise_add", "elementwise_mul", "elementwise_max", "logical_or"])
    def test_commutative_operands_match_exchanged(self, op: str) -> None:
        pattern = is_op(op)(X=is_op("tanh"), Y=is_input())
        assert places(pattern, f"%p = tanh(X=%a) %y = {op}(X=%p, Y=%b)") == ["p y"]
        assert places(pattern, f"%p = tanh(X=%a) %y = {op}(X=%b, Y=%p)") == ["p y"]
        assert places(pattern, f"%p = tanh(X=%a) %y = {op}(X=%k, Y=%p)") == []

    @pytest.mark.parametrize("op", ["elementwise_sub", "elementwise_div", "elementwise_pow"])
    def test_other_operands_do_not_match_exchanged(self, op: str) -> None:
        pattern = is_op(op)(X=is_op("tanh"), Y=is_input())
        assert places(pattern, f"%p = tanh(X=%a) %y = {op}(X=%b, Y=%p)") == []

    def test_a_single_described_operand_matches_either_input(self) -> None:
        pattern = is_op("elementwise_add")(X=is_constant())
        assert places(pattern, "%y = elementwise_add(X=%a, Y=%k)") == ["y"]
        assert places(pattern, "%y = elementwise_add(X=%a, Y=%b)") == []

    @pytest.mark.parametrize("axis", [-1, 1])
    def test_an_operand_of_lower_rank_matches_on_either_side(self, axis: int) -> None:
        """`axis` counts in the operand of higher rank, whichever that is."""
        pattern = (is_input() + is_constant()).has_attr(axis=axis)
        args = "%a: float32[2,4,4,4]"
        for operands in ("X=%a, Y=%k", "X=%k, Y=%a"):
            assert places(pattern, f"%y = elementwise_add({operands}) {{axis={axis}}}", args) == ["y"]

    def test_operands_are_not_exchanged_if_the_result_type_would_change(self) -> None:
        pattern = is_input() + is_constant()
        for dtype, matched in (("float32", ["y"]), ("float64", [])):
            assert places(pattern, "%y = elementwise_add(X=%k, Y=%a)", f"%a: {dtype}[4]") == matched

    def test_a_shared_value_matches_on_either_side(self) -> None:
        x = wildcard()
        pattern = is_op("sigmoid")(X=x) * x
        for operands in ("X=%p, Y=%a", "X=%a, Y=%p"):
            assert places(pattern, f"%p = sigmoid(X=%a) %y = elementwise_mul({operands})") == ["p y"]
        assert places(pattern, "%p = sigmoid(X=%a) %y = elementwise_mul(X=%p, Y=%b)") == []


class TestArithmetic:
    @pytest.mark.parametrize(
        ("pattern", "op"),
        [
            (is_op("tanh") + is_input(), "elementwise_add"),
            (is_op("tanh") - is_input(), "elementwise_sub"),
            (is_op("tanh") * is_input(), "elementwise_mul"),
            (is_op("tanh") / is_input(), "elementwise_div"),
        ],
    )
    def test_operators_of_two_patterns_match_their_ops(self, pattern: Pattern, op: str) -> None:
        assert places(pattern, f"%p = tanh(X=%a) %y = {op}(X=%p, Y=%b)") == ["p y"]
        assert places(pattern, f"%p = tanh(X=%a) %y = {op}(X=%p, Y=%k)") == []

    @pytest.mark.parametrize(
        ("pattern", "op", "operands"),
        [
            (is_input() + 2.0, "elementwise_add", "X=%a, Y=%two"),
            (2.0 + is_input(), "elementwise_add", "X=%two, Y=%a"),
            (is_input() - 2.0, "elementwise_sub", "X=%a, Y=%two"),
            (2.0 - is_input(), "elementwise_sub", "X=%two, Y=%a"),
            (is_input() * 2, "elementwise_mul", "X=%a, Y=%two"),
            (2 * is_input(), "elementwise_mul", "X=%two, Y=%a"),
            (is_input() / 2, "elementwise_div", "X=%a, Y=%two"),
            (2 / is_input(), "elementwise_div", "X=%two, Y=%a"),
        ],
    )
    def test_operators_of_a_pattern_and_a_number_match_constants(
        self, pattern: Pattern, op: str, operands: str
    ) -> None:
        assert places(pattern, f"%y = {op}({operands})", "%a: float32[4]") == ["y"]
        assert places(pattern, f"%y = {op}({operands.replace('%two', '%k')})", "%a: float32[4]") == []
