"""Random damage to PIR documents: changed bytes, and changed items."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 99, -(2**31), 2**31, 2**63 - 1, 2**63, 10**30),
    *(0.5, -1.0, 1e300, float("inf"), float("nan"), "", "x", "NaN", "0.a_i32", "1.relu", "\ud800", "é" * 50),
    *([], {}, [0], [[]], {"#": "NULL"}, {"%": 1}, {"#": "0.t_f32"}),
)


def damaged_bytes(source: random.Random, data: bytes) -> bytes:
    """`data` with some bytes replaced, removed or inserted, and sometimes cut short."""
    out = bytearray(data)
    for _ in range(source.randint(1, 3)):
        position = source.randrange(len(out))
        value = source.choice((*b'0123456789-."{}[],:# ', 0, 0x7F, 0xFF))
        kind = source.randrange(3)
        if kind == 0:
            out[position] = value
        elif kind == 1:
            del out[position]
        else:
            out.insert(position, value)
    return bytes(out[: source.randrange(len(out))]) if source.random() < 0.1 else bytes(out)


def damaged_items(source: random.Random, document: Any) -> bytes:
    """The document with some items removed, doubled, or replaced by other values or items."""
    damaged = copy.deepcopy(document)
    for _ in range(source.randint(1, 3)):
        owners: list[Any] = []
        _collect(damaged, owners)
        if owners:
            _damage(source, source.choice(owners), source.choice(owners))
    return json.dumps(damaged).encode()


def _damage(source: random.Random, owner: Any, other: Any) -> None:
    keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
    others = list(other.values()) if isinstance(other, dict) else other
    key, action = source.choice(keys), source.randrange(5)
    if action == 0:
        del owner[key]
    elif action == 1 and isinstance(owner, list):
        owner.insert(key, copy.deepcopy(owner[key]))
    elif action == 2:
        owner[key] = copy.deepcopy(source.choice(others))
    else:
        owner[key] = source.choice(VALUES)


def _collect(item: Any, owners: list[Any]) -> None:
    """The lists and objects in `item` that are not empty, itself included."""
    if isinstance(item, dict | list) and item:
        owners.append(item)
        for inner in item.values() if isinstance(item, dict) else item:
            _collect(inner, owners)
