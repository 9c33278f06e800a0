"""People by ORCID: the addresses somebody has put on their own public record."""

from __future__ import annotations

import msgspec

from pinakes.formats.bibliography import Person
from pinakes.services.client import Service, ServiceClient
from pinakes.services.errors import ServiceError

MOST_URLS = 50


class _Value(msgspec.Struct):
    value: str | None = None


class _Url(msgspec.Struct):
    url: _Value | None = None


class _Urls(msgspec.Struct, rename="kebab"):
    researcher_url: list[_Url] = []


class _Address(msgspec.Struct):
    country: _Value | None = None


class _Addresses(msgspec.Struct):
    address: list[_Address] = []


class _Record(msgspec.Struct, rename="kebab"):
    researcher_urls: _Urls | None = None
    addresses: _Addresses | None = None


def orcid_service(url: str = "") -> Service:
    return Service("ORCID", url or "https://pub.orcid.org/v3.0", gap=0.2)


async def orcid_person(client: ServiceClient, identity: str) -> Person | None:
    """What the owner of an ORCID (`https://orcid.org/0000-…`) says of themselves; as affiliation, their country."""
    try:
        record = await client.json(f"/{identity.rpartition('/')[2]}/person", {}, _Record)
    except ServiceError as error:
        if error.outcome in ("not-found", "gone"):
            return None
        raise
    urls = [one.url.value for one in (record.researcher_urls or _Urls()).researcher_url if one.url and one.url.value]
    countries = [one.country.value for one in (record.addresses or _Addresses()).address if one.country]
    real = tuple(url.strip() for url in urls if url.strip().startswith(("http://", "https://")))
    return Person((), real[:MOST_URLS], next(filter(None, countries), ""))
