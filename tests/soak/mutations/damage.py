"""Random and structured damage to the files of a model."""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable, Mapping

import onnx

import lite
from lite.artifact.artifact import PLAN
from lite.artifact.container import Container, sha256
from lite.artifact.sniff import META
from lite.artifact.zip_file import Member, zip_chunks
from lite.model_parser.paddle.framework_pb2 import ProgramDesc
from tests.model_parser.onnx.mutations import damaged_fields
from tests.model_parser.paddle.pir.mutations import damaged_items
from tests.model_parser.paddlelite_nb.mutations import damaged_program
from tests.soak.mutations.samples import Sample

WORDS = (0, 1, 2, 3, 4, 7, 8, 64, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
TOKENS = (
    *("", "0", "-1", "1", "2", "99", "4294967296", "9223372036854775807", "nan", "inf", "None", "True"),
    *("()", "(1)", "(1,2)", "(?,?)", "(0,0,0,0)", "f32", "i64", "@0", "add(@0,@1)", "\N{SNOWMAN}", "a" * 300),
)


def damaged(source: random.Random, sample: Sample, kind: str) -> dict[str, bytes]:
    """The files of a sample after one to three damages, half of them to the structure of the model."""
    files = dict(sample.files)
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        if source.random() < 0.5:
            files[sample.model] = _STRUCTURE[kind](source, files[sample.model])
        else:
            name = sample.model if source.random() < 0.5 else source.choice(sorted(files))
            files[name] = _random(source, files[name])
    return files


def _random(source: random.Random, data: bytes) -> bytes:
    if not data:
        return source.randbytes(4)
    out, place = bytearray(data), source.randrange(len(data))
    length = source.choice((1, 2, 4, 8, 64))
    match source.randrange(8):
        case 0:
            out[place] ^= 1 << source.randrange(8)
        case 1:
            out[place] = source.choice((0, 1, 0x7F, 0x80, 0xFF))
        case 2:
            del out[place : place + length]
        case 3:
            out[place:place] = source.randbytes(length)
        case 4:
            out[place:place] = out[place : place + length]
        case 5:
            other = source.randrange(len(data))
            out[place : place + length] = data[other : other + length]
        case 6:
            _set_word(source, out)
        case _:
            return bytes(out[:place])
    return bytes(out)


def _set_word(source: random.Random, out: bytearray) -> None:
    """Replace an aligned word, which may be an offset, a length or a size."""
    size = source.choice((2, 4, 4, 8))
    if len(out) >= size:
        place = source.randrange(len(out) // size) * size
        out[place : place + size] = struct.pack("<Q", source.choice(WORDS))[:size]


def _paddle(source: random.Random, data: bytes) -> bytes:
    program = ProgramDesc()
    try:
        program.ParseFromString(data)
        return damaged_fields(source, program).SerializePartialToString()
    except Exception:  # noqa: BLE001 - damaged before
        return _random(source, data)


def _onnx(source: random.Random, data: bytes) -> bytes:
    try:
        return damaged_fields(source, onnx.load_from_string(data)).SerializeToString()
    except Exception:  # noqa: BLE001 - damaged before
        return _random(source, data)


def _pir(source: random.Random, data: bytes) -> bytes:
    try:
        return damaged_items(source, json.loads(data))
    except (ValueError, RecursionError):
        return _random(source, data)


def _pnnx(source: random.Random, data: bytes) -> bytes:
    """Exchange, double, move or remove a token or a line."""
    lines = data.decode(errors="replace").splitlines()
    if not lines:
        return _random(source, data)
    n = source.randrange(len(lines))
    action = source.randrange(8)
    if action == 0:
        del lines[n]
    elif action == 1:
        lines.insert(n, source.choice(lines))
    else:
        tokens = re.split(r"([ =,()])", lines[n])
        words = [text for line in lines for text in re.split(r"[ =,()]", line)]
        tokens[source.randrange(len(tokens))] = source.choice(words if action < 5 else TOKENS)
        lines[n] = "".join(tokens)
    return "\n".join([*lines, ""]).encode(errors="replace")


def _tflite(source: random.Random, data: bytes) -> bytes:
    """Change the words of the flatbuffer: most of them are offsets, sizes and numbers of enumerations."""
    out = bytearray(data)
    for _ in range(source.choice((1, 1, 2))):
        _set_word(source, out)
    return bytes(out)


def _nb(source: random.Random, data: bytes) -> bytes:
    """Change an op, a variable or a parameter, or words of the FlatBuffer."""
    if source.random() < 0.4:
        return _tflite(source, data)
    try:
        return damaged_program(source, data)
    except Exception:  # noqa: BLE001 - damaged before
        return _random(source, data)


def _artifact(source: random.Random, data: bytes) -> bytes:
    """Damage an item of a JSON member, and often state the right checksums again, as an attacker would."""
    try:
        container = Container.open(data, "sample")
    except lite.LiteError:
        return _random(source, data)
    members = {name: bytes(view) for name, view in container.members.items()}
    documents = sorted(name for name in members if name.endswith(".json"))
    name = source.choice([*documents, PLAN, PLAN, META, source.choice(sorted(members))])
    action = source.randrange(8)
    try:
        if name.endswith(".json") and action < 6:
            members[name] = damaged_items(source, json.loads(members[name]))
        elif action == 6:
            del members[name]
        else:
            members[name] = _random(source, members[name])
        if source.random() < 0.9 and name != META:
            meta = json.loads(members[META])
            meta["members"] = {
                name: {"bytes": len(content), "sha256": sha256(content)}
                for name, content in members.items()
                if name != META
            }
            members[META] = json.dumps(meta).encode()
    except (ValueError, RecursionError, TypeError, KeyError):
        return _random(source, data)
    return b"".join(zip_chunks([Member(name, [content]) for name, content in members.items()]))


_STRUCTURE: Mapping[str, Callable[[random.Random, bytes], bytes]] = {
    "paddle": _paddle,
    "pir": _pir,
    "onnx": _onnx,
    "pnnx": _pnnx,
    "tflite": _tflite,
    "nb": _nb,
    "artifact": _artifact,
}
