"""Pages as rows: CSV for spreadsheets, JSON Lines and Parquet for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.formats.item import Item

COLUMNS = (
    "url", "title", "authors", "date", "venue", "doi", "type", "language", "modified", "fetched", "topics", "merit",
    "words", "collection", "rank", "description", "number",
)  # fmt: skip
ROW_GROUP = 10_000


def row(item: Item) -> dict[str, Any]:
    return {name: getattr(item, name) for name in COLUMNS}


def jsonl(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        yield json.dumps(row(item), ensure_ascii=False) + "\n"


def table(items: Iterable[Item]) -> Iterator[str]:
    """CSV (RFC 4180) that no spreadsheet takes for formulas."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for item in items:
        values = {**row(item), "topics": "; ".join(item.topics), "authors": "; ".join(item.authors)}
        writer.writerow([_cell(value) if isinstance(value, str) else value for value in values.values()])
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()


def parquet(items: Iterable[Item], path: Path) -> int:
    """Written in groups of rows, so that memory stays bounded; answers how many there are."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise PinakesError("Parquet needs pyarrow; install it with: pip install 'pinakes[parquet]'") from None
    text, number, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    kinds = {
        "topics": pyarrow.list_(text),
        "authors": pyarrow.list_(text),
        "merit": real,
        "words": number,
        "rank": number,
        "number": number,
    }
    schema = pyarrow.schema([(name, kinds.get(name, text)) for name in COLUMNS])
    rows, total = iter(items), 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := [row(item) for item in islice(rows, ROW_GROUP)]:
            writer.write_table(pyarrow.Table.from_pylist(group, schema))
            total += len(group)
    return total


def _cell(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
