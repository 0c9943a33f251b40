"""The messages of the protocol are those of the .proto file, and leave the package name of Triton free."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool

from lite.serving.oip import oip_pb2 as pb
from lite.serving.rpc.calls import CALLS


def test_the_generated_classes_match_the_proto_file(root: Path) -> None:
    text = (root / "lite" / "serving" / "oip" / "oip.proto").read_text(encoding="utf-8")
    expected = Counter(re.findall(r"(\w+) = (\d+)(?: \[deprecated = true\])?;", text))
    file = descriptor_pb2.FileDescriptorProto()
    file.ParseFromString(pb.DESCRIPTOR.serialized_pb)
    numbers: Counter[tuple[str, str]] = Counter()
    messages = list(file.message_type)
    for message in messages:
        messages.extend(message.nested_type)
        if not message.options.map_entry:
            numbers.update((field.name, str(field.number)) for field in message.field)
    for enum in [*file.enum_type, *(enum for message in messages for enum in message.enum_type)]:
        numbers.update((value.name, str(value.number)) for value in enum.value)
    assert numbers == expected


def test_every_call_of_the_service_is_answered() -> None:
    service = pb.DESCRIPTOR.services_by_name["GRPCInferenceService"]
    calls = {method.name: method.input_type.name for method in service.methods}
    answered = {name: kind.__name__ for name, (kind, _) in CALLS.items()}
    assert answered == {
        name: kind for name, kind in calls.items() if name not in ("ModelInfer", "ModelStreamInfer")
    }


def test_the_package_of_triton_can_be_loaded_beside_it() -> None:
    file = descriptor_pb2.FileDescriptorProto(name="inference_of_another.proto", package="inference")
    file.message_type.add(name="ServerLiveRequest")
    assert descriptor_pool.Default().AddSerializedFile(file.SerializeToString()) is not None
