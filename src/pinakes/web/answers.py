"""What a server answered, and what it means: plain data in, `Fetched` out.

Nothing here touches the network or keeps state, so it can run wherever the bytes are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from pinakes.core.page import Fetched, Link, Member, Page
from pinakes.formats import encodings, warc
from pinakes.formats.document import PDF, Reader
from pinakes.formats.url import canonical
from pinakes.web.challenge import challenge_of
from pinakes.web.outcomes import outcome_of

_LISTS = {"link": ", ", "vary": ", ", "content-encoding": ", ", "x-robots-tag": "\n"}
"""Headers whose repetitions add up, and how; of others the first counts."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ERROR_PAGE = 64 << 10
"""How much of an error page is looked at, which may be a challenge."""
_scheme = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]{0,30}):")
_encoding_line = re.compile(rb"\r\ncontent-encoding:", re.IGNORECASE).sub
_text_type = re.compile(r"(?:text/|application/(?:xhtml\+xml|xml|json|[\w.+-]+\+xml)\b|\s*(?:;|$))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """One response, as it came."""

    url: str
    status: int
    head: bytes
    """Status line and headers, with the empty line that ends them."""
    headers: Mapping[str, str]
    """By their names in lower case."""
    body: bytes
    """Without transfer encoding, but with its content encodings."""
    cut: bool
    """The body is longer than what is here."""
    asked: bytes
    """The request's head."""
    ip: str
    at: float
    """When the request was made, in seconds since 1970."""
    seconds: float
    """How long it took."""
    broken: bool = False
    """The connection broke off before the body's end; it is `cut`, too."""


class Reading(NamedTuple):
    """How answers are read."""

    limit: int
    """How much of a decoded body is kept and read."""
    records: bool
    """Make WARC members."""


def mapping(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by their names in lower case."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = _text(raw_name).lower(), _text(raw_value).strip()
        if name in headers and name in _LISTS:
            headers[name] += _LISTS[name] + value
        else:
            headers.setdefault(name, value)
    return headers


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def can_be_cut(content_type: str) -> bool:
    """True for types of which the beginning alone is of use."""
    return _text_type.match(content_type) is not None


def hop_of(answer: Answer) -> tuple[str, str]:
    """Where a redirect leads, or why nowhere; both empty when the answer is none."""
    if answer.status not in _REDIRECTS:
        return "", ""
    location = answer.headers.get("location", "").strip()
    if not location:
        return "", "bad-redirect"
    if hop := canonical(location, answer.url):
        return hop, ""
    named = _scheme.match(location)
    return "", "scheme" if named and named[1].lower() not in ("http", "https") else "bad-redirect"


def is_pdf(answer: Answer) -> bool:
    """True when reading the answer takes the slow way, through the process that reads PDFs."""
    declared = answer.headers.get("content-type", "").lower().startswith(PDF)
    return answer.status == 200 and (declared or b"%PDF-" in answer.body[:1024])


def read(reader: Reader, link: Link, answer: Answer, how: Reading) -> tuple[Fetched, str]:
    """What came home for a link, and the name of the challenge the host puts before its pages, if it does."""
    page: Page | None = None
    hop, trouble = hop_of(answer)
    challenge = ""
    if not hop and not trouble:
        answer, body, trouble = _decoded(answer, how.limit)
        if not trouble:
            page = reader.read(link, answer.url, answer.status, answer.headers, body, answer.at)
            trouble = outcome_of(answer.status) or page.error
        challenge = challenge_of(answer.headers, body, len(page.words) if page else 0)
        trouble = "challenge" if challenge else trouble
    if page is None:
        page = Page(link, answer.url, answer.status, error=trouble, fetched_at=answer.at)
    elif trouble:
        page = replace(page, error=trouble, links=())
    return _recorded(page, hop, answer) if how.records else Fetched(page, hop=hop), challenge


def _decoded(answer: Answer, limit: int) -> tuple[Answer, bytes, str]:
    """The answer as it is kept, its decoded body, and why that is of no use."""
    good = 200 <= answer.status < 300
    names = encodings.names(answer.headers.get("content-encoding", ""))
    body, more, trouble = encodings.decode(answer.body, names, limit if good else min(limit, _ERROR_PAGE))
    cut = answer.cut or more
    if "zstd" in names:
        # Hardly any reader of archives knows it: kept as it reads, with a note of what it was.
        head = _encoding_line(b"\r\nX-Crawler-Content-Encoding:", answer.head)
        answer = replace(answer, head=head, body=body, cut=cut)
    if cut and good and not trouble and not can_be_cut(answer.headers.get("content-type", "")):
        trouble = "too-large"
    return answer, body, trouble if good else ""


def recorded(answer: Answer) -> tuple[Member, ...]:
    """The WARC members of an exchange that is no page, such as one about robots.txt."""
    cut = _truncated(answer)
    return warc.exchange(answer.url, answer.asked, answer.head, answer.body, answer.at, ip=answer.ip, truncated=cut)[0]


def _truncated(answer: Answer) -> str:
    """Why the body is not whole, in the words of WARC 1.1 §5.13."""
    return "disconnect" if answer.broken else "length" if answer.cut else ""


def _recorded(page: Page, hop: str, answer: Answer) -> Fetched:
    members, digest = warc.exchange(
        answer.url,
        answer.asked,
        answer.head,
        answer.body,
        answer.at,
        metadata={"outcome": "redirect" if hop else page.outcome, "via": page.link.parent},
        ip=answer.ip,
        truncated=_truncated(answer),
    )
    return Fetched(page, members, digest, answer.head, hop)
