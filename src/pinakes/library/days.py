"""Days as pages tell them."""

from __future__ import annotations

from email.utils import parsedate_to_datetime


def day_changed(modified: str) -> str:
    """The day of a Last-Modified header, YYYY-MM-DD; empty when it cannot be read."""
    try:
        return parsedate_to_datetime(modified).date().isoformat() if modified else ""
    except (ValueError, TypeError, OverflowError, IndexError):
        return ""
