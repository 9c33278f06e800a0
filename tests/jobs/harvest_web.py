"""Papers, people and services made up for tests of harvests over real HTTP on the loopback."""

from __future__ import annotations

import json
from typing import Any

from fpdf import FPDF

from pinakes.testing.answer import Answer, of_html
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace


def paper(title: str = "", author: str = "", password: str = "") -> bytes:
    """A paper of that title; without one, a page without words, as scanners make them."""
    sheet = FPDF()
    if password:
        sheet.set_encryption(owner_password="owner", user_password=password)
    sheet.add_page()
    if title:
        sheet.set_font("Times", size=16)
        sheet.multi_cell(0, 8, title, new_x="LMARGIN", new_y="NEXT")
        sheet.set_font("Times", size=11)
        body = "Readers agree on what is missing far more often than librarians expect [1]. " * 60
        text = (
            f"{author}\nUniversity of Nowhere\n\nAbstract. We study shelves.\n\n1 Introduction\n{body}\n\nReferences\n"
            "[1] A. Ferrier. Growing archives. Journal of Invented Results, 1998."
        )
        sheet.multi_cell(0, 5, text, new_x="LMARGIN", new_y="NEXT")
    return bytes(sheet.output())


def slides(title: str, author: str) -> bytes:
    sheet = FPDF()
    for line in (f"{title}\n{author}", "Outline\nRopes\nTowers", "Questions?"):
        sheet.add_page()
        sheet.set_font("Times", size=24)
        sheet.multi_cell(0, 12, line, new_x="LMARGIN", new_y="NEXT")
    return bytes(sheet.output())


def said(body: bytes, kind: str, delay: float = 0.0) -> Answer:
    return Answer(200, (("Content-Type", kind), ("Content-Length", str(len(body)))), body, delay=delay)


def said_json(document: Any, delay: float = 0.0) -> Answer:
    return said(json.dumps(document).encode(), "application/json", delay)


def page(title: str, *rest: str) -> Answer:
    return of_html(f"<title>{title}</title><h1>{title}</h1>{' '.join(rest)}".encode())


def hurried(*routes: str, **more: Any) -> LiveOptions:
    """The live web without pauses and with little patience."""
    return LiveOptions(
        "test@pinakes.example",
        pace=Pace(delay=0.0, patience=0.0, backoff=0.01, tries=1, longest_crawl_delay=0.0),
        timeouts=Timeouts(connect=2.0, head=more.pop("head", 5.0), read=2.0, total=6.0),
        resolve=routes,
        **more,
    )
