"""A paper as TEI-like XML, in the places where GROBID writes the same things."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pinakes.formats.paper import Paper, Reference

NAMESPACE = "http://www.tei-c.org/ns/1.0"
_forbidden = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_tei(paper: Paper) -> str:
    """The XML of a paper, characters XML forbids left out."""
    root = Element("TEI", {"xmlns": NAMESPACE})
    header = SubElement(root, "teiHeader")
    description = SubElement(header, "fileDesc")
    _add(SubElement(description, "titleStmt"), "title", paper.title, level="a", type="main")
    source = SubElement(SubElement(description, "sourceDesc"), "biblStruct")
    analytic = SubElement(source, "analytic")
    _people(analytic, paper.authors)
    for place in paper.affiliations:
        _add(SubElement(analytic, "affiliation"), "note", place, type="raw_affiliation")
    _year(source, paper.year)
    profile = SubElement(header, "profileDesc")
    if paper.keywords:
        listed = SubElement(SubElement(profile, "textClass"), "keywords")
        for keyword in paper.keywords:
            _add(listed, "term", keyword)
    if paper.abstract:
        _add(SubElement(profile, "abstract"), "p", paper.abstract)
    listed = SubElement(SubElement(SubElement(root, "text"), "back"), "listBibl")
    for number, reference in enumerate(paper.references):
        _reference(listed, number, reference)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _reference(listed: Element, number: int, reference: Reference) -> None:
    entry = SubElement(listed, "biblStruct", {"xml:id": f"b{number}"})
    analytic = SubElement(entry, "analytic")
    if reference.title:
        _add(analytic, "title", reference.title, level="a", type="main")
    _people(analytic, reference.authors)
    _year(entry, reference.year)
    if reference.raw:
        _add(entry, "note", reference.raw, type="raw_reference")


def _people(parent: Element, names: Iterable[str]) -> None:
    for name in names:
        given, _, family = name.rpartition(" ")
        person = SubElement(SubElement(parent, "author"), "persName")
        if given:
            _add(person, "forename", given)
        _add(person, "surname", family)


def _year(parent: Element, year: int | None) -> None:
    if year:
        _add(SubElement(SubElement(parent, "monogr"), "imprint"), "date", "", type="published", when=str(year))


def _add(parent: Element, tag: str, text: str, **attributes: str) -> None:
    SubElement(parent, tag, attributes).text = _forbidden.sub("", text)
