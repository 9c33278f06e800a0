"""The shell of every report: one file that needs nothing else, not even a network.

Style and script stand in the page and are named by their hashes in its content security policy: the browser runs these
and nothing else, whatever a stranger's text may hold. No element is styled inline.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from pinakes.report.markup import Html, join, tag


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report, to which its table of contents leads."""

    key: str
    heading: str
    body: Html
    lead: Html | str = ""


def document(
    title: str,
    sections: Sequence[Section],
    *,
    kind: str,
    lead: Html | str = "",
    facts: Html | str = "",
    extra: Sequence[str] = (),
) -> str:
    """A whole page. `kind` says above the title what sort of report it is; `facts` stands under it in small print.

    `extra` names assets (`NAME.css`, `NAME.js`) that this sort of report has besides those of all.
    """
    style, script = (Html("".join(asset(f"{name}.{form}") for name in ("report", *extra))) for form in ("css", "js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = (
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content="Pinakes"),
        tag("title", title),
        tag("style", style),
    )
    contents = [tag("li", tag("a", section.heading, href=f"#{section.key}")) for section in sections]
    body = (
        tag("a", "Skip to the results", class_="skip", href="#main"),
        tag(
            "header",
            tag("p", kind, class_="kind"),
            tag("h1", title),
            facts and tag("p", facts, class_="facts"),
            lead and tag("div", lead, class_="lead"),
            tag("nav", tag("ol", contents), aria_label="Contents"),
        ),
        tag("main", [_section(section) for section in sections], id="main"),
        tag("footer", tag("p", "Made by Pinakes. This file is complete in itself.")),
        tag("script", script),
    )
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body), lang='en')}\n"


@cache
def asset(name: str) -> str:
    """A file of this package."""
    return files("pinakes.report").joinpath("assets", name).read_text(encoding="utf-8")


def paragraphs(*texts: Html | str) -> Html:
    """Paragraphs, the empty ones left out."""
    return join(tag("p", text) for text in texts if text)


def _section(section: Section) -> Html:
    return tag(
        "section",
        tag("h2", section.heading),
        section.lead and tag("p", section.lead, class_="section-lead"),
        section.body,
        id=section.key,
    )


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
