"""litebridge kernels."""

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


def test_kernels_of_one_op() -> None:
    assert [row for row in call_json("kernels", "softmax") if row["target"] == "host"] == [SOFTMAX]
    assert call("kernels", "softmax").stdout == (
        "op       target  dtype    layout  module                          prepares  into buffers  fallback\n"
        "softmax  cpu     float32  any     lite.kernels.cpu.norm.softmax   yes       yes           host\n"
        "softmax  host    any      any     lite.kernels.host.norm.softmax  yes       yes           -\n"
    )


def test_all_kernels_are_sorted_by_op() -> None:
    found = call_json("kernels")
    assert SOFTMAX in found
    assert [row["op"] for row in found] == sorted(row["op"] for row in found)
    assert len(call("kernels").stdout.splitlines()) == len(found) + 1


def test_ops_without_a_kernel_say_why() -> None:
    assert (
        call("kernels", "reshape").stdout
        == "none\nreshape becomes reshape2: see `litebridge kernels reshape2`\n"
    )
    assert call("kernels", "while").stdout == (
        "none\nwhile is control flow, which the executor runs without a kernel\n"
    )


def test_an_unknown_op() -> None:
    result = call("kernels", "softmaxx")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "did you mean 'softmax'" in result.stderr
