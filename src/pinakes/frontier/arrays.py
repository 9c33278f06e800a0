"""Columns of a batch as PostgreSQL writes arrays, so that a batch is one statement with a few parameters."""

from __future__ import annotations

from collections.abc import Iterable


def numbers(values: Iterable[float]) -> str:
    return "{" + ",".join(map(repr, values)) + "}"


def texts(values: Iterable[str]) -> str:
    quoted = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
    return '{"' + '","'.join(quoted) + '"}' if quoted else "{}"


def octets(values: Iterable[bytes]) -> str:
    spelled = [value.hex() for value in values]
    return '{"\\\\x' + '","\\\\x'.join(spelled) + '"}' if spelled else "{}"
