"""Products over named axes become products of matrices."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_changed, check_fused

PASS = "einsum_to_matmul_pass"
OTHERS = ", ".join(f"fused_{op}_{slot}=[]" for op in ("reshape", "transpose") for slot in ("X", "Y", "Out"))
"""The other attributes of a product, which devices get, too."""

SIZES = {"b": 2, "c": 3, "d": 4, "h": 3, "k": 5, "n": 6, "q": 7}


def graph(equation: str, *, open_sizes: str = "") -> str:
    """A graph of one einsum; the sizes of `open_sizes` are symbols."""
    terms, result = equation.split("->")
    names = terms.split(",")

    def shape(term: str) -> str:
        return ",".join(each if each in open_sizes else str(SIZES[each]) for each in term.replace("...", "b"))

    tensors = ", ".join(f"%x{n}: float32[{shape(term)}]" for n, term in enumerate(names))
    operands = ", ".join(f"%x{n}" for n in range(len(names)))
    return f"""
    graph main({tensors}) {{
      %y = einsum(Operands=[{operands}]) {{equation="{equation}"}} : float32[{shape(result)}]
      return out=%y
    }}
    """


def test_axes_in_another_order_are_transposed() -> None:
    check(
        PASS,
        graph("bqhd,bkhd->bhqk", open_sizes="bqk"),
        """
        graph main(%x0: float32[b,q,3,4], %x1: float32[b,k,3,4]) {
          %x0#1 = transpose2(X=%x0) {axis=[0, 2, 1, 3]} : float32[b,3,q,4]
          %x1#1 = transpose2(X=%x1) {axis=[0, 2, 1, 3]} : float32[b,3,k,4]
          %y = matmul_v2(X=%x0#1, Y=%x1#1) {trans_x=false, trans_y=true, OTHERS} : float32[b,3,q,k]
          return out=%y
        }
        """.replace("OTHERS", OTHERS),
    )


def test_several_axes_become_one() -> None:
    check(
        PASS,
        graph("bqd,dnh->bqnh", open_sizes="bq"),
        """
        graph main(%x0: float32[b,q,4], %x1: float32[4,6,3]) {
          %x1#1 = reshape2(X=%x1) {shape=[0, 18]} : float32[4,18]
          %y#1 = matmul_v2(X=%x0, Y=%x1#1) {trans_x=false, trans_y=false, OTHERS} : float32[b,q,18]
          %y = reshape2(X=%y#1) {shape=[0, 0, 6, 3]} : float32[b,q,6,3]
          return out=%y
        }
        """.replace("OTHERS", OTHERS),
    )


@pytest.mark.parametrize(
    ("equation", "ops"),
    [
        ("...qhd,...khd->...hqk", ["transpose2", "transpose2", "matmul_v2"]),
        ("...hqk,...khd->...qhd", ["transpose2", "matmul_v2", "transpose2"]),
        ("bqhd,hdn->bqn", ["reshape2", "reshape2", "matmul_v2"]),
        ("bcd,dk->bck", ["matmul_v2"]),
        ("bcd,kd->bck", ["matmul_v2"]),
        ("bdc,bdk->bck", ["transpose2", "matmul_v2"]),
        ("cd,bdk->bck", ["transpose2", "reshape2", "matmul_v2", "reshape2", "transpose2"]),
        ("bcqd,bdk->bcqk", ["reshape2", "matmul_v2", "reshape2"]),
        ("bqc,nk->bqcnk", ["einsum"]),
        ("cd,d->c", ["einsum"]),
        ("bcd,cd->bc", ["einsum"]),
        ("bcd,dk->bk", ["einsum"]),
        ("cc,cd->cd", ["einsum"]),
        ("bc,cd,dk->bk", ["einsum"]),
        ("bc->cb", ["einsum"]),
    ],
)
def test_every_equation_keeps_its_result(equation: str, ops: list[str]) -> None:
    check_fused(PASS, graph(equation), ops)


def test_a_constant_is_transposed_here() -> None:
    text = """
    graph main(%x: float32[b,q,2]) {
      %w = const float32[1,2,2] [1.0, 2.0, 3.0, 4.0]
      %y = einsum(Operands=[%x, %w]) {equation="bqd,hdn->bqhn"} : float32[b,q,1,2]
      return out=%y
    }
    """
    check(
        PASS,
        text,
        """
        graph main(%x: float32[b,q,2]) {
          %w = const float32[1,2,2] [1.0, 2.0, 3.0, 4.0]
          %w_1 = const float32[2,2] [1.0, 2.0, 3.0, 4.0]
          %y#1 = matmul_v2(X=%x, Y=%w_1) {trans_x=false, trans_y=false, OTHERS} : float32[b,q,2]
          %y = reshape2(X=%y#1) {shape=[0, 0, 1, 2]} : float32[b,q,1,2]
          return out=%y
        }
        """.replace("OTHERS", OTHERS),
    )
    check_changed(PASS, text)


def test_a_factor_comes_after_the_transposition() -> None:
    text = """
    graph main(%q: float32[b,q,3,4], %k: float32[b,k,3,4]) {
      %s = scale(X=%q) {scale=0.5} : float32[b,q,3,4]
      %y = einsum(Operands=[%s, %k]) {equation="bqhd,bkhd->bhqk"} : float32[b,3,q,k]
      return out=%y
    }
    """

    check_fused(PASS, text, ["transpose2", "scale", "transpose2", "matmul_v2"])


@pytest.mark.parametrize(
    ("equation", "open_sizes"),
    [("bqhd,hdn->bqn", "h"), ("bqd,dnh->bqnh", "n"), ("bcqd,bdk->bcqk", "q")],
)
def test_axes_of_unknown_sizes_do_not_become_one(equation: str, open_sizes: str) -> None:
    check_unchanged(PASS, graph(equation, open_sizes=open_sizes))


def test_sums_along_sizes_that_may_differ_stay() -> None:
    check_unchanged(PASS, graph("bqd,dk->bqk").replace("float32[4,5]", "float32[1,5]"))
    check_unchanged(PASS, graph("bqd,dk->bqk").replace("float32[4,5]", "float32[n,5]"))


def test_an_ellipsis_of_size_1_is_broadcast() -> None:
    text = graph("...cd,...dk->...ck")

    check_changed(PASS, text.replace("%x1: float32[2,4,5]", "%x1: float32[1,4,5]"))
    check_changed(PASS, text.replace("%x1: float32[2,4,5]", "%x1: float32[4,5]"))


def test_a_graph_without_einsum_is_unchanged() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[2,3,4], %y: float32[2,5,4]) {
          %z = matmul_v2(X=%x, Y=%y) {trans_x=false, trans_y=true} : float32[2,3,5]
          return out=%z
        }
        """,
    )
