"""The grammar of passes and devices with options."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite.errors import ConfigError
from lite.spec.grammar import Spec, SpecValue, parse_spec

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,8}", fullmatch=True)
KEYS = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True)
LEAVES = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8))


def specs(values: st.SearchStrategy[SpecValue]) -> st.SearchStrategy[Spec]:
    options = st.dictionaries(KEYS, values, max_size=3).map(lambda d: tuple(d.items()))
    return st.builds(Spec, NAMES, options)


VALUES: st.SearchStrategy[SpecValue] = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), specs(inner)), max_leaves=8
)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("a_pass", Spec("a_pass")),
        (" a_pass { } ", Spec("a_pass")),
        ("a{n=3, m=-4}", Spec("a", (("n", 3), ("m", -4)))),
        (
            "a{x=0.5,y=-1e3,z=.5,i=-inf}",
            Spec("a", (("x", 0.5), ("y", -1000.0), ("z", 0.5), ("i", -float("inf")))),
        ),
        ("a{t=true,f=false,w=True}", Spec("a", (("t", True), ("f", False), ("w", "True")))),
        (
            "a{p=CPUExecutionProvider,q=dir/file.txt}",
            Spec("a", (("p", "CPUExecutionProvider"), ("q", "dir/file.txt"))),
        ),
        ("a{l=[1, b, [x{}]], e=[]}", Spec("a", (("l", (1, "b", (Spec("x"),))), ("e", ())))),
        (
            "a{d=onnxruntime{provider=X, n=2}}",
            Spec("a", (("d", Spec("onnxruntime", (("provider", "X"), ("n", 2)))),)),
        ),
        (
            r"""a{s="x, \"y\"", t='it\'s', b="\\\n\t\r"}""",
            Spec("a", (("s", 'x, "y"'), ("t", "it's"), ("b", "\\\n\t\r"))),
        ),
        ('a{s="3", t="true", e=""}', Spec("a", (("s", "3"), ("t", "true"), ("e", "")))),
        ("a{v=1.2.3, r=3x}", Spec("a", (("v", "1.2.3"), ("r", "3x")))),
    ],
)
def test_a_text_parses_to_a_spec(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec
    assert parse_spec(str(spec)) == spec


def test_a_spec_prints_as_text() -> None:
    spec = Spec(
        "a", (("n", 3), ("l", (True, 0.5, "w", "a b")), ("d", Spec("x", (("k", "3"),))), ("o", Spec("y")))
    )

    assert str(spec) == 'a{n=3, l=[true, 0.5, w, "a b"], d=x{k="3"}, o=y{}}'


@given(specs(VALUES))
def test_printed_specs_parse_back(spec: Spec) -> None:
    assert parse_spec(str(spec)) == spec


@given(st.text(alphabet="ab{}[]=,\"'\\ 1.\n", max_size=16))
def test_any_text_is_a_spec_or_a_config_error(text: str) -> None:
    try:
        spec = parse_spec(text)
    except ConfigError:
        return
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a name:\n  \n  ^"),
        ("3a", "expected a name:\n  3a\n  ^"),
        ("a b", "expected the end of the text:\n  a b\n    ^"),
        ("a{n 3}", "expected '=' after 'n':\n  a{n 3}\n      ^"),
        ("a{n=3", "expected ',' or '}' after an option:\n  a{n=3\n       ^"),
        ("a{=3}", "expected the name of an option, as in name{option=value}:\n  a{=3}\n    ^"),
        ("a{n=}", "expected a value:\n  a{n=}\n      ^"),
        ("a{n=[1 2]}", "expected ',' or ']' after an element:\n  a{n=[1 2]}\n         ^"),
        ("a{n=1, n=2}", "option 'n' is given twice:\n  a{n=1, n=2}\n         ^"),
        ("a{n='x}", "this quote is never closed:\n  a{n='x}\n      ^"),
        ("a{n=3{}}", "'3' cannot have options: it is not a name:\n  a{n=3{}}\n      ^"),
        ("a{\n\tn=!,\n\tm=}", "expected a value:\n  \tm=}\n  \t  ^"),
        (
            r"a{p='C:\dir'}",
            "expected one of \\ \" ' n t r after a backslash:\n  a{p='C:\\dir'}\n          ^",
        ),
    ],
)
def test_errors_have_a_caret(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_spec(text)
    assert str(error.value) == message
