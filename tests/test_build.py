"""Installing needs no compiler."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("compiler", ["/nowhere/cc", "false"])
def test_without_a_compiler_nothing_is_compiled(
    build: ModuleType, compiler: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no compiler, or it fails, that is told, and what was compiled before stays."""
    before = {path: path.stat().st_mtime_ns for path in (ROOT / "src").rglob("*.so")}
    monkeypatch.setenv("CC", compiler)
    assert [build.compiled(part) for part in build.PARTS] == [None] * len(build.PARTS)
    assert capsys.readouterr().err.count("is not compiled") == len(build.PARTS)
    assert {path: path.stat().st_mtime_ns for path in (ROOT / "src").rglob("*.so")} == before


def test_every_part_in_c_is_compiled(build: ModuleType) -> None:
    found = {str(path.relative_to(ROOT).with_suffix("")) for path in (ROOT / "src").rglob("*.c")}
    assert found == set(build.PARTS)
