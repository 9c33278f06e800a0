"""Names of people in print: what looks like one, and lists of them taken apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PARTICLES = """de del della der den des di da do dos du van von vom zu zur la le el al bin bint ibn ben abu ten ter te
    y e af av 't op st los las san dal dalla d"""
PARTICLES = frozenset(_PARTICLES.split())
_HONOURS = re.compile(
    r"\b(?:(?:(?:senior|student|life|associate|graduate\s+student)\s+)?(?:member|fellow)\s*,\s*(?:ieee|acm|iet|siam)\b"
    r"|ph\.?\s?d\.?\b|m\.?\s?sc\.?\b|m\.d\.|prof(?:essor)?\b\.?|dr\.(?=\s)|dr\b(?!\w)|mr\.|mrs\.|ms\.)",
    re.IGNORECASE,
)
_institution = re.compile(
    r"universi|institut|d[eé]part|\bdept\b|faculty|facult[aéy]|laborato|\blabs?\b|(?-i:\bLab[A-Z])|college|\bschool\b|recherche|"
    r"\bcent(?:er|re|ro|rum)\b|academ|foundation|corporation|\binc\b|\bltd\b|\bllc\b|gmbh|\bcorp\b|company|research|"
    r"hospital|clinic|ministry|agency|consult|technolog|polytech|politec|[ée]cole|hochschule|akademie|society|council|"
    r"library|museum|bureau|division|group\b|\bteam\b|systems?\b|sciences?\b|engineering|informati(?:k|cs|que)|"
    r"mathemati|physics|computer|computing|software|networks?\b|solutions|technion|\bcnrs\b|\binria\b|\beth\b|\bmit\b|"
    r"street|avenue|\broad\b|\bblvd|p\.?\s?o\.?\s?box|campus|building|\bfloor\b|\bsuite\b|\broom\b|unaffiliated|"
    r"independent|author|correspond|equal|contribut|abstract|conference|proceedings|workshop|journal|e-?mail|"
    r"seminar|working\s+paper|\breport\b|reference\s+format|categories|keywords|op[ée]rationnelle|"
    r"(?-i:\b(?:the|of|for|at|with|in|on|to|UC|UT|TU|IIT|EPFL|CMU|NYU|UCLA|KTH|IBM|NEC|NTT|USA|UK)\b)",
    re.IGNORECASE,
).search
_PLACE_NAMES = """
    argentina australia austria belgium brazil canada chile china colombia croatia cyprus czechia denmark egypt
    estonia finland germany greece hungary iceland india indonesia iran iraq italy japan korea kuwait latvia
    lebanon lithuania luxembourg malaysia mexico morocco netherlands nigeria norway pakistan peru philippines
    poland portugal qatar romania russia serbia singapore slovakia slovenia spain sweden switzerland taiwan
    thailand tunisia turkey türkiye uk ukraine uruguay usa u.s.a. u.k. vietnam scotland california texas
    massachusetts michigan illinois ontario quebec québec bavaria hellas deutschland españa italia österreich
    schweiz brasil"""
_PLACES = frozenset(_PLACE_NAMES.split())
_PLACE_STARTS = frozenset({"new", "santa", "los", "las", "north", "south", "east", "west", "united", "czech"})
"""Words that begin the names of places more often than those of people, when a line says nothing else."""
_PLACE_PAIRS = frozenset({"hong kong", "tel aviv", "san francisco", "san diego", "san jose", "palo alto", "ann arbor"})
_token = re.compile(r"(?:[dlDLoO]['’])?[^\W\d_][^\W\d_'’.\-]*(?:['’.\-]+[^\W\d_]+)*\.?", re.UNICODE).fullmatch
_initials = re.compile(r"(?:[^\W\d_]\.[-‐]?)+|[^\W\d_]", re.UNICODE).fullmatch
_between = re.compile(
    r"\s*[,;·•|∙⋅&]\s*(?:(?:and|und|et|y|och)\s+)?|\s+(?:and|und|et|y|och|en|e)\s+|^\s*(?:and|by|und|et)\s+|\s+and$",
    re.IGNORECASE,
)
_marks = re.compile(r"[\d*∗†‡§¶‖#⋆★☆✉♯⊥⊕]+|\((?:[A-Z]|\d+)\)\s*$|\^|\(\s*\)")
_address = re.compile(
    r"\S*@\S*|(?:https?://|www\.)\S*|\{[^}]*\}\s*@?\s*\S*|\b(?:e-?mails?|orcid)\b\s*:?\s*\S*", re.IGNORECASE
)
_elided = re.compile(r"[dl]['’][^\W\d_a-z]").match
_suffix = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE).fullmatch


def plain(text: str) -> str:
    """A name without footnote marks, addresses and honours."""
    text = _HONOURS.sub(" ", _address.sub(" ", text))
    return " ".join(_marks.sub(" ", text).replace("’", "'").split()).strip(" ,;:.-–—/()[]<>")


def people(text: str) -> list[str]:
    """The parts of a list of names, whether they look like names or not."""
    text = _HONOURS.sub(" ", _address.sub(" ", text))
    parts: list[str] = []
    for part in _between.split(text):
        name = plain(part) if part else ""
        if not name:
            continue
        if _suffix(name) and parts:
            parts[-1] = f"{parts[-1]} {name}"
        else:
            parts.append(part.strip() if part.strip().endswith(".") and _initials(name.split()[-1]) else name)
    return parts


def is_person(name: str) -> bool:
    """Whether a text could be the full name of somebody."""
    if not 4 <= len(name) <= 60 or _institution(name) or any(c.isdigit() for c in name):
        return False
    tokens = name.split()
    if not 2 <= len(tokens) <= 6 or tokens[-1] in PARTICLES:
        return False
    for place, token in enumerate(tokens):
        if 0 < place < len(tokens) - 1 and token[0] + token[-1] in ("()", "“”", '""'):
            token = token[1:-1]  # noqa: PLW2901  what somebody is called: Ann (Annie) Smith
        if token.lower() in PARTICLES or _suffix(token):
            continue
        if not _token(token) or not (token[0].isupper() or _elided(token)):
            return False
    words = [token for token in tokens if not _initials(token)]
    if not words or not any(len(word) > 1 and word not in PARTICLES for word in words):
        return False
    return not is_place(name)


def is_place(text: str) -> bool:
    words = [word.strip(".,()") for word in text.lower().split()]
    if not words:
        return False
    return any(word in _PLACES for word in words) or words[0] in _PLACE_STARTS or " ".join(words) in _PLACE_PAIRS


def is_institution(text: str) -> bool:
    return bool(_institution(text))


def has_address(text: str) -> bool:
    return bool(_address.search(text))


def cased(name: str) -> str:
    """A name printed in capitals, as it is written elsewhere."""
    letters = [c for c in name if c.isalpha()]
    if len(letters) < 4 or not all(c.isupper() for c in letters):
        return name
    words = [
        word.lower() if word.lower() in PARTICLES else "-".join(part.capitalize() for part in word.split("-"))
        for word in name.split()
    ]
    return " ".join(words)


def persons(parts: Sequence[str]) -> list[str]:
    return [cased(part) for part in parts if is_person(part)]
