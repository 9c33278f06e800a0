"""Collections for people: CSV, JSON, Markdown, and one self-contained HTML page to send to a colleague."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import msgspec

from pinakes.core.counting import count_of
from pinakes.core.page import host_of
from pinakes.library.collections import Collection, Entry, as_tree

CSV_COLUMNS = ("collection", "rank", "url", "merit", "title", "score", "nugget", "language", "date", "snippet", "path")


def write_collections(library: Path, collections: Sequence[Collection]) -> Path:
    """Write `reports/collections.*` of a library, each file whole or not at all; answers the HTML page."""
    folder = library / "reports"
    folder.mkdir(exist_ok=True)
    for name, text in (
        ("collections.csv", as_csv(collections)),
        ("collections.json", as_json(collections)),
        ("collections.md", as_markdown(collections)),
        ("collections.html", as_html(collections)),
    ):
        unfinished = folder / f"{name}.tmp"
        unfinished.write_text(text, "utf-8")
        unfinished.replace(folder / name)
    return folder / "collections.html"


def as_csv(collections: Sequence[Collection]) -> str:
    """A row an entry, best first within a collection."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for one in collections:
        for rank, entry in enumerate(one.entries, 1):
            writer.writerow(
                [
                    safe_cell(one.name), rank, safe_cell(entry.url), f"{entry.merit:.4f}", safe_cell(entry.title),
                    f"{entry.score:.4f}", int(entry.nugget), entry.language, entry.date, safe_cell(entry.snippet),
                    " ".join(entry.path),
                ]
            )  # fmt: skip
    return out.getvalue()


def as_json(collections: Sequence[Collection]) -> str:
    return msgspec.json.format(msgspec.json.encode(collections), indent=1).decode() + "\n"


def as_markdown(collections: Sequence[Collection]) -> str:
    lines = ["# Collections", ""]
    for depth, name, one in as_tree(collections):
        lines += [f"{'#' * min(6, depth + 2)} {_marked(name)}", ""]
        if one is None:
            continue
        lines += [_marked(one.description), ""] if one.description else []
        for rank, entry in enumerate(one.entries, 1):
            facts = " · ".join(filter(None, (f"{entry.merit:.2f}", entry.date, entry.language)))
            lines.append(f"{rank}. [{_marked(entry.title)}](<{entry.url}>) ({facts})")
            lines += [f"   {_marked(entry.snippet)}"] if entry.snippet else []
        lines += [""] if one.entries else ["No page was found for it.", ""]
    return "\n".join(lines).rstrip() + "\n"


def as_html(collections: Sequence[Collection]) -> str:
    """One page with everything in it: no script, nothing loaded from elsewhere, every byte from outside escaped."""
    tree = as_tree(collections)
    pages = sum(len(one.entries) for one in collections)
    hosts = len({host_of(entry.url) for one in collections for entry in one.entries})
    built = max((one.built for one in collections), default=0.0)
    day = datetime.fromtimestamp(built, UTC).strftime("%-d %B %Y") if built else ""
    anchors = {name: f"c{n}" for n, (_, name, _) in enumerate(tree)}
    contents = "".join(
        f'<li style="--depth:{depth}"><a href="#{anchors[name]}">{escape(name)}</a>'
        + (f"<span>{len(one.entries)}</span></li>" if one else "</li>")
        for depth, name, one in tree
    )
    sections = "".join(_section(depth, name, one, anchors[name]) for depth, name, one in tree)
    return _PAGE.format(
        title="Collections",
        facts=f"{count_of(len(collections), 'collection')} · {count_of(pages, 'page')} of {count_of(hosts, 'host')}"
        + (f" · {day}" if day else ""),
        contents=contents,
        sections=sections,
    )


def _section(depth: int, name: str, one: Collection | None, anchor: str) -> str:
    level = min(4, depth + 2)
    head = f'<h{level} id="{anchor}">{escape(name)}</h{level}>'
    if one is None:
        return f"<section class=branch>{head}</section>"
    about = f"<p class=about>{escape(one.description)}</p>" if one.description else ""
    terms = f"<p class=terms>{' '.join(f'<span>{escape(term)}</span>' for term in one.terms)}</p>" if one.terms else ""
    most = max((entry.merit for entry in one.entries), default=1.0) or 1.0
    entries = "".join(_item(entry, most) for entry in one.entries)
    found = f"<ol>{entries}</ol>" if entries else "<p class=none>No page was found for this topic.</p>"
    return f"<section>{head}{about}{terms}{found}</section>"


