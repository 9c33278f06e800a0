"""What is what among the tags of HTML, for walks over pages; `KINDS` has a tag's properties as bits."""

from __future__ import annotations

_BLOCK_TAGS = """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup
    option p plaintext pre search section select summary table tbody td textarea tfoot th thead tr ul xmp"""
_CLOSED_TAGS = """
    area audio base br canvas col embed frame hr iframe img input link meta noembed noframes noscript script source
    style template title track video wbr"""
_VOID_TAGS = """
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"""

BLOCK = 1
"""Stands on lines of its own."""
NOTED = 2
"""Is told with those of its attributes that tell something."""
CLOSED = 4
"""Has nothing inside that is text."""
LINK, AREA, FRAME, IMAGE = 8, 16, 32, 64
VOID = 128
"""Has no end tag when written."""
RAW = 256
"""Its text is written without escapes."""


# What the walk over a page as it came has to know besides, of how elements end and where they may stand; see
# `_straight.h`, where these numbers are explained.
_CLOSES_P_TAGS = """
    address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2
    h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary ul xmp"""
_STOPS_TAGS = """
    applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details
    dir dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html
    iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol param
    plaintext pre script search section select source style summary table tbody td template textarea tfoot th thead
    title tr track ul wbr xmp"""
_SVG_TAGS = """
    animate circle defs desc ellipse filter g image line mask metadata path pattern polygon polyline rect set stop style
    svg symbol text title tspan use"""
_INLINE_TAGS = """
    abbr acronym b bdi bdo big blink cite code data del dfn em font i image ins kbd label map mark nobr output picture q
    s samp small span strike strong sub sup time tt u var"""
_DOUBTFUL_TAGS = "frame frameset math plaintext rb rp rt rtc template"
_ORDER = (
    (1 << 9, _CLOSES_P_TAGS),
    (1 << 10, "p"),
    (1 << 11, "dd dt li optgroup option p rb rp rt rtc"),
    (1 << 12, "applet button caption html marquee object table td th"),
    (1 << 13, "dd dt li"),
    (1 << 14, _STOPS_TAGS),
    (1 << 15, "h1 h2 h3 h4 h5 h6"),
    (1 << 16, "base basefont bgsound link meta noframes noscript script style title"),
    (1 << 17, "applet button caption marquee object td th"),
    (1 << 18, "table"),
    (1 << 19, "tbody tfoot thead"),
    (1 << 20, "tr"),
    (1 << 21, "td th"),
    (1 << 22, "colgroup"),
    (1 << 23, "caption col colgroup tbody td tfoot th thead tr"),
    (1 << 24, "optgroup option"),
    (1 << 25, _SVG_TAGS),
    (1 << 26, "desc textarea title"),
    (1 << 27, "body head html"),
    (1 << 28, _DOUBTFUL_TAGS),
    (1 << 29, _INLINE_TAGS),
)


def _kinds() -> dict[str, int]:
    kinds: dict[str, int] = {}
    for kind, tags in (
        (BLOCK, _BLOCK_TAGS),
        (NOTED, "base html link meta title"),
        (CLOSED, _CLOSED_TAGS),
        (LINK, "a"),
        (AREA, "area"),
        (FRAME, "frame iframe"),
        (IMAGE, "img"),
        (VOID, _VOID_TAGS),
        (RAW, "iframe noembed noframes plaintext script style xmp"),
        *_ORDER,
    ):
        for tag in tags.split():
            kinds[tag] = kinds.get(tag, 0) | kind
    return kinds


KINDS = _kinds()
