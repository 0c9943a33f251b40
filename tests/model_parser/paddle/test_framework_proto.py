"""The numbers of the wire format and those of the IR are the same ones."""

import re
from collections import Counter
from pathlib import Path

from google.protobuf import descriptor_pb2

from lite.ir.program import AttrType, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle import framework_pb2 as pb
from lite.model_parser.paddle.attribute_fields import VALUE_FIELDS

SIZE_T = 19


def test_the_generated_classes_are_those_of_the_proto_file(root: Path) -> None:
    text = (root / "model_parser/paddle/framework.proto").read_text()
    said = Counter(re.findall(r"(\w+) = (\d+)(?: \[default = [-\w]+\])?;", text))
    file = descriptor_pb2.FileDescriptorProto()
    file.ParseFromString(pb.DESCRIPTOR.serialized_pb)
    found: Counter[tuple[str, str]] = Counter()
    messages = list(file.message_type)
    for message in messages:
        messages.extend(message.nested_type)
        found.update((field.name, str(field.number)) for field in message.field)
    for enum in [*file.enum_type, *(enum for message in messages for enum in message.enum_type)]:
        found.update((value.name, str(value.number)) for value in enum.value)
    assert found == said


def test_attribute_types() -> None:
    assert dict(pb.AttrType.items()) == {kind.name: int(kind) for kind in AttrType}


def test_variable_kinds_and_element_types() -> None:
    numbers = {int(kind) for kind in VarKind} | {dtype.code for dtype in DType if dtype.in_paddle} | {SIZE_T}
    assert set(pb.VarType.Type.values()) == numbers


def test_value_fields_are_those_of_the_descriptor() -> None:
    fields = pb.OpDesc.Attr.DESCRIPTOR.fields
    values = {field.name: field.number for field in fields if field.name not in ("name", "type")}
    assert {field.name: field.number for field in VALUE_FIELDS.values()} == values
