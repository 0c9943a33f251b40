"""PIR documents: their structure, versions, and the messages for damage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lite.errors import ModelParseError
from lite.model_parser.paddle.pir.document import read_document
from lite.model_parser.paddle.pir.read_program import read_pir_program
from tests.model_parser.paddle.pir.builder import PirBuilder, noise

ADVICE = "; the file may be damaged: copy or export the model again"


def small() -> PirBuilder:
    """relu of the sum of an input and a parameter."""
    builder = PirBuilder()
    weight = builder.parameter("w", noise(3))
    total = builder.one("add", builder.data("x", noise(2, 3)), weight)
    return builder.fetch(builder.one("relu", total))


def message(document: Any) -> str:
    """The error for a document."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(ModelParseError) as caught:
        read_pir_program(data, "m")
    return str(caught.value)


@pytest.mark.parametrize("version", range(5))
def test_versions_0_to_4_are_read(version: int) -> None:
    block = read_document(small().json(version))
    assert [op.name for op in block.ops] == ["pd_op.data", "pd_op.add", "pd_op.relu", "pd_op.fetch"]
    assert [parameter.name for parameter in block.parameters] == ["w"]


@pytest.mark.parametrize("version", [-1, 5, 10**400])
def test_other_versions_are_refused(version: int) -> None:
    text = "an integer of 1329 bits" if version > 5 else str(version)
    assert message(small().document(version)) == (
        f"m: base_code: expected a version from 0 to 4, got {text}: save the model with Paddle 3.0 to 3.3"
        + ADVICE
    )


def test_a_byte_order_mark_is_skipped() -> None:
    assert read_document(b"\xef\xbb\xbf" + small().json()) == read_document(small().json())


def test_the_document_without_training_attributes_is_read() -> None:
    document = small().document()
    for op in document["program"]["regions"][0]["blocks"][0]["ops"]:
        del op["OA"]
    assert len(read_document(json.dumps(document).encode()).ops) == 4


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b"{",
            "m: not readable JSON at line 1, column 2: Expecting property name enclosed in ",
        ),
        (b'{"a": "\xff"}', f"m: byte 7 is not UTF-8{ADVICE}"),
        (b"[" * 100_000, f"m: the JSON is nested too deeply{ADVICE}"),
        (b"9" * 5000, "m: not readable JSON: Exceeds the limit"),
        (b"[]", f"m: the document: expected an object with 'base_code', got []{ADVICE}"),
        (b"{}", f"m: the document: expected the key 'base_code', got the keys []{ADVICE}"),
        (b'{"base_code": 1}', f"m: the document: 'base_code': expected an object, got 1{ADVICE}"),
        (
            b'{"base_code": {"magic": "nir"}}',
            f"m: base_code: expected the magic 'pir', got \"nir\"{ADVICE}",
        ),
        (
            b'{"base_code": {"magic": "pir", "version": true}}',
            f"m: base_code: 'version': expected an integer, got true{ADVICE}",
        ),
    ],
)
def test_damaged_json_is_refused(data: bytes, expected: str) -> None:
    assert message(data).startswith(expected)


def edited(*path: str | int, value: object) -> Any:
    """The small document with another value at a path inside its main block."""
    document = json.loads(small().json())
    owner = document["program"]["regions"][0]["blocks"][0]
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("ops",), 1, "m: program: 'ops': expected a list, got 1"),
        (("ops", 2, "#"), 5, "m: program, op 2: '#': expected a string, got 5"),
        (("ops", 2, "I"), {}, "m: program, op 2 (pd_op.add): 'I': expected a list, got {}"),
        (
            ("ops", 2, "I", 1),
            {"#": 1},
            "m: program, op 2 (pd_op.add): operand 1: expected the key '%', got the keys [\"#\"]",
        ),
        (
            ("ops", 2, "O", 0, "%"),
            2**70,
            "m: program, op 2 (pd_op.add): result 0: expected a 64-bit integer, got 1180591620717411303424",
        ),
        (
            ("ops", 2, "O", 0, "TT", "D", 0, "#"),
            "0.t_odd",
            (
                'm: program, op 2 (pd_op.add): result 0: type 0.t_dtensor: element type "0.t_odd" '
                "is not supported"
            ),
        ),
        (
            ("ops", 2, "O", 0, "TT", "D", 1),
            [1] * 33,
            "m: program, op 2 (pd_op.add): result 0: type 0.t_dtensor: expected at most 32 sizes, got 33",
        ),
        (
            ("ops", 0, "A"),
            [0, 1, 1],
            "m: program, op 0 (parameter): the name in 'A': expected a string, got null",
        ),
        (
            ("ops", 0, "A", 3),
            "\ud800",
            "m: program, op 0 (parameter): the name in 'A': expected Unicode text, got \"\\ud800\"",
        ),
        (
            ("ops", 0, "O", "TT"),
            {"#": "0.t_vec", "D": []},
            'm: program, op 0 (parameter) "w": expected a tensor, got 0.t_vec',
        ),
    ],
)
def test_items_of_the_wrong_type_are_refused(
    path: tuple[str | int, ...], value: object, expected: str
) -> None:
    assert message(edited(*path, value=value)) == expected + ADVICE


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("ops", 2, "I", 1, "%"), 77, "m: op 2 (pd_op.add): value 77 is not defined before it is used"),
        (("ops", 2, "O", 0, "%"), 1, "m: op 2 (pd_op.add): value 1 is defined twice"),
        (("ops", 2, "I"), [], "m: op 2 (pd_op.add): expected operands for X, Y, got none for X"),
        (("ops", 2, "I"), [{"%": 1}] * 3, "m: op 2 (pd_op.add): expected at most 2 operands, got 3"),
        (("ops", 2, "O"), [], "m: op 2 (pd_op.add): expected a result 0, got 0 results"),
        (
            ("ops", 0, "A", 3),
            "x",
            "m: op 1 (pd_op.data): expected a name that no other input or parameter has",
        ),
    ],
)
def test_values_that_do_not_fit_are_refused(
    path: tuple[str | int, ...], value: object, expected: str
) -> None:
    assert message(edited(*path, value=value)).startswith(expected)


def test_all_unsupported_ops_are_listed_at_once() -> None:
    document = edited("ops", 2, "#", value="1.rooll")
    ops = document["program"]["regions"][0]["blocks"][0]["ops"]
    ops[3]["#"] = "3.my_op"
    assert message(document) == (
        "m: 2 PIR op types are not supported: custom_op.my_op (1x), "
        "rooll (1x, did you mean 'roll', 'roi_pool')"
    )


def test_a_program_without_outputs_is_refused() -> None:
    document = small().document()
    document["program"]["regions"][0]["blocks"][0]["ops"].pop()
    assert message(document) == "m: expected an output, got none; export the model again"


def test_two_main_regions_are_refused() -> None:
    document = small().document()
    document["program"]["regions"] *= 2
    assert message(document) == f"m: program: expected one region, got 2{ADVICE}"


def test_deep_regions_are_refused() -> None:
    region = PirBuilder().region()
    for _ in range(100):
        outer = PirBuilder()
        outer.ops.append({"#": "1.if", "I": [], "O": [], "A": [], "regions": [region]})
        region = outer.region()
    document = small().document()
    document["program"]["regions"] = [region]
    assert "expected at most 64 regions inside one another" in message(document)
