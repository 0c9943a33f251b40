"""Expressions: their trees, their values and their ops."""

from __future__ import annotations

import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.expression import (
    MAX_DEPTH,
    Apply,
    Number,
    Operand,
    Tree,
    lower,
    parse,
    tokenize,
)
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Writer


def as_text(tree: Tree) -> str:
    """A tree as text, with all brackets."""
    if isinstance(tree, Operand):
        return f"@{tree.number}"
    if isinstance(tree, Number):
        return repr(tree.value)
    return f"{tree.function}({', '.join(as_text(argument) for argument in tree.arguments)})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("@0", "@0"),
        ("3", "3"),
        ("-1.5", "-1.5"),
        ("None", "None"),
        ("inf", "inf"),
        ("mul(@0,@1)", "mul(@0, @1)"),
        ("mul(@1,add(@2,@3))", "mul(@1, add(@2, @3))"),
        ("add(mul(@0,@1),add(@2,@3))", "add(mul(@0, @1), add(@2, @3))"),
        ("add(mul(@0,@1),mul(@0,@2))", "add(mul(@0, @1), mul(@0, @2))"),
        ("size(@0,2)", "size(@0, 2)"),
        ("size(@0)", "size(@0)"),
        ("[size(@0,0),4,-1]", "[(size(@0, 0), 4, -1)"),
        ("[]", "[()"),
        ("torch.float(sqrt(@0))", "torch.float(sqrt(@0))"),
    ],
)
def test_an_expression_becomes_a_tree(text: str, tree: str) -> None:
    assert as_text(parse(text)) == tree


def test_brackets_have_no_meaning() -> None:
    text = "add(add(sub(@0,@1),log1p),abs(@0)),expm1),@1)"
    assert as_text(parse(text)) == "add(add(sub(@0, @1), log1p(abs(@0))), expm1(@1))"


def test_tokens_have_positions() -> None:
    tokens = [(token.text, token.position) for token in tokenize("[mul(@0,1.0e-5),2]")]
    assert tokens == [("[", 0), ("mul", 1), ("@0", 5), ("1.0e-5", 8), ("2", 16), ("]", 17)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expression: the expression is empty\n  \n  ^"),
        ("add(@0)", "expression: add takes 2 operands, got 1\n  add(@0)\n  ^"),
        ("neg()", "expression: neg takes 1 operands, got 0\n  neg()\n  ^"),
        ("neg(@0),@1", "expression: no function takes this operand\n  neg(@0),@1\n          ^"),
        ("add(@x,1)", "expression: expected @ and a number, got '@x'\n  add(@x,1)\n      ^"),
        (
            "sqr(@0)",
            (
                "expression: 'sqr' is no function and no number; did you mean 'sqrt', 'rsqrt', 'square'?"
                "\n  sqr(@0)\n  ^"
            ),
        ),
        ("add(1x,1)", "expression: expected a number, got '1x'\n  add(1x,1)\n      ^"),
    ],
)
def test_invalid_expressions_are_refused_with_a_caret(text: str, reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        parse(text)
    assert str(error.value) == reason


def test_expressions_that_nest_too_deep_are_refused() -> None:
    assert isinstance(parse("neg(" * (MAX_DEPTH - 1) + "@0"), Apply)
    with pytest.raises(ModelParseError, match=f"nested more than {MAX_DEPTH} deep"):
        parse("neg(" * (MAX_DEPTH + 1) + "@0")


def lowered(text: str, *shape: int | str) -> tuple[Value, list[str]]:
    """The value of an expression over one tensor, and its ops."""
    writer = Writer("m")
    x = writer.feed("x", DType.FLOAT32, shape, 0)
    value = lower(parse(text), [x], writer)
    return value, [op.type for op in writer.block.ops[1:]]


def test_fixed_sizes_are_numbers() -> None:
    assert lowered("size(@0,1)", 2, 3) == (3, [])
    assert lowered("size(@0)", 2, 3) == ([2, 3], [])
    assert lowered("[size(@0,0),mul(size(@0,1),4),-1]", 2, 3) == ([2, 12, -1], [])
    assert lowered("[]", 2) == ([], [])
    assert lowered("None", 2) == (None, [])


def test_unknown_sizes_are_computed() -> None:
    value, ops = lowered("add(size(@0,1),1)", 2, "?")
    assert isinstance(value, Var)
    assert value.is_number
    assert ops == ["shape", "slice", "cast", "elementwise_add"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@1", "expression: no input @1; the operator has 1"),
        ("size(3,1)", "expression: size takes a tensor, got 3"),
        ("size(@0,1.5)", "expression: size takes a dimension that is an integer, got 1.5"),
        ("size(@0,2)", "size 2 of 'x': expected an axis of 1 dimensions"),
        ("neg([@0])", "expected a tensor or a number, got [Var(name='x', is_number=False)]"),
        ("neg(None)", "expected a tensor or a number, got None"),
    ],
)
def test_operands_that_do_not_fit_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        lowered(text, 4)
    assert str(error.value) == reason
