"""Turns light markup into HTML in the styles of several decades, and expands the lists of papers.

Markup: paragraphs, `## heading`, `- item`, `[anchor](host:path)`, `*emphasis*`, `` `code` `` and, on a line by itself,
`{{papers NAME | style}}`, `{{programme YEAR}}`, `{{reading KEYS}}` or `{{abstract KEY}}`.
"""

from __future__ import annotations

import posixpath
import re
from html import escape
from urllib.parse import urlsplit

from sources import VENUE, Page, Paper, Sources


def expand(body: str, page: Page, sources: Sources) -> str:
    """The body with its lists of papers written out."""
    papers = {paper.key: paper for paper in sources.papers}

    def one(match: re.Match[str]) -> str:
        kind, _, rest = match[1].partition(" ")
        if kind == "papers":
            name, style = rest.split(" | ")
            mine = [paper for paper in sources.venue_papers if name in paper.authors]
            return "\n".join(_own(paper, name, style, page.ref) for paper in mine)
        if kind == "programme":
            return "\n".join(_session(paper) for paper in sources.venue_papers if paper.year == int(rest))
        if kind == "reading":
            return "\n".join(
                f"- {_and(p.authors)}, {_link(p, page.ref)} ({p.year})" for p in map(papers.get, rest.split()) if p
            )
        return f"Abstract. {papers[rest].abstract}"

    return re.sub(r"\{\{(.+?)\}\}", one, body)


def _and(names: tuple[str, ...] | list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _copy(paper: Paper, ref: str) -> str:
    """The copy a page links: its own directory's, else a co-author's; never the venue's."""
    copies = [copy for kind, copy in paper.copies if kind in ("home", "dead")]
    return max(copies, key=lambda copy: _shared(copy, ref), default="")


def _shared(one: str, other: str) -> int:
    """How many leading characters two refs have in common."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _link(paper: Paper, ref: str) -> str:
    copy = _copy(paper, ref)
    return f"[{paper.title}]({copy})" if copy else paper.title


def _own(paper: Paper, name: str, style: str, ref: str) -> str:
    copy = _copy(paper, ref)
    others = [author for author in paper.authors if author != name]
    company = f", with {_and(others)}" if others else ""
    if style == "title":
        return f"- {_link(paper, ref)}{company}. {VENUE} {paper.year}."
    if style == "here":
        return f"- {paper.title}{company} ({VENUE} {paper.year})." + (f" Get it [here]({copy})." if copy else "")
    return f"- {_and(paper.authors)}. {paper.title}. {VENUE} {paper.year}." + (f" [PDF]({copy})" if copy else "")


def _session(paper: Paper) -> str:
    copy = next((ref for kind, ref in paper.copies if kind == "venue"), "")
    line = f"- {paper.title}. {_and(paper.authors)}."
    if copy:
        return f"{line} [Paper (PDF)]({copy})"
    return line + ("" if paper.copies else " (No electronic copy was received.)")


def href(ref: str, page: Page, sources: Sources) -> str:
    """How a page of this host writes an address: absolute, from the root, or relative."""
    url = sources.url(ref)
    host = sources.hosts[page.host]
    if not url.startswith(host.url) or host.links == "absolute":
        return url
    path = url[len(host.url) - 1 :]
    if host.links == "root":
        return path
    here = posixpath.dirname(urlsplit(sources.url(page.ref)).path)
    folder, name = path.rsplit("/", 1)
    way = posixpath.relpath(folder or "/", here or "/")
    return name if way == "." and name else f"{way}/{name}"


def inline(text: str, page: Page, sources: Sources) -> str:
    text = escape(text, quote=False)
    text = re.sub(r"\[(.+?)\]\((.+?)\)", lambda m: f'<a href="{escape(href(m[2], page, sources))}">{m[1]}</a>', text)
    text = re.sub(r"(?<![\w*])\*([^*\n]+)\*", r"<em>\1</em>", text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def blocks(page: Page, sources: Sources) -> list[tuple[str, list[str]]]:
    """The body as (kind, lines): `h`, `p` or `ul`, the text already HTML."""
    found: list[tuple[str, list[str]]] = []
    for chunk in re.split(r"\n{2,}", expand(page.body, page, sources)):
        for raw in chunk.splitlines():
            kind = "h" if raw.startswith("## ") else "ul" if raw.startswith("- ") else "p"
            line = inline(raw.removeprefix("## ").removeprefix("- "), page, sources)
            if kind == "ul" and found and found[-1][0] == "ul":
                found[-1][1].append(line)
            else:
                found.append((kind, [line]))
    return found


def render(page: Page, sources: Sources) -> str:
    """The whole page in its host's style."""
    host = sources.hosts[page.host]
    style = "plain" if "nonav" in page.flags and host.style != "plain" else host.style
    nav = [] if "nonav" in page.flags else [(label, href(ref, page, sources)) for label, ref in host.nav]
    head = f"<title>{escape(page.title, quote=False)}</title>"
    robots = sorted(page.flags & {"noindex", "nofollow"})
    if robots:
        head += f'\n<meta name="robots" content="{", ".join(robots)}">'
    body = STYLES[style](blocks(page, sources))
    if "print" in page.flags:
        body += (
            f'\n<p class="tools"><a href="{escape(href(printable(page.ref), page, sources))}">Printable version</a></p>'
        )
    return FRAMES[style](page, host.name, head, nav, body, host.foot)


def printable(ref: str) -> str:
    host, _, path = ref.partition(":")
    return f"{host}:print/{path}"


def render_print(page: Page, sources: Sources) -> str:
    """A near-duplicate: the same words without navigation, pointing to the page it was made from."""
    url = sources.url(page.ref)
    body = STYLES["plain"](blocks(page, sources))
    title = escape(page.title, quote=False)
    return (
        f'<html><head><title>{title} (to print)</title>\n<link rel="canonical" href="{url}"></head>\n<body>\n'
        f'<h1>{title}</h1>\n{body}\n<p>Printed from <a href="{url}">{url}</a></p>\n</body></html>\n'
    )


def _tags(found: list[tuple[str, list[str]]], heading: str) -> str:
    out = []
    for kind, lines in found:
        if kind == "ul":
            out.append("<ul>\n" + "\n".join(f"<li>{line.replace(' -- ', ': ')}</li>" for line in lines) + "\n</ul>")
        else:
            tag = heading if kind == "h" else "p"
            out.append(f"<{tag}>{lines[0]}</{tag}>")
    return "\n".join(out)


def _table97(found: list[tuple[str, list[str]]]) -> str:
    out = []
    for kind, lines in found:
        if kind == "ul":
            out.append("<UL>\n" + "\n".join(f"<LI>{line.replace(' -- ', ': ')}" for line in lines) + "\n</UL>")
        elif kind == "h":
            out.append(f'<P><FONT SIZE="+1" COLOR="#003366"><B>{lines[0]}</B></FONT><BR>')
        else:
            out.append(f"<P>{lines[0]}")
    return "\n".join(out)


def _directory(found: list[tuple[str, list[str]]]) -> str:
    out = []
    for kind, lines in found:
        if kind == "ul":
            rows = [line.partition(" -- ") for line in lines]
            out.append("<dl>\n" + "\n".join(f"<dt>{a}" + (f"<dd>{d}" if d else "") for a, _, d in rows) + "\n</dl>")
        else:
            out.append(f"<p>{lines[0]}")
    return "\n".join(out)


def _modern_frame(page: Page, name: str, head: str, nav: list[tuple[str, str]], body: str, foot: str) -> str:
    links = "\n".join(f'<a class="nav-link" href="{escape(to)}">{label}</a>' for label, to in nav)
    return (
        f'<!doctype html>\n<html lang="{page.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n{head}\n</head>\n<body>\n'
        f'<header><div class="brand">{name}</div><nav>\n{links}\n</nav></header>\n'
        f"<main><article>\n<h1>{escape(page.title, quote=False)}</h1>\n{body}\n</article></main>\n"
        f"<footer><p>{foot}</p></footer>\n</body>\n</html>\n"
    )


def _xhtml_frame(page: Page, name: str, head: str, nav: list[tuple[str, str]], body: str, foot: str) -> str:
    links = "".join(f'<li><a href="{escape(to)}">{label}</a></li>' for label, to in nav)
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" lang="{page.language}">\n<head>{head}</head>\n<body>\n'
        f'<div id="wrapper">\n<div id="banner"><span>{name}</span></div>\n<div id="content">\n'
        f'<h2>{escape(page.title, quote=False)}</h2>\n{body}\n</div>\n<div id="sidebar"><ul>{links}</ul></div>\n'
        f'<div id="footer">{foot}</div>\n</div>\n</body></html>\n'
    )


