"""64-bit hashes as SQLite keeps them: signed."""

from __future__ import annotations

from xxhash import xxh3_64_intdigest


def signed(value: int) -> int:
    """An unsigned 64-bit number as the signed one with the same bits."""
    return value - (1 << 64) if value >= 1 << 63 else value


def unsigned(value: int) -> int:
    return value & 0xFFFF_FFFF_FFFF_FFFF


def hash_of(text: str) -> int:
    """The stable signed 64-bit hash of an address or a digest."""
    return signed(xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")))
