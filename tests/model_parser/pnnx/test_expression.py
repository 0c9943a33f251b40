"""The language of pnnx.Expression."""

import pytest

from lite.errors import ModelParseError
from lite.model_parser.pnnx.expression import DEEPEST, Apply, Number, Operand, Tree, parse, tokenize


def shown(tree: Tree) -> str:
    """A tree as text, with every bracket."""
    if isinstance(tree, Operand):
        return f"@{tree.number}"
    if isinstance(tree, Number):
        return repr(tree.value)
    return f"{tree.function}({', '.join(shown(argument) for argument in tree.arguments)})"


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
def test_trees(text: str, tree: str) -> None:

    assert shown(parse(text)) == tree


def test_brackets_carry_no_meaning() -> None:
    written = "add(add(sub(@0,@1),log1p),abs(@0)),expm1),@1)"
    assert shown(parse(written)) == "add(add(sub(@0, @1), log1p(abs(@0))), expm1(@1))"


def test_words_and_where_they_begin() -> None:
    found = [(token.text, token.position) for token in tokenize("[mul(@0,1.0e-5),2]")]
    assert found == [("[", 0), ("mul", 1), ("@0", 5), ("1.0e-5", 8), ("2", 16)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expression: the expression is empty\n  \n  ^"),
        ("add(@0)", "expression: add takes 2 operands, 1 follow it\n  add(@0)\n  ^"),
        ("neg()", "expression: neg takes 1 operands, 0 follow it\n  neg()\n  ^"),
        ("neg(@0),@1", "expression: belongs to no function\n  neg(@0),@1\n          ^"),
        ("add(@x,1)", "expression: expected @ and a number, got '@x'\n  add(@x,1)\n      ^"),
        (
            "sqr(@0)",
            (
                "expression: no function or number is called 'sqr'; did you mean 'sqrt', 'rsqrt', 'square'?"
                "\n  sqr(@0)\n  ^"
            ),
        ),
        ("add(1x,1)", "expression: expected a number, got '1x'\n  add(1x,1)\n      ^"),
    ],
)
def test_refused_with_a_caret(text: str, reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        parse(text)
    assert str(error.value) == reason


def test_too_deep() -> None:
    assert isinstance(parse("neg(" * (DEEPEST - 1) + "@0"), Apply)
    with pytest.raises(ModelParseError, match=f"nested more than {DEEPEST} deep"):
        parse("neg(" * (DEEPEST + 1) + "@0")
