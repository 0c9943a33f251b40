"""Kernels that `litebridge kernels` lists."""

from __future__ import annotations

from tests.tools.tiny_model import call, call_json

SOFTMAX = {
    "op": "softmax",
    "target": "host",
    "dtype": None,
    "layout": "any",
    "module": "lite.kernels.host.norm.softmax",
    "prepares": True,
    "into_buffers": True,
    "fallback": None,
}


def test_the_kernels_of_one_op_are_listed() -> None:
    assert [row for row in call_json("kernels", "softmax") if row["target"] == "host"] == [SOFTMAX]
    assert call("kernels", "softmax", "--wide").stdout == (
        "op       target  dtype    layout  module                          prepares  into buffers  fallback\n"
        "softmax  cpu     float32  any     lite.kernels.cpu.norm.softmax   yes       yes           host\n"
        "softmax  host    any      any     lite.kernels.host.norm.softmax  yes       yes           -\n"
    )


def test_all_kernels_are_sorted_by_op() -> None:
    rows = call_json("kernels")
    assert SOFTMAX in rows
    assert [row["op"] for row in rows] == sorted(row["op"] for row in rows)
    assert len(call("kernels", "--wide").stdout.splitlines()) == len(rows) + 1


def test_an_op_without_a_kernel_has_a_reason() -> None:
    assert (
        call("kernels", "reshape").stdout
        == "none\nreshape becomes reshape2: see `litebridge kernels reshape2`\n"
    )
    assert call("kernels", "while").stdout == (
        "none\nwhile is control flow, which the executor runs without a kernel\n"
    )


def test_an_unknown_op_is_an_error_with_near_names() -> None:
    result = call("kernels", "softmaxx")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "did you mean 'softmax'" in result.stderr
