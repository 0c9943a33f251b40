"""Names for new variables."""

from __future__ import annotations

from lite.ir.fresh_names import FreshNames


def test_the_first_free_number_is_appended() -> None:
    taken = {"x", "x.2"}
    names = FreshNames(taken.__contains__)
    found = []
    for base in ("x", "x", "y", "y", "x.2", "x"):
        found.append(names.find(base))
        taken.add(found[-1])
    assert found == ["x.1", "x.3", "y", "y.1", "x.2.1", "x.4"]


def test_numbers_may_start_at_one_with_another_separator() -> None:
    taken = {"x_1"}
    names = FreshNames(taken.__contains__, "_")
    assert names.find("x", first=1) == "x_2"
    assert names.find("y", first=1) == "y_1"


def test_a_free_name_is_given_again() -> None:
    taken = {"x", "x.1", "x.2"}
    names = FreshNames(taken.__contains__)
    assert names.find("x") == "x.3"
    for name in ("x.1", "x"):
        taken.remove(name)
        names.free(name)
        assert names.find("x") == name
        taken.add(name)


def test_many_names_of_one_base_take_linear_time() -> None:
    taken: set[str] = set()
    tries = 0

    def is_taken(name: str) -> bool:
        nonlocal tries
        tries += 1
        return name in taken

    names = FreshNames(is_taken)
    for _ in range(1000):
        taken.add(names.find("x"))
    assert tries < 3000
