"""The parts of a page's own page: how it was reached and why, the copy that is stored of it, and its links."""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.core.counting import count_of
from pinakes.core.page import LOWEST, host_of
from pinakes.jobs.portrait import Neighbour, Portrait
from pinakes.jobs.why import Step
from pinakes.library.fulltext import kind_of
from pinakes.report.markup import Html, tag
from pinakes.serve import parts
from pinakes.serve.desk import Desk

SHOWN_LINKS = 20
SHOWN_STEPS = 40


def path(desk: Desk, found: Portrait) -> Html | None:
    if not found.path:
        return None
    crawl = tag("a", f"crawl {found.crawl}", href=desk.at(f"/crawls/{found.crawl}"))
    far = len(found.path) - 1
    lead = tag(
        "p",
        _begun(far, found.looked_up),
        crawl,
        ". 0 is a nugget, X a dud; beside each stands its score.",
        class_="section-lead",
    )
    return tag(
        "section", tag("h2", "How it was reached", id="path"), lead, steps(desk, found.path), aria_labelledby="path"
    )


def _begun(far: int, looked_up: bool) -> str:
    if not far:
        return "A search or back-links led to it, in " if looked_up else "It was a seed of "
    start = "a page that a search or back-links led to" if looked_up else "the seed"
    return f"{count_of(far, 'link')} from {start}, in "


def steps(desk: Desk, path: Sequence[Step]) -> Html:
    """The paper's picture of a path: 0-X-X-0."""
    shown = list(path)
    left_out = len(shown) - SHOWN_STEPS
    items = []
    for at, step in enumerate(shown):
        if left_out > 0 and at == SHOWN_STEPS // 2:
            items.append(tag("li", f"… {left_out:,} more …", class_="gap"))
        if left_out > 0 and SHOWN_STEPS // 2 <= at < SHOWN_STEPS // 2 + left_out:
            continue
        items.append(_step(desk, step, last=at == len(shown) - 1))
    picture = "-".join("0" if step.nugget else "X" for step in path[-200:])
    return tag("ol", items, class_="path", aria_label=f"The path: {picture}", data_picture=picture)


def _step(desk: Desk, step: Step, *, last: bool) -> Html:
    kind = "nugget" if step.nugget else "dud"
    name = "nugget" if step.nugget else "dud" if step.depth else "seed"
    sign = tag("span", "0" if step.nugget else "X", class_="sign", title=name)
    score = tag("span", f"{step.score:.2f}", class_="score")
    said = step.anchor and tag("span", "by “", parts.words(step.anchor, 60), "”", class_="anchor")
    link = parts.address(step.url, 60) if last else parts.page_link(desk, "", step.url, step.page)
    return tag(
        "li",
        sign,
        score,
        tag("span", link, " ", said or "", class_="what"),
        class_=f"{kind}{'' if step.depth else ' seed'}{' here' if last else ''}",
    )


def why(desk: Desk, found: Portrait, quick: bool) -> Html | None:
    """Who led to it, and what the strategy knew of the link; that is looked up at once where it is `quick`."""
    last = found.path[-1] if found.path else None
    if last is None:
        return None
    asked = last.asked and tag("p", "Asked for as ", parts.address(last.asked), "; a redirect led here.")
    more = tag(
        "details",
        tag("summary", "What the strategy knew of the link"),
        tag(
            "div",
            tag("a", "Show", href=desk.at(f"/pages/{found.page}/why")),
            data_load=desk.at(f"/pages/{found.page}/why"),
        ),
        open=quick,
    )
    return tag(
        "section",
        tag("h2", "Why it was fetched", id="why"),
        _led(desk, found),
        asked or None,
        more if last.depth else None,
        aria_labelledby="why",
    )


def _led(desk: Desk, found: Portrait) -> Html:
    """The link that led to it, in a sentence."""
    *before, last = found.path
    if not last.depth:
        start = "A search or back-links led to it." if found.looked_up else "Whoever started the crawl named it."
        return tag("p", start)
    said = ("the link “", parts.words(last.anchor, 100), "”") if last.anchor else ("a link without words",)
    endless = " It looks like one of endlessly many, and was fetched when nothing else waited."
    late = endless if last.price <= LOWEST else ""
    if not before:
        return tag("p", "Because of ", *said, ".", late)
    parent = before[-1]
    where = parts.page_link(desk, "", parent.url, parent.page)
    kind = "a nugget" if parent.nugget else "no nugget itself"
    return tag("p", "Because of ", *said, " on ", where, f", which is {kind}.", late)


def copy(desk: Desk, found: Portrait, text: str) -> Html:
    href = desk.at(f"/copy/{found.page}")
    captures = [
        tag(
            "li",
            tag(
                "a",
                one.fetched[:16].replace("T", " "),
                href=desk.at(f"/pages/{one.page}"),
                aria_current="true" if one.page == found.page else None,
            ),
            " unchanged" if one.same else "",
        )
        for one in found.captures
    ]
    markup = kind_of(found.type) == "html"
    shown = (
        tag("iframe", src=href, sandbox="", title="The stored copy", loading="lazy", referrerpolicy="no-referrer")
        if markup
        else tag("pre", tag("bdi", text), tabindex=0, class_="text", aria_label="Its text")
        if text
        else tag("p", "There is no text in it.")
    )
    return tag(
        "section",
        tag("h2", "The stored copy", id="copy"),
        tag(
            "p",
            "As it was fetched; nothing in it runs or loads anything. ",
            tag("a", "Open it alone" if markup else "Download the file", href=href),
            class_="section-lead",
        ),
        shown,
        len(captures) > 1 and tag("details", tag("summary", count_of(len(captures), "capture")), tag("ul", captures)),
        aria_labelledby="copy",
    )


def links(desk: Desk, found: Portrait) -> Html:
    return tag(
        "section",
        tag("h2", "Links", id="links"),
        tag(
            "div",
            _neighbours(desk, "From here", found.links_out, found.links_out_total),
            _neighbours(desk, "To here", found.links_in, found.links_in_total),
            class_="panels",
        ),
        aria_labelledby="links",
    )


def _neighbours(desk: Desk, heading: str, pages: Sequence[Neighbour], total: int) -> Html:
    items = [
        tag(
            "li",
            parts.page_link(desk, one.title, one.url, one.page),
            " ",
            tag("small", parts.words(host_of(one.url), 50), "" if one.page else ", not held"),
        )
        for one in pages
    ]
    more = items[SHOWN_LINKS:]
    rest = more and tag("details", tag("summary", f"{len(more):,} more"), tag("ul", more))
    beyond = total > len(pages) and pages and tag("p", f"{total:,} in all.", class_="hint")
    body = (tag("ul", items[:SHOWN_LINKS]), rest or None, beyond or None) if items else tag("p", "None.")
    return tag("div", tag("h3", heading, " ", tag("small", f"{total:,}")), body, class_="card")
