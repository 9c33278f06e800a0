"""Homepages that directories of people know: dblp's person records and ORCID, asked before any search engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from pinakes.config import Service as Section
from pinakes.formats.bibliography import Person
from pinakes.formats.url import canonical
from pinakes.jobs.harvest.sites import why_no_homepage
from pinakes.jobs.live_backlinks import settings_of
from pinakes.jobs.live_services import services_for
from pinakes.services.backlinks.sources import OFF
from pinakes.services.door import Services
from pinakes.services.errors import ServiceError
from pinakes.services.metadata.dblp import PERSON, dblp_person, dblp_service
from pinakes.services.metadata.orcid import orcid_person, orcid_service
from pinakes.web.http import LiveOptions

ORCID = "https://orcid.org/"


class Listed(NamedTuple):
    """What a directory says of an author."""

    homepage: str
    """Empty where it knows none."""
    by: str
    """Which directory."""
    affiliation: str = ""


async def listed_people(
    authors: Iterable[str],
    people: Mapping[str, Person],
    identities: Mapping[str, str],
    live: LiveOptions | None = None,
    *,
    remembered: Mapping[str, Any] | None = None,
    remember: Callable[[str, Any], None] = lambda identity, data: None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Listed]:
    """Author -> what directories say. `people` came with the metadata; whoever has an identity is asked after on the
    live web, dblp first, and what is learnt is given to `remember`."""
    found: dict[str, Listed] = {}
    asked: dict[str, str] = {}
    for name in authors:
        person = people.get(name)
        if person is not None:
            found[name] = _listed(person, "dblp")
        identity = identities.get(name, "") or (person.orcid if person is not None else "")
        if identity and not (name in found and found[name].homepage):
            asked[name] = identity
    if live is None or not asked:
        return found
    async with services_for(live) as services:
        directories = _Directories(services, live, remembered or {}, remember, tell)
        for name, identity in asked.items():
            said = await directories.ask(identity)
            before = found.get(name)
            if said is not None:
                found[name] = said._replace(affiliation=(before.affiliation if before else "") or said.affiliation)
    return found


class _Directories:
    """dblp and ORCID; one that fails is left out for the rest of the harvest, and told."""

    def __init__(
        self,
        services: Services,
        live: LiveOptions,
        remembered: Mapping[str, Any],
        remember: Callable[[str, Any], None],
        tell: Callable[[str], None],
    ) -> None:
        sections = settings_of(live.services)
        dblp, orcid = sections.get("dblp", Section()).url, sections.get("orcid", Section()).url
        self._dblp = services.client(dblp_service(dblp)) if dblp != OFF else None
        self._orcid = services.client(orcid_service(orcid)) if orcid != OFF else None
        self._remembered, self._remember, self._tell = remembered, remember, tell

    async def ask(self, identity: str) -> Listed | None:
        """What the directory of an identity says; a dblp person without a homepage may have an ORCID with one."""
        person = await self._person(identity)
        if person is None:
            return None
        said = _listed(person, "dblp" if identity.startswith(PERSON) else "ORCID")
        if not said.homepage and identity.startswith(PERSON) and person.orcid:
            other = await self.ask(person.orcid)
            if other is not None:
                return other._replace(affiliation=said.affiliation or other.affiliation)
        return said

    async def _person(self, identity: str) -> Person | None:
        if identity in self._remembered:
            try:
                return msgspec.convert(self._remembered[identity], Person | None)
            except msgspec.ValidationError:
                pass  # kept by another version of Pinakes
        try:
            if identity.startswith(PERSON) and self._dblp is not None:
                person = await dblp_person(self._dblp, identity)
            elif identity.startswith(ORCID) and self._orcid is not None:
                person = await orcid_person(self._orcid, identity)
            else:
                return None
        except ServiceError as error:
            self._tell(f"{error} It is not asked for homepages again in this harvest.")
            if identity.startswith(PERSON):
                self._dblp = None
            else:
                self._orcid = None
            return None
        self._remember(identity, msgspec.to_builtins(person))
        return person


def _listed(person: Person, by: str) -> Listed:
    """The first address that is neither a publisher's, a profile nor an identifier."""
    urls = (canonical(url) for url in person.urls)
    return Listed(next((url for url in urls if url and not why_no_homepage(url, "")), ""), by, person.affiliation)
