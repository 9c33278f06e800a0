"""The ACL Anthology's XML: a collection of volumes with their papers."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from pinakes.formats.bibliography import LONGEST, MOST_WORKS, Bibliography, Work, orcid_in, year_in

SITE = "https://aclanthology.org"


def read_acl(collection: Element) -> Bibliography:
    """The papers of a collection, its front matter left out."""
    works: list[Work] = []
    for volume in collection.iter("volume"):
        meta = volume.find("meta")
        booktitle = _text(meta.find("booktitle")) if meta is not None else ""
        venue = _text(meta.find("venue")) if meta is not None else ""
        year = year_in(_text(meta.find("year"))) if meta is not None else None
        for paper in volume.findall("paper"):
            if len(works) >= MOST_WORKS:
                break
            key = f"{collection.get('id', '')}-{volume.get('id', '')}.{paper.get('id', '')}"
            title = _text(paper.find("title"))
            authors = [one for one in paper.findall("author") if _person(one)]
            identities = tuple(orcid_in(one.get("orcid", "")) for one in authors)
            places = tuple(_text(one.find("affiliation")) for one in authors)
            if title and paper.find("retracted") is None:
                works.append(
                    Work(
                        title=title,
                        authors=tuple(_person(one) for one in authors),
                        year=year or year_in(key),
                        venue=venue or booktitle,
                        kind="inproceedings",
                        doi=_text(paper.find("doi")),
                        url=f"{SITE}/{_text(paper.find('url')) or key}",
                        abstract=_text(paper.find("abstract")),
                        key=key,
                        booktitle=booktitle,
                        affiliations=places if any(places) else (),
                        identities=identities if any(identities) else (),
                    )
                )
    return Bibliography(tuple(works))


def _text(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split())[:LONGEST] if element is not None else ""


def _person(element: Element) -> str:
    return " ".join(filter(None, (_text(element.find("first")), _text(element.find("last")))))