def _item(entry: Entry, most: float) -> str:
    facts = " · ".join(
        escape(fact)
        for fact in (host_of(entry.url), entry.date, entry.language, "" if entry.page else "not read yet")
        if fact
    )
    path = "".join(f"<li>{_anchor(url, url)}</li>" for url in entry.path)
    way = f"<details><summary>{_steps(len(entry.path) - 1)}</summary><ol>{path}</ol></details>" if path else ""
    snippet = f"<p>{escape(entry.snippet)}</p>" if entry.snippet else ""
    width = max(2, round(100 * entry.merit / most))
    return (
        f'<li><div class=merit title="merit {entry.merit:.3f}"><i style="width:{width}%"></i></div>'
        f"<h5>{_anchor(entry.url, entry.title or entry.url)}</h5><div class=facts>{facts}</div>{snippet}{way}</li>"
    )


def _steps(n: int) -> str:
    return f"{count_of(n, 'step')} from a seed" if n else "a seed"


def _anchor(url: str, text: str) -> str:
    if not url.startswith(("http://", "https://")):
        return escape(text)
    return f'<a href="{escape(url)}" rel="noreferrer noopener">{escape(text)}</a>'


def safe_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _marked(text: str) -> str:
    """Text as it is, where Markdown and HTML have signs."""
    plain = escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{sign}" if sign in "\\`*_[]#|" else sign for sign in plain)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title><style>
:root {{ --ink: #22262a; --dim: #67707a; --line: #e3e6e9; --paper: #fff; --soft: #f6f7f8; --accent: #1a6a8a; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #e4e7ea; --dim: #98a2ac; --line: #343b42; --paper: #16191c; --soft: #1e2327; --accent: #74c0dd; }} }}
* {{ box-sizing: border-box }}
body {{ margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif;
  display: grid; grid-template-columns: minmax(14rem, 19rem) minmax(0, 50rem); gap: 3rem; }}
nav {{ position: sticky; top: 0; height: 100vh; overflow: auto; padding: 2rem 1.25rem; background: var(--soft);
  border-right: 1px solid var(--line); font-size: .92rem; }}
nav ul {{ list-style: none; margin: 0; padding: 0 }}
nav li {{ display: flex; gap: .5rem; justify-content: space-between;
  padding: .18rem 0 .18rem calc(var(--depth) * 1rem) }}
nav span {{ color: var(--dim) }}
main {{ padding: 2rem 1.25rem 5rem 0; overflow-wrap: anywhere }}
a {{ color: var(--accent); text-decoration: none }} a:hover {{ text-decoration: underline }}
h1 {{ font-size: 1.9rem; margin: 0 0 .25rem }} header p {{ color: var(--dim); margin: 0 }}
h2, h3, h4 {{ margin: 2.6rem 0 .25rem; line-height: 1.25; font-size: 1.4rem }} h3 {{ font-size: 1.25rem }}
h4 {{ font-size: 1.1rem }}
.branch h2 {{ color: var(--dim); font-weight: 500; border-bottom: 1px solid var(--line) }}
.about {{ margin: .25rem 0; color: var(--dim) }}
.terms span {{ display: inline-block; margin: 0 .35rem .35rem 0; padding: .05rem .5rem; border: 1px solid var(--line);
  border-radius: 1rem; font-size: .82rem; color: var(--dim) }}
section > ol {{ list-style: none; counter-reset: n; padding: 0; margin: .75rem 0 }}
section > ol > li {{ position: relative; counter-increment: n; padding: .7rem 0 .7rem 3.2rem;
  border-top: 1px solid var(--line); break-inside: avoid }}
section > ol > li::before {{ content: counter(n); position: absolute; left: 0; top: .75rem; width: 2.2rem;
  text-align: right; color: var(--dim); font-variant-numeric: tabular-nums; font-size: .9rem }}
.merit {{ position: absolute; left: 0; top: 2.2rem; width: 2.2rem; height: 4px; background: var(--line);
  border-radius: 2px }}
.merit i {{ display: block; height: 100%; background: var(--accent); border-radius: 2px }}
h5 {{ margin: 0; font-size: 1.02rem; font-weight: 600 }} .facts {{ color: var(--dim); font-size: .84rem }}
li p {{ margin: .2rem 0 }} details {{ font-size: .84rem; color: var(--dim) }} details ol {{ margin: .2rem 0 }}
.none {{ color: var(--dim) }}
@media (max-width: 50rem) {{ body {{ display: block }} main {{ padding: 1.25rem }}
  nav {{ position: static; height: auto; border: 0; padding: 1.25rem }} }}
@media print {{ body {{ display: block }} nav, details {{ display: none }} main {{ padding: 0 }} }}
</style></head><body>
<nav aria-label="Collections"><ul>{contents}</ul></nav>
<main><header><h1>{title}</h1><p>{facts}</p></header>
{sections}</main></body></html>
"""
