"""What `evidence` knows of a link, in words."""

from __future__ import annotations

from collections.abc import Mapping
from math import expm1

Features = Mapping[str, tuple[float, float]]

TELLING = 0.1
"""Words at least so like the topic are worth a mention."""
KINDS = {
    "host": "pages of its host",
    "dir": "pages of its directory",
    "shape": "pages with addresses of its shape",
    "tag": "links in the same place of a page",
}
APART = 0.1
"""Yields that differ so much from those of the siblings are worth a mention."""


def in_words(features: Features, anchor: str = "") -> list[str]:
    """Reasons for a price, such as: linked from 3 pages, about 2 of them good; siblings there were 80 % good."""
    if not features:
        return []
    value = {name: value for name, (value, _) in features.items()}
    links = max(1, round(expm1(value["log_inlinks"])))
    good = min(links, round(expm1(value["log_support"])))
    if links == 1:
        reasons = [f"linked from a page that is {_percent(value['vote_max'])} what is wanted"]
    else:
        reasons = [f"linked from {links} pages, about {good or 'none'} of them good"]
    if anchor:
        like = " is like the topic" if value["anchor_max"] >= TELLING else ""
        reasons.append(f"anchor “{anchor}”{like}")
    round_it = value["ctx_mean"] >= TELLING
    if round_it:
        reasons.append("the words round it are like the topic")
    if value["url"] >= TELLING:
        reasons.append("so are those of its address" if round_it else "the words of its address are like the topic")
    reasons.append(f"siblings on those pages were {_percent(value['sib_mean'])} good")
    if abs(value["near"] - value["sib_mean"]) >= APART:
        reasons.append(f"those next to it {_percent(value['near'])}")
    for name, kind in KINDS.items():
        if abs(value[name] - value["sib_mean"]) >= APART:
            reasons.append(f"{kind} {_percent(value[name])}")
    return reasons


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
