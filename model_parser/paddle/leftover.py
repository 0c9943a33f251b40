"""What is left of a message once its captured fields are cleared."""

from __future__ import annotations

from google.protobuf.message import Message


def is_empty(message: Message) -> bool:
    """Whether no field is left, known or unknown; required ones may be cleared."""
    return not message.SerializePartialToString()
