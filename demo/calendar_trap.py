"""A calendar without an end: every page links on, with session ids and folders that seem to contain themselves."""

from __future__ import annotations

import calendar
from hashlib import sha1

MONTHS = [(2026, month) for month in range(1, 10)]
SESSIONS = 1
NESTED = 5
EVENTS = {
    (2026, 3): "Owl pellets for children, library",
    (2026, 8): "Perseids on the ridge",
    (2026, 5): "Swifts return",
}


def session(seed: str) -> str:
    return sha1(seed.encode()).hexdigest()[:16]


def pages() -> dict[str, str]:
    """Path -> HTML of the recorded part; `` is the front page."""
    found = {"": _front()}
    for year, month in MONTHS:
        found[f"{year}/{month:02}/"] = _month(year, month, "")
    for year, month in MONTHS[:SESSIONS]:
        found[f"{year}/{month:02}/?PHPSESSID={session(f'{year}{month}')}"] = _month(
            year, month, session(f"{year}{month}x")
        )
    for depth in range(1, NESTED + 1):
        found["events/" * depth] = _nested()
    return found


def _page(title: str, body: str) -> str:
    return f"<html>\n<head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"


def _front() -> str:
    months = "\n".join(f'<li><a href="/{y}/{m:02}/">{calendar.month_name[m]} {y}</a>' for y, m in MONTHS[:3])
    return _page(
        "Millbrook calendar",
        "<p>What is on in Millbrook, this month and every other month there will ever be.</p>\n"
        f'<ul>\n{months}\n<li><a href="events/">Events</a>\n'
        f'<li><a href="/2026/01/?PHPSESSID={session("20261")}">This month, with your settings</a>\n</ul>\n'
        '<p><a href="http://www.millbrook.example/">Back to the town</a></p>',
    )


def _month(year: int, month: int, sid: str) -> str:
    tail = f"?PHPSESSID={sid}" if sid else ""
    later = (year + month // 12, month % 12 + 1)
    sooner = (year - (month == 1), (month - 2) % 12 + 1)
    rows = []
    for week in calendar.Calendar().monthdayscalendar(year, month):
        cells = "".join(
            f'<td><a href="/{year}/{month:02}/{d:02}/{tail}">{d}</a></td>' if d else "<td></td>" for d in week
        )
        rows.append(f"<tr>{cells}</tr>")
    event = EVENTS.get((year, month), "No events this month.")
    table = "<table>\n" + "\n".join(rows) + "\n</table>"
    return _page(
        f"{calendar.month_name[month]} {year}",
        f'{table}\n<p>{event}</p>\n<p><a href="/{sooner[0]}/{sooner[1]:02}/{tail}">previous month</a> '
        f'<a href="/{later[0]}/{later[1]:02}/{tail}">next month</a> '
        f'<a href="/{year + 1}/{month:02}/{tail}">next year</a> '
        f'<a href="?view=week&amp;sort=place&amp;PHPSESSID={session(f"{year}{month}{sid}")}">by week</a></p>',
    )


def _nested() -> str:
    return _page(
        "Events",
        '<p>All events.</p>\n<p><a href="events/">More events</a> <a href="../2026/09/">September</a></p>',
    )
