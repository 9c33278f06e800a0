"""The names of everything that can become of a request, with a sentence each."""

from __future__ import annotations

from pinakes.formats.document import error_of

OUTCOMES = {
    "ok": "The page arrived.",
    "unchanged": "The server says the page is as it was at the last visit.",
    "duplicate": "The page says the same as one fetched before under another address.",
    # We did not ask
    "known": "A redirect led to an address that was fetched before.",
    "redirect-loop": "A chain of redirects came back to where it had been, as sites do that want a cookie first.",
    "too-many-redirects": "A chain of redirects was longer than the limit.",
    "scope": "The address is outside what the crawl may visit.",
    "trap": "The address looks like one of endlessly many.",
    "address": "The host is not on the public internet: its address is private, local or reserved.",
    "port": "The port belongs to a service that does not speak HTTP.",
    "scheme": "The address leads out of the web, to file:, data: or the like.",
    "robots": "The host's robots.txt forbids the page.",
    "robots-unreachable": "The host's robots.txt could not be read, which forbids everything for the time being.",
    "postponed": "The host wants a longer pause first.",
    # Nobody answered
    "dns": "The host's name has no address.",
    "connection": "The connection was refused or broke.",
    "timeout": "The host took too long to connect, to answer or to go on.",
    "tls": "The host's certificate or its encryption cannot be trusted.",
    # The answer is no page
    "bad-response": "What came back is not HTTP, or in an encoding nobody asked for.",
    "bad-redirect": "A redirect that leads nowhere.",
    "not-found": "There is no such page.",
    "forbidden": "The server does not let us have the page.",
    "client-error": "The server did not like the request.",
    "rate-limited": "The server asks for fewer requests.",
    "server-error": "The server failed.",
    "challenge": "The host asks visitors to prove they are human; it is left alone.",
    # The page is no good
    "too-large": "The file is larger than the limit, and half of it would be of no use.",
    "bomb": "A few compressed bytes that unpack without end.",
    "encrypted": "The PDF cannot be read without a password.",
    "damaged": "The PDF is broken.",
    "too-slow": "The PDF took too long to read.",
    "crashed": "The document broke the process that read it, or wanted too much memory.",
    "unavailable": "The process that reads PDFs could not be started.",
    "unreadable": "The content cannot be read.",
}

TRANSIENT = frozenset({"connection", "timeout", "rate-limited", "server-error", "robots-unreachable"})
"""Worth another try later."""
FAILURES = TRANSIENT | {"dns", "tls", "bad-response"}
"""What a host that is down or broken gives."""
_RETRIED = frozenset({408, 425})
_OWN = {304: "unchanged", 429: "rate-limited"}


def outcome_of(status: int) -> str:
    """What a final status means to a crawl; empty for success."""
    return _OWN.get(status) or error_of(status)


def transient(outcome: str, status: int) -> bool:
    """True when the same request may well succeed later."""
    return outcome in TRANSIENT or status in _RETRIED
