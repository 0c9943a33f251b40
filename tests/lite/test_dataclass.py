"""The decorator makes the classes that the standard one makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

from lite.dataclass import dataclass


@pytest.fixture(autouse=True, params=[0, 1000], ids=["compiled", "not compiled"])
def _when_init_is_compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.dataclass._UNCOMPILED", request.param)


Decorator = Callable[[type[Any]], type[Any]]
NAN = float("nan")


def plain() -> type[Any]:
    class Plain:
        """Documented."""

        a: int
        b: float = 2.0

    return Plain


def fieldless() -> type[Any]:
    class Fieldless:
        """Documented."""

    return Fieldless


def all_kinds_of_fields() -> type[Any]:
    class Fields:
        """Documented."""

        count: ClassVar[int] = 3
        a: Any
        hidden: int = field(default=1, repr=False)
        uncompared: int = field(default=1, compare=False)
        unhashed: list[int] = field(default_factory=list, hash=False)
        made: dict[int, int] = field(default_factory=dict, init=False, compare=False)
        unset: int = field(init=False, repr=False, compare=False)

    return Fields


def with_own_methods() -> type[Any]:
    class Own:
        """Documented."""

        a: int
        seen: list[int] = field(default_factory=list)

        def __post_init__(self) -> None:
            self.seen.append(self.a)

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    return Own


def with_own_equality() -> type[Any]:
    class Equal:
        """Documented."""

        a: int

        def __eq__(self, other: object) -> bool:
            return True

    return Equal


CLASSES = [plain, fieldless, all_kinds_of_fields, with_own_methods, with_own_equality]
OPTIONS = [
    {"frozen": frozen, "eq": eq, "repr": shows} for frozen in (0, 1) for eq in (0, 1) for shows in (0, 1)
]


def outcome(action: Callable[[], object]) -> object:
    """The result, or the error."""
    try:
        return action()
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


def behaviour(cls: Any) -> list[object]:
    """What can be seen of a class from outside."""

    def assigned(instance: object, name: str) -> object:
        setattr(instance, name, 5)
        return vars(instance)

    def deleted(instance: object, name: str) -> object:
        delattr(instance, name)
        return vars(instance)

    class Child(cls):  # type: ignore[misc]
        pass

    seen: list[object] = [cls.__match_args__, cls.__doc__]
    calls = [(), (1,), (NAN,), (1, 2), (1, 2, 3), (1, 2, 3, [4]), (1, 2, 3, 4, 5, 6)]
    made = [outcome(lambda args=args: cls(*args)) for args in calls]  # type: ignore[misc]
    made += [outcome(lambda: cls(a=1)), outcome(lambda: cls(1, a=2)), outcome(lambda: cls(z=1))]
    good = [instance for instance in made if isinstance(instance, cls)]
    seen += [instance for instance in made if not isinstance(instance, cls)]
    seen += [[one == two for two in [*good, 1]] for one in good]
    shows_address = cls.__repr__ is object.__repr__
    by_identity = cls.__hash__ is object.__hash__
    for one in good:
        seen += [vars(one), "address" if shows_address else repr(one)]
        seen.append("identity" if by_identity else outcome(lambda one=one: hash(one)))  # type: ignore[misc]
        seen.append(outcome(lambda one=one: dataclasses.asdict(one)))  # type: ignore[misc]
        seen.append(vars(copy.copy(one)))
        seen.append(outcome(lambda one=one: vars(dataclasses.replace(one))))  # type: ignore[misc]
        for name in ("a", "new"):
            twin = copy.copy(one)
            seen.append(outcome(lambda twin=twin, name=name: assigned(twin, name)))  # type: ignore[misc]
            seen.append(outcome(lambda twin=twin, name=name: deleted(twin, name)))  # type: ignore[misc]
    child = outcome(lambda: Child(1))
    if isinstance(child, Child):
        seen += [child == Child(1), "address" if shows_address else repr(child)]
        seen += [outcome(lambda: assigned(child, "a")), outcome(lambda: assigned(child, "new"))]
    return seen


@pytest.mark.parametrize("make", CLASSES)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "".join(map(str, options.values())))
def test_a_class_behaves_as_one_of_the_standard_decorator(
    make: Callable[[], type[Any]], options: dict[str, Any]
) -> None:
    standard = dataclasses.dataclass(**options)(make())

    ours = dataclass(**options)(make())

    # NaN differs from itself.
    assert repr(behaviour(ours)) == repr(behaviour(standard))
    assert [each.name for each in dataclasses.fields(ours)] == [
        each.name for each in dataclasses.fields(standard)
    ]
    assert ours.__dataclass_params__.frozen == standard.__dataclass_params__.frozen


def test_without_options() -> None:
    ours = dataclass(plain())

    assert ours(1) == ours(1, 2.0)
    assert ours.__hash__ is None


def test_an_instance_that_holds_itself_has_a_text() -> None:
    ours = dataclass(plain())
    instance = ours(1)
    instance.b = instance

    assert repr(instance).endswith("Plain(a=1, b=...)")


@pytest.mark.parametrize("decorator", [dataclass, dataclasses.dataclass])
def test_a_frozen_class_can_be_inherited(decorator: Any) -> None:
    @dataclass(frozen=True)
    class Parent:
        a: int

    @decorator(frozen=True)
    class _Child(Parent):
        b: int = 2

    Child: Any = _Child
    assert Child(1) == Child(1, 2) != Child(1, 3)
    assert repr(Child(1)).endswith("_Child(a=1, b=2)")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Child(1).b = 3


def test_a_class_that_inherits_behaves_as_one_of_the_standard_decorator() -> None:
    @dataclass
    class Base:
        """Documented."""

        a: int
        b: list[int] = field(default_factory=list)

    def child() -> type[Any]:
        class Child(Base):
            """Documented."""

            c: float = 1.0
            a: int = 4

        return Child

    ours, standard = dataclass(child()), dataclasses.dataclass(child())

    assert repr(behaviour(ours)) == repr(behaviour(standard))


def test_a_class_is_frozen_as_its_base_is() -> None:
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @dataclass
        class _Thawed(Pickled):  # type: ignore[misc]
            b: int

    with pytest.raises(TypeError, match="cannot inherit frozen dataclass from a non-frozen one"):

        @dataclass(frozen=True)
        class _Frozen(dataclass(plain())):  # type: ignore[misc]
            b: int = 1


def test_a_class_without_a_docstring_gets_its_name_as_one() -> None:
    @dataclass
    class Undocumented:
        a: int

    assert Undocumented.__doc__ == "Undocumented"


@dataclass(frozen=True)
class Pickled:
    """Pickled by its module's name."""

    a: int


def test_instances_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Pickled(3))) == Pickled(3)


def test_threads_that_make_the_first_instances_at_once() -> None:
    for _ in range(50):
        ours = dataclass(frozen=True)(plain())
        start = threading.Barrier(4)
        made: list[object] = []

        def make(start: threading.Barrier = start, cls: type[Any] = ours, made: list[object] = made) -> None:
            start.wait()
            made.append(cls(1, b=3.0))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert made == [ours(1, 3.0)] * 4
