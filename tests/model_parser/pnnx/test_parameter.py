"""The grammar of parameter values."""

import math

import pytest

from lite.errors import ModelParseError
from lite.model_parser.pnnx.parameter import Parameter, parse_parameter


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("None", None),
        ("()", None),
        ("[]", None),
        ("True", True),
        ("False", False),
        ("3", 3),
        ("-12", -12),
        ("2147483647", 2147483647),
        ("0.5", 0.5),
        ("1.000000e-5", 1e-5),
        ("2.82842708", 2.82842708),
        ("(1,2,3)", [1, 2, 3]),
        ("[1,-2]", [1, -2]),
        ("(3)", [3]),
        ("(2.0,3)", [2.0, 3.0]),
        ("(a,b)", ["a", "b"]),
        ("same", "same"),
        ("torch.double", "torch.double"),
        ("add(@0,1)%x", "add(@0,1)%x"),
        ("-inf", -math.inf),
        ("inf", math.inf),
        ("-x", "-x"),
    ],
)
def test_a_text_becomes_a_value(text: str, value: Parameter) -> None:
    parsed = parse_parameter(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize("text", ["nan", "nan.0"])
def test_a_text_that_is_not_a_number_is_a_string(text: str) -> None:
    parsed = parse_parameter(text)
    assert isinstance(parsed, float)
    assert math.isnan(parsed)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1x", "expected a number, got '1x'"),
        ("1.0e0+2.0e0j", "expected a number, got '1.0e0+2.0e0j'"),
        ("9223372036854775808", "expected a number of 64 bits, got 9223372036854775808"),
        ("1" * 500, f"expected a number, got 500 characters: {'1' * 20}..."),
        ("(1,2", "expected a list without nesting, got '(1,2'"),
        ("[1,[2]]", "expected a list without nesting, got '[1,[2]]'"),
    ],
)
def test_malformed_values_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        parse_parameter(text)
    assert str(error.value) == reason
