"""Modules import each other in circles only where two files are halves of one thing.

Every import counts: at the top of a module, under TYPE_CHECKING, and inside functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

FOLDERS = ("lite", "bridges", "emitters", "kernels", "model_parser", "tools")
LINKED = ("bridges", "emitters", "kernels", "model_parser", "tools")

CIRCLES = [
    # A value knows its graph, and a graph makes its values.
    {"lite.ir.graph", "lite.ir.node"},
    # A pattern searches, and a search asks patterns.
    {"lite.plugin.pattern.language", "lite.plugin.pattern.search"},
]
"""The circles that are meant to stay."""


def modules(root: Path) -> dict[str, Path]:
    """Every module of the product by name; the links in lite/ are skipped, their targets are not."""
    paths: dict[str, Path] = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if parts[0] == "lite" and len(parts) > 1 and parts[1] in LINKED:
                continue
            name = ".".join(parts if parts[0] == "lite" else ("lite", *parts))
            paths[name.removesuffix(".__init__")] = path
    return paths


def imports(name: str, path: Path, names: Iterable[str]) -> Iterator[str]:
    """The modules that a module imports anywhere; `from package import name` may mean a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                package = name if path.name == "__init__.py" else name.rpartition(".")[0]
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                module = ".".join([*parents, *filter(None, [module])])
            for alias in node.names:
                submodule = f"{module}.{alias.name}"
                if submodule in names:
                    yield submodule
                elif module in names:
                    yield module


def components(graph: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """The strongly connected components of more than one module.

    By two depth-first searches (R. Kosaraju; M. Sharir, "A strong-connectivity algorithm", 1981).
    """

    def reached(start: str, edges: Mapping[str, Iterable[str]], seen: set[str]) -> list[str]:
        """The modules that a search reaches first from `start`, in the order in which it leaves them."""
        seen.add(start)
        left: list[str] = []
        stack = [(start, iter(edges[start]))]
        while stack:
            name, successors = stack[-1]
            following = next((each for each in successors if each not in seen), None)
            if following is None:
                left.append(name)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(edges[following])))
        return left

    seen: set[str] = set()
    order = [name for start in graph if start not in seen for name in reached(start, graph, seen)]
    reverse: dict[str, list[str]] = {name: [] for name in graph}
    for name, successors in graph.items():
        for successor in successors:
            reverse[successor].append(name)
    seen = set()
    groups = [set(reached(start, reverse, seen)) for start in reversed(order) if start not in seen]
    return [group for group in groups if len(group) > 1]


def test_modules_import_in_circles_only_where_meant(root: Path) -> None:
    paths = modules(root)
    graph = {name: sorted(set(imports(name, path, paths)) - {name}) for name, path in paths.items()}
    assert sorted(map(sorted, components(graph))) == sorted(map(sorted, CIRCLES))


def test_hidden_imports_are_found(tmp_path: Path) -> None:
    names = ("lite.a", "lite.b", "lite.b.c", "lite.d")
    path = tmp_path / "a.py"
    path.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from lite.b import c\n"
        "def f():\n    import lite.d\n    from .b import other\n"
        "import os.path\n",
        encoding="utf-8",
    )
    assert sorted(imports("lite.a", path, names)) == ["lite.b", "lite.b.c", "lite.d"]


def test_components_are_found() -> None:
    graph = {"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": ["e"], "e": [], "f": ["g", "a"], "g": ["f"]}
    assert sorted(map(sorted, components(graph))) == [["a", "b", "c"], ["f", "g"]]
    assert components({"a": ["b"], "b": []}) == []
