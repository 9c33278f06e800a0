"""Services by the names a person gives them: for metadata, for holdings, and for open copies.

dblp:WebDB  openalex:S4306420609  crossref:1076-9757  acl:2020.sdp
https://repository.example.org/oai?set=theses  zotero:users/12345  zotero:groups/678  zotero:local
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pinakes.config import Service as Section
from pinakes.core.errors import PinakesError
from pinakes.formats.bibliography import Work
from pinakes.jobs.live_backlinks import settings_of
from pinakes.jobs.live_services import services_for
from pinakes.services.backlinks.sources import OFF, openalex, semantic_scholar
from pinakes.services.holdings.oai import oai_service, oai_works
from pinakes.services.holdings.zotero import zotero_service, zotero_works
from pinakes.services.metadata.acl import acl_papers, acl_service
from pinakes.services.metadata.crossref import crossref_papers, crossref_service
from pinakes.services.metadata.dblp import dblp_papers, dblp_service
from pinakes.services.metadata.openalex import openalex_papers
from pinakes.services.openaccess import OpenAccess, unpaywall_service
from pinakes.web.http import LiveOptions

if TYPE_CHECKING:
    from pinakes.jobs.harvest.wanted import Record

NAMES = ("dblp", "openalex", "crossref", "acl", "zotero", "oai")


def is_service(source: str) -> bool:
    """True for the name of a service, or the address of a repository."""
    return source.startswith(("http://", "https://")) or source.partition(":")[0] in NAMES


async def ask_service(
    source: str, live: LiveOptions, years: tuple[int, int] | None, such: str = "a service such as dblp:WebDB"
) -> list[Work]:
    """The works a service names; `such` is what should be asked."""
    sections = settings_of(live.services)
    name, _, what = source.partition(":")
    if name in ("http", "https"):
        name, what = "oai", source
    if not what.strip():
        raise PinakesError(f"{source} does not say what to ask for; give {such}.")
    section = sections.get(name, Section())
    async with services_for(live, local=source == "zotero:local") as services:
        if name == "dblp":
            return await dblp_papers(services.client(dblp_service(section.url)), what, years)
        if name == "openalex":
            return await openalex_papers(services.client(openalex(section)), what, years)
        if name == "crossref":
            mailto = section.mailto or live.contact
            return await crossref_papers(services.client(crossref_service(section.url, mailto)), what, years)
        if name == "acl":
            return await acl_papers(services.client(acl_service(section.url)), what)
        if name == "zotero":
            return await zotero_works(services.client(zotero_service(what, section.key(), section.url)))
        service, chosen = oai_service(what)
        return await oai_works(services.client(service), chosen)


async def open_copies(
    missing: Sequence[Record],
    live: LiveOptions,
    watch: Callable[[int, int], None] = lambda done, of: None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> dict[str, list[str]]:
    """Where services say open copies of papers are: address -> ids of the papers."""
    sections = settings_of(live.services)

    def wanted(name: str) -> bool:
        return name not in sections or sections[name].url != OFF

    found: dict[str, list[str]] = {}
    async with services_for(live) as services:
        unpaywall = sections.get("unpaywall", Section())
        asked = OpenAccess(
            services.client(openalex(sections.get("openalex"))) if wanted("openalex") else None,
            services.client(unpaywall_service(unpaywall.mailto or live.contact, unpaywall.url))
            if wanted("unpaywall")
            else None,
            services.client(semantic_scholar(sections.get("semantic-scholar"))) if wanted("semantic-scholar") else None,
            tell,
        )
        for number, record in enumerate(missing):
            watch(number, len(missing))
            for copy in await asked.copies(record.work, record.doi):
                found.setdefault(copy.url, []).append(record.id)
        watch(len(missing), len(missing))
    return found
