"""Pages that want a visitor to prove being human. They are recognised and left alone, never solved.

Such pages come with any status, 200 among them, and look like content to a crawler. A mark is a header that says so
outright, or something only the challenge's own machinery has; an article that merely quotes one has neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-vercel-mitigated", "challenge", "Vercel"),
    ("x-amzn-waf-action", "challenge", "AWS WAF"),
    ("x-amzn-waf-action", "captcha", "AWS WAF"),
)
_HEAD = 32 << 10
_WORDY = 400
"""Challenges are short, and show what they are at once."""
_title = re.compile(rb"<title[^>]{0,200}>([^<]{0,200})", re.IGNORECASE)
_waiting = re.compile(
    rb"\s*(?:just a moment|making sure you\S{1,6}re not a bot|attention required|checking your browser"
    rb"|verifying your browser|one moment, please|security check|access denied|you have been blocked|ddos-guard"
    rb"|are you a human|please wait|robot or human|pardon our interruption|captcha|human verification"
    rb"|vercel security checkpoint|bot verification|client challenge|checking you are not a bot)",
    re.IGNORECASE,
).match
# Scripts and paths of the machinery. The first stand in challenges alone, `<` and all, which a page that quotes one
# would have escaped; the others stand in ordinary pages too and count only under a challenge's title.
_CERTAIN = (
    (b'<script id="anubis_', "Anubis"),
    (b"/.well-known/ddos-guard/js-challenge/", "DDoS-Guard"),
    (b"/.basedflare/bot-check", "Basedflare"),
    (b"/.well-known/.git.gammaspectra.live/git/go-away/cmd/", "go-away"),
    (b"https://geo.captcha-delivery.com/", "DataDome"),
    (b"Request unsuccessful. Incapsula incident ID", "Imperva"),
)
_LIKELY = (
    (b"/cdn-cgi/challenge-platform/", "Cloudflare"),
    (b"_cf_chl_opt", "Cloudflare"),
    (b"cf-error-details", "Cloudflare"),
    (b"cf-browser-verification", "Cloudflare"),
    (b"/.within.website/x/", "Anubis"),
    (b"sucuri_cloudproxy_js", "Sucuri"),
    (b"_Incapsula_Resource", "Imperva"),
    (b"px-captcha", "HUMAN"),
    (b"sec-cpt-", "Akamai"),
    (b"sec-if-cpt-", "Akamai"),
    (b".token.awswaf.com/", "AWS WAF"),
    (b"/_fs-ch-", "Fastly"),
    (b"challenges.cloudflare.com/turnstile/", "Turnstile"),
    (b"hcaptcha.com/1/api.js", "hCaptcha"),
    (b"recaptcha/api.js", "reCAPTCHA"),
    (b"slowaes.js", "an AES cookie"),
)


def challenge_of(headers: Mapping[str, str], body: bytes, words: int = 0) -> str:
    """Whose challenge an answer is; empty when it is none. `body` is decoded, `words` how many it has to say."""
    for name, value, whose in _HEADERS:
        if headers.get(name, "").lower() == value:
            return whose
    kind = headers.get("content-type", "")
    if words > _WORDY or (kind and "html" not in kind.lower()):
        return ""
    head = body[:_HEAD]
    title = _title.search(head, 0, 4096)
    marks = _CERTAIN + _LIKELY if title is not None and _waiting(title[1]) else _CERTAIN
    return next((whose for mark, whose in marks if mark in head), "")