def _table97_frame(page: Page, name: str, head: str, nav: list[tuple[str, str]], body: str, foot: str) -> str:
    links = "<BR>\n".join(f'<A HREF="{escape(to)}">{label}</A>' for label, to in nav)
    lang = f' LANG="{page.language}"' if page.language != "en" else ""
    return (
        f'<HTML{lang}>\n<HEAD>\n{head}\n</HEAD>\n<BODY BGCOLOR="#FFFFF0" TEXT="#000000" LINK="#0000CC">\n'
        f'<TABLE WIDTH="100%" BORDER="0" CELLPADDING="6">\n'
        f'<TR><TD COLSPAN="2" BGCOLOR="#DDE6EE"><B>{name}</B></TD></TR>\n'
        f'<TR VALIGN="top"><TD WIDTH="140" BGCOLOR="#F0F0E0"><FONT SIZE="-1">\n{links}\n</FONT></TD>\n<TD>\n'
        f"<CENTER><H2>{escape(page.title, quote=False)}</H2></CENTER>\n{body}\n</TD></TR>\n</TABLE>\n"
        f'<HR><FONT SIZE="-2">{foot}</FONT>\n</BODY>\n</HTML>\n'
    )


def _plain_frame(page: Page, name: str, head: str, nav: list[tuple[str, str]], body: str, foot: str) -> str:
    links = " | ".join(f'<a href="{escape(to)}">{label}</a>' for label, to in nav)
    bar = f"<p>[ {links} ]</p>\n<hr>\n" if links else ""
    return (
        f"<html>\n<head>\n{head}\n</head>\n<body>\n{bar}<h1>{escape(page.title, quote=False)}</h1>\n{body}\n"
        f"<hr>\n<address>{foot}</address>\n</body>\n</html>\n"
    )


STYLES = {
    "modern": lambda found: _tags(found, "h2"),
    "xhtml": lambda found: _tags(found, "h3"),
    "plain": lambda found: _tags(found, "h3"),
    "table97": _table97,
    "directory": _directory,
}
FRAMES = {
    "modern": _modern_frame,
    "xhtml": _xhtml_frame,
    "plain": _plain_frame,
    "table97": _table97_frame,
    "directory": _plain_frame,
}
