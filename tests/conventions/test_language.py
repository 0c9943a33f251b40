"""Words and phrases that the project replaced by plain ones, in prose and identifiers."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("lite", "kernels", "bridges", "emitters", "model_parser", "tools", "tests", "docs")

PHRASES = {
    r"behind": 'write "after"; of something hidden, name it: "the library that runs the op"',
    r"whoever": 'name the actor: "the caller", "the thread that builds the model"',
    r"(?:nobody|somebody|anybody)": 'name the actor: "no node reads it", "a thread waits for it"',
    r"of (?:ours|theirs)": 'name the owner: "an op of litebridge", "their own target"',
    r"told": 'write "receives", "is passed" or "is configured to"',
    r"be had": 'write "be allocated", "be obtained" or "be downloaded"',
    r"(?:had|came|becomes?|became|makes?) of": 'name what happens: "returns", "computes", "creates"',
    r"(?:says?|said) of": 'write "states" or "reports"',
    r"known of": 'write "is known about", or name the fact',
    r"gets? to know": 'write "receives" or "reads"',
    r"anew": 'write "again"',
    r"hand(?:s|ed|ing)? (?:in|out|over)": 'write "pass" or "return"',
    r"as (?:it|they) lies?": 'write "unchanged" or "in place"',
    r"in itself": "leave it out, or name the part",
    r"is no \w+ that": 'write "is not a valid …"',
    r"no sooner": 'write "after" or "only when"',
    r"(?:is|are|was|were) wanted": 'write "is requested" or "is required"',
    r"at (?:its|the|their) doors?": 'write "on entry" or "at the interface"',
    r"of one's": 'write "own"',
    r"the way out": 'write "what to do", or name the remedy',
    r"rooms?": 'write "workspace", "scratch memory" or "space"',
    r"crews?": 'write "worker pool"',
    r"mailbox(?:es)?": 'write "job slot"',
    r"culprits?": 'write "the op at fault"',
}
"""Patterns of whole words in prose, and what to write instead."""

WORDS = {
    "anew": "again",
    "anybody": "the actor",
    "behind": "after",
    "crew": "worker_pool",
    "crews": "worker_pools",
    "culprit": "op_at_fault",
    "culprits": "ops_at_fault",
    "gone": "removed",
    "leftover": "unknown_fields",
    "leftovers": "remaining",
    "mailbox": "job_slot",
    "mailboxes": "job_slots",
    "nobody": "the actor",
    "room": "workspace",
    "rooms": "workspaces",
    "somebody": "the actor",
    "told": "received",
    "turned": "transposed",
    "whoever": "the actor",
}
"""Parts of identifiers, and what to use instead."""

_ANY_PHRASE = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_F_STRING_TEXT = getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)
"""The text of an f-string; a token of its own from Python 3.12 on."""


def problems(text: str, *, is_python: bool) -> Iterator[str]:
    """Each replaced phrase and name in a file with its line and what to write instead."""
    if not is_python:
        yield from _problems_of_prose(text, 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING, _F_STRING_TEXT):
            yield from _problems_of_prose(token.string, token.start[0])
        elif token.type == tokenize.NAME:
            words = {part.lower() for part in _PARTS.findall(token.string)} & WORDS.keys()
            for word in sorted(words):
                yield f"{token.start[0]}: the name {token.string}: use {WORDS[word]} for {word}"


def _problems_of_prose(text: str, first_line: int) -> Iterator[str]:
    if not _ANY_PHRASE.search(text):
        return
    for number, line in enumerate(text.splitlines(), first_line):
        for match in _ANY_PHRASE.finditer(line):
            advice = next(
                PHRASES[phrase] for phrase in PHRASES if re.fullmatch(phrase, match[0], re.IGNORECASE)
            )
            yield f"{number}: {match[0]!r}: {advice}"


def _files(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            is_link = any(parent.is_symlink() for parent in path.parents if parent != root)
            is_own = path != Path(__file__) and not path.name.endswith("_pb2.py") and not is_link
            if path.suffix in (".py", ".md") and is_own:
                yield path


def test_replaced_words_do_not_come_back(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}:{problem}"
        for path in _files(root)
        for problem in problems(path.read_text(encoding="utf-8"), is_python=path.suffix == ".py")
    ]
    assert found == [], "\n".join(found)


def test_each_form_of_a_replaced_word_is_found() -> None:
    source = (
        '"""Made anew.\n\nWhoever reads."""\n'
        "room_of = 1  # the crews\n"
        'raise ValueError(f"{x} cannot be had")\n'
        "class TurnedImage: ...\n"
    )
    found = [problem.partition(":")[0] for problem in problems(source, is_python=True)]
    assert sorted(found) == ["1", "3", "4", "4", "5", "6"]


def test_plain_words_are_accepted() -> None:
    source = '"""Runs the op again after the pass."""\nrooms = mushrooms = broom = 1\n'
    found = list(problems(source, is_python=True))
    assert found == ["2: the name rooms: use workspaces for rooms"]


def test_documents_are_scanned_by_line() -> None:
    found = list(problems("# Title\nA pass behind another.\n", is_python=False))
    assert found == [f"2: 'behind': {PHRASES['behind']}"]
