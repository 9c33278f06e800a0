"""Two endless hosts without state: a calendar that always has a next month, and a shop with session ids."""

from __future__ import annotations

import re
from hashlib import blake2b

from pinakes.testing.answer import Answer, of_html

CALENDAR = "http://calendar.example"
SHOP = "http://shop.example"
ITEMS = 20
_MONTH = re.compile(re.escape(CALENDAR) + r"/([0-9]{1,12})/([0-9]{1,2})(?:/([0-9]{1,2}))?", re.ASCII)
_ITEM = re.compile(re.escape(SHOP) + r"/item/([0-9]{1,2})\?sid=([0-9a-f]{12})", re.ASCII)


def entrance(luck: int) -> str:
    """An address inside one of the traps."""
    if luck & 1:
        return f"{CALENDAR}/{2000 + (luck >> 8) % 50}/{1 + (luck >> 16) % 12}"
    return f"{SHOP}/item/{(luck >> 8) % ITEMS}?sid={_session(str(luck), 0)}"


def answer(url: str) -> Answer | None:
    """A trap's page, or None when the address is in no trap."""
    if match := _MONTH.fullmatch(url):
        year, month, day = int(match[1]), int(match[2]), int(match[3] or 0)
        return of_html(_calendar(year, month, day)) if 1 <= month <= 12 and day <= 30 else None
    if (match := _ITEM.fullmatch(url)) and int(match[1]) < ITEMS:
        return of_html(_shop(int(match[1]), match[2]))
    return None


def _calendar(year: int, month: int, day: int) -> bytes:
    months = 12 * year + month - 1
    later = f"{CALENDAR}/{(months + 1) // 12}/{(months + 1) % 12 + 1}"
    earlier = f"{CALENDAR}/{max(months - 1, 0) // 12}/{(months - 1) % 12 + 1}"
    days = "".join(f'<td><a href="{CALENDAR}/{year}/{month}/{d}">{d}</a></td>' for d in range(1, 31))
    title = f"Calendar {year}-{month:02}" + (f"-{day:02}" if day else "")
    return (
        f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1><p>Nothing is planned.</p>"
        f'<p><a href="{earlier}">previous month</a> <a href="{later}">next month</a></p><table><tr>{days}</tr></table>'
    ).encode()


def _shop(item: int, session: str) -> bytes:
    """Every visit gives every link a session id of its own; the words depend on the item alone."""
    links = "".join(
        f'<li><a href="{SHOP}/item/{i}?sid={_session(session, i)}">our fine article {i}</a></li>' for i in range(ITEMS)
    )
    return (
        f"<!DOCTYPE html><title>Article {item}</title><h1>Article {item}</h1>"
        f"<p>Article {item} is the best article number {item} we have ever had in our shop.</p><ul>{links}</ul>"
    ).encode()


def _session(before: str, item: int) -> str:
    return blake2b(f"{before} {item}".encode(), digest_size=6).hexdigest()
