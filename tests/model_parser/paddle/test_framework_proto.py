"""The IR uses the same numbers as the wire format."""

import re
from collections import Counter
from pathlib import Path

from google.protobuf import descriptor_pb2

from lite.ir.program import AttrType, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle import framework_pb2 as pb
from lite.model_parser.paddle.attributes import VALUE_FIELDS

SIZE_T = 19


def test_the_generated_classes_match_the_proto_file(root: Path) -> None:
    text = (root / "model_parser/paddle/framework.proto").read_text()
    expected = Counter(re.findall(r"(\w+) = (\d+)(?: \[default = [-\w]+\])?;", text))
    file = descriptor_pb2.FileDescriptorProto()
    file.ParseFromString(pb.DESCRIPTOR.serialized_pb)
    numbers: Counter[tuple[str, str]] = Counter()
    messages = list(file.message_type)
    for message in messages:
        messages.extend(message.nested_type)
        numbers.update((field.name, str(field.number)) for field in message.field)
    for enum in [*file.enum_type, *(enum for message in messages for enum in message.enum_type)]:
        numbers.update((value.name, str(value.number)) for value in enum.value)
    assert numbers == expected


def test_attribute_types_have_the_same_numbers() -> None:
    assert dict(pb.AttrType.items()) == {kind.name: int(kind) for kind in AttrType}


def test_variable_kinds_and_element_types_have_the_same_numbers() -> None:
    numbers = {int(kind) for kind in VarKind} | {dtype.code for dtype in DType if dtype.in_paddle} | {SIZE_T}
    assert set(pb.VarType.Type.values()) == numbers


def test_every_field_of_an_attribute_holds_the_value_of_a_type() -> None:
    fields = pb.OpDesc.Attr.DESCRIPTOR.fields
    values = {field.name: field.number for field in fields if field.name not in ("name", "type")}
    assert {field.name: field.number for field in VALUE_FIELDS.values()} == values
