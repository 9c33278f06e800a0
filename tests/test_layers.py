"""Who may import whom."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "pinakes"
PURE = {"core", "formats", "text", "models", "graph", "measures"}
ROOMS = {"frontier", "web", "judges", "strategies", "library", "services"}
"""Rooms that stand side by side: none may import another."""
MAY = {
    "core": set(),
    "formats": {"core", "formats", "text"},
    "text": {"core", "text"},
    "models": {"core", "models", "text"},
    "graph": {"core", "graph", "text"},
    "measures": {"core", "measures", "models", "text"},
    **{room: PURE | {room} for room in ROOMS},
    "demo": set(),
    "testing": PURE | ROOMS | {"testing"},
    "jobs": PURE | ROOMS | {"jobs", "demo"},
    "report": PURE | ROOMS | {"jobs", "report"},
    "serve": PURE | ROOMS | {"jobs", "report", "serve"},
    "cli": PURE | ROOMS | {"jobs", "report", "serve", "cli"},
}
MAY["services"] |= {"web"}
MAY["core"] |= {"core"}


def imports(path: Path) -> set[str]:
    """The full names of the modules a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


FRONT_DOORS = {SOURCE / name for name in ("__init__.py", "__main__.py", "api.py", "config.py")}
MODULES = sorted(set(SOURCE.rglob("*.py")) - FRONT_DOORS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    """Dependencies point downwards, and rooms of one floor do not know each other."""
    layer = path.relative_to(SOURCE).parts[0]
    rooms = {name.split(".")[1] for name in imports(path) if name.startswith("pinakes.")} - {"__version__"}
    rooms = {room for room in rooms if (SOURCE / room).is_dir()}
    assert rooms <= MAY[layer], f"{layer} may not import {sorted(rooms - MAY[layer])}"


@pytest.mark.parametrize("path", sorted((SOURCE / "core").glob("*.py")), ids=lambda path: path.name)
def test_core_needs_only_the_standard_library(path: Path) -> None:
    """The records, the roles and the loop stand on Python alone."""
    outside = {name.split(".")[0] for name in imports(path)} - set(sys.stdlib_module_names) - {"pinakes"}
    assert not outside
