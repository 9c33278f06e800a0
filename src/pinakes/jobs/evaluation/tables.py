"""The results of an evaluation as files: `results.json`, and CSV tables for spreadsheets and statistics."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

TABLES = ("strategies", "topics", "tests", "curves")


def write_results(folder: Path, results: Mapping[str, Any]) -> list[Path]:
    """Write everything; a file is whole or not there at all."""
    encoded = msgspec.json.format(msgspec.json.encode(results, enc_hook=str), indent=1)
    return [
        whole(folder / "results.json", encoded + b"\n"),
        *(_table(folder / f"{name}.csv", rows(results)) for name, rows in _ROWS.items()),
    ]


def whole(path: Path, data: bytes) -> Path:
    unfinished = path.with_name(f"{path.name}.tmp")
    with unfinished.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    return path


def _table(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    unfinished = path.with_name(f"{path.name}.tmp")
    with unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows([{name: _cell(value) for name, value in row.items()} for row in listed])
    unfinished.replace(path)
    return path


def _strategies(results: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    for name, row in results["strategies"].items():
        flat = {key: value for key, value in row.items() if not isinstance(value, Mapping)}
        errors = {f"{key} ±": value for key, value in row["stderr"].items()}
        setup = {f"setup {key}": value for key, value in row["setup"].items()}
        settings = " ".join(f"{key}={value}" for key, value in row["parameters"].items())
        yield {"name": name, **flat, **errors, **setup, "parameters": settings}


def _topics(results: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    for name, row in results["strategies"].items():
        for topic, values in row["per_topic"].items():
            flat = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
            setup = {f"setup {key}": value for key, value in values["setup"].items()}
            yield {"strategy": name, "topic": topic, **flat, **setup}


def _tests(results: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return results["tests"]  # type: ignore[no-any-return]


def _curves(results: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    for measure, drawn in results["curves"].items():
        for name, curve in drawn["strategies"].items():
            for at, mean, error in zip(drawn["at"], curve["mean"], curve["stderr"], strict=True):
                yield {"measure": measure, "strategy": name, "pages": at, "mean": mean, "stderr": error}


def _cell(value: Any) -> Any:
    """Text from strangers must not become a formula in somebody's spreadsheet."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value


_ROWS = {"strategies": _strategies, "topics": _topics, "tests": _tests, "curves": _curves}
