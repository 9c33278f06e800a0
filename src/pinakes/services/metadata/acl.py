"""A collection of the ACL Anthology, from its public repository: there is no other interface."""

from __future__ import annotations

from urllib.parse import quote

from pinakes.formats.acl import read_acl
from pinakes.formats.bibliography import Work
from pinakes.services.client import Service, ServiceClient


def acl_service(url: str = "") -> Service:
    return Service("ACL Anthology", url or "https://raw.githubusercontent.com/acl-org/acl-anthology/master", gap=1.0)


async def acl_papers(client: ServiceClient, collection: str) -> list[Work]:
    """The papers of a collection: `2020.sdp`, `P19`."""
    path = f"/data/xml/{quote(collection.strip(), safe='')}.xml"
    return list(read_acl(await client.xml(path, {}, also=("text/plain",))).works)
